#!/usr/bin/env python3
"""Bindings in the name service, and daemons that start before it."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

# Exit codes of a daemon (docs/options.md): another living daemon has its name; it was replaced.
EXIT_NAME_HELD, EXIT_REPLACED = 3, 4
NOWHERE = "127.0.0.1:9"  # no name service
BOUND = ["xbind/cmgr/default", "xbind/qosmapper/default", "xbind/routeobject/default",
         f"xbind/switchserver/{CALLER}", f"xbind/switchserver/{CALLEE}",
         f"xbind/switchserver/{MIDDLE}"]


class Names(InOneLab):

    def test_omniorbs_own_tool_lists_the_servants(self):
        listed = tool(self.lab, "nameclt", "list", "xbind/switchserver")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(set(listed.stdout.split()), {CALLER, MIDDLE, CALLEE})
        for kind in ("cmgr", "routeobject", "qosmapper"):
            self.assertEqual(tool(self.lab, "nameclt", "list", f"xbind/{kind}").stdout.split(),
                             ["default"])

    def test_our_tool_lists_and_waits(self):
        listed = tool(self.lab, "xbind-names", "list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for name in BOUND:
            self.assertIn(name, listed.stdout)
        waited = tool(self.lab, "xbind-names", "wait", *BOUND, "--timeout", "5")
        self.assertEqual(waited.returncode, 0, waited.stderr)

    def test_waiting_for_what_never_comes_ends_with_its_name(self):
        waited = tool(self.lab, "xbind-names", "wait", "xbind/cmgr/nobody", "--timeout", "0.3")
        self.assertEqual(waited.returncode, 1)
        self.assertIn("xbind/cmgr/nobody", waited.stderr)


class NamesThatAreNone(unittest.TestCase):

    def test_they_are_refused_with_exit_code_2(self):
        daemons = {"xbind-cmgr": [], "xbind-qosmapper": [],
                   "xbind-routeobject": ["--topology", PAPER_TOPOLOGY], "xbind-switchserver": []}
        for program, more in daemons.items():
            for name in ("", "a/b", "a b", "a\nb", "x" * 64):
                with self.subTest(program=program, name=name):
                    done = run(program, "--name", name, *more, env={"XBIND_NAME_SERVICE": NOWHERE},
                               timeout=10)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("name", done.stderr)
                    self.assertNotIn("a\nb", done.stderr)
        done = run("xbind-cmgr", "--routeobject", "", env={"XBIND_NAME_SERVICE": NOWHERE},
                   timeout=10)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--routeobject", done.stderr)


class ALoopbackAddressAndAFarNameService(unittest.TestCase):

    def test_it_is_said_at_the_start_and_names_both(self):
        # The kernel refuses to connect to the broadcast address: nothing leaves this machine.
        with started(["xbind-qosmapper", "--name-service", "255.255.255.255:2809"]) as daemon:
            wait_until(lambda: "is on another machine" in daemon.text(), "a warning")
            line = next(line for line in daemon.text().splitlines() if "another machine" in line)
            self.assertIn("--listen-address 127.0.0.1", line)
            self.assertIn("255.255.255.255:2809", line)
            self.assertEqual(daemon.end(), 0)


class ChangedNames(InOneLab):
    """Whatever others bind under the names of running daemons, no daemon ends."""

    def alive(self):
        return [name for name, process in self.lab.processes.items() if process.alive()]

    def log(self, name):
        return self.lab.processes[name].output()

    def nameclt(self, *words):
        done = tool(self.lab, "nameclt", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def call(self):
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE)
        self.assertEqual(done.returncode, 0, done.stderr)
        released = tool(self.lab, "xbindctl", "release", connection_of(done))
        self.assertEqual(released.returncode, 0, released.stderr)

    def wait_for_calls(self):
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", CALLER, CALLEE).returncode == 0,
                   "calls are set up")

    def attachments(self):
        return [self.log(f"xbind-switchserver/{node}").count("manager default attached")
                for node in (CALLER, MIDDLE, CALLEE)]

    def words_of(self, name):
        return list(map(str, self.lab.processes[name].command))

    # An object replaces a context.
    def test_an_object_where_a_context_was(self):
        before = self.alive()
        self.nameclt("-advanced", "rebind", "xbind/switchserver",
                     self.nameclt("resolve", "xbind/qosmapper/default"))
        servers = [f"xbind-switchserver/{node}" for node in (CALLER, MIDDLE, CALLEE)]
        for name in servers:
            wait_until(lambda log=name: "where a context must be" in self.log(log),
                       f"{name} says so")
        self.assertEqual(self.alive(), before)
        self.nameclt("unbind", "xbind/switchserver")
        wait_until(lambda: bound(self.lab) == set(BOUND), "all are bound again")
        for name in servers:  # retried every 50 ms, logged once
            self.assertEqual(self.log(name).count("where a context must be"), 1, self.log(name))
        self.assertEqual(self.alive(), before)
        self.wait_for_calls()

    # An object with another interface is no second daemon: the daemon takes its name back.
    def test_an_object_of_another_kind(self):
        before = self.alive()
        own = self.nameclt("resolve", "xbind/routeobject/default")
        self.nameclt("-advanced", "rebind", "xbind/routeobject/default",
                     self.nameclt("resolve", "xbind/qosmapper/default"))
        wait_until(lambda: self.nameclt("resolve", "xbind/routeobject/default") == own,
                   "RouteObject has its name again")
        self.assertIn("of another kind", self.log("xbind-routeobject"))
        # The same holds for an object of its interface that has another name.
        own = self.nameclt("resolve", f"xbind/switchserver/{CALLEE}")
        self.nameclt("-advanced", "rebind", f"xbind/switchserver/{CALLEE}",
                     self.nameclt("resolve", f"xbind/switchserver/{CALLER}"))
        wait_until(lambda: self.nameclt("resolve", f"xbind/switchserver/{CALLEE}") == own,
                   f"{CALLEE} has its name again")
        self.assertEqual(self.alive(), before)
        self.call()

    def test_a_second_of_a_living_one_ends_at_once_and_hurts_nobody(self):
        before = self.alive()
        attached = self.attachments()
        for name, path in (("xbind-cmgr", "xbind/cmgr/default"),
                           ("xbind-qosmapper", "xbind/qosmapper/default"),
                           ("xbind-routeobject", "xbind/routeobject/default"),
                           (f"xbind-switchserver/{MIDDLE}", f"xbind/switchserver/{MIDDLE}")):
            with self.subTest(name), started(self.words_of(name)) as second:
                self.assertEqual(second.wait(), EXIT_NAME_HELD, second.text())
                last = second.text().splitlines()[-1]
                self.assertIn(path, last)
                self.assertRegex(last, r"is alive at 127\.0\.0\.1:\d+")
                self.assertNotIn(" ready\n", second.text())
        self.assertEqual(self.alive(), before)
        # If the second manager had attached to a switch, the first would be fenced there.
        self.assertEqual(self.attachments(), attached)
        self.call()
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)

    def test_a_second_of_one_that_is_still_starting_ends_too(self):
        names = self.lab.client_environment()["XBIND_NAME_SERVICE"]
        words = ["xbind-cmgr", "--name", "late", "--routeobject", "nobody", "--name-service", names,
                 "--startup-patience-ms", "600000"]
        with started(words) as first:
            wait_until(lambda: "xbind/routeobject/nobody is not bound" in first.text(), "it waits")
            with started(words) as second:
                self.assertEqual(second.wait(), EXIT_NAME_HELD, second.text())
            first.process.kill()
            first.process.wait()
            with started(words) as third:
                wait_until(lambda: "xbind/routeobject/nobody is not bound" in third.text(),
                           "the third has begun")
                self.assertEqual(third.end(), 0, third.text())
        listed = tool(self.lab, "xbind-names", "list", "xbind/starting").stdout
        self.assertEqual(listed, "")

    def test_one_that_does_not_answer_is_taken_over_and_ends_when_it_wakes(self):
        for name in ("xbind-qosmapper", f"xbind-switchserver/{CALLEE}", "xbind-cmgr"):
            with self.subTest(name):
                first = self.lab.processes[name]
                suspend(first.pid)
                with started(self.words_of(name)) as second:
                    wait_until(lambda log=second: " ready\n" in log.text(), "the second is ready")
                    self.assertIn("does not answer", second.text())
                    first.signal(signal.SIGCONT)
                    wait_until(lambda one=first: not one.alive(), "the first has ended")
                    self.assertEqual(first.popen.returncode, EXIT_REPLACED, first.output())
                    self.assertRegex(first.output().splitlines()[-1],
                                     r"ended with exit code 4: .*(another running|fenced)")
                    self.wait_for_calls()
                    # The first daemon's end has removed neither the second's name nor its watch.
                    self.assertEqual(bound(self.lab), set(BOUND))
                    second.process.kill()
                    second.process.wait()
                    # Its reference refuses connections, so the next daemon need not wait.
                    self.lab.start(name)
                    self.lab.wait_ready(first)
                self.wait_for_calls()

    def test_cannot_be_reached_names_the_address_that_was_tried(self):
        name = f"xbind-switchserver/{CALLEE}"
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the SwitchServer is dead")
        pattern = rf"switchserver {CALLEE} at 127\.0\.0\.1:\d+ cannot be reached"
        wait_until(lambda: re.search(pattern, self.log("xbind-cmgr")), "the manager says where")
        asked = tool(self.lab, "xbindctl", "ports", CALLEE)
        self.assertRegex(asked.stderr, r"at 127\.0\.0\.1:\d+ cannot be reached")
        self.lab.start(name)
        self.lab.wait_ready(process)
        self.wait_for_calls()
    def test_without_an_option_our_tools_ask_the_name_service_that_omniorbs_ask(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "omniORB.cfg"
            config.write_text(f"InitRef = NameService={self.lab.names_uri()}\n")
            for environment in ({"OMNIORB_CONFIG": str(config)},
                                {"ORBInitRef": f"NameService={self.lab.names_uri()}"}):
                for command in (["nameclt", "list", "xbind/cmgr"], ["xbindctl", "list"],
                                ["xbind-names", "list"]):
                    done = run(*command, env=environment)
                    self.assertEqual(done.returncode, 0, (environment, command, done.stderr))
            config.write_text(f"InitRef = NameService=corbaloc::{NOWHERE}/NameService\n")
            lost = run("xbindctl", "list", env={"OMNIORB_CONFIG": str(config)})
            self.assertEqual(lost.returncode, 1)
            self.assertIn(f"name service at {NOWHERE} (from omniORB's configuration)", lost.stderr)
            reported = run("xbindctl", "--name-service", self.lab.names_address(), "list",
                       env={"OMNIORB_CONFIG": str(config)})
            self.assertEqual(reported.returncode, 0, reported.stderr)


class Clearing(unittest.TestCase):

    def test_clear_takes_away_what_is_named(self):
        with lab_up() as lab:
            cleared = tool(lab, "xbind-names", "clear", f"xbind/switchserver/{CALLEE}")
            self.assertEqual(cleared.returncode, 0, cleared.stderr)
            left = tool(lab, "nameclt", "list", "xbind/switchserver").stdout.split()
            self.assertEqual(set(left), {CALLER, MIDDLE})


class NameServiceComesAndGoes(unittest.TestCase):

    def test_daemons_wait_for_it(self):
        with planned_lab() as lab:
            with planning(lab):
                servants = [name for name in lab.processes if name != "omniNames"]
                lab.start(*servants)
                time.sleep(1.0)  # longer than it takes to give up
                for name in servants:
                    self.assertTrue(lab.processes[name].alive(), name)
                    if not name.startswith("xbind-switch/"):
                        self.assertNotIn(" ready\n", lab.processes[name].output(), name)
                lab.start("omniNames")
                lab.wait_ready(lab.processes["omniNames"])
            for name in servants:
                lab.wait_ready(lab.processes[name])
            self.assertEqual(bound(lab), set(BOUND))

    def test_daemons_bind_again_when_it_has_lost_its_memory(self):
        with lab_up() as lab:
            self.assertEqual(end([lab.processes["omniNames"]]), [])
            names = lab.state_dir / "names"
            shutil.rmtree(names)
            names.mkdir()
            lab.start("omniNames")
            lab.wait_ready(lab.processes["omniNames"])
            wait_until(lambda: bound(lab) == set(BOUND), "all servants are bound again")
            done, summary = offer(lab, Load(calls=50, rate=200))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 50)


class Daemon:
    """A daemon beside the lab; its output goes to a file."""

    def __init__(self, process, log):
        self.process = process
        self.log = log

    def text(self):
        return self.log.read_text(errors="replace")

    def wait(self):
        return self.process.wait(timeout=20)

    def end(self):
        self.process.terminate()
        return self.wait()


@contextlib.contextmanager
def started(words):
    with tempfile.TemporaryDirectory(prefix="xbind-test-") as directory:
        log = Path(directory) / "log"
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("XBIND_", "ORB", "OMNIORB_"))}
        with open(log, "wb") as output, subprocess.Popen(
                [str(BIN / Path(words[0]).name), *words[1:]], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, env=environment) as process:
            try:
                yield Daemon(process, log)
            finally:
                process.kill()


def bound(lab):
    listed = tool(lab, "xbind-names", "list").stdout
    return {name for name in BOUND if name in listed}


if __name__ == "__main__":
    unittest.main()
