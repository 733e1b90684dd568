#!/usr/bin/env python3
"""Runs the conformance suite against real xbind-switch processes: an ATM switch in both versions,
an MPLS switch with few labels, and a switch with connections of others at its ports."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build" / "bin")).resolve()
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("XBIND_")}

sys.path.insert(0, str(ROOT / "tests" / "integration"))
from gsmp_client import Branch, GsmpClient  # pylint: disable=wrong-import-position

MPLS = [f"{port}=mpls:{labels}" for port in (1, 2, 3) for labels in ("16-27", "1048560-1048575")]
# From port 1 to port 2, and one each way between 1 and 6: the suite has ports 3 to 5 for itself.
OTHERS = {
    Branch(1, (0, 32), 2, (0, 33)), Branch(1, (0, 40), 6, (0, 32)), Branch(6, (0, 33), 1, (0, 34))}


def suite(address, versions):
    done = subprocess.run(
        [BIN / "gsmp_conformance", "--gtest_brief=1"], check=False, timeout=280,
        env={**CLEAN, "XBIND_CONFORMANCE_SWITCH": address, "XBIND_CONFORMANCE_VERSIONS": versions})
    return done.returncode == 0


def shared_suite(address):
    """True: the suite passes, and the others' connections are the only ones before and after it."""
    host, _, port = address.rpartition(":")
    with GsmpClient(host, int(port)) as other:
        for branch in OTHERS:
            other.add(branch)
    passed = suite(address, "3")
    with GsmpClient(host, int(port)) as other:
        left = other.table()
    if left != OTHERS:
        print(f"others had {sorted(OTHERS)}; after the suite the switch has {sorted(left)}")
    return passed and left == OTHERS


def main():
    good = True
    for name, options, run in (
            ("ATM", ["--ports", "4"], lambda address: suite(address, "3,1")),
            ("MPLS", ["--ports", "3", "--port-labels", ",".join(MPLS)],
             lambda address: suite(address, "3")),
            ("shared", ["--ports", "6"], shared_suite)):
        with subprocess.Popen(
                [BIN / "xbind-switch", "--listen", "127.0.0.1:0", "--log-level", "warn", *options],
                stdout=subprocess.PIPE, text=True, env=CLEAN) as switch:
            try:
                address = switch.stdout.readline().rpartition(" listening on ")[2].strip()
                if not address:
                    print(f"xbind-switch did not start for {name}")
                    return 1
                print(f"{name}: xbind-switch on {address}", flush=True)
                good = run(address) and good
            finally:
                switch.terminate()
                ended = switch.wait(timeout=20)
        if ended != 0:
            print(f"xbind-switch ended with {ended}")
        good = good and ended == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
