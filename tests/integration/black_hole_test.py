#!/usr/bin/env python3
"""The tests of unreachable_test.py with an address from which nothing ever comes back: a network
namespace whose packets to 10.99.0.2 leave by a line whose other end hears of none.

Needs root; `unshare` of util-linux, `ip` of iproute2.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import unreachable_test
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

INSIDE = "XBIND_TEST_BLACK_HOLE"  # set in the namespace
LINES = """
ip link set lo up
ip link add hole type veth peer name far
ip addr add 10.99.0.1/24 dev hole
ip link set hole up
ip link set far up
ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:99 dev hole nud permanent
exec "$@"
"""


class BlackHole:
    """In the place of a Hole with an address of its own."""

    def __init__(self):
        self.address = ("10.99.0.2", 9)

    def close(self):
        pass


if INSIDE in os.environ:
    FULL = unreachable_test.Hole
    unreachable_test.Hole = lambda listener=None: FULL(listener) if listener else BlackHole()

    class Unreachable(unreachable_test.Unreachable):
        pass
else:
    class InANamespace(unittest.TestCase):

        def test_an_address_that_answers_nothing(self):
            if os.geteuid() != 0:
                self.skipTest("NOT TESTED: needs root for a network namespace")
            for program in ("unshare", "ip"):
                if shutil.which(program) is None:
                    self.skipTest(f"NOT TESTED: {program} is missing")
            if run("unshare", "--net", "true").returncode != 0:
                self.skipTest("NOT TESTED: this process may make no network namespace")
            done = subprocess.run(
                ["unshare", "--net", "sh", "-ec", LINES, "sh", sys.executable, "-B",
                 str(Path(__file__).resolve()), "-v"],
                capture_output=True, text=True, check=False, timeout=280,
                env={**os.environ, INSIDE: "1"})
            print(done.stderr[-4000:], file=sys.stderr)
            self.assertEqual(done.returncode, 0)
            self.assertIn("Ran 6 tests", done.stderr)


if __name__ == "__main__":
    main()
