#!/usr/bin/env python3
"""Labs whose sites are joined by xbind-wan: calls over 50 ms and 2 % loss, and nothing that stays
behind. Needs root, for network namespaces and TUN devices."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks
from wan_world import lacking

LAB = ROOT / "deploy" / "lab"
TWO = ROOT / "deploy" / "sites" / "two.toml"


@unittest.skipIf(lacking(), lacking())
class Sites(unittest.TestCase):

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-sites-")))
        self.state_dir = self.directory / "state"
        self.prefix = networks.prefix_of(self.state_dir)
        self.addCleanup(self.lab_command, "down", timeout=60)  # also after a failed test

    def lab_command(self, *words, **options):
        return run(LAB, words[0], "--state-dir", self.state_dir, *words[1:], **options)

    def up_words(self, file):
        return ["--sites", file, "--bin-dir", BIN, "--no-omniorb-config", "--wan-option", "seed=3"]

    def up(self, file=TWO):
        done = self.lab_command("up", *self.up_words(file), timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return Lab.find(self.state_dir)

    def wan(self):
        """The numbers of `xbind-wan tell ... status`."""
        done = run("xbind-wan", "tell", self.state_dir / "control" / "wan", "status")
        self.assertEqual(done.returncode, 0, done)
        return {name: int(value) for name, value in
                (pair.split("=") for pair in done.stdout.split()[1:])}

    def assert_clean(self, lab):
        done = tool(lab, "xbindctl", "audit")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith("clean: 3 switches, 0 connections"), done.stdout)

    def down(self):
        done = self.lab_command("down", timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual([name for name in networks.namespaces() if self.prefix in name], [])
        self.assertEqual(processes_of(self.state_dir), [])
        self.assertFalse((self.state_dir / "lab.json").exists())

    def test_calls_over_50_ms_and_2_percent_loss(self):
        lab = self.up()
        for process in lab.processes.values():
            site = lab.sites.site_of(process)["namespace"]
            self.assertEqual(networks.run(["ip", "netns", "identify", str(process.pid)]).strip(),
                             site, process.name)
        before = self.wan()
        done, summary = offer(lab, Load(calls=300, rate=60, hold=0.2))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # A call whose packets are lost again and again may be refused when a timer ends.
        self.assertGreaterEqual(summary["setups"]["connected"], 290, summary["setups"])
        self.assertEqual(summary["setups"]["unanswered"], 0, summary["setups"])
        # No call is set up without a packet that crosses the WAN and one that comes back.
        self.assertGreaterEqual(summary["setup_latency_us"]["min"], 50_000)
        self.assert_clean(lab)
        after = self.wan()
        packets = after["packets-in"] - before["packets-in"]
        lost = after["lost"] - before["lost"]
        self.assertGreaterEqual(packets, 1000)
        # Six standard deviations of 2 %.
        self.assertLessEqual(abs(lost - 0.02 * packets), 6 * (0.0196 * packets) ** 0.5)
        self.assertEqual({name: after[name] for name in
                          ("not-ipv4", "bad-header", "above-mtu", "fragment", "foreign-source",
                           "no-destination", "no-path", "device")},
                         dict.fromkeys(("not-ipv4", "bad-header", "above-mtu", "fragment",
                                        "foreign-source", "no-destination", "no-path", "device"),
                                       0))
        shown = self.lab_command("status")
        self.assertIn(f"10.78.2.1 in namespace {self.prefix}-paris: switch-1, host-b",
                      shown.stdout)
        self.assertEqual([site["name"] for site in
                          json.loads(self.lab_command("status", "--json").stdout)["sites"]],
                         ["london", "paris"])
        self.down()

    def test_a_killed_wan_is_started_again(self):
        lab = self.up()
        killed = self.lab_command("kill", "xbind-wan")
        self.assertEqual(killed.returncode, 0, killed.stderr)
        started = self.lab_command("start", "xbind-wan", timeout=60)
        self.assertEqual(started.returncode, 0, started.stderr)
        done, summary = offer(lab, Load(calls=50, rate=50, hold=0.1))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(summary["setups"]["connected"], 45, summary["setups"])
        self.assert_clean(lab)
        self.down()

    def test_down_and_up_after_all_was_killed(self):
        self.kill_all(self.up())
        lab = self.up()
        with subprocess.Popen([sys.executable, "-B", LAB, "run", "--state-dir", self.state_dir,
                               "--site", "paris", "--", "sleep", "600"]) as left:
            namespace = f"{self.prefix}-paris"

            def sleeps():
                pids = networks.run(["ip", "netns", "pids", namespace]).split()
                return any(Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\0")
                           for pid in pids)

            wait_until(sleeps, "a program runs at the site")
            self.kill_all(lab)
            left.kill()  # the program itself goes on
        self.down()

    def kill_all(self, lab):
        killed = list(lab.processes.values())
        for process in killed:
            process.signal(signal.SIGKILL)
        wait_until(lambda: not any(process.alive() for process in killed), "all have ended")

    def test_an_up_that_is_killed_while_it_starts(self):
        command = [sys.executable, "-B", LAB, "up", "--state-dir", self.state_dir,
                   *self.up_words(TWO)]
        log = self.state_dir / "logs"
        steps = {
            "a namespace is made": lambda: f"{self.prefix}-london" in networks.namespaces(),
            "xbind-wan has started": (log / "xbind-wan.log").exists,
            "a SwitchServer has started": (log / "xbind-switchserver-host-b.log").exists}
        for words, reached in steps.items():
            with self.subTest(words), subprocess.Popen(
                    [str(word) for word in command], stdout=subprocess.DEVNULL,
                    process_group=0) as killed:
                try:
                    wait_until(reached, words)
                finally:
                    os.killpg(killed.pid, signal.SIGKILL)
                    killed.wait()
                self.down()

    def test_cells_cross_the_wan(self):
        """Both hosts are at the clients' site, and the switch between them is not."""
        file = self.directory / "cells.toml"
        file.write_text("""
[[site]]
name = "edge"
nodes = ["host-a", "host-b"]
[[site]]
name = "core"
nodes = ["switch-1"]
[[path]]
from = "edge"
to = "core"
both = true
delay-us = 5000
""", encoding="utf-8")
        lab = self.up(file)
        done, summary = offer(lab, Load(calls=40, rate=40, hold=0.3, verify_media=True))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], 40, summary["setups"])
        self.assertEqual(summary["media"]["failed_calls"], [], summary["media"])
        self.down()


if __name__ == "__main__":
    main()
