#!/usr/bin/env python3
"""What is refused, by which program, with which words and exit code."""

import resource
import subprocess
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

# Every program (and subcommand) with the options that it requires.
COMMANDS = {
    "xbind-cmgr": ["xbind-cmgr"],
    "xbind-switchserver": ["xbind-switchserver", "--name", "s1", "--switch", "127.0.0.1:6068"],
    "xbind-routeobject": ["xbind-routeobject", "--topology", PAPER_TOPOLOGY],
    "xbind-qosmapper": ["xbind-qosmapper"],
    "xbind-switch": ["xbind-switch", "--name", "s1", "--ports", "2", "--listen", "127.0.0.1:0"],
    "xbind-gsmp-ovs": ["xbind-gsmp-ovs", "--bridge", "tcp:127.0.0.1:1"],
    "xbind-keeper": ["xbind-keeper", "--connections", ROOT / "deploy/connections.toml"],
    "xbind-smds": ["xbind-smds", "--name", "smds-1", "--network", ROOT / "deploy/smds/six.toml"],
    "xbind-console": ["xbind-console"],
    "xbind-wan": ["xbind-wan", "--sites", ROOT / "deploy/sites/two.toml"],
    "xbind-callgen run": ["xbind-callgen", "run"],
    "xbind-callgen floor": ["xbind-callgen", "floor"],
    "xbind-callgen null-manager": ["xbind-callgen", "null-manager"],
    "xbind-callgen null-switch": ["xbind-callgen", "null-switch"],
    "xbind-names list": ["xbind-names", "list"],
    "xbind-names wait": ["xbind-names", "wait", "xbind/cmgr/default"],
    "xbind-names clear": ["xbind-names", "clear", "xbind/cmgr/default"],
    "xbindctl connect": ["xbindctl", "connect", CALLER, CALLEE],
    "xbindctl commit": ["xbindctl", "commit", "1"],
    "xbindctl modify": ["xbindctl", "modify", "1", "--cells-per-s", "10"],
    "xbindctl add-leaf": ["xbindctl", "add-leaf", "1", CALLEE],
    "xbindctl drop-leaf": ["xbindctl", "drop-leaf", "1", CALLEE],
    "xbindctl release": ["xbindctl", "release", "1"],
    "xbindctl outcome": ["xbindctl", "outcome", "client", "1"],
    "xbindctl describe": ["xbindctl", "describe", "1"],
    "xbindctl ping": ["xbindctl", "ping", "1"],
    "xbindctl list": ["xbindctl", "list"],
    "xbindctl status": ["xbindctl", "status"],
    "xbindctl audit": ["xbindctl", "audit"],
    "xbindctl caches": ["xbindctl", "caches"],
    "xbindctl aggregation": ["xbindctl", "aggregation"],
    "xbindctl prepare": ["xbindctl", "prepare", CALLER, CALLEE, "--count", "1"],
    "xbindctl services": ["xbindctl", "services"],
    "xbindctl routes": ["xbindctl", "routes", CALLER, CALLEE],
    "xbindctl links": ["xbindctl", "links"],
    "xbindctl drain": ["xbindctl", "drain", MIDDLE, "2"],
    "xbindctl undrain": ["xbindctl", "undrain", MIDDLE],
    "xbindctl clear": ["xbindctl", "clear", "1", "--force"],
    "xbindctl managers": ["xbindctl", "managers", "all"],
    "xbindctl forget-manager": ["xbindctl", "forget-manager", "all", "default"],
    "xbindctl log-level": ["xbindctl", "log-level", "manager", "info"],
    "xbindctl trace": ["xbindctl", "trace"],
}
NOBODY = "127.0.0.1:1"  # a name service that is not there


class CommandLines(unittest.TestCase):

    def refused(self, done, *words):
        """Asserts exit code 2 and a sentence with these words on standard error."""
        self.assertEqual(done.returncode, 2, (done.args, done.stdout, done.stderr))
        for word in words:
            self.assertIn(word, done.stderr, done.args)
        self.assertEqual(done.stdout, "", done.args)

    def test_unknown_options(self):
        for name, command in COMMANDS.items():
            with self.subTest(name):
                self.refused(run(*command, "--no-such-option", "1"), "no-such-option")

    def test_unknown_subcommands(self):
        for program in ("xbind-callgen", "xbind-names", "xbindctl"):
            with self.subTest(program):
                self.refused(run(program, "frobnicate"), "frobnicate")
                self.refused(run(program))

    def test_bad_values(self):
        cases = [
            ("xbind-callgen run", ["--rate", "0"], ["rate", "0"]),
            ("xbind-callgen run", ["--rate", "1e99"], ["rate"]),
            ("xbind-callgen run", ["--rate", "-5"], ["rate", "-5"]),
            ("xbind-callgen run", ["--rate", "fast"], ["rate", "fast"]),
            ("xbind-callgen run", ["--calls", "0"], ["calls", "0"]),
            ("xbind-callgen run", ["--hold", "-1"], ["hold", "-1"]),
            ("xbind-callgen run", ["--cells-per-s", "0"], ["cells-per-s"]),
            ("xbind-callgen run", ["--json", "/no/such/folder/q.json"], ["/no/such/folder"]),
            ("xbind-cmgr", ["--threshold", "0"], ["threshold", "0"]),
            ("xbind-cmgr", ["--aggregation", "adaptive", "--threshold", "4"],
             ["--threshold 4", "--aggregation adaptive"]),
            ("xbind-cmgr", ["--engine", "sequential", "--threshold", "4"],
             ["--threshold 4", "sequential"]),
            ("xbind-cmgr", ["--engine", "threaded", "--aggregation", "adaptive"],
             ["--aggregation adaptive", "threaded"]),
            ("xbind-cmgr", ["--engine", "steam"], ["engine", "steam"]),
            ("xbind-cmgr", ["--config", "/no/such/file"], ["/no/such/file"]),
            ("xbind-cmgr", ["--catalogue", "/no/such/file"], ["catalogue", "/no/such/file"]),
            ("xbind-qosmapper", ["--catalogue", "/no/such/file"], ["catalogue", "/no/such/file"]),
            ("xbind-gsmp-ovs", ["--bridge", "nowhere"], ["bridge", "nowhere"]),
            ("xbind-keeper", ["--connections", "/no/such/file"], ["/no/such/file"]),
            ("xbind-wan", ["--control", "control"], ["control", "no path"]),
            ("xbind-console", ["--http", "nowhere"], ["http", "nowhere"]),
            ("xbindctl connect", ["--service-class", "x", "--cells-per-s", "5"],
             ["cells-per-s does not go with service-class"]),
            ("xbindctl connect", ["--quiet", "--json"], ["quiet and json exclude each other"]),
            ("xbindctl connect", ["--frame-delay-ms", "5"],
             ["--frame-delay-ms needs --service-class"]),
            ("xbind-switchserver", ["--admission", "hope"], ["admission", "hope"]),
            ("xbind-switchserver", ["--port-overbooking", "3"], ["3 is not PORT=FACTOR"]),
            ("xbind-switch", ["--vci-min", "100", "--vci-max", "99"], ["vci"]),
            ("xbind-callgen run", ["--fault-legs", "client_to_switch"],
             ["fault-legs", "client_to_switch", "manager_to_switch"]),
            ("xbind-cmgr", ["--prepare", "host-a>host-b"], ["prepare", "FROM>TO:CELLS:COUNT"]),
            ("xbind-cmgr", ["--prepare", "host a>host-b:100:2"], ["prepare", "host a", "endpoint"]),
            ("xbind-cmgr", ["--prepare", "host-a>host-b:100:1001"], ["prepare", "1001", "1000"]),
            ("xbind-cmgr", ["--delay", "0.6"], ["delay", "0.6"]),
            ("xbind-cmgr", ["--delay-ms", "0"], ["delay-ms", "0"]),
            ("xbindctl connect", ["--priority", "8"], ["priority", "8", "7"]),
            ("xbindctl connect", ["--hold", "3601"], ["hold", "3601", "3600"]),
            ("xbindctl connect", ["--from-traffic", "vlan 4095"], ["from-traffic", "'vlan 4095'"]),
            ("xbindctl connect", ["--to-traffic", "all"], ["to-traffic", "'all'", "class 0..4095"]),
            ("xbindctl connect", ["--hold", "0.0001"], ["hold", "0.0001", "millisecond"]),
            ("xbindctl connect", ["--reverse-cells-per-s", "5"], ["reverse-cells-per-s", "both"]),
            ("xbindctl connect", ["--frame-octets", "5"], ["frame-octets", "frames-per-1000-s"]),
            ("xbindctl prepare", ["--frame-octets", "5"], ["frame-octets", "frames-per-1000-s"]),
            ("xbindctl ping", ["--count", "0"], ["count", "1"]),
            ("xbindctl ping", ["--timeout-ms", "0"], ["timeout-ms", "0", "60000"]),
            ("xbindctl ping", ["--host-lines", "host-a=copper"], ["host-lines", "copper"]),
            ("xbindctl aggregation", ["--threshold", "4"], ["threshold", "mode"]),
            ("xbindctl aggregation", ["--mode", "regions", "--threshold", "4"],
             ["threshold", "regions"]),
            ("xbindctl aggregation", ["--mode", "fast"], ["mode", "fast", "adaptive"]),
            ("xbindctl routes", ["--metric", "wide"], ["metric", "wide", "load"]),
            ("xbindctl routes", ["--alternates", "65"], ["alternates", "65", "64"]),
            ("xbindctl routes", ["--alternates", "2", "--disjoint", "links"],
             ["alternates", "disjoint"]),
            ("xbindctl routes", ["--avoid", "switch-1:x"], ["avoid", "switch-1:x", "SWITCH:PORT"]),
            ("xbindctl routes", ["--avoid", "switch-1:0"], ["avoid", "switch-1:0"]),
            ("xbindctl routes", ["--require", ":2"], ["require", ":2"]),
        ]
        for name, more, words in cases:
            with self.subTest(f"{name} {' '.join(more)}"):
                self.refused(run(*COMMANDS[name], *more), *words)

    def test_words_that_are_no_command(self):
        cases = [
            (["connect", CALLER], ["connect FROM TO"]),
            (["connect", CALLER, CALLEE, "more"], ["more"]),
            (["release", "first"], ["release: ID 'first' is not a number"]),
            (["list", "--manager", ""], ["manager is empty"]),
            (["release"], ["release needs an ID, or --client NAME, or --all"]),
            (["release", "1", "--all"], ["1 and --all exclude each other"]),
            (["release", "--all", "--client", "x"], ["--all and --client exclude each other"]),
            (["relaese", "1"], ["'relaese' is no command; did you mean release?"]),
            (["list", "--hold", "5"], ["--hold does not go with list; it goes with connect"]),
            (["commit", "-1"], ["-1"]),
            (["modify", "1"], ["modify", "cells-per-s"]),
            (["add-leaf", "1"], ["add-leaf ID END"]),
            (["drop-leaf", CALLEE, "1"], ["ID", CALLEE]),
            (["outcome", "client", "last"], ["REQUEST", "last"]),
            (["outcome", "", "1"], ["CLIENT"]),
            (["list", "all"], ["list with 1"]),
            (["prepare", CALLER, CALLEE], ["prepare", "count"]),
            (["routes", CALLER], ["routes FROM TO"]),
            (["links", "all"], ["links with 1"]),
            (["drain"], ["drain SWITCH [PORT]"]),
            (["drain", MIDDLE, "0"], ["PORT", "0"]),
            (["undrain", MIDDLE, "two"], ["PORT", "two"]),
            (["undrain", MIDDLE, "1", "2"], ["2"]),
            (["forget-manager", "default"], ["forget-manager SWITCH|all NAME"]),
            (["managers"], ["managers SWITCH|all"]),
            (["clear", "7"], ["clear needs force"]),
            (["clear", "seven", "--force"], ["ID", "seven"]),
            (["release", "7", "--force"], ["force"]),
        ]
        for words, said in cases:
            with self.subTest(" ".join(words)):
                self.refused(run("xbindctl", *words), *said)

    def test_addresses_that_are_none(self):
        self.refused(run("xbind-switchserver", "--name", "s1", "--switch", "nonsense"), "nonsense")
        self.refused(run("xbind-switch", "--name", "s1", "--ports", "2", "--listen", "nonsense"),
                     "nonsense")
        # One parser reads them all, so a form that is wrong is wrong everywhere.
        for option, values in (
                ("--listen-address", ("localhost", "", "127.0.0.1:80", "[::1]:80", "::1x", "1.2")),
                ("--name-service", ("localhost", "::1:2809", "[::1]", "[localhost]:1", "a:0")),
                ("--metrics", ("::1:9470", "[::1]", "[::1]:70000", "a b:1", "[127.0.0.1]:1"))):
            for value in values:
                with self.subTest(f"{option} {value}"):
                    self.refused(run("xbind-qosmapper", "--check-config", option, value), option,
                                 f'"{value}"')
        for value in ("2001:db8::1:x", "[2001:db8::1", "http://a", "a:b"):
            with self.subTest(value):
                self.refused(run("xbind-console", "--check-config", "--host", value), "--host",
                             f'"{value}"')
        self.refused(run("xbind-switch", "--check-config", "--name", "s1", "--listen",
                         "127.0.0.1:0", "--control", "::1:7"), "--control", "::1:7")

    def test_addresses_of_both_families(self):
        for program, more in (
                ("xbind-qosmapper", ["--listen-address", "::1"]),
                ("xbind-qosmapper", ["--listen-address", "[::1]"]),
                ("xbind-qosmapper", ["--name-service", "[2001:db8::1]:2809"]),
                ("xbind-qosmapper", ["--metrics", "[::1]:0"]),
                ("xbind-console", ["--http", "[::1]:0", "--host", "2001:db8::1",
                                   "--host", "[2001:db8::2]:8443"])):
            with self.subTest(more):
                done = run(program, "--check-config", *more)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_state_file_that_is_not_whole_is_named_with_the_way_out(self):
        """A length of zero, a part, another version; it is left as it is."""
        begin = "; remove the file and start again: without it "
        for words, name, first, out in (
                (["xbind-cmgr"], "cmgr-default.epoch", "# xbind-cmgr epoch 2\n",
                 "the epoch is taken from the SwitchServers"),
                (["xbind-cmgr"], "cmgr-default.pools", "# xbind-cmgr pools 1\n",
                 "there are the pools of --prepare alone"),
                (["xbind-cmgr"], "cmgr-default.settings", "# xbind settings 1\n",
                 "options have the values of the command line"),
                (["xbind-qosmapper"], "qosmapper-default.settings", "# xbind settings 1\n",
                 "options have the values of the command line"),
                (["xbind-switchserver", "--name", "s1", "--switch", "127.0.0.1:9"],
                 "switchserver-s1.managers", "# xbind-switchserver managers 2\n",
                 "the SwitchServer waits the longest time"),
                (["xbind-routeobject", "--topology", PAPER_TOPOLOGY],
                 "routeobject-default.drains", "# xbind-routeobject drains 2\n",
                 "nothing is drained"),
                (["xbind-routeobject", "--topology", PAPER_TOPOLOGY],
                 "routeobject-default.network", "# xbind-routeobject network 2\n",
                 "the network is the one of --topology")):
            with tempfile.TemporaryDirectory() as directory:
                command = [*words, "--check-config", "--state-dir", directory]
                self.assertEqual(run(*command).returncode, 0)
                file = Path(directory) / name
                for text, said in (("", "is empty"), (first[:9], "is not whole"),
                                   (first, "is not whole"), (first + "x", "is not whole"),
                                   (first.replace("\n", "1\n"), "line 1: it is not ")):
                    with self.subTest(name, text=text):
                        file.write_text(text)
                        self.refused(run(*command), f"{file} {said}", begin + out)
                        self.assertEqual(file.read_text(), text)

    DAEMONS = (["xbind-cmgr"], ["xbind-qosmapper"],
               ["xbind-switchserver", "--name", "s1", "--switch", "127.0.0.1:9"],
               ["xbind-routeobject", "--topology", PAPER_TOPOLOGY])

    def short_of(self, words, which, limit, *said):
        """A daemon under a limit with which it cannot serve ends by a line that names it. With
        more than it needs, it looks for its name service until it is killed."""
        try:
            done = subprocess.run(
                [BIN / words[0], *words[1:], "--name-service", "127.0.0.1:9"], check=False,
                capture_output=True, text=True, timeout=5,
                preexec_fn=lambda: resource.setrlimit(which, (limit, limit)))
        except subprocess.TimeoutExpired:
            return False
        last = done.stderr.splitlines()[-1:]
        if done.returncode == 127:  # of the loader, which has had no memory for the libraries
            return False
        self.assertEqual(done.returncode, 5, (limit, done.stderr))
        self.assertRegex(last[0], rf"^{words[0]}: no ({'|'.join(said)}): .*; it ends with exit "
                                  "code 5$")
        return True

    @unittest.skipUnless(MEMORY_COUNTS, "NOT TESTED: a sanitizer needs more address space")
    def test_a_daemon_that_gets_no_memory_or_thread_names_it(self):
        for words in self.DAEMONS:
            with self.subTest(words[0]):
                ends = [self.short_of(words, resource.RLIMIT_AS, kib * 1024, "memory", "thread")
                        for kib in range(12_000, 60_000, 12_000)]
                self.assertIn(True, ends)

    @unittest.skipUnless(MEMORY_COUNTS, "NOT TESTED: a sanitizer opens files of its own")
    def test_a_daemon_that_gets_no_descriptor_names_it(self):
        for words in self.DAEMONS:
            for limit in (4, 6, 8):
                with self.subTest(words[0], limit=limit):
                    self.assertTrue(
                        self.short_of(words, resource.RLIMIT_NOFILE, limit, "descriptor"))

    def test_an_epoch_that_no_manager_has(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "cmgr-default.epoch"
            file.write_text("xbind-cmgr epoch 1\n18446744073709551615\n")
            self.refused(run("xbind-cmgr", "--check-config", "--state-dir", directory),
                         f"{file} line 2: '18446744073709551615' is no epoch")

    def test_help_version_and_check_config(self):
        for name, command in COMMANDS.items():
            with self.subTest(name):
                reported = run(*command, "--help")
                self.assertEqual(reported.returncode, 0, reported.stderr)
                self.assertIn("--check-config", reported.stdout)
                self.assertRegex(run(*command, "--version").stdout, r"\d+\.\d+\.\d+")
                checked = run(*command, "--check-config")
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_environment_sets_options_too(self):
        done = run("xbind-cmgr", "--check-config", env={"XBIND_THRESHOLD": "none"})
        self.refused(done, "XBIND_THRESHOLD")

    def test_a_configuration_file_sets_options_too(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "cmgr.toml"

            def checked(text):
                file.write_text(text)
                return run("xbind-cmgr", "--config", file, "--check-config")

            done = checked('name = "east"\nthreshold = 4\nhit-ratio = 0.9\n'
                           'fault-legs = ["manager_to_switch"]\n')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.refused(checked("threshold = 4\nthresold = 5\n"), f"{file} line 2", "thresold",
                         "threshold")
            self.refused(checked("threshold = 4\nthreshold = 5\n"), f"{file} line 2",
                         "'threshold'")
            self.refused(checked("name = east\n"), f"{file} line 1", 'name = "east"')
            self.refused(checked("[cmgr]\nthreshold = 4\n"), f"{file} line 1", "[cmgr]")
            self.refused(checked("hit-ratio = true\n"), f"{file} line 1",
                         "hit-ratio takes a number")


class Topologies(unittest.TestCase):

    def refused(self, text, *words):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "net.toml"
            file.write_text(text)
            for more in (["--describe-topology"], ["--check-config"], []):
                done = run("xbind-routeobject", "--topology", file, *more, timeout=10)
                self.assertEqual(done.returncode, 2, (done.stdout, done.stderr))
                for word in (str(file), *words):
                    self.assertIn(word, done.stderr)

    def test_reasons_come_with_file_and_line(self):
        self.refused('name = "n"\n[[switch]]\nname = "a"\n[[switch]]\nname = "a"\n', "line 5",
                     "'a'")
        self.refused('name = "n"\n[[switch]\nname = "a"\n', "line 2")
        self.refused('name = "n"\n[[switch]]\nname = "a"\n[[link]]\nbetween = ["a", "z"]\n'
                     'cells-per-s = 1\n', "line", "z")
        self.refused("", "empty")

    def test_a_file_that_is_not_there(self):
        done = run("xbind-routeobject", "--topology", "/no/such/topology.toml")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/no/such/topology.toml", done.stderr)


class NoNameService(unittest.TestCase):

    def test_one_shot_tools_say_so_after_a_while(self):
        for command in (["xbind-names", "list"], ["xbindctl", "status"],
                        ["xbind-callgen", "run", "--calls", "1"]):
            with self.subTest(command):
                done = run(*command, "--name-service", NOBODY, timeout=40)
                self.assertEqual(done.returncode, 1, (done.stdout, done.stderr))
                self.assertIn(NOBODY, done.stderr)


class Requests(InOneLab):

    def test_unknown_hosts(self):
        done = tool(self.lab, "xbindctl", "connect", "host-x", CALLEE)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("unknown endpoint", done.stderr + done.stdout)
        done, summary = offer(self.lab, Load(calls=5, rate=100), "--from", "host-x", "--to", CALLEE)
        self.assertEqual(summary["setups"]["refused"], 5)
        self.assertIn("unknown endpoint", done.stdout)
        self.assertIn("host-x", done.stdout)
        # No call was connected, so the run has failed
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("Verdict: FAILED", done.stdout)
        self.assertIn("none of 5 calls was connected, 5 of them refused", done.stdout)
        done, summary = offer(self.lab, Load(calls=5, rate=100), "--from", "host-x", "--to", CALLEE,
                              "--expect-refusals")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(summary["verdict"]["ok"], summary["verdict"])

    def test_a_demand_larger_than_any_link(self):
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, "--cells-per-s", "400000")
        self.assertEqual(done.returncode, 1, done.stdout)
        said = (done.stderr + done.stdout).replace(" ", "")
        self.assertIn("400000", said)
        self.assertIn("353207", said)
        _, summary = offer(self.lab, Load(calls=5, rate=100, cells_per_s=400_000))
        self.assertEqual(summary["setups"]["refused"], 5)
        self.assertTrue(summary["audit"]["clean"])

    def test_a_manager_that_is_not_there(self):
        done = tool(self.lab, "xbindctl", "status", "--manager", "nobody")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("xbind/cmgr/nobody is not bound", done.stderr)
        self.assertIn("is the manager running? `xbind-names list` prints the names", done.stderr)

    def test_managers_that_are_not_forgotten(self):
        # The attached manager, one that never existed, and an unknown switch.
        for name in ("default", "nobody"):
            done = tool(self.lab, "xbindctl", "forget-manager", "all", name)
            self.assertEqual(done.returncode, 1, done.stdout)
            for node in (CALLER, MIDDLE, CALLEE):
                self.assertIn(f"xbind/switchserver/{node}: ", done.stderr)
        done = tool(self.lab, "xbindctl", "forget-manager", "nowhere", "nobody")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("xbind/switchserver/nowhere", done.stderr)

    def test_outcomes_and_changes_of_what_is_not_there(self):
        for words in (["commit", "123456789"], ["modify", "123456789", "--cells-per-s", "5"],
                      ["add-leaf", "123456789", CALLEE], ["drop-leaf", "123456789", CALLEE],
                      ["outcome", "nobody", "1"]):
            done = tool(self.lab, "xbindctl", *words)
            self.assertEqual(done.returncode, 1, (words, done.stdout))
            self.assertIn("xbindctl: ", done.stderr)

    def test_a_callback_that_cannot_be_reached_is_named(self):
        # The published address has no listener, like a loopback address used from another host.
        done = run("xbind-callgen", "run", "--calls", "50", "--drain-timeout", "2",
                   env={**self.lab.client_environment(),
                        "ORBendPointPublish": "giop:tcp:127.0.0.1:1"})
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"manager default at [0-9.:]+: no connection can be opened: "
                                      r"the observer at 127\.0\.0\.1:1 cannot be reached")

    def test_connections_that_are_not_there(self):
        for verb, words in (("describe", "123456789 is not known"),
                            ("release", "unknown connection")):
            done = tool(self.lab, "xbindctl", verb, "123456789")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(words, done.stderr)

    def test_more_calls_than_a_link_carries(self):
        # 353 207 cells/s carry 3 calls of 100 000 at a time; 200/s x 0.1 s would need 20.
        done, summary = offer(self.lab, Load(calls=100, rate=200, cells_per_s=100_000))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)  # a refusal is an answer
        setups = summary["setups"]
        self.assertGreater(setups["refused"], 50)
        self.assertEqual(setups["connected"] + setups["refused"], 100)
        self.assertIn("no bandwidth", " ".join(summary["refusals"]))
        self.assertTrue(summary["audit"]["clean"])


class SwitchThatRefuses(unittest.TestCase):

    def test_its_calls_are_refused_and_nothing_stays(self):
        with lab_up(more={"xbind-switch": [(MIDDLE, "refuse-next", "7")]}) as lab:
            done, summary = offer(lab, Load(calls=100, rate=200))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"], {"attempted": 100, "connected": 93, "refused": 7,
                                                 "busy": 0, "unanswered": 0})
            self.assertEqual(sum(summary["refusals"].values()), 7)
            for cause in summary["refusals"]:
                self.assertIn("switch refused", cause)
            self.assertEqual(summary["releases"]["released"], 93)
            self.assertTrue(summary["audit"]["clean"], summary["audit"])


class OrderlyEnd(unittest.TestCase):

    def test_every_daemon_ends_with_0_at_sigterm(self):
        with lab_up() as lab:
            self.assertEqual(offer(lab, Load(calls=20, rate=200))[0].returncode, 0)
            for name, process in reversed(lab.processes.items()):
                if name != "omniNames":
                    self.assertEqual(end([process]), [], name)
                    self.assertEqual(process.popen.returncode, 0, name)

    def test_also_one_that_still_waits_for_its_peers(self):
        with planned_lab() as lab:
            lab.clean()
            lab.plan({"name": "alone", "switches": [
                {"name": "s1", "ports": 2, "port_cells_per_s": [1000, 1000]}], "links": []})
            lonely = [name for name in lab.processes if name != "omniNames"]
            lab.start(*(name for name in lonely if name != "xbind-switch/s1"))
            for name in lonely:
                process = lab.processes[name]
                if process.pid:
                    # From its first line on, the process is the daemon and no longer the shell.
                    wait_until(lambda process=process: "options:" in process.log_tail(50),
                               f"{name} runs")
                    self.assertEqual(end([process]), [], name)


if __name__ == "__main__":
    main()
