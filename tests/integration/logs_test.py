#!/usr/bin/env python3
"""The logs of the daemons: their form, their file, their level, and lines of the ORB.

Each test has daemons of its own, because it needs their files.
"""

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path

import giop
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

FIELDS = {"time", "level", "program", "name", "subsystem", "call", "text"}
LEVELS = {"debug", "info", "warn", "error"}


def records(path):
    """The lines of a log of JSON, each parsed."""
    return [json.loads(line) for line in path.read_text().splitlines()]


class Logs(unittest.TestCase):

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-test-")))

    def file_of(self, program):
        return self.folder / f"{program}.log"

    def options(self, *programs, **more):
        """Each of these programs writes JSON to a file of its own."""
        return {program: [(None, "log-format", "json"),
                          (None, "log-file", str(self.file_of(program))),
                          *((None, option.replace("_", "-"), value)
                            for option, value in more.items())]
                for program in programs}

    def texts(self, program):
        return [record["text"] for record in records(self.file_of(program))]

    def about(self, subsystem):
        """The manager's lines of that subsystem."""
        return [record for record in records(self.file_of("xbind-cmgr"))
                if record.get("subsystem") == subsystem]

    def ctl(self, lab, *words):
        done = tool(lab, "xbindctl", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    # ----- JSON ------------------------------------------------------------------------------

    def test_json_lines_carry_their_fields_under_load(self):
        with lab_up(more=self.options(*DAEMONS, log_level="debug")) as lab:
            done, _ = offer(lab, Load(calls=300, rate=300))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for program in DAEMONS:
            lines = records(self.file_of(program))
            self.assertTrue(lines, program)
            for line in lines:
                self.assertLessEqual(line.keys(), FIELDS, line)
                self.assertGreaterEqual(line.keys(), {"time", "level", "program", "text"}, line)
                self.assertEqual(line["program"], program)
                self.assertIn(line["level"], LEVELS)
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                datetime.fromisoformat(line["time"])
        named = {line["name"] for line in records(self.file_of("xbind-switchserver"))}
        self.assertEqual(named, {CALLER, MIDDLE, CALLEE})

    def test_a_line_about_a_call_has_its_number(self):
        with lab_up(more=self.options("xbind-cmgr")) as lab:
            call = int(connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE)))
            end([lab.process_of("xbind-switchserver", MIDDLE)])
            tool(lab, "xbindctl", "clear", str(call), "--force")
            about = [line for line in records(self.file_of("xbind-cmgr")) if "call" in line]
            self.assertTrue(about)
            for line in about:
                self.assertEqual(line["call"], call)
                self.assertIn(f"connection {call}", line["text"])
            lab.start("xbind-switchserver/" + MIDDLE)

    # ----- rotation --------------------------------------------------------------------------

    def test_rotation_loses_no_line(self):
        """A switch logs a line for each controller that connects; meanwhile its file is renamed
        again and again."""
        log = self.file_of("xbind-switch")
        with subprocess.Popen([BIN / "xbind-switch", "--name", "s", "--listen", "127.0.0.1:0",
                               "--log-format", "json", "--log-file", log],
                              stdout=subprocess.PIPE, text=True) as switch:
            try:
                ready = switch.stdout.readline()
                host, port = re.search(r"listening on (\S+):(\d+)", ready).groups()
                logs = [log]
                for number in range(400):
                    socket.create_connection((host, int(port))).close()
                    if number % 40 == 39:
                        logs.append(log.with_suffix(f".{number}"))
                        log.rename(logs[-1])
                        switch.send_signal(signal.SIGHUP)
                        wait_until(log.exists, "the switch has opened its log again")
                said = lambda: [line["text"] for path in logs for line in records(path)]
                wait_until(lambda: sum(text.endswith(": a controller") for text in said()) >= 400,
                           "every controller is in the log")
            finally:
                switch.terminate()
        self.assertEqual(switch.returncode, 0)
        controllers = Counter(text for text in said() if text.endswith(": a controller"))
        self.assertEqual(len(controllers), 400)
        self.assertEqual(set(controllers.values()), {1})
        self.assertEqual(sum("was opened again" in text for text in said()), 10)
        for path in logs[1:-1]:
            self.assertIn("a controller", path.read_text())

    def test_sighup_without_files_changes_nothing(self):
        reloads = "SIGHUP: the options are reloaded: all as they were"
        with lab_up(console=True) as lab:
            for name, said in (("xbind-cmgr", reloads), (f"xbind-switch/{MIDDLE}", reloads),
                               ("xbind-console", "(a terminal was closed?) changes nothing")):
                process = lab.processes[name]
                os.kill(process.pid, signal.SIGHUP)
                wait_until(lambda: said in process.output(), f"{name} has logged SIGHUP")
            self.ctl(lab, "status")

    def test_a_file_that_cannot_be_opened_ends_the_program(self):
        done = run("xbind-switch", "--name", "s", "--listen", "127.0.0.1:0", "--log-file",
                   self.folder / "nowhere" / "log")
        self.assertEqual(done.returncode, 2)
        self.assertIn("option --log-file: ", done.stderr)
        self.assertIn("No such file", done.stderr)

    # ----- levels at run time ----------------------------------------------------------------

    def test_a_level_changes_while_a_daemon_runs(self):
        programs = ("xbind-cmgr", "xbind-routeobject", "xbind-switchserver")
        with lab_up(more=self.options(*programs)) as lab:
            for program, daemon in zip(programs, (["manager"], ["routeobject"],
                                                  ["switchserver", MIDDLE])):
                with self.subTest(program):
                    changes = lambda: [text for text in self.texts(program) if "log level" in text]
                    self.assertIn("the log level is warn", self.ctl(lab, "log-level", *daemon,
                                                                    "warn"))
                    self.ctl(lab, "log-level", *daemon, "error")  # at warn no line says it
                    self.assertEqual(changes(), ["an operator sets the log level to warn"])
                    self.ctl(lab, "log-level", *daemon, "debug")
                    self.assertEqual(changes()[1:], ["an operator has set the log level to debug"])
            self.ctl(lab, "log-level", "manager", "debug")
            manager = lab.processes["xbind-cmgr"]
            self.assertIn("call", self.ctl(lab, "status"))
            os.kill(manager.pid, signal.SIGHUP)
            wait_until(lambda: any("was opened again" in text
                                   for text in self.texts("xbind-cmgr")),
                       "the manager has opened its log again")
            for words, said in (
                    (["manager", "loud"], "level 'loud' is none of debug, info, warn, error, off"),
                    (["manager", "cells", "info"], "subsystem 'cells' is none of calls, routes"),
                    (["manager", "calls", "loud"], "level 'loud' is none of"),
                    (["nobody", "info"], "DAEMON 'nobody' is none of"),
                    (["switchserver", "info"], "needs a NAME"),
                    (["manager", "calls", "info", "m"], "a SUBSYSTEM and a LEVEL: option")):
                refused = tool(lab, "xbindctl", "log-level", *words)
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn(said, refused.stderr)
            refused = tool(lab, "xbindctl", "log-level", "switchserver", "switch-9", "info")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("switch-9", refused.stderr)

    def test_subsystems_have_levels_of_their_own(self):
        """A call's lines name it, and appear where its subsystem's level shows them."""
        with lab_up(more=self.options("xbind-cmgr", "xbind-switchserver")) as lab:
            said = self.ctl(lab, "log-level", "all", "calls", "debug")
            for daemon in ("cmgr/default", "routeobject/default", "qosmapper/default",
                           f"switchserver/{MIDDLE}"):
                self.assertIn(f"xbind/{daemon}: the log level is info, calls debug", said)
            call = self.ctl(lab, "connect", CALLER, CALLEE).split()[0]
            of_calls = self.about("calls")
            self.assertTrue(of_calls)
            for line in of_calls:
                self.assertEqual(line["level"], "debug")
                self.assertEqual(str(line["call"]), call, line)
            sessions = self.about("sessions")
            self.assertTrue(sessions)
            self.assertEqual({line["level"] for line in sessions}, {"info"})
            self.assertIn("the log level is info\n", self.ctl(lab, "log-level", "manager",
                                                              "calls", "default"))
            self.ctl(lab, "release", call)
            self.assertEqual(self.about("calls"), of_calls)
            self.assertIn("the log level is info", self.ctl(lab, "log-level", "manager"))
            self.ctl(lab, "log-level", "manager", "gsmp=off,calls=debug,error")
            self.ctl(lab, "log-level", "manager", "default")
            self.assertIn("the log level is info\n", self.ctl(lab, "log-level", "manager"))

    def test_levels_of_subsystems_are_an_option(self):
        for wrong, said in (("calls=loud", "the level 'loud' is none of debug"),
                            ("cells=info", "the subsystem 'cells' is none of calls, routes")):
            done = run("xbind-cmgr", "--log-level", wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"option log-level: {said}", done.stderr)
        with lab_up(more=self.options("xbind-cmgr", log_level="calls=debug,warn")) as lab:
            self.assertIn("the log level is warn, calls debug",
                          self.ctl(lab, "log-level", "manager"))

    # ----- lines of omniORB ------------------------------------------------------------------

    def test_lines_of_the_orb_have_the_form_and_a_bound(self):
        """omniORB has a line for each string without its final zero octet, which any peer may
        send."""
        with lab_up(more=self.options("xbind-cmgr")) as lab:
            peer = giop.Remote(tool(lab, "nameclt", "resolve", "xbind/cmgr/default").stdout)
            self.addCleanup(peer.close)
            for _ in range(2_000):
                peer.invoke("outcome_of", lambda out: out.ulong(0).ulonglong(1))
            lines = [line for line in records(self.file_of("xbind-cmgr"))
                     if "zero length string" in line["text"]]
            self.assertIn(len(lines), (1, 2))  # two if a minute has passed
            for line in lines:
                self.assertEqual((line["level"], line["subsystem"], line["name"]),
                                 ("warn", "orb", "default"))
                self.assertRegex(line["text"],
                                 "^omniORB: Error: received an invalid zero length string")
            self.assertNotIn("zero length", lab.processes["xbind-cmgr"].output())

    def test_lines_of_the_orb_before_its_start_have_the_form(self):
        """omniORB reads its configuration before it has started."""
        log = self.file_of("xbind-names")
        run("xbind-names", "list", "--name-service", "127.0.0.1:1", "--log-format", "json",
            "--log-file", log, "-ORBtraceLevel", "10")
        lines = [line for line in records(log) if line.get("subsystem") == "orb"]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line["text"], "^omniORB: [^(]")

    # ----- the environment -------------------------------------------------------------------

    def test_a_misspelt_variable_is_refused(self):
        for program in (*DAEMONS, "xbindctl", "xbind-names"):
            with self.subTest(program):
                done = run(program, "--check-config", env={"XBIND_LOG_LEVLE": "debug"})
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("XBIND_LOG_LEVLE names no option of any program; "
                              "did you mean XBIND_LOG_LEVEL?", done.stderr)
        # Options of other programs, and variables of the lab and of tests, are not misspelt.
        done = run("xbind-qosmapper", "--check-config",
                   env={"XBIND_HOP_TIMER_MS": "x", "XBIND_BIN_DIR": "x", "XBIND_WATCH_PID": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
