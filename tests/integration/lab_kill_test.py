#!/usr/bin/env python3
"""`deploy/lab kill`, `deploy/lab start` and `deploy/lab up --respawn`, as an operator uses them."""

import contextlib
import json
import os
import re
import signal
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LAB = ROOT / "deploy" / "lab"
MANAGER, MAPPER, NAMES = "xbind-cmgr", "xbind-qosmapper", "omniNames"
SERVER, SWITCH = f"xbind-switchserver/{MIDDLE}", f"xbind-switch/{MIDDLE}"


class OperatorsLab(unittest.TestCase):
    """Tests that share a lab of deploy/lab. `UP` holds further options of `up`."""

    UP = ()

    @classmethod
    def setUpClass(cls):
        cls.state = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="xbind-lab-")))
        cls.addClassCleanup(cls.lab, "down")
        done = cls.lab("up", "--names-port", "0", "--bin-dir", BIN, "--no-omniorb-config", *cls.UP)
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def lab(cls, command, *more, env=None):
        return run(LAB, command, "--state-dir", cls.state, *more, env=env, timeout=120)

    def answer(self, command, *more, env=None):
        done = self.lab(command, *more, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def tool(self, *command):
        return self.answer("run", "--", *command)

    def refused(self, command, *more, say, code=1):
        done = self.lab(command, *more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(say, done.stderr)

    def status(self):
        return json.loads(self.lab("status", "--json").stdout)

    def process(self, name):
        return next(one for one in self.status()["processes"] if one["name"] == name)

    def connect(self):
        """The id of a new call, as soon as one passes."""
        connected = wait_until(
            lambda: (one := self.lab("run", "--", "xbindctl", "connect", CALLER, CALLEE))
            .returncode == 0 and one, "a call passes")
        return connection_of(connected)


class KilledAndStarted(OperatorsLab):

    UP = ("--scheduling", "batch")

    def circumstances(self, name):
        """What a process has from its start."""
        pid = self.process(name)["pid"]
        proc = Path(f"/proc/{pid}")
        return {"command": (proc / "cmdline").read_bytes(),
                "environment": sorted((proc / "environ").read_bytes().split(b"\0")),
                "folder": os.readlink(proc / "cwd"), "policy": os.sched_getscheduler(pid),
                "output": os.readlink(proc / "fd" / "1")}

    def kill_and_start(self, name, *how):
        """Returns what `status` says of the process while it is down."""
        before, old = self.circumstances(name), self.process(name)
        log = Path(old["log"]).read_bytes()
        killed = self.answer("kill", name, *how)
        said = how[-1] if how else "KILL"
        self.assertEqual(killed, f"{name} (pid {old['pid']}) has ended by SIG{said}\n")
        self.assertFalse(Path(f"/proc/{old['pid']}/exe").exists())
        down = self.lab("status")
        self.assertEqual(down.returncode, 1)
        self.assertRegex(down.stdout, rf"  {name} +{old['pid']}  GONE  since [-\d]+ [:\d]+ .*"
                                      rf"SIG{said} by deploy/lab kill\n")

        # The environment of another shell does not matter.
        started = self.answer("start", name, env={"LANG": "xx", "XBIND_THRESHOLD": "9"})
        new = self.process(name)
        self.assertEqual(started, f"{name} (pid {new['pid']}) is ready\n")
        self.assertNotEqual(new["pid"], old["pid"])
        self.assertEqual((new["alive"], new["restarts"]), (True, old["restarts"] + 1))
        self.assertEqual(self.circumstances(name), before)
        self.assertTrue(Path(new["log"]).read_bytes().startswith(log))
        self.assertEqual(self.lab("status").returncode, 0)

    def test_the_manager(self):
        call = self.connect()
        self.kill_and_start(MANAGER)
        self.assertRegex(self.tool("xbindctl", "list"), rf"(?m)^ *{call}\b")
        self.tool("xbindctl", "release", call)

    def test_the_switchserver_in_the_middle(self):
        self.kill_and_start(SERVER)
        self.tool("xbindctl", "release", self.connect())

    def test_the_name_service_keeps_its_names(self):
        self.tool("nameclt", "bind_new_context", "kept")
        self.kill_and_start(NAMES)
        self.assertEqual(set(self.tool("nameclt", "list").split()), {"kept/", "xbind/"})
        self.assertEqual(set(self.tool("nameclt", "list", "xbind/switchserver").split()),
                         {CALLER, MIDDLE, CALLEE})
        self.kill_and_start(NAMES, "--signal", "TERM")
        self.assertIn("kept/", self.tool("nameclt", "list").split())
        self.tool("xbindctl", "release", self.connect())

    def test_a_switch(self):
        def control():
            return re.findall(r"^xbind-switch control on (\S+)$",
                              Path(self.process(SWITCH)["log"]).read_text(), re.MULTILINE)
        self.kill_and_start(SWITCH)
        self.assertEqual(len(set(control())), 1)
        self.assertGreater(len(control()), 1)
        self.tool("xbindctl", "release", self.connect())
        self.assertIn("is down\n", self.answer("cut", MIDDLE, "1"))
        self.answer("mend", MIDDLE, "1")

    def test_several_at_once(self):
        killed = self.answer("kill", MANAGER, NAMES, MAPPER, "--signal", "sigint")
        self.assertEqual(re.findall(r"^(\S+) .* has ended by SIGINT$", killed, re.MULTILINE),
                         [MANAGER, NAMES, MAPPER])
        started = self.answer("start", MANAGER, NAMES, MAPPER)
        self.assertEqual(re.findall(r"^(\S+) .* is ready$", started, re.MULTILINE),
                         [NAMES, MAPPER, MANAGER])  # the order in which they need each other
        self.tool("xbindctl", "release", self.connect())

    def test_an_end_that_nobody_has_noticed(self):
        os.kill(self.process(MAPPER)["pid"], signal.SIGKILL)
        wait_until(lambda: self.lab("status").returncode == 1, "status says that one is gone")
        self.assertRegex(self.lab("status").stdout, rf"{MAPPER} .* GONE  after [-\d]+ [:\d]+ ")
        self.assertIsNone(self.process(MAPPER)["since"])
        self.refused("kill", MAPPER, say=f"{MAPPER} is down already")
        self.answer("start", MAPPER)

    def test_refusals(self):
        pids = [one["pid"] for one in self.status()["processes"]]
        for command in ("kill", "start"):
            self.refused(command, MANAGER, "xbind-cmg",
                         say="no process of this lab is named xbind-cmg; it has omniNames, "
                             f"xbind-switch/{CALLER}, {SWITCH}, ")
            self.refused(command, code=2, say="NAME")
        self.refused("start", MANAGER, say=f"{MANAGER} is up already")
        self.refused("kill", MANAGER, "--signal", "STOP", code=2, say="ends a daemon: KILL, TERM")
        with tempfile.TemporaryDirectory() as empty:
            for command in ("kill", "start", "keep"):
                done = run(LAB, command, "--state-dir", empty,
                           *([] if command == "keep" else [MANAGER]))
                self.assertEqual(done.returncode, 1)
                self.assertIn("no lab is up", done.stderr)
        self.assertEqual([one["pid"] for one in self.status()["processes"]], pids)

    def test_a_daemon_that_does_not_become_ready_is_named(self):
        self.answer("kill", NAMES, MANAGER)
        done = self.lab("start", MANAGER, "--timeout", "1")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, rf"{MANAGER} did not report ready in time(.*\n)*"
                                      "omniNames is down, and the daemons wait for it\n$")
        self.assertTrue(self.process(MANAGER)["alive"])
        self.answer("start", NAMES)
        self.tool("xbindctl", "release", self.connect())


class Respawned(OperatorsLab):

    UP = ("--respawn",)

    def wait_for_restart(self, name, restarts):
        def back():
            one = self.process(name)
            return one["alive"] and one["restarts"] == restarts and one
        return wait_until(back, f"{name} is up again")

    def test_what_ends_comes_back(self):
        keeper = self.status()["keeper"]
        self.assertTrue(keeper["alive"])
        self.assertRegex(self.lab("status").stdout, rf"  keeper +{keeper['pid']}  up    since ")

        old = self.process(MAPPER)["pid"]
        os.kill(old, signal.SIGKILL)
        new = self.wait_for_restart(MAPPER, 1)
        self.assertIn(f"keeper: {MAPPER} (pid {old}): ended; starts again in 1 s\n",
                      self.answer("logs", "keeper"))

        killed = self.answer("kill", NAMES)
        self.assertIn("has ended by SIGKILL; the keeper starts it again", killed)
        self.assertRegex(self.lab("status").stdout,
                         rf"{NAMES} .*GONE .*by deploy/lab kill(; starts again at [-\d]+ [:\d]+)?")
        self.wait_for_restart(NAMES, 1)
        wait_until(lambda: self.lab("run", "--", "nameclt", "list", "xbind/cmgr").returncode == 0,
                   "the name service answers")
        self.tool("xbindctl", "release", self.connect())

        # A closed terminal ends neither the keeper nor what the keeper has started.
        for pid in (keeper["pid"], new["pid"]):
            os.kill(pid, signal.SIGHUP)
        log = Path(new["log"])
        wait_until(lambda: "SIGHUP" in log.read_text(), f"{log.name} shows SIGHUP")
        self.assertEqual(self.lab("status").returncode, 0)
        self.refused("up", "--names-port", "0", "--bin-dir", BIN, say="a lab is up already")

    def test_the_operators_start_does_not_wait(self):
        before = self.process(MANAGER)["restarts"]
        self.answer("kill", MANAGER)
        done = self.lab("start", MANAGER)  # unless the keeper was faster
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.wait_for_restart(MANAGER, before + 1)
        self.tool("xbindctl", "release", self.connect())


class Down(unittest.TestCase):

    def test_it_leaves_no_process_not_even_one_that_is_to_be_started(self):
        with tempfile.TemporaryDirectory(prefix="xbind-lab-") as state, \
                contextlib.ExitStack() as stack:
            stack.callback(run, LAB, "down", "--state-dir", state)
            up = run(LAB, "up", "--state-dir", state, "--names-port", "0", "--bin-dir", BIN,
                     "--no-omniorb-config", "--respawn")
            self.assertEqual(up.returncode, 0, up.stderr)
            status = json.loads(run(LAB, "status", "--state-dir", state, "--json").stdout)
            environment = Path(state) / "environment.json"
            self.assertEqual(environment.stat().st_mode & 0o777, 0o600)
            self.assertEqual(run(LAB, "kill", "--state-dir", state, NAMES).returncode, 0)
            down = run(LAB, "down", "--state-dir", state)
            self.assertEqual((down.returncode, down.stderr), (0, ""))
            for process in [*status["processes"], status["keeper"]]:
                self.assertFalse(Path(f"/proc/{process['pid']}/exe").exists(), process["name"])
            self.assertEqual(run("pgrep", "-f", f"^[^ ]*(xbind-|omniNames|python).*{state}").stdout,
                             "")
            self.assertFalse(environment.exists())
            log = (Path(state) / "logs" / "keeper.log").read_text()
            self.assertRegex(log, r"keeper: ending\n$")


if __name__ == "__main__":
    unittest.main()
