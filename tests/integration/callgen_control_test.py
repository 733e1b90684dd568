#!/usr/bin/env python3
"""A run that is steered while it goes on: over its Unix socket, and by keys at a terminal."""

import fcntl
import json
import os
import select
import signal
import socket
import stat
import subprocess
import tempfile
import termios
import threading
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run


class Control(InOneLab):

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.socket = self.folder / "control"

    def load(self, *more, calls=100_000, hold=0.01):
        load = Run(self.lab, Load(calls=calls, rate=200, hold=hold), "--control", self.socket,
                   *more)
        self.addCleanup(load.reader.join)
        self.addCleanup(load.process.kill)
        return load

    def ask(self, *words):
        return self.ask_at(self.socket, *words)

    @staticmethod
    def ask_at(path, *words):
        return run(BIN / "xbind-callgen", "control", path, *words)

    def order(self, *words):
        done = self.ask(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_script_changes_pauses_and_ends_the_offer(self):
        load = self.load()
        load.wait_for(0.3)
        self.assertEqual(stat.S_IMODE(self.socket.stat().st_mode), 0o600)
        self.assertIn("300 calls/s at ", self.order("rate", 300))
        self.assertIn("250 calls/s at ", self.order("slower", 50))
        self.assertIn("paused at ", self.order("pause"))
        self.assertIn("paused at ", self.order("status"))
        self.assertIn("250 calls/s at ", self.order("resume"))
        self.assertIn("all calls are offered", self.order("quit"))
        _, summary = load.finish()
        self.assertEqual(load.process.returncode, 4)
        self.assertEqual([change["what"] for change in summary["rate_changes"]],
                         ["rate", "rate", "pause", "resume", "end"])
        self.assertEqual(summary["rate_changes"][1]["from_per_s"], 300)
        self.assertEqual(summary["rate_changes"][1]["to_per_s"], 250)
        self.assertEqual(summary["peak_setups_per_s"], 300)
        self.assertTrue(summary["audit"]["clean"])
        self.assertFalse(self.socket.exists())
        self.assertIn(f"no run answers at {self.socket}: connect: ", self.ask("status").stderr)

    def test_a_second_quit_releases_the_calls(self):
        load = self.load(hold=3600)
        load.wait_for(0.3)
        self.order("quit")
        self.order("quit")
        _, summary = load.finish()
        self.assertEqual(summary["releases"]["released"], summary["setups"]["connected"])
        self.assertTrue(summary["audit"]["clean"])

    def test_refusals_name_the_value(self):
        load = self.load()
        load.wait_for(0.1)
        for words, reason in ((("rate", "much"), "'much' is no number"),
                              (("rate", 0), "rate 0: 0.001 to 1000000"),
                              (("stop",), "'stop' is no command"),
                              (("resume",), "no calls are held back")):
            done = self.ask(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)
        taken = tool(self.lab, "xbind-callgen", "run", "--control", self.socket)
        self.assertEqual(taken.returncode, 1)
        self.assertIn(f"option --control: {self.socket}: another process listens there",
                      taken.stderr)
        load.process.send_signal(signal.SIGINT)
        load.finish()

    def test_peers_that_misbehave_cost_nobody_anything(self):
        load = self.load()
        load.wait_for(0.1)
        peers = [socket.socket(socket.AF_UNIX) for _ in range(4)]
        for peer in peers:
            self.addCleanup(peer.close)
            peer.settimeout(30)
            peer.connect(str(self.socket))
        peers[0].sendall(b"x" * 5000)
        with self.assertRaises(ConnectionResetError):  # too long a line
            while peers[0].recv(10) != b"":
                pass
            raise ConnectionResetError
        peers[1].sendall(b"rate")                 # never goes on
        peers[2].sendall(b"status\n\xff\xfe\n")
        peers[3].close()
        self.assertIn("200 calls/s at", self.order("status"))
        with peers[2].makefile("rb") as answers:
            self.assertIn(b"200 calls/s at", answers.readline())
            self.assertIn(b"refused: ", answers.readline())
        self.order("quit")
        load.finish()

    def test_a_left_over_socket_is_replaced_and_a_file_is_not(self):
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(self.socket))
        left.close()
        load = self.load(calls=20)
        load.finish()
        self.assertEqual(load.process.returncode, 0, load.said)
        self.socket.write_text("precious")
        refused = tool(self.lab, "xbind-callgen", "run", "--control", self.socket)
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(self.socket.read_text(), "precious")

    def test_options_that_do_not_fit_are_refused(self):
        self.assertIn("at most 107 octets", self.ask_at("/" + 200 * "x", "status").stderr)
        for more in (("--generators", 2, "--control", "/tmp/x"), ("--control", "/" + 200 * "x")):
            done = tool(self.lab, "xbind-callgen", "run", *more)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--control", done.stderr)


class Terminal:
    """A run whose controlling terminal the test holds."""

    def __init__(self, lab, load, json_path):
        load.json = json_path
        command = [str(word) for word in callgen(lab, load, ["--progress-interval", "0.1"])]
        # This process keeps the other side open: its state can be read after the run.
        self.terminal, self.slave = os.openpty()
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave,
            env={**os.environ, **lab.client_environment()},
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        self.changed = threading.Condition()
        self.output = ""
        self.over = False
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        while not self.over:
            ended = self.process.poll() is not None
            ready, _, _ = select.select([self.terminal], [], [], 0.1)
            octets = os.read(self.terminal, 4096) if ready else b""
            with self.changed:
                self.output += octets.decode(errors="replace")
                self.over = ended and not octets
                self.changed.notify_all()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        os.close(self.terminal)
        os.close(self.slave)

    def wait_for(self, words, after=0):
        with self.changed:
            came = self.changed.wait_for(
                lambda: words in self.output[after:] or self.over, 60)
            assert came and words in self.output[after:], f"no '{words}' in {self.output!r}"

    def press(self, keys):
        before = len(self.output)
        os.write(self.terminal, keys.encode())
        return before

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON


class Keys(InOneLab):

    def start(self, hold=0.01):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        terminal = Terminal(self.lab, Load(calls=100_000, rate=200, hold=hold),
                            self.folder / "run.json")
        self.addCleanup(terminal.end)
        terminal.wait_for("keys: + - * / change the rate")
        terminal.wait_for("calls/s offered")
        return terminal

    def test_keys_change_the_rate_and_end_the_run(self):
        terminal = self.start()
        self.assertTrue(terminal.is_raw())
        terminal.wait_for("211 calls/s at", terminal.press("*+"))
        terminal.wait_for("200 calls/s at", terminal.press("/-"))
        terminal.wait_for("paused at", terminal.press("p"))
        terminal.wait_for("200 calls/s at", terminal.press("p"))
        terminal.wait_for("all calls are offered", terminal.press("q"))
        terminal.wait_for("Verdict: INTERRUPTED")
        self.assertEqual(terminal.process.wait(60), 4)
        summary = json.loads((self.folder / "run.json").read_text())
        self.assertEqual(len(summary["rate_changes"]), 7)

    def ended_by(self, *signals):
        """The terminal's state once these signals have come."""
        terminal = self.start(hold=3600)
        for number in signals:
            terminal.process.send_signal(number)
            if number == signal.SIGTSTP:
                wait_until(lambda: not terminal.is_raw(), "the terminal is restored", 30)
                terminal.process.send_signal(signal.SIGCONT)
                wait_until(terminal.is_raw, "keys are read again", 30)
        wait_until(lambda: not terminal.is_raw(), "the terminal is restored", 60)

    def test_the_terminal_is_restored_after_signals(self):
        for signals in ((signal.SIGINT,), (signal.SIGQUIT,), (signal.SIGABRT,),
                        (signal.SIGTSTP, signal.SIGTERM)):
            with self.subTest(signals=signals):
                self.ended_by(*signals)


if __name__ == "__main__":
    main()
