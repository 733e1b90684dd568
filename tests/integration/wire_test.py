#!/usr/bin/env python3
"""GSMP on the wire as an independent program reads it: tshark's ANCP dissector shares adjacency and
header with GSMPv3 and claims TCP port 6068.
"""

import contextlib
import subprocess
import tempfile
from pathlib import Path

from capturing import capture
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import naming

FIELDS = ["ancp.adjcode", "ancp.timer", "ancp.sender_name", "ancp.receiver_name",
          "ancp.partition_info", "ancp.sender_instance", "ancp.receiver_instance"]
SYN, SYNACK, ACK = "1", "2", "3"
LAST = ("127.254.253.252", naming.GSMP_PORT)  # nobody listens there


class OnTheWire(unittest.TestCase):

    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-wire-"))

    @contextlib.contextmanager
    def captured_lab(self):
        """A lab, and the file that has its packets after the block.

        The capture ends before the lab: its addresses may be reused as soon as they are free.
        """
        with contextlib.ExitStack() as stack:
            capturing = stack.enter_context(contextlib.ExitStack())
            file = capturing.enter_context(
                capture(Path(self.directory) / "gsmp.pcap", "tcp port 6068", LAST))
            yield stack.enter_context(lab_up()), file
            capturing.close()

    def test_tshark_reads_the_adjacency(self):
        with self.captured_lab() as (lab, file):
            self.assertEqual(offer(lab, Load(calls=20, rate=200))[0].returncode, 0)
            switch = switch_address(lab, MIDDLE)
        messages = adjacency_messages(file, switch)
        self.assertTrue(messages, "no adjacency message was seen")

        said = {"switch": [], "controller": []}
        for message in messages:
            said["switch" if message["ip.src"] == switch else "controller"].append(message)
        for side, other in (("switch", "controller"), ("controller", "switch")):
            own, peers = said[side], said[other]
            codes = [message["ancp.adjcode"] for message in own]
            self.assertEqual(codes[0], SYN, f"{side}: {codes}")  # each end begins with SYN
            self.assertLessEqual(set(codes), {SYN, SYNACK, ACK}, f"{side}: {codes}")
            # One name and one instance for each; what each states about its peer matches the peer's
            # own values.
            for field in ("ancp.sender_name", "ancp.sender_instance"):
                self.assertEqual(len({message[field] for message in own}), 1, field)
            self.assertNotEqual(own[0]["ancp.sender_instance"], "0")
            for message in own:
                self.assertTrue(1 <= int(message["ancp.timer"]) <= 255)
                if message["ancp.adjcode"] == SYN:
                    self.assertEqual(message["ancp.receiver_instance"], "0")
                    continue
                self.assertEqual(message["ancp.receiver_name"], peers[0]["ancp.sender_name"])
                self.assertEqual(message["ancp.receiver_instance"],
                                 peers[0]["ancp.sender_instance"])
        self.assertNotEqual(said["switch"][0]["ancp.sender_name"],
                            said["controller"][0]["ancp.sender_name"])
        # The SwitchServer requests that the switch keep its connections: PFlag 2.
        self.assertEqual(said["controller"][0]["ancp.partition_info"], "0x02")

    def test_tshark_reads_the_headers_of_the_requests(self):
        with self.captured_lab() as (lab, file):
            self.assertEqual(offer(lab, Load(calls=20, rate=200))[0].returncode, 0)
            switch = switch_address(lab, MIDDLE)
        to_switch = decode(file, f"ancp && ip.dst == {switch}",
                           ["ancp.mtype", "ancp.transaction_id"])
        types = [kind for message in to_switch for kind in message["ancp.mtype"].split(",")]
        for kind in ("64", "16", "17", "52"):  # configuration, add, delete, report for the audit
            self.assertIn(kind, types)
        self.assertGreaterEqual(types.count("16"), 20)


def adjacency_messages(file, switch):
    """Every adjacency message from and to a switch, in order. A segment may contain several."""
    messages = []
    for segment in decode(file, f"ancp.mtype == 10 && ip.addr == {switch}", ["ip.src", *FIELDS]):
        columns = [segment[field].split(",") for field in FIELDS]
        for values in zip(*columns):
            messages.append({"ip.src": segment["ip.src"], **dict(zip(FIELDS, values))})
    return messages


def decode(file, display_filter, fields):
    """tshark's fields of each captured segment that matches the filter."""
    command = ["tshark", "-r", str(file), "-Y", display_filter, "-T", "fields"]
    for field in fields:
        command += ["-e", field]
    read = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return [dict(zip(fields, line.split("\t"))) for line in read.stdout.splitlines()]


if __name__ == "__main__":
    main()
