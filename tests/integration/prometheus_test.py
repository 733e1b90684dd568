#!/usr/bin/env python3
"""What the daemons of a lab expose over HTTP: metrics, health and readiness."""

import concurrent.futures
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control, metrics  # noqa: E402
from scraping import Scrape, documented, family_of, get

# Names in expressions of Prometheus.
NAMES = re.compile(r"\bxbind_\w+")
PROMTOOL = shutil.which("promtool")


def raw(address, octets):
    """What the server sends for these octets until it closes the connection."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=20) as peer:
        peer.sendall(octets)
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    return answer.decode()


class Exposed(unittest.TestCase):
    """Tests with the paper's lab: three switches in a row."""

    def scrape(self, lab, process):
        code, headers, text = get(metrics.targets(lab.state_dir)[process], "/metrics")
        self.assertEqual(code, 200, text)
        self.assertIn("version=0.0.4", headers["Content-Type"])
        return Scrape(text)

    def wait_ready(self, lab, process, code):
        address = metrics.targets(lab.state_dir)[process]
        return wait_until(lambda: (answer := get(address, "/-/ready"))[0] == code and answer,
                          f"{process} answers {code} to /-/ready")[2]

    def ports(self, lab, switch):
        """Port -> (cells/s, cells/s taken, labels free) of the ledger, by xbindctl."""
        shown = tool(lab, "xbindctl", "ports", switch)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        rows = [line.split() for line in shown.stdout.splitlines() if line[:1].isdigit()]
        # After these: taken buffer, free labels and five counts of cells.
        return {row[0]: (int(row[-9]), int(row[-8]), int(row[-6])) for row in rows}

    def assert_equals_state(self, lab):
        """The scrape has the manager's own numbers, once the lab is at rest."""
        names = {"connections": "xbind_cmgr_connections", "setups": "xbind_cmgr_setups_total",
                 "connected": "xbind_cmgr_connected_total", "owed": "xbind_cmgr_owed",
                 "labels_cached": "xbind_cmgr_labels_cached"}

        def equal():
            shown = tool(lab, "xbindctl", "status").stdout
            manager = self.scrape(lab, "xbind-cmgr")
            same = all(manager.value(exposed) == counter(shown, name)
                       for name, exposed in names.items())
            return manager if same else None

        return wait_until(equal, "the scrape equals the status")

    def assert_equals_ledger(self, lab, switch, calls, cells_per_s):
        """The scrape has the ledger's own numbers, and those of so many equal calls."""
        of = ("capacity_cells_per_second", "promised_cells_per_second", "output_labels_free")

        def equal():
            ports = self.ports(lab, switch)
            server = self.scrape(lab, f"xbind-switchserver/{switch}")
            same = all(
                ledger == tuple(server.value(f"xbind_switchserver_port_{name}", switch=switch,
                                             port=port) for name in of)
                for port, ledger in ports.items())
            return server if same else None

        server = wait_until(equal, f"the scrape equals the ledger of {switch}")
        hops = server.of("xbind_switchserver_port_hops_cells_per_second")
        self.assertEqual(sum(hops.values()), calls * cells_per_s, switch)
        self.assertEqual(server.value("xbind_switchserver_hops", switch=switch), calls)

    def test_the_metrics_are_the_state_at_rest_and_under_load(self):
        with lab_up(metrics=True) as lab:
            for process in metrics.targets(lab.state_dir):
                self.assertEqual(self.wait_ready(lab, process, 200), "ready\n")
            self.assertEqual(self.assert_equals_state(lab).value("xbind_cmgr_connections"), 0)
            made = [connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s",
                                       "100")) for _ in range(3)]
            self.assertEqual(self.assert_equals_state(lab).value("xbind_cmgr_connections"), 3)
            for switch in lab.node_names():
                self.assert_equals_ledger(lab, switch, 3, 100)
            for connection in made:
                tool(lab, "xbindctl", "release", connection)
            self.under_load(lab)

    def under_load(self, lab):
        """Counters never go back while calls run, and agree with callgen's count at the end."""
        before = self.scrape(lab, "xbind-cmgr")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(offer, lab, Load(calls=600, rate=300))
            earlier = before
            while not running.done():
                now = self.scrape(lab, "xbind-cmgr")
                for key, value in earlier.samples.items():
                    if key[0].endswith(("_total", "_bucket", "_count", "_sum")):
                        self.assertGreaterEqual(now.samples[key], value, key)
                earlier = now
            done, _ = running.result()
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.assert_equals_state(lab)
        setups = after.value("xbind_cmgr_setups_total") - before.value("xbind_cmgr_setups_total")
        self.assertEqual(setups, 600)
        name = "xbind_cmgr_stage_seconds"
        for sample in ("_count", "_bucket"):
            more = {"le": "+Inf"} if sample == "_bucket" else {}
            counted = after.value(name + sample, operation="setup", stage="total", **more)
            self.assertEqual(counted, after.value("xbind_cmgr_connected_total"), sample)

    def test_every_name_is_documented_and_every_alert_and_panel_exists(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "kept.toml"
            kept.write_text(f'[[connection]]\nname = "one"\nfrom = "{CALLER}"\n'
                            f'to = "{CALLEE}"\ncells-per-s = 100\n')
            with lab_up(metrics=True, connections=kept) as lab:
                self.check_names(lab)
        if not PROMTOOL:
            self.skipTest("NOT TESTED: promtool is missing (package prometheus): it has not read "
                          "the metrics and the rules")

    def check_names(self, lab):
        # A refusal of a hop and an alarm, so that the families which need one are there.
        for code in (0, 1):
            asked = tool(lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s", "300000")
            self.assertEqual(asked.returncode, code, asked.stdout + asked.stderr)
        control.tell(lab.process_of("xbind-switch", CALLER), ["refuse-next 1 18"])
        asked = tool(lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s", "1")
        self.assertEqual(asked.returncode, 1, asked.stdout + asked.stderr)
        end([lab.process_of("xbind-switch", MIDDLE)])
        server = f"xbind-switchserver/{MIDDLE}"
        wait_until(lambda: "xbind_orb_alarms" in self.scrape(lab, server).names(),
                   "an alarm is raised")
        exposed = self.names_of_a_bridges_agent()
        for process in set(metrics.targets(lab.state_dir)) - {f"xbind-switch/{MIDDLE}"}:
            exposed |= self.check_documented(process, self.scrape(lab, process))
        wanted = {*NAMES.findall((ROOT / "deploy/prometheus/alerts.yml").read_text()),
                  *NAMES.findall((ROOT / "deploy/grafana/openxbind.json").read_text())}
        self.assertGreater(len(wanted), 20)
        self.assertEqual(wanted - exposed, set())
        # The lab's configuration, and the alert rules that it names.
        self.check_by_promtool("config", str(metrics.file_of(lab.state_dir)))

    def check_documented(self, process, scrape):
        """Every name and label of the scrape is in docs/metrics.md; returns the names."""
        known = documented()
        for name, labels in scrape.samples:
            family = family_of(name, scrape.types)
            self.assertIn(family, known, process)
            self.assertIn(family, scrape.types)
            extra = {label for label, _ in labels} - known[family] - {"le"}
            self.assertLessEqual(extra, {"switch"}, f"{process} {name}")
        # Names and units as Prometheus recommends.
        self.check_by_promtool("metrics", text=scrape.text)
        return scrape.names()

    def names_of_a_bridges_agent(self):
        """Those of an xbind-gsmp-ovs, whose bridge need not be there."""
        words = [BIN / "xbind-gsmp-ovs", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
                 "--bridge", "unix:/nonexistent/br0.mgmt"]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as agent:
            try:
                said = re.fullmatch(r"xbind-gsmp-ovs metrics on (\S+)\n", agent.stdout.readline())
                code, _, text = get(said.group(1), "/metrics")
                self.assertEqual(code, 200, text)
                return self.check_documented("xbind-gsmp-ovs", Scrape(text))
            finally:
                agent.terminate()

    def check_by_promtool(self, *words, text=None):
        """Prometheus' own tool; without it the test is skipped after all of its own checks."""
        if not PROMTOOL:
            return
        checked = subprocess.run([PROMTOOL, "check", *words], input=text, text=True,
                                 capture_output=True, check=False, timeout=60)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_a_killed_switch_is_not_ready_until_it_is_back(self):
        with lab_up(metrics=True) as lab:
            server = f"xbind-switchserver/{MIDDLE}"
            self.wait_ready(lab, server, 200)
            end([lab.process_of("xbind-switch", MIDDLE)])
            reasons = self.wait_ready(lab, server, 503)
            self.assertRegex(reasons, rf"^{MIDDLE}: its switch has not been under control for \d+")
            self.assertEqual(get(metrics.targets(lab.state_dir)[server], "/-/healthy")[0], 200)
            wait_until(lambda: self.scrape(lab, server).value(
                "xbind_exporter_not_ready_reasons") == 1, "the scrape counts the reason")
            self.assertEqual(self.scrape(lab, server).value(
                "xbind_switchserver_switch_up", switch=MIDDLE), 0)
            raised = ("xbind_orb_alarms", frozenset({
                "kind": "switch-away", "severity": "critical", "switch": MIDDLE}.items()))
            wait_until(lambda: self.scrape(lab, server).samples.get(raised) == 1,
                       "the scrape counts the alarm")
            lab.start(f"xbind-switch/{MIDDLE}")
            self.wait_ready(lab, server, 200)

    def test_a_manager_without_a_switchserver_is_not_ready(self):
        with lab_up(metrics=True) as lab:
            self.wait_ready(lab, "xbind-cmgr", 200)
            name = f"xbind-switchserver/{MIDDLE}"
            end([lab.processes[name]])
            reasons = self.wait_ready(lab, "xbind-cmgr", 503)
            self.assertEqual(reasons,
                             f"manager default: {MIDDLE}: not attached to its SwitchServer\n")
            lab.start(name)
            self.wait_ready(lab, "xbind-cmgr", 200)

    def test_wrong_requests_are_refused(self):
        with lab_up(metrics=True) as lab:
            address = metrics.targets(lab.state_dir)["xbind-qosmapper"]
            code, _, body = get(address, "/")
            self.assertEqual((code, "/metrics" in body), (404, True))
            self.assertEqual(get(address, "/metrics/..%2f..%2fetc/passwd")[0], 404)
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                self.assertEqual(get(address, "/metrics", method)[0], 405, method)
            code, headers, body = get(address, "/metrics", "HEAD")
            self.assertEqual((code, body), (200, ""))
            self.assertGreater(int(headers["Content-Length"]), 100)
            for octets, code in (
                    (b"nonsense\r\n\r\n", 400), (b"GET\r\n\r\n", 400),
                    (b"\0" * 100 + b"\r\n\r\n", 400),
                    (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 8192 + b"\r\n\r\n", 431)):
                self.assertRegex(raw(address, octets), rf"^HTTP/1\.1 {code} ", octets[:20])
            # One request a connection: a second one behind it is not answered.
            answer = raw(address, b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n" * 2)
            self.assertEqual(answer.count("HTTP/1.1 200 OK\r\n"), 1)
            self.assertTrue(answer.endswith("\r\nConnection: close\r\n\r\nhealthy\n"), answer)
            scrape = self.scrape(lab, "xbind-qosmapper")
            # Two unknown paths, four methods, four that are malformed or too long.
            self.assertEqual(scrape.value("xbind_exporter_requests_refused_total"), 10)

    def test_slow_and_many_connections_delay_a_scrape_at_most_by_their_time_limit(self):
        with lab_up(metrics=True) as lab:
            address = metrics.targets(lab.state_dir)["xbind-cmgr"]
            host, port = address.rsplit(":", 1)
            idle = [socket.create_connection((host, int(port)), timeout=20) for _ in range(60)]
            for peer in idle[::2]:
                peer.sendall(b"GET /met")  # and nothing more
            try:
                # Calls do not notice it.
                made = tool(lab, "xbindctl", "connect", CALLER, CALLEE)
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertEqual(get(address, "/-/healthy")[0], 200)
                threads = len(list(Path(
                    f"/proc/{lab.processes['xbind-cmgr'].pid}/task").iterdir()))
                self.assertLess(threads, 60, "no thread for each connection")
            finally:
                for peer in idle:
                    peer.close()
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                codes = list(pool.map(lambda _: get(address, "/metrics")[0], range(64)))
            self.assertEqual(codes, [200] * 64)

    def test_a_stopped_process_answers_nothing_and_is_healthy_when_it_continues(self):
        with lab_up(metrics=True) as lab:
            process = lab.processes["xbind-cmgr"]
            address = metrics.targets(lab.state_dir)["xbind-cmgr"]
            suspend(process.pid)
            try:
                with self.assertRaises(OSError):
                    urllib.request.urlopen(f"http://{address}/-/healthy", timeout=1)
            finally:
                os.kill(process.pid, signal.SIGCONT)
            wait_until(lambda: get(address, "/-/healthy")[0] == 200, "it is healthy again")

    def test_a_logic_that_hangs_is_not_healthy_and_raises_an_alarm(self):
        """The process lives and serves HTTP; its logic answers nobody (tampered-switchserver)."""
        name = f"xbind-switchserver/{MIDDLE}"
        with planned_lab(metrics=True) as lab:
            with planning(lab):
                server = lab.processes[name]
                server.command[0] = str(BIN / "tampered-switchserver")
                lab.start_all(lambda text: None)
            self.wait_ready(lab, name, 200)
            address = metrics.targets(lab.state_dir)[name]
            os.kill(server.pid, signal.SIGALRM)
            wait_until(lambda: "the logic hangs" in server.log_tail(50), "the logic hangs")
            try:
                code, _, reason = wait_until(
                    lambda: (lambda answer: answer[0] == 503 and answer)(
                        get(address, "/-/healthy")), "it is not healthy")
                self.assertEqual(code, 503)
                self.assertEqual(reason, f"{MIDDLE}: its logic has not answered within 1000 ms\n")
                self.assertEqual(self.scrape(lab, name).value("xbind_exporter_parts_silent"), 1)
                wait_until(lambda: "logic-silent" in tool(
                    lab, "xbindctl", "alarms", "--kind", "logic-silent").stdout,
                    "its alarm is raised")
            finally:
                os.kill(server.pid, signal.SIGALRM)
            wait_until(lambda: get(address, "/-/healthy")[0] == 200, "it is healthy again")
            self.assertEqual(self.scrape(lab, name).value("xbind_exporter_parts_silent"), 0)

    def test_port_zero_is_chosen_by_the_system_and_a_taken_address_refused(self):
        more = {"xbind-qosmapper": [(None, "metrics", "127.0.0.1:0")],
                "xbind-routeobject": [(None, "metrics", "localhost:0")]}
        with lab_up(more=more) as lab:
            # A name, also where its first address is ::1 and the machine has no IPv6.
            named = re.search(r"^xbind-routeobject metrics on (localhost:[1-9]\d*)$",
                              lab.processes["xbind-routeobject"].output(), re.MULTILINE)
            self.assertEqual(get(named.group(1), "/-/healthy")[0], 200)
            said = re.search(r"^xbind-qosmapper metrics on (127\.0\.0\.1:[1-9]\d*)$",
                             lab.processes["xbind-qosmapper"].output(), re.MULTILINE)
            self.assertEqual(get(said.group(1), "/-/ready")[0], 200)
            second = tool(lab, "xbind-qosmapper", "--name", "other", "--metrics", said.group(1))
            self.assertEqual(second.returncode, 1)
            self.assertIn(f"--metrics: cannot listen on {said.group(1)}", second.stderr)
            for wrong in ("9470", "127.0.0.1:", "127.0.0.1:70000", "::1:9470"):
                refused = run("xbind-qosmapper", "--metrics", wrong, "--check-config")
                self.assertEqual(refused.returncode, 2, wrong)
                self.assertIn("--metrics", refused.stderr)

    def test_a_daemon_on_ipv6_is_reached_and_scraped(self):
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(("::1", 0))
        except OSError as why:
            self.skipTest(f"NOT TESTED: this machine has no ::1: {why}")
        with lab_up() as lab:
            words = [BIN / "xbind-qosmapper", "--name", "six", "--listen-address", "::1",
                     "--metrics", "[::1]:0"]
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True,
                                  env={**os.environ, **lab.client_environment()}) as daemon:
                try:
                    said = re.fullmatch(r"xbind-qosmapper metrics on (\[::1\]:[1-9]\d*)\n",
                                        daemon.stdout.readline())
                    self.assertEqual(daemon.stdout.readline(), "xbind-qosmapper six ready\n")
                    code, _, text = get(said.group(1), "/metrics")
                    self.assertEqual(code, 200, text)
                    listed = tool(lab, "xbind-names", "list", "xbind/qosmapper")
                    self.assertRegex(listed.stdout, r"xbind/qosmapper/six +answers\n")
                finally:
                    daemon.terminate()


class ManySwitches(unittest.TestCase):
    """One process with three switches exposes each with a label."""

    def test_each_switch_has_its_label_and_the_process_is_counted_once(self):
        with lab_up(metrics=True, nodes_per_process=3) as lab:
            address, = (target for name, target in metrics.targets(lab.state_dir).items()
                        if name.startswith("xbind-switchserver"))
            wait_until(lambda: get(address, "/-/ready")[0] == 200, "every switch is ready")
            scrape = Scrape(get(address, "/metrics")[2])
            switches = {dict(labels)["switch"]
                        for labels in scrape.of("xbind_switchserver_switch_up")}
            self.assertEqual(switches, set(lab.node_names()))
            self.assertEqual(set(scrape.of("xbind_switchserver_rss_bytes")), {frozenset()})
            self.assertEqual(scrape.value("xbind_exporter_parts"), 3)


if __name__ == "__main__":
    main()
