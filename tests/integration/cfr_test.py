#!/usr/bin/env python3
"""Two Cambridge Fast Rings over two ATM switches and a line of 34 Mbit/s: Fig. 7 of the Fairisle
paper, deploy/topologies/super-janet.toml. The hosts are Python's, which shares no code with the
switches. CFR_STREAM_SECONDS: how long the constant stream lasts; 3 without it.
"""

import json
import os
import random
import re
import threading
import time

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from ring_host import PAYLOAD, RingHost, cell, cells_of

SUPER_JANET = ROOT / "deploy" / "topologies" / "super-janet.toml"
SECONDS = int(os.environ.get("CFR_STREAM_SECONDS", "3"))
STREAM_BITS_PER_S = 3_000_000  # the paper's, limited there by the card; payload of the ring
FRAME_CELLS = 30


class Rings(InOneLab):

    LAB = {"topology": SUPER_JANET}

    def setUp(self):
        text = tool(self.lab, "xbindctl", "connect", "cambridge", "london", "--both",
                    "--cells-per-s", "10000").stdout
        self.call = text.split()[0]
        self.addCleanup(tool, self.lab, "xbindctl", "release", self.call)
        # Each way: the VCI at the sender's ring and at the receiver's.
        vcis = re.search(r"ingress label 0/(\d+), egress label 0/(\d+); "
                         r"reverse ingress label 0/(\d+), egress label 0/(\d+)", text)
        self.assertIsNotNone(vcis, text)
        there = [int(vci) for vci in vcis.groups()]
        self.there, self.back = there[:2], there[2:]
        self.cambridge, self.london = (RingHost(self.lab.endpoints[name])
                                       for name in ("cambridge", "london"))
        self.addCleanup(self.cambridge.close)
        self.addCleanup(self.london.close)

    def counted(self, node):
        ports = json.loads(tool(self.lab, "xbindctl", "ports", node, "--json").stdout)
        return next(one for one in ports["ports"] if one["port"] == 1)["cells"]

    def carried(self, sender, receiver, vcis, octets):
        """What arrives of a frame."""
        for one in cells_of(vcis[0], octets):
            sender.send(one)
        return receiver.frame(vcis[1])

    # cambridge --> london: frames of 1 to 60 half cells. ATM has whole cells of 48 octets, so a
    # frame gains up to 32 octets, all of them 0.
    def test_frames_arrive_whole_in_both_directions(self):
        seed = 11
        octets = random.Random(seed)
        for halves in range(1, 61):
            frame = octets.randbytes(16 * halves)
            for sender, receiver, vcis in ((self.cambridge, self.london, self.there),
                                           (self.london, self.cambridge, self.back)):
                with self.subTest(halves=halves, vcis=vcis, seed=seed):
                    arrived = self.carried(sender, receiver, vcis, frame)
                    whole = -(-len(frame) // 48) * 48
                    self.assertEqual(arrived, frame.ljust(whole, b"\0"))

    def test_a_stream_without_frames_does_not_wait_for_ever(self):
        self.cambridge.send(cell(self.there[0], b"a" * PAYLOAD, 0))
        vci, _, octets = self.london.receive(5)
        self.assertEqual((vci, octets), (self.there[1], b"a" * PAYLOAD))

    # Bad input

    def test_cells_with_errors_are_dropped_and_counted(self):
        before = self.counted("cambridge")
        good = next(cells_of(self.there[0], b"g" * PAYLOAD))
        self.cambridge.send(good[:10] + bytes([good[10] ^ 1]) + good[11:])
        self.cambridge.send(good + b"\0")
        self.cambridge.send(b"")
        stranger = next(cells_of(self.there[0] + 1, b"s" * PAYLOAD))
        self.cambridge.send(stranger)
        self.cambridge.send(good)
        self.assertEqual(self.london.frame(self.there[1]), b"g" * PAYLOAD + bytes(16))
        after = self.counted("cambridge")
        self.assertEqual(after["hec_errors"] - before["hec_errors"], 1)
        self.assertEqual(after["invalid_labels"] - before["invalid_labels"], 1)
        self.assertEqual(after["input_cells"] - before["input_cells"], 2)

    # The paper's Fig. 7: a constant stream of 3 Mbit/s.
    def test_a_constant_stream_loses_nothing(self):
        frame_octets = FRAME_CELLS * 48
        frames = STREAM_BITS_PER_S * SECONDS // (8 * frame_octets)
        lost = []

        def receive():
            for number in range(frames):
                arrived = self.london.frame(self.there[1])
                if int.from_bytes(arrived[:8], "big") != number or len(arrived) != frame_octets:
                    lost.append(number)
                    return

        receiver = threading.Thread(target=receive)
        receiver.start()
        start = time.monotonic()
        for number in range(frames):
            frame = number.to_bytes(8, "big").ljust(frame_octets, b"\1")
            for one in cells_of(self.there[0], frame):
                self.cambridge.send(one)
            ahead = start + (number + 1) * SECONDS / frames - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)  # the sender's pace, not a wait for something
        receiver.join(timeout=30)
        self.assertFalse(receiver.is_alive(), "frames are missing")
        self.assertEqual(lost, [])
        print(f"{frames} frames of {frame_octets} octets in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
