#!/usr/bin/env python3
"""The processor time that a SwitchServer takes to compare its switch's table with its ledger in the
background. A benchmark, not a test: docs/performance.md, "Comparisons in the background".

  table_rounds_bench.py [--calls N] [--seconds N] [--json FILE]

N standing calls over three switches; then nothing happens for that time. The interval of a round
is one second, which only the bound of one percent of a core stretches; and, to compare, no rounds.
"""

import argparse
import json
import os
import threading
import time
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVERS = [f"xbind-switchserver/{node}" for node in (CALLER, MIDDLE, CALLEE)]
FIGURES = ("table_rounds", "table_entries_compared", "drift_put_back")


def processor_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figures(lab):
    done = tool(lab, "xbindctl", "ports", MIDDLE, "--json")
    return json.loads(done.stdout)["comparison"]


def measured(calls, seconds, interval_ms):
    more = {"xbind-switchserver": [(None, "table-round-ms", str(interval_ms))]}
    with lab_up(labels_per_port=65_504, more=more) as lab:
        load = threading.Thread(target=tool, args=(
            lab, "xbind-callgen", "run", "--rate", "1000", "--calls", str(calls), "--hold",
            str(seconds + calls / 1000 + 15), "--cells-per-s", "1", "--quiet"),
            kwargs={"timeout": 300})
        load.start()
        wait_until(lambda: counter(tool(lab, "xbindctl", "status").stdout, "connections") >= calls,
                   "the calls stand", 60)
        pids = {name: lab.processes[name].pid for name in SERVERS}
        before = {name: processor_s(pid) for name, pid in pids.items()}
        begun = time.monotonic()
        time.sleep(seconds)  # the time that is measured
        took = time.monotonic() - begun
        share = {name: (processor_s(pid) - before[name]) / took for name, pid in pids.items()}
        last = figures(lab)
        load.join()
    return {"interval_ms": interval_ms, "calls": calls, "seconds": took, "share_of_a_core": share,
            "comparison_at_" + MIDDLE: last}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    runs = [measured(options.calls, options.seconds, interval_ms) for interval_ms in (0, 1000)]
    for one in runs:
        print(one["interval_ms"], {name: f"{100 * share:.2f} %"
                                   for name, share in one["share_of_a_core"].items()},
              one["comparison_at_" + MIDDLE])
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1) + "\n")


if __name__ == "__main__":
    main()
