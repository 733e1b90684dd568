#!/usr/bin/env python3
"""How exactly xbind-wan keeps its rules, between two network namespaces with real packets. A
benchmark, not a test: docs/wan.md, "How exact it is". Exit code 1: a measured value is outside its
tolerance. Needs root.

  wan_bench.py [--seconds N] [--scheduling rr] [--json FILE] [MEASURE...]

  rate      UDP packets of 1 424 octets faster than the line: octets of IP that arrive, by the
            kernel's time of the first and the last one; within 0.5 %
  delay     200 packets/s: from the time before the sending to the kernel's time of arrival, less
            the rule's delay and the time on the line; 0.5 ms at the 99th percentile. Beside it:
            packets that xbind-wan itself had to deliver late
  chances   2 000 packets/s with sequence numbers: loss, duplication and reordering, each within its
            99 % binomial interval
  repeat    the same seed and packets twice: the same ones are lost, doubled and late
"""

import argparse
import json
import math
import multiprocessing
import os
import platform
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import scheduling
from wan_world import TWO, Wan, lacking, namespaces, udp

A, B = "10.78.1.1", "10.78.2.1"
HEADERS = 28  # octets of IPv4 and UDP
SIGMAS_99 = 2.576
RATE_TOLERANCE, DELAY_TOLERANCE_MS = 0.005, 0.5
SO_TIMESTAMPNS = 35  # asm-generic/socket.h
LAST = 0xffffffff  # the number of the packets that end a run


class Receiver:
    """Collects (number, time of sending, time of arrival by the kernel, octets) until the last, in
    a process of its own: a thread would make the sender wait for the interpreter."""

    def __init__(self, taken):
        taken.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        taken.settimeout(60)
        forked = multiprocessing.get_context("fork")
        self.result, write = forked.Pipe(duplex=False)
        self.process = forked.Process(target=self.collect, args=(taken, write))
        self.process.start()

    @staticmethod
    def collect(taken, write):
        seen = []
        while True:
            octets, control, _, _ = taken.recvmsg(2048, 64)
            seconds, nanoseconds = struct.unpack("qq", control[0][2][:16])
            number, sent = struct.unpack_from(">Iq", octets)
            if number == LAST:
                break
            seen.append((number, sent, seconds * 10**9 + nanoseconds, len(octets) + HEADERS))
        write.send(seen)

    def seen(self):
        seen = self.result.recv()
        self.process.join()
        return seen


def play(prefix, rule, *, count, octets, per_s, seed=1):
    """Sends `count` packets at this pace; returns what arrived and what the WAN counted."""
    with Wan(TWO + rule, "--seed", seed, "--log-level", "warn", prefix=prefix) as wan:
        sender, _ = udp(prefix + "a", A)
        taken, to = udp(prefix + "b", B)
        with sender, taken:
            receiver = Receiver(taken)
            padding = bytes(octets - HEADERS - 12)
            begun = time.monotonic()
            for number in range(count):
                while (early := begun + number / per_s - time.monotonic()) > 0:
                    time.sleep(early)
                sender.sendto(struct.pack(">Iq", number, time.time_ns()) + padding, to)
            counted = {}

            def idle():
                counted.update(wan.numbers("statistics", A, B))
                status = wan.numbers("status")
                counted["packets-late"] = status["packets-late"]
                return int(counted["packets"]) >= count and status["held-packets"] == "0"

            wait_until(idle, "all packets are out", timeout_s=60)
            wan.tell("path", A, B, "loss=0", "duplicate=0", "reorder=0")
            sender.sendto(struct.pack(">Iq", LAST, 0), to)
            return receiver.seen(), {name: int(value) for name, value in counted.items()
                                   if value.isdigit()}


def rates(prefix, seconds):
    for rate in (30_000, 100_000, 1_250_000, 12_500_000):
        count = int(seconds * rate / 1424)
        # The sender may be kept waiting for a quarter of a second.
        rule = f"octets-per-s = {rate}\nqueue-octets = {max(rate // 4, 64_000)}\n"
        seen, counted = play(prefix, rule, count=count, octets=1424, per_s=rate / 1424 * 1.3)
        first, last = seen[0], seen[-1]
        measured = sum(one[3] for one in seen[1:]) / ((last[2] - first[2]) / 1e9)
        error = measured / rate - 1
        yield {"octets_per_s": rate, "packets": len(seen), "queue_full": counted["queue-full"],
               "measured": round(measured), "error_percent": round(error * 100, 4),
               "well": abs(error) <= RATE_TOLERANCE}


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def delays(prefix, seconds):
    octets, rate = 200, 1_000_000
    for delay_us in (1_000, 10_000, 25_000, 50_000, 250_000):
        seen, counted = play(prefix, f"octets-per-s = {rate}\ndelay-us = {delay_us}\n",
                             count=int(seconds * 200), octets=octets, per_s=200)
        expected_ms = delay_us / 1000 + octets / rate * 1000
        late = [(arrived - sent) / 1e6 - expected_ms for _, sent, arrived, _ in seen]
        found = {name: round(quantile(late, part), 4)
                 for name, part in (("least", 0), ("p50", 0.5), ("p99", 0.99), ("most", 1))}
        yield {"delay_us": delay_us, "packets": len(seen), "late_ms": found,
               "late_by_the_wan": counted["packets-late"],
               "well": found["least"] >= 0 and found["p99"] <= DELAY_TOLERANCE_MS}


def chances(prefix, seconds):
    count = int(seconds * 2000)
    for probability in (0.001, 0.01, 0.02, 0.05, 0.2):
        rule = (f"delay-us = 5000\nloss = {probability}\nduplicate = {probability}\n"
                f"reorder = {probability}\nreorder-us = 5000\n")
        seen, counted = play(prefix, rule, count=count, octets=100, per_s=2000,
                             seed=int(probability * 1000))
        numbers = [one[0] for one in seen]
        different = len(set(numbers))
        measured = {"loss": (count - different, count),
                    "duplicate": (len(numbers) - different, different),
                    "reorder": (counted["reordered"], different)}
        row = {"probability": probability, "packets": count, "well": True}
        for name, (hits, of) in measured.items():
            half = SIGMAS_99 * math.sqrt(of * probability * (1 - probability)) + 0.5
            row[name] = {"hits": hits, "of": of, "least": round(of * probability - half, 1),
                         "most": round(of * probability + half, 1)}
            row["well"] &= abs(hits - of * probability) <= half
        yield row


def repeats(prefix, seconds):
    """In the order of arrival; two that arrive within the time of a wake-up may change places."""
    runs = []
    for _ in range(2):
        seen, _ = play(prefix, "loss = 0.05\nduplicate = 0.05\n", count=int(seconds * 2000),
                       octets=100, per_s=2000, seed=42)
        runs.append([one[0] for one in seen])
    yield {"packets": int(seconds * 2000), "arrived": len(runs[0]), "well": runs[0] == runs[1]}


MEASURES = {"rate": rates, "delay": delays, "chances": chances, "repeat": repeats}


def revision():
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "describe", "--always",
                           "--dirty"], capture_output=True, text=True, check=False).stdout.strip()


def main_bench():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each run (default: 10)")
    parser.add_argument("--scheduling", choices=list(scheduling.POLICIES), default="other",
                        help="the kernel's policy for xbind-wan and the sender; rr: ahead of what "
                             "else runs on this host (default: other)")
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("measures", nargs="*", metavar="MEASURE",
                        help=f"{', '.join(MEASURES)} (default: all)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.measures if name not in MEASURES]
    if unknown:
        parser.error(f"there is no measure {unknown[0]}; there are {', '.join(MEASURES)}")
    if lacking():
        print(lacking(), file=sys.stderr)
        return 2
    scheduling.take(arguments.scheduling)
    found = {"command": " ".join(["tests/integration/wan_bench.py", *sys.argv[1:]]),
             "revision": revision(), "kernel": platform.release(), "cores": os.cpu_count(),
             "scheduling": arguments.scheduling, "load_before": os.getloadavg()[0]}
    with namespaces("a", "b") as prefix:
        for name in arguments.measures or MEASURES:
            found[name] = []
            for row in MEASURES[name](prefix, arguments.seconds):
                found[name].append(row)
                print(name, json.dumps(row), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["well"] for name in MEASURES for row in found.get(name, [])) else 1


if __name__ == "__main__":
    sys.exit(main_bench())
