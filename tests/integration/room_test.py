#!/usr/bin/env python3
"""What `xbindctl fit` and `explain FROM TO` say is what `connect` then does.

Each case asks how many calls of a service fit, sets up that many, and has the next one refused:
for every service category, with overbooking and without, with little buffer, on several paths, and
with a SwitchServer that is dead.
"""

import signal
import tempfile
from pathlib import Path

import xbindctl_schemas
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LABELS = 16  # of a port: a further call is refused
CBR = ["--cells-per-s", "100000"]
SERVICES = {
    "CBR": CBR,
    "CBR with a buffer": ["--cells-per-s", "20000", "--buffer-cells", "7000"],
    "rt-VBR": ["--category", "rt-vbr", "--cells-per-s", "300000", "--cdvt-us", "100",
               "--guaranteed-cells-per-s", "20000", "--mbs-cells", "60"],
    "nrt-VBR": ["--category", "nrt-vbr", "--cells-per-s", "100000", "--cdvt-us", "20",
                "--guaranteed-cells-per-s", "30000", "--mbs-cells", "9000"],
    "GFR": ["--category", "gfr", "--cells-per-s", "100000", "--cdvt-us", "200",
            "--guaranteed-cells-per-s", "40000", "--mbs-cells", "3000", "--mfs-cells", "32"],
    "UBR": ["--category", "ubr", "--cells-per-s", "300000", "--cdvt-us", "20"],
}
FACTORS = ("0.5", "1", "2")


class Asked(xbindctl_schemas.Operator):
    ENDS = [CALLER, CALLEE]

    def fit(self, service, code=0):
        return self.document("fit", *self.ENDS, *service, code=code)

    def explain(self, service):
        return self.document("explain", *self.ENDS, *service)

    def connect(self, service):
        return self.document("connect", *self.ENDS, *service)

    def refusal(self, service):
        return self.document("connect", *self.ENDS, *service, code=1)["error"]

    def fill(self, service):
        """Sets up as many calls as fit. Returns how many, what `fit` says then, and the refusal."""
        asked = self.explain(service)
        for _ in range(asked["copies"]):
            self.connect(service)
        full = self.fit(service, code=1)
        self.assertEqual((full["verdict"], full["copies"]), ("refused", 0))
        self.assertEqual(self.explain(service)["verdict"], "refused")
        return asked["copies"], full, self.refusal(service)

    def kill_switchserver(self, node):
        self.lab.process_of("xbind-switchserver", node).signal(signal.SIGKILL)


class OnOnePath(Asked):
    LAB = {"labels_per_port": LABELS}

    def tearDown(self):
        self.ctl("release", "--all")
        self.tune("overbooking=1", "buffer-cells=32768")

    def tune(self, *settings):
        for switch in (CALLER, MIDDLE, CALLEE):
            for setting in settings:
                self.ctl("tune", "switchserver", switch, setting)

    def agrees(self, service):
        """Returns how many calls fit, and the cause of the next one's refusal."""
        copies, full, refused = self.fill(service)
        shortage = full["paths"][0]["shortage"]
        self.assertEqual(refused["name"], shortage["cause"])
        self.assertEqual((refused["refusal"]["asked"], refused["refusal"]["free"]),
                         (shortage["asked"], shortage["free"]))
        most = full["most_cells_per_s"]
        if most != 0 and "--buffer-cells" not in service:
            self.refusal(["--cells-per-s", str(most + 1)])
            self.connect(["--cells-per-s", str(most)])
        return copies, shortage["cause"]

    def test_each_category_with_and_without_overbooking(self):
        found = {}
        for factor in FACTORS:
            self.tune(f"overbooking={factor}")
            for name, service in SERVICES.items():
                with self.subTest(service=name, overbooking=factor):
                    found[name, factor] = self.agrees(service)
                self.ctl("release", "--all")
        # The cases differ: cells of CBR always arrive, and UBR is charged nothing.
        self.assertEqual([found["CBR", factor][0] for factor in FACTORS], [1, 3, 3])
        self.assertEqual({found["UBR", factor] for factor in FACTORS}, {(LABELS, "no label")})
        self.assertGreater(found["nrt-VBR", "2"][0], found["nrt-VBR", "1"][0])
        self.assertEqual(found["CBR with a buffer", "1"], (4, "no buffer"))

    def test_a_short_buffer(self):
        self.tune("buffer-cells=600")
        found = {}
        for name, service in {**SERVICES,
                              "buffer": ["--cells-per-s", "100", "--buffer-cells", "250"]}.items():
            with self.subTest(service=name):
                found[name] = self.agrees(service)
            self.ctl("release", "--all")
        self.assertEqual(found["GFR"], (0, "no buffer"))
        self.assertEqual(found["buffer"], (2, "no buffer"))


# Two paths between the hosts: over `near`, and over `far-1` and `far-2` with slower lines.
TWO_PATHS = """
name = "two-paths"
""" + "".join(f'''
[[switch]]
name = "{name}"
endpoint = {"true" if name.startswith("host") else "false"}
''' for name in ("host-a", "near", "far-1", "far-2", "host-b")) + "".join(f'''
[[link]]
between = ["{one}", "{other}"]
cells-per-s = {rate}
''' for one, other, rate in (("host-a", "near", 200_000), ("near", "host-b", 200_000),
                            ("host-a", "far-1", 100_000), ("far-1", "far-2", 100_000),
                            ("far-2", "host-b", 100_000)))

FAR = ["host-a", "far-1", "far-2", "host-b"]


class OnTwoPaths(Asked):

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        file = Path(folder) / "two-paths.toml"
        file.write_text(TWO_PATHS)
        cls.LAB = {"topology": file}
        super().setUpClass()

    def tearDown(self):
        self.ctl("release", "--all")

    def test_paths_are_filled_one_after_another(self):
        for service, copies in ((["--cells-per-s", "60000"], 4), (CBR, 3)):
            with self.subTest(service=service):
                found, full, refused = self.fill(service)
                self.assertEqual(found, copies)
                self.assertIn(refused["name"], [path["shortage"]["cause"]
                                                for path in full["paths"]])
            self.ctl("release", "--all")

    def test_a_peak_above_a_lines_rate_excludes_no_path(self):
        self.connect(["--cells-per-s", "180000"])  # over `near`
        bursts = ["--category", "rt-vbr", "--cells-per-s", "110000", "--cdvt-us", "100",
                  "--guaranteed-cells-per-s", "10000", "--mbs-cells", "40"]
        asked = self.explain(bursts)
        self.assertEqual([hop["switch"] for hop in asked["path"]["hops"]], FAR)
        self.assertEqual(self.fill(bursts)[0], 1)  # the second one would not enter

    # The last test of this lab: it leaves SwitchServers dead.
    def test_who_does_not_answer_has_no_room(self):
        self.kill_switchserver("near")
        asked = self.explain(CBR)
        self.assertEqual((asked["verdict"], asked["copies"], asked["unread"]),
                         ("fits", 1, ["near"]))
        self.assertEqual([path["unknown"] for path in asked["paths"] if path["copies"] == 0],
                         [["near"]])
        self.assertEqual([hop["switch"] for hop in asked["path"]["hops"]], FAR)
        call = self.document("call", self.connect(CBR)["id"])["call"]
        self.assertEqual([hop["switch"] for hop in call["hops"]], FAR)
        self.ctl("release", "--all")
        self.kill_switchserver("far-2")
        asked = self.fit(CBR, code=1)
        self.assertEqual((asked["verdict"], asked["copies"], asked["most_cells_per_s"]),
                         ("unknown", 0, 0))
        self.assertEqual(asked["explanation"]["cause"], "switch unreachable")
        # RouteObject may put either path first.
        unknown = r"switch unreachable at (near|far-2): unknown"
        self.assertRegex(self.ctl("explain", *self.ENDS, *CBR), rf"would be       {unknown}")
        said = self.ctl("fit", *self.ENDS, *CBR, code=1)
        self.assertRegex(said, rf"not known      {unknown}")
        self.assertIn("not read       far-2, which counts as without room: ", said)
        self.assertEqual(self.refusal(CBR)["name"], "switch unreachable")


if __name__ == "__main__":
    unittest.main()
