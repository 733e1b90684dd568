#!/usr/bin/env python3
"""Other controllers come to a switch and go while its SwitchServer is at work: each of them is told to
the SwitchServer (Adjacency Update), sees the connections, and does no harm.
"""

import threading

from gsmp_client import GsmpClient
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVER = f"xbind-switchserver/{MIDDLE}"


class SeveralControllers(InOneLab):

    def log(self):
        return self.lab.processes[SERVER].output()

    def visit(self, controllers):
        """So many controllers more at a time, each with a name of its own; the table as they see it."""
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
        # It has stayed in the one adjacency of its start.
        self.assertEqual(self.log().count("adjacency with the switch is up"), 1)
        self.assertNotIn("adjacency with the switch is lost", self.log())

    def test_what_another_controller_brings_up_is_put_back(self):
        standing = [connection_of(tool(self.lab, "xbindctl", "connect", CALLER, CALLEE))
                    for _ in range(3)]
        with GsmpClient(switch_address(self.lab, MIDDLE), name=b"\x02\x00\x00\x0e\x00\x01") as client:
            before = client.table()
            self.assertEqual(len(before), 3)
            port = min(before).input_port
            client.bring_up(port)
            wait_until(lambda: client.table() == before, "the connections are put back", 2.0)
        wait_until(lambda: f"port {port} has begun session" in self.log(), "the log says so")
        switch = self.lab.process_of("xbind-switch", MIDDLE).output()
        self.assertIn(f"controller 02:00:00:0e:00:01: bring up of port {port}; "
                      "3 branches are deleted", switch)
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)
        for connection in standing:
            self.assertEqual(tool(self.lab, "xbindctl", "release", connection).returncode, 0)


if __name__ == "__main__":
    unittest.main()
