#!/usr/bin/env python3
"""What setups cost while RouteObject hangs, against one that is dead. A benchmark, not a test:
docs/performance.md, "RouteObject that hangs".

  routeobject_bench.py [--pairs N] [--json FILE]

Each run is a lab of its own: 200 calls/s for 14 s, each held for 0.2 s; after 2 s RouteObject is
killed (SIGKILL) or stopped (SIGSTOP). The two kinds of run alternate, and so does which of a pair
comes first. The rule: the median over the pairs of p99(stopped) / p99(dead) is at most 1.5.
"""

import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RATE, SECONDS, HOLD, AFTER = 200, 14, 0.2, 2
SIGNALS = {"dead": signal.SIGKILL, "stopped": signal.SIGSTOP}
WANTED = 1.5


def measured(how):
    """The setups of one run: their latencies in microseconds and their outcomes."""
    # The lab's own end is not judged: a dead RouteObject has no orderly exit.
    with planned_lab() as lab, tempfile.TemporaryDirectory() as directory:
        lab.up()
        process = lab.processes["xbind-routeobject"]
        report = Path(directory) / "run.json"
        run_of_calls = threading.Thread(target=tool, args=(
            lab, "xbind-callgen", "run", "--rate", str(RATE), "--duration", str(SECONDS), "--hold",
            str(HOLD), "--quiet", "--json", str(report)))
        run_of_calls.start()
        time.sleep(AFTER)  # the load begins meanwhile; the moment is part of what is measured
        os.kill(process.pid, SIGNALS[how])
        run_of_calls.join()
        if how == "stopped":
            os.kill(process.pid, signal.SIGCONT)
        else:
            lab.processes.pop("xbind-routeobject")
            process.popen.wait()
        result = json.loads(report.read_text())
    latency = result["kinds"]["setup"]["latency_us"]
    return {"how": how, **{key: latency[key] for key in ("p50", "p90", "p99", "max")},
            "setups": result["setups"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    pairs = []
    for number in range(options.pairs):
        order = ("dead", "stopped") if number % 2 == 0 else ("stopped", "dead")
        pair = {how: measured(how) for how in order}
        pairs.append({"order": order, **pair})
        print(f"pair {number + 1}: " + ", ".join(
            f"{how} p50 {pair[how]['p50'] / 1e3:.2f} p99 {pair[how]['p99'] / 1e3:.2f} "
            f"max {pair[how]['max'] / 1e3:.2f} ms" for how in order), flush=True)
    ratios = [pair["stopped"]["p99"] / pair["dead"]["p99"] for pair in pairs]
    median = statistics.median(ratios)
    print(f"p99 stopped / dead: median {median:.2f} of {len(ratios)} pairs, "
          f"{min(ratios):.2f} to {max(ratios):.2f}; wanted at most {WANTED}")
    if options.json:
        options.json.write_text(json.dumps(
            {"rate": RATE, "seconds": SECONDS, "hold_s": HOLD, "wanted": WANTED, "pairs": pairs,
             "ratios": ratios, "median": median}, indent=1) + "\n")
    return 0 if median <= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
