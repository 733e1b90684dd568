#!/usr/bin/env python3
"""xbind-callgen floor: what it measures with its null servants, and that it leaves none running."""

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

FLOOR = ["xbind-callgen", "floor", "--quiet"]
LOAD = ["--rate", "500", "--calls", "300", "--hold", "0.05"]
# Always present, whatever is measured.
FIGURES = {"switches", "client_batch", "calls_per_s", "setup_p50_us", "setup_p99_us",
           "setup_p999_us", "release_p50_us", "release_p99_us", "slip_p99_us", "tcp_ping_p50_us",
           "tcp_ping_p99_us", "tcp_ping_same_processor_p50_us", "orb_ping_p50_us",
           "orb_ping_p99_us", "orb_ping_same_processor_p50_us", "generator_cpu_us_per_call",
           "generator_processors", "manager_cpu_us_per_call", "switches_cpu_us_per_call"}
CEILING = {"ceiling_operations_per_s", "ceiling_in_flight", "ceiling_latency_p50_us",
           "ceiling_latency_p99_us", "ceiling_refused", "ceiling_unanswered",
           "ceiling_generator_cpu_us_per_call"}


def children_of(pid):
    """{process number: command line} of its children."""
    children = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended
        if int(stat.rpartition(")")[2].split()[1]) == pid:
            children[int(entry.name)] = [word.decode() for word in words if word]
    return children


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Floor(unittest.TestCase):

    def floor(self, *options):
        """Runs it to a good end; returns its JSON."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "floor.json"
            done = run(*FLOOR, *options, "--json", path)
            self.assertTrue(path.exists(), done.stderr)
            report = json.loads(path.read_text())
        # A busy machine may change the offered load; nothing else may be wrong.
        self.assertIn(done.returncode, (0, 3), (done.stderr, report["verdict"]))
        return report

    def all_answered(self, report, calls):
        self.assertEqual(report["schema"], "xbind.callgen/1")
        self.assertEqual(report["engine"], "null")
        self.assertEqual(report["setups"]["attempted"], calls)
        self.assertEqual(report["setups"]["connected"], calls)
        self.assertEqual(report["releases"]["released"], calls)
        self.assertEqual(report["setup_latency_us"]["count"], calls)
        self.assertTrue(report["audit"]["clean"])
        self.assertLessEqual(FIGURES, set(report["floor"]))

    def test_at_a_rate_through_three_switches(self):
        report = self.floor(*LOAD, "--threshold", "2")
        self.all_answered(report, 300)
        self.assertEqual(report["switches"], 3)
        self.assertEqual(report["threshold"], 2)
        self.assertEqual(report["floor"]["threshold"], 2)
        self.assertFalse(CEILING & set(report["floor"]))
        # Three processes, each with at most one processor's time.
        cpu_s = 300 * report["floor"]["switches_cpu_us_per_call"] / 1e6
        self.assertTrue(0 < cpu_s < 3 * (report["duration_s"] + 1), (cpu_s, report["duration_s"]))
        # Two requests a call, each with a command to three switches, at most two commands in a
        # message. So there are at least as many messages, and their answers.
        self.assertGreater(report["remote_invocations"], 2 * 300 * 3 / 2)

    def test_a_manager_alone(self):
        report = self.floor(*LOAD, "--switches", "0")
        self.all_answered(report, 300)
        self.assertEqual(report["switches"], 0)
        self.assertEqual(report["floor"]["switches_cpu_us_per_call"], 0)

    def test_adaptive_as_the_managers_default(self):
        done = run(FLOOR[0], FLOOR[1], *LOAD, "--switches", "1", timeout=60)
        self.assertIn("through 1 switches, engine null, aggregation adaptive\n", done.stdout)
        self.assertIn("1 switches, aggregation adaptive with 4 batches in flight)", done.stdout)
        self.assertNotIn("threshold 1", done.stdout)
        report = self.floor(*LOAD, "--in-flight", "2", "--switches", "1")
        self.all_answered(report, 300)
        self.assertTrue(report["adaptive"])
        self.assertNotIn("threshold", report["floor"])
        self.assertEqual(report["floor"]["batches_in_flight"], 2)

    def test_the_ceiling(self):
        report = self.floor("--seconds", "0.3", "--outstanding", "64", "--client-batch", "16",
                            "--apart")
        self.all_answered(report, 500)
        self.assertLessEqual(CEILING, set(report["floor"]))
        self.assertEqual(report["floor"]["ceiling_in_flight"], 64)
        self.assertEqual(report["floor"]["client_batch"], 16)
        self.assertEqual(report["floor"]["ceiling_unanswered"], 0)
        self.assertEqual(report["floor"]["ceiling_refused"], 0)
        # Little's law: rate times mean latency is the 64 open requests, and a mean is at least half
        # the median. 10 % for requests that begin before the measurement and end in it.
        rate = report["floor"]["ceiling_operations_per_s"]
        p50_s = report["floor"]["ceiling_latency_p50_us"] / 1e6
        self.assertTrue(0 < rate * p50_s < 2.2 * 64, (rate, p50_s))

    def begun(self):
        """A floor that would run for long, once all its processes are up, and their numbers."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen([str(BIN / FLOOR[0]), *FLOOR[1:], "--seconds", "600"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait()))

        def all_up():
            children = children_of(process.pid)
            words = sorted(line[1] for line in children.values() if len(line) > 1)
            return children if words == ["null-manager"] + ["null-switch"] * 3 else None
        return process, list(wait_until(all_up, "a null manager and three null switches"))

    def test_nothing_stays_when_it_is_killed(self):
        process, children = self.begun()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        wait_until(lambda: not any(map(alive, children)), "its children have ended")

    def test_a_manager_that_is_killed_ends_it(self):
        process, children = self.begun()
        manager = next(pid for pid, words in children_of(process.pid).items()
                       if words[1] == "null-manager")
        os.kill(manager, signal.SIGKILL)
        self.assertEqual(process.wait(timeout=60), 1)
        wait_until(lambda: not any(map(alive, children)), "its children have ended")

    def test_nothing_stays_when_it_is_done(self):
        with tempfile.TemporaryDirectory() as directory:
            seen = {}
            # pylint: disable=consider-using-with
            process = subprocess.Popen(
                [str(BIN / FLOOR[0]), *FLOOR[1:], *LOAD, "--json", str(Path(directory) / "x.json")],
                stdin=subprocess.DEVNULL)
            self.addCleanup(lambda: (process.kill(), process.wait()))

            def over():
                seen.update(children_of(process.pid))
                return process.poll() is not None
            wait_until(over, "the floor is done", 60)
        self.assertTrue(seen)
        self.assertFalse([pid for pid in seen if alive(pid)])

    def test_refusals(self):
        for options, words in [
                (["--threshold", "4097"], ["threshold", "4097"]),
                (["--switches", "17"], ["switches", "17"]),
                (["--switches", "-1"], ["switches", "-1"]),
                (["--adaptive", "--threshold", "4"], ["adaptive", "threshold"]),
                (["--in-flight", "2", "--threshold", "4"], ["in-flight", "threshold"]),
                (["--flush-timeout-ms", "0"], ["flush-timeout-ms", "0"]),
                (["--flush-timeout-ms", "1"], ["flush-timeout-ms", "needs --threshold"]),
                (["--outstanding", "0"], ["outstanding", "0"]),
                (["--seconds", "0"], ["seconds", "0"]),
                (["--rate", "0"], ["rate", "0"]),
                (["--calls", "100"], ["calls", "needs --rate"]),
                (["--hold", "1"], ["hold", "needs --rate"]),
                (["--rate", "100", "--seconds", "1"], ["seconds", "rate"]),
                (["--rate", "100", "--outstanding", "9"], ["outstanding", "rate"]),
                (["--mix", "setup=1"], ["mix", "needs --rate"]),
                (["--manager", "default"], ["manager"]),
                (["--matrix", "uniform"], ["matrix", "floor"]),
                (["--verify-media", "--endpoints", "host-a=udp:127.0.0.1:1-127.0.0.1:2"],
                 ["floor"]),
                (["--json", "/no/such/folder/q.json"], ["/no/such/folder"])]:
            with self.subTest(" ".join(options)):
                done = run(*FLOOR, *options)
                self.assertEqual(done.returncode, 2, (done.stdout, done.stderr))
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_a_null_manager_without_its_switches(self):
        done = run("xbind-callgen", "null-manager", "--switches", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard input has 0 references, 2 are needed", done.stderr)


class FloorOfARun(InOneLab):

    LAB = {"more": {"xbind-cmgr": [(None, "threshold", "4")]}}

    def test_a_run_beside_its_floor(self):
        done, report = offer(self.lab, Load(calls=200, rate=200), "--with-floor",
                             "--floor-switches", "2")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(report["setups"]["connected"], 200)
        self.assertEqual(report["engine"], "xbind")
        figures = report["floor"]
        self.assertEqual(figures["switches"], 2)
        self.assertEqual((figures["threshold"], report["threshold"]), (4, 4))
        setup, done_per_s = report["setup_latency_us"], report["call_operations_per_s"]
        for name, ours, floor in (
                ("run_over_floor_setup_p50", setup["p50"], "setup_p50_us"),
                ("run_over_floor_setup_p99", setup["p99"], "setup_p99_us"),
                ("run_share_of_ceiling", done_per_s, "ceiling_operations_per_s")):
            self.assertAlmostEqual(figures[name] * figures[floor] / ours, 1, 3, name)
        # The same floor twice, on a machine that other processes use too: only a wrong unit would
        # fail.
        for name in ("after_over_before_setup_p50", "after_over_before_ceiling"):
            self.assertTrue(1 / 1000 < figures[name] < 1000, (name, figures[name]))

    def test_a_run_without_one(self):
        done, report = offer(self.lab, Load(calls=50, rate=100))
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertFalse(report["floor"])

    def test_refusal(self):
        done = run("xbind-callgen", "run", "--floor-switches", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs --with-floor", done.stderr)


if __name__ == "__main__":
    unittest.main()
