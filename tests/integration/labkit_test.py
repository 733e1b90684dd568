#!/usr/bin/env python3
"""Computations of deploy/labkit: whether a load fits, labels, addresses. Starts no daemon."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import naming, output, quickstart
from labkit.lab import PROGRAMS, TOOLS
from labkit.load import daemon_options
from labkit.process import LabError, Process, start_ticks


def network(*links, demands=(), labels_of_ends=("a", "z")):
    """Links are (one switch, the other, cells/s)."""
    names = sorted({name for link in links for name in link[:2]})
    return {
        "switches": [{"name": name, "endpoint": name in labels_of_ends} for name in names],
        "links": [{"a": {"switch": one}, "b": {"switch": other}, "cells_per_s": rate}
                  for one, other, rate in links],
        "demands": [{"from": one, "to": other, "weight": weight} for one, other, weight in demands],
    }


CHAIN = network(("a", "m", 353_207), ("m", "z", 353_207), demands=[("a", "z", 1.0)])


class Attended(unittest.TestCase):

    def test_a_signal_is_the_commands_and_its_end_is_awaited(self):
        command = ("import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(4)); "
                   "print('up', flush=True); signal.pause()")
        parent = (f"import sys; sys.path.insert(0, {str(ROOT / 'deploy')!r}); "
                  f"from labkit.process import run_forwarding_signals; "
                  f"sys.exit(run_forwarding_signals([sys.executable, '-c', {command!r}]))")
        with subprocess.Popen([sys.executable, "-B", "-c", parent], stdout=subprocess.PIPE,
                              text=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), "up\n")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=20), 4)
            finally:
                process.kill()


class StandardOutput(unittest.TestCase):

    MAIN = "print('line')"

    def ended(self, stdout, main=MAIN, code=3):
        program = (f"import sys; sys.path.insert(0, {str(ROOT / 'deploy')!r}); "
                   f"from labkit.output import written; "
                   f"sys.exit(written('trial', lambda: ({main}, {code})[1]))")
        return subprocess.run([sys.executable, "-B", "-c", program], stdout=stdout,
                              stderr=subprocess.PIPE, text=True, check=False)

    def test_what_is_written_leaves_the_exit_code(self):
        done = self.ended(subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "line\n", ""))
        done = self.ended(subprocess.PIPE, "sys.exit(2)")
        self.assertEqual((done.returncode, done.stderr), (2, ""))

    def test_a_full_disk_is_an_exit_code_and_a_line(self):
        for main in (self.MAIN, "print('line', flush=True)", "(print('line'), sys.exit(0))"):
            with self.subTest(main=main), open("/dev/full", "w", encoding="ascii") as full:
                done = self.ended(full, main, 0)
                self.assertEqual((done.returncode, done.stderr),
                                 (output.NOT_WRITTEN, "trial: standard output cannot be written: "
                                                      "No space left on device; exit code 74\n"))

    def test_a_closed_pipe_ends_it_as_others_end(self):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            done = self.ended(writing)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))
        finally:
            os.close(writing)


class LoadThatFits(unittest.TestCase):

    def refusal(self, described, rate, hold, cells=100, labels=992):
        return topology.load_refusal(described, rate, hold, cells, labels)

    def test_the_usual_runs_fit(self):
        self.assertIsNone(self.refusal(CHAIN, 200, 0.1))
        self.assertIsNone(self.refusal(CHAIN, 2000, 0.1))
        self.assertIsNone(self.refusal(CHAIN, 992, 1))

    def test_labels_run_out(self):
        self.assertIn("room for 992 calls", self.refusal(CHAIN, 1000, 1))
        self.assertIsNone(self.refusal(CHAIN, 1000, 1, labels=1000))

    def test_bandwidth_runs_out(self):
        self.assertIsNone(self.refusal(CHAIN, 3532, 1, labels=60_000))
        self.assertIn("room for 3532 calls", self.refusal(CHAIN, 3533, 1, labels=60_000))

    def test_one_call_is_too_much(self):
        self.assertIn("353207", self.refusal(CHAIN, 0.001, 0.1, cells=353_208))
        self.assertIsNone(self.refusal(CHAIN, 1, 0.1, cells=353_207))

    def test_the_busiest_link_decides(self):
        # Both a and b call z: the link m - z carries all calls, each other link half of them.
        star = network(("a", "m", 353_207), ("b", "m", 353_207), ("m", "z", 353_207),
                       demands=[("a", "z", 1.0), ("b", "z", 1.0)])
        self.assertIn("between m and z", self.refusal(star, 1000, 1))

    def test_without_demands_every_pair_calls_alike(self):
        # Each direction of the chain carries half of the calls.
        chain = network(("a", "m", 353_207), ("m", "z", 353_207))
        self.assertIsNone(self.refusal(chain, 1984, 1))
        self.assertIsNotNone(self.refusal(chain, 1986, 1))

    def test_where_there_is_a_choice_only_the_impossible_is_refused(self):
        ring = network(("a", "m", 353_207), ("m", "z", 353_207), ("z", "a", 353_207))
        self.assertIsNone(self.refusal(ring, 3000, 1))
        self.assertIn("all links together", self.refusal(ring, 6000, 1))


class Labels(unittest.TestCase):

    def test_ranges(self):
        self.assertEqual(topology.label_range(992), (0, 32, 1023))
        self.assertEqual(topology.label_range(1), (0, 32, 32))
        self.assertEqual(topology.label_range(65_504), (0, 32, 65_535))
        self.assertEqual(topology.label_range(65_505), (1, 32, 65_535))
        self.assertEqual(topology.label_range(topology.LABELS_MAX), (4095, 32, 65_535))

    def test_mpls_labels_begin_above_the_reserved_ones(self):
        self.assertEqual(topology.mpls_range(992), (16, 1007))
        self.assertEqual(topology.mpls_range(1), (16, 16))
        self.assertEqual(topology.mpls_range(topology.LABELS_MAX), (16, 1_048_575))

    def test_a_range_offers_at_least_what_was_asked(self):
        for labels in (1, 992, 65_504, 65_505, 131_008, 131_009):
            self.assertGreaterEqual(topology.label_count(labels), labels)


class TooFewLabels(unittest.TestCase):
    """A mistake by default; a permitted experiment when the number of labels is given."""

    def judge(self, labels_given, **load):
        return quickstart.judge_load(CHAIN, Load(**load), labels_given)

    def test_by_default_they_are_refused(self):
        refusal, note = self.judge(False, rate=2000, hold=1.0)
        self.assertIn("room for 992 calls", refusal)
        self.assertIsNone(note)

    def test_on_purpose_they_are_noted(self):
        refusal, note = self.judge(True, rate=200, hold=1.0, labels_per_port=64)
        self.assertIsNone(refusal)
        self.assertIn("room for 64 calls", note)

    def test_enough_is_not_worth_a_word(self):
        self.assertEqual(self.judge(True, rate=60, hold=1.0, labels_per_port=64), (None, None))

    def test_bandwidth_is_no_matter_of_labels(self):
        refusal, _ = self.judge(True, rate=4000, hold=1.0, labels_per_port=64)
        self.assertIn("room for 64 calls", refusal)


class CommandLines(unittest.TestCase):
    """How quickstart's options appear on the command lines of the daemons and of callgen."""

    def commands(self, *words, **changes):
        """{process: command line} of the lab and of callgen for these words."""
        load = quickstart.parse(words).load
        lab = Lab(lab_options("/nowhere", managers=load.managers, more=daemon_options(load),
                              **changes))
        switches = [{"name": name, "ports": 2, "port_cells_per_s": [0, 353_207]}
                    for name in (CALLER, MIDDLE, CALLEE)]
        lab.plan({"name": "paper", "switches": switches})
        return {**{name: process.command for name, process in lab.processes.items()},
                "callgen": callgen(lab, load)}

    def test_nothing_said_is_nothing_passed(self):
        commands = self.commands()
        for option in ("--engine", "--threshold", "--aggregation", "--label-policy"):
            self.assertFalse([word for word in commands["xbind-cmgr"] if word.startswith(option)])
        self.assertEqual([name for name in commands if name.startswith("xbind-cmgr")],
                         ["xbind-cmgr"])
        self.assertIn("default", commands["callgen"])

    def test_quickstart_waits_for_debts_before_it_judges(self):
        command = self.commands()["callgen"]
        self.assertEqual(command[command.index("--debts-timeout") + 1], "10")
        self.assertNotIn("--debts-timeout", callgen(None, Load()))

    def state_dirs(self, **changes):
        """{process: the value of its --state-dir}, of those that have one."""
        return {name: command[command.index("--state-dir") + 1]
                for name, command in self.commands("--managers", "2", **changes).items()
                if "--state-dir" in command}

    def test_what_must_survive_is_kept_in_the_labs_directory(self):
        self.assertEqual(self.state_dirs(), {
            **{f"xbind-switchserver/{node}": "/nowhere/switchserver"
               for node in (CALLER, MIDDLE, CALLEE)},
            "xbind-routeobject": "/nowhere/routeobject", "xbind-qosmapper": "/nowhere/qosmapper",
            "xbind-cmgr": "/nowhere/cmgr", "xbind-cmgr/manager-2": "/nowhere/cmgr"})

    def test_without_state_no_daemon_has_a_directory(self):
        self.assertEqual(self.state_dirs(keep_state=False), {})
        commands = self.commands(keep_state=False)
        self.assertEqual([word for command in commands.values() for word in command
                          if word.startswith("--state-dir")], [])
        self.assertEqual(set(commands), set(self.commands()))

    def test_the_environment_for_its_tools_gives_a_daemon_no_state_directory(self):
        # A daemon that is started by hand in that shell would share the directory of the lab.
        lab = Lab(lab_options("/nowhere"))
        lab.endpoints = {}
        self.assertEqual(set(lab.client_environment()),
                         {"XBIND_NAME_SERVICE", "ORBInitRef", "XBIND_LAB_DIR"})

    def test_a_new_lab_begins_with_no_state_of_an_earlier_one(self):
        with tempfile.TemporaryDirectory() as directory:
            lab = Lab(lab_options(directory))
            daemons = ("switchserver", "routeobject", "qosmapper", "cmgr")
            for daemon in daemons:
                (Path(directory) / daemon).mkdir()
                (Path(directory) / daemon / "kept").write_text("7")
            lab.clean()
            self.assertEqual([daemon for daemon in daemons
                              if (Path(directory) / daemon).exists()], [])

    def test_no_command_leaves_an_address_to_the_kernel(self):
        # Otherwise a process that is killed and started again is elsewhere.
        for name, command in self.commands().items():
            self.assertEqual([word for word in command if word.endswith(":0")], [], name)
        switch = self.commands()[f"xbind-switch/{MIDDLE}"]
        self.assertRegex(switch[switch.index("--control") + 1], r"/control/\d+$")

    def test_thresholds(self):
        self.assertIn("--threshold=10", self.commands("--threshold", "10")["xbind-cmgr"])
        for word in ("regions", "adaptive"):
            manager = self.commands("--threshold", word)["xbind-cmgr"]
            self.assertIn(f"--aggregation={word}", manager)
            self.assertFalse([one for one in manager if one.startswith("--threshold")])

    def test_engines(self):
        for engine in ("sequential", "threaded", "xbind"):
            self.assertIn(f"--engine={engine}", self.commands("--engine", engine)["xbind-cmgr"])
        self.assertEqual(quickstart.parse(["--engine", "sequential", "--threshold", "1"])
                         .load.threshold, "1")

    def test_managers(self):
        commands = self.commands("--managers", "3", "--threshold", "4")
        for process, name in (("xbind-cmgr", "default"), ("xbind-cmgr/manager-2", "manager-2"),
                              ("xbind-cmgr/manager-3", "manager-3")):
            self.assertEqual(commands[process][1:3], ["--name", name])
            self.assertIn("--threshold=4", commands[process])
        self.assertIn("default,manager-2,manager-3", commands["callgen"])

    def test_label_policies(self):
        for policy in ("fixed", "competitive", "cooperative"):
            commands = self.commands("--label-policy", policy)
            self.assertIn(f"--label-policy={policy}", commands["xbind-cmgr"])
            self.assertEqual(
                "--label-sharing=cooperative" in commands[f"xbind-switchserver/{MIDDLE}"],
                policy == "cooperative")

    def test_the_default_rate_of_links(self):
        commands = self.commands("--default-rate", "2488.32")
        self.assertIn("--default-rate=2488.32", commands["xbind-routeobject"])
        self.assertNotIn("--default-rate", " ".join(self.commands()["xbind-routeobject"]))
        with self.assertRaisesRegex(quickstart.WrongUse, "--default-rate 0: a number above 0"):
            quickstart.parse(["--default-rate", "0"])

    def test_a_call_has_no_more_cells_than_its_contract_can_say(self):
        self.assertEqual(quickstart.parse(["--cells-per-s", "16777215"]).load.cells_per_s, 16777215)
        with self.assertRaisesRegex(quickstart.WrongUse,
                                    "--cells-per-s 16777216: .* from 1 to 16777215 is needed: "
                                    "GSMP's traffic fields have 24 bits"):
            quickstart.parse(["--cells-per-s", "16777216"])

    def test_an_option_of_one_manager(self):
        options = lab_options("/nowhere", managers=2,
                              more={"xbind-cmgr": [("manager-2", "threshold", "9"),
                                                   (None, "label-cache", "8")]})
        self.assertEqual(options.arguments("xbind-cmgr", "default"), ["--label-cache=8"])
        self.assertEqual(options.arguments("xbind-cmgr", "manager-2"),
                         ["--threshold=9", "--label-cache=8"])


class Built(unittest.TestCase):

    def test_quickstart_builds_every_program_that_the_readme_names(self):
        readme = (ROOT / "README.md").read_text()
        named = set(re.findall(r"`((?:xbind-|gsmp)[a-z]+|xbindctl)`", readme))
        self.assertEqual(named, {*PROGRAMS, *TOOLS})


class Addresses(unittest.TestCase):

    def test_switches_go_on_in_the_next_net(self):
        addresses = naming.switch_addresses("127.0.1", 256)
        self.assertEqual(addresses[0], "127.0.1.1")
        self.assertEqual(addresses[253], "127.0.1.254")
        self.assertEqual(addresses[254], "127.0.2.1")
        with self.assertRaises(LabError):
            naming.switch_addresses("127.0.255", 255)

    def test_a_net_with_one_address_taken_is_not_free(self):
        net = naming.free_loopback_net(3)
        with socket.create_server((f"{net}.2", naming.GSMP_PORT)):
            self.assertNotEqual(naming.free_loopback_net(3), net)
            self.assertEqual(naming.free_loopback_net(1), net)

    def test_a_control_socket_has_a_path_that_fits(self):
        self.assertEqual(naming.control_path("/run/lab", 3), "/run/lab/control/3")
        long = Path("/" + "x" * 120)
        paths = {naming.control_path(long, number) for number in (1, 2)}
        self.assertEqual(len(paths), 2)
        for path in paths:
            self.assertLessEqual(len(path), naming.UNIX_PATH_MAX)

    def test_a_listener_that_is_no_name_service(self):
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            port = deaf.getsockname()[1]
            self.assertFalse(naming.name_service_answers("127.0.0.1", port, timeout_s=0.05))
        self.assertFalse(naming.name_service_answers("127.0.0.1", port))


class Started(unittest.TestCase):

    def test_a_ctrl_c_while_it_is_born_leaves_it_ours_to_end(self):
        class Interrupted(subprocess.Popen):
            """The signal arrives when the child runs and is not yet recorded."""
            def __init__(self, *words, **options):
                super().__init__(*words, **options)
                signal.raise_signal(signal.SIGINT)

        with tempfile.TemporaryDirectory() as directory:
            process = Process("sleep", ["sleep", "60"], Path(directory) / "log")
            with mock.patch.object(subprocess, "Popen", Interrupted):
                with self.assertRaises(KeyboardInterrupt):
                    process.start(dict(os.environ))
            self.assertTrue(process.alive())
            self.assertEqual(start_ticks(process.pid), process.started)
            self.assertEqual(signal.getsignal(signal.SIGINT), signal.default_int_handler)
            process.popen.kill()
            process.popen.wait()


class Pids(unittest.TestCase):

    def test_a_process_is_known_by_its_start_too(self):
        mine = start_ticks(os.getpid())
        self.assertEqual(start_ticks(os.getpid()), mine)
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        self.assertIsNone(start_ticks(child))  # a zombie
        os.waitpid(child, 0)
        self.assertIsNone(start_ticks(child))

    def test_a_process_without_its_first_thread_has_not_ended(self):
        program = ("import ctypes, threading, time\n"
                   "threading.Thread(target=lambda: (print('up', flush=True), time.sleep(60)))"
                   ".start()\n"
                   "ctypes.CDLL(None).pthread_exit(None)\n")
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), "up\n")
                stat = Path(f"/proc/{process.pid}/stat")
                wait_until(lambda: ") Z " in stat.read_text(), "the first thread has ended")
                self.assertIsNotNone(start_ticks(process.pid))
            finally:
                process.kill()


if __name__ == "__main__":
    unittest.main()
