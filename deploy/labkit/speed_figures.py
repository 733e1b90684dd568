"""What speed.py's runs say: pure, so that tests can feed it."""

import statistics

TOLD = {  # of each goal: what is measured, the figure wanted, and whether less is better
    "throughput": [
        ("call operations a second, open load", 100_000, False),
        ("share of null servants' ceiling, closed loops with the same batches", 0.30, False),
        ("median setup latency at 100 calls/s over that of null servants", 2.0, True),
        ("99th percentile of the same", 5.0, True),
        ("99th percentile at 80 % of the highest rate, ms, median of runs", 5.0, True),
    ],
    "scale": [
        ("processor time for an operation with 1 000 000 up over 1 000 up", 1.2, True),
        ("manager, octets for a connection", 400, True),
        ("SwitchServer, octets for a cross-connect", 200, True),
        ("emulated switch, octets for a cross-connect", 100, True),
    ],
    "wide": [("hop commands a second, 128 switches over three", 0.8, False)],
    "managers": [("operations a second, two managers over one", 0.95, False),
                 ("operations a second, four managers over one", 0.95, False)],
}


def goals(name, results):
    """[{what, measured, wanted, met}]; measured None: there was nothing to measure it by."""
    measured = {"throughput": throughput, "scale": scale, "wide": wide, "managers": managers}[name](results)
    return [{"what": what, "measured": value, "wanted": wanted, "at_most": at_most,
             "met": value is not None and (value <= wanted if at_most else value >= wanted)}
            for (what, wanted, at_most), value in zip(TOLD[name], measured)]


def throughput(results):
    best = best_of(results["highest"])
    floors = [floor["floor"]["ceiling_operations_per_s"] for floor in results["floors"]]
    floor = results["low_load"]["floor"]
    tails = [run["setup_latency_us"]["p99"] / 1000 for run in results["tails"]]
    return [best["operations_per_s"] if best else None,
            results["ceiling"]["operations_per_s"] / statistics.mean(floors),
            floor.get("run_over_floor_setup_p50"), floor.get("run_over_floor_setup_p99"),
            statistics.median(tails) if tails else None]


def best_of(search):
    """{rate, operations_per_s} of what `saturate` has confirmed, or None."""
    if not search["confirmed"]:
        return None
    run = [point["run"] for point in search["points"]
           if point["kind"] == "confirm" and point["rate"] == search["rate"]][-1]
    return {"rate": search["rate"], "operations_per_s": run["call_operations_per_s"]}


def without_bulk(value):
    """A JSON value without what only pictures need: histograms and series of every run."""
    if isinstance(value, dict):
        return {key: without_bulk(of) for key, of in value.items() if key not in ("histograms_ns", "series")}
    if isinstance(value, list):
        return [without_bulk(of) for of in value]
    return value


def scale(results):
    first, last = results["points"][0], results["points"][-1]
    ratio = sum(last["cpu_us_per_operation"].values()) / sum(first["cpu_us_per_operation"].values())
    memory = {int(up): of for up, of in results["memory_octets"].items()}
    few, many = first["up"], last["up"]
    each = [(memory[many][program] - memory[few][program]) / (many - few)
            for program in ("xbind-cmgr", "xbind-switchserver", "xbind-switch")]
    return [ratio, *each]


def wide(results):
    def hop_commands(network):
        return best_median(results, {"network": network},
                           lambda point: point["operations_per_s"] * point["commands_per_operation"])
    return [hop_commands("wide") / hop_commands("three")]


def managers(results):
    def operations(count):
        return best_median(results, {"count": count}, lambda point: point["operations_per_s"])
    return [operations(count) / operations(1) for count in (2, 4)]


def best_median(results, wanted, speed):
    """Over the rounds of each number of requests under way, of the points that are as `wanted`."""
    rounds = {}
    for point in results["points"]:
        if wanted.items() <= point.items():
            rounds.setdefault(point["outstanding"], []).append(speed(point))
    return max(map(statistics.median, rounds.values()))


# Lines


def highest_line(best):
    if best is None:
        return "no rate was carried"
    return f"highest rate carried: {best['rate']:.0f} calls/s, {best['operations_per_s']:.0f} operations/s"


def ceiling_line(ceiling):
    return (f"closed loop, {ceiling['outstanding']} under way: {ceiling['operations_per_s']:.0f} operations/s, "
            f"{ceiling['operations_per_s'] * ceiling['commands_per_operation']:.0f} hop commands/s"
            + ("" if ceiling["audit_clean"] else ", NOT CLEAN"))


def run_line(run):
    latency = run["setup_latency_us"]
    return (f"{run['offered_setups_per_s']:.0f} calls/s: setup p50 {latency['p50'] / 1000:.2f} ms, "
            f"p99 {latency['p99'] / 1000:.2f} ms")


def scale_line(point, memory):
    cpu = " + ".join(f"{us:.2f}" for us in point["cpu_us_per_operation"].values() if us >= 0.005)
    megabytes = ", ".join(f"{program.removeprefix('xbind-')} {octets / 1e6:.0f}"
                          for program, octets in memory.items() if program.startswith("xbind-"))
    return (f"{point['up']} up: {sum(point['cpu_us_per_operation'].values()):.2f} us an operation ({cpu}); MB: {megabytes}")


def text_of(goals_told):
    lines = []
    for goal in goals_told:
        measured = "-" if goal["measured"] is None else f"{goal['measured']:.4g}"
        bound = "at most" if goal["at_most"] else "at least"
        lines.append(f"  {goal['what']:<70} {measured:>10}   {bound} {goal['wanted']:<8g} "
                     f"{'met' if goal['met'] else 'MISSED'}")
    return "\n".join(lines)
