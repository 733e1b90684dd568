#!/usr/bin/env python3
"""Rounds of `kill -9`: under load a daemon ends at a random moment, after the load has used it
(used_daemons.py), and its command line starts it again after a random time. Once the system has
reconciled itself, every call that stands carries cells, every request has been answered, and
nothing is left after the last release. Some connections stand through all rounds.

In other rounds two daemons end, at moments up to five seconds apart: a manager and a SwitchServer,
or two SwitchServers; or RouteObject, which comes back with a file in which a link is missing or
leads elsewhere, and a manager, which meets the wrong network. RouteObject has the right file again
when the audits are clean. What such a round may leave is counted (kill_pairs.py).

  kill_rounds_test.py [--rounds N] [--pairs N] [--seed S] [--log FILE] [--keep DIR]

The seed chooses the victims and the moments; it is printed, and written with each round to FILE,
which grows. After a failed round the daemons' logs and callgen's report are copied to DIR, and the
rounds go on in a new lab.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import kill_pairs
from kill_draws import (COLUMNS, FAST_ENOUGH, PAIR_COLUMNS, PAIRS, PROGRAMS, Round, pairs_of,
                        rounds_of)
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Switch
from labkit.process import LabError
from plain_host import Host
from running_load import Run
from used_daemons import UsedDaemons

TOPOLOGY = ROOT / "deploy" / "topologies" / "ring6.toml"  # another path around every switch
MANAGERS = 2  # so that one goes on while the other is down
STANDING = 500  # how many of them are up at any moment, on average
RECONCILED_WITHIN_S = 60.0


class Elders:
    """Connections that stand through all rounds of a lab, one from each switch by each manager."""

    def __init__(self, lab):
        self.lab = lab
        self.calls = []
        for manager in lab.manager_names():
            for caller, callee in pairs(lab):
                done = tool(lab, "xbindctl", "connect", caller, callee, "--manager", manager)
                assert done.returncode == 0, done.stderr
                ingress, egress = [tuple(int(part) for part in label) for label in
                                   re.findall(r"label (\d+)/(\d+)", done.stdout)]
                self.calls.append((manager, connection_of(done), caller, callee, ingress, egress))

    def ids(self, manager):
        return sorted(call[1] for call in self.calls if call[0] == manager)

    def branches(self):
        """How many branches each switch has, by the managers' descriptions."""
        described = [tool(self.lab, "xbindctl", "describe", call[1], "--manager", call[0]).stdout
                     for call in self.calls]
        return Counter(node for text in described
                       for node in re.findall(r"^  hop \d+ +(\S+)", text, re.MULTILINE))

    def troubles(self, number):
        """Sends a cell through each. Yields sentences about cells that do not come out at the right
        end and label, or come out elsewhere as well."""
        with ExitStack() as stack:
            hosts = {name: Host(spec) for name, spec in self.lab.endpoints.items()}
            for host in hosts.values():
                stack.callback(host.close)
            for place, (manager, call, caller, callee, ingress, egress) in enumerate(self.calls):
                cell = 1000 * number + place
                hosts[caller].send(ingress, cell)
                try:
                    arrived = hosts[callee].receive(egress, 2.0)
                except AssertionError as error:
                    arrived = f"of another label: {error}"
                if arrived != cell:
                    yield (f"{manager}: connection {call}, {caller} to {callee}: cell {arrived} "
                           f"instead of {cell}")
            for name, host in hosts.items():
                if octets := host.pending():
                    yield f"{name} has received a cell too many: {octets.hex()}"

    def release(self):
        for manager, call, *_ in self.calls:
            done = tool(self.lab, "xbindctl", "release", call, "--manager", manager)
            assert done.returncode == 0, done.stdout + done.stderr
        self.calls = []


def pairs(lab):
    """Ends of calls that make each switch the first, the middle and the last of a path."""
    nodes = lab.node_names()
    return list(zip(nodes, nodes[2:] + nodes[:2]))


class Rounds:
    """Plays rounds in one lab, which must be up."""

    def __init__(self, lab, lab_file):
        self.lab = lab
        self.lab_file = lab_file  # that RouteObject reads when it starts
        self.right = lab_file.read_text()
        self.elders = Elders(lab)
        self.used = UsedDaemons(lab)

    def play(self, one):
        """Plays the round; returns callgen's summary for people."""
        load = Load(calls=120 * one.rate, rate=one.rate, hold=STANDING / one.rate,
                    seed=one.seed + one.number, managers=MANAGERS, verify_media=True,
                    debts_timeout=20)
        records = self.lab.state_dir / "records.csv"
        more = ["--records", str(records)] if one.network != "right" else []
        run = Run(self.lab, load, "--hold-distribution", "exponential", "--mix",
                  "setup=4,modify=1", "--both", "--reattach", "--media-at-stop",
                  "--drain-timeout", "60", *more)
        troubles = []
        try:
            self.kill_and_start(one, run)
        except (AssertionError, LabError) as error:
            troubles.append(str(error))
        run.process.send_signal(signal.SIGINT)
        try:
            text, one.summary = run.finish(150)
        except AssertionError as error:
            run.process.kill()
            run.finish()
            one.troubles = (*troubles, str(error))
            return str(error)
        if one.misrouted_s is not None:
            one.setups = kill_pairs.setups_in(records)
        one.troubles = (*troubles, *self.judge(one, run.process.returncode))
        return run.said + text

    def kill_and_start(self, one, run):
        with self.used.asking():
            if one.second:
                self.kill_two(one, run)
            else:
                self.kill_one(one, run)
        began = time.monotonic()
        for name in filter(None, (one.victim, one.second)):
            self.lab.wait_ready(self.lab.processes[name])
        if one.lost_node():
            self.remove_unclaimed(one)
        self.reconcile()
        one.reconciled_s = time.monotonic() - began
        if one.network != "right":
            self.correct_network(one, run)
        for manager in self.lab.manager_names():
            self.calls_pass(manager)

    def reconcile(self):
        for manager in self.lab.manager_names():
            wait_until(lambda manager=manager: self.answers("audit", "--manager", manager),
                       f"the audit of {manager} is clean", RECONCILED_WITHIN_S)

    def remove_unclaimed(self, one):
        """As an operator does, if the alarm and the audits of both managers count the same."""
        node = one.lost_node()

        def counted():
            audits = [self.document("audit", "--manager", name)
                      for name in self.lab.manager_names()]
            counts = {kill_pairs.unclaimed_entries(audit, node) for audit in audits}
            return len(counts) == 1 and counts == {
                kill_pairs.unclaimed_by_alarm(self.document("alarms"), node)} and counts

        one.unclaimed = wait_until(counted, f"only unclaimed entries are left at {node}, if any, "
                                 "and its alarm counts them", RECONCILED_WITHIN_S).pop()
        if one.unclaimed:
            done = tool(self.lab, "xbindctl", "repair", "--manager", self.lab.manager_names()[0])
            assert done.returncode == 0, done.stdout + done.stderr

    def correct_network(self, one, run):
        """Ends when every manager has heard of it."""
        self.lab_file.write_text(self.right)
        self.kill(self.lab.processes["xbind-routeobject"])
        self.lab.start("xbind-routeobject")
        self.lab.wait_ready(self.lab.processes["xbind-routeobject"])
        for manager, heard in [(name, self.news_heard(name)) for name in self.lab.manager_names()]:
            wait_until(lambda manager=manager, heard=heard: self.news_heard(manager) > heard,
                       f"{manager} has heard of the right network")
        one.misrouted_s = (one.wrong_from_s, run.elapsed)
        self.reconcile()

    def news_heard(self, manager):
        return self.document("status", "--manager", manager)["metrics"]["topologies"]

    def document(self, *command):
        return json.loads(tool(self.lab, "xbindctl", *command, "--json").stdout)

    def kill_two(self, one, run):
        """Each ends and comes back at its own moments."""
        second_s = one.killed_s + one.gap_s
        deeds = [(one.killed_s, one.victim, False), (one.killed_s + one.down_s, one.victim, True),
                 (second_s, one.second, False), (second_s + one.second_down_s, one.second, True)]
        for moment, name, starts in sorted(deeds, key=lambda deed: deed[0]):
            run.wait_for(moment)
            if starts:
                if name == "xbind-routeobject":
                    self.lab_file.write_text(kill_pairs.altered(self.right, one.network))
                    one.wrong_from_s = run.elapsed
                self.lab.start(name)
            else:
                self.used.wait_for(name)
                if name == one.manager():
                    began = time.monotonic()
                    one.owed = self.used.owed(name)
                    one.unread_s = time.monotonic() - began
                self.kill(self.lab.processes[name])

    def kill_one(self, one, run):
        process = self.lab.processes[one.victim]
        run.wait_for(one.killed_s)
        self.used.wait_for(one.victim)
        self.kill(process)
        run.wait_for(one.killed_s + one.down_s)
        self.lab.start(one.victim)
        if one.again_s is not None:
            run.wait_for(one.killed_s + one.down_s + one.again_s)
            self.kill(process)
            self.lab.start(one.victim)

    @staticmethod
    def kill(process):
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), f"{process.name} has ended")

    def answers(self, *command):
        return tool(self.lab, "xbindctl", *command).returncode == 0

    def calls_pass(self, manager):
        """Every switch takes calls again."""
        for caller, callee in pairs(self.lab):
            connected = wait_until(
                lambda caller=caller, callee=callee: (done := tool(
                    self.lab, "xbindctl", "connect", caller, callee, "--manager", manager))
                .returncode == 0 and done, f"{manager} connects {caller} and {callee}")
            assert self.answers("release", connection_of(connected), "--manager", manager)

    def judge(self, one, code):
        """Sentences about what was promised and did not hold."""
        summary = one.summary
        if summary is None:
            yield f"callgen ended with {code} and wrote no report"
            return
        # 4: interrupted, and nothing else is wrong.
        reasons = list(kill_pairs.unexplained(one))
        if code not in (1, 4) or reasons:
            yield f"callgen ended with {code}: {', '.join(reasons)}"
        yield from kill_pairs.too_many_unclaimed(one)
        for kind, counts in summary["kinds"].items():
            if counts["outcomes"]["unanswered"]:
                yield f"{counts['outcomes']['unanswered']} requests ({kind}) have no answer"
        media = summary["media"]
        if not 0 < media["calls_wanted"] == media["calls_checked"]:
            yield f"{media['calls_checked']} of {media['calls_wanted']} calls were checked"
        lost = summary["reattached"]["sessions_lost"]
        managers = [name for name in (one.victim, one.second or "")
                    if name.startswith("xbind-cmgr")]
        if (lost > 0) != bool(managers):
            yield f"{lost} sessions of callgen were lost"
        yield from self.elders.troubles(one.number)
        yield from self.left()

    def left(self):
        """Sentences about what managers and switches have besides the elders."""
        for manager in self.lab.manager_names():
            listed = tool(self.lab, "xbindctl", "list", "--manager", manager).stdout
            ids = sorted(line.split()[0] for line in listed.splitlines() if line[:1].isdigit())
            if ids != self.elders.ids(manager):
                yield f"{manager} lists {ids} instead of {self.elders.ids(manager)}"
        expected = self.elders.branches()
        for node in self.lab.node_names():
            table = Switch(switch_address(self.lab, node)).table()
            if len(table) != expected[node]:
                yield f"{node} has {len(table)} branches instead of {expected[node]}"

    def end(self):
        self.elders.release()
        return list(self.left())


def keep(lab, one, said, folder):
    """Copies what explains a failed round."""
    kept = folder / f"{one.seed}-{one.number}"
    shutil.copytree(lab.state_dir / "logs", kept / "logs", dirs_exist_ok=True)
    (kept / "callgen.txt").write_text(f"{one.line()}\n{said}")
    (kept / "run.json").write_text(json.dumps(one.summary, indent=1))


def play_all(draw, seed, count, log, kept):
    """Plays `count` rounds that `draw` chooses, in a new lab after each failed one; yields each."""
    left = None
    while left is None or left:
        with ring() as (lab, lab_file):
            if left is None:
                left = list(draw(seed, count, list(lab.processes)))
            rounds = Rounds(lab, lab_file)
            while left:
                one = left.pop(0)
                said = rounds.play(one)
                print(one.line(), flush=True)
                if log:
                    with open(log, "a") as file:
                        file.write(one.line() + "\n")
                if one.troubles and kept:
                    keep(lab, one, said, kept)
                yield one
                if one.troubles:
                    break
            else:
                assert not (left_over := rounds.end()), left_over


@contextmanager
def ring():
    """A lab whose lines to the hosts are plain, so that Host can use them."""
    with tempfile.TemporaryDirectory() as directory:
        topology = Path(directory) / "ring.toml"
        topology.write_text(TOPOLOGY.read_text().replace(
            "endpoint = true", 'endpoint = true\nmedia = { cells = "plain" }'))
        # Rounds begin RouteObject with wrong files, which it would not take.
        more = {"xbind-routeobject": [(None, "accept-smaller", "true")],
                "xbind-cmgr": [(None, "qos", "remote")]}
        with lab_up(topology=topology, managers=MANAGERS, metrics=True, more=more) as lab:
            yield lab, topology


class Drawn(unittest.TestCase):

    def test_the_programs_take_turns_and_a_seed_draws_the_same_again(self):
        processes = [f"{program}{node}" for program in PROGRAMS for node in ("", "/node-2")]
        drawn = list(rounds_of(7, 2 * len(PROGRAMS), processes))
        for turn in (drawn[:len(PROGRAMS)], drawn[len(PROGRAMS):]):
            self.assertEqual({one.victim.partition("/")[0] for one in turn}, set(PROGRAMS))
        self.assertEqual(list(rounds_of(7, len(drawn), processes)), drawn)
        slower = [replace(one, rate=min(one.rate, FAST_ENOUGH)) for one in drawn]
        self.assertEqual(list(rounds_of(7, len(drawn), processes, FAST_ENOUGH)), slower)
        self.assertNotEqual(slower, drawn)
        self.assertNotEqual(list(rounds_of(8, len(drawn), processes)), drawn)


    def test_pairs_take_turns_and_a_seed_draws_the_same_again(self):
        processes = [f"{program}{node}" for program in PROGRAMS for node in ("", "/node-2")]
        drawn = list(pairs_of(7, 2 * len(PAIRS), processes))
        for turn in (drawn[:len(PAIRS)], drawn[len(PAIRS):]):
            self.assertEqual(
                sorted((one.victim.partition("/")[0], one.second.partition("/")[0])
                       for one in turn), sorted(PAIRS))
        self.assertTrue(all(one.victim != one.second for one in drawn))
        self.assertEqual(list(pairs_of(7, len(drawn), processes)), drawn)

    def test_a_wrong_network_lacks_a_link_or_has_two_exchanged(self):
        right = TOPOLOGY.read_text()
        lacking = kill_pairs.altered(right, "lacking")
        self.assertEqual(lacking.count("[[link]]"), right.count("[[link]]") - 1)
        crossed = kill_pairs.altered(right, "crossed")
        self.assertEqual(crossed.count("[[link]]"), right.count("[[link]]"))
        self.assertNotEqual(crossed, right)


class MayBeLeft(unittest.TestCase):

    def too_many(self, unclaimed, owed, repeated, unread_s=0.0):
        return list(kill_pairs.too_many_unclaimed(Round(
            1, 1, "", 1000, 0, 0, None, unclaimed=unclaimed, owed=owed, unread_s=unread_s,
            summary={"reattached": {"requests_repeated": repeated}})))

    def test_more_than_these_and_those_of_open_requests_are_too_many(self):
        self.assertEqual(self.too_many(8, 2, 3), [])
        self.assertEqual(len(self.too_many(9, 2, 3)), 1)
        self.assertEqual(self.too_many(28, 2, 3, 0.01), [])
        self.assertEqual(len(self.too_many(29, 2, 3, 0.01)), 1)

    def test_a_release_that_was_repeated_may_be_unknown_after_a_lost_ledger(self):
        reason = "4 of 4964 releases failed"
        summary = {"media": {"failed_calls": []}, "verdict": {"reasons": [reason]},
                   "release_failures": {"unknown connection": 4}, "releases": {"failed": 4},
                   "reattached": {"requests_repeated": 4}}

        def left(**changes):
            one = Round(1, 1, "xbind-cmgr", 1, 0, 0, None, second="xbind-switchserver/node-2",
                        summary={**summary, **changes})
            return list(kill_pairs.unexplained(one))

        self.assertEqual(left(), [])
        pasta = f"{kill_pairs.PASTA}: measured 2.8, expected 3.4"
        self.assertEqual(left(verdict={"reasons": [pasta]}), [])
        self.assertEqual(left(reattached={"requests_repeated": 3}), [reason])
        self.assertEqual(left(release_failures={"unknown connection": 3, "busy": 1}), [reason])
        self.assertEqual(list(kill_pairs.unexplained(Round(
            1, 1, "xbind-switchserver/node-1", 1, 0, 0, None, second="xbind-switchserver/node-2",
            summary=summary))), [reason])

    @staticmethod
    def audit(*findings, **others):
        totals = {"unreadable": 0, "wrong_labels_and_hops": 0, "leaked_cells_per_s": 0,
                  "wrong_cross_connects": len(findings)}
        return {**totals, **others, "findings": [
            {"kind": "stray cross-connect", "element": element, "text": text}
            for element, text in findings]}

    def test_anything_else_in_an_audit_is_no_unclaimed_entry(self):
        stray = ("node-3 port 1", "port 1 0/34 -> port 2 0/65 is in the switch, in no ledger")
        count = kill_pairs.unclaimed_entries
        self.assertEqual(count(self.audit(), "node-3"), 0)
        self.assertEqual(count(self.audit(stray, stray), "node-3"), 2)
        self.assertIsNone(count(self.audit(stray), "node-4"))
        self.assertIsNone(count(self.audit(stray, ("node-33 port 1", stray[1])), "node-3"))
        self.assertIsNone(count(self.audit((stray[0], "another text")), "node-3"))
        for total in ("unreadable", "wrong_labels_and_hops", "leaked_cells_per_s"):
            self.assertIsNone(count(self.audit(stray, **{total: 1}), "node-3"))
        self.assertIsNone(count(self.audit(stray, wrong_cross_connects=2), "node-3"))
        self.assertIsNone(count({"error": {"name": "unreachable"}}, "node-3"))

    def test_the_alarm_of_that_node_counts_until_it_is_cleared(self):
        alarms = {"alarms": [
            {"kind": "entries-of-nobody", "about": node, "cleared_ms": cleared,
             "cause": f"{count} cross-connects are in no ledger: their contracts are not known"}
            for node, cleared, count in (("node-2", None, 5), ("node-3", 77, 6),
                                         ("node-3", None, 7))]}
        self.assertEqual(kill_pairs.unclaimed_by_alarm(alarms, "node-3"), 7)
        self.assertEqual(kill_pairs.unclaimed_by_alarm(alarms, "node-4"), 0)

    def test_calls_are_misrouted_that_were_set_up_while_the_network_was_wrong(self):
        setups = {1: (1.0, 1.9), 2: (1.9, 2.1), 3: (4.0, 4.1), 4: (4.4, 4.5)}
        self.assertEqual(list(kill_pairs.others_than_misrouted(setups, setups, (2.0, 4.0))), [1, 4])


class KilledUnderLoad(unittest.TestCase):

    rounds, pairs, seed, log, kept = 3, 3, 1, None, None

    def play(self, draw, count, columns):
        print(f"seed {self.seed}, {count} rounds\n{columns}", flush=True)
        for one in play_all(draw, self.seed, count, self.log, self.kept):
            with self.subTest(round=one.number, seed=one.seed, victim=one.victim,
                              second=one.second):
                self.assertEqual(one.troubles, ())

    def test_every_round_ends_well(self):
        draw = rounds_of
        if not MEMORY_COUNTS:  # under a sanitizer, which makes everything slower
            draw = partial(rounds_of, fastest=FAST_ENOUGH)
        self.play(draw, self.rounds, COLUMNS)

    def test_every_round_with_two_victims_ends_well(self):
        self.play(pairs_of, self.pairs, PAIR_COLUMNS)


def arguments():
    """Reads this file's own options and returns the others, which are unittest's."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("XBIND_KILL_ROUNDS", 3)))
    parser.add_argument("--pairs", type=int, default=int(os.environ.get("XBIND_KILL_ROUNDS", 3)))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--keep", type=Path)
    known, others = parser.parse_known_args()
    KilledUnderLoad.rounds, KilledUnderLoad.pairs = known.rounds, known.pairs
    drawn = random.SystemRandom().randrange(1_000_000)
    KilledUnderLoad.seed = drawn if known.seed is None else known.seed
    KilledUnderLoad.log, KilledUnderLoad.kept = known.log, known.keep
    return others


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *arguments()])
