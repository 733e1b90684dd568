#!/usr/bin/env python3
"""Killed and restarted processes in deploy/labkit: how long the keeper waits, what it starts, what
the state file records. The processes are `sleep`; no daemon is started."""

import contextlib
import errno
import json
import os
import signal
import tempfile
from pathlib import Path
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import respawn, restarts
from labkit import state as states
from labkit.process import Down, LabBusy, LabError, Process
from labkit.respawn import Backoff, Keeper

MANAGER, MAPPER = "xbind-cmgr", "xbind-qosmapper"


class Waits(unittest.TestCase):

    def test_each_wait_is_twice_the_last_up_to_a_bound(self):
        backoff, now, waits = Backoff(), 0.0, []
        for _ in range(8):
            waits.append(backoff.ended(now))
            now += waits[-1] + 20  # it stays up for 20 s
        self.assertEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30])

    def test_a_process_that_has_stayed_up_waits_shortly_again(self):
        backoff = Backoff()
        self.assertEqual([backoff.ended(0), backoff.ended(30)], [1, 2])
        self.assertEqual(backoff.ended(32 + respawn.WINDOW_S - 1), 4)
        self.assertEqual(backoff.ended(95 + respawn.WINDOW_S), 1)

    def test_five_ends_within_a_minute_are_too_many(self):
        backoff = Backoff()
        self.assertEqual([backoff.ended(now) for now in (0, 15, 30, 45, 59)], [1, 2, 4, 8, None])

    def test_five_ends_in_more_than_a_minute_are_not(self):
        backoff = Backoff()
        self.assertNotIn(None, [backoff.ended(now) for now in (0, 15, 30, 45, 60, 75, 90)])

    def test_after_the_operators_start_all_begins_anew(self):
        backoff = Backoff()
        for now in range(5):
            backoff.ended(now)
        self.assertEqual([backoff.ended(now) for now in (5, 6, 7, 8, 9)], [1, 2, 4, 8, None])


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


class Kept(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(lab_of_sleepers())
        self.log = []
        self.keeper = Keeper(self.lab, dict(os.environ), self.log.append)

    def recorded(self, name):
        return Lab.find(self.lab.state_dir).processes[name]

    def test_a_process_that_ends_is_started_after_its_wait(self):
        process = self.lab.processes[MANAGER]
        first = process.pid
        fell(process)
        self.keeper.step(100.0)
        self.assertFalse(process.alive())
        self.assertEqual(self.recorded(MANAGER).down.why, "ended by signal SIGKILL")
        self.assertAlmostEqual(self.recorded(MANAGER).down.next_start,
                               self.recorded(MANAGER).down.at + 1, delta=0.5)
        self.keeper.step(100.9)
        self.assertFalse(process.alive())
        self.keeper.step(101.0)
        self.assertTrue(process.alive())
        recorded = self.recorded(MANAGER)
        self.assertEqual((recorded.pid, recorded.restarts, recorded.down), (process.pid, 1, None))
        self.assertNotEqual(recorded.pid, first)
        self.assertEqual(self.log, [
            f"{MANAGER} (pid {first}): ended by signal SIGKILL; starts again in 1 s",
            f"{MANAGER} (pid {process.pid}) is started"])
        self.assertEqual(self.recorded(MAPPER).restarts, 0)

    def test_one_that_ends_too_often_is_left_down_until_the_operator_starts_it(self):
        process = self.lab.processes[MANAGER]
        now = 100.0
        for wait_s in (1, 2, 4, 8):
            fell(process)
            self.keeper.step(now)
            now += wait_s
            self.keeper.step(now)
            self.assertTrue(process.alive(), now)
        fell(process)
        for now in (now, now + 1000):
            self.keeper.step(now)
            self.assertFalse(process.alive())
        self.assertEqual(self.recorded(MANAGER).down.why,
                         "left down: ended 5 times within 60 s")
        self.assertIsNone(self.recorded(MANAGER).down.next_start)
        self.assertIn("left down: ended 5 times within 60 s. Start it with: deploy/lab start "
                      f"{MANAGER}", self.log[-1])

        operator(self.lab, "start")
        self.lab.refresh()
        self.keeper.step(now)
        process = self.lab.processes[MANAGER]
        self.assertEqual((process.alive(), process.restarts), (True, 5))
        fell(process)
        self.keeper.step(now)
        self.assertIn("starts again in 1 s", self.log[-1])

    def test_a_kill_by_the_operator_does_not_count(self):
        for now in range(100, 112, 2):
            operator(self.lab, "kill")
            self.keeper.step(now)
            self.assertFalse(self.lab.processes[MANAGER].alive())
            self.assertIn("SIGKILL by deploy/lab kill; starts again in 1 s", self.log[-1])
            self.keeper.step(now + 1)
            self.assertTrue(self.lab.processes[MANAGER].alive())
        self.assertEqual(self.recorded(MANAGER).restarts, 6)

    def test_the_operator_may_be_faster(self):
        operator(self.lab, "kill", "--signal", "TERM")
        self.keeper.step(100.0)
        operator(self.lab, "start")
        pid = self.recorded(MANAGER).pid
        for now in (100.5, 101.0, 105.0):
            self.lab.refresh()
            self.keeper.step(now)
        self.assertEqual(self.recorded(MANAGER).pid, pid)
        self.assertEqual(self.recorded(MANAGER).restarts, 1)

    def test_a_program_that_is_missing_for_a_while(self):
        process = self.lab.processes[MANAGER]
        process.command[0] = str(self.lab.state_dir / "program")
        fell(process)
        self.keeper.step(100.0)
        self.keeper.step(101.0)
        self.assertRegex(self.log[-1], "cannot be started: .*No such file.*starts again in 2 s")
        Path(process.command[0]).symlink_to("/bin/sleep")
        self.keeper.step(103.0)
        self.assertTrue(process.alive())

    def test_while_another_command_changes_the_lab_it_waits(self):
        process = self.lab.processes[MANAGER]
        fell(process)
        with self.lab.exclusive():
            self.keeper.step(100.0)
            with mock.patch.object(restarts, "LOCK_PATIENCE_S", 0), self.assertRaises(LabBusy):
                restarts.kill(Lab.find(self.lab.state_dir), [MAPPER], "KILL", 0, print)
        self.assertEqual(self.log, [])
        self.keeper.step(100.0)
        self.assertEqual(len(self.log), 1)

    def test_what_another_program_has_taken_out_is_not_started_again(self):
        process = self.lab.processes[MANAGER]
        fell(process)
        self.keeper.step(100.0)
        other = Lab.find(self.lab.state_dir)
        del other.processes[MANAGER]
        other.save()
        self.lab.refresh()  # as keep() does
        for now in (101.0, 102.0):
            self.keeper.step(now)
        self.assertFalse(process.alive())
        self.assertEqual(set(Lab.find(self.lab.state_dir).processes), {MAPPER})
        self.assertEqual(len(self.log), 1)


FULL = OSError(errno.ENOSPC, "No space left on device", "lab.json")


class DiskFull(unittest.TestCase):
    """No state file can be written. What the operator wants to end must end."""

    def setUp(self):
        self.lab = self.enterContext(lab_of_sleepers())

    def test_kill_ends_the_process_and_names_the_file_that_was_not_written(self):
        process, said = self.lab.processes[MANAGER], []
        with mock.patch.object(states, "write", side_effect=FULL), self.assertRaisesRegex(
                LabError, "^not recorded, .*: lab.json: No space left on device$"):
            restarts.kill(self.lab, [MANAGER], "KILL", 20, said.append)
        self.assertFalse(process.alive())
        self.assertEqual(said, [f"{MANAGER} (pid {process.pid}) has ended by SIGKILL"])

    def test_kill_ends_the_process_also_where_nothing_may_be_written(self):
        with self.lab.exclusive():
            pass  # the lock is there from `up`
        opened = open

        def read_only(file, mode="r", *more, **named):
            if mode == "w":
                raise OSError(errno.EROFS, "Read-only file system", str(file))
            return opened(file, mode, *more, **named)
        process = self.lab.processes[MANAGER]
        with mock.patch("builtins.open", read_only), \
                mock.patch.object(states, "write", side_effect=FULL), \
                self.assertRaisesRegex(LabError, "^not recorded, "):
            restarts.kill(self.lab, [MANAGER], "KILL", 20, lambda text: None)
        self.assertFalse(process.alive())

    def test_start_leaves_no_process_that_no_command_would_find(self):
        fell(self.lab.processes[MANAGER])
        with mock.patch.object(states, "write", side_effect=FULL), self.assertRaisesRegex(
                LabError, f"^{MANAGER} cannot be started: lab.json: No space left on device$"):
            restarts.start(self.lab, [MANAGER], 20, print)
        self.assertFalse(self.lab.processes[MANAGER].alive())
        restarts.start(self.lab, [MANAGER], 20, lambda text: None)
        self.assertTrue(Lab.find(self.lab.state_dir).processes[MANAGER].alive())

    def test_a_log_that_cannot_be_written_is_named(self):
        process = self.lab.processes[MANAGER]
        fell(process)
        process.log = Path("/dev/full")
        with self.assertRaisesRegex(
                LabError, f"^{MANAGER} cannot be started: /dev/full: No space left on device$"):
            process.start(dict(os.environ))
        process.log = self.lab.state_dir / "lab.json" / "log"
        with self.assertRaisesRegex(LabError, f"^{MANAGER} cannot be started: .*lab.json"):
            process.start(dict(os.environ))
        self.assertFalse(process.alive())

    def test_the_keeper_reports_it_and_tries_again(self):
        log = []
        keeper = Keeper(self.lab, dict(os.environ), log.append)
        fell(self.lab.processes[MANAGER])
        keeper.step(100.0)
        with mock.patch.object(states, "write", side_effect=FULL):
            with contextlib.suppress(OSError):
                keeper.step(101.0)
        self.assertFalse(self.lab.processes[MANAGER].alive())
        self.assertRegex(log[-1], "cannot be started: lab.json: No space left on device; starts "
                                  "again in 2 s$")
        keeper.step(103.0)
        self.assertTrue(self.lab.processes[MANAGER].alive())

    def test_a_file_that_cannot_be_read_or_written_is_one_line(self):
        (self.lab.state_dir / "lock").unlink(missing_ok=True)
        (self.lab.state_dir / "lock").mkdir()
        done = run(ROOT / "deploy" / "lab", "kill", "--state-dir", self.lab.state_dir, MANAGER)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", f"lab: {self.lab.state_dir}/lock: Is a directory\n"))


class AnotherUsersLab(unittest.TestCase):
    """The kernel refuses the signals: what can be ended is ended, and the rest is named."""

    def setUp(self):
        self.lab = self.enterContext(lab_of_sleepers())
        kill, theirs = os.kill, self.lab.processes[MANAGER].pid

        def refusing(pid, number):
            if pid == theirs:
                raise PermissionError(errno.EPERM, "Operation not permitted")
            kill(pid, number)
        patched = mock.patch.object(os, "kill", refusing)
        patched.start()
        self.addCleanup(patched.stop)

    def test_kill(self):
        said = []
        with self.assertRaisesRegex(LabError, rf"^{MANAGER} \(pid \d+\) is another user's "
                                              "process: this user may not end it$"):
            restarts.kill(self.lab, [MANAGER, MAPPER], "KILL", 20, said.append)
        self.assertTrue(self.lab.processes[MANAGER].alive())
        self.assertFalse(self.lab.processes[MAPPER].alive())
        self.assertEqual(len(said), 1)
        recorded = Lab.find(self.lab.state_dir).processes
        self.assertIsNone(recorded[MANAGER].down)
        self.assertIn("SIGKILL", recorded[MAPPER].down.why)

    def test_down_keeps_the_record_of_what_is_still_up(self):
        troubles = self.lab.down()
        self.assertRegex("; ".join(troubles), f"{MANAGER} .* this user may not end it")
        self.assertFalse(self.lab.processes[MAPPER].alive())
        self.assertTrue(Lab.find(self.lab.state_dir).processes[MANAGER].alive())


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
        suspend(process.pid)
        self.refused(restarts.kill, [MAPPER], "TERM", 0.05,
                     say=rf"^{MAPPER} \(pid {process.pid}\) has not ended within 0.05 s of SIGTERM")
        self.assertIsNone(Lab.find(self.lab.state_dir).processes[MAPPER].down)
        fell(process, signal.SIGCONT)
        self.assertIn("GONE  after 20", restarts.line(process))

    def test_state_in_words(self):
        process = self.lab.processes[MAPPER]
        self.assertRegex(restarts.line(process),
                         rf"^{MAPPER} +{process.pid}  up    since [-\d]+ [:\d]+ UTC +[\d.]+ MB  0 ")
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
        self.lab.processes[MANAGER].down = Down(1.5, "ended", next_start=2.5)
        self.lab.scheduling = "batch"
        self.lab.save()
        found = Lab.find(self.lab.state_dir)
        self.assertEqual(found.scheduling, "batch")
        for name, process in self.lab.processes.items():
            self.assertEqual(found.processes[name].record(), process.record())
        self.assertEqual(found.processes[MANAGER].down, Down(1.5, "ended", False, 2.5))

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
        self.change(format=None, scheduling=None, keeper=None, processes=records)
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
