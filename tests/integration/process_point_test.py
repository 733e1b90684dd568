"""Points of figures from real processes (bench/figures/process_source.hpp), at this machine's speed
and at the pace of slower hosts. Checks only relations that hold on any machine."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from harness import BIN, ROOT, run, unittest, wait_until

CALLS = 40
# A setup over three switches with cached labels. The manager receives the request and sends three
# commands; the last one leaves after two and a half messages. A SwitchServer receives the command,
# sends it to its switch, receives the answer and sends its result. The manager receives three
# results in sequence and sends the outcome. Each message takes 2 ms, half of it before a sent
# message leaves.
MANAGER_MS = 2.0 + 2 * 2.0 + 1.0
SERVER_MS = 2.0 + 1.0 + 2.0 + 1.0
LEAST_MS = MANAGER_MS + SERVER_MS + 2.0 + 1.0
# A call needs two requests, two outcomes, six commands and six results, each perhaps with its own
# acknowledgement. Twice that allows for reservations and for the ends of a short run.
MOST_INVOCATIONS = 2 * 2 * (2 + 2 + 6 + 6)


def labs_left(directory):
    return list(Path(directory).glob("xbind-figures-*"))


def shown(line):
    return {name: float(value) for name, value in (word.split("=") for word in line.split())}


class ProcessPointTest(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-test-"))

    def processes_left(self):
        """Processes with the test's directory on their command line."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if self.directory.encode() in words:
                    found.append(words.replace(b"\0", b" ").decode())
        return found

    def point(self, *arguments):
        done = run("process_point", ROOT / "deploy", *arguments, env={"TMPDIR": self.directory},
                   timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(labs_left(self.directory), [])
        self.assertEqual(self.processes_left(), [])
        return [shown(line) for line in done.stdout.splitlines()]

    def test_a_point_of_this_machine_and_the_next_in_the_same_lab(self):
        points = self.point("native", CALLS, 100, 1, 5)
        self.assertEqual([point["threshold"] for point in points], [1, 5])
        for point in points:
            self.assertEqual(point["connected"], CALLS)
            self.assertEqual(point["refused"] + point["unanswered"], 0)
            self.assertEqual(point["count"], CALLS - CALLS // 10)
            self.assertLess(0, point["min_ms"])
            self.assertLessEqual(point["min_ms"], point["mean_ms"])
            self.assertLessEqual(point["mean_ms"], point["p99_ms"])
            # A setup and a release each send a command to three switches, at most T in a message.
            calls_per_s, invocations_per_s = point["achieved_per_s"], point["invocations_per_s"]
            self.assertGreaterEqual(invocations_per_s, 2 * 3 * calls_per_s / point["threshold"])
            self.assertLessEqual(invocations_per_s, MOST_INVOCATIONS * calls_per_s)
            self.assertLessEqual(point["hit_ratio"], 1)

    def test_a_paced_setup_takes_at_least_what_its_messages_cost(self):
        point, = self.point("paced", CALLS, 10, 1)
        self.assertEqual(point["connected"], CALLS)
        self.assertGreaterEqual(point["min_ms"], LEAST_MS)

    def test_nothing_is_left_after_an_interrupt(self):
        with subprocess.Popen([BIN / "process_point", ROOT / "deploy", "native", "100000", "10"],
                              env={**os.environ, "TMPDIR": self.directory}, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            wait_until(lambda: any("xbind-callgen" in words for words in self.processes_left()),
                       "calls are offered", timeout_s=60)
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted by signal 2", errors)
        self.assertEqual(labs_left(self.directory), [])
        self.assertEqual(self.processes_left(), [])

    def test_says_what_it_looked_for(self):
        done = run("process_point", "/no/deploy", "native", 1, 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/deploy/lab is not there", done.stderr)


if __name__ == "__main__":
    unittest.main()
