#!/usr/bin/env python3
"""xbindctl's commands for many calls, questions and programs, in a lab of real processes.

Every document is compared with its schema (docs/schemas/xbindctl). A line of the paper's
topology carries 353 207 cells/s: three calls of 100 000 fit.
"""

import json
import os
import signal
import subprocess

import xbindctl_schemas
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LINE_RATE = 353207  # cells/s
BIG = "100000"      # cells/s: three fit, four do not


class InTheLab(xbindctl_schemas.Operator):

    def error(self, command, *words):
        return self.document(command, *words, code=1)["error"]

    def connect(self, *words):
        return self.document("connect", CALLER, CALLEE, *words)["id"]

    def tearDown(self):
        self.ctl("release", "--all")


class Documents(InTheLab):

    def test_every_command_prints_what_its_schema_says(self):
        call = self.connect("--cells-per-s", "400")
        held = self.connect("--hold", "60")
        request = self.document("describe", call)["request"]
        output = self.document("describe", call)["hops"][1]
        for command, words in (
                ("commit", [held]),
                ("modify", [call, "--cells-per-s", "500"]),
                ("describe", [call]),
                ("list", []), ("calls", []), ("call", [call]),
                ("validate", [call]), ("validate", [held]), ("sync", [call]),
                ("status", []), ("audit", []), ("repair", []), ("repair", ["--dry-run"]),
                ("clients", []), ("caches", []), ("aggregation", []),
                ("aggregation", ["--mode", "adaptive"]),
                ("prepare", [CALLER, CALLEE, "--count", "1"]),
                ("prepare", [CALLER, CALLEE, "--count", "0"]),
                ("services", []), ("routes", [CALLER, CALLEE]), ("links", []),
                ("undrain", [MIDDLE, "2"]), ("ports", [MIDDLE]),
                ("count", [MIDDLE, output["input_port"], output["input_label"]]),
                ("managers", ["all"]), ("log-level", ["manager", "info"]),
                ("log-level", ["all"]), ("trace", []), ("trace", [call]),
                ("options", ["manager"]), ("reload", ["manager"]),
                ("tune", ["manager", "crankbacks=3"]),
                ("explain", [call]), ("explain", ["causes"]), ("explain", ["missing-hop"]),
                ("explain", [CALLER, CALLEE]), ("fit", [CALLER, CALLEE]),
                ("what-if", [MIDDLE]), ("top", ["--frames", "1", "--watch=0.2"]),
                ("network", ["show"]), ("network", ["remove-node", MIDDLE, "--dry-run"]),
                ("network", ["set-rate", f"{MIDDLE}:2", "353207"]),
                ("ping", [call, "--count", "1"]),
                ("drop-leaf", [call, CALLEE]),
                ("release", [call])):
            # The last destination and a lab without lines in memory are refused: also a document.
            # So is the removal of a switch that a call cannot leave.
            code = 1 if command == "drop-leaf" or "remove-node" in words else 0
            with self.subTest(command=command, words=words):
                done = tool(self.lab, "xbindctl", command, *words, "--json")
                document = xbindctl_schemas.checked(command, done.stdout)
                if command != "ping":
                    self.assertEqual(done.returncode, code, document)
        self.document("clear", held, "--force")
        self.assertEqual(self.error("outcome", "(two-way)", request)["name"], "not found")
        self.document("release", "--all")
        self.assertEqual(self.error("add-leaf", call, CALLEE)["name"], "unknown connection")

    def test_an_end_by_force_is_one_event_of_the_call(self):
        for words in ([], ["--hold", "60"]):
            call = self.connect(*words)
            self.document("clear", call, "--force")
            shown = self.ctl("events", "--kind", "calls", "--json")
            events = [one for one in map(json.loads, shown.splitlines())
                      if one["connection"] == call and one["event"] not in ("connected", "held")]
            self.assertEqual([one["event"] for one in events], ["ended"], events)
            self.assertEqual(events[0]["about"], "(two-way)")
            self.assertIn("by force", events[0]["text"])

    def test_a_drain_and_a_manager_that_stays(self):
        self.document("drain", MIDDLE, "2")
        try:
            refused = self.error("connect", CALLER, CALLEE)
            self.assertEqual(refused["name"], "no route")
            self.assertIn("links", refused["advice"])
            self.assertRegex(refused["address"], r"^127\.")
        finally:
            self.document("undrain", MIDDLE, "2")
        answer = self.document("forget-manager", "all", "default", code=1)
        self.assertEqual([one["done"] for one in answer["switchservers"]], [False] * 3)

    def test_a_stored_outcome_and_a_refusal_keep_the_exit_code_of_the_text(self):
        self.assertEqual(self.error("connect", CALLER, "host-x")["name"], "unknown endpoint")
        self.assertEqual(self.error("describe", "7")["name"], "not found")
        self.assertEqual(self.error("release", "7")["name"], "unknown connection")


class ManyCalls(InTheLab):

    def test_a_quiet_connect_prints_the_id_alone(self):
        for words in ([], ["--hold", "60"], ["--both"]):
            call = self.ctl("connect", CALLER, CALLEE, "--quiet", *words)
            self.assertRegex(call, r"^\d+\n$")
            self.assertIn(call.strip(), self.ctl("calls", "--ids").splitlines())
        # A refusal is no id: `ID=$(...)` stays empty, and the reason is on standard error.
        refused = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, "--quiet",
                       "--cells-per-s", str(LINE_RATE + 1))
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("refused", refused.stderr)

    def test_calls_are_chosen_ordered_and_shown_page_by_page(self):
        small = [self.connect("--cells-per-s", "100") for _ in range(3)]
        large = self.connect("--cells-per-s", "5000")
        ids = self.ctl("calls", "--ids").split()
        self.assertEqual(ids, small + [large])
        self.assertEqual(self.ctl("calls", "--ids", "--min-cells-per-s", "5000").split(), [large])
        self.assertEqual(self.ctl("calls", "--ids", "--sort", "cells").split()[0], large)
        self.assertEqual(self.ctl("calls", "--ids", "--state", "held"), "")
        self.assertEqual(len(self.ctl("calls", "--ids", "--switch", MIDDLE, "--to", CALLEE,
                                      "--client", "(two-way)").split()), 4)
        self.assertEqual(self.ctl("calls", "--ids", "--from", CALLEE), "")
        page = self.document("calls", "--limit", "3")
        self.assertEqual(page["next_after"], small[-1])
        rest = self.document("calls", "--limit", "3", "--after", page["next_after"])
        self.assertEqual([row["id"] for row in rest["calls"]], [large])
        self.assertIsNone(rest["next_after"])

    def test_one_call_is_shown_with_what_each_ledger_has(self):
        call = self.connect("--cells-per-s", "700")
        shown = self.document("call", call)
        self.assertEqual(shown["contract"]["pcr_cells_per_s"], 700)
        self.assertEqual([one["switch"] for one in shown["ledgers"]], [CALLER, MIDDLE, CALLEE])
        for ledger, hop in zip(shown["ledgers"], shown["call"]["hops"]):
            self.assertEqual([(one["stage"], one["output_label"]) for one in ledger["hops"]],
                             [("committed", hop["output_label"])])
        self.assertIn(f"ledger of {MIDDLE}", self.ctl("call", call))


class Questions(InTheLab):

    def test_what_is_short_is_what_refuses(self):
        for _ in range(3):
            self.connect("--cells-per-s", BIG)
        free = LINE_RATE - 3 * int(BIG)
        asked = self.document("explain", CALLER, CALLEE, "--cells-per-s", BIG)
        self.assertFalse(asked["fits"])
        self.assertEqual(asked["most_cells_per_s"], free)
        self.assertEqual(asked["paths"][0]["shortage"]["free"], free)
        self.assertEqual(self.error("connect", CALLER, CALLEE, "--cells-per-s", BIG)["name"],
                         asked["explanation"]["cause"])
        self.connect("--cells-per-s", str(free))  # what would fit does
        self.assertIn("nothing: no path has room", self.ctl("explain", CALLER, CALLEE))
        self.assertIn("nothing: no path was found", self.ctl("explain", CALLER, "host-x"))

    def test_an_event_says_what_its_numbers_are(self):
        self.ctl("release", "7", code=1)
        self.connect("--cells-per-s", "300000")
        self.error("connect", CALLER, CALLEE, "--cells-per-s", BIG)
        of_id, _, of_rate = self.ctl("events", "--kind", "calls", "--limit", "3").splitlines()
        self.assertRegex(of_id, "unknown connection at manager: connection 7$")
        self.assertRegex(of_rate, rf"no bandwidth at .*: asked {BIG} cells/s, free 53207$")

    def test_a_refused_call_is_explained_afterwards(self):
        for _ in range(3):
            self.connect("--cells-per-s", BIG)
        self.error("connect", CALLER, CALLEE, "--cells-per-s", BIG)
        refused = self.document("trace", "--limit", "1")["operations"][0]
        self.assertEqual(refused["cause"], "no bandwidth")
        answer = self.document("explain", refused["call"])
        self.assertEqual(answer["state"], "refused")
        self.assertEqual(answer["explanation"]["word"], "no-bandwidth")
        self.assertIn(f"asked {BIG} cells/s, free {LINE_RATE - 3 * int(BIG)}",
                      answer["operations"][0]["detail"])
        self.assertIn("was refused; recorded of it:", self.ctl("explain", refused["call"]))
        self.assertEqual(self.error("explain", "1")["name"], "not found")

    def test_how_many_more_fit(self):
        self.assertEqual(self.document("fit", CALLER, CALLEE, "--cells-per-s", BIG)["copies"], 3)
        self.connect("--cells-per-s", BIG)
        self.assertEqual(self.document("fit", CALLER, CALLEE, "--cells-per-s", BIG)["copies"], 2)
        self.document("fit", CALLER, CALLEE, "--cells-per-s", str(LINE_RATE), code=1)
        self.document("fit", CALLER, CALLEE, "--service-class", "voice-g711")

    def test_names_that_are_not_there_have_an_advice(self):
        asked = self.document("explain", CALLER, "host-x")
        self.assertEqual(asked["explanation"]["cause"], "unknown endpoint")
        self.assertIn("did you mean 'no-label'", self.error("explain", "no-labl")["advice"])
        self.assertIn(f"did you mean '{MIDDLE}'", self.error("what-if", "swtch-1")["advice"])

    def test_an_element_that_is_not_there_is_refused_by_name(self):
        for words in (["what-if", MIDDLE, "77"], ["drain", MIDDLE, "77"],
                      ["undrain", MIDDLE, "77"], ["network", "remove-link", f"{MIDDLE}:77"],
                      ["network", "set-rate", f"{MIDDLE}:77", "5"]):
            with self.subTest(words):
                text = self.error(*words)["text"]
                self.assertIn("77", text)
                self.assertIn(MIDDLE, text)
        # An access line has one end.
        self.assertEqual(len(self.document("what-if", CALLER, "1")["lost"]), 1)
        for words in (["drain", "node-x"], ["undrain", "node-x", "2"],
                      ["network", "remove-node", "node-x"],
                      ["network", "add-link", "node-x:2", MIDDLE, "5"]):
            with self.subTest(words):
                self.assertIn("node-x", self.error(*words)["text"])

    def test_calls_without_another_path_are_named(self):
        call = self.connect()
        lost = self.document("what-if", MIDDLE, "2")
        self.assertEqual([(one["id"], one["moves"]) for one in lost["calls"]], [(call, False)])
        self.assertEqual(len(lost["lost"]), 2)
        self.assertIn("1 of 1 call would have to move, 1 of them cannot",
                      self.ctl("what-if", MIDDLE))


class InARing(InTheLab):
    LAB = {"topology": ROOT / "deploy" / "topologies" / "ring6.toml"}

    def test_a_lost_link_at_the_end_of_a_call_leaves_the_other_way(self):
        call = self.document("connect", "node-1", "node-3")["id"]
        calls = [one for port in "23" for one in self.document("what-if", "node-1", port)["calls"]]
        self.assertEqual([(one["id"], one["moves"]) for one in calls], [(call, True)])
        whole, = self.document("what-if", "node-1")["calls"]
        self.assertEqual(whole["why_not"], "it begins or ends there")


class Watching(InTheLab):

    def test_frames_follow_one_another_without_a_terminal(self):
        self.connect()
        shown = self.ctl("list", "--watch=0.2", "--frames", "2")
        self.assertEqual(len(shown.split("\n\n")), 2)
        self.assertNotIn("\x1b", shown)
        lines = self.ctl("calls", "--watch=0.2", "--frames", "3", "--json").splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            xbindctl_schemas.checked("calls", line)

    def test_top_counts_what_happens_between_two_frames(self):
        words = ["top", "--frames", "2", "--watch=0.5", "--json"]
        with self.running(*words) as top:
            first = xbindctl_schemas.checked("top", top.stdout.readline())
            self.ctl("release", self.connect())
            self.assertEqual(tool(self.lab, "xbindctl", "connect", CALLER, "host-x").returncode, 1)
            second = xbindctl_schemas.checked("top", top.stdout.readline())
            self.assertEqual(top.wait(timeout=20), 0)
        rates = {one["counter"]: one["per_s"] for one in second["rates"]}
        for counted in ("connected", "released"):
            self.assertAlmostEqual(rates[counted] * second["seconds"], 1, delta=0.1)
        self.assertEqual([one["cause"] for one in second["refusals"]], ["unknown endpoint"])
        self.assertIn("switches", {one["stage"] for one in second["stages"]})
        self.assertEqual(first["network"]["switches"], 3)
        self.assertIn("busiest link", self.ctl("top", "--frames", "1", "--watch=0.2"))

    def test_control_c_ends_it_in_order(self):
        with self.running("list", "--watch") as shown:
            self.assertIn("connection", shown.stdout.readline())
            shown.send_signal(signal.SIGINT)
            self.assertEqual(shown.wait(timeout=20), 0)

    def running(self, *words):
        return subprocess.Popen([BIN / "xbindctl", *words], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, **self.lab.client_environment()})


class Failures(unittest.TestCase):
    """What is said of a peer that is away; each with its address and what to do."""

    def test_a_name_service_that_is_down(self):
        done = run("xbindctl", "status", "--name-service", "127.0.0.1:9", "--json")
        self.assertEqual(done.returncode, 1)
        error = xbindctl_schemas.checked("status", done.stdout)["error"]
        self.assertEqual((error["name"], error["peer"], error["address"]),
                         ("unreachable", "the name service", "127.0.0.1:9"))
        self.assertIn("start omniNames", error["advice"])
        text = run("xbindctl", "status", "--name-service", "127.0.0.1:9")
        self.assertIn("xbindctl: advice: start omniNames", text.stderr)

    def test_a_manager_that_is_not_bound_is_gone_or_is_stopped(self):
        with lab_up() as lab:
            def failure(*words):
                done = tool(lab, "xbindctl", "status", "--json", *words)
                self.assertEqual(done.returncode, 1, done.stdout)
                return xbindctl_schemas.checked("status", done.stdout)["error"]

            unbound = failure("--manager", "defalut")
            self.assertEqual(unbound["name"], "not found")
            self.assertIn("did you mean 'default'?", unbound["advice"])
            run("nameclt", "bind", "xbind/cmgr/gone", "corbaloc::127.0.0.1:9/manager",
                env=lab.client_environment())
            gone = failure("--manager", "gone")
            self.assertEqual((gone["name"], gone["address"]), ("unreachable", "127.0.0.1:9"))
            self.assertIn("start xbind-cmgr again", gone["advice"])
            manager = lab.processes["xbind-cmgr"]
            suspend(manager.pid)
            try:
                silent = failure("--call-timeout-ms", "200")
                self.assertEqual((silent["name"], silent["peer"]), ("timeout", "the manager"))
                self.assertRegex(silent["address"], r"^127\.\S+:\d+$")
                self.assertIn("stopped, overloaded or behind a firewall", silent["advice"])
            finally:
                os.kill(manager.pid, signal.SIGCONT)

    def test_an_object_of_another_version(self):
        with lab_up() as lab:
            bound = run("nameclt", "resolve", "xbind/routeobject/default",
                        env=lab.client_environment()).stdout.strip()
            run("nameclt", "bind", "xbind/cmgr/other", bound, env=lab.client_environment())
            done = tool(lab, "xbindctl", "caches", "--manager", "other", "--json")
            error = xbindctl_schemas.checked("caches", done.stdout)["error"]
            self.assertEqual(error["name"], "version mismatch")
            self.assertRegex(error["advice"], r"protocol version \d+")


if __name__ == "__main__":
    main()
