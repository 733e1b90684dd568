#!/usr/bin/env python3
"""Other controllers connect to a switch and leave while its SwitchServer works. The SwitchServer
gets a notice of each (Adjacency Update). They see the connections and do no harm.
"""

import json
import re
import socket
import struct
import threading

from gsmp_client import Branch, GsmpClient
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVER = f"xbind-switchserver/{MIDDLE}"


def send_cells(line, label, cells):
    """Sends cells into the host's end of a line `mpls:HOST:PORT/HOST:PORT/PSEUDOWIRE`, one in each
    datagram, beside the process that has opened the line (dataplane/links/mpls.hpp)."""
    near, far, pseudowire = line.removeprefix("mpls:").split("/")
    host, _, port = far.rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((near.rpartition(":")[0], 0))
        cell = struct.pack(">I", label[0] << 20 | label[1] << 4) + bytes(48)
        bottom_of_stack, time_to_live, not_numbered = 1 << 8, 64, 0
        entry = int(pseudowire) << 12 | bottom_of_stack | time_to_live
        for _ in range(cells):
            sender.sendto(struct.pack(">II", entry, not_numbered) + cell, (host, int(port)))


class SeveralControllers(InOneLab):

    def log(self):
        return self.lab.processes[SERVER].output()

    def drift(self):
        """The alarms about switches that have lost cross-connects."""
        listed = json.loads(tool(self.lab, "xbindctl", "alarms", "--json").stdout)
        return [one for one in listed["alarms"] if one["kind"] == "switch-drift"]

    def put_back(self):
        """What the SwitchServer has put back so far, and what it has not."""
        done = tool(self.lab, "xbindctl", "ports", MIDDLE, "--json")
        comparison = json.loads(done.stdout)["comparison"]
        return comparison["put_back"], comparison["not_put_back"]

    def another_controller(self, node, number):
        return GsmpClient(switch_address(self.lab, node),
                          name=b"\x02\x00\x00\x0f\x00" + bytes([number]))

    def visit(self, controllers):
        """Connects that many more controllers at once, each with its own name; returns their
        tables."""
        name = b"\x02\x00\x00\x0d\x00" + bytes([controllers])
        with GsmpClient(switch_address(self.lab, MIDDLE), name=name) as client:
            return client.table() if controllers == 1 else self.visit(controllers - 1)

    def test_adjacency_update_does_no_harm(self):
        runs = []
        calls = threading.Thread(target=lambda: runs.append(offer(
            self.lab, Load(calls=600, rate=200, hold=0.3, verify_media=True))))
        calls.start()
        wait_until(lambda: self.visit(1), "calls are up")
        most = 0
        while calls.is_alive():
            most = max(most, len(self.visit(3)))
        calls.join()

        done, summary = runs[0]
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # 3: a busy machine
        self.assertGreater(most, 1)
        self.assertEqual(summary["setups"]["connected"], 600, done.stdout)
        self.assertEqual(summary["releases"]["released"], 600, done.stdout)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])
        self.assertEqual(summary["media"]["cells_received"], summary["media"]["cells_sent"])
        for controllers in (1, 2, 3, 4):
            self.assertIn(f"the switch has {controllers} controllers", self.log())
        # The SwitchServer has kept its first adjacency.
        self.assertEqual(self.log().count("adjacency with the switch is up"), 1)
        self.assertNotIn("adjacency with the switch is lost", self.log())

    def test_what_another_controller_brings_up_is_put_back(self):
        standing = [connection_of(tool(self.lab, "xbindctl", "connect", CALLER, CALLEE))
                    for _ in range(3)]
        with GsmpClient(switch_address(self.lab, MIDDLE),
                        name=b"\x02\x00\x00\x0e\x00\x01") as client:
            before = client.table()
            self.assertEqual(len(before), 3)
            port = min(before).input_port
            client.bring_up(port)
            wait_until(lambda: client.table() == before, "the connections are put back", 2.0)
        wait_until(lambda: f"port {port} began session" in self.log(), "the log says so")
        switch = self.lab.process_of("xbind-switch", MIDDLE).output()
        self.assertIn(f"controller 02:00:00:0e:00:01: bring up of port {port}; "
                      "3 branches are deleted", switch)
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)
        for connection in standing:
            self.assertEqual(tool(self.lab, "xbindctl", "release", connection).returncode, 0)

    def table(self, node):
        with self.another_controller(node, 1) as client:
            return client.table()

    def cells_in(self, node, port, label):
        """The numbers of cells that arrived with that label at the port, and that were sent on."""
        said = tool(self.lab, "xbindctl", "count", node, port, f"{label[0]}/{label[1]}")
        counted = re.search(r"(\d+) cells in, (\d+) out", said.stdout)
        self.assertIsNotNone(counted, said.stdout + said.stderr)
        return tuple(int(number) for number in counted.groups())

    def assert_cells_pass(self, branch):
        """Asserts that ten cells of the call with this branch in the middle switch reach its last
        switch."""
        first = next(one for one in self.table(CALLER) if one.output_label == branch.input_label)
        last = next(one for one in self.table(CALLEE) if one.input_label == branch.output_label)
        there = CALLEE, last.input_port, last.input_label
        before = self.cells_in(*there)
        send_cells(self.lab.endpoints[CALLER], first.input_label, 10)
        wait_until(lambda: self.cells_in(*there) == (before[0] + 10, before[1] + 10),
                   f"cells arrive over {branch}")

    def test_what_another_controller_deletes_is_put_back_once(self):
        standing = [connection_of(tool(self.lab, "xbindctl", "connect", CALLER, CALLEE))
                    for _ in range(6)]
        ours = self.table(MIDDLE)
        self.assertEqual(len(ours), 6)
        lost = set(sorted(ours)[:5])
        with self.another_controller(MIDDLE, 3) as client:
            for branch in lost:
                client.delete(branch)
        # The interval of the rounds is ten minutes: only its adjacency is why they are found now.
        wait_until(lambda: self.table(MIDDLE) == ours, "the five are put back")
        for branch in sorted(lost):
            self.assert_cells_pass(branch)
        self.assertEqual(self.put_back(), (5, 0))
        [alarm] = wait_until(self.drift, "that is an alarm")
        self.assertEqual(alarm["about"], MIDDLE)
        self.assertIn("5 put back, 0 not put back", alarm["cause"])
        self.assertIn("put back so far 5, not put back 0",
                      tool(self.lab, "xbindctl", "ports", MIDDLE).stdout)

        # It deletes again: an alarm, and no fight.
        with self.another_controller(MIDDLE, 4) as client:
            for branch in lost:
                client.delete(branch)
            wait_until(lambda: self.put_back() == (5, 5), "they are left", 60)
        self.assertEqual(self.table(MIDDLE), ours - lost)
        wait_until(lambda: "5 put back, 5 not put back" in self.drift()[0]["cause"],
                   "the alarm says so")
        # A stranger on a free input stays where it is.
        stranger = Branch(1, (0, 999), 2, (0, 998))
        with self.another_controller(MIDDLE, 5) as client:
            client.add(stranger)
            self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 1)
            client.delete(stranger)
        done = tool(self.lab, "xbindctl", "repair")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.table(MIDDLE), ours)
        for connection in standing:
            self.assertEqual(tool(self.lab, "xbindctl", "release", connection).returncode, 0)

    def test_calls_get_their_cells_again_when_a_port_is_brought_up_under_load(self):
        standing = [connection_of(tool(self.lab, "xbindctl", "connect", CALLER, CALLEE))
                    for _ in range(3)]
        ours = self.table(MIDDLE)
        self.assertEqual(len(ours), 3)
        for branch in ours:
            self.assert_cells_pass(branch)

        runs = []
        calls = threading.Thread(target=lambda: runs.append(offer(
            self.lab, Load(calls=1800, rate=300, hold=0.3, verify_media=True))))
        calls.start()
        wait_until(lambda: len(self.table(MIDDLE)) > 50, "calls are up")
        port = min(ours).input_port
        seen = len(self.log())
        with self.another_controller(MIDDLE, 2) as client:
            client.bring_up(port)
            # The driver kit tests how soon, on virtual time:
            # a_port_that_another_brings_up_is_renewed.
            wait_until(lambda: ours <= client.table(), "this controller's connections are put back")
        for branch in ours:
            self.assert_cells_pass(branch)
        self.assertTrue(calls.is_alive(), "all of that happened under load")
        calls.join()

        # The alarm is logged once and names the port.
        alarms = re.findall(r"warning .*port (\d+) began session \d+ \(was \d+\) without an event",
                            self.log()[seen:])
        self.assertEqual(alarms, [str(port)])
        # No call was lost and no cell misdirected; checked cells within the gap are lost.
        done, summary = runs[0]
        self.assertIn(done.returncode, (0, 1, 3), done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], 1800, done.stdout)
        self.assertEqual(summary["releases"]["released"], 1800, done.stdout)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])
        media = summary["media"]
        for violation in ("out_of_order", "duplicated", "wrong_endpoint", "wrong_label",
                          "corrupted", "after_release"):
            self.assertEqual(media[violation], 0, (violation, done.stdout))
        if media["lost"] == 0:
            self.assertNotEqual(done.returncode, 1, done.stdout)

        # Afterwards every cell of every checked call arrives again.
        done, summary = offer(self.lab, Load(calls=300, rate=300, seed=2, verify_media=True))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["media"]["cells_received"], summary["media"]["cells_sent"])
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)
        for connection in standing:
            self.assertEqual(tool(self.lab, "xbindctl", "release", connection).returncode, 0)


if __name__ == "__main__":
    unittest.main()
