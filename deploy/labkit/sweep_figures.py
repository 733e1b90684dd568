"""What ./quickstart --sweep reckons from the JSON of its runs: points, ratios, intervals, tables.

Nothing here starts a process or looks at a clock.
"""

import math
import statistics

CARRIED_MIN = 0.95  # of what was offered; below it a system is saturated
RISE = 1.5  # from one rate to the next, beyond the listed ones
REFINED_TO = 1.1  # highest carried and lowest not carried rate are not further apart
IDLE_CALLS_PER_S = 20.0
LOADS = [0.05, 0.25, 0.5, 0.75, 0.95]  # of the highest throughput; before them, idle
CONFIDENCE = 0.95

LATENCY_RATIO_MAX = 0.5  # xbind with T = 1 against sequential, at low load
THROUGHPUT_RATIO_MIN = 6.0  # the best threshold against sequential


# Points


def point_of(result):
    """What a sweep keeps of a run. Rates are calls a second, latencies milliseconds.

    `offered` is the rate of the arrivals that were drawn: of a few hundred Poisson arrivals it is some
    per cent off the rate asked for, which is no fault of the system. `achieved` leaves out the holding
    time, in which nothing is asked of it.
    """
    planned_gap_us = result["model_checks"]["mean_inter_arrival_us"]["planned"]
    busy_s = result["duration_s"] - result["calls"]["hold_mean_s"]
    latency = result["setup_latency_us"]
    setups = result["setups"]
    point = {
        "asked": result["offered_setups_per_s"],
        "offered": 1e6 / planned_gap_us if planned_gap_us > 0 else 0.0,
        "achieved": setups["connected"] / busy_s if busy_s > 0 else 0.0,
        "attempted": setups["attempted"], "connected": setups["connected"],
        "unanswered": setups["unanswered"] + result["releases"]["unanswered"],
        "void": result["verdict"]["void"], "clean": result["audit"]["clean"],
        "threshold": result["threshold"], "remote_invocations": result["remote_invocations"],
    }
    for name in ("mean", "p5", "p50", "p95", "p99", "max"):
        point[f"{name}_ms"] = latency[name] / 1000
    return point


def carried(point):
    """Whether the system kept up: every call answered within the run, the rate held."""
    return point["unanswered"] == 0 and point["achieved"] >= CARRIED_MIN * point["offered"]


def next_rate(points, rates):
    """The rate to try after these points (of one system, in the order tried), or None: it is known.

    First the listed rates, then ever higher by RISE; once one was not carried, between it and the
    highest that was.
    """
    if not points:
        return rates[0]
    not_carried = [point["asked"] for point in points if not carried(point)]
    if not not_carried:
        higher = [rate for rate in rates if rate > points[-1]["asked"]]
        return higher[0] if higher else points[-1]["asked"] * RISE
    low = max((point["asked"] for point in points if carried(point)), default=None)
    high = min(not_carried)
    if low is None or low >= high or high / low <= REFINED_TO:
        return None
    return math.sqrt(low * high)


def highest_throughput(points):
    """Of the rates that were carried, what came of the highest; None when none was."""
    return max((point["achieved"] for point in points if carried(point)), default=None)


def loads_up_to(highest):
    """Six loads in calls/s, from idle to just below saturation."""
    return [IDLE_CALLS_PER_S, *(part * highest for part in LOADS)]


# Ratios


def engine_ratios(points):
    """The comparisons that are wanted: {what, measured, wanted, met}; `measured` None: no figure."""
    of = {}
    for point in points:
        of.setdefault(point["system"], []).append(point)

    def low(system):
        point = min(of.get(system, []), key=lambda point: point["asked"], default=None)
        return point["mean_ms"] if point and point["connected"] else None
    sequential = highest_throughput(of.get("sequential", []))
    fixed = [highest_throughput(of[system]) or 0.0 for system in of if system.startswith("xbind T=")]
    return [
        judged("mean setup latency at the lowest rate, xbind T=1 / sequential",
               quotient(low("xbind T=1"), low("sequential")), "<=", LATENCY_RATIO_MAX),
        judged("highest throughput, best T / sequential",
               quotient(max(fixed, default=None), sequential), ">=", THROUGHPUT_RATIO_MIN),
    ]


def quotient(above, below):
    return above / below if above is not None and below else None


def judged(what, measured, relation, bound):
    met = measured is not None and (measured <= bound if relation == "<=" else measured >= bound)
    return {"what": what, "measured": measured, "wanted": f"{relation} {bound:g}", "met": met}


def median_interval(values, confidence=CONFIDENCE):
    """(median, low, high, confidence reached) by order statistics: true whatever the distribution.

    The narrowest symmetric pair of order statistics between which the true median lies with at least
    this probability; with too few values (below six for 95 %) the smallest and the greatest, and the
    probability says what that is worth.
    """
    ordered = sorted(values)
    count = len(ordered)
    if count == 0:
        raise ValueError("a median of nothing")
    # P(the median is below the k-th smallest) = P(fewer than k of n coins show heads), k from 1.
    skipped = 0
    tail = 1 / 2**count
    while skipped + 1 <= (count - 1) // 2:
        more = tail + math.comb(count, skipped + 1) / 2**count
        if 1 - 2 * more < confidence:
            break
        skipped, tail = skipped + 1, more
    return (statistics.median(ordered), ordered[skipped], ordered[count - 1 - skipped],
            max(0.0, 1 - 2 * tail))


def comparisons(points, fixed):
    """For each load and fixed threshold: the ratio of the mean latencies, adaptive / fixed, in pairs of
    the same round. Pairs in which either had no call connected tell nothing and are left out.
    """
    compared = []
    for load in sorted({point["load"] for point in points}):
        here = {(point["system"], point["round"]): point for point in points if point["load"] == load}
        for threshold in fixed:
            ratios = []
            for round_number in sorted({number for _, number in here}):
                pair = [here.get((system, round_number)) for system in ("adaptive", threshold)]
                if all(point and point["connected"] for point in pair):
                    ratios.append(pair[0]["mean_ms"] / pair[1]["mean_ms"])
            if ratios:
                median, low, high, reached = median_interval(ratios)
                asked = next(iter(here.values()))["asked"]
                compared.append({"load": load, "asked": asked, "against": threshold,
                                 "pairs": len(ratios), "median": median, "low": low, "high": high,
                                 "confidence": reached})
    return compared


# Caches


def metrics_of(status):
    """The counters that `xbindctl status` prints, a name and a whole number a line."""
    rows = (line.split() for line in status.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def cache_of(result, samples, ports):
    """Hit ratio, and labels in stock per port against calls up; `ports` is how many have a cache."""
    up = [sample for sample in samples if sample["connections"] > 0]
    labels = statistics.fmean(sample["labels_cached"] / ports for sample in up) if up else None
    active = statistics.fmean(sample["connections"] for sample in up) if up else None
    return {"hit_ratio": result["label_cache_hit_ratio"], "labels_per_port": labels,
            "calls_up": active, "labels_per_call": quotient(labels, active)}


# Words


def text_of(results):
    """A sweep's results as a table."""
    if results["sweep"] == "engines":
        lines = ["Latency of setups in ms, from the moment meant to the answer; rates in calls/s",
                 point_heading(), *map(point_line, results["points"]), "",
                 "Highest throughput that was carried"]
        for system in dict.fromkeys(point["system"] for point in results["points"]):
            highest = highest_throughput([p for p in results["points"] if p["system"] == system])
            lines.append(f"{system:<18}{number(highest, 0):>9} calls/s")
        lines += ["", "Measured against wanted"]
        lines += [f"{row['what']:<64}{number(row['measured'], 2):>8}   {row['wanted']:<8}"
                  f"{'met' if row['met'] else 'MISSED'}" for row in results["ratios"]]
    elif results["sweep"] == "adaptive":
        lines = [f"Mean setup latency, adaptive / fixed T: median of pairs [interval]; saturation at "
                 f"{results['highest_setups_per_s']:.0f} calls/s",
                 f"{'calls/s':>9}  {'against':<8}{'pairs':>6}{'median':>8}   interval"]
        lines += [f"{row['asked']:>9.0f}  T={row['against']:<6}{row['pairs']:>6}{row['median']:>8.3f}   "
                  f"[{row['low']:.3f}, {row['high']:.3f}] at {100 * row['confidence']:.1f} %"
                  for row in results["comparisons"]]
    else:
        lines = ["Label caches, competitive", cache_heading(), *map(cache_line, results["points"])]
    return "\n".join(lines)


def point_heading():
    return f"{'':<18}{'offered':>9}{'achieved':>9}{'mean':>9}{'p5':>9}{'p50':>9}{'p95':>9}{'p99':>9}"


def point_line(point):
    remark = "" if carried(point) else "  saturated"
    if point["void"]:
        remark += "  generator late"
    if not point["clean"]:
        remark += "  AUDIT NOT CLEAN"
    latencies = "".join(f"{point[name + '_ms']:>9.3f}" for name in ("mean", "p5", "p50", "p95", "p99"))
    return f"{point['system']:<18}{point['offered']:>9.0f}{point['achieved']:>9.0f}{latencies}{remark}"


def cache_heading():
    return (f"{'':<18}{'calls/s':>9}{'hit ratio':>11}{'labels/port':>13}{'calls up':>10}"
            f"{'labels/call':>13}")


def cache_line(point):
    return (f"{point['system']:<18}{point['asked']:>9.0f}{point['hit_ratio']:>11.4f}"
            f"{number(point['labels_per_port'], 1):>13}{number(point['calls_up'], 0):>10}"
            f"{number(point['labels_per_call'], 3):>13}")


def number(value, places):
    return "-" if value is None else f"{value:.{places}f}"
