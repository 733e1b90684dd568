#!/usr/bin/env python3
"""callgen's commands that make several runs: assertions, several generators, saturate, overload,
soak, compare and report, in a lab of real processes."""

import contextlib
import csv
import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import


class Modes(InOneLab):

    up_before = 0  # connections before the interrupted run

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def callgen(self, *words, timeout=120):
        return tool(self.lab, "xbind-callgen", *words, timeout=timeout)

    def operations_done(self):
        """Setups and releases that the manager has answered."""
        status = tool(self.lab, "xbindctl", "status").stdout
        return sum(counter(status, name) for name in ("connected", "released"))

    def run_into(self, name, *words):
        """Makes a run into the folder `name`; returns its exit code and its report."""
        folder = self.directory / name
        done = self.callgen("run", "--out", folder, "--quiet", *words)
        return done, json.loads((folder / "run.json").read_text())

    # --assert

    def test_assertions_that_are_kept_leave_the_exit_code_alone(self):
        done = self.callgen("run", "--calls", "100", "--rate", "200",
                            "--assert", "fail=0,p50<60s", "--assert", "unanswered<1%",
                            "--json", self.directory / "run.json")
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # void on a busy machine
        self.assertIn("kept    p50<60s: ", done.stdout)
        reported = json.loads((self.directory / "run.json").read_text())["assertions"]
        self.assertEqual([one["objective"] for one in reported],
                         ["fail=0", "p50<60s", "unanswered<1%"])
        self.assertTrue(all(one["kept"] for one in reported), reported)

    def test_an_assertion_that_is_broken_is_named_with_what_was_measured(self):
        done = self.callgen("run", "--calls", "100", "--rate", "200",
                            "--assert", "p50<1ns,fail=0", "--quiet")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"p50<1ns was asserted: [0-9.]+ (us|ms|s)\n")
        self.assertNotIn("fail=0", done.stderr)

    def test_a_percentile_of_too_few_calls_breaks_its_assertion(self):
        done = self.callgen("run", "--calls", "100", "--rate", "200", "--assert", "p99<60s",
                            "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("p99<60s was asserted: not known: 100 samples, p99 needs 1000", done.stderr)

    # --generators

    def test_two_generators_offer_one_load(self):
        done, report = self.run_into("two", "--calls", "301", "--rate", "300", "--generators", "2")
        self.assertIn(done.returncode, (0, 3), done.stderr)  # a busy machine may be late: void
        self.assertEqual(report["generators"], 2)
        self.assertEqual(report["calls"]["planned"], 301)
        self.assertEqual(report["setups"]["connected"], 301, report["refusals_by_place"])
        self.assertEqual(report["releases"]["released"], 301)
        self.assertEqual(report["setup_latency_us"]["count"], 301)
        self.assertAlmostEqual(report["offered_setups_per_s"], 300)
        self.assertTrue(report["audit"]["clean"], report["audit"])
        self.assertEqual(report["manifest"]["generators"], "2")

    def test_options_from_the_environment_are_shared_as_those_of_the_command_line(self):
        file = self.directory / "run.json"
        done = run("xbind-callgen", "run", "--generators", "2", "--json", file,
                   "--quiet", timeout=120,
                   env={**self.lab.client_environment(), "XBIND_DURATION": "1", "XBIND_HOLD": "0.1",
                        "XBIND_ERLANGS": "30", "XBIND_ARRIVALS": "constant"})
        self.assertIn(done.returncode, (0, 3), done.stderr)
        report = json.loads(file.read_text())
        # 30 erlangs of 0.1 s are 300 calls/s; the 300th would come exactly when the second ends.
        self.assertEqual(report["calls"]["planned"], 299)
        self.assertEqual(report["setups"]["connected"], 299)

    def test_a_file_of_options_is_not_shared(self):
        settings = self.directory / "settings.toml"
        settings.write_text("rate = 300\n")
        done = self.callgen("run", "--generators", "2", "--config", settings)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--generators 2 does not go with --config", done.stderr)

    def test_a_generator_that_cannot_begin_ends_the_run_with_its_name(self):
        done = self.callgen("run", "--calls", "10", "--generators", "2", "--manager", "nobody")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"generator [12]: .*nobody")

    def test_loads_that_cannot_be_shared_are_refused(self):
        for words in (["--arrivals", "one-at-a-time"], ["--calls", "1"],
                      ["--records", str(self.directory / "r")]):
            done = self.callgen("run", "--generators", "2", *words)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("--generators 2", done.stderr)
            self.assertIn(words[0], done.stderr)

    # saturate

    def test_saturate_finds_a_rate_and_tells_every_run(self):
        done = self.callgen("saturate", "--objective", "p50<60s,fail=0", "--rate", "100",
                            "--highest-rate", "200", "--point-seconds", "0.2", "--confirm", "0.3",
                            "--with-floor", "--out", self.directory / "found", timeout=240)
        found = json.loads((self.directory / "found/saturate.json").read_text())
        # On a busy machine the generator may be the limit, at any rate.
        codes = {"highest rate": 0, "found": 0, "generator": 3, "not confirmed": 1, "none kept": 1}
        self.assertEqual(done.returncode, codes[found["end"]], done.stdout + done.stderr)
        self.assertEqual(found["confirmed"], found["end"] in ("highest rate", "found", "generator"))
        self.assertLessEqual(found["rate"], 200)
        if found["confirmed"]:
            self.assertIn(f"{found['rate']:.0f}" if found["rate"] >= 100 else "calls/s keep",
                          done.stdout)
            # The share counts setups and releases, two for each call. The run is short, so its
            # drain matters.
            floor = found["floor"]
            done_per_s = floor["run_share_of_ceiling"] * floor["ceiling_operations_per_s"]
            self.assertTrue(found["rate"] / 10 < done_per_s < 2.5 * found["rate"], found)
            self.assertIn("Floor (null servants, 3 switches, aggregation ", done.stdout)
        self.assertEqual(found["objectives"], ["p50<60s", "fail=0"])
        with open(self.directory / "found/saturate.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(found["points"]))
        self.assertEqual([row["kind"] for row in rows[:2]], ["warm-up", "warm-up"])
        for row in rows:
            self.assertEqual(int(row["calls"]), sum(int(row[name]) for name in (
                "connected", "refused", "busy", "unanswered")), row)
        page = (self.directory / "found/index.html").read_text()
        self.assertIn("<svg", page)
        self.assertIn("p50&lt;60s, fail=0", page)

    def test_ceiling_keeps_requests_under_way_and_counts_what_is_completed(self):
        file = self.directory / "ceiling.json"
        before = self.operations_done()
        done = self.callgen("ceiling", "--seconds", "0.3", "--warm-up", "0.1",
                            "--outstanding", "50", "--client-batch", "8", "--cells-per-s", "1",
                            "--json", file)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        reported = json.loads(file.read_text())
        self.assertEqual(reported["schema"], "xbind.ceiling/1")
        self.assertEqual((reported["outstanding"], reported["client_batch"]), (50, 8))
        self.assertEqual((reported["refused"], reported["unanswered"]), (0, 0))
        self.assertTrue(reported["audit_clean"])
        # The manager also answered the warm-up and, at the end, the releases of calls still up.
        answered = self.operations_done() - before
        self.assertTrue(50 <= reported["operations"] < answered, (reported, answered))
        self.assertAlmostEqual(reported["operations_per_s"],
                               reported["operations"] / reported["seconds"])
        # Three switches: at least three commands for a setup and for a release, more for labels not
        # cached.
        self.assertGreaterEqual(reported["commands_per_operation"], 3)
        self.assertIn("call operations (setups and releases) a second", done.stdout)

    def test_ceiling_with_refused_calls_says_why_and_fails(self):
        done = self.callgen("ceiling", "--seconds", "0.2", "--warm-up", "0.01",
                            "--outstanding", "4", "--cells-per-s", "400000")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\d+ times no (bandwidth|route)")

    def test_ceiling_refuses_what_belongs_to_an_offered_load(self):
        done = self.callgen("ceiling", "--rate", "5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("option --rate does not go with ceiling", done.stderr)

    def test_the_environment_serves_all_commands(self):
        """An option of another command is refused on the command line alone."""
        for command, option in (("ceiling", "watch-pid"), ("ceiling", "rate"),
                                ("floor", "progress-interval"), ("saturate", "duration")):
            value = "x=1" if option == "watch-pid" else "5"
            variable = "XBIND_" + option.upper().replace("-", "_")
            done = run("xbind-callgen", command, "--check-config", env={variable: value})
            self.assertEqual((done.returncode, done.stderr), (0, ""), (command, option))
            done = run("xbind-callgen", command, "--check-config", f"--{option}", value)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"option --{option} does not go with {command}", done.stderr)

    def test_an_objective_that_nothing_keeps_is_no_rate(self):
        done = self.callgen("saturate", "--objective", "min<1ns", "--rate", "40",
                            "--lowest-rate", "20", "--point-seconds", "0.1", "--quiet", timeout=240)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("No rate was found that keeps min<1ns", done.stdout)

    def test_a_latency_alone_is_not_kept_by_refusing_calls(self):
        # A link carries one of these calls: nearly all are refused, and the others are quick.
        crowd = ["--cells-per-s", "200000", "--hold", "2"]
        done = self.callgen("saturate", "--objective", "p50<60s,unanswered=0", "--rate", "40",
                            "--lowest-rate", "20", "--point-seconds", "0.1", *crowd,
                            "--json", self.directory / "found.json", timeout=240)
        found = json.loads((self.directory / "found.json").read_text())
        self.assertEqual((done.returncode, found["end"]), (1, "none kept"), done.stdout)
        self.assertIn("keeps p50<60s, unanswered=0, fail<=1% (default)", done.stdout)
        self.assertEqual(found["objectives"], ["p50<60s", "unanswered=0", "fail<=1%"])
        self.assertGreater(found["points"][-1]["run"]["not_connected_share"], 0.5)

        done, report = self.run_into("crowd", "--calls", "100", "--rate", "200", *crowd,
                                     "--assert", "p50<60s")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"fail<=1% was asserted, because .*: [0-9.]+ %\n")
        self.assertEqual([(one["objective"], one["default"]) for one in report["assertions"]],
                         [("p50<60s", False), ("fail<=1%", True)])

        # Without an assertion a refusal is an answer, and the verdict says how many there were.
        done = self.callgen("run", "--calls", "100", "--rate", "200", *crowd)
        self.assertIn(done.returncode, (0, 3), done.stdout)  # void on a busy machine
        self.assertRegex(done.stdout, r"[0-9]+ of 100 calls \([0-9.]+ %\) were refused or busy")

    # overload

    def test_overload_tells_goodput_at_each_factor_and_the_recovery(self):
        done = self.callgen("overload", "--rate", "50", "--within", "10000",
                            "--point-seconds", "0.5", "--out", self.directory / "over", timeout=240)
        reported = json.loads((self.directory / "over/overload.json").read_text())
        self.assertIn(done.returncode, (0, 1, 3), done.stdout + done.stderr)
        self.assertEqual([point["factor"] for point in reported["points"][:5]], [1, 1.5, 2, 3, 5])
        self.assertTrue(reported["points"][5]["recovery"])
        for point in reported["points"]:
            run = point["run"]
            self.assertEqual(run["calls"], run["connected"] + run["refused"] + run["busy"]
                             + run["unanswered"])
            self.assertLessEqual(point["goodput_per_s"], point["rate"] * 1.0001)
        self.assertIn("Verdict: ", done.stdout)

    # INT and TERM

    def interrupted(self, number, *words):
        """Interrupts a run of callgen at full speed; returns its exit code and its output."""
        def connected():
            return counter(tool(self.lab, "xbindctl", "status").stdout, "connected")

        self.up_before = self.connections()
        before = connected()
        with subprocess.Popen([BIN / "xbind-callgen", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **self.lab.client_environment()}) as process:
            try:
                wait_until(lambda: connected() > before + 20, "the run is at speed")
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
            finally:
                process.kill()
        return process.returncode, output, errors

    def connections(self):
        return counter(tool(self.lab, "xbindctl", "status").stdout, "connections")

    def nothing_stays_up(self):
        # A client that ended at once has left its connections up.
        self.assertEqual(self.connections(), self.up_before)

    def test_an_interrupted_run_releases_its_calls_and_writes_its_files(self):
        for number, more in ((signal.SIGINT, ["--records", self.directory / "records.csv"]),
                             (signal.SIGTERM, ["--generators", "2"])):
            with self.subTest(number):
                folder = self.directory / number.name
                code, output, errors = self.interrupted(
                    number, "run", "--rate", "100", "--duration", "600", "--hold", "300",
                    "--cells-per-s", "1", "--out", folder, *more)
                self.assertEqual(code, 4, output + errors)
                self.assertIn("Verdict: INTERRUPTED", output)
                self.assertIn("interrupted: no further call is offered", errors)
                report = json.loads((folder / "run.json").read_text())
                self.assertTrue(report["interrupted"])
                self.assertTrue(report["verdict"]["interrupted"])
                self.assertGreater(report["setups"]["connected"], 20)
                self.assertEqual(report["releases"]["released"], report["setups"]["connected"])
                self.assertTrue(report["audit"]["clean"], report["audit"])
                for name in ("series.csv", "latency.hgrm"):
                    self.assertIn("# INTERRUPTED after",
                                  (folder / name).read_text().splitlines()[-1])
                for name in ("summary.txt", "index.html"):
                    self.assertIn("INTERRUPTED after", (folder / name).read_text())
                self.nothing_stays_up()
        self.assertIn("# INTERRUPTED after",
                      (self.directory / "records.csv").read_text().splitlines()[-1])

    def test_a_second_signal_ends_a_run_at_once(self):
        # Without answers the first signal would make it wait for the whole drain.
        manager = self.lab.processes["xbind-cmgr"]
        try:
            code, output, errors = self.interrupted_while_the_manager_stands(manager)
        finally:
            manager.signal(signal.SIGCONT)
        self.assertEqual(code, -signal.SIGINT, output + errors)
        self.assertIn("a second signal ends at once", errors)

    def interrupted_while_the_manager_stands(self, manager):
        with subprocess.Popen([BIN / "xbind-callgen", "run", "--rate", "50", "--duration", "600",
                               "--drain-timeout", "600", "--client-name", "impatient"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **self.lab.client_environment()}) as process:
            try:
                self.assertRegex(process.stderr.readline(), " connected ")
                suspend(manager.pid)
                errors = ""
                while process.poll() is None:
                    process.send_signal(signal.SIGINT)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(0.1)
                output, more = process.communicate(timeout=60)
                return process.returncode, output, errors + more
            finally:
                process.kill()

    def test_an_interrupt_ends_the_search_in_order(self):
        # The warm-up alone would take half an hour.
        folder = self.directory / "stopped"
        code, output, errors = self.interrupted(
            signal.SIGINT, "saturate", "--rate", "100", "--point-seconds", "3600", "--out", folder)
        self.assertEqual(code, 4, output + errors)
        self.assertIn("The search was stopped before its end", output)
        self.assertEqual(json.loads((folder / "saturate.json").read_text())["end"], "stopped")
        self.assertIn("# INTERRUPTED", (folder / "saturate.csv").read_text())
        self.nothing_stays_up()

    # soak

    def test_a_short_soak_cannot_tell(self):
        done = self.callgen("soak", "--rate", "50", "--duration", "3", "--json",
                            self.directory / "soak.json")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        reported = json.loads((self.directory / "soak.json").read_text())
        self.assertEqual(reported["verdict"], "too short to tell")
        self.assertIn("memory of xbind-callgen", [line["what"] for line in reported["lines"]])

    def test_an_interrupted_soak_tells_what_it_knows(self):
        code, output, errors = self.interrupted(
            signal.SIGTERM, "soak", "--rate", "50", "--duration", "600", "--json",
            self.directory / "soak.json")
        self.assertEqual(code, 4, output + errors)
        self.assertTrue(json.loads((self.directory / "soak.json").read_text())["interrupted"])
        self.assertIn("INTERRUPTED after", output)
        self.nothing_stays_up()

    # compare

    def test_compare_knows_the_same_from_the_slower(self):
        load = ["--calls", "400", "--rate", "50"]
        self.run_into("once", *load)
        self.run_into("again", *load, "--seed", "2")
        self.run_into("delayed", *load, "--delay", "0.5", "--delay-ms", "400")
        once, again, delayed = (self.directory / name for name in ("once", "again", "delayed"))

        same = self.callgen("compare", once, again, "--metric", "p50,operations", "--json",
                            self.directory / "same.json")
        self.assertIn(same.returncode, (0, 1, 3), same.stdout + same.stderr)
        reported = json.loads((self.directory / "same.json").read_text())
        self.assertEqual(reported["exit_code"], same.returncode)
        for line in reported["metrics"]:
            self.assertLess(line["interval_95"][0], line["interval_95"][1])

        itself = self.callgen("compare", once, once)
        self.assertNotIn("worse (", itself.stdout)
        slower = self.callgen("compare", once, delayed / "run.json", "--metric", "mean",
                              "--any-load")
        self.assertEqual(slower.returncode, 1, slower.stdout + slower.stderr)
        self.assertIn("worse", slower.stdout)
        better = self.callgen("compare", delayed, once, "--metric", "mean", "--any-load")
        self.assertEqual(better.returncode, 0, better.stdout + better.stderr)
        self.assertIn("better", better.stdout)

    def test_compare_refuses_what_says_nothing(self):
        self.run_into("slow", "--calls", "20", "--rate", "50")
        self.run_into("fast", "--calls", "20", "--rate", "100")
        slow, fast = self.directory / "slow", self.directory / "fast"
        other = self.callgen("compare", slow, fast)
        self.assertEqual(other.returncode, 2, other.stdout)
        self.assertIn("calls a second: 50 in A, 100 in B", other.stderr)
        few = self.callgen("compare", slow, fast, "--any-load")
        self.assertEqual(few.returncode, 3, few.stdout)
        self.assertIn("cannot tell", few.stdout)
        for words, named in (([slow, self.directory / "none"], "none"),
                             ([slow, self.directory], ""), ([slow], "A B"),
                             ([slow, fast, "--metric", "speed"], "speed"),
                             ([slow, fast, "--tolerance", "ten"], "ten")):
            done = self.callgen("compare", *words)
            self.assertEqual(done.returncode, 2, (words, done.stdout))
            self.assertIn(str(named), done.stderr)

    # report

    def test_report_makes_the_same_files_anew(self):
        self.run_into("kept", "--calls", "100", "--rate", "200", "--assert", "p50<60s")
        folder = self.directory / "kept"
        names = ("index.html", "summary.txt", "series.csv", "latency.hgrm")
        before = {name: (folder / name).read_bytes() for name in names}
        for name in names:
            (folder / name).unlink()
        done = self.callgen("report", folder)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        for name in names:
            self.assertEqual((folder / name).read_bytes(), before[name], name)
        self.assertEqual(done.stdout, before["summary.txt"].decode())

    def test_report_says_what_it_cannot_read(self):
        done = self.callgen("report", self.directory / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none/run.json", done.stderr)
        (self.directory / "run.json").write_text("{}")
        done = self.callgen("report", self.directory)
        self.assertEqual(done.returncode, 2)
        self.assertIn("run.json: ", done.stderr)


class WithoutALab(unittest.TestCase):

    def refused(self, *words):
        done = run("xbind-callgen", *words)
        self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
        return done.stderr

    def test_wrong_words_are_refused_before_anything_is_run(self):
        for words, named in (
                (["run", "--assert", "p99<5"], "'p99<5'"),
                (["run", "--generators", "17"], "17"),
                (["saturate", "--objective", "fast"], "'fast'"),
                (["saturate", "--precision", "5"], "'5'"),
                (["saturate", "--calls", "10"], "--calls"),
                (["saturate", "--rate", "10", "--highest-rate", "5"], "--highest-rate 5"),
                (["saturate", "--out", "/proc/nothing"], "/proc/nothing"),
                (["overload", "--objective", "fail=0"], "--within"),
                (["overload", "--duration", "10"], "--duration"),
                (["soak"], "--duration"),
                (["soak", "--duration", "10", "--calls", "5"], "--calls"),
                (["compare", "a"], "A B"),
                (["report"], "DIR")):
            self.assertIn(named, self.refused(*words))


if __name__ == "__main__":
    unittest.main()
