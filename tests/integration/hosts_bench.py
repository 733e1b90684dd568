#!/usr/bin/env python3
"""What TCP between two hosts carries over three emulated switches, against the same chain with a
plain frame relay in the place of each switch. A benchmark, not a test: docs/hosts.md, "How fast".

  hosts_bench.py [--pairs N] [--seconds S] [--json FILE]

Chain of switches: three switches in a row, a switch a process, a host at
each end, and a call from host
to host with the rate of its links, so that no policing cuts it. Chain of relays: the same
hosts, three processes of build/bin/frame_relay and veth lines between them. The two kinds of run
alternate, and so does which of a pair comes first. The rule: the median over the pairs of
goodput(switches) / goodput(relays) is at least 0.4.

Each run also says how busy each process of the chain was, so that the stage that limits is named.
Needs root and iperf3.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks

WANTED = 0.4
RATE = 10_000_000  # cells/s of each link, and of the call
TICKS = os.sysconf("SC_CLK_TCK")
TOPOLOGY = f"""
name = "hosts-bench"

[[switch]]
name = "host-a"
endpoint = true
media = {{ cells = "frames" }}

[[switch]]
name = "switch-1"

[[switch]]
name = "host-b"
endpoint = true
media = {{ cells = "frames" }}

[[link]]
between = ["host-a:2", "switch-1:1"]
cells-per-s = {RATE}

[[link]]
between = ["switch-1:2", "host-b:2"]
cells-per-s = {RATE}
"""


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def iperf(network, seconds, pids):
    """Goodput in Mbit/s from host-a to host-b, and the share of a core of each process."""
    server = network.host_command("host-b", ["iperf3", "-s", "-1"])
    with subprocess.Popen(server, stdout=subprocess.DEVNULL) as serving:
        listening = network.host_command("host-b", ["ss", "-Htln", "sport = :5201"])
        wait_until(lambda: subprocess.run(listening, capture_output=True, check=True).stdout,
                   "iperf3 listens")
        before = {name: processor_seconds(pid) for name, pid in pids.items()}
        done = subprocess.run(network.host_command("host-a", [
            "iperf3", "-J", "-t", str(seconds), "-c", network.hosts["host-b"]["address"]]),
            capture_output=True, text=True, check=False, timeout=seconds + 60)
        busy = {name: (processor_seconds(pid) - before[name]) / seconds
                for name, pid in pids.items()}
        serving.wait(10)
    result = json.loads(done.stdout)
    if "error" in result:
        raise RuntimeError(result["error"])
    end = result["end"]
    return {"mbit_s": end["sum_received"]["bits_per_second"] / 1e6,
            "retransmits": end["sum_sent"]["retransmits"], "busy": busy}


def switches(seconds, directory):
    topology = Path(directory) / "chain.toml"
    topology.write_text(TOPOLOGY)
    with lab_up(topology=topology) as lab:
        done = tool(lab, "xbindctl", "connect", "host-a", "host-b", "--both", "--cells-per-s",
                    str(RATE), "--from-traffic", "port", "--to-traffic", "port")
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        pids = {name: process.pid for name, process in lab.processes.items()
                if name.startswith("xbind-switch/")}
        return iperf(lab.network, seconds, pids)


def relays(seconds, directory):
    described = {"switches": [{"name": "host-a", "media": {"cells": "frames"}}, {"name": "between"},
                              {"name": "host-b", "media": {"cells": "frames"}}]}
    network = networks.plan(described, directory)
    ends = {node: host["interface"] for node, host in network.with_frames().items()}
    lines = [(f"{network.prefix}r{n}", f"{network.prefix}s{n}") for n in (1, 2)]
    with ExitStack() as stack:
        stack.callback(network.remove)
        network.make(lambda: None)
        for one, other in lines:
            networks.run(["ip", "link", "add", one, "type", "veth", "peer", "name", other])
            stack.callback(networks.run, ["ip", "link", "del", one])
            for name in (one, other):
                networks.run(["ethtool", "-K", name, "tx", "off"])
                networks.run(["ip", "link", "set", name, "arp", "off", "up"])
        pids = {}
        for number, pair in enumerate([(ends["host-a"], lines[0][0]), (lines[0][1], lines[1][0]),
                                       (lines[1][1], ends["host-b"])], 1):
            relay = stack.enter_context(subprocess.Popen([BIN / "frame_relay", *pair],
                                                         stdout=subprocess.PIPE, text=True))
            stack.callback(relay.kill)
            assert relay.stdout.readline() == "ready\n"
            pids[f"relay-{number}"] = relay.pid
        return iperf(network, seconds, pids)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kinds = {"switches": switches, "relays": relays}
    pairs = []
    for number in range(options.pairs):
        order = list(kinds) if number % 2 == 0 else list(kinds)[::-1]
        pair = {}
        for kind in order:
            with tempfile.TemporaryDirectory(prefix="xbind-hosts-bench-") as directory:
                pair[kind] = kinds[kind](options.seconds, directory)
        pairs.append({"order": order, **pair})
        print(f"pair {number + 1}: " + "; ".join(
            f"{kind} {pair[kind]['mbit_s']:.0f} Mbit/s, " + ", ".join(
                f"{name} {share:.2f}" for name, share in pair[kind]["busy"].items())
            for kind in order), flush=True)
    ratios = [pair["switches"]["mbit_s"] / pair["relays"]["mbit_s"] for pair in pairs]
    median = statistics.median(ratios)
    print(f"switches / relays: median {median:.2f} of {len(ratios)} pairs, {min(ratios):.2f} to "
          f"{max(ratios):.2f}; wanted at least {WANTED}")
    if options.json:
        options.json.write_text(json.dumps(
            {"cells_per_s": RATE, "seconds": options.seconds, "wanted": WANTED, "pairs": pairs,
             "ratios": ratios, "median": median}, indent=1) + "\n")
    return 0 if median >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
