"""./quickstart --sweep NAME: many short runs of callgen, for one comparison.

  engines   each engine and threshold in a lab of its own, at rising rates until it saturates
  adaptive  the adaptive threshold against fixed ones in one lab, in interleaved pairs
  cache     hit ratio and size of the label caches, steady load
  throughput, scale, wide, managers   what the system carries, and at what cost: see speed.py
  sip       SIPp through three Kamailio proxies, to compare with: see sip.py

Figures depend on the machine; nothing here is a test. Exit code 0 when every audit was clean. What
reckons stands in sweep_figures.py.
"""

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path

from . import sip
from . import speed
from . import speed_figures
from . import sweep_figures as figures
from .load import Load, callgen
from .process import LabError

SWEEPS = ["engines", "adaptive", "cache", *speed.NAMES, "sip"]

# Room for what a saturated run piles up: neither labels nor bandwidth may be what saturates.
ROOMY = {"labels_per_port": 20_000, "cells_per_s": 10}
THRESHOLDS = [1, 4, 10, 15]

ENGINE_RATES = [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
POINT_S = 5.0  # how long calls are offered at each rate
POINT_CALLS_MIN = 300
HOLD_S = 0.05

PAIRS = 9
PAIR_S = 2.0
PAIR_CALLS_MIN = 60
WARM_UP_S = 0.5  # after a switch of the aggregation: nobody's figure
FLUSH_TIMEOUT_MS = 5

CACHE_POINTS = [(50.0, 5), (50.0, 15), (100.0, 5), (100.0, 15)]  # calls/s, T
CACHE_HOLD_S = 5.0
CACHE_WARM_UP_S = 10.0
CACHE_S = 40.0


def run(name, in_own_lab, json_file, scheduling):
    """`in_own_lab(load)`: a lab for this load, as a context. Writes the results to json_file if any."""
    about = {"schema": "xbind.sweep/1", "sweep": name, "processors": os.cpu_count(), "scheduling": scheduling}
    if name in speed.NAMES:
        results = {**about, **speed.measure(name, in_own_lab)}
        text = "Measured against wanted\n" + speed_figures.text_of(results["goals"])
    elif name == "sip":
        results = {**about, **sip.measure()}
        text = (f"SIPp through three stateful Kamailio proxies: {results['highest_calls_per_s']} calls/s, "
                f"{results['highest_operations_per_s']} operations/s")
    else:
        of_name = {"engines": engines, "adaptive": adaptive, "cache": cache}[name]
        results = {**about, **of_name(in_own_lab)}
        text = figures.text_of(results)
    print()
    print(text)
    if json_file:
        json_file.write_text(json.dumps(results, indent=1) + "\n")
    clean = results["clean"] if "clean" in results else all(p["clean"] for p in results["points"])
    return 0 if clean else 1


# Engines


def engines(in_own_lab):
    points = []
    for engine in ("sequential", "threaded"):
        points += saturate(in_own_lab, engine, Load(engine=engine, **ROOMY))
    for threshold in (*map(str, THRESHOLDS), "adaptive"):
        load = Load(engine="xbind", threshold=threshold, **ROOMY)
        points += saturate(in_own_lab, system_name(threshold), load)
    return {"points": points, "ratios": figures.engine_ratios(points)}


def system_name(threshold):
    return f"xbind T={threshold}" if threshold.isdigit() else f"xbind {threshold}"


def saturate(in_own_lab, system, load):
    """Points of one system at rising rates, the last ones around the highest that it carries."""
    points = []
    with in_own_lab(load) as lab:
        while (rate := figures.next_rate(points, ENGINE_RATES)) is not None:
            calls = max(POINT_CALLS_MIN, round(rate * POINT_S))
            result = offer(lab, dataclasses.replace(load, rate=rate, calls=calls, hold=HOLD_S))
            points.append({"system": system, **figures.point_of(result)})
            print("  " + figures.point_line(points[-1]))
            if not points[-1]["clean"] or points[-1]["unanswered"]:
                break  # the lab is not what it was: no more can be learnt from it
    return points


# Adaptive against fixed


def adaptive(in_own_lab):
    load = Load(engine="xbind", threshold=str(max(THRESHOLDS)), **ROOMY)
    highest = figures.highest_throughput(saturate(in_own_lab, "the highest load", load))
    if highest is None:
        raise LabError("not even the lowest rate was carried: there is nothing to compare")
    points = []
    modes = ["adaptive", *map(str, THRESHOLDS)]
    with in_own_lab(load) as lab:
        for number, rate in enumerate(figures.loads_up_to(highest)):
            for round_number in range(PAIRS):
                # Each round begins with another mode, so that no mode always follows the same one.
                start = round_number % len(modes)
                for mode in modes[start:] + modes[:start]:
                    points.append(paired(lab, load, mode, rate)
                                  | {"load": number, "round": round_number})
            print(f"  load {number + 1} of 6, {rate:.0f} calls/s: {PAIRS} rounds done")
    return {"highest_setups_per_s": highest, "points": points,
            "comparisons": figures.comparisons(points, list(map(str, THRESHOLDS)))}


def paired(lab, load, mode, rate):
    switch_aggregation(lab, mode)
    warm = dataclasses.replace(load, rate=rate, hold=HOLD_S, calls=max(10, round(rate * WARM_UP_S)))
    offer(lab, warm)
    calls = max(PAIR_CALLS_MIN, round(rate * PAIR_S))
    return {"system": mode, **figures.point_of(offer(lab, dataclasses.replace(warm, calls=calls)))}


def switch_aggregation(lab, mode):
    chosen = ["--mode", "fixed", "--threshold", mode] if mode.isdigit() else ["--mode", mode]
    for manager in lab.manager_names():
        lab.ask("xbindctl", "--manager", manager, "aggregation", *chosen,
                "--flush-timeout-ms", str(FLUSH_TIMEOUT_MS))


# Label caches


def cache(in_own_lab):
    points = []
    for rate, threshold in CACHE_POINTS:
        load = Load(engine="xbind", threshold=str(threshold), label_policy="competitive",
                    rate=rate, hold=CACHE_HOLD_S, labels_per_port=2000)
        with in_own_lab(load) as lab:
            offer(lab, dataclasses.replace(load, calls=round(rate * CACHE_WARM_UP_S)))
            with sampled(lab, begin_s=2 * CACHE_HOLD_S, end_s=CACHE_S) as samples:
                result = offer(lab, dataclasses.replace(load, calls=round(rate * CACHE_S), seed=2))
            points.append({"system": system_name(str(threshold)), **figures.point_of(result),
                           **figures.cache_of(result, samples, len(lab.switches) - 1)})
        print("  " + figures.cache_line(points[-1]))
    return {"points": points}


@contextlib.contextmanager
def sampled(lab, begin_s, end_s):
    """A list that fills with the manager's counters, one a second, from begin_s to end_s after the
    block began or until it ends."""
    samples, over = [], threading.Event()

    def sample():
        wait_s, seconds = begin_s, begin_s
        while seconds < end_s and not over.wait(wait_s):
            samples.append(figures.metrics_of(lab.ask("xbindctl", "status")))
            wait_s, seconds = 1.0, seconds + 1.0

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        sampling = pool.submit(sample)
        try:
            yield samples
        finally:
            over.set()
        sampling.result()  # raises what the thread met


# Runs


def offer(lab, load):
    """One quiet run of callgen; its JSON. Whatever came of the calls is a result."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "run.json"
        command = callgen(lab, dataclasses.replace(load, json=file), ["--quiet"])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if not file.exists():
            raise LabError(f"xbind-callgen ended with exit code {done.returncode} and wrote no "
                           f"summary: {done.stderr.strip()}")
        return json.loads(file.read_text())
