"""Whether an offender makes others wait: a good client beside it, and one alone, in one run.

The lab has two networks with a manager each, which share the name service, RouteObject and the
QOSMapper alone. The offender is at the first; a good client sets up and releases calls in either.
A request of the one waited if more than STEP requests of the other were due later and were answered
earlier. So no duration is judged: what delays both, such as a busy host, lets neither be overtaken.
"""

import contextlib
import csv
import json
import re
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import CALLEE, CALLER, LATE, PAPER_TOPOLOGY, Load, lab_up, tool, wait_until
from running_load import Run

RATE = 100  # calls a second of each client; each call has two requests
STEP = 100  # requests of the other client
SLACK = 20  # requests that may wait more than in the other network: the scheduler's choice of one
LEAST = 3 * STEP  # requests of each client, or nothing was compared
LONGEST_S = 1800
ALONE = ("twin-a", "twin-switch", "twin-b")  # the second network
MANAGERS = 2
INTERRUPTED = 4


def topology_in(folder):
    """The paper's network, and a second one like it, in a file."""
    own = PAPER_TOPOLOGY.read_text()
    second = own.partition("[[switch]]")
    second = second[1] + second[2]
    for name, other in zip((CALLER, "switch-1", CALLEE), ALONE):
        second = re.sub(rf"\b{name}\b", other, second)
    file = Path(folder) / "two.toml"
    file.write_text(f"{own}\n{second}")
    return file


@contextlib.contextmanager
def two_networks(**changes):
    """A lab whose first manager and network have offenders, and the second ones none."""
    with tempfile.TemporaryDirectory(prefix="xbind-harm-") as folder:
        with lab_up(topology=topology_in(folder), managers=MANAGERS, **changes) as lab:
            yield lab


def offended(lab):
    """The processes that offenders are let loose on: all but the twin's own."""
    twin = f"xbind-cmgr/{lab.manager_names()[1]}"
    return [process for process in lab.processes.values()
            if process.name != twin and not set(process.nodes) & set(ALONE)]


@dataclass(frozen=True)
class Request:
    """Times in seconds, on this process's clock: good for an order, not for durations."""

    due: float
    answered: float


class Client:
    """A good client of one manager, as long as the test lets it run."""

    def __init__(self, lab, manager, ends):
        self.folder = tempfile.TemporaryDirectory()
        self.records = Path(self.folder.name) / "records.csv"
        self.manager, self.summary, self.requests = manager, None, []
        self.run = Run(lab, Load(calls=RATE * LONGEST_S, rate=RATE), "--manager", manager,
                       "--from", ends[0], "--to", ends[-1], "--records", self.records,
                       "--drain-timeout", "30", without=["--manager"])

    def stop(self):
        self.run.process.send_signal(signal.SIGINT)

    def finish(self):
        text, self.summary = self.run.finish(90)
        assert self.summary is not None, self.run.said + text
        with open(self.records, encoding="ascii") as lines:
            rows = [row for row in csv.DictReader(lines) if row["answered_ns"]]
        self.requests = [Request(self.run.began + int(row["planned_ns"]) / 1e9,
                                 self.run.began + int(row["answered_ns"]) / 1e9) for row in rows]
        self.folder.cleanup()

    def troubles(self):
        """Sentences about requests that were not carried out."""
        for kind, counts in self.summary["kinds"].items():
            wrong = {name: count for name, count in counts["outcomes"].items()
                     if count and name != "success"}
            if wrong:
                yield f"{self.manager}: {kind}: {wrong}"
        reasons = [reason for reason in self.summary["verdict"]["reasons"]
                   if not LATE.search(reason)]
        if self.run.process.returncode != INTERRUPTED and reasons:
            yield f"{self.manager}: callgen ended with {self.run.process.returncode}: {reasons}"
        if len(self.requests) < LEAST:
            yield f"{self.manager}: {len(self.requests)} requests show nothing"


def overtakers(request, others):
    """How many of the others were due later and answered earlier. `others` in the order of due."""
    count = 0
    for other in others:
        if other.due >= request.answered:
            break
        count += other.due > request.due and other.answered < request.answered
    return count


def waited(requests, others):
    """The requests that more than STEP of the others have overtaken."""
    others = sorted(others, key=lambda one: one.due)
    found, first = [], 0
    for request in sorted(requests, key=lambda one: one.due):
        while first < len(others) and others[first].due <= request.due:
            first += 1
        if overtakers(request, others[first:first + 100 * STEP]) > STEP:
            found.append(request)
    return found


@contextlib.contextmanager
def nobody_waits(lab):
    """A good client runs beside the block, and its twin in the other network. AssertionError:
    SLACK more of its requests waited than of the twin's, or a request was not carried out."""
    first, second = lab.manager_names()
    beside, alone = Client(lab, first, (CALLER, CALLEE)), Client(lab, second, ALONE)
    clients = (beside, alone)
    try:
        for one in clients:
            one.run.wait_for(0.1)
        yield
        for one in clients:
            one.run.wait_for(one.run.elapsed + LEAST / (2 * RATE))
    finally:
        for one in clients:
            one.stop()
        for one in clients:
            one.finish()
    troubles = [sentence for one in clients for sentence in one.troubles()]
    here, there = waited(beside.requests, alone.requests), waited(alone.requests, beside.requests)
    print(f"beside: {len(here)} of {len(beside.requests)} requests waited, alone: {len(there)} of "
          f"{len(alone.requests)}", flush=True)
    if len(here) > len(there) + SLACK:
        troubles.append(f"{len(here)} of {len(beside.requests)} requests waited beside the "
                        f"offender, {len(there)} of {len(alone.requests)} without it")
    assert not troubles, "; ".join(troubles)
    for name in (first, second):
        wait_until(lambda name=name: tool(lab, "xbindctl", "audit", "--manager",
                                          name).returncode == 0, f"the audit of {name} is clean")


__all__ = ["ALONE", "LEAST", "RATE", "Request", "STEP", "nobody_waits", "offended",
           "two_networks", "waited"]
