#!/usr/bin/env python3
"""A manager and SwitchServers end within seconds of each other, and no call is destroyed: cells
pass every call all the time, and what the new manager knows of it again is true."""

import json
import re
import signal
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from plain_host import Host

TOPOLOGY = ROOT / "deploy" / "topologies" / "ring6.toml"
MANAGER, LOST = "xbind-cmgr", "xbind-switchserver/node-2"
GAPS_S = (0.0, 0.4, 1.5)
STANDING = 20


class Flow:
    """Sends cells through calls, one after the other, and notes those that do not come out."""

    def __init__(self, lab, calls):
        self.calls = calls  # {id: [(from, label, [(to, label), ...]), ...]}
        self.missing, self.sent = [], 0
        self.stack = ExitStack()
        self.hosts = {name: Host(spec) for name, spec in lab.endpoints.items()}
        for host in self.hosts.values():
            self.stack.callback(host.close)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def round(self):
        for call, ways in self.calls.items():
            for source, ingress, ends in ways:
                self.sent += 1
                self.hosts[source].send(ingress, self.sent)
                for end, egress in ends:
                    cell = self.hosts[end].receive(egress, 2.0)
                    if cell != self.sent:
                        self.missing.append((call, source, end, self.sent, cell))

    def run(self):
        while not self.over.is_set() and not self.missing:
            self.round()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.stack.close()

    def for_a_while(self, seconds):
        """Waits while cells go on."""
        self.over.wait(seconds)

    def went_on(self):
        """Rounds since now have brought every cell."""
        before = self.sent
        wait_until(lambda: self.missing or self.sent > before + 2 * len(self.calls),
                   "cells go on")
        assert not self.missing, f"(call, from, to, sent, received): {self.missing}"


class Ring(unittest.TestCase):
    """A lab of six switches, whose lines to the hosts are plain, with standing calls."""

    @classmethod
    def setUpClass(cls):
        cls.stack = ExitStack()
        cls.addClassCleanup(cls.stack.close)
        directory = cls.stack.enter_context(tempfile.TemporaryDirectory())
        topology_file = Path(directory) / "ring.toml"
        topology_file.write_text(TOPOLOGY.read_text().replace(
            "endpoint = true", 'endpoint = true\nmedia = { cells = "plain" }'))
        cls.lab = cls.stack.enter_context(lab_up(topology=topology_file))

    def answer(self, *command, code=0):
        done = tool(self.lab, "xbindctl", *command)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def labels_of(self, text):
        return [tuple(int(part) for part in label) for label in
                re.findall(r"label (\d+)/(\d+)", text)]

    def connect(self, source, to, *options):
        """(id, ways) of a new call."""
        text = self.answer("connect", source, to, *options)
        labels = self.labels_of(text)
        ways = [(source, labels[0], [(to, labels[1])])]
        if len(labels) == 4:
            ways.append((to, labels[2], [(source, labels[3])]))
        return text.split()[0], ways

    def standing_calls(self):
        """STANDING calls over node-2, of every kind that there is."""
        calls = {}
        # That are first, in the middle and last there.
        ends = [("node-1", "node-3"), ("node-3", "node-1"), ("node-2", "node-4"),
                ("node-6", "node-2")]
        for _ in range(3):
            calls.update(self.connect(*pair) for pair in ends)
        calls.update(self.connect(source, to, "--both") for source, to in ends[:3])
        # Prepared in advance, and taken.
        for source, to in (ends[0], ends[2]):
            self.answer("prepare", source, to, "--cells-per-s", "77", "--count", "1")
            wait_until(lambda: self.ready() == 1, "it is ready")
            calls.update([self.connect(source, to, "--cells-per-s", "77")])
            self.answer("prepare", source, to, "--cells-per-s", "77", "--count", "0")
        # A tree that forks behind the switch, and one that forks before it.
        for leaf in ("node-4", "node-6"):
            call, ways = self.connect("node-1", "node-3")
            added = self.answer("add-leaf", call, leaf)
            ways[0][2].append((leaf, self.labels_of(added)[0]))
            calls[call] = ways
        # Re-routed to there.
        self.answer("drain", "node-2")
        moved, ways = self.connect("node-1", "node-3")
        calls[moved] = ways
        self.answer("undrain", "node-2")
        self.answer("drain", "node-5")
        wait_until(lambda: "node-2" in (described := self.answer("describe", moved))
                   and "node-5" not in described, "it is re-routed")
        self.answer("undrain", "node-5")
        self.assertEqual(len(calls), STANDING)
        return calls

    def ready(self):
        """Connections that are prepared and free."""
        caches = json.loads(self.answer("caches", "--json"))["caches"]
        return sum(cache["size"] for cache in caches if cache["cache"].startswith("prepared"))

    def kill(self, name):
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), f"{name} has ended")

    def start(self, *names):
        for name in names:
            self.lab.start(name)
        for name in names:
            self.lab.wait_ready(self.lab.processes[name])

    def listed(self):
        return [line for line in self.answer("list").splitlines() if line[:1].isdigit()]

    def audit_is_clean(self):
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean", 30)


class OneLedgerLost(Ring):

    maxDiff = None

    def test_no_call_is_lost_in_whatever_order_and_gap_they_end(self):
        calls = self.standing_calls()
        described = {call: self.hops_of(call) for call in calls}
        with Flow(self.lab, calls) as flow:
            for first, second in ((MANAGER, LOST), (LOST, MANAGER)):
                for gap in GAPS_S:
                    with self.subTest(first=first, gap=gap):
                        self.kill(first)
                        flow.for_a_while(gap)
                        self.kill(second)
                        self.start(second, first)
                        self.stands(calls, described, flow)
            with self.subTest("the SwitchServer is back and ready, and the manager ends then"):
                self.kill(LOST)
                self.start(LOST)
                self.kill(MANAGER)
                self.start(MANAGER)
                self.stands(calls, described, flow)
        for call, ways in calls.items():
            if len(ways[0][2]) == 1:  # ping needs one destination, and the lines for itself
                self.answer("ping", call, "--count", "1")
            self.answer("release", call)
        self.assertEqual(self.listed(), [])
        self.audit_is_clean()

    def hops_of(self, call):
        """Where cells of the call pass."""
        document = json.loads(self.answer("describe", call, "--json"))
        keys = ("switch", "input_port", "input_label", "output_port", "output_label")
        return sorted(str({key: hop[key] for key in keys}) for hop in document["hops"])

    def stands(self, calls, described, flow):
        listed = wait_until(lambda: (lines := self.listed()) and all(
            "connected" in line for line in lines) and lines, "all calls are connected", 30)
        self.assertEqual(sorted(line.split()[0] for line in listed), sorted(calls))
        for call in calls:
            self.assertEqual(self.hops_of(call), described[call], f"call {call}")
        self.audit_is_clean()
        flow.went_on()


class AllLedgersLost(Ring):

    def test_calls_of_nobody_go_on_until_an_operator_removes_them(self):
        calls = dict(self.connect("node-1", "node-3") for _ in range(STANDING))
        names = [name for name in self.lab.processes if name.startswith("xbind-switchserver")]
        with Flow(self.lab, calls) as flow:
            for name in [MANAGER, *names]:
                self.kill(name)
            self.start(*names, MANAGER)
            self.assertEqual(self.listed(), [])
            alarms = wait_until(lambda: [
                alarm for alarm in json.loads(self.answer("alarms", "--json"))["alarms"]
                if alarm["kind"] == "entries-of-nobody" and not alarm["cleared_ms"]] or None,
                "the alarm is raised", 30)
            self.assertIn("20", alarms[0]["cause"])
            for call in calls:
                self.assertIn("unknown", self.answer("release", call, code=1))
            audit = self.answer("audit", code=1)
            self.assertEqual(len(re.findall(r"node-1\b.*->.*\bnode-3\b.*3 hops", audit)), STANDING,
                             audit)
            # None of their labels is granted.
            fresh = dict(self.connect("node-1", "node-3") for _ in range(3))
            taken = {ways[0][1] for ways in calls.values()}
            for ways in fresh.values():
                self.assertNotIn(ways[0][1], taken)
            flow.went_on()
        self.answer("repair", "--dry-run", code=1)
        self.answer("repair")
        self.audit_is_clean()
        for call in fresh:
            self.answer("release", call)
        for call in list(calls)[:2]:
            self.assertIn("released", self.answer("release", call))


if __name__ == "__main__":
    unittest.main()
