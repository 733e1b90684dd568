#!/usr/bin/env python3
"""What the programs print, in a lab whose zone is not UTC: every time of day is UTC and says so;
output that cannot be written is a failure, and a reader that leaves ends the program."""

import datetime
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from scraping import get

NOT_WRITTEN = 74  # core/output.hpp
NO_SPACE = "standard output cannot be written: No space left on device"
STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d+)?(?![\d.])( UTC)?")
LAB = ROOT / "deploy" / "lab"


class InALab(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(mock.patch.dict(os.environ, {"TZ": "Asia/Kathmandu"}))  # 5:45 ahead
        cls.began = time.time()
        cls.lab = cls.enterClassContext(lab_up())

    def tearDown(self):
        self.done("release", "--all")

    def done(self, *words):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
        return done.stdout

    def start(self, *command, stdout):
        words = [str(word) for word in command]
        if (BIN / words[0]).exists():
            words[0] = str(BIN / words[0])
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **self.lab.client_environment()})


class OneClock(InALab):

    def assert_utc(self, text, at_least=1):
        """Every time in it says its zone and is of now."""
        stamps = list(STAMP.finditer(text))
        self.assertGreaterEqual(len(stamps), at_least, text)
        for stamp in stamps:
            self.assertEqual(stamp[3], " UTC", stamp[0])
            at = datetime.datetime.strptime(stamp[1], "%Y-%m-%d %H:%M:%S").replace(
                tzinfo=datetime.timezone.utc).timestamp()
            self.assertTrue(self.began - 2 <= at <= time.time() + 2, stamp[0])

    def test_every_time_is_utc_and_says_so(self):
        call = self.done("connect", CALLER, CALLEE).split()[0]
        self.done("modify", call, "--cells-per-s", "200")
        self.done("drain", MIDDLE, "2")
        try:
            wait_until(lambda: "drained" in self.done("alarms"), "an alarm")
            self.assert_utc(self.done("alarms"))
        finally:
            self.done("undrain", MIDDLE, "2")
        for words in (["describe", call], ["explain", call], ["trace"], ["trace", call],
                      ["events", "--kind", "calls"]):
            with self.subTest(words=words):
                self.assert_utc(self.done(*words))
        for program in ("xbind-cmgr", "xbind-routeobject"):
            log = self.lab.processes[program].log_tail(1000)
            self.assert_utc("\n".join(line for line in log.splitlines()
                                      if re.match(rf" *\d{{4}}-.* {program} ", line)))

    def test_the_labs_own_times(self):
        directory = ["--state-dir", self.lab.state_dir]
        self.assert_utc(run(LAB, "status", *directory).stdout, len(self.lab.processes))
        for process in json.loads(run(LAB, "status", "--json", *directory).stdout)["processes"]:
            self.assertRegex(process["since"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


class FullDisk(InALab):

    def refused(self, *command):
        with open("/dev/full", "w", encoding="ascii") as full:
            with self.start(*command, stdout=full) as process:
                _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, NOT_WRITTEN, (command, errors))
        self.assertIn(NO_SPACE, errors)
        return errors

    def test_no_program_succeeds(self):
        self.done("connect", CALLER, CALLEE)
        switch = control_of(self.lab, MIDDLE)
        commands = [["xbindctl", *words.split()] for words in (
            "network show", "list", "links --json", "status", "events", "alarms --json",
            "explain causes", "completion bash", "top --frames 1 --watch=0.2")]
        commands += [[program, "--help"] for program in sorted(
            file.name for file in BIN.iterdir()
            if re.match(r"(xbind-|xbindctl$|gsmpdump)", file.name))]
        commands += [
            ["xbind-cmgr", "--version"], ["xbind-callgen", "run", "--help"],
            ["xbind-callgen", "search"], ["xbind-names", "list"],
            ["xbind-switch", "tell", switch, "status"],
            ["xbind-routeobject", "--topology", PAPER_TOPOLOGY, "--describe-topology"],
            ["gsmpdump", "--hex", "880c"],
            [LAB, "--help"], [LAB, "convert", PAPER_TOPOLOGY, "--bin-dir", BIN],
            [LAB, "status", "--state-dir", self.lab.state_dir / "none"]]
        for command in commands:
            with self.subTest(command=command):
                self.refused(*command)

    def test_a_call_that_was_set_up_is_named(self):
        for form in ([], ["--json"]):
            with self.subTest(form=form):
                errors = self.refused("xbindctl", "connect", CALLER, CALLEE, *form)
                up = [line.split()[0] for line in self.done("list").splitlines()
                      if line[:1].isdigit()]
                self.assertIn(up[-1], errors)
                self.assertIn("connected", errors)

    def test_the_files_of_a_run_are_written(self):
        with tempfile.TemporaryDirectory() as directory:
            json_file = Path(directory) / "run.json"
            self.refused("xbind-callgen", "run", "--calls", 10, "--rate", 100, "--json", json_file)
            self.assertEqual(json.loads(json_file.read_text())["setups"]["attempted"], 10)

    def test_a_closed_output_is_no_connection(self):
        closed = subprocess.run(
            ["bash", "-c", f"'{BIN}/xbindctl' list >&-"], stderr=subprocess.PIPE, text=True,
            env={**os.environ, **self.lab.client_environment()}, timeout=60, check=False)
        self.assertEqual(closed.returncode, NOT_WRITTEN, closed.stderr)
        self.assertIn("Bad file descriptor", closed.stderr)


class ReaderThatLeaves(InALab):

    def ends(self, *command, after="\n"):
        """Reads the first line, leaves, and waits for the end."""
        with self.start(*command, stdout=subprocess.PIPE) as process:
            try:
                self.assertTrue(process.stdout.readline().endswith(after))
                process.stdout.close()
                self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE,
                                 (command, process.stderr.read()))
                self.assertEqual(process.stderr.read(), "")
            finally:
                process.kill()

    def test_a_command_that_repeats_ends(self):
        self.done("connect", CALLER, CALLEE)
        # Events come no more; 3600: it does not wait for its next frame.
        for words in ("list --watch=0.2", "links --watch=0.2 --json", "top --watch=0.2",
                      "events --watch=0.2", "list --watch=3600"):
            with self.subTest(words=words):
                self.ends("xbindctl", *words.split())

    def test_a_long_measurement_ends_in_order(self):
        self.ends("xbind-callgen", "soak", "--rate", 20, "--hold", 1, "--duration", 3600,
                  "--progress-interval", 0.2)
        self.assertEqual([line for line in self.done("list").splitlines() if line[:1].isdigit()],
                         [])

    def test_a_daemon_goes_on_without_the_reader_of_its_log(self):
        """Also a daemon that has no ORB."""
        for program, more in (("xbind-switch", []),
                              ("xbind-gsmp-ovs", ["--bridge", "unix:/nonexistent/br0.mgmt"])):
            with self.subTest(program), subprocess.Popen(
                    [BIN / program, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", *more],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True) as process:
                try:
                    metrics = re.search(r" metrics on (\S+)\n", process.stdout.readline()).group(1)
                    process.stdout.close()
                    process.stderr.close()
                    # The logic answers, so the signals are taken.
                    wait_until(lambda: get(metrics, "/metrics")[0] == 200, "it serves")
                    process.send_signal(signal.SIGHUP)  # a line of the log
                    self.assertEqual(get(metrics, "/-/healthy")[0], 200)
                    process.terminate()  # another one
                    self.assertEqual(process.wait(timeout=60), 0)
                finally:
                    process.kill()

    def test_the_lab(self):
        with self.start(LAB, "--help", stdout=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)


if __name__ == "__main__":
    main()
