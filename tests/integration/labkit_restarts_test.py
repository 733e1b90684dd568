#!/usr/bin/env python3
"""Killed and started processes in deploy/labkit, and what the state file records. The processes are
`sleep`; no daemon is started."""

import contextlib
import json
import os
import signal
import tempfile
from pathlib import Path
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import restarts
from labkit import state as states
from labkit.process import Down, LabError, Process

MANAGER, MAPPER = "xbind-cmgr", "xbind-qosmapper"


@contextlib.contextmanager
def lab_of_sleepers():
    """A lab whose manager and QOSMapper are `sleep`."""
    with tempfile.TemporaryDirectory(prefix="xbind-test-") as directory:
        lab = Lab(lab_options(directory))
        for name in (MANAGER, MAPPER):
            lab.processes[name] = Process(name, ["sleep", "600"], Path(directory) / f"{name}.log",
                                          ready="^--- sleep 600$")
            lab.processes[name].start(dict(os.environ))
        states.write(lab.environment_file(), dict(os.environ), 0o600)
        lab.save()
        started = list(lab.processes.values())
        try:
            yield lab
        finally:
            with contextlib.suppress(LabError):  # tests write wrong files, too
                lab.refresh()
            for process in {id(one): one for one in [*started, *lab.processes.values()]}.values():
                fell(process)


def operator(lab, command, *words):
    """`deploy/lab kill` or `start` of the manager."""
    done = run(ROOT / "deploy" / "lab", command, "--state-dir", lab.state_dir, MANAGER, *words)
    assert done.returncode == 0, done.stderr


def fell(process, number=signal.SIGKILL):
    process.signal(number)
    wait_until(lambda: not process.alive(), f"{process.name} has ended")


class Killed(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(lab_of_sleepers())

    def refused(self, do, names, *words, say):
        with self.assertRaisesRegex(LabError, say):
            do(self.lab, names, *words, lambda text: self.fail(text))

    def test_a_name_of_no_process_is_refused_and_nothing_happens(self):
        for do, words in ((restarts.kill, ("KILL", 20)), (restarts.start, (20,))):
            self.refused(do, [MANAGER, "xbind-cmg", "atm"], *words,
                         say="no process of this lab is named xbind-cmg, atm; it has xbind-cmgr, "
                             "xbind-qosmapper$")
        self.assertTrue(self.lab.processes[MANAGER].alive())

    def test_the_wrong_state_is_refused_and_nothing_happens(self):
        self.refused(restarts.start, [MANAGER, MAPPER], 20,
                     say="^xbind-cmgr, xbind-qosmapper are up already$")
        fell(self.lab.processes[MANAGER])
        self.refused(restarts.kill, [MAPPER, MANAGER], "KILL", 20,
                     say="^xbind-cmgr is down already$")
        self.refused(restarts.start, [MAPPER, MANAGER], 20,
                     say="^xbind-qosmapper is up already$")
        self.assertTrue(self.lab.processes[MAPPER].alive())
        self.assertFalse(self.lab.processes[MANAGER].alive())

    def test_a_name_given_twice_counts_once(self):
        reported = []
        restarts.kill(self.lab, [MAPPER, MAPPER], "TERM", 20, reported.append)
        self.assertEqual(reported, [f"{MAPPER} (pid {self.lab.processes[MAPPER].pid}) has ended by "
                                    f"SIGTERM"])

    def test_a_process_that_survives_the_signal_is_named(self):
        process = self.lab.processes[MAPPER]
        process.signal(signal.SIGSTOP)
        stat = Path(f"/proc/{process.pid}/stat")
        wait_until(lambda: ") T " in stat.read_text(), "it has stopped")
        self.refused(restarts.kill, [MAPPER], "TERM", 0.05,
                     say=rf"^{MAPPER} \(pid {process.pid}\) has not ended within 0.05 s of SIGTERM")
        self.assertIsNone(Lab.find(self.lab.state_dir).processes[MAPPER].down)
        fell(process, signal.SIGCONT)
        self.assertIn("GONE  after 20", restarts.line(process))

    def test_state_in_words(self):
        process = self.lab.processes[MAPPER]
        self.assertRegex(restarts.line(process),
                         rf"^{MAPPER} +{process.pid}  up    since [-\d]+ [:\d]+ +[\d.]+ MB  0 rest")
        restarts.kill(self.lab, [MAPPER], "ABRT", 20, lambda text: None)
        self.assertRegex(restarts.line(process), r"GONE  since [-\d]+ [:\d]+ .*0 restarts +SIGABRT "
                                                 r"by deploy/lab kill$")
        process.start(dict(os.environ))
        self.assertIn(" 1 restart ", restarts.line(process) + " ")


class StateFile(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(lab_of_sleepers())
        self.file = self.lab.state_file()

    def change(self, **changes):
        state = {**json.loads(self.file.read_text()), **changes}
        self.file.write_text(json.dumps({key: value for key, value in state.items()
                                         if value is not None}))

    def refused(self, say):
        with self.assertRaisesRegex(LabError, say):
            Lab.find(self.lab.state_dir)

    def test_what_is_written_is_read(self):
        self.lab.processes[MANAGER].down = Down(1.5, "ended")
        self.lab.scheduling = "batch"
        self.lab.save()
        found = Lab.find(self.lab.state_dir)
        self.assertEqual(found.scheduling, "batch")
        for name, process in self.lab.processes.items():
            self.assertEqual(found.processes[name].record(), process.record())
        self.assertEqual(found.processes[MANAGER].down, Down(1.5, "ended"))

    def test_a_reader_never_sees_a_part_of_it(self):
        before = self.file.read_text()
        with open(self.file) as reader, mock.patch.object(Path, "replace", side_effect=OSError):
            with self.assertRaises(OSError):
                self.lab.save()
            self.assertEqual(self.file.read_text(), before)
            self.assertEqual(reader.read(), before)

    def test_nobody_else_may_read_the_environment(self):
        old = os.umask(0)
        try:
            states.write(self.lab.environment_file(), {"PASSWORD": "geheim"}, 0o600)
        finally:
            os.umask(old)
        self.assertEqual(self.lab.environment_file().stat().st_mode & 0o777, 0o600)

    def test_the_file_of_an_earlier_version(self):
        records = [{key: value for key, value in process.record().items()
                    if key not in ("restarts", "down")} for process in self.lab.processes.values()]
        self.change(format=None, scheduling=None, processes=records)
        self.lab.environment_file().unlink()
        found = Lab.find(self.lab.state_dir)
        self.assertTrue(found.processes[MANAGER].alive())
        restarts.kill(found, [MANAGER], "KILL", 20, lambda text: None)
        with self.assertRaisesRegex(LabError, "environment.json is missing: an earlier deploy/lab"):
            restarts.start(found, [MANAGER], 20, print)

    def test_the_file_of_a_later_version_is_refused(self):
        self.change(format=3)
        self.refused("has format 3, and this deploy/lab reads 1 and 2")

    def test_what_is_no_state_file_is_refused(self):
        self.change(bin_dir=None, switches=None)
        self.refused("it has no switches, bin_dir")
        self.file.write_text('{"processes": [')
        self.refused("lab.json cannot be read")
        self.file.write_text("[]")
        self.refused("it is no JSON object")

    def test_a_record_of_another_form_is_refused(self):
        self.change(processes=[{"name": MANAGER}])
        self.refused("lab.json cannot be read")
        self.change(processes=[{**self.lab.processes[MANAGER].record(), "colour": "red"}])
        self.refused("lab.json cannot be read")

    def test_changes_of_others_are_taken_over(self):
        operator(self.lab, "kill")
        operator(self.lab, "start")
        mine = dict(self.lab.processes)
        self.assertTrue(self.lab.refresh())
        self.assertNotEqual(self.lab.processes[MANAGER].pid, mine[MANAGER].pid)
        self.assertIs(self.lab.processes[MAPPER], mine[MAPPER])
        self.assertTrue(self.lab.processes[MANAGER].alive())
        self.file.unlink()
        self.assertFalse(self.lab.refresh())


if __name__ == "__main__":
    unittest.main()
