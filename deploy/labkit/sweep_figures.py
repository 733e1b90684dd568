"""The tables of ./quickstart --sweep engines, adaptive and cache, from the JSON of callgen.

Nothing here starts a process or looks at a clock.
"""

import statistics

from . import speed_figures

IDLE_CALLS_PER_S = 20.0
LOADS = [0.05, 0.25, 0.5, 0.75, 0.95]  # of the highest rate; before them, idle


def loads_up_to(highest):
    """Six loads in calls/s, from idle to just below saturation."""
    return [IDLE_CALLS_PER_S, *(part * highest for part in LOADS)]


def point_of(result):
    """What a sweep keeps of a run."""
    return {"asked": result["offered_setups_per_s"], "connected": result["setups"]["connected"],
            "mean_ms": result["setup_latency_us"]["mean"] / 1000,
            "void": result["verdict"]["void"], "clean": result["audit"]["clean"]}


# Caches


def metrics_of(status):
    """The counters that `xbindctl status` prints, a name and a whole number a line."""
    rows = (line.split() for line in status.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def cache_of(result, samples, ports):
    """Hit ratio, and labels cached per port over calls up; `ports` is the number of caches."""
    up = [sample for sample in samples if sample["connections"] > 0]
    labels = statistics.fmean(sample["labels_cached"] / ports for sample in up) if up else None
    active = statistics.fmean(sample["connections"] for sample in up) if up else None
    return {"hit_ratio": result["label_cache_hit_ratio"], "labels_per_port": labels,
            "calls_up": active, "labels_per_call": labels / active if up else None}


# Words


def text_of(results):
    """A sweep's results as a table."""
    if results["sweep"] == "engines":
        return "\n".join([
            "Mean setup latency in ms, from the moment meant to the answer; rates in calls/s",
            f"{'':<18}{'highest':>9}{'carried':>9}{'mean':>9}{'idle':>9}",
            *(search_line(system, search) for system, search in results["searches"].items()), "",
            speed_figures.text_of(results["goals"])])
    if results["sweep"] == "adaptive":
        return "\n".join([
            f"Mean setup latency, adaptive / fixed T: median of pairs [interval]; saturation at "
            f"{results['search']['rate']:.0f} calls/s",
            f"{'calls/s':>9}  {'against':<8}{'pairs':>6}{'median':>8}   interval",
            *map(comparison_line, results["comparisons"])])
    return "\n".join(["Label caches, competitive", cache_heading(),
                      *map(cache_line, results["points"])])


def search_line(system, search):
    best, idle = search.get("best", {}), speed_figures.idle_mean_us(search)
    return (f"{system:<18}{number(search['rate'] or None, 0):>9}"
            f"{number(best.get('carried_per_s'), 0):>9}"
            f"{number(milliseconds(best.get('setup_mean_us')), 3):>9}"
            f"{number(milliseconds(idle), 3):>9}"
            + ("" if speed_figures.clean_search(search) else "  AUDIT NOT CLEAN"))


def comparison_line(row):
    interval = row["interval_95"]
    interval_text = (f"[{interval[0]:.3f}, {interval[1]:.3f}] at {100 * row['confidence']:.1f} %"
            if interval else f"- ({row['method']})")
    return (f"{row['asked']:>9.0f}  T={row['against']:<6}{row['pairs']:>6}"
            f"{number(row['ratio'], 3):>8}   {interval_text}")


def cache_heading():
    return (f"{'':<18}{'calls/s':>9}{'hit ratio':>11}{'labels/port':>13}{'calls up':>10}"
            f"{'labels/call':>13}")


def cache_line(point):
    return (f"{point['system']:<18}{point['asked']:>9.0f}{point['hit_ratio']:>11.4f}"
            f"{number(point['labels_per_port'], 1):>13}{number(point['calls_up'], 0):>10}"
            f"{number(point['labels_per_call'], 3):>13}")


def milliseconds(us):
    return None if us is None else us / 1000


def number(value, places):
    return "-" if value is None else f"{value:.{places}f}"
