#!/usr/bin/env python3
"""xbind-console in a lab: documents and events, what it refuses, and daemons that end or hang."""

import json
import os
import re
import signal
import tempfile

from console_client import *  # pylint: disable=wildcard-import,unused-wildcard-import
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

INTERVAL_MS = 100
OPTIONS = [(None, "writable", "true"), (None, "interval-ms", INTERVAL_MS)]
AT_ONCE = 200  # events of a log that the console takes in one reading
TOO_MUCH = 400_000  # cells/s; a line of the lab has 353 207
ROUTE_OBJECT, QOS_MAPPER = "xbind/routeobject/default", "xbind/qosmapper/default"


def console_of(lab):
    console = Console(lab.processes["xbind-console"].address)
    console.wait_until_known()
    return console


class WithConsole(InOneLab):
    LAB = {"console": True, "more": {"xbind-console": OPTIONS}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.console = console_of(cls.lab)

    def connect(self, cells_per_s=100):
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s",
                    str(cells_per_s))
        self.assertEqual(done.returncode, 0, done.stderr)
        call = connection_of(done)
        self.addCleanup(tool, self.lab, "xbindctl", "release", call)
        return call

    def calls(self, **parameters):
        return self.console.get("/api/v1/calls", **parameters)

    def wait_for_call(self, call):
        return wait_until(lambda: [one for one in self.calls()["calls"] if one["id"] == call],
                          f"call {call} is listed")[0]


class Documents(WithConsole):

    def test_the_description_has_every_route(self):
        routes = set(self.console.get("/api/v1")["routes"])
        self.assertEqual(Description(self.console).operations(), routes)

    def test_documents_are_as_described(self):
        description = Description(self.console)
        call = self.connect()
        self.wait_for_call(call)
        wait_until(lambda: self.console.ask("/api/v1/history")[0] == 200, "there are samples")
        values = {"manager": "default", "id": call}
        queries = {"/api/v1/fit": f"?from={CALLER}&to={CALLEE}&cells_per_s=100"}
        for operation in sorted(description.operations()):
            method, pattern = operation.split()
            if method != "GET" or pattern == "/api/v1/events":
                continue
            path = re.sub(r"{(\w+)}", lambda name: values[name.group(1)], pattern)
            with self.subTest(path):
                status, headers, document = self.console.ask(path + queries.get(pattern, ""))
                self.assertEqual(status, 200, document)
                self.assertEqual(headers["Content-Type"], "application/json")
                self.assertEqual(headers["Cache-Control"], "no-store")
                description.check(method, pattern, status, document)

    def test_refusals_are_as_described(self):
        description = Description(self.console)
        for path, pattern, status, name, value in [
                ("/api/v1/calls?limit=501", "/api/v1/calls", 400, "bad-parameter", "501"),
                ("/api/v1/calls?size=1", "/api/v1/calls", 400, "unknown-parameter", "size=1"),
                ("/api/v1/calls?manager=none", "/api/v1/calls", 404, "unknown-daemon",
                 "xbind/cmgr/none"),
                ("/api/v1/calls?after=7&sort=to", "/api/v1/calls", 404, "unknown-after", "7"),
                ("/api/v1/calls/default/x", "/api/v1/calls/{manager}/{id}", 400, "bad-id", "x"),
                ("/api/v1/calls/default/7", "/api/v1/calls/{manager}/{id}", 404, "not-found",
                 "the manager"),
                ("/api/v1/history?manager=none", "/api/v1/history", 404, "unknown-manager", "none"),
                ("/api/v1/fit?from=a", "/api/v1/fit", 400, "bad-parameter", ""),
                (f"/api/v1/fit?from={CALLER}&to={CALLEE}&service=none", "/api/v1/fit", 409,
                 None, None)]:
            with self.subTest(path):
                got, _, problem = self.console.ask(path)
                if name is None:  # the QOSMapper's own words
                    self.assertGreaterEqual(got, 400, problem)
                    description.check_event("Problem", problem)
                    continue
                self.assertEqual((got, problem["name"], problem["value"]), (status, name, value))
                description.check("GET", pattern, got, problem)

    def test_the_page_needs_no_other_host_and_is_kept_until_it_changes(self):
        status, headers, page = self.console.ask("/")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        for path in re.findall(r'(?:src|href)="(/[^"]*)"', page):
            self.assertEqual(self.console.ask(path)[0], 200, path)
        again = self.console.ask("/", headers={"If-None-Match": headers["ETag"]})
        self.assertEqual((again[0], again[2]), (304, ""))
        status, headers, body = self.console.ask("/", method="HEAD")
        self.assertEqual((status, body), (200, ""))


class Network(WithConsole):

    def test_the_map_has_switches_and_links_with_their_load(self):
        network = self.console.get("/api/v1/network")
        self.assertEqual([(one["switch"], one["endpoint"]) for one in network["switches"]],
                         [(CALLER, True), (CALLEE, True), (MIDDLE, False)])
        self.assertEqual({one["state"] for one in network["links"]}, {"up"})
        rate = network["links"][0]["cells_per_s"]
        self.connect(cells_per_s=100_000)
        wait_until(lambda: all(rate - one["free_cells_per_s"] >= 100_000
                               or rate - one["free_back_cells_per_s"] >= 100_000
                               for one in self.console.get("/api/v1/links")["links"]),
                   "both links carry the call")

    def test_calls_are_chosen_ordered_and_shown_page_by_page(self):
        ids = sorted(self.connect(cells_per_s=rate) for rate in (300, 100, 200))
        self.wait_for_call(ids[-1])
        mine = [one["id"] for one in self.calls(sort="id")["calls"] if one["id"] in ids]
        self.assertEqual(mine, ids)
        rates = [one["cells_per_s"] for one in self.calls(sort="cells")["calls"]]
        self.assertEqual(rates, sorted(rates, reverse=True))
        first = self.calls(limit=2)
        self.assertEqual(len(first["calls"]), 2)
        rest = self.calls(limit=500, after=first["next_after"])
        self.assertEqual(len(rest["calls"]), first["chosen"] - 2)
        self.assertIsNone(rest["next_after"])
        self.assertEqual(self.calls(**{"from": CALLEE})["chosen"], 0)
        self.assertGreaterEqual(self.calls(switch=MIDDLE, state="connected", to=CALLEE,
                                           min_cells_per_s=200)["chosen"], 2)

    def test_a_call_has_its_path_and_the_stages_of_its_setup(self):
        call = self.connect()
        shown = self.console.get(f"/api/v1/calls/default/{call}")
        self.assertEqual([hop["switch"] for hop in shown["call"]["hops"]],
                         [CALLER, MIDDLE, CALLEE])
        stages = {stage["stage"]: stage for stage in shown["line"]["stages"]}
        self.assertEqual({stage["progress"] for stage in stages.values()}, {"done"})
        # A call of a two-way operation is recorded.
        self.assertGreater(stages["total"]["ns"], stages["switches"]["ns"])
        ledgers = self.console.get(f"/api/v1/calls/default/{call}/ledgers")["ledgers"]
        self.assertEqual([one["hops"][0]["stage"] for one in ledgers], ["committed"] * 3)

    def test_a_call_has_the_spans_of_all_its_processes(self):
        call = self.connect()
        trace = self.console.get(f"/api/v1/calls/default/{call}/trace")["trace"]
        self.assertEqual(trace["spans"][0]["name"], "setup")
        served = {span["process"] for span in trace["spans"] if span["name"] == "switchserver"}
        self.assertEqual(served, {f"xbind-switchserver {name}"
                                  for name in (CALLER, MIDDLE, CALLEE)})
        unknown = self.console.get("/api/v1/calls/default/7/trace")
        self.assertEqual((unknown["trace"], unknown["why"]["name"]), (None, "not found"))
        self.assertIn("--trace-sample", unknown["why"]["advice"])

    def test_a_question_says_what_would_fit(self):
        fit = self.console.get("/api/v1/fit", **{"from": CALLER, "to": CALLEE,
                                                 "cells_per_s": TOO_MUCH})
        self.assertFalse(fit["fits"])
        self.assertEqual(fit["explanation"]["word"], "no-bandwidth")
        self.assertGreater(fit["most_cells_per_s"], 0)
        self.assertTrue(self.console.get("/api/v1/fit", **{
            "from": CALLER, "to": CALLEE, "cells_per_s": fit["most_cells_per_s"]})["fits"])


class Events(WithConsole):

    def test_a_stream_begins_with_the_state_and_goes_on_without_a_gap(self):
        description = Description(self.console)
        with self.console.events() as events:
            name, snapshot = next(events)
            self.assertEqual(name, "snapshot")
            description.check_event("Snapshot", snapshot)
            state = snapshot["sections"]
            links = self.console.get("/api/v1/links")["links"]
            self.assertEqual(list(state["links"].values()), links)
            self.connect(cells_per_s=50_000)
            number = snapshot["number"]
            for name, change in events:
                self.assertEqual(name, "change")
                description.check_event("Change", change)
                number += 1
                self.assertEqual(change["number"], number)
                rows = state.setdefault(change["section"], {})
                rows.update(change["set"])
                for key in change["gone"]:
                    del rows[key]
                if change["section"] == "links" and state["managers"]["default"]["sample"][
                        "connections"] > 0:
                    break
            wait_until(lambda: list(state["links"].values()) ==
                       self.console.get("/api/v1/links")["links"], "the links are the same")

    def test_a_manager_says_that_its_calls_have_changed(self):
        self.calls()  # somebody looks, so they are read
        with self.console.events() as events:
            next(events)
            call = self.connect()
            for _, change in events:
                row = change["set"].get("default", {})
                if change["section"] == "calls" and row["states"].get("connected", 0) >= 1:
                    break
        self.assertIn(call, [one["id"] for one in self.calls(sort="id", reverse="true")["calls"]])


class EventLog(WithConsole):

    def log(self, **parameters):
        document = self.console.get("/api/v1/event-log", **parameters)
        Description(self.console).check("GET", "/api/v1/event-log", 200, document)
        return document

    def happened(self, **parameters):
        return [(one["event"]["event"], one["event"]["connection"])
                for one in self.log(**parameters)["events"]]

    def test_what_happens_is_listed_and_chosen(self):
        call = self.connect()
        tool(self.lab, "xbindctl", "release", call)
        both = [("connected", call), ("released", call)]
        wait_until(lambda: self.happened(connection=call) == both, "the call's life is listed")
        self.assertEqual(self.happened(connection=call, limit=1), both[1:])
        self.assertEqual(self.happened(connection=call, subject="links"), [])
        self.assertEqual(self.happened(connection=call, daemon="routeobject/default"), [])
        newest = self.log()["newest"]
        self.assertEqual(self.happened(after=newest, subject="calls"), [])

        tool(self.lab, "xbindctl", "drain", CALLER, "2")
        self.addCleanup(tool, self.lab, "xbindctl", "undrain", CALLER, "2")
        drained = wait_until(lambda: [one["event"] for one in self.log(
            after=newest, subject="links")["events"] if one["event"]["event"] == "link-drained"],
                             "the drain is listed")
        self.assertEqual(drained[0]["daemon"], "routeobject/default")
        times = [one["event"]["at_ms"] for one in self.log(limit=1000)["events"]]
        self.assertEqual(times, sorted(times))

    def test_they_are_those_of_xbindctl(self):
        call = self.connect()
        wait_until(lambda: self.happened(connection=call), "the call is listed")
        done = tool(self.lab, "xbindctl", "events", "--kind", "calls", "--json")
        known = [json.loads(line) for line in done.stdout.splitlines()]
        known = [one for one in known if one["connection"] == call]
        shown = [one["event"] for one in self.log(connection=call)["events"]]
        for one in (*known, *shown):
            del one["at_ms"]  # the manager keeps ages, so that two readings may differ by one
        self.assertEqual(shown, known)

    def test_a_stream_carries_them(self):
        with self.console.events() as events:
            next(events)
            call = self.connect()
            for _, change in events:
                rows = change["set"].values() if change["section"] == "events" else []
                if [row for row in rows if row["event"]["connection"] == call]:
                    break

    def test_events_that_come_too_fast_are_left_out_and_counted(self):
        calls = 2000  # two events each: more than are kept, and more than are read at once
        console = self.lab.processes["xbind-console"]
        call = self.connect()
        wait_until(lambda: self.happened(connection=call), "the log is read")
        quiet = self.log(subject="sessions", daemon="cmgr/default")["events"]
        self.assertTrue(quiet)
        suspend(console.pid)
        try:
            done, _ = offer(self.lab, Load(calls=calls, rate=1000, hold=0.1))
            self.assertEqual(done.returncode, 0, done.stdout)
        finally:
            os.kill(console.pid, signal.SIGCONT)
        log, = wait_until(lambda: [one for one in self.log()["event_logs"]
                                   if one["left_out"] >= 2 * calls - AT_ONCE], "they are counted")
        self.assertEqual((log["daemon"], log["log"]), ("cmgr/default", "calls"))
        kept = self.log(limit=1000)["events"]
        self.assertLessEqual(len(kept), 1000)
        self.assertLessEqual({one["id"] for one in quiet}, {one["id"] for one in kept})


class Changes(WithConsole):

    def ask_for(self, **wish):
        return self.console.ask("/api/v1/calls", "POST", {"from": CALLER, "to": CALLEE, **wish})

    def test_a_call_is_set_up_and_released(self):
        description = Description(self.console)
        status, _, outcome = self.ask_for(cells_per_s=100, both=True)
        self.assertEqual((status, outcome["outcome"]), (201, "connected"))
        description.check("POST", "/api/v1/calls", status, outcome)
        self.assertEqual(tool(self.lab, "xbindctl", "describe", outcome["id"]).returncode, 0)
        status, _, released = self.console.ask(f"/api/v1/calls/default/{outcome['id']}", "DELETE")
        self.assertEqual((status, released["outcome"]), (200, "released"))
        description.check("DELETE", "/api/v1/calls/{manager}/{id}", status, released)
        status, _, problem = self.console.ask(f"/api/v1/calls/default/{outcome['id']}", "DELETE")
        self.assertGreaterEqual(status, 400)
        description.check("DELETE", "/api/v1/calls/{manager}/{id}", status, problem)

    def test_a_service_of_the_catalogue_is_held(self):
        status, _, outcome = self.ask_for(service="voice-g711", hold_s=1)
        self.assertEqual((status, outcome["outcome"]), (201, "held"))

    def test_a_refusal_has_cause_place_numbers_and_alternative(self):
        status, _, problem = self.ask_for(cells_per_s=TOO_MUCH)
        Description(self.console).check("POST", "/api/v1/calls", status, problem)
        self.assertEqual((status, problem["name"]), (409, "no-bandwidth"))
        refusal = problem["error"]["refusal"]
        self.assertEqual(refusal["asked"], TOO_MUCH)
        self.assertLess(refusal["free"], TOO_MUCH)
        self.assertIn(CALLER, refusal["element"])
        self.assertIn("release calls", problem["explanation"]["remedy"])
        self.assertLessEqual(problem["fit"]["most_cells_per_s"], refusal["free"])
        self.assertEqual([hop["switch"] for hop in problem["fit"]["paths"][0]["hops"]],
                         [CALLER, MIDDLE, CALLEE])

    def test_an_unknown_end_is_refused_by_its_name(self):
        status, _, problem = self.ask_for(to="nowhere", cells_per_s=1)
        self.assertEqual((status, problem["name"]), (409, "unknown-endpoint"))

    def test_a_console_only_shows_without_writable(self):
        call = self.connect()
        with console_up(self.lab) as console:
            self.assertFalse(console.get("/api/v1")["writable"])
            console.wait_until_known()
            for method, path, body in [
                    ("POST", "/api/v1/calls", {"from": CALLER, "to": CALLEE, "cells_per_s": 1}),
                    ("DELETE", f"/api/v1/calls/default/{call}", None),
                    ("POST", "/api/v1/alarms/acknowledge", {"alarm": "cmgr/default#1", "by": "a"}),
                    ("PUT", "/", {})]:
                status, _, problem = console.ask(path, method, body)
                self.assertEqual((status, problem["name"], problem["value"]),
                                 (403, "read-only", method))
                self.assertIn("--writable", problem["advice"])
        self.assertEqual(tool(self.lab, "xbindctl", "describe", call).returncode, 0)


class Alarms(WithConsole):

    def test_an_alarm_is_raised_acknowledged_and_cleared(self):
        description = Description(self.console)
        tool(self.lab, "xbindctl", "drain", CALLER, "2")
        alarm = wait_until(lambda: [one for one in self.console.get("/api/v1/alarms")["alarms"]
                                    if one["kind"] == "line-drained"], "the alarm is raised")[0]
        description.check("GET", "/api/v1/alarms", 200, self.console.get("/api/v1/alarms"))
        status, _, done = self.console.ask("/api/v1/alarms/acknowledge", "POST", {
            "alarm": alarm["id"], "by": "ada", "note": "maintenance"})
        description.check("POST", "/api/v1/alarms/acknowledge", status, done)
        self.assertEqual((status, done["by"]), (200, "ada"))
        wait_until(lambda: [one for one in self.console.get("/api/v1/alarms")["alarms"]
                            if one["acknowledged"] and one["acknowledged"]["by"] == "ada"],
                   "it is shown as acknowledged")
        tool(self.lab, "xbindctl", "undrain", CALLER, "2")
        wait_until(lambda: not [one for one in self.console.get("/api/v1/alarms")["alarms"]
                                if one["id"] == alarm["id"]], "it is cleared")

    def test_an_unknown_alarm_and_nobody_are_refused(self):
        for body, status, name in [
                ({"alarm": "routeobject/default#7", "by": "ada"}, 404, "not-found"),
                ({"alarm": "nothing", "by": "ada"}, 400, "bad-input"),
                ({"alarm": "routeobject/default#7"}, 400, "bad-body")]:
            got, _, problem = self.console.ask("/api/v1/alarms/acknowledge", "POST", body)
            Description(self.console).check("POST", "/api/v1/alarms/acknowledge", got, problem)
            self.assertEqual((got, problem["name"]), (status, name))


class Daemons(unittest.TestCase):

    def wait_for_event(self, lab, console):
        done = tool(lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        call = connection_of(done)
        wait_until(lambda: console.get("/api/v1/event-log", connection=call)["events"],
                   f"the setup of call {call} is listed")

    def test_daemons_that_end_hang_or_are_killed_are_shown_and_cost_the_others_nothing(self):
        with lab_up(console=True, more={"xbind-console": OPTIONS}) as lab:
            console = console_of(lab)
            for path in console.daemons():
                console.wait_for_daemon(path, "up")
            description = Description(console)
            self.wait_for_event(lab, console)
            mapper, router = lab.processes["xbind-qosmapper"], lab.processes["xbind-routeobject"]

            os.kill(mapper.pid, signal.SIGKILL)  # its name stays bound
            row = console.wait_for_daemon(QOS_MAPPER, "unreachable")
            self.assertIn("start xbind-qosmapper again", row["error"]["advice"])
            description.check("GET", "/api/v1/daemons", 200, console.get("/api/v1/daemons"))

            suspend(router.pid)
            console.wait_for_daemon(ROUTE_OBJECT, "silent")
            before = console.get("/api/v1/history")["samples"][-1]["at_ms"]
            wait_until(lambda: console.get("/api/v1/history")["samples"][-1]["at_ms"] > before,
                       "the manager is still read")
            self.assertTrue(console.get("/api/v1/links")["links"])  # what was read last
            os.kill(router.pid, signal.SIGCONT)
            console.wait_for_daemon(ROUTE_OBJECT, "up")

            manager = lab.processes["xbind-cmgr"]
            suspend(manager.pid)
            console.wait_for_daemon("xbind/cmgr/default", "silent")
            status, _, problem = console.ask("/api/v1/calls")
            self.assertEqual((status, problem["name"]), (503, "daemon-silent"))
            description.check("GET", "/api/v1/calls", status, problem)
            os.kill(manager.pid, signal.SIGCONT)
            console.wait_for_daemon("xbind/cmgr/default", "up")

            end([manager])  # in order: its name goes
            console.wait_for_daemon("xbind/cmgr/default", "gone")
            self.assertEqual(console.get("/api/v1/managers")["managers"], [])
            lab.start("xbind-cmgr", "xbind-qosmapper")
            console.wait_for_daemon("xbind/cmgr/default", "up")
            console.wait_for_daemon(QOS_MAPPER, "up")
            wait_until(lambda: console.ask("/api/v1/calls")[0] == 200, "calls are read again")
            self.wait_for_event(lab, console)  # although its numbers begin anew

    def test_without_a_name_service_it_says_so_and_waits(self):
        with planned_lab(console=True) as lab:
            with planning(lab):
                lab.start("xbind-console")
            lab.wait_ready(lab.processes["xbind-console"])
            console = Console(lab.processes["xbind-console"].address)
            row = console.wait_for_daemon("name service", "unreachable")
            self.assertIn("start omniNames", row["error"]["advice"])
            self.assertEqual(console.get("/api/v1/network"), {"switches": [], "links": []})


class Starting(unittest.TestCase):

    def test_a_lab_starts_one_and_prints_its_address(self):
        with tempfile.TemporaryDirectory(prefix="xbind-test-") as directory:
            words = ["--state-dir", directory]
            up = run(ROOT / "deploy" / "lab", "up", "--console", "--names-port", "0",
                     "--no-omniorb-config", "--bin-dir", BIN, *words)
            try:
                self.assertEqual(up.returncode, 0, up.stderr)
                address = re.search(r"^Console: http://(\S+)/$", up.stdout, re.MULTILINE).group(1)
                self.assertIn("name service", Console(address).daemons())
            finally:
                self.assertEqual(run(ROOT / "deploy" / "lab", "down", *words).returncode, 0)

    def test_a_taken_address_and_a_wrong_option_are_refused(self):
        with planned_lab() as lab, console_up(lab, "--name-service", "127.0.0.1:1") as console:
            taken = run("xbind-console", "--http", console.address)
            self.assertEqual(taken.returncode, 1)
            self.assertIn(f"--http: cannot listen on {console.address}", taken.stderr)
        wrong = run("xbind-console", "--http", "nowhere")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--http", wrong.stderr)

    def test_its_own_metrics_and_health_are_served(self):
        with planned_lab() as lab, console_up(lab, "--name-service", "127.0.0.1:1",
                                              "--metrics", "127.0.0.1:0") as console:
            console.ask("/none")
            own = Console(console.metrics)
            wait_until(lambda: "xbind_console_http_refused_total 1" in own.ask("/metrics")[2],
                       "the refusal is counted")
            self.assertEqual(own.ask("/-/healthy")[::2], (200, "healthy\n"))
            status, _, reasons = own.ask("/-/ready")
            self.assertEqual(status, 503)
            self.assertIn("the name service does not answer", reasons)

    def test_an_address_that_others_reach_is_a_warning(self):
        with tempfile.NamedTemporaryFile("r") as log, planned_lab() as lab:
            with console_up(lab, "--http=0.0.0.0:0", "--name-service=127.0.0.1:1",
                            "--log-file", log.name):
                self.assertIn("there is no access control", log.read())


if __name__ == "__main__":
    unittest.main()
