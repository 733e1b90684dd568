"""./quickstart --sweep ovs: how fast an Open vSwitch bridge takes cross-connects through GSMP, and
how long a call over two bridges takes (docs/performance.md, "Real switches"). Needs root.

The rate of Add Branch stands beside that of Open vSwitch's own `ovs-ofctl --bundle add-flows`,
which writes the same flows from a file into the same bridge. Rounds of the two alternate.
"""

import json
import subprocess
import tempfile
import time
from pathlib import Path

from . import speed
from . import speed_figures
from .load import Load
from .process import LabError

ADDS = 50_000
WINDOW = 512  # open requests; the agent announces 1 024
ROUNDS = 7
CALLS_PER_S, CALLS = 10, 200
PRIORITY, COOKIE = 100, 7  # of the flows that ovs-ofctl writes
TWO = """name = "two"

[[switch]]
name = "node-1"
endpoint = true
kind = "ovs"

[[switch]]
name = "node-2"
endpoint = true
kind = "ovs"

[[link]]
between = ["node-1:2", "node-2:2"]
cells-per-s = 353207
"""


def measure(in_own_lab):
    with tempfile.TemporaryDirectory() as directory:
        topology = Path(directory) / "two.toml"
        topology.write_text(TWO)
        flows = Path(directory) / "flows.txt"
        flows.write_text("".join(
            f"priority={PRIORITY},cookie={COOKIE},in_port=2,dl_type=0x8847,mpls_label={label},"
            f"actions=set_mpls_label({label}),dec_mpls_ttl,in_port\n"
            for label in range(16, 16 + ADDS)))
        load = Load(topology=topology, labels_per_port=ADDS, cells_per_s=1)
        with in_own_lab(load) as lab:
            rounds = [one_round(lab, flows) for _ in range(ROUNDS)]
            idle = speed.command(lab, load, "run", "--rate", CALLS_PER_S, "--calls", CALLS,
                                 "--hold", 0.05, "--with-floor")
    print("  " + speed_figures.run_line(idle))
    results = {"adds": ADDS, "window": WINDOW, "rounds": rounds, "idle": idle}
    return {**results, "goals": speed_figures.goals("ovs", results),
            "clean": idle["audit"]["clean"]}


def one_round(lab, flows):
    """Adds a second by both ways, and deletes a second through GSMP."""
    bridge = lab.network.openflow("node-1")
    took = ofctl("--bundle", "add-flows", bridge, flows)
    ofctl("del-flows", bridge, f"cookie={COOKIE}/-1")
    address = lab.process_of("xbind-gsmp-ovs", "node-1").address
    done = subprocess.run([str(lab.options.bin_dir / "add_rate"), address, "2", "2", str(ADDS),
                           str(WINDOW)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise LabError(f"add_rate: {done.stderr.strip()}")
    result = {"ofctl_adds_per_s": ADDS / took, **json.loads(done.stdout)}
    print(f"  ovs-ofctl {result['ofctl_adds_per_s']:.0f} adds a second, through GSMP "
          f"{result['adds_per_s']:.0f}, deletes {result['deletes_per_s']:.0f}")
    return result


def ofctl(*words):
    """Seconds that the command took. LabError: it failed."""
    began = time.monotonic()
    done = subprocess.run(["ovs-ofctl", "-O", "OpenFlow14", *map(str, words)], capture_output=True,
                          text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise LabError(f"ovs-ofctl {words[0]}: {done.stderr.strip()}")
    return time.monotonic() - began
