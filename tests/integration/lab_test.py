#!/usr/bin/env python3
"""deploy/lab and ./quickstart as an operator meets them: exit codes, words, nothing left behind."""

import contextlib
import json
import os
import signal
import socket
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LAB = ROOT / "deploy" / "lab"
QUICKSTART = ROOT / "quickstart"


class LabCommand(unittest.TestCase):

    def setUp(self):
        self.state = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-lab-")))
        self.addCleanup(self.lab, "down")

    def lab(self, command, *more, state=None):
        return run(LAB, command, "--state-dir", state or self.state, *more, timeout=120)

    def up(self, *more, state=None):
        done = self.lab("up", "--names-port", "0", "--bin-dir", BIN, "--no-omniorb-config", *more,
                        state=state)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(self.lab("status", "--json", state=state).stdout)

    def test_its_life(self):
        self.assertEqual(self.lab("status").returncode, 3)
        state = self.up()
        names = {process["name"] for process in state["processes"]}
        self.assertEqual(len(names), 10)  # 3 x (switch, SwitchServer), 3 servants, name service
        self.assertTrue(all(process["alive"] for process in state["processes"]))
        status = self.lab("status")
        self.assertEqual(status.returncode, 0)
        self.assertRegex(status.stdout, r"host-a:2 to switch-1:1 +mpls, UDP [\d.]+:6635 and ")
        self.assertRegex(status.stdout, r"host-a:1 to host at host-a +mpls, UDP [\d.]+:6635 and ")
        self.assertEqual(set(state["endpoints"]), {CALLER, CALLEE})

        second = self.lab("up", "--names-port", "0", "--bin-dir", BIN)
        self.assertEqual(second.returncode, 1)
        self.assertIn("up already", second.stderr)
        self.assertEqual(self.lab("status").returncode, 0)

        listed = self.lab("run", "--", "nameclt", "list", "xbind/switchserver")
        self.assertEqual(set(listed.stdout.split()), {CALLER, MIDDLE, CALLEE})
        self.assertEqual(self.lab("run", "--", "xbindctl", "audit").returncode, 0)
        self.assertEqual(self.lab("run", "--", "false").returncode, 1)
        self.assertIn("xbind-cmgr default ready", self.lab("logs", "xbind-cmgr", "-n", "999").stdout)
        self.assertIn("names 0 of", self.lab("logs", "nobody").stderr)

        down = self.lab("down")
        self.assertEqual(down.returncode, 0, down.stderr)
        for process in state["processes"]:
            self.assertFalse(Path(f"/proc/{process['pid']}/exe").exists(), process["name"])
        self.assertEqual(self.lab("status").returncode, 3)
        self.assertEqual(self.lab("down").returncode, 0)

    def test_it_tells_what_has_died_and_starts_over_a_dead_one(self):
        state = self.up()
        pids = {process["name"]: process["pid"] for process in state["processes"]}
        os.kill(pids["xbind-qosmapper"], signal.SIGKILL)
        wait_until(lambda: self.lab("status").returncode == 1, "status says that one is gone")
        self.assertRegex(self.lab("status").stdout, r"xbind-qosmapper .*GONE")
        for pid in pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(process["alive"] for process in
                                   json.loads(self.lab("status", "--json").stdout)["processes"]),
                   "all are gone")
        self.up()

    def test_two_labs_side_by_side(self):
        with tempfile.TemporaryDirectory(prefix="xbind-lab-") as other:
            first, second = self.up(), self.up(state=other)
            try:
                def addresses(state):
                    return {p["address"] for p in state["processes"] if p["address"]}
                self.assertEqual(len(addresses(first)), 4)
                self.assertFalse(addresses(first) & addresses(second))
            finally:
                self.assertEqual(self.lab("down", state=other).returncode, 0)

    def test_several_managers(self):
        state = self.up("--managers", "3")
        managers = {process["name"] for process in state["processes"] if process["alive"]
                    and process["name"].startswith("xbind-cmgr")}
        self.assertEqual(managers, {"xbind-cmgr", "xbind-cmgr/manager-2", "xbind-cmgr/manager-3"})
        listed = self.lab("run", "--", "nameclt", "list", "xbind/cmgr")
        self.assertEqual(set(listed.stdout.split()), {"default", "manager-2", "manager-3"})
        self.assertIn("manager-3 ready", self.lab("logs", "xbind-cmgr/manager-3").stdout)
        for name in ("default", "manager-2", "manager-3"):
            done = self.lab("run", "--", "xbindctl", "--manager", name, "audit")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_daemon_that_cannot_start_is_named_and_nothing_stays(self):
        done = self.lab("up", "--names-port", "0", "--bin-dir", BIN, "--cmgr-option", "engine=steam")
        self.assertEqual(done.returncode, 1)
        self.assertIn("xbind-cmgr", done.stderr)
        self.assertIn("steam", done.stderr)
        self.assertEqual(self.lab("status").returncode, 3)

    def test_refusals(self):
        self.assertEqual(self.lab("up", "no-such-file.toml").returncode, 1)
        self.assertEqual(self.lab("up", "--no-such-option").returncode, 2)
        self.assertEqual(self.lab("up", "--loopback-net", "10.0.0").returncode, 2)
        self.assertEqual(self.lab("up", "--managers", "17").returncode, 2)
        self.assertEqual(self.lab("up", "--label-policy", "greedy").returncode, 2)
        self.assertEqual(self.lab("logs").returncode, 1)
        with socket.create_server(("127.0.0.1", 0)) as somebody:
            port = somebody.getsockname()[1]
            taken = self.lab("up", "--names-port", str(port), "--bin-dir", BIN)
        self.assertEqual(taken.returncode, 1)
        self.assertIn(f"port {port} of 127.0.0.1 is taken", taken.stderr)


class Quickstart(unittest.TestCase):
    """What it refuses. The runs themselves are its own affair: it builds."""

    def refused(self, *words, say):
        done = run(QUICKSTART, *words)
        self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
        self.assertIn(say, done.stderr)
        self.assertNotIn("[build]", done.stdout)

    def test_options_that_cannot_be(self):
        self.refused("--no-such-option", say="--no-such-option")
        self.refused("--rate", "0", say="--rate")
        self.refused("--rate", "nan", say="--rate")
        self.refused("--calls", "1.5", say="--calls")
        self.refused("--calls", say="--calls")
        self.refused("--hold", "-1", say="--hold")
        self.refused("--topology", "no-such-file.toml", say="no-such-file.toml")
        self.refused("--json", "/no/such/folder/q.json", say="/no/such/folder")
        self.refused("--labels-per-port", "0", say="--labels-per-port")
        self.refused("--managers", "0", say="--managers")
        self.refused("--managers", "17", say="from 1 to 16")
        self.refused("--engine", "steam", say="sequential, threaded, xbind")
        self.refused("--threshold", "often", say="regions or adaptive")
        self.refused("--label-policy", "greedy", say="fixed, competitive, cooperative")
        self.refused("--sweep", "floor", say="engines, adaptive, cache")

    def test_options_that_do_not_go_together(self):
        self.refused("--engine", "sequential", "--threshold", "10", say="takes no threshold but 1")
        self.refused("--threshold", "adaptive", "--engine", "threaded", say="sends each alone")
        self.refused("--sweep", "cache", "--rate", "5", say="only --json")
        self.refused("--bench", "--sweep", "cache", say="--bench brings its own load")

    def test_help(self):
        done = run(QUICKSTART, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--labels-per-port N", done.stdout)


if __name__ == "__main__":
    unittest.main()
