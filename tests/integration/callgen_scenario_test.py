#!/usr/bin/env python3
"""A run by a scenario file: its phases, classes and events, in a lab and in the report."""

import collections
import json
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run

SCENARIOS = ROOT / "callgen" / "scenarios"
PHASE = '[[phase]]\nname = "only"\nlength = 1\nrate = 100\n'


class Scenarios(InOneLab):

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, text):
        path = self.folder / "scenario.toml"
        path.write_text(text)
        return path

    def play(self, path, *more):
        """The finished process and the JSON report; the verdict is the caller's."""
        json_path = self.folder / "run.json"
        done = tool(self.lab, "xbind-callgen", "run", "--scenario", path, "--json", json_path,
                    *more)
        return done, json.loads(json_path.read_text()) if json_path.exists() else None

    def test_a_day_has_its_phases_and_classes(self):
        done, summary = self.play(SCENARIOS / "day.toml")
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        self.assertEqual([phase["name"] for phase in summary["phases"]],
                         ["morning", "rise", "rush", "evening"])
        self.assertEqual(summary["phases"][1]["what"], "50 to 200 calls/s for 2 s")
        self.assertEqual(sum(phase["attempted"] for phase in summary["phases"]),
                         summary["setups"]["attempted"])
        self.assertEqual([one["name"] for one in summary["classes"]], ["voice", "video"])
        connected = [one["connected"] for one in summary["classes"]]
        self.assertEqual(sum(connected), summary["setups"]["connected"])
        self.assertIn(connected[1], range(1, connected[0]))
        self.assertEqual(summary["arrivals"]["kind"], "phases")
        modified = summary["kinds"]["modify"]["outcomes"]["success"]
        self.assertIn(modified, range(1, sum(connected) + 1))
        self.assertIn("rush", done.stdout)

    def test_classes_have_their_destinations(self):
        text = ("".join(f'[[class]]\nname = "{name}"\ncells-per-s = {rate}\nto = ["{to}=2"]\n'
                        for name, rate, to in [("out", 100, CALLEE), ("back", 200, CALLER)])
                + PHASE + 'ramp-to = 50\nclasses = ["out=3", "back"]\nhold = 0.01\n')
        done, summary = self.play(self.file(text), "--client-name", "classes")
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        self.assertEqual(summary["phases"][0]["what"], "100 to 50 calls/s for 1 s")
        events = [json.loads(line) for line in tool(
            self.lab, "xbindctl", "events", "--kind", "calls", "--json").stdout.splitlines()]
        ends = collections.Counter((one["from"], one["to"]) for one in events
                                   if one["event"] == "connected"
                                   and one["about"].startswith("classes"))
        out, back = (one["connected"] for one in summary["classes"])
        self.assertEqual(ends, {(CALLER, CALLEE): out, (CALLEE, CALLER): back})
        self.assertGreater(out, back)

        done, _ = self.play(self.file(text.replace(f"{CALLEE}=2", "nowhere")))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "class out: nowhere is none of the topology's 2 endpoints")

    def test_a_link_is_cut_and_mended_while_calls_come(self):
        text = (SCENARIOS / "cut.toml").read_text().replace("build/bin", str(BIN))
        done, summary = self.play(self.file(text), "--run-events")
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        self.assertEqual([(event["name"], event["exit_code"]) for event in summary["events"]],
                         [("drain", 0), ("undrain", 0)], summary["events"])
        for event in summary["events"]:
            self.assertGreaterEqual(event["at_s"], event["planned_s"])
        self.assertEqual(summary["phases"][0]["refused"], 0)
        cut = summary["phases"][1]
        self.assertIn(cut["refused"], range(1, cut["attempted"]))
        self.assertIn(cut["connected"], range(1, cut["attempted"]))

    def test_events_that_fail_or_hang_fail_the_run(self):
        text = (PHASE + '[[event]]\nname = "bad"\nat = 0.1\nrun = "false"\n'
                '[[event]]\nname = "hangs"\nat = 0.1\nrun = "sleep 600"\ntimeout = 0.2\n'
                '[[event]]\nname = "nowhere"\nat = 0.1\nrun = "/no/such/program $HOME"\n')
        done, summary = self.play(self.file(text), "--run-events")
        self.assertEqual(done.returncode, 1)
        reasons = "\n".join(summary["verdict"]["reasons"])
        self.assertIn("event bad ended with exit code 1", reasons)
        self.assertIn("event hangs: ", reasons)
        self.assertIn("event nowhere: ", reasons)
        self.assertEqual(summary["events"][2]["command"], "/no/such/program $HOME")

    def test_files_are_refused_by_line_and_name_before_any_call(self):
        event = '[[event]]\nname = "e"\nat = 0.5\nrun = "touch never"\n'
        for text, more, reason in (
                (PHASE + "rait = 1\n", (), "line 5: a phase has no 'rait'"),
                (PHASE + "matrix = \"hotspot\"\n", (), "line 5: matrix = "),
                (PHASE + event, (), "line 8: event e runs a command; --run-events permits it"),
                (PHASE, ("--rate", 5), "options --scenario and --rate exclude each other"),
                (PHASE, ("--generators", 2), "--generators 2 does not go with --scenario"),
                (PHASE, ("--run-events", "--live", "here"), "--live")):
            with self.subTest(reason=reason):
                done, summary = self.play(self.file(text), "--check-config", *more)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(reason, done.stderr)
                self.assertIsNone(summary)
        for name in ("day", "cut"):
            done, _ = self.play(SCENARIOS / f"{name}.toml", "--check-config", "--run-events")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_unknown_hotspot_is_named(self):
        done, _ = self.play(self.file(PHASE + 'matrix = "hotspot"\nhotspot = "nobody"\n'))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nobody", done.stderr)

    def test_a_phase_can_be_steered(self):
        path = self.file('[[phase]]\nname = "only"\nlength = 3600\nrate = 100\n')
        socket = self.folder / "control"
        load = Run(self.lab, Load(), "--scenario", path, "--control", socket,
                   without=("--calls", "--rate"))
        load.wait_for(0.3)
        said = run(BIN / "xbind-callgen", "control", socket, "faster", 50)
        self.assertIn("150 calls/s at", said.stdout, said.stderr)
        run(BIN / "xbind-callgen", "control", socket, "quit")
        _, summary = load.finish()
        self.assertEqual(summary["rate_changes"][0]["to_per_s"], 150)
        self.assertTrue(summary["audit"]["clean"])


if __name__ == "__main__":
    main()
