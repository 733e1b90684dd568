#!/usr/bin/env python3
"""gsmpdump: it prints the worked messages from every kind of source, and neither controller nor
switch notices it between them.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from gsmp_client import Branch, GsmpClient
from gsmp_vectors import make_capture, vectors
from harness import BIN, ROOT, main, run, unittest, wait_until

UP, DOWN = "10.0.0.1:40000 > 10.0.0.2:6068", "10.0.0.2:6068 > 10.0.0.1:40000"
STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} UTC"


class GsmpDump(unittest.TestCase):

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-dump-")))
        self.vectors = vectors()
        self.assertGreaterEqual(len(self.vectors), 48)

    # Hexadecimal text

    def test_every_worked_message_as_an_argument(self):
        for vector in self.vectors.values():
            with self.subTest(vector.name):
                framed, bare = (run("gsmpdump", vector.frame.hex()),
                                run("gsmpdump", vector.message.hex(" ")))
                self.assertEqual(framed.stdout, bare.stdout)
                self.assertEqual(framed.stdout.count("\n"), 1)
                self.assert_words(vector, framed.stdout.strip())
                self.assertEqual(framed.returncode, 0 if vector.words else 1)

    def test_all_of_them_in_one_file_and_on_standard_input(self):
        text = "\n".join(f"# {vector.name}\n{vector.frame.hex(' ', 4)}\n"
                         for vector in self.vectors.values())
        file = self.directory / "all.hex"
        file.write_text(text)
        from_file = run("gsmpdump", "--read", file).stdout.splitlines()
        from_input = subprocess.run([BIN / "gsmpdump"], input=text, capture_output=True, text=True,
                                    timeout=60, check=False).stdout.splitlines()
        self.assertEqual(from_file, from_input)
        self.assertEqual(len(from_file), len(self.vectors))
        for vector, line in zip(self.vectors.values(), from_file):
            self.assert_words(vector, line)

    # Captures

    def test_every_worked_message_from_a_capture(self):
        packets = [(vector.from_switch, vector.frame) for vector in self.vectors.values()]
        for form in ("pcap", "pcapng"):
            file = make_capture(self.directory / f"all.{form}", packets, form)
            lines = run("gsmpdump", "--read", file).stdout.splitlines()
            self.assertEqual(len(lines), len(self.vectors), lines)
            for vector, line in zip(self.vectors.values(), lines):
                way = DOWN if vector.from_switch else UP
                self.assertRegex(line, f"^{STAMP} {re.escape(way)} ")
                self.assert_words(vector, line.partition(f" {way} ")[2])

    def test_messages_cut_and_joined_by_tcp(self):
        known = [vector for vector in self.vectors.values() if vector.words]
        stream = b"".join(vector.frame for vector in known)
        for octets in (7, 100, 1400):
            packets = [(False, stream[at:at + octets]) for at in range(0, len(stream), octets)]
            file = make_capture(self.directory / f"cut{octets}.pcap", packets)
            done = run("gsmpdump", "--read", file)
            self.assertEqual([line.partition(f" {UP} ")[2].rstrip()
                              for line in done.stdout.splitlines()],
                             [vector.words for vector in known])
            self.assertEqual(done.returncode, 0)

    def test_a_packet_that_is_missing_is_named(self):
        names = ["C1", "C3", "B1", "D1", "S1"]
        file = make_capture(self.directory / "whole.pcap",
                            [(False, self.vectors[name].frame) for name in names])
        octets = file.read_bytes()
        records, at = [], 24  # after the file's header
        while at < len(octets):
            length = int.from_bytes(octets[at + 8:at + 12], "little")
            records.append(octets[at:at + 16 + length])
            at += 16 + length
        self.assertEqual(len(records), len(names))
        file.write_bytes(octets[:24] + b"".join(records[:2] + records[3:]))
        done = run("gsmpdump", "--read", file)
        said = [line.partition(f" {UP} ")[2] for line in done.stdout.splitlines()]
        missing = len(self.vectors["B1"].frame)
        self.assertEqual(said, [self.vectors["C1"].words, self.vectors["C3"].words,
                                f"gap: {missing} octets were not seen",
                                self.vectors["D1"].words, self.vectors["S1"].words])
        self.assertEqual(done.returncode, 1)

    def test_a_source_without_a_message_is_named_and_is_no_success(self):
        whole = make_capture(self.directory / "whole.pcap",
                             [(False, self.vectors["C1"].frame)])
        empty = self.directory / "empty.pcap"
        empty.write_bytes(whole.read_bytes()[:24])  # the file's header
        nothing = self.directory / "nothing.hex"
        nothing.write_text("# a comment\n")
        for words, sentence in (
                (["--read", empty], "empty.pcap: no GSMP message in 0 packets\n"),
                (["--read", whole, "--port", "7000"],
                 r"whole.pcap: no GSMP message in 1 packet: 1 of other TCP ports \(\d+, \d+\)\n"),
                (["--read", nothing], "the text has no octets")):
            with self.subTest(words):
                done = run("gsmpdump", *words)
                self.assertEqual((done.stdout, done.returncode), ("", 1))
                self.assertRegex(done.stderr, sentence)

    def test_a_capture_without_packets_ends_by_a_signal(self):
        if os.geteuid() != 0:
            self.skipTest("NOT TESTED: needs the right to capture")
        for number in (signal.SIGINT, signal.SIGTERM):
            # Port 9, which nobody uses: no packet wakes it.
            with subprocess.Popen([BIN / "gsmpdump", "--interface", "lo", "--port", "9"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                self.addCleanup(process.kill)
                status = Path(f"/proc/{process.pid}/status")

                def caught(status=status, number=number):
                    mask = re.search(r"^SigCgt:\s+(\w+)", status.read_text(), re.MULTILINE)
                    return int(mask.group(1), 16) >> (number - 1) & 1
                wait_until(caught, "it listens")
                process.send_signal(number)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    self.fail(f"signal {number} has not ended it in 20 s")

    # Wrong use

    def test_refusals_name_what_is_wrong(self):
        for words, sentence, code in (
                (["03zz"], "'z' in line 1 is no hexadecimal digit", 1),
                (["--read", "/nowhere/at.all"], "/nowhere/at.all", 1),
                (["--interface", "nosuch0"], "nosuch0", 1),
                (["--listen", "127.0.0.1:0"], "--listen and --to go together", 2),
                (["--listen", "nonsense", "--to", "127.0.0.1:6068"], "--listen", 2),
                (["00", "--read", "x"], "one at a time", 2)):
            with self.subTest(words):
                done = run("gsmpdump", *words)
                self.assertIn(sentence, done.stderr)
                self.assertEqual(done.returncode, code)

    # Between a controller and a switch

    def test_standing_between_a_controller_and_a_switch(self):
        with program("xbind-switch", "--listen", "127.0.0.1:0", "--name", "sw") as (_, switch), \
                program("gsmpdump", "--listen", "127.0.0.1:0", "--to", switch,
                        "--hex") as (lines, here):
            host, _, port = here.rpartition(":")
            with GsmpClient(host, int(port)) as client:
                client.add(Branch(1, (0, 100), 2, (0, 200)))
                self.assertEqual(client.table(), {Branch(1, (0, 100), 2, (0, 200))})
                own = "%s:%d" % client.socket.getsockname()
            up, down = f"{own} > {switch}", f"{switch} > {own}"
            said = []

            def closed():
                with contextlib.suppress(queue.Empty):
                    while True:
                        said.append(lines.get_nowait())
                return any(line.endswith(f" {up} closed") for line in said)
            wait_until(closed, "both directions are over")
        messages = [line for line in said if not line.startswith("  ")]
        for line in messages:
            self.assertRegex(line, f"^{STAMP} ({re.escape(up)}|{re.escape(down)}) ")
            self.assertNotIn("not a message", line)
        self.assertTrue(messages[0].endswith(f" {up} connected"))
        for way, words in ((up, "adjacency SYN (M)"), (down, "adjacency SYNACK"),
                           (up, "switch configuration request, transaction 1"),
                           (down, "switch configuration success, transaction 1"),
                           (up, "add branch request, transaction 3: session"),
                           (down, "add branch success, transaction 3: session"),
                           (down, "report connection state success")):
            self.assertTrue(any(f" {way} {words}" in line for line in messages),
                            (way, words, messages))
        # Below every message its octets, in a form that gsmpdump itself reads.
        at = next(i for i, line in enumerate(said) if f" {up} add branch request" in line)
        octets = "".join(line for line in said[at + 1:at + 3] if line.startswith("  "))
        self.assertTrue(said[at].endswith(run("gsmpdump", octets).stdout.strip()))

    def test_without_a_switch_behind_it_the_controller_is_let_go(self):
        with program("xbind-switch", "--listen", "127.0.0.1:0") as (_, switch):
            pass  # nobody listens there any more
        with program("gsmpdump", "--listen", "127.0.0.1:0", "--to", switch,
                     code=1) as (lines, here):
            host, _, port = here.rpartition(":")
            client = GsmpClient(host, int(port))
            self.assertRaises(ConnectionError, client.receive)
            client.socket.close()
            self.assertIn("no switch: ", lines.get(timeout=10))

    def assert_words(self, vector, line):
        if vector.words:
            self.assertEqual(line.rstrip(), vector.words)
        else:  # of an unsupported version
            self.assertNotEqual(vector.message[0], 3, "has no words in tests/golden/gsmp")
            self.assertRegex(line, r"^not a message: version \d, not 3.*; \d+ octets$")


@contextlib.contextmanager
def program(*command, code=0):
    """Starts a program; yields its output as a queue of lines, and the address of its ready
    line."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("XBIND_")}
    process = subprocess.Popen([BIN / command[0], *command[1:]], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, cwd=ROOT, env=environment)
    lines = queue.Queue()
    reader = threading.Thread(
        target=lambda: [lines.put(line.rstrip("\n")) for line in process.stdout])
    reader.start()
    try:
        ready = lines.get(timeout=20)
        assert " listening on " in ready, ready
        yield lines, ready.rpartition(" ")[2]
    finally:
        process.send_signal(signal.SIGTERM)
        ended = process.wait(timeout=20)
        reader.join()
        process.stdout.close()
    assert ended == code, f"{command[0]} ended with {ended}"


if __name__ == "__main__":
    main()
