#!/usr/bin/env python3
"""Labs in which all switches, or the middle one alone, use GSMP version 1.1; and a SwitchServer
limited to version 3 in front of such a switch.
"""

import re
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

STANDING = 20  # connections that are never released
SERVER, SWITCH = f"xbind-switchserver/{MIDDLE}", f"xbind-switch/{MIDDLE}"


def switches(versions, node=None):
    return (node, "gsmp-versions", versions)


def versions_of(lab, program):
    """{node: the versions in which its adjacencies came up}, from the logs of that program."""
    logs = {process.name.partition("/")[2]: process.log.read_text(encoding="utf-8")
            for process in lab.processes.values() if process.program == program}
    return {node: re.findall(r"adjacency with .* version (\d)", log) for node, log in logs.items()}


def audit_is_clean(lab):
    return tool(lab, "xbindctl", "audit").returncode == 0


def branches(lab):
    """Number of the middle switch's branches, from its control socket: version 1.1 cannot report
    it."""
    status = run("xbind-switch", "tell", control_of(lab, MIDDLE), "status")
    return int(re.search(r" branches=(\d+)", status.stdout).group(1))


class Calls(unittest.TestCase):

    def all_get_through(self, lab, calls=300):
        done, summary = offer(lab, Load(calls=calls, rate=200))
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # 3: a busy machine
        self.assertEqual(summary["setups"]["connected"], calls, done.stdout)
        self.assertEqual(summary["releases"]["released"], calls, done.stdout)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])

    def test_through_switches_of_version_1(self):
        with lab_up(more={"xbind-switch": [switches("1")]}) as lab:
            self.all_get_through(lab)
            expected = dict.fromkeys((CALLER, MIDDLE, CALLEE), ["1"])
            self.assertEqual(versions_of(lab, "xbind-switch"), expected)
            self.assertEqual(versions_of(lab, "xbind-switchserver"), expected)

    def test_through_one_switch_of_version_1_between_others(self):
        with lab_up(more={"xbind-switch": [switches("1", MIDDLE)]}) as lab:
            self.all_get_through(lab)
            self.assertEqual(versions_of(lab, "xbind-switchserver"),
                             {CALLER: ["3"], MIDDLE: ["1"], CALLEE: ["3"]})

    def test_between_a_switchserver_of_version_1_and_switches_of_both(self):
        with lab_up(more={"xbind-switchserver": [switches("1")]}) as lab:
            self.all_get_through(lab)
            self.assertEqual(versions_of(lab, "xbind-switch"),
                             dict.fromkeys((CALLER, MIDDLE, CALLEE), ["1"]))


class ColdRestart(unittest.TestCase):

    def test_the_connections_of_a_switch_of_version_1_are_put_back(self):
        more = {"xbind-switch": [switches("1", MIDDLE)]}
        with lab_up(more=more) as lab:
            connections = []
            for _ in range(STANDING):
                done = tool(lab, "xbindctl", "connect", CALLER, CALLEE)
                self.assertEqual(done.returncode, 0, done.stderr)
                connections.append(connection_of(done))
            self.assertTrue(audit_is_clean(lab))
            self.assertEqual(branches(lab), STANDING)

            process = lab.processes[SWITCH]
            process.signal(signal.SIGKILL)
            wait_until(lambda: not process.alive(), "the switch is dead")
            lab.start(process.name)
            lab.wait_ready(process)
            wait_until(lambda: branches(lab) == STANDING, "the connections are put back")
            wait_until(lambda: audit_is_clean(lab), "the audit is clean")
            self.assertEqual(versions_of(lab, "xbind-switchserver")[MIDDLE], ["1", "1"])
            for connection in connections:
                done = tool(lab, "xbindctl", "release", connection)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(audit_is_clean(lab))
            self.assertEqual(branches(lab), 0)


class Refused(unittest.TestCase):

    def test_a_switchserver_of_version_3_says_what_the_switch_speaks(self):
        more = {"xbind-switch": [switches("1", MIDDLE)],
                "xbind-switchserver": [switches("3", MIDDLE)]}
        with lab_up(more=more) as lab:
            done, summary = offer(lab, Load(calls=100, rate=200))
            self.assertEqual(summary["setups"]["refused"], 100, done.stdout)
            self.assertEqual(summary["refusals_by_place"], {f"switch unreachable at {MIDDLE}": 100})
            # Once the switch is known to be unreachable, no call sends it a command. Before that,
            # the removal of the refused hop is owed, because the SwitchServer does not know what
            # its switch holds.
            wait_until(lambda: tool(lab, "xbindctl", "connect", CALLER, CALLEE).stderr
                       == f"xbindctl: refused: switch unreachable at {MIDDLE}\n",
                       "calls are refused before anything is asked of the switch")
            wait_until(
                lambda: "nothing heard from the switch in GSMP version 3: it speaks version 1"
                in lab.processes[SERVER].log_tail(50), "the SwitchServer says why")
            self.assertEqual(versions_of(lab, "xbind-switch")[MIDDLE], [])


if __name__ == "__main__":
    unittest.main()
