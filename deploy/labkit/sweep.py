"""./quickstart --sweep NAME: many short runs of callgen, for one comparison.

  engines   each engine and threshold in a lab of its own: the highest rate that it carries
  adaptive  the adaptive threshold against fixed ones in one lab, in interleaved pairs
  cache     hit ratio and size of the label caches, steady load
  throughput, scale, wide, managers   what the system carries, and at what cost: see speed.py
  recovery  audits, repairs and the return of killed daemons with 100 000 connections up
  ovs       Open vSwitch bridges: Add Branch through GSMP, and calls over two of them; needs root
  sip       SIPp through three Kamailio proxies, to compare with: see sip.py

Figures depend on the machine; nothing here is a test. Exit code 0 when every audit was clean.
`xbind-callgen saturate` searches for the highest rates and `xbind-callgen compare` compares runs;
sweep_figures.py makes the tables.
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

from . import real_switches
from . import recovery
from . import sip
from . import speed
from . import speed_figures
from . import sweep_figures as figures
from .load import Load, callgen
from .process import LabError

SWEEPS = ["engines", "adaptive", "cache", *speed.NAMES, "recovery", "ovs", "sip"]

# Room for what a saturated run piles up: neither labels nor bandwidth may be what saturates.
ROOMY = {"labels_per_port": 20_000, "cells_per_s": 10}
THRESHOLDS = [1, 4, 10, 15]

# The search of `saturate`: from an idle system on, each rate for 5 s, until a call is not answered
# or less than 95 % of the calls are carried.
SEARCH = ("--rates", "20,50,100,200,500,1000,2000", "--growth", 1.5, "--lowest-rate", 20,
          "--precision", "10%", "--point-seconds", 5, "--confirm", 5,
          "--objective", "carried>=95%,unanswered=0")
HOLD_S = 0.05

PAIRS = 9
PAIR_S = 2.0
PAIR_CALLS_MIN = 60
WARM_UP_S = 0.5  # after a switch of the aggregation; not measured
FLUSH_TIMEOUT_MS = 5

CACHE_POINTS = [(50.0, 5), (50.0, 15), (100.0, 5), (100.0, 15)]  # calls/s, T
CACHE_HOLD_S = 5.0
CACHE_WARM_UP_S = 10.0
CACHE_S = 40.0


def run(name, in_own_lab, json_file, scheduling):
    """Runs a sweep; `in_own_lab(load)` is a context with a lab for this load. Writes the results to
    json_file, if there is one."""
    results = {"schema": "xbind.sweep/2", "sweep": name, "processors": os.cpu_count(),
               "scheduling": scheduling}
    if name == "sip":
        results |= sip.measure()
        text = (f"SIPp through three stateful Kamailio proxies: "
                f"{results['highest_calls_per_s']:.0f} calls/s, "
                f"{results['highest_operations_per_s']:.0f} operations/s")
    elif name in speed.NAMES:
        results |= speed.measure(name, in_own_lab)
        text = speed_figures.text_of(results["goals"])
    elif name in ("recovery", "ovs"):
        measure = {"recovery": recovery.measure, "ovs": real_switches.measure}[name]
        results |= measure(in_own_lab)
        text = speed_figures.text_of(results["goals"])
    else:
        results |= {"engines": engines, "adaptive": adaptive, "cache": cache}[name](in_own_lab)
        text = figures.text_of(results)
    print()
    print(text)
    if json_file:
        json_file.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if results["clean"] else 1


# Engines


def engines(in_own_lab):
    searches = {}
    for engine in ("sequential", "threaded"):
        searches[engine] = saturate(in_own_lab, engine, Load(engine=engine, **ROOMY))
    for threshold in (*map(str, THRESHOLDS), "adaptive"):
        load = Load(engine="xbind", threshold=threshold, **ROOMY)
        searches[system_name(threshold)] = saturate(in_own_lab, system_name(threshold), load)
    return {"searches": searches, "goals": speed_figures.goals("engines", {"searches": searches}),
            "clean": all(map(speed_figures.clean_search, searches.values()))}


def system_name(threshold):
    return f"xbind T={threshold}" if threshold.isdigit() else f"xbind {threshold}"


def saturate(in_own_lab, system, load):
    """The highest rate that a system carries, as `xbind-callgen saturate` writes it."""
    print(f"[{system}]")
    with in_own_lab(load) as lab:
        return speed.command(lab, load, "saturate", *SEARCH, "--hold", HOLD_S, show=True)


# Adaptive against fixed


def adaptive(in_own_lab):
    load = Load(engine="xbind", threshold=str(max(THRESHOLDS)), **ROOMY)
    search = saturate(in_own_lab, "the highest load", load)
    if not search["rate"]:
        raise LabError("not even the lowest rate was carried: there is nothing to compare")
    modes = ["adaptive", *map(str, THRESHOLDS)]
    points, compared = [], []
    with in_own_lab(load) as lab, tempfile.TemporaryDirectory() as directory:
        for number, rate in enumerate(figures.loads_up_to(search["rate"])):
            files = {mode: [] for mode in modes}
            for round_number in range(PAIRS):
                # Each round begins with another mode, so that no mode always follows the same one.
                start = round_number % len(modes)
                for mode in modes[start:] + modes[:start]:
                    file = Path(directory) / f"load{number}-{mode}-{round_number}.json"
                    result = paired(lab, load, mode, rate, file)
                    files[mode].append(file)
                    points.append({"system": mode, "load": number, "round": round_number,
                                   **figures.point_of(result)})
            for mode in modes[1:]:
                compared.append({"asked": rate, "against": mode,
                                 **speed.compare(lab, files[mode], files["adaptive"], "mean")})
            print(f"  load {number + 1} of 6, {rate:.0f} calls/s: {PAIRS} rounds done")
    return {"search": search, "points": points, "comparisons": compared,
            "clean": speed_figures.clean_search(search) and all(p["clean"] for p in points)}


def paired(lab, load, mode, rate, file):
    switch_aggregation(lab, mode)
    warm = dataclasses.replace(load, rate=rate, hold=HOLD_S, calls=max(10, round(rate * WARM_UP_S)))
    offer(lab, warm)
    calls = max(PAIR_CALLS_MIN, round(rate * PAIR_S))
    return offer(lab, dataclasses.replace(warm, calls=calls), file)


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
    return {"points": points, "clean": all(point["clean"] for point in points)}


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


def offer(lab, load, file=None):
    """One quiet run of callgen; its JSON, which also stays in `file` if one is given. No outcome of
    the calls is an error here."""
    with tempfile.TemporaryDirectory() as directory:
        file = file or Path(directory) / "run.json"
        command = callgen(lab, dataclasses.replace(load, json=file), ["--quiet"])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if not file.exists():
            raise LabError(f"xbind-callgen ended with exit code {done.returncode} and wrote no "
                           f"summary: {done.stderr.strip()}")
        return json.loads(file.read_text())
