#!/usr/bin/env python3
"""Alarms and events of a lab of real processes: what dies, is drained or is refused is listed,
explained and acknowledged, and cleared when it is over; what happens can be followed.
"""

import json
import signal
import subprocess

import giop
import xbindctl_schemas
from console_client import Console
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RING = 8192  # events of calls that a manager keeps
CONSOLE = [(None, "writable", "true"), (None, "interval-ms", 200)]


class Operator(InOneLab):

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        if code is not None:
            self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done.stdout

    def alarms(self, *words):
        document = xbindctl_schemas.checked("alarms", self.ctl("alarms", *words, "--json",
                                                               code=None))
        return document["alarms"]

    def alarm(self, kind, about, *words):
        """The only alarm of the kind about the object, or None."""
        those = [each for each in self.alarms("--kind", kind, *words) if each["about"] == about]
        self.assertLess(len(those), 2, those)
        return those[0] if those else None

    def wait_for_alarm(self, kind, about):
        return wait_until(lambda: self.alarm(kind, about), f"{kind} of {about} is raised")

    def wait_for_end(self, kind, about):
        wait_until(lambda: self.alarm(kind, about) is None, f"{kind} of {about} is cleared", 60)

    def events(self, *words):
        lines = self.ctl("events", *words, "--json").splitlines()
        documents = [json.loads(line) for line in lines]
        for document in documents:
            xbindctl_schemas.check("events", document)
        return documents

    def happened(self, kind, **members):
        return [event for event in self.events("--kind", kind)
                if all(event.get(name) == value for name, value in members.items())]


class Alarms(Operator):

    def test_a_lab_that_is_well_has_none(self):
        wait_until(lambda: self.alarms() == [], "no alarm", 60)
        self.assertEqual(self.ctl("alarms"), "no alarms\n")

    def test_a_switch_that_is_killed_is_listed_explained_acknowledged_and_cleared(self):
        name = f"xbind-switch/{MIDDLE}"
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the switch is dead")
        alarm = self.wait_for_alarm("switch-away", MIDDLE)
        self.assertEqual(alarm["severity"], "critical")
        self.assertEqual(alarm["daemon"], f"switchserver/{MIDDLE}")
        self.assertIn("not under control", alarm["cause"])
        self.assertIn(alarm["repair"], self.ctl("explain", "switch-away"))
        xbindctl_schemas.checked("explain", self.ctl("explain", "switch-away", "--json"))

        self.assertIsNone(alarm["acknowledged"])
        xbindctl_schemas.checked("acknowledge", self.ctl(
            "acknowledge", alarm["id"], "--who", "ann", "--note", "on the way", "--json"))
        seen = self.alarm("switch-away", MIDDLE)["acknowledged"]
        self.assertEqual((seen["by"], seen["note"]), ("ann", "on the way"))
        self.assertEqual(self.alarms("--kind", "switch-away", "--unacknowledged"), [])
        self.assertIn("by ann", self.ctl("alarms", "--severity", "critical"))

        process = self.lab.processes[name]
        self.lab.start(name)
        self.lab.wait_ready(process)
        self.wait_for_end("switch-away", MIDDLE)
        cleared = self.alarm("switch-away", MIDDLE, "--all")
        self.assertEqual(cleared["id"], alarm["id"])
        self.assertGreater(cleared["cleared_ms"], cleared["raised_ms"])
        self.assertEqual(cleared["acknowledged"]["by"], "ann")
        for event in ("alarm-raised", "alarm-acknowledged", "alarm-cleared"):
            self.assertEqual(len(self.happened("alarms", event=event, alarm=alarm["id"])), 1, event)
        daemon = f"switchserver/{MIDDLE}"
        self.assertTrue(self.happened("switches", event="switch-down", daemon=daemon))

    def test_a_switchserver_that_is_killed_is_missed_by_the_manager_and_by_xbindctl(self):
        name = f"xbind-switchserver/{MIDDLE}"
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the SwitchServer is dead")
        alarm = self.wait_for_alarm("switchserver-unreachable", MIDDLE)
        self.assertEqual(alarm["daemon"], "cmgr/default")
        silent = self.silent(f"switchserver/{MIDDLE}")
        self.assertEqual((silent["severity"], silent["daemon"]),
                         ("critical", "routeobject/default"))
        self.ctl("acknowledge", silent["id"], "--who", "ann")
        self.assertEqual(self.silent(f"switchserver/{MIDDLE}")["acknowledged"]["by"], "ann")
        self.ctl("alarms", code=1)  # it could not be asked
        self.lab.start(name)
        self.lab.wait_ready(self.lab.processes[name])
        self.wait_for_end("switchserver-unreachable", MIDDLE)
        self.wait_for_end("daemon-silent", f"switchserver/{MIDDLE}")
        self.wait_for_end("switch-unknown", MIDDLE)
        cleared = self.alarm("daemon-silent", f"switchserver/{MIDDLE}", "--all")
        self.assertEqual((cleared["id"], cleared["acknowledged"]["by"]), (silent["id"], "ann"))
        self.assertTrue(self.happened("sessions", event="session-ended",
                                      about=f"switchserver {MIDDLE}"))

    def test_what_cannot_be_written_is_written_once_it_can_be(self):
        """A directory in the place of its draft is, for every user, a full disk."""
        state = self.lab.state_dir
        epoch = state / "cmgr/cmgr-default.epoch"
        managers = state / f"switchserver/switchserver-{MIDDLE}.managers"
        drains = state / "routeobject/routeobject-default.drains"
        blocked = [file.with_name(file.name + ".new") for file in (epoch, managers, drains)]
        earlier = epoch.read_text()
        call = self.ctl("connect", CALLER, CALLEE).split()[0]
        for draft in blocked:
            draft.mkdir()
        process = self.lab.processes["xbind-cmgr"]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the manager is dead")
        self.lab.start("xbind-cmgr")
        self.lab.wait_ready(self.lab.processes["xbind-cmgr"])  # the SwitchServers know its epoch
        self.assertIn("nothing is drained", tool(self.lab, "xbindctl", "drain", MIDDLE, "2").stderr)
        for file in (epoch, managers, drains):
            alarm = self.wait_for_alarm("state-not-written", str(file))
            self.assertIn(f"{file} cannot be written: ", alarm["cause"])
        self.assertEqual(self.alarm("state-not-written", str(epoch))["daemon"], "cmgr/default")
        self.assertEqual(epoch.read_text(), earlier)
        for draft in blocked:
            draft.rmdir()
        # Nothing has changed, and nobody has asked for anything.
        for file in (epoch, managers, drains):
            self.wait_for_end("state-not-written", str(file))
        number = int(earlier.splitlines()[1])
        self.assertEqual(epoch.read_text().splitlines()[1], str(number + 1))
        self.assertIn(f"{number + 1} default\n", managers.read_text())
        self.assertNotIn("drained", self.ctl("links"))
        self.assertIn(call, self.ctl("list"))
        self.ctl("release", call)

    def silent(self, about):
        """The alarm daemon-silent once a daemon has raised it: before, xbindctl shows its own."""
        def raised():
            alarm = self.alarm("daemon-silent", about)
            return alarm if alarm and alarm["id"] and alarm["raised_ms"] else None
        return wait_until(raised, f"daemon-silent of {about} has an id and a time")

    def test_the_daemon_that_watches_the_others_is_watched(self):
        process = self.lab.processes["xbind-routeobject"]
        suspend(process.pid)
        try:
            silent = self.silent("routeobject/default")
            self.assertNotEqual(silent["daemon"], "routeobject/default")
            self.ctl("acknowledge", silent["id"])
        finally:
            process.signal(signal.SIGCONT)
        self.wait_for_end("daemon-silent", "routeobject/default")

    def test_stray_names_before_the_one_that_watches_are_alarms_and_stop_no_watch(self):
        def reference(path):
            return tool(self.lab, "nameclt", "resolve", path).stdout.strip()
        strays = {"aaa": (reference("xbind"), "an object of another kind, IDL:omg.org/"),
                  "aab": (reference("xbind/routeobject/default"),
                          "the process of routeobject/default")}

        def raised(name):
            # By the daemon, which xbindctl asks under each of its two names.
            return [each for each in self.alarms("--kind", "daemon-silent")
                    if each["about"] == f"routeobject/{name}" and each["raised_ms"]
                    and each["daemon"] == "routeobject/default"]
        for name, (target, _) in strays.items():
            done = tool(self.lab, "nameclt", "bind", f"xbind/routeobject/{name}", target)
            self.assertEqual(done.returncode, 0, done.stderr)
        try:
            for name, (_, words) in strays.items():
                (silent,) = wait_until(lambda name=name: raised(name), f"{name} is an alarm")
                self.assertIn(f"its name is bound to {words}", silent["cause"])
        finally:
            for name in strays:
                tool(self.lab, "nameclt", "unbind", f"xbind/routeobject/{name}")
        for name in strays:
            self.wait_for_end("daemon-silent", f"routeobject/{name}")

    def test_the_questions_of_every_object_are_no_faults_of_peers(self):
        paths = [f"xbind/{path}" for path in (
            "cmgr/default", "qosmapper/default", "routeobject/default",
            *(f"switchserver/{node}" for node in (CALLER, MIDDLE, CALLEE)))]
        for path in paths:
            host, port, key = giop.parse_ior(tool(self.lab, "nameclt", "resolve", path).stdout)
            for reference in ((host, port, key), (host, port, key[:-1] + b"?")):
                peer = giop.Remote(reference)
                for question in ("_is_a", "_non_existent", "_interface", "_component",
                                 "_get_component", "_repository_id"):
                    peer.invoke(question, lambda out, asked=question: asked == "_is_a"
                                and out.string("IDL:openxbind/xbind/v2/Monitored:1.0"))
                peer.close()
        self.assertEqual(tool(self.lab, "xbind-names", "list").returncode, 0)
        # After these a true fault of each kind: the alarm counts no more than the two.
        host, port, key = giop.parse_ior(tool(self.lab, "nameclt", "resolve", paths[0]).stdout)
        for reference in ((host, port, key), (host, port, key[:-1] + b"?")):
            peer = giop.Remote(reference)
            peer.invoke("dance")
            peer.close()
        alarm = self.wait_for_alarm("peer-faults", "process")
        self.assertEqual(alarm["daemon"], "cmgr/default")
        wait_until(lambda: self.alarm("peer-faults", "process")["cause"]
                   == "2 messages that are not understood since the start", "two are counted")

    def daemons_without_names(self):
        """The alarms' ids by daemon; each daemon has one at most."""
        those = self.alarms("--kind", "name-service-unreachable")
        for alarm in those:
            self.assertEqual(alarm["about"], f"name service at {self.lab.names_address()}")
        ids = {alarm["daemon"]: alarm["id"] for alarm in those}
        self.assertEqual(len(ids), len(those), those)
        return ids

    def test_alarms_are_shown_while_the_name_service_is_away(self):
        names = self.lab.processes["omniNames"]
        middle = self.lab.processes[f"xbind-switch/{MIDDLE}"]
        self.ctl("status")  # any command: it learns where all daemons are
        names.signal(signal.SIGKILL)
        wait_until(lambda: not names.alive(), "the name service is dead")
        try:
            # Every daemon raises it, each when its own lease is due.
            away = wait_until(self.daemons_without_names, "the name service's absence is an alarm")
            self.assertTrue(all(away.values()), away)
            for words in (["status"], ["links"], ["services"], ["ports", CALLER], ["clients"],
                          ["managers", "all"], ["events", "--limit", "5"], ["log-level", "all"],
                          ["options", "manager"], ["routes", CALLER, CALLEE]):
                done = tool(self.lab, "xbindctl", *words)
                self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
                self.assertIn("addresses found earlier are used", done.stderr, words)
            middle.signal(signal.SIGKILL)
            self.wait_for_alarm("switch-away", MIDDLE)
            shown = tool(self.lab, "xbindctl", "alarms")
            self.assertEqual(shown.returncode, 1, shown.stdout)
            self.assertIn("switch-away", shown.stdout)
            self.assertIn("the name service at", shown.stderr)
            self.assertIn("addresses found earlier are used", shown.stderr)
            document = json.loads(self.ctl("alarms", "--json", code=1))
            self.assertEqual(document["errors"][0]["peer"], "the name service")
            self.lab.start(f"xbind-switch/{MIDDLE}")
            self.lab.wait_ready(self.lab.processes[f"xbind-switch/{MIDDLE}"])
            self.wait_for_end("switch-away", MIDDLE)
        finally:
            self.lab.start("omniNames")
            self.lab.wait_ready(self.lab.processes["omniNames"])
        wait_until(lambda: not self.daemons_without_names(), "that alarm is cleared", 60)
        self.assertEqual(tool(self.lab, "xbindctl", "status").stderr, "")

    def test_a_drain_is_a_warning_until_it_ends(self):
        self.ctl("drain", MIDDLE)
        alarm = self.wait_for_alarm("switch-drained", MIDDLE)
        self.assertEqual((alarm["severity"], alarm["daemon"]), ("warning", "routeobject/default"))
        self.assertEqual(self.alarms("--severity", "minor", "--about", MIDDLE), [])
        self.ctl("undrain", MIDDLE)
        self.wait_for_end("switch-drained", MIDDLE)
        self.assertTrue(self.happened("switches", event="switch-undrained", about=MIDDLE))

    def test_refusals(self):
        for words, said in (
                (["acknowledge", "x"], "is no alarm"),
                (["acknowledge", "nobody/x#1"], "names no daemon"),
                (["acknowledge", "cmgr/default#1"], "has no alarm 1"),
                (["acknowledge", "cmgr/absent#1"], "cmgr/absent")):
            with self.subTest(words):
                done = tool(self.lab, "xbindctl", *words)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)


class AtTheConsole(unittest.TestCase):
    """The same alarms in a browser."""

    def test_every_view_goes_on(self):
        with lab_up(console=True, more={"xbind-console": CONSOLE}) as lab:
            console = Console(lab.processes["xbind-console"].address)
            console.wait_until_known()

            def kinds():
                return {alarm["kind"] for alarm in console.get("/api/v1/alarms")["alarms"]}

            call = connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE))
            tool(lab, "xbindctl", "drain", CALLER, "2")
            wait_until(lambda: "line-drained" in kinds(), "the alarms are read")
            names = lab.processes["omniNames"]
            names.signal(signal.SIGKILL)
            console.wait_for_daemon("name service", "unreachable")
            wait_until(lambda: "name-service-unreachable" in kinds(), "that is an alarm")
            tool(lab, "xbindctl", "undrain", CALLER, "2")
            wait_until(lambda: "line-drained" not in kinds(), "what has ended is not listed")
            # Questions that are asked when a browser asks them.
            for path in ("/api/v1/services", "/api/v1/calls", f"/api/v1/calls/default/{call}",
                         f"/api/v1/fit?from={CALLER}&to={CALLEE}&cells_per_s=100"):
                wait_until(lambda path=path: console.ask(path)[0] == 200, f"{path} is answered")
            switch = lab.processes[f"xbind-switch/{MIDDLE}"]
            switch.signal(signal.SIGKILL)
            wait_until(lambda: "switch-away" in kinds(), "what begins is listed")
            alarm = next(one for one in console.get("/api/v1/alarms")["alarms"]
                         if one["kind"] == "switch-away")
            status, _, done = console.ask("/api/v1/alarms/acknowledge", "POST",
                                          {"alarm": alarm["id"], "by": "ada"})
            self.assertEqual((status, done["by"]), (200, "ada"))

    def test_a_silent_daemon_is_the_same_alarm_here(self):
        with lab_up(console=True, more={"xbind-console": CONSOLE}) as lab:
            console = Console(lab.processes["xbind-console"].address)
            console.wait_until_known()
            lab.processes["xbind-qosmapper"].signal(signal.SIGKILL)
            alarm = wait_until(lambda: [one for one in console.get("/api/v1/alarms")["alarms"]
                                        if one["kind"] == "daemon-silent"], "it is raised")[0]
            self.assertEqual(alarm["about"], "qosmapper/default")
            listed = json.loads(tool(lab, "xbindctl", "alarms", "--json").stdout)["alarms"]
            self.assertEqual([one["id"] for one in listed if one["kind"] == "daemon-silent"],
                             [alarm["id"]])


class Events(Operator):

    def test_calls_are_followed_by_a_reader(self):
        command = [BIN / "xbindctl", "events", "--kind", "calls,sessions", "--watch=0.2", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=self.lab.client_environment()) as reader:
            try:
                connected = self.ctl("connect", CALLER, CALLEE)
                call = connected.split()[0]
                self.ctl("release", call)
                seen = []
                while "released" not in seen:
                    event = json.loads(reader.stdout.readline())
                    if event.get("connection") == call:
                        xbindctl_schemas.check("events", event)
                        seen.append(event["event"])
                        self.assertEqual((event["from"], event["to"]), (CALLER, CALLEE))
                self.assertEqual(seen, ["connected", "released"])
            finally:
                reader.terminate()

    def test_a_refusal_says_what_is_short(self):
        self.ctl("connect", CALLER, CALLEE, "--cells-per-s", "400000", code=1)
        refused = self.happened("calls", event="refused")[-1]
        self.assertEqual(refused["asked"], 400000)
        self.assertEqual(refused["cause"], "no bandwidth")
        text = self.ctl("events", "--kind", "calls", "--limit", "1")
        self.assertIn("no bandwidth", text)

    def test_a_slow_reader_learns_what_it_has_lost(self):
        calls = 5000  # two events each: more than are kept
        command = [BIN / "xbindctl", "events", "--kind", "calls", "--watch=0.2", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env=self.lab.client_environment()) as reader:
            try:
                self.ctl("release", self.ctl("connect", CALLER, CALLEE).split()[0])
                json.loads(reader.stdout.readline())  # it has begun
                suspend(reader.pid)
                done, summary = offer(self.lab, Load(calls=calls, rate=2000, hold=0.1))
                self.assertEqual(done.returncode, 0, done.stdout)
                happened = summary["setups"]["connected"] + summary["releases"]["released"]
                reader.send_signal(signal.SIGCONT)
                read = 0
                while "lost" not in (event := json.loads(reader.stdout.readline())):
                    read += 1
                self.assertEqual((event["daemon"], event["log"]), ("cmgr/default", "calls"))
                self.assertGreaterEqual(read, RING)
                self.assertGreater(event["lost"], happened - RING - 100)
            finally:
                reader.terminate()
        self.assertTrue(self.happened("sessions", event="session-attached", daemon="cmgr/default"))


if __name__ == "__main__":
    main()
