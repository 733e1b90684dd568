"""The results of sweeps held against their goals. Pure, so that tests can feed it."""

import statistics

GOALS = {  # of each goal: what is measured, the figure wanted, and whether less is better
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
    "engines": [
        ("mean setup latency at the lowest rate, xbind T=1 over sequential", 0.5, True),
        ("calls carried a second, best T over sequential", 6.0, False),
    ],
    "wide": [("hop commands a second, 128 switches over three", 0.8, False)],
    "managers": [("operations a second, two managers over one", 0.95, False),
                 ("operations a second, four managers over one", 0.95, False)],
    "recovery": [
        ("seconds of an audit, the longest of five, without load", 2.0, True),
        ("... of the plan of a repair", 2.0, True),
        ("... of an audit, with calls set up and released meanwhile", 4.0, True),
        ("... of the plan of a repair", 4.0, True),
        ("seconds until a killed manager serves again, with all its calls", 5.0, True),
        ("seconds until a killed SwitchServer does", 5.0, True),
        ("... with five of eight SwitchServers stopped, until another is attached", 2.0, True),
        ("seconds of an audit meanwhile", 2.0, True),
    ],
    "ovs": [
        ("Add Branch a second through GSMP over ovs-ofctl --bundle, median of rounds", 0.3, False),
        ("median setup latency over two idle bridges, ms", 2.0, True),
    ],
}


def goals(name, results):
    """[{what, measured, wanted, met}]; measured None: there was nothing to measure it by."""
    measured = {"throughput": throughput, "scale": scale, "engines": engines,
                "wide": compared, "managers": compared, "recovery": recovery,
                "ovs": real_switches}[name](results)
    return [{"what": what, "measured": value, "wanted": wanted, "at_most": at_most,
             "met": value is not None and (value <= wanted if at_most else value >= wanted)}
            for (what, wanted, at_most), value in zip(GOALS[name], measured)]


def throughput(results):
    highest = results["highest"]
    floors = [floor["floor"]["ceiling_operations_per_s"] for floor in results["floors"]]
    floor = results["low_load"]["floor"]
    tails = [run["setup_latency_us"]["p99"] / 1000 for run in results["tails"]]
    return [highest["best"]["call_operations_per_s"] if highest["confirmed"] else None,
            results["ceiling"]["operations_per_s"] / statistics.mean(floors),
            floor.get("run_over_floor_setup_p50"), floor.get("run_over_floor_setup_p99"),
            statistics.median(tails) if tails else None]


def engines(results):
    searches = results["searches"]

    def carried(system):
        return searches[system].get("best", {}).get("carried_per_s")
    fixed = [carried(system) or 0.0 for system in searches if system.startswith("xbind T=")]
    return [quotient(idle_mean_us(searches["xbind T=1"]), idle_mean_us(searches["sequential"])),
            quotient(max(fixed), carried("sequential"))]


def idle_mean_us(search):
    """The mean setup latency at the lowest rate of a search; None: no call was connected there."""
    runs = [point["run"] for point in sorted(search["points"], key=lambda point: point["rate"])
            if point["verdict"]]
    return runs[0]["setup_mean_us"] if runs and runs[0]["connected"] else None


def clean_search(search):
    return all(point["run"]["audit_clean"] for point in search["points"])


def quotient(above, below):
    return above / below if above is not None and below else None


def compared(results):
    return [comparison["line"]["ratio"] for comparison in results["comparisons"]]


def recovery(results):
    return [*(max(of) for load in ("idle", "loaded") for of in results[load].values()),
            results["manager_s"], results["switchserver_s"], results["attached_s"],
            results["silent_audit_s"]]


def real_switches(results):
    ratios = [one["adds_per_s"] / one["ofctl_adds_per_s"] for one in results["rounds"]]
    return [statistics.median(ratios), results["idle"]["setup_latency_us"]["p50"] / 1000]


def fastest(points, system):
    """The number of requests under way with which a system completes most: the median of rounds."""
    rounds = {}
    for point in points:
        if point["system"] == system:
            rounds.setdefault(point["outstanding"], []).append(point["operations_per_s"])
    return max(rounds, key=lambda outstanding: statistics.median(rounds[outstanding]))


def without_bulk(value):
    """A JSON value without what only pictures need: histograms and series of every run."""
    if isinstance(value, dict):
        return {key: without_bulk(of) for key, of in value.items()
                if key not in ("histograms_ns", "series")}
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


# Lines


def highest_line(search):
    if not search["confirmed"]:
        return "no rate was carried"
    return (f"highest rate carried: {search['rate']:.0f} calls/s, "
            f"{search['best']['call_operations_per_s']:.0f} operations/s")


def ceiling_line(ceiling):
    commands_per_s = ceiling["operations_per_s"] * ceiling["commands_per_operation"]
    return (f"closed loop, {ceiling['outstanding']} under way: "
            f"{ceiling['operations_per_s']:.0f} operations/s, {commands_per_s:.0f} hop commands/s"
            + ("" if ceiling["audit_clean"] else ", NOT CLEAN"))


def run_line(run):
    latency = run["setup_latency_us"]
    return (f"{run['offered_setups_per_s']:.0f} calls/s: setup p50 {latency['p50'] / 1000:.2f} ms, "
            f"p99 {latency['p99'] / 1000:.2f} ms")


def scale_line(point, memory):
    cpu = " + ".join(f"{us:.2f}" for us in point["cpu_us_per_operation"].values() if us >= 0.005)
    megabytes = ", ".join(f"{program.removeprefix('xbind-')} {octets / 1e6:.0f}"
                          for program, octets in memory.items() if program.startswith("xbind-"))
    all_us = sum(point["cpu_us_per_operation"].values())
    return f"{point['up']} up: {all_us:.2f} us an operation ({cpu}); MB: {megabytes}"


def text_of(all_goals):
    lines = ["Measured against wanted"]
    for goal in all_goals:
        measured = "-" if goal["measured"] is None else f"{goal['measured']:.4g}"
        bound = "at most" if goal["at_most"] else "at least"
        lines.append(f"  {goal['what']:<70} {measured:>10}   {bound} {goal['wanted']:<8g} "
                     f"{'met' if goal['met'] else 'MISSED'}")
    return "\n".join(lines)
