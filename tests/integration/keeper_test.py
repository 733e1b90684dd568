#!/usr/bin/env python3
"""xbind-keeper in a ring of six switches: whatever ends or breaks, afterwards exactly the calls of
its file are up.

    node-1:2 == 2:node-2:3 == 2:node-3:3 == 2:node-4:3 == 2:node-5:3 == 2:node-6:3 == 3:node-1
"""

import collections
import json
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

import xbindctl_schemas
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control  # noqa: E402
from labkit.process import Process  # noqa: E402

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
EAST = {"name": "east", "from": "node-1", "to": "node-3", "cells-per-s": 700}
TRUNK = {"name": "trunk", "from": "node-4", "to": "node-6", "cells-per-s": 300, "both": True,
         "count": 3}
VOICE = {"name": "voice", "from": "node-2", "to": "node-5", "service-class": "voice-g711"}
USUAL = [EAST, TRUNK, VOICE]


def text_of(tables):
    def value(it):
        return json.dumps(it)  # strings, numbers and booleans are written alike in TOML
    return "\n".join("[[connection]]\n" + "".join(f"{key} = {value(it)}\n"
                                                  for key, it in table.items())
                     for table in tables)


def ends_of(tables):
    """How many calls there should be between which ends."""
    return collections.Counter({(table["from"], table["to"]): table.get("count", 1)
                                for table in tables})


class Kept(InOneLab):

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.file = cls.folder / "kept.toml"
        cls.file.write_text(text_of(USUAL))
        cls.LAB = {"topology": RING, "connections": cls.file,
                   "more": {"xbind-cmgr": [(None, "startup-patience-ms", 1000)]}}
        super().setUpClass()
        cls.keeper = cls.lab.processes["xbind-keeper"]
        wait_until((cls.lab.state_dir / "connections.json").exists, "the status is written")

    def setUp(self):
        self.want(USUAL)
        self.exactly(USUAL)

    # What the test asks

    def xbindctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def calls(self):
        """id -> the manager's call, of this client."""
        return {call["id"]: call
                for call in json.loads(self.xbindctl("list", "--client", "keeper", "--json"))
                ["calls"]}

    def status(self):
        document = json.loads((self.lab.state_dir / "connections.json").read_text())
        xbindctl_schemas.check("status", document, xbindctl_schemas.KEEPER)
        return document

    def state_of(self, name):
        """None: no such call is wanted yet."""
        return next((call for call in self.status()["calls"] if call["name"] == name), None)

    def log(self):
        return self.keeper.output()

    def up(self, tables):
        """Waits until exactly these calls are up; returns their ids."""
        wanted = ends_of(tables)

        def settled():
            calls = self.calls()
            there = collections.Counter((call["from"], call["to"]) for call in calls.values()
                                        if call["state"] == "connected"
                                        and call["condition"] == "up")
            status = self.status()
            return (there == wanted and len(calls) == wanted.total() and status["attached"]
                    and status["up"] == status["wanted"] == wanted.total()
                    and {call["id"] for call in status["calls"]} == set(calls) and calls)

        return set(wait_until(settled, f"exactly the wanted calls are up, {dict(wanted)}", 60))

    def exactly(self, tables):
        """The same; then the audit finds nothing."""
        ids = self.up(tables)
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean", 60)
        return ids

    # What the test does

    def want(self, tables):
        self.file.write_text(text_of(tables))
        self.keeper.signal(signal.SIGHUP)

    def restart(self, name, how=signal.SIGKILL):
        process = self.lab.processes[name]
        process.signal(how)
        wait_until(lambda: not process.alive(), f"{name} has ended")
        self.lab.start(name)
        self.lab.wait_ready(process)

    def line(self, switch, port, up):
        control.set_link(self.lab, control.link_at(self.lab, switch, port), up)


class Alarms(Kept):

    def alarm(self, kind, about, *words):
        done = tool(self.lab, "xbindctl", "alarms", "--json", "--kind", kind, *words)
        return next((one for one in json.loads(done.stdout)["alarms"] if one["about"] == about
                     and one["id"]), None)

    def raised(self, kind, about):
        return wait_until(lambda: self.alarm(kind, about), f"{kind} of {about} is raised", 60)

    def cleared(self, kind, about):
        wait_until(lambda: self.alarm(kind, about) is None, f"{kind} of {about} is cleared", 60)

    def test_a_connection_that_is_down_is_named_with_the_reason(self):
        begun_ms = time.time() * 1000
        wide = {**EAST, "name": "wide", "cells-per-s": 16_000_000}
        self.want([*USUAL, wide])
        alarm = self.raised("permanent-call-down", "connection wide")
        self.assertEqual((alarm["severity"], alarm["daemon"]), ("critical", "keeper/keeper"))
        self.assertTrue(begun_ms <= alarm["raised_ms"] <= time.time() * 1000, alarm)
        self.assertIn("1 of 1 call is not up", alarm["cause"])
        wait_until(lambda: "no bandwidth" in
                   self.alarm("permanent-call-down", "connection wide")["cause"],
                   "the cause is the refusal's")
        self.xbindctl("acknowledge", alarm["id"], "--who", "ann")
        self.want(USUAL)
        self.cleared("permanent-call-down", "connection wide")
        self.assertIn("all options are as they were", self.xbindctl("reload", "all"))

    def test_a_dead_keeper_is_an_alarm_although_no_call_is_up(self):
        self.want([{**EAST, "cells-per-s": 16_000_000}])
        wait_until(lambda: self.calls() == {}, "no call is up")
        self.keeper.signal(signal.SIGKILL)
        alarm = self.raised("keeper-silent", "keeper/keeper")
        self.assertEqual((alarm["severity"], alarm["daemon"]), ("major", "routeobject/default"))
        self.assertTrue(alarm["raised_ms"])
        self.lab.start("xbind-keeper")
        self.lab.wait_ready(self.keeper)
        self.cleared("keeper-silent", "keeper/keeper")

    def test_a_keeper_that_ends_in_order_is_none(self):
        self.keeper.signal(signal.SIGTERM)
        wait_until(lambda: not self.keeper.alive(), "it has ended")
        listed = tool(self.lab, "nameclt", "list", "xbind/keeper").stdout
        self.assertNotIn("keeper", listed)
        self.lab.start("xbind-keeper")
        self.lab.wait_ready(self.keeper)


class AfterFailures(Kept):

    def test_the_manager_is_killed(self):
        ids = self.exactly(USUAL)
        self.restart("xbind-cmgr")
        wait_until(lambda: self.log().count("attached to manager") > 1, "it has attached again")
        self.assertEqual(self.exactly(USUAL), ids)

    def test_the_manager_is_killed_while_calls_are_set_up(self):
        many = [*USUAL, {**EAST, "name": "many", "to": "node-5", "cells-per-s": 10, "count": 300}]
        self.want(many)
        wait_until(lambda: len(self.calls()) > 10, "some are there")
        self.restart("xbind-cmgr")
        self.exactly(many)

    def test_the_keeper_is_killed_while_calls_are_set_up(self):
        many = [*USUAL, {**EAST, "name": "many", "to": "node-6", "cells-per-s": 10, "count": 300}]
        self.want(many)
        wait_until(lambda: len(self.calls()) > 10, "some are there")
        self.restart("xbind-keeper")
        self.exactly(many)

    def test_the_keeper_is_killed_and_finds_its_calls(self):
        ids = self.exactly(USUAL)
        self.restart("xbind-keeper")
        self.assertIn("3 connections of 5 calls, of which 5 are up", self.log())
        self.assertEqual(self.exactly(USUAL), ids)

    def test_keeper_and_manager_are_killed_together(self):
        ids = self.exactly(USUAL)
        for name in ("xbind-keeper", "xbind-cmgr"):
            self.lab.processes[name].signal(signal.SIGKILL)
        for name in ("xbind-keeper", "xbind-cmgr"):
            process = self.lab.processes[name]
            wait_until(lambda process=process: not process.alive(), f"{name} has ended")
        self.lab.start("xbind-keeper", "xbind-cmgr")
        for name in ("xbind-cmgr", "xbind-keeper"):
            self.lab.wait_ready(self.lab.processes[name])
        self.assertEqual(self.exactly(USUAL), ids)

    def test_the_manager_comes_back_before_a_switchserver_and_no_call_is_set_up_twice(self):
        ids = self.exactly(USUAL)
        server = self.lab.processes["xbind-switchserver/node-2"]
        suspend(server.pid)
        try:
            self.restart("xbind-cmgr")
            wait_until(lambda: "the manager has not read 1 switch since its restart" in self.log(),
                       "the keeper waits", 60)
            # Listed, but not all of their hops are known: no second ones are set up.
            wait_until(lambda: set(self.calls()) == ids, "the manager has read the other switches")
            # An answer shows nothing of the memory that it is written to: whatever came before.
            for word in ("status", "list", "caches") * 3:
                self.xbindctl(word)
                self.assertEqual(set(self.calls()), ids, f"after {word}")
        finally:
            server.signal(signal.SIGCONT)
        self.assertEqual(self.exactly(USUAL), ids)

    def test_manager_and_switchserver_are_killed_together(self):
        """Calls through that SwitchServer stand."""
        server = "xbind-switchserver/node-2"
        for name in ("xbind-cmgr", server):
            self.lab.processes[name].signal(signal.SIGKILL)
        for name in ("xbind-cmgr", server):
            process = self.lab.processes[name]
            wait_until(lambda process=process: not process.alive(), f"{name} has ended")
        self.lab.start(server, "xbind-cmgr")
        for name in (server, "xbind-cmgr"):
            self.lab.wait_ready(self.lab.processes[name])
        self.exactly(USUAL)

    def test_a_switchserver_is_killed(self):
        self.restart("xbind-switchserver/node-2")
        self.exactly(USUAL)

    def test_a_line_is_cut_and_another_one_and_both_are_mended(self):
        self.line("node-1", 2, False)
        ids = self.exactly(USUAL)  # by the other way
        self.line("node-6", 3, False)
        wait_until(lambda: self.state_of("east")["state"] == "broken", "it is broken")
        self.assertEqual(set(self.calls()), ids)
        self.line("node-1", 2, True)
        self.assertEqual(self.exactly(USUAL), ids)
        self.line("node-6", 3, True)
        self.exactly(USUAL)


class Operators(Kept):

    def test_a_call_that_an_operator_releases_or_clears_comes_back(self):
        ids = self.exactly(USUAL)
        first, second, *_ = sorted(ids)
        self.xbindctl("release", first)
        self.xbindctl("clear", second, "--force")
        wait_until(lambda: f"call {first} is gone" in self.log()
                   and f"call {second} is gone" in self.log(), "it is noticed")
        self.assertEqual(len(self.exactly(USUAL) & ids), 3)

    def test_a_changed_file_is_read_at_sighup(self):
        ids = self.exactly(USUAL)
        other = [{**EAST, "cells-per-s": 800}, {**TRUNK, "count": 2},
                 {**VOICE, "name": "speech"}, {**EAST, "name": "new", "to": "node-4"}]
        self.want(other)
        self.assertEqual(len(self.exactly(other) & ids), 3)  # two of trunk, and voice
        self.assertIn("2 added, 1 removed, 2 changed, 0 as before", self.log())
        self.assertEqual(self.calls()[self.state_of("east")["id"]]["cells_per_s"], 800)

    def test_a_wrong_file_is_refused_with_its_line_and_changes_nothing(self):
        ids = self.exactly(USUAL)
        self.want([EAST, {**TRUNK, "cells-per-s": 0}])
        wait_until(lambda: "line 11: option --cells-per-s" in self.log()
                   and "the connections stay as they were" in self.log(), "it is refused")
        self.assertEqual(self.exactly(USUAL), ids)

    def test_what_does_not_fit_is_tried_again_and_says_why(self):
        self.want([*USUAL, {**EAST, "name": "huge", "cells-per-s": 900_000}])
        wait_until(lambda: (self.state_of("huge") or {"refusals": 0})["refusals"] > 1,
                   "it was tried again")
        huge = self.state_of("huge")
        self.assertEqual((huge["state"], huge["id"]), ("waiting", None))
        self.assertRegex(huge["last_refusal"], "no (route|bandwidth)")
        self.assertIsNotNone(huge["next_try"])
        self.assertIn("connection huge: ", self.log())
        self.assertEqual(len(self.calls()), 5)

    def test_an_end_in_order_leaves_the_calls_and_the_next_keeper_has_them(self):
        ids = self.exactly(USUAL)
        self.keeper.signal(signal.SIGTERM)
        wait_until(lambda: not self.keeper.alive(), "it has ended")
        self.assertEqual(self.keeper.popen.returncode, 0)
        self.assertEqual(set(self.calls()), ids)
        self.assertFalse(self.status()["attached"])
        self.lab.start("xbind-keeper")
        self.lab.wait_ready(self.keeper)
        self.assertEqual(self.exactly(USUAL), ids)


class StatusFile(unittest.TestCase):

    def test_document_and_schema_have_the_same_members(self):
        schema = json.loads((xbindctl_schemas.KEEPER / "status.json").read_text())
        described = {*schema["properties"], *schema["$defs"]["call"]["properties"]}
        text = (ROOT / "keeper" / "README.md").read_text().partition("## The status file")[2]
        rows = re.findall(r"^\| (`.*?`) \|", text.partition("\n## ")[0], re.MULTILINE)
        self.assertEqual(set(re.findall(r"`([\w]+)`", " ".join(rows))), described)


class Program(InOneLab):
    """Keepers that the tests start themselves."""

    LAB = {"topology": RING}

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "kept.toml"
        self.file.write_text(text_of(USUAL))

    def begin(self, name, *options):
        process = Process(
            name, [str(BIN / "xbind-keeper"), "--name-service", self.lab.names_address(),
                   "--connections", str(self.file), *options],
            log=self.folder / f"{name}.log", ready="^xbind-keeper .* ready.*$")
        self.addCleanup(end, [process])
        process.start(self.lab.daemon_environment())
        return process

    def start(self, name, *options):
        process = self.begin(name, *options)
        self.lab.wait_ready(process)
        return process

    def calls(self):
        done = tool(self.lab, "xbindctl", "list", "--client", "keeper", "--json")
        return json.loads(done.stdout)["calls"]

    def ended(self, process):
        wait_until(lambda: not process.alive(), "it has ended", 60)
        return process.popen.returncode

    def test_release_at_end_releases_every_call(self):
        process = self.start("only", "--release-at-end")
        wait_until(lambda: "all 5 calls are up" in process.output(), "all are up")
        self.assertEqual(len(self.calls()), 5)
        process.signal(signal.SIGTERM)
        self.assertEqual(self.ended(process), 0, process.log_tail())
        self.assertEqual(self.calls(), [])
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)

    def test_a_second_keeper_of_the_name_replaces_the_first_one(self):
        first = self.start("first")
        wait_until(lambda: "all 5 calls are up" in first.output(), "all are up")
        ids = {call["id"] for call in self.calls()}
        second = self.start("second", "--release-at-end")
        self.assertEqual(self.ended(first), 4, first.log_tail())
        self.assertEqual({call["id"] for call in self.calls()}, ids)
        second.signal(signal.SIGTERM)
        self.assertEqual(self.ended(second), 0, second.log_tail())
        self.assertEqual(self.calls(), [])

    def test_a_wrong_file_is_refused_with_exit_code_2(self):
        self.file.write_text(text_of([EAST, {**EAST, "name": "west", "speed": 5}]))
        for more in ([], ["--check-config"]):
            done = tool(self.lab, "xbind-keeper", "--connections", self.file, *more)
            self.assertEqual(done.returncode, 2)
            self.assertIn("kept.toml line 12: ", done.stderr)
            self.assertIn("speed", done.stderr)
        done = tool(self.lab, "xbind-keeper")
        self.assertEqual(done.returncode, 2)
        self.assertIn("connections", done.stderr)

    def test_a_keeper_without_a_manager_says_so_and_ends_on_sigterm(self):
        process = self.begin("early", "--manager", "nobody")
        wait_until(lambda: "xbind/cmgr/nobody" in process.output(), "it says what it misses")
        process.signal(signal.SIGTERM)
        self.assertEqual(self.ended(process), 0, process.log_tail())

    def test_check_config_accepts_a_file_and_starts_nothing(self):
        done = tool(self.lab, "xbind-keeper", "--connections", self.file, "--check-config")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
