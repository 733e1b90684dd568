"""Traces of calls in a lab: what the processes have recorded of one call, joined by xbindctl."""

import json
import signal
import tempfile
import unittest
from pathlib import Path

import xbindctl_schemas
from harness import ROOT, lab_up, tool, wait_until

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
FROM, TO = "node-1", "node-4"  # four switches, whichever way round
FAR = "node-4"                 # a switch of every path of these calls


def everything(program, **options):
    return {program: [(None, name.replace("_", "-"), str(value))
                      for name, value in options.items()]}


class TraceTest(unittest.TestCase):
    def connect(self, lab, *words, code=0):
        done = tool(lab, "xbindctl", "connect", FROM, TO, "--json", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return xbindctl_schemas.checked("connect", done.stdout)

    def trace(self, lab, *words):
        done = tool(lab, "xbindctl", "trace", *map(str, words), "--json")
        document = xbindctl_schemas.checked("trace", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        return document

    def operations(self, lab, name):
        return [one for one in self.trace(lab)["operations"] if one["name"] == name]

    @staticmethod
    def spans(document, name):
        return [span for span in document["spans"] if span["name"] == name]

    def test_a_call_is_a_tree_over_all_its_processes(self):
        with lab_up(topology=RING) as lab:
            call = self.connect(lab)["id"]
            changed = tool(lab, "xbindctl", "modify", call, "--cells-per-s", "50")
            self.assertEqual(changed.returncode, 0, changed.stderr)
            released = tool(lab, "xbindctl", "release", call)
            self.assertEqual(released.returncode, 0, released.stderr)
            document = self.trace(lab, call)
            self.assertEqual(int(document["trace_id"][16:], 16), int(document["connection"]))
            self.assertEqual(document["missing"], [])
            tops = [span["name"] for span in document["spans"] if span["depth"] == 0]
            self.assertEqual(tops, ["setup", "modify", "release"])
            by_id = {span["span_id"]: span for span in document["spans"]}
            self.assertEqual(len(by_id), len(document["spans"]), "ids are unique")
            for action in ("commit", "modify", "remove"):
                commands = [span for span in self.spans(document, action) if span["switch"]]
                self.assertEqual(len({span["switch"] for span in commands}), 4, action)
                for command in commands:
                    self.assertEqual(command["process"], "xbind-cmgr default")
                    self.assertEqual(command["note"], "")
                    served = [span for span in document["spans"]
                              if span["parent_id"] == command["span_id"]]
                    self.assertEqual([span["name"] for span in served], ["switchserver"])
                    self.assertEqual(served[0]["process"],
                                     f"xbind-switchserver {command['switch']}")
            for gsmp in self.spans(document, "gsmp"):
                self.assertEqual(by_id[gsmp["parent_id"]]["name"], "switchserver")
            self.assertGreaterEqual(len(self.spans(document, "gsmp")), 8, "add and delete")
            shown = tool(lab, "xbindctl", "trace", call)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            for words in (f"call {call}, trace {document['trace_id']}", "\n    commit ",
                          "\n      switchserver ", "\n        gsmp ",
                          "as exact as the hosts' clocks"):
                self.assertIn(words, shown.stdout)

    def test_the_otlp_file_has_the_spans(self):
        with lab_up(topology=RING) as lab, tempfile.TemporaryDirectory() as folder:
            call = self.connect(lab)["id"]
            path = Path(folder) / "trace.jsonl"
            for _ in range(2):
                document = self.trace(lab, call, "--otlp", path)
            lines = path.read_text().splitlines()
            self.assertEqual(len(lines), 2, "each use appends one line")
            resources = json.loads(lines[0])["resourceSpans"]
            self.assertEqual(json.loads(lines[1])["resourceSpans"], resources)
            names = [{each["key"]: each["value"]["stringValue"]
                      for each in one["resource"]["attributes"]} for one in resources]
            self.assertEqual(names[0], {"service.name": "xbind-cmgr",
                                        "service.instance.id": "default"})
            self.assertEqual(len(names), 5)
            spans = [span for one in resources for span in one["scopeSpans"][0]["spans"]]
            self.assertEqual({span["spanId"] for span in spans},
                             {span["span_id"] for span in document["spans"]})
            for span in spans:
                self.assertEqual(span["traceId"], document["trace_id"])
                self.assertLessEqual(int(span["startTimeUnixNano"]),
                                     int(span["endTimeUnixNano"]))
            refused = tool(lab, "xbindctl", "trace", call, "--otlp", "/nowhere/trace")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("/nowhere/trace cannot be written", refused.stderr)

    def test_the_otlp_file_has_a_line_for_each_of_the_latest_calls(self):
        with lab_up(topology=RING) as lab, tempfile.TemporaryDirectory() as folder:
            calls = [self.connect(lab)["id"] for _ in range(3)]
            tool(lab, "xbindctl", "release", calls[1])
            path = Path(folder) / "traces.jsonl"
            # The release of the second call and the setup of the third one.
            shown = tool(lab, "xbindctl", "trace", "--limit", "2", "--otlp", path)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            traces = [self.operations_of(line) for line in path.read_text().splitlines()]
            self.assertEqual(traces, [(int(calls[1]), ["setup", "release"]),
                                      (int(calls[2]), ["setup"])])

    @staticmethod
    def operations_of(line):
        """The call of a line of OTLP JSON, and its spans without a parent."""
        spans = [span for one in json.loads(line)["resourceSpans"]
                 for span in one["scopeSpans"][0]["spans"]]
        return (int(spans[0]["traceId"][16:], 16),
                [span["name"] for span in spans if "parentSpanId" not in span])

    def test_a_refused_call_is_recorded_though_none_is_sampled(self):
        more = everything("xbind-cmgr", trace_sample=0, crankbacks=0)
        with lab_up(topology=RING, more=more) as lab:
            accepted = self.connect(lab)["id"]
            self.connect(lab, "--cells-per-s", "10000000", code=1)
            setups = self.operations(lab, "setup")
            self.assertEqual(len(setups), 1)
            self.assertNotEqual(setups[0]["cause"], "")
            self.trace(lab, setups[0]["call"])
            nothing = tool(lab, "xbindctl", "trace", accepted)
            self.assertEqual(nothing.returncode, 1)
            self.assertIn(f"nothing is recorded of call {accepted}", nothing.stderr)
            self.assertIn("--trace-sample", nothing.stderr)

    def test_a_refusing_switchserver_has_its_part(self):
        """The Router counts a line as free until its SwitchServer reports, so a ledger refuses."""
        more = everything("xbind-cmgr", trace_sample=0, crankbacks=0)
        more["xbind-switchserver"] = [(None, "route-object", "")]
        with lab_up(topology=RING, more=more) as lab:
            self.connect(lab, "--cells-per-s", "300000")
            self.connect(lab, "--cells-per-s", "300000", code=1)
            refused = self.operations(lab, "setup")[0]
            self.assertEqual(refused["cause"], "no bandwidth")
            document = self.trace(lab, refused["call"])
            ledgers = [span for span in self.spans(document, "ledger")
                       if span["cause"] == "no bandwidth"]
            self.assertTrue(ledgers, document)
            self.assertTrue(self.spans(document, "undo"))

    def test_the_tree_says_which_part_is_missing(self):
        with lab_up(topology=RING) as lab:
            call = self.connect(lab)["id"]
            name = f"xbind-switchserver/{FAR}"
            gone = lab.processes[name]
            gone.signal(signal.SIGKILL)
            wait_until(lambda: not gone.alive(), "it has ended")
            document = self.trace(lab, call)
            self.assertEqual([part["switch"] for part in document["missing"]], [FAR])
            self.assert_notes(document, "the part of its SwitchServer is missing")
            lab.start(name)
            lab.wait_ready(gone)
            document = self.trace(lab, call)
            self.assertEqual(document["missing"], [])
            self.assert_notes(document, "its SwitchServer has recorded nothing of it")

    def assert_notes(self, document, said):
        """Of the manager's commands, those to FAR have a note."""
        commands = [span for span in document["spans"]
                    if span["switch"] and span["process"].startswith("xbind-cmgr")]
        self.assertTrue(any(span["switch"] == FAR for span in commands))
        for span in commands:
            if span["switch"] == FAR:
                self.assertIn(said, span["note"])
            else:
                self.assertEqual(span["note"], "")

    def test_one_call_of_n_is_sampled(self):
        more = everything("xbind-cmgr", trace_sample=4)
        with lab_up(topology=RING, more=more) as lab:
            done = tool(lab, "xbind-callgen", "run", "--rate", "400", "--duration", "1",
                        "--hold", "0.1", timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = []
            wait_until(lambda: found.extend(self.trace(lab, "--limit", 1000)["operations"]) or
                       found, "operations are recorded")
            setups = {one["call"] for one in found if one["name"] == "setup"}
            self.assertGreater(len(setups), 20, "of 400")
            self.assertLess(len(setups), 250)
            document = self.trace(lab, min(setups))
            self.assertEqual(document["missing"], [])
            for span in document["spans"]:
                self.assertEqual(span["note"], "", "every SwitchServer records the same calls")


if __name__ == "__main__":
    unittest.main()
