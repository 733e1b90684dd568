"""./quickstart --bench: the speed and size that this project promises, measured against wanted.

Times depend on the machine: they are shown. Everything else is judged: the exit code is 1 when a
call failed, an audit was not clean, or a daemon needed too much memory.
"""

import json
import subprocess
import tempfile
import time
from pathlib import Path

from . import control
from . import sweep_figures
from .load import Load, callgen
from .process import LabError

CUT = 1_000  # connections over the link that is cut
RING = Path(__file__).resolve().parents[1] / "topologies" / "ring6.toml"
TIMES = ("restored within", "median setup latency at 100/s, T = 1")  # shown, not judged
RSS_MB_MAX = 100.0
GROWTH_MB_MAX = 2.0  # growth of the allocator's own memory between two long runs


def run(in_own_lab):
    """`in_own_lab(load)`: a lab for this load, as a context."""
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        results = Path(directory)

        # 2 000 calls/s for 10 s, then on to 100 000 and 200 000 calls in the same lab.
        fast = Load(calls=20_000, rate=2000.0, threshold="10")
        with in_own_lab(fast) as lab:
            speed = measure(lab, fast, results, "2 000 calls/s for 10 s, T = 10")
            up_to_100_000 = Load(calls=80_000, rate=2000.0, threshold="10", seed=2)
            first = measure(lab, up_to_100_000, results, "on to 100 000 calls")
            up_to_200_000 = Load(calls=100_000, rate=2000.0, threshold="10", seed=3)
            second = measure(lab, up_to_200_000, results, "on to 200 000 calls")
        slow = Load(calls=1000, rate=100.0, threshold="1")
        with in_own_lab(slow) as lab:
            latency = measure(lab, slow, results, "100 calls/s, T = 1")

        ring = results / "ring.toml"
        ring.write_text(RING.read_text() + """
[[demand]]
from = "node-2"
to = "node-3"
weight = 1
""")
        held = Load(calls=CUT, rate=1000.0, hold=15.0, threshold="10", topology=ring,
                    labels_per_port=2 * CUT)
        with in_own_lab(held) as lab:
            cut, restored_s = restore(lab, held, results)

    for key, of in (("connected", "setups"), ("released", "releases")):
        rows.append((f"calls {key} of 20 000 at 2 000/s", speed[of][key], "20000",
                     speed[of][key] == 20_000))
    rows.append((f"connections over a link that is cut, of {CUT}, restored",
                 cut["notices"]["rerouted"], f"{CUT}", cut["notices"]["rerouted"] == CUT))
    rows.append(("restored within", f"{restored_s:.2f} s", "below 1 s", restored_s < 1.0))
    clean = all(result["audit"]["clean"] for result in (speed, first, second, latency, cut))
    rows.append(("all five audits", "clean" if clean else "NOT CLEAN", "clean", clean))
    median_ms = latency["setup_latency_us"]["p50"] / 1000
    rows.append(("median setup latency at 100/s, T = 1", f"{median_ms:.2f} ms", "below 1 ms",
                 median_ms < 1.0))
    for name, after in sorted(second["rss_mb"].items()):
        before = first["rss_mb"].get(name, after)
        rows.append((f"memory of {name}", f"{before:.1f}, then {after:.1f} MB",
                     f"below {RSS_MB_MAX:.0f}, no growth",
                     after < RSS_MB_MAX and after - before <= GROWTH_MB_MAX))

    print("\nMeasured against wanted (memory: after 100 000 and after 200 000 calls)")
    for what, measured, wanted, met in rows:
        print(f"  {what:<42} {str(measured):>22}   {wanted:<20} {'met' if met else 'MISSED'}")
    return verdict(rows)


def verdict(rows):
    """The exit code: 1 when a figure is missed that is no time."""
    missed = [what for what, _, _, met in rows if not met and what not in TIMES]
    for what in missed:
        print(f"missed: {what}")
    return 1 if missed else 0


def restore(lab, load, directory):
    """Cuts a link when all calls are up. Returns the run's JSON, and the time from the command to
    cut until the last of the calls had another path."""
    def metric(name):
        return sweep_figures.metrics_of(lab.ask("xbindctl", "status"))[name]

    print(f"[calls] {CUT} connections over one link, which is cut")
    load.json = directory / "run.json"
    with subprocess.Popen(callgen(lab, load), stdout=subprocess.DEVNULL) as run_of_calls:
        while metric("connections") < CUT and run_of_calls.poll() is None:
            time.sleep(0.05)
        began = time.monotonic()
        control.set_link(lab, control.link_at(lab, "node-2", 3), False)
        while metric("reroutes_done") < CUT and run_of_calls.poll() is None:
            pass
        took = time.monotonic() - began
        run_of_calls.wait()
    if not load.json.exists():
        raise LabError(f"xbind-callgen ended with exit code {run_of_calls.returncode}, no summary")
    result = json.loads(load.json.read_text())
    load.json.unlink()
    return result, took


def measure(lab, load, directory, title):
    """Runs callgen once in a running lab. Returns its JSON."""
    print(f"[calls] {title}")
    load.json = directory / "run.json"
    code = subprocess.run(callgen(lab, load), check=False).returncode
    if not load.json.exists():
        raise LabError(f"xbind-callgen ended with exit code {code} and wrote no summary")
    result = json.loads(load.json.read_text())
    load.json.unlink()
    return result
