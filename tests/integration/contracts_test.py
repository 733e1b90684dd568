#!/usr/bin/env python3
"""Traffic contracts from xbindctl to the switch, decoded by gsmpdump on the way; and the switch's
counters on the way back.
"""

import contextlib
import queue
import tempfile
import threading
from pathlib import Path

from gsmp_client import Switch
from gsmpdump_test import program
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVER = f"xbind-switchserver/{MIDDLE}"
CHECK_CELLS = 8  # cells of a checked call (callgen/media/media_cells.hpp)

# Category: xbindctl's options, and what the switch then receives. U: the usage is to be policed.
CONTRACTS = {
    "cbr": (["--cells-per-s=1000", "--cdvt-us=300"], "CBR.1", "tc U, pcr 1000 cells/s cdvt 300 us"),
    "rt-vbr": (["--cells-per-s=1000", "--guaranteed-cells-per-s=500", "--mbs-cells=50",
                "--cdvt-us=20"],
               "rt-VBR.1", "tc U, pcr 1000 cells/s cdvt 20 us scr 500 cells/s mbs 50 cells"),
    "nrt-vbr": (["--cells-per-s=1000", "--guaranteed-cells-per-s=400", "--mbs-cells=60"],
                "nrt-VBR.1", "tc U, pcr 1000 cells/s cdvt 0 us scr 400 cells/s mbs 60 cells"),
    "ubr": (["--cells-per-s=1100"], "UBR.1", "tc D, pcr 1100 cells/s cdvt 0 us"),
    "gfr": (["--cells-per-s=1000", "--guaranteed-cells-per-s=300", "--mbs-cells=50",
             "--mfs-cells=20"],
            "GFR.1", "tc D, pcr 1000 cells/s cdvt 0 us mcr 300 cells/s mbs 50 cells mfs 20 cells"),
}


class OnTheWay(unittest.TestCase):
    """A lab whose middle switch receives every message through gsmpdump."""

    MORE = {}  # options for processes, by their names

    def setUp(self):
        self.lab = self.enterContext(planned_lab())
        with planning(self.lab):
            command = self.lab.processes[SERVER].command
            where = command.index("--switch") + 1
            self.dump, command[where] = self.enterContext(
                program("gsmpdump", "--listen", "127.0.0.1:0", "--to", command[where]))
            for name, words in self.MORE.items():
                self.lab.processes[name].command += words
            self.lab.start_all(lambda text: None)
        self.said = []

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def adds(self):
        """The Add Branch requests that have passed gsmpdump, in its words."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.said.append(self.dump.get_nowait())
        return [line.partition(" add branch request, ")[2] for line in self.said
                if " add branch request, " in line]

    def assert_next_add(self, before, service, parameters):
        wait_until(lambda: len(self.adds()) > before, "the switch receives the contract")
        self.assertEqual(len(self.adds()), before + 1)
        added = self.adds()[-1]
        self.assertEqual(added.count(f" {service} capset 1"), 2, added)  # one for each side
        self.assertTrue(added.endswith(f" {service} capset 1, {parameters}"), added)


class Contracts(OnTheWay):

    def test_each_category_arrives_at_the_switch(self):
        connections = []
        for category, (words, service, parameters) in CONTRACTS.items():
            with self.subTest(category):
                before = len(self.adds())
                connections.append(connection_of(
                    self.ctl("connect", CALLER, CALLEE, "--category", category, *words)))
                self.assert_next_add(before, service, parameters)
        for connection in connections:
            self.ctl("release", connection)
        self.ctl("audit")

    def test_a_modify_changes_the_parameters_and_no_other_category_is_had(self):
        words, service, parameters = CONTRACTS["nrt-vbr"]
        connection = connection_of(
            self.ctl("connect", CALLER, CALLEE, "--category", "nrt-vbr", *words))
        self.assert_next_add(0, service, parameters)
        self.ctl("modify", connection, "--category=nrt-vbr", "--cells-per-s=2000",
                 "--guaranteed-cells-per-s=700", "--mbs-cells=90", "--cdvt-us=77")
        self.assert_next_add(1, service,
                             "tc U, pcr 2000 cells/s cdvt 77 us scr 700 cells/s mbs 90 cells")
        refused = self.ctl("modify", connection, "--category=cbr", "--cells-per-s=900", code=1)
        self.assertIn("refused: invalid request at service category", refused.stderr)
        self.assertIn("takes       700 cells/s", self.ctl("describe", connection).stdout)
        self.assertEqual(len(self.adds()), 2)
        self.ctl("release", connection)
        self.ctl("audit")

    def test_a_cold_restart_puts_the_contract_back(self):
        words, service, parameters = CONTRACTS["gfr"]
        connection = connection_of(self.ctl("connect", CALLER, CALLEE, "--category", "gfr", *words))
        self.assert_next_add(0, service, parameters)
        done = run("xbind-switch", "tell", control_of(self.lab, MIDDLE), "restart", "cold")
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done)
        self.assert_next_add(1, service, parameters)
        self.ctl("release", connection)
        self.ctl("audit")

    def test_a_contract_that_cannot_be_is_refused_with_its_value(self):
        for words, sentence in (
                (["nrt-vbr", "--cells-per-s=400", "--guaranteed-cells-per-s=500", "--mbs-cells=50"],
                 "SCR 500 is above the PCR: at most 400"),
                (["rt-vbr", "--cells-per-s=400", "--mbs-cells=50"], "SCR 0 is zero"),
                (["gfr", "--cells-per-s=1000", "--mbs-cells=5", "--mfs-cells=20"],
                 "MBS 5 is below the MFS: at least 20"),
                (["cbr", "--mbs-cells=3"], "MBS 3 is not of this category")):
            with self.subTest(words):
                done = self.ctl("connect", CALLER, CALLEE, "--category", *words, code=2)
                self.assertIn(f"xbindctl: {sentence}\n", done.stderr)
        done = self.ctl("connect", CALLER, CALLEE, "--category=cbr", "--cells-per-s=400000", code=1)
        self.assertIn("asked 400000 cells/s, free 353207", done.stderr)
        self.assertEqual(self.adds(), [])


OWN_CATALOGUE = """
[[service]]
name = "quiet"
class = "voice"
frames-per-s = 10
frame-octets = 40
frame-loss = 1e-3
delay-ms = 500
"""


class Classes(OnTheWay):
    """Services by name and class, from xbindctl and callgen through the manager to the switch."""

    def connected(self, *words):
        before = len(self.adds())
        connection = connection_of(self.ctl("connect", CALLER, CALLEE, *words))
        wait_until(lambda: len(self.adds()) > before, "the switch receives the contract")
        return connection, self.adds()[-1]

    def test_a_service_of_the_catalogue_arrives_at_the_switch(self):
        for words, service, parameters, takes in (
                (["voice-g711"], "CBR.1", "tc U, pcr 200 cells/s cdvt 5000 us", 200),
                (["video-conference"], "rt-VBR.1",
                 "tc U, pcr 14075 cells/s cdvt 218 us scr 4717 cells/s mbs 1126 cells", 14075),
                (["voice-g711", "--frame-delay-ms=20"], "CBR.1",
                 "tc U, pcr 400 cells/s cdvt 2500 us", 400),
                (["video", "--frames-per-1000-s=25000", "--frame-octets=9000", "--peak-to-mean=3",
                  "--burst-frames=2", "--frame-loss=1e-4", "--frame-delay-ms=150"], "rt-VBR.1",
                 "tc U, pcr 14075 cells/s cdvt 218 us scr 4717 cells/s mbs 1126 cells", 14075)):
            with self.subTest(words):
                connection, added = self.connected("--service-class", *words)
                self.assertTrue(added.endswith(f" {service} capset 1, {parameters}"), added)
                self.assertIn(f"takes       {takes} cells/s",
                              self.ctl("describe", connection).stdout)
                self.ctl("release", connection)
        self.ctl("audit")

    def taken(self):
        done = tool(self.lab, "xbindctl", "ports", MIDDLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split() for row in done.stdout.splitlines()
                if row[:1].isdigit()]  # not those of the comparison below
        self.assertTrue(rows, done.stdout)
        return sum(int(row[4]) for row in rows), sum(int(row[5]) for row in rows)

    def test_a_port_is_charged_the_effective_bandwidth(self):
        connection, _ = self.connected("--service-class=video-conference")
        # A wait of 1 ms: 14075 x 1126 / (1126 + 14075 / 1000); then the rest of a burst at that
        # time.
        self.assertEqual(self.taken(), (13902, 1 + 14 + 4))
        self.ctl("release", connection)
        self.assertEqual(self.taken(), (0, 0))
        connection, _ = self.connected("--service-class=data-guaranteed")
        self.assertEqual(self.taken(), (5334, 412))
        self.ctl("release", connection)
        connection, _ = self.connected("--service-class=data-best-effort")
        self.assertEqual(self.taken(), (0, 0))
        self.ctl("release", connection)
        self.ctl("audit")

    def test_a_name_or_number_that_cannot_be_is_refused_by_the_manager(self):
        for words, sentence in (
                (["video-9"], "refused: unknown service at service 'video-9'"),
                (["voice-g711", "--burst-frames=4"],
                 "refused: invalid request: burst frames of 4: voice takes none"),
                (["video"], "refused: invalid request: video: frame octets 0 is not in")):
            with self.subTest(words):
                done = self.ctl("connect", CALLER, CALLEE, "--service-class", *words, code=1)
                self.assertIn(sentence, done.stderr)
        self.assertEqual(self.adds(), [])

    def test_callgen_asks_for_a_service_by_its_name(self):
        done = tool(self.lab, "xbind-callgen", "run", "--calls=20", "--from", CALLER,
                    "--to", CALLEE, "--service-class=voice-g711")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        wait_until(lambda: len(self.adds()) >= 20, "gsmpdump has printed all of them")
        for added in self.adds():
            self.assertTrue(added.endswith(" CBR.1 capset 1, tc U, pcr 200 cells/s cdvt 5000 us"),
                            added)


class OwnCatalogue(OnTheWay):
    """The manager's own catalogue; and that of a QOSMapper which the manager queries."""

    def setUp(self):
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "services.toml"
        file.write_text(OWN_CATALOGUE, encoding="utf-8")
        self.MORE = self.words(["--catalogue", str(file)])
        super().setUp()

    @staticmethod
    def words(catalogue):
        return {"xbind-cmgr": catalogue}

    def test_its_names_are_known_and_no_others(self):
        connection = connection_of(
            self.ctl("connect", CALLER, CALLEE, "--service-class", "quiet"))
        self.assert_next_add(0, "CBR.1", "tc U, pcr 10 cells/s cdvt 100000 us")
        self.ctl("release", connection)
        done = self.ctl("connect", CALLER, CALLEE, "--service-class", "voice-g711", code=1)
        self.assertIn("refused: unknown service", done.stderr)


class RemoteCatalogue(OwnCatalogue):

    @staticmethod
    def words(catalogue):
        return {"xbind-cmgr": ["--qos", "remote"], "xbind-qosmapper": catalogue}


class Counters(InOneLab):

    def cells_in_and_out(self, port):
        done = tool(self.lab, "xbindctl", "ports", MIDDLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *rows = done.stdout.splitlines()
        self.assertRegex(head, "cells in +cells out")
        row = next(row.split() for row in rows if row.split()[0] == str(port))
        return int(row[7]), int(row[8])

    def test_of_ports(self):
        seen = self.cells_in_and_out(1)[0]
        for seed in (1, 2):
            done, summary = offer(self.lab, Load(calls=20, rate=200, seed=seed, verify_media=True))
            self.assertEqual(done.returncode, 0, done.stdout)
            seen += summary["media"]["cells_received"]
            self.assertEqual(summary["media"]["cells_received"], 20 * CHECK_CELLS)
            # After a release no cell gets this far, and none flows back.
            self.assertEqual(self.cells_in_and_out(1), (seen, 0))
            self.assertEqual(self.cells_in_and_out(2), (0, seen))

    def test_of_a_connection(self):
        runs = []
        calls = threading.Thread(target=lambda: runs.append(offer(
            self.lab, Load(calls=3, rate=100, hold=8, verify_media=True))))
        calls.start()
        table = wait_until(Switch(switch_address(self.lab, MIDDLE)).table, "a call is up")
        branch = min(table)
        label = "%d/%d" % branch.input_label

        def counted():
            done = tool(self.lab, "xbindctl", "count", MIDDLE, branch.input_port, label)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        all_its_cells = (f"port {branch.input_port} label {label}: {CHECK_CELLS} cells in, "
                         f"{CHECK_CELLS} out, 0 and 0 discarded\n")
        wait_until(lambda: counted() == all_its_cells, "its cells are counted")
        calls.join()
        self.assertEqual(runs[0][0].returncode, 0, runs[0][0].stdout)
        done = tool(self.lab, "xbindctl", "count", MIDDLE, branch.input_port, label)
        self.assertEqual((done.returncode, done.stderr), (1, (
            f"xbindctl: nothing comes in at port {branch.input_port} with label {label}\n")))


if __name__ == "__main__":
    main()
