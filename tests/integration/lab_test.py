#!/usr/bin/env python3
"""deploy/lab and ./quickstart as an operator uses them: exit codes, messages, no leftovers."""

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import metrics, scheduling

LAB = ROOT / "deploy" / "lab"
QUICKSTART = ROOT / "quickstart"


class LabCommand(unittest.TestCase):

    def setUp(self):
        self.state = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-lab-")))
        self.addCleanup(self.lab, "down")

    def lab(self, command, *more, state=None):
        return run(LAB, command, "--state-dir", state or self.state, *more, timeout=120)

    def up(self, *more, state=None):
        done = self.lab("up", "--names-port", "0", "--bin-dir", BIN, "--no-omniorb-config", *more,
                        state=state)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(self.lab("status", "--json", state=state).stdout)

    def test_its_life(self):
        self.assertEqual(self.lab("status").returncode, 3)
        state = self.up()
        names = {process["name"] for process in state["processes"]}
        self.assertEqual(len(names), 10)  # 3 x (switch, SwitchServer), 3 servants, name service
        self.assertTrue(all(process["alive"] for process in state["processes"]))
        status = self.lab("status")
        self.assertEqual(status.returncode, 0)
        self.assertRegex(status.stdout, r"host-a:2 to switch-1:1 +mpls, UDP [\d.]+:6635 and ")
        self.assertRegex(status.stdout, r"host-a:1 to host at host-a +mpls, UDP [\d.]+:6635 and ")
        self.assertEqual(set(state["endpoints"]), {CALLER, CALLEE})

        second = self.lab("up", "--names-port", "0", "--bin-dir", BIN)
        self.assertEqual(second.returncode, 1)
        self.assertIn("up already", second.stderr)
        self.assertEqual(self.lab("status").returncode, 0)

        listed = self.lab("run", "--", "nameclt", "list", "xbind/switchserver")
        self.assertEqual(set(listed.stdout.split()), {CALLER, MIDDLE, CALLEE})
        self.assertEqual(self.lab("run", "--", "xbindctl", "audit").returncode, 0)
        self.assertEqual(self.lab("run", "--", "false").returncode, 1)
        self.interrupted_run(names)
        self.assertIn("xbind-cmgr default ready",
                      self.lab("logs", "xbind-cmgr", "-n", "999").stdout)
        self.assertIn("names 0 of", self.lab("logs", "nobody").stderr)

        # The variables that `env` prints lead all these programs to this lab.
        shell = run("bash", "-c", f'eval "$({LAB} env --state-dir "$0")"; {LAB} status && '
                                  f'nameclt list xbind/cmgr && {BIN}/xbindctl list', self.state)
        self.assertEqual((shell.returncode, shell.stderr), (0, ""))
        self.assertIn("\ndefault\n", shell.stdout)

        down = self.lab("down")
        self.assertEqual(down.returncode, 0, down.stderr)
        for process in state["processes"]:
            self.assertFalse(Path(f"/proc/{process['pid']}/exe").exists(), process["name"])
        self.assertEqual(self.lab("status").returncode, 3)
        self.assertEqual(self.lab("down").returncode, 0)

    def test_it_outlives_its_terminal(self):
        # A login shell on a terminal starts the lab; then the terminal closes.
        child, terminal = pty.fork()
        if child == 0:
            up = [LAB, "up", "--state-dir", self.state, "--names-port", "0", "--bin-dir", BIN,
                  "--no-omniorb-config"]
            os.execvp("bash", ["bash", "-c", shlex.join(map(str, up))
                               + "; echo shell-waits; read never"])
        said = b""
        with contextlib.suppress(OSError):  # the terminal has closed
            while b"shell-waits" not in said:
                said += os.read(terminal, 4096)
        self.assertIn(b"The lab is up", said)
        os.close(terminal)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), -signal.SIGHUP)
        # Shells pass the hangup on to all their children.
        processes = json.loads(self.lab("status", "--json").stdout)["processes"]
        for process in processes:
            os.kill(process["pid"], signal.SIGHUP)
        for process in processes:
            if process["name"] != "omniNames":
                log = Path(process["log"])
                wait_until(lambda log=log: "SIGHUP" in log.read_text(), f"{log.name} shows SIGHUP")
        self.assertEqual(self.lab("status").returncode, 0)
        connected = self.lab("run", "--", "xbindctl", "connect", CALLER, CALLEE)
        self.assertEqual(connected.returncode, 0, connected.stderr)

    def test_a_terminal_that_closes_while_it_starts_leaves_nothing_behind(self):
        with subprocess.Popen(
                [LAB, "up", "--state-dir", self.state, "--names-port", "0", "--bin-dir", BIN,
                 "--no-omniorb-config"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL) as starting:
            self.assertIn(b"starting", starting.stdout.readline())
            starting.stdout.readline()
            starting.send_signal(signal.SIGHUP)
            self.assertEqual(starting.wait(timeout=30), 130)
        self.assertEqual(self.lab("status").returncode, 3)
        left = run("pgrep", "-f", f"^[^ ]*(xbind-|omniNames).*{self.state}")
        self.assertEqual(left.stdout, "")

    def interrupted_run(self, names):
        """A Ctrl-C in the terminal of `deploy/lab run`: the command ends in order, and the lab
        stays up. The run's cost includes all processes of the lab."""
        report = self.state / "run.json"
        with subprocess.Popen(
                [LAB, "run", "--state-dir", self.state, "--", "xbind-callgen", "run",
                 "--rate", "100", "--duration", "600", "--hold", "300", "--cells-per-s", "1",
                 "--json", report],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                process_group=0) as process:
            try:
                self.assertRegex(process.stderr.readline(), "connected")
                os.killpg(process.pid, signal.SIGINT)
                output, errors = process.communicate(timeout=60)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 4, output + errors)
        reported = json.loads(report.read_text())
        self.assertTrue(reported["interrupted"])
        self.assertEqual(reported["releases"]["released"], reported["setups"]["connected"])
        self.assertEqual(set(reported["processes"]), {*names, "xbind-callgen"})
        self.assertEqual(self.lab("status").returncode, 0)

    def test_it_tells_what_has_died_and_starts_over_a_dead_one(self):
        state = self.up()
        pids = {process["name"]: process["pid"] for process in state["processes"]}
        os.kill(pids["xbind-qosmapper"], signal.SIGKILL)
        wait_until(lambda: self.lab("status").returncode == 1, "status says that one is gone")
        self.assertRegex(self.lab("status").stdout, r"xbind-qosmapper .*GONE")
        for pid in pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(process["alive"] for process in
                                   json.loads(self.lab("status", "--json").stdout)["processes"]),
                   "all are gone")
        self.up()

    def test_a_console_beside_metrics_and_one_that_joins_later(self):
        ring = str(ROOT / "deploy" / "topologies" / "ring6.toml")
        state = self.up(ring, "--metrics", "--console")
        self.assertTrue(all(process["alive"] for process in state["processes"]))
        self.assertEqual(self.lab("down").returncode, 0)

        self.up("--metrics")
        self.assertEqual(self.lab("kill", "xbind-qosmapper").returncode, 0)
        refused = self.lab("up", "--console", "--names-port", "0", "--bin-dir", BIN)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr,
                         rf"up already.*`deploy/lab down --state-dir {self.state}`, or add a "
                         rf"console to it with `deploy/lab console --state-dir {self.state}`\n$")
        wrong = self.lab("console", "--console-option", "writable=perhaps")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("perhaps", wrong.stderr)
        self.assertNotIn("xbind-console", self.lab("status").stdout)

        joined = self.lab("console", "--console-option", "writable=true")
        self.assertEqual(joined.returncode, 0, joined.stderr)
        started, line = joined.stdout.splitlines()
        self.assertRegex(started, r"^xbind-console \(pid \d+\) is ready$")
        url = line.removeprefix("Console: ")
        with urllib.request.urlopen(url, timeout=20) as answer:
            self.assertEqual(answer.status, 200)
        target = metrics.targets(self.state)["xbind-console"]
        with urllib.request.urlopen(f"http://{target}/metrics", timeout=20) as answer:
            self.assertIn(b"xbind_console", answer.read())
        self.assertEqual(self.lab("console").stdout, line + "\n")  # it is there
        other = self.lab("console", "--console-option", "writable=false")
        self.assertEqual((other.returncode, other.stdout), (1, ""))
        self.assertIn("keeps the options that it was first started with", other.stderr)
        self.assertEqual(self.lab("kill", "xbind-console").returncode, 0)
        again = self.lab("console").stdout.splitlines()
        self.assertRegex(again[0], "xbind-console .* is ready")
        self.assertEqual(again[1], line)
        down = self.lab("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assertEqual(down.stdout, "The lab is down: 10 processes ended, 1 had ended before.\n")

    def test_every_command_of_callgen_runs_in_its_environment(self):
        self.up()
        listed = run("xbind-callgen", "no-such-command").stderr
        commands = re.search(r"there are: (.*)", listed)[1].split(", ")
        self.assertIn("ceiling", commands)
        arguments = {"control": ["127.0.0.1:1", "status"], "compare": ["a.json", "b.json"],
                     "report": ["a.json"], "soak": ["--duration", "1"]}
        for command in commands:
            done = self.lab("run", "--", "xbind-callgen", command, "--check-config",
                            *arguments.get(command, []))
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        done = self.lab("run", "--", "xbind-callgen", "ceiling", "--seconds", "0.2", "--warm-up",
                        "0.01", "--outstanding", "4", "--cells-per-s", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Audit clean", done.stdout)

    def test_where_nothing_can_be_written_it_says_so_and_still_ends_what_it_should(self):
        state = self.up()
        pids = {process["name"]: process["pid"] for process in state["processes"]}

        def limited(command, *more):  # no file may grow: as on a full disk
            return run("prlimit", "--fsize=0", LAB, command, "--state-dir", self.state, *more,
                       timeout=120)
        self.assertEqual(limited("status").returncode, 0)
        killed = limited("kill", "xbind-qosmapper")
        self.assertEqual(killed.returncode, 1)
        self.assertRegex(killed.stdout, r"^xbind-qosmapper \(pid \d+\) has ended by SIGKILL\n$")
        self.assertRegex(killed.stderr, r"^lab: not recorded, .*: File too large\n$")
        self.assertFalse(Path(f"/proc/{pids['xbind-qosmapper']}/exe").exists())
        started = limited("start", "xbind-qosmapper")
        self.assertEqual((started.returncode, started.stdout), (1, ""))
        self.assertRegex(started.stderr, "^lab: xbind-qosmapper cannot be started: .*"
                                         r"xbind-qosmapper.log: File too large\n$")
        self.assertEqual(self.lab("start", "xbind-qosmapper").returncode, 0)
        down = limited("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        up = limited("up", "--names-port", "0", "--bin-dir", BIN, "--no-omniorb-config")
        self.assertEqual(up.returncode, 1)
        self.assertRegex(up.stderr, r"^lab: .*File too large\n$")
        self.assertEqual(self.lab("status").returncode, 3)

    def test_output_that_cannot_be_written_is_named(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([LAB, "status", "--state-dir", self.state], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (74, "lab: standard output cannot be written: No space left on device; "
                              "exit code 74\n"))

    def test_two_labs_side_by_side(self):
        with tempfile.TemporaryDirectory(prefix="xbind-lab-") as other:
            first, second = self.up(), self.up(state=other)
            try:
                def addresses(state):
                    return {p["address"] for p in state["processes"] if p["address"]}
                self.assertEqual(len(addresses(first)), 4)
                self.assertFalse(addresses(first) & addresses(second))
            finally:
                self.assertEqual(self.lab("down", state=other).returncode, 0)

    def test_several_managers(self):
        state = self.up("--managers", "3")
        managers = {process["name"] for process in state["processes"] if process["alive"]
                    and process["name"].startswith("xbind-cmgr")}
        self.assertEqual(managers, {"xbind-cmgr", "xbind-cmgr/manager-2", "xbind-cmgr/manager-3"})
        listed = self.lab("run", "--", "nameclt", "list", "xbind/cmgr")
        self.assertEqual(set(listed.stdout.split()), {"default", "manager-2", "manager-3"})
        self.assertIn("manager-3 ready", self.lab("logs", "xbind-cmgr/manager-3").stdout)
        for name in ("default", "manager-2", "manager-3"):
            done = self.lab("run", "--", "xbindctl", "--manager", name, "audit")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_several_switches_in_a_process(self):
        state = self.up(str(ROOT / "deploy" / "topologies" / "ring6.toml"),
                        "--nodes-per-process", "4")
        nodes = {process["name"]: process["nodes"]
                 for process in state["processes"] if process["nodes"]}
        self.assertEqual(nodes, {
            f"{program}/{place}": names for program in ("xbind-switch", "xbind-switchserver")
            for place, names in (("nodes-1-to-4", ["node-1", "node-2", "node-3", "node-4"]),
                                 ("nodes-5-to-6", ["node-5", "node-6"]))})
        self.assertRegex(self.lab("status").stdout,
                         r"xbind-switch/nodes-5-to-6 .* [\d.]+\.5:6068 to [\d.]+\.6:6068"
                         r"  2 switches\n")
        log = self.lab("logs", "xbind-switchserver/node-6", "-n", "999")
        self.assertIn("xbind-switchserver node-6 ready", log.stdout)
        self.assertIn("names 2 of", self.lab("logs", "node-6").stderr)
        self.assertEqual(self.lab("run", "--", "xbindctl", "audit").returncode, 0)
        down = self.lab("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))

    def test_a_line_is_cut_and_mended(self):
        self.assertIn("no lab is up", self.lab("cut", MIDDLE, "1").stderr)
        self.up()

        def links():
            reported = json.loads(self.lab("status", "--json").stdout)["links"]
            return {tuple(map(tuple, link["ends"])): link["up"] for link in reported}
        first = ((CALLER, 2), (MIDDLE, 1))
        self.assertEqual(links(), {first: True, ((MIDDLE, 2), (CALLEE, 2)): True,
                                   ((CALLER, 1),): True, ((CALLEE, 1),): True})

        done = self.lab("cut", MIDDLE, "1")
        self.assertEqual((done.returncode, done.stdout), (0, "host-a:2 to switch-1:1 is down\n"))
        self.assertEqual([ends for ends, up in links().items() if not up], [first])
        self.assertRegex(self.lab("status").stdout,
                         r"lines down: 1 of 4\n  host-a:2 to switch-1:1\n")
        refused = wait_until(
            lambda: (one := self.lab("run", "--", "xbindctl", "connect", CALLER, CALLEE))
            .returncode != 0 and one, "no call passes any more")
        self.assertIn("no route at host-a -> host-b", refused.stderr)
        again = self.lab("cut", CALLER, "2")  # the other end of the same line
        self.assertEqual(again.stdout, "host-a:2 to switch-1:1 is down, as it was before\n")

        self.assertEqual(self.lab("mend", CALLER, "2").stdout, "host-a:2 to switch-1:1 is up\n")
        self.assertEqual(set(links().values()), {True})
        wait_until(lambda: self.lab("run", "--", "xbindctl", "connect", CALLER,
                                    CALLEE).returncode == 0,
                   "calls pass again")

        for words, say in (((MIDDLE, "7"),
                            "no line is at port 7 of switch-1; it has 1 to host-a:2, 2 to"),
                           (("switch-2", "1"),
                            "no switch 'switch-2' in this lab; did you mean switch-1?")):
            wrong = self.lab("cut", *words)
            self.assertEqual(wrong.returncode, 1)
            self.assertIn(say, wrong.stderr)
        self.assertEqual(self.lab("cut", MIDDLE, "0").returncode, 2)
        self.assertEqual(self.lab("mend", MIDDLE).returncode, 2)

    def test_a_line_whose_other_switch_is_gone(self):
        state = self.up()
        pids = {process["name"]: process["pid"] for process in state["processes"]}
        os.kill(pids[f"xbind-switch/{CALLEE}"], signal.SIGKILL)
        wait_until(lambda: self.lab("status").returncode == 1, "status says that one is gone")
        done = self.lab("cut", MIDDLE, "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"xbind-switch/{CALLEE} is not running any more "
                      "(the end at switch-1:2 is down now)", done.stderr)
        self.assertIn("lines down: 1 of 4, 1 unknown", self.lab("status").stdout)

    def test_a_daemon_that_cannot_start_is_named_and_nothing_stays(self):
        done = self.lab("up", "--names-port", "0", "--bin-dir", BIN,
                        "--cmgr-option", "engine=steam")
        self.assertEqual(done.returncode, 1)
        self.assertIn("xbind-cmgr", done.stderr)
        self.assertIn("steam", done.stderr)
        self.assertEqual(self.lab("status").returncode, 3)

    def test_how_the_kernel_gives_turns(self):
        state = self.up("--scheduling", "batch")
        of = {process["name"]: os.sched_getscheduler(process["pid"])
              for process in state["processes"]}
        self.assertEqual(of, dict.fromkeys(of, os.SCHED_BATCH))
        self.assertEqual(self.lab("up", "--scheduling", "fair").returncode, 2)

    def test_a_kernel_that_stops_real_time_processes_is_named(self):
        limit = self.state / "sched_rt_runtime_us"
        for allowed, said in (("950000\n", "sched_rt_runtime_us is 950000,"), ("-1\n", None)):
            limit.write_text(allowed)
            reported = scheduling.warning("rr", limit)
            self.assertIn(said, reported) if said else self.assertIsNone(reported)
        self.assertIsNone(scheduling.warning("batch", limit))
        self.assertIsNone(scheduling.warning("rr", limit.with_name("no-such-file")))

    def test_turns_that_this_user_may_not_take(self):
        # The priority limit of an ordinary user; root must also give up the right to exceed it.
        words = ["setpriv", "--bounding-set", "-sys_nice"] if os.geteuid() == 0 else []
        refused = run("prlimit", "--rtprio=0:0", *words, LAB, "up", "--state-dir", self.state,
                      "--names-port", "0", "--bin-dir", BIN, "--scheduling", "rr")
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("--scheduling rr: the kernel does not permit priority 1", refused.stderr)
        self.assertEqual(self.lab("status").returncode, 3)

    def test_refusals(self):
        self.assertEqual(self.lab("up", "no-such-file.toml").returncode, 1)
        self.assertEqual(self.lab("up", "--no-such-option").returncode, 2)
        self.assertEqual(self.lab("up", "--loopback-net", "10.0.0").returncode, 2)
        self.assertEqual(self.lab("up", "--managers", "17").returncode, 2)
        self.assertEqual(self.lab("up", "--nodes-per-process", "0").returncode, 2)
        self.assertEqual(self.lab("up", "--label-policy", "greedy").returncode, 2)
        self.assertEqual(self.lab("logs").returncode, 1)
        with socket.create_server(("127.0.0.1", 0)) as somebody:
            port = somebody.getsockname()[1]
            taken = self.lab("up", "--names-port", str(port), "--bin-dir", BIN)
        self.assertEqual(taken.returncode, 1)
        self.assertIn(f"port {port} of 127.0.0.1 is taken", taken.stderr)
        alone = self.lab("up", "--names-port", "0", "--bin-dir", BIN, "--nodes-per-process", "3",
                         "--switchserver-option", f"{MIDDLE}:loss=0.1")
        self.assertEqual(alone.returncode, 1)
        self.assertIn(f"which {MIDDLE} shares with 2 more", alone.stderr)
        mistyped = self.lab("up", "--names-port", "0", "--bin-dir", BIN, "--nodes-per-process", "3",
                            "--switch-option", "windo=3")
        self.assertEqual(mistyped.returncode, 1)
        self.assertRegex(mistyped.stderr,
                         r"nodes-1-to-3.toml line \d+: a switch has no 'windo'; did you")


class Quickstart(unittest.TestCase):
    """Refusals. No run is tested here, because quickstart builds the tree."""

    def refused(self, *words, say):
        done = run(QUICKSTART, *words)
        self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
        self.assertIn(say, done.stderr)
        self.assertNotIn("[build]", done.stdout)

    def test_options_that_cannot_be(self):
        self.refused("--no-such-option", say="--no-such-option")
        self.refused("--rate", "0", say="--rate")
        self.refused("--rate", "nan", say="--rate")
        self.refused("--calls", "1.5", say="--calls")
        self.refused("--calls", say="--calls")
        self.refused("--hold", "-1", say="--hold")
        self.refused("--topology", "no-such-file.toml", say="no-such-file.toml")
        self.refused("--json", "/no/such/folder/q.json", say="/no/such/folder")
        self.refused("--labels-per-port", "0", say="--labels-per-port")
        self.refused("--managers", "0", say="--managers")
        self.refused("--managers", "17", say="from 1 to 16")
        self.refused("--engine", "steam", say="sequential, threaded, xbind")
        self.refused("--threshold", "often", say="regions or adaptive")
        self.refused("--label-policy", "greedy", say="fixed, competitive, cooperative")
        self.refused("--sweep", "floor", say="engines, adaptive, cache")

    def test_options_that_do_not_go_together(self):
        self.refused("--engine", "sequential", "--threshold", "10", say="takes no threshold but 1")
        self.refused("--threshold", "adaptive", "--engine", "threaded", say="sends each alone")
        self.refused("--sweep", "cache", "--rate", "5", say="only --json")
        self.refused("--bench", "--sweep", "cache", say="--bench brings its own load")

    def test_help(self):
        done = run(QUICKSTART, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--labels-per-port N", done.stdout)


if __name__ == "__main__":
    unittest.main()
