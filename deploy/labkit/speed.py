"""./quickstart --sweep NAME: how much the system carries, and at what cost (docs/performance.md,
"Speed").

  throughput  the highest rate, and the latency at 80 % of it; a closed loop; 100 calls/s; each
              beside null servants measured in the same run
  scale       processor time of a call operation with a thousand and with a million connections
              up, and the memory of a connection in each program
  wide        hop commands a second through 128 switches, calls over 2 to 8 hops, beside the three
              switches of the paper
  managers    one, two and four managers on the same switches

Figures depend on the machine; nothing here is a test. Exit code 0 when every run was clean,
whatever the figures. `xbind-callgen` searches and compares; speed_figures.py judges by the goals.
"""

import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from . import speed_figures as figures
from . import sweep_figures
from .lab import ROOT
from .load import Load
from .process import LabError

NAMES = ["throughput", "scale", "wide", "managers"]

FAST = ROOT / "deploy" / "topologies" / "paper-fast.toml"
# Links and labels never limit: a call reserves a cell a second of links that carry 22 million, and
# ports have all VCIs of one VPI (throughput, wide, managers) or of thirty-two (scale).
ROOMY = {"topology": FAST, "cells_per_s": 1, "labels_per_port": 65_504, "threshold": "adaptive"}
WIDE_LABELS = 32 * 65_504
HOLD_S = 0.05
CONFIRM_S = 30
# Now and then the host of a virtual machine takes a processor away for 5 to 15 ms, which may spoil
# one run of three.
TAIL_RUNS = 3
WARM_UP = ("--warm-up", 2)  # s; label caches grow with the load
CEILING_S = 10
UP = [1_000, 1_000_000]  # connections
UP_RATE = 30_000.0  # at which they are set up
COST_RATE = 20_000.0  # calls/s whose processor time is measured
COST_S = 10.0
ROUNDS = 6  # the fewest pairs that `xbind-callgen compare` judges
WIDE_SWITCHES = 128
HOPS = range(2, 9)
# Requests under way in closed loops: 64 and 128 for each of 128 switches, 2 048 and 4 096 for each
# of four managers. Many systems need more requests to be busy, few are slower with more: each is
# measured with the number with which it is fastest.
OUTSTANDING = (8_192, 16_384)


def measure(name, in_own_lab):
    """The results of one of NAMES, with their figures against what is wanted."""
    results = {"throughput": throughput, "scale": scale, "wide": wide, "managers": managers}[name](
        in_own_lab)
    return {**results, "goals": figures.goals(name, results)}


# Throughput, tail and low load


def throughput(in_own_lab):
    load = Load(**ROOMY)
    with in_own_lab(load) as lab:
        # What is searched for is a rate that is carried, not one at which work piles up.
        highest = command(lab, load, "saturate", "--rate", 40_000, "--hold", HOLD_S, *WARM_UP,
                          "--point-seconds", 5, "--precision", "10%", "--confirm", CONFIRM_S,
                          "--objective", "p99<20ms,unanswered=0,fail<0.1%")
        best = highest["rate"] if highest["confirmed"] else None
        print("  " + figures.highest_line(highest))
        floors = [command(lab, load, "floor", "--adaptive", "--seconds", CEILING_S)]
        ceiling = command(lab, load, "ceiling", "--seconds", CEILING_S)
        floors.append(command(lab, load, "floor", "--adaptive", "--seconds", CEILING_S))
        print("  " + figures.ceiling_line(ceiling))
        tails = []
        for _ in range(TAIL_RUNS if best else 0):
            tails.append(command(lab, load, "run", "--rate", 0.8 * best, "--duration", CONFIRM_S,
                                 "--hold", HOLD_S, *WARM_UP))
            print("  " + figures.run_line(tails[-1]))
        low = command(lab, load, "run", "--rate", 100, "--duration", 40, "--hold", HOLD_S,
                      "--with-floor")
        print("  " + figures.run_line(low))
    clean = all(run["audit"]["clean"] for run in (*tails, low)) and ceiling["audit_clean"]
    return {"highest": highest, "ceiling": ceiling, "floors": floors, "tails": tails,
            "low_load": low, "clean": clean}


# Scale


def scale(in_own_lab):
    """Connections stay up while another client sets up and releases calls. No audit is made: it
    reads all tables, and is no call operation."""
    room = 2 * max(UP)
    load = Load(**{**ROOMY, "labels_per_port": WIDE_LABELS}, more=(
        ("xbind-cmgr", "connections-max", room), ("xbind-switch", "branches-max", room)))
    points = []
    with in_own_lab(load) as lab, contextlib.ExitStack() as clients:
        cost(lab, load, clients)  # what is allotted once
        memory = {}
        for wanted in UP:
            clients.enter_context(client(lab, load, "--calls", wanted, "--rate", UP_RATE,
                                         "--hold", 36_000))
            up = await_connections(lab, wanted)
            memory[up] = memory_of(lab)
            points.append({"up": up, **cost(lab, load, clients)})
            print("  " + figures.scale_line(points[-1], memory[up]))
    return {"points": points, "memory_octets": memory,
            "clean": all(point["refused"] == 0 for point in points)}


@contextlib.contextmanager
def client(lab, load, *more):
    """A run of callgen in the background, killed when the block ends, so that its calls stay up."""
    words = callgen_words(lab, load, "run", *more, "--quiet")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.kill()


def await_connections(lab, wanted):
    deadline = time.monotonic() + 60 + 3 * wanted / UP_RATE
    while (up := status(lab)["connections"]) < wanted:
        if time.monotonic() > deadline:
            raise LabError(f"{up} connections are up, {wanted} were wanted")
        time.sleep(0.5)
    return up


def cost(lab, load, clients):
    """Processor time of all daemons for the operations of a load that they carry with ease."""
    with contextlib.ExitStack() as while_measured:
        while_measured.enter_context(client(lab, load, "--rate", COST_RATE,
                                            "--duration", COST_S + 5, "--hold", HOLD_S))
        time.sleep(2)  # label caches grow with the load
        before, counted = cpu_of(lab), status(lab)
        time.sleep(COST_S)
        after, now = cpu_of(lab), status(lab)
        clients.push(while_measured.pop_all())  # the rest of it disturbs nobody
    operations = sum(now[name] - counted[name] for name in ("connected", "released"))
    refused = sum(now[name] - counted[name] for name in ("refused", "busy"))
    return {"operations": operations, "refused": refused,
            "cpu_us_per_operation": {name: 1e6 * (after[name] - before[name]) / operations
                                     for name in after}}


# Many switches


def wide(in_own_lab):
    with tempfile.TemporaryDirectory() as directory:
        ring = Path(directory) / "ring128.toml"
        ring.write_text(ring_of(WIDE_SWITCHES))
        many = Load(**{**ROOMY, "topology": ring, "nodes_per_process": WIDE_SWITCHES // 2})
        few = Load(**ROOMY)
        loops = Loops(Path(directory))
        with in_own_lab(many) as wide_lab, in_own_lab(few) as narrow_lab:
            for round_number in range(ROUNDS):
                networks = (("128 switches", wide_lab, many), ("three", narrow_lab, few))
                for (name, lab, load), outstanding in itertools.product(networks, OUTSTANDING):
                    loops.measure(lab, load, name, round_number, outstanding)
            compared = [loops.compare(narrow_lab, "three", "128 switches", "commands")]
    return {"points": loops.points, "comparisons": compared, "clean": loops.clean()}


def ring_of(switches):
    """Every switch is an endpoint; equally many calls go 1 to 7 links far, over 2 to 8 switches."""
    text = [f'name = "ring{switches}"']
    names = [f"node-{number}" for number in range(1, switches + 1)]
    text += [f'[[switch]]\nname = "{name}"\nendpoint = true' for name in names]
    for i, name in enumerate(names):
        text.append(f'[[link]]\nbetween = ["{name}:2", "{names[(i + 1) % switches]}:3"]\n'
                    'cells-per-s = 22605248')
        for hops in HOPS:
            to = names[(i + hops - 1) % switches]
            text.append(f'[[demand]]\nfrom = "{name}"\nto = "{to}"\nweight = 1.0')
    return "\n\n".join(text) + "\n"


# Many managers


def managers(in_own_lab):
    load = Load(**ROOMY, managers=4)
    with tempfile.TemporaryDirectory() as directory, in_own_lab(load) as lab:
        loops = Loops(Path(directory))
        names = lab.manager_names()
        for round_number in range(ROUNDS):
            for count, outstanding in itertools.product((1, 2, 4), OUTSTANDING):
                # Each round begins with another manager, so that none is always among them.
                chosen = [names[(round_number + i) % len(names)] for i in range(count)]
                loops.measure(lab, load, manager_count(count), round_number, outstanding,
                              "--manager", ",".join(chosen))
        compared = [loops.compare(lab, manager_count(1), manager_count(count), "operations")
                    for count in (2, 4)]
    return {"points": loops.points, "comparisons": compared, "clean": loops.clean()}


def manager_count(count):
    return "1 manager" if count == 1 else f"{count} managers"


class Loops:
    """Closed loops of several systems in rounds, with several numbers of requests under way."""

    def __init__(self, directory):
        self.directory = directory
        self.points = []
        self.files = {}  # by (system, outstanding), in the order of the rounds

    def measure(self, lab, load, system, round_number, outstanding, *more):
        file = self.directory / f"{len(self.points)}.json"
        ceiling = command(lab, load, "ceiling", "--seconds", 5, "--outstanding", outstanding, *more,
                          file=file)
        self.files.setdefault((system, outstanding), []).append(file)
        self.points.append({"system": system, "round": round_number, **ceiling})
        print(f"  {system}: " + figures.ceiling_line(ceiling))

    def compare(self, lab, a, b, metric):
        """B over A in pairs of the same round, each with the requests under way that it is fastest
        with."""
        fastest = {system: figures.fastest(self.points, system) for system in (a, b)}
        return {"a": a, "b": b, "outstanding": fastest,
                "line": compare(lab, *(self.files[system, fastest[system]] for system in (a, b)),
                                metric, "--any-load")}

    def clean(self):
        return all(point["audit_clean"] for point in self.points)


# Commands of callgen


def callgen_words(lab, load, word, *more):
    """A command of callgen in `lab`, with what all of them need of the load."""
    words = [lab.options.bin_dir / "xbind-callgen", word, "--cells-per-s", load.cells_per_s, *more]
    if word != "floor":
        words += ["--name-service", lab.names_address()]
    return [str(part) for part in words]


def command(lab, load, word, *more, show=False, file=None):
    """Runs a command of callgen and returns its JSON, which also stays in `file` if one is given.
    No outcome of the calls is an error here. With `show` the command prints its lines."""
    with tempfile.TemporaryDirectory() as directory:
        file = file or Path(directory) / "run.json"
        words = callgen_words(lab, load, word, *more)
        run_callgen(lab, [*words, *([] if show else ["--quiet"])], file, show)
        return {"command": " ".join(["xbind-callgen", *words[1:]]),
                **figures.without_bulk(json.loads(file.read_text()))}


def compare(lab, a, b, metric, *more):
    """The line of `xbind-callgen compare` for one metric of B over A: files of runs in order."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "compare.json"
        sides = [",".join(map(str, files)) for files in (a, b)]
        run_callgen(lab, [str(lab.options.bin_dir / "xbind-callgen"), "compare", *sides,
                          "--metric", metric, *more], file)
        return json.loads(file.read_text())["metrics"][0]


def run_callgen(lab, words, file, show=False):
    """Runs a command of callgen that writes JSON into `file`. LabError: there is none."""
    done = subprocess.run([*words, "--json", str(file)], stdin=subprocess.DEVNULL,
                          stdout=None if show else subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False,
                          env={**lab.daemon_environment(), **lab.client_environment()})
    if not file.exists():
        raise LabError(f"xbind-callgen {words[1]} ended with exit code {done.returncode} and wrote "
                       f"no JSON: {done.stderr.strip()}")


def status(lab):
    """The manager's counters by name."""
    return sweep_figures.metrics_of(lab.ask("xbindctl", "status"))


def cpu_of(lab):
    """Seconds of processor time by program, those of a kind together."""
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = {}
    for process in lab.processes.values():
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        used = (int(fields[11]) + int(fields[12])) / ticks
        seconds[process.program] = seconds.get(process.program, 0) + used
    return seconds


def memory_of(lab):
    """Octets in memory by program, the mean of those of a kind."""
    octets = {}
    for process in lab.processes.values():
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        octets.setdefault(process.program, []).append(pages * os.sysconf("SC_PAGE_SIZE"))
    return {program: sum(of) / len(of) for program, of in octets.items()}
