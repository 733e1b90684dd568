#!/usr/bin/env python3
"""The files of a callgen run: all are written; a path that cannot be written is refused at once."""

import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import


class Outputs(InOneLab):

    def refused(self, *options):
        done = tool(self.lab, "xbind-callgen", "run", "--calls", 10, *options)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_what_cannot_be_written_is_refused_before_any_call(self):
        def setups():
            return counter(tool(self.lab, "xbindctl", "status").stdout, "setups")

        before = setups()
        for option in ("--json", "--csv", "--records"):
            self.assertIn("/no/such/folder/file", self.refused(option, "/no/such/folder/file"))
        self.assertIn("/no/such/folder", self.refused("--out", "/no/such/folder"))
        with tempfile.NamedTemporaryFile() as file:
            self.assertIn(file.name, self.refused("--out", file.name))
        self.assertEqual(setups(), before)

    def test_a_full_disk_is_reported_after_the_run(self):
        done = tool(self.lab, "xbind-callgen", "run", "--calls", 10, "--records", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full", done.stderr)

    def test_a_folder_holds_all_forms(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory) / "run"
            done = tool(self.lab, "xbind-callgen", "run", "--calls", 200, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual({path.name for path in folder.iterdir()},
                             {"run.json", "series.csv", "latency.hgrm", "summary.txt",
                              "index.html"})
            self.assertEqual((folder / "summary.txt").read_text(), done.stdout)
            page = (folder / "index.html").read_text()
            self.assertIn("<svg", page)
            self.assertNotIn("src=\"http", page)


class Json(InOneLab):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        _, cls.json = offer(cls.lab, Load(calls=500, rate=500), "--warm-up", 0.1)

    def test_the_stages_add_up(self):
        stages = self.json["stages"]
        of_manager = stages["managers"]["setup"]
        for name, stage in of_manager.items():
            grown = self.json["counters"]["managers"]
            self.assertAlmostEqual(stage["mean_us"], grown[f"setup_stage_{name}_ns"] / 1e3
                                   / grown[f"setup_stage_{name}_count"])
            self.assertEqual(stage["count"], self.json["setups"]["connected"])
        parts = sum(stage["mean_us"] for name, stage in of_manager.items() if name != "total")
        self.assertAlmostEqual(parts, of_manager["total"]["mean_us"], places=3)
        from_send = self.json["latency_from_send_us"]["setup"]["mean"]
        whole = sum(stage["mean_us"] for stage in stages["setup_stack"])
        self.assertAlmostEqual(whole, max(from_send, of_manager["total"]["mean_us"]), places=3)

    def test_the_manifest_tells_what_it_was_made_on(self):
        manifest = self.json["manifest"]
        for name in ("cpu model", "cpus", "kernel", "virtualisation", "governor",
                     "processors stolen", "load before", "load after", "version", "omniORB", "seed",
                     "command line", "began", "placement of xbind-callgen"):
            self.assertTrue(manifest.get(name), name)
        self.assertIn("--warm-up", manifest["command line"])


if __name__ == "__main__":
    unittest.main()
