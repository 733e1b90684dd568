#!/usr/bin/env python3
"""What xbind-switch, xbind-gsmp-ovs and xbind-keeper expose over HTTP, and that both kinds of
switches load their options again while they run.

The tests with a bridge of Open vSwitch need root, and are skipped otherwise.
"""

import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from gsmp_client import MPLS, Branch, GsmpClient, GsmpFailure
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control, metrics  # noqa: E402
from openflow_bridge_test import Bridge, why_not
from scraping import Scrape, get

ADD = "add-branch"
TABLE = {"connections": "branches", "branches": "branches", "adjacencies": "adjacencies",
         "open_requests": "open"}


def scrape(address):
    code, _, text = get(address, "/metrics")
    assert code == 200, text
    return Scrape(text)


def assert_grown(test, earlier, now):
    for key, value in earlier.samples.items():
        if key[0].endswith("_total"):
            test.assertGreaterEqual(now.samples[key], value, key)


class Readings:
    """Requests within 100 ms share a reading, so a test waits for what it expects."""

    def assert_comes_to(self, read, expected):
        last = []

        def equal():
            last[:] = [read()]
            return last[0] == expected

        try:
            wait_until(equal, expected)
        except AssertionError:
            self.assertEqual(last[0], expected)


class Switches(InOneLab, Readings):
    """The paper's lab: three emulated switches in a row, a process each."""

    LAB = {"metrics": True}

    def of(self, switch):
        return scrape(metrics.targets(self.lab.state_dir)[f"xbind-switch/{switch}"])

    def tell(self, switch, line):
        answer, = control.tell(self.lab.process_of("xbind-switch", switch), [line])
        self.assertTrue(answer.startswith("ok"), answer)
        return dict(word.split("=", 1) for word in answer.split()[1:])

    def value(self, switch, name, **labels):
        """Of a metric of the switch; 0 where nothing was counted."""
        labels = frozenset({"switch": switch, **labels}.items())
        return self.of(switch).samples.get((f"xbind_emulator_{name}", labels), 0)

    def assert_is_the_table(self, switch, branches):
        """The scrape has the numbers that the switch tells, once it is at rest."""
        def equal():
            status = self.tell(switch, "status")
            now = self.of(switch)
            same = all(now.value(f"xbind_emulator_{name}", switch=switch) == int(status[word])
                       for name, word in TABLE.items())
            # The SwitchServer may ask between the two, so this is compared anew each time, too.
            requests = sum(now.of("xbind_emulator_requests_total").values())
            same = same and requests == int(status["requests"])
            return now if same and int(status["branches"]) == branches else None

        return wait_until(equal, f"the scrape is the table of {switch}, with {branches} branches")

    def connect(self, code=0):
        asked = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s", "100")
        self.assertEqual(asked.returncode, code, asked.stdout + asked.stderr)
        return asked

    def test_the_metrics_are_the_table_at_rest_and_under_load(self):
        for switch in self.lab.node_names():
            process = f"xbind-switch/{switch}"
            self.assertEqual(get(metrics.targets(self.lab.state_dir)[process], "/-/ready")[::2],
                             (200, "ready\n"))
            self.assert_is_the_table(switch, 0)
        before = {switch: self.of(switch) for switch in self.lab.node_names()}
        made = [connection_of(self.connect()) for _ in range(5)]
        for switch in self.lab.node_names():
            now = self.assert_is_the_table(switch, 5)
            assert_grown(self, before[switch], now)
        for connection in made:
            self.assertEqual(tool(self.lab, "xbindctl", "release", connection).returncode, 0)
        for switch in self.lab.node_names():
            self.assert_is_the_table(switch, 0)
        self.under_load()

    def under_load(self):
        added = {switch: self.value(switch, "branches_added_total")
                 for switch in self.lab.node_names()}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(offer, self.lab, Load(calls=600, rate=300))
            earlier = self.of(MIDDLE)
            while not running.done():
                now = self.of(MIDDLE)
                assert_grown(self, earlier, now)
                earlier = now
            done, _ = running.result()
        self.assertEqual(done.returncode, 0, done.stderr)
        for switch in self.lab.node_names():
            now = self.assert_is_the_table(switch, 0)
            self.assertEqual(now.value("xbind_emulator_branches_added_total", switch=switch),
                             added[switch] + 600)

    def test_refusals_are_counted_by_their_code(self):
        before = [self.value(MIDDLE, "failures_total", code="18"),
                  self.value(MIDDLE, "failed_requests_total", message=ADD)]
        self.tell(MIDDLE, "refuse-next 1 18")
        self.connect(code=1)
        self.assert_comes_to(lambda: [self.value(MIDDLE, "failures_total", code="18"),
                                      self.value(MIDDLE, "failed_requests_total", message=ADD)],
                             [count + 1 for count in before])

    def test_a_port_that_is_down_and_a_restart(self):
        self.tell(MIDDLE, "line 2 down")
        self.assert_comes_to(lambda: self.value(MIDDLE, "port_up", port="2"), 0)
        self.assert_comes_to(lambda: self.value(MIDDLE, "ports_down"), 1)
        self.tell(MIDDLE, "line 2 up")
        self.assert_comes_to(lambda: self.value(MIDDLE, "ports_down"), 0)
        before = self.of(MIDDLE)
        self.tell(MIDDLE, "restart cold")
        again = before.value("xbind_emulator_adjacencies_up_total", switch=MIDDLE) + 1
        self.assert_comes_to(lambda: self.value(MIDDLE, "adjacencies_up_total"), again)
        assert_grown(self, before, self.of(MIDDLE))

    def test_an_option_is_tuned_over_the_control_socket_until_it_is_not(self):
        self.assertEqual(self.tell(MIDDLE, "tune log-level=gsmp=debug,info"),
                         {"log-level": "gsmp=debug,info"})
        self.assertEqual(self.tell(MIDDLE, "tune branches-max=77"), {"branches-max": "77"})
        self.assert_comes_to(lambda: self.value(MIDDLE, "branches_max"), 77)
        process = self.lab.process_of("xbind-switch", MIDDLE)
        process.signal(signal.SIGHUP)
        wait_until(lambda: "SIGHUP: the options are reloaded: all as they were" in
                   process.output(), "a reload keeps what was tuned")
        self.assertEqual(self.tell(MIDDLE, "tune branches-max"), {"branches-max": "1048576"})
        self.assertEqual(self.tell(MIDDLE, "tune log-level"), {"log-level": "info"})
        refused, = control.tell(process, ["tune ports=3"])
        self.assertEqual(refused, "error bad-value: an option needs a restart: ports 2 -> 3 "
                                  "(operator); nothing has changed")

    def test_a_stopped_loop_answers_again_when_it_goes_on(self):
        process = self.lab.process_of("xbind-switch", CALLER)
        address = metrics.targets(self.lab.state_dir)[process.name]
        suspend(process.pid)
        try:
            with self.assertRaises(OSError):
                get(address, "/-/healthy", timeout=1)
        finally:
            os.kill(process.pid, signal.SIGCONT)
        wait_until(lambda: get(address, "/-/healthy")[0] == 200, "it is healthy again")

    def test_many_scrapes_at_a_time_are_all_answered(self):
        address = metrics.targets(self.lab.state_dir)[f"xbind-switch/{CALLEE}"]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            codes = list(pool.map(lambda _: get(address, "/metrics")[0], range(64)))
        self.assertEqual(codes, [200] * 64)


class SeveralInAProcess(unittest.TestCase):

    def test_each_switch_has_its_label_and_the_process_is_counted_once(self):
        with lab_up(metrics=True, nodes_per_process=3) as lab:
            address, = (target for name, target in metrics.targets(lab.state_dir).items()
                        if name.startswith("xbind-switch/"))
            now = scrape(address)
            switches = {dict(labels)["switch"]
                        for labels in now.of("xbind_emulator_adjacencies")}
            self.assertEqual(switches, set(lab.node_names()))
            self.assertEqual(set(now.of("xbind_emulator_rss_bytes")), {frozenset()})
            self.assertEqual(now.value("xbind_exporter_parts"), 3)


class Keeper(unittest.TestCase, Readings):

    def test_the_metrics_are_the_status_and_a_lost_manager_is_not_ready(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "kept.toml"
            table = f'[[connection]]\nname = "%s"\nfrom = "{CALLER}"\nto = "{CALLEE}"\n' \
                    "cells-per-s = %d\ncount = %d\n"
            file.write_text(table % ("narrow", 100, 3))
            with lab_up(metrics=True, connections=file) as lab:
                self.check(lab, file, table)

    def check(self, lab, file, table):
        address = metrics.targets(lab.state_dir)["xbind-keeper"]

        def now(name):
            return scrape(address).value(f"xbind_keeper_{name}")

        wait_until(lambda: now("calls_up") == 3, "all calls are up")
        self.assertEqual(get(address, "/-/ready")[::2], (200, "ready\n"))
        # The wide call does not fit: its setups are refused again and again.
        file.write_text(table % ("narrow", 100, 2) + table % ("wide", 10**6, 1))
        lab.processes["xbind-keeper"].signal(signal.SIGHUP)
        wait_until(lambda: now("releases_total") == 1 and now("setups_refused_total") >= 2,
                   "a call is released, and another one is refused")
        self.assert_comes_to(
            lambda: [now("calls_wanted"), now("calls_up"), now("refused_connections")], [3, 2, 1])
        status = wait_until(
            lambda: (read := json.loads((lab.state_dir / "connections.json").read_text()))
            ["wanted"] == 3 and read["up"] == 2 and read, "the status file has the same")
        states = collections.Counter(call["state"] for call in status["calls"])
        self.assertEqual(now("calls_up"), states["up"])
        self.assertEqual(now("calls_broken"), 0)
        file.write_text("nonsense")
        lab.processes["xbind-keeper"].signal(signal.SIGHUP)
        wait_until(lambda: now("files_refused_total") == 1, "the file is refused")
        end([lab.processes["xbind-cmgr"]])
        wait_until(lambda: get(address, "/-/ready")[::2] ==
                   (503, "the keeper: no session with manager default\n"), "it is not ready")
        self.assertEqual(get(address, "/-/healthy")[0], 200)
        self.assert_comes_to(lambda: now("attached"), 0)
        lab.start("xbind-cmgr")
        wait_until(lambda: get(address, "/-/ready")[0] == 200, "it is ready again")


class Daemon:
    """A program with --metrics, without a lab; at the end of the block it must exit with 0."""

    def __init__(self, folder, program, *words):
        self.folder = folder
        self.log = folder / "log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.popen = subprocess.Popen(
                [BIN / program, *words, "--metrics", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        self.metrics = self.printed(r"^\S+ metrics on (\S+)$")
        return self

    def __exit__(self, kind, *_):
        self.popen.terminate()
        code = self.popen.wait(timeout=20)
        if kind is not None:
            print(self.log.read_text())
        else:
            assert code == 0, f"exit code {code}: {self.log.read_text()}"

    def printed(self, pattern):
        found = wait_until(lambda: re.search(pattern, self.log.read_text(), re.MULTILINE), pattern)
        return found.group(1)

    def gsmp(self, name):
        host, port = self.printed(rf"^\S+ {name} listening on (\S+)$").rsplit(":", 1)
        return GsmpClient(host, int(port))

    def reload(self):
        """SIGHUP; returns what the log says about it, without the folder's name."""
        before = len(self.reloads())
        self.popen.send_signal(signal.SIGHUP)
        wait_until(lambda: len(self.reloads()) > before, "it says what it does")
        return self.reloads()[-1]

    def reloads(self):
        return [line.replace(f"{self.folder}/", "")
                for line in self.log.read_text().splitlines() if "the options are" in line]


def branches_max(daemon, switch):
    return scrape(daemon.metrics).value("xbind_emulator_branches_max", switch=switch)


class Reload(unittest.TestCase, Readings):
    """SIGHUP loads the options of both programs again, whole or not at all."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "options.toml"

    def start(self, program, *words):
        """With the options of the file."""
        return self.enterContext(Daemon(self.folder, program, "--config", self.file,
                                        "--listen", "127.0.0.1:0", *words))

    def reload(self, daemon, text):
        self.file.write_text(text)
        return daemon.reload()

    def assert_refused(self, daemon, text, why):
        line = self.reload(daemon, text)
        self.assertIn(" error ", line)
        self.assertIn("the options are not reloaded", line)
        self.assertIn(why, line)

    def test_a_switch_takes_live_options_and_keeps_its_table(self):
        self.file.write_text("branches-max = 2\n")
        switch = self.start("xbind-switch", "--name", "sw1")
        with switch.gsmp("sw1") as client:
            for vci in (100, 101):
                client.add(Branch(1, (0, vci), 2, (0, vci)))
            with self.assertRaisesRegex(GsmpFailure, "code 19"):
                client.add(Branch(1, (0, 102), 2, (0, 102)))
            live = 'branches-max = 3\nlog-level = "gsmp=debug,info"\n'
            self.assertRegex(
                self.reload(switch, live),
                r"info xbind-switch sw1: SIGHUP: the options are reloaded: "
                r"branches-max 2 -> 3 \(options.toml line 1\), "
                r"log-level info -> gsmp=debug,info \(options.toml line 2\)$")
            client.add(Branch(1, (0, 102), 2, (0, 102)))
            self.assert_refused(switch, "branches-max = 9\nports = 3\n",
                                "an option needs a restart: ports 4 -> 3 (options.toml line 2)")
            self.assert_refused(switch, "branches-max = 0\n", "0 is out of the range 1 to ")
            self.assert_refused(switch, "branches = 9\n", "unknown option branches")
            self.assert_comes_to(lambda: branches_max(switch, "sw1"), 3)
            self.assertEqual(len(client.table()), 3)
            self.assertIn("all as they were", self.reload(switch, live))

    def test_a_long_answer_arrives_whole(self):
        self.file.write_text("ports = 4096\n")
        switch = self.start("xbind-switch", "--name", "sw1")
        for _ in range(10):
            now = scrape(switch.metrics)  # get() refuses an answer that is cut off
            self.assertEqual(len(now.of("xbind_emulator_port_up")), 4096)

    def test_the_switches_of_a_file_are_read_again_whole_or_not_at_all(self):
        two = "".join(f'[[switch]]\nname = "sw{number}"\nlisten = "127.0.0.1:0"\n'
                      "branches-max = %d\n" for number in (1, 2))
        self.file.write_text(two % (5, 5))
        daemon = self.enterContext(Daemon(self.folder, "xbind-switch", "--switches", self.file))
        daemon.printed(r"^\S+ sw2 listening on (\S+)$")
        self.assertIn("sw2 branches-max 5 -> 6 (options.toml line 8)",
                      self.reload(daemon, two % (5, 6)))
        self.assert_refused(daemon, (two % (7, 7)).replace("sw2", "sw3"),
                            "the names of the switches, or their order, need a restart")
        self.assert_refused(daemon, two % (7, 7) + "ports = 9\n", "sw2 ports 4 -> 9")
        self.assert_comes_to(lambda: [branches_max(daemon, name) for name in ("sw1", "sw2")],
                             [5, 6])

    def test_an_agent_without_a_bridge_is_healthy_not_ready_and_reloads(self):
        self.file.write_text("")
        nowhere = f"unix:{self.folder}/no-bridge"
        begun = time.monotonic()
        agent = self.start("xbind-gsmp-ovs", "--name", "node-1", "--bridge", nowhere)
        self.assertEqual(get(agent.metrics, "/-/healthy")[0], 200)
        code, _, reasons = get(agent.metrics, "/-/ready")
        self.assertEqual(code, 503)
        self.assertRegex(reasons, rf"^node-1: bridge {nowhere} has had no session for \d+ s: .*\n"
                                  "node-1: no controller is served until the bridge is read\n$")
        now = scrape(agent.metrics)
        self.assertEqual(now.value("xbind_ovs_bridge_up", switch="node-1"), 0)
        away = now.value("xbind_ovs_bridge_away_seconds", switch="node-1")
        self.assertTrue(0 < away <= time.monotonic() - begun, away)
        wait_until(lambda: scrape(agent.metrics).value(
            "xbind_ovs_bridge_failed_attempts_total", switch="node-1") > 1, "it tries again")
        self.assertIn("branches-max 1048576 -> 3 (options.toml line 1)",
                      self.reload(agent, "branches-max = 3\n"))
        self.assert_refused(agent, "branches-max = 4\nwindow = 5\n",
                            "an option needs a restart: window 1024 -> 5")
        self.assert_comes_to(lambda: branches_max(agent, "node-1"), 3)


@unittest.skipIf(why_not(), why_not())
class ABridge(unittest.TestCase, Readings):
    """xbind-gsmp-ovs in front of a real bridge."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-br-")))
        self.bridge = Bridge(self.folder)
        self.addCleanup(self.bridge.end)

    def flows(self):
        return [line for line in self.bridge.ofctl("dump-flows").splitlines()
                if "cookie=0x5842" in line]

    def test_the_metrics_are_the_bridge_until_it_goes_away(self):
        with Daemon(self.folder, "xbind-gsmp-ovs", "--name", "node-1", "--ports", "3",
                    "--listen", "127.0.0.1:0", "--bridge",
                    f"unix:{self.bridge.management}") as agent:
            def now(room, name):
                return scrape(agent.metrics).value(f"xbind_{room}_{name}", switch="node-1")

            with agent.gsmp("node-1") as client:
                wait_until(lambda: get(agent.metrics, "/-/ready")[0] == 200, "it is ready")
                for label in range(20, 25):
                    client.add(Branch(1, (MPLS, label), 2, (MPLS, label)))
                client.add(Branch(1, (MPLS, 20), 3, (MPLS, 20)))
                self.assertEqual(len(self.flows()), 5)
                self.assert_comes_to(
                    lambda: [now("emulator", "connections"), now("emulator", "branches"),
                             now("ovs", "groups_used"), now("ovs", "bundles_total")],
                    [5, 6, 1, 1])
                self.assertEqual(now("ovs", "changes_refused_total"), 0)
                self.assertEqual(now("emulator", "ports_down"), 0)
                client.delete(Branch(1, (MPLS, 20), 3, (MPLS, 20)))
                client.delete(Branch(1, (MPLS, 24), 2, (MPLS, 24)))
                self.assertEqual(len(self.flows()), 4)
                self.assert_comes_to(
                    lambda: [now("emulator", "connections"), now("emulator", "branches"),
                             now("ovs", "groups_used"), now("ovs", "bundles_total")],
                    [4, 4, 0, 2])
            self.bridge.vsctl("del-br", "br0")
            reasons = wait_until(
                lambda: (answer := get(agent.metrics, "/-/ready"))[0] == 503 and answer[2],
                "it is not ready without its bridge")
            self.assertRegex(reasons, r"^node-1: bridge unix:\S+ has had no session for \d+ s")
            self.assertEqual(get(agent.metrics, "/-/healthy")[0], 200)
            self.assert_comes_to(
                lambda: [now("ovs", "bridge_up"), now("ovs", "bridge_lost_total"),
                         now("emulator", "ports_down"), now("emulator", "connections")],
                [0, 1, 3, 4])


if __name__ == "__main__":
    main()
