#!/usr/bin/env python3
"""Names and epochs: processes whose clock was set back, and forged epochs of managers. Nobody is
fenced off for ever."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path
from unittest import mock

import giop
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

BACK_S = 7_200
EPOCH_LAST = 2**24 - 1  # ids of connections have 24 bits for it
CLIENTS = 6
KEPT = 2  # connections of the keeper
TEST_FOLDER = Path(__file__).resolve().parent


class InOneLabWithClocks(InOneLab):
    LAB = {"more": {"xbind-cmgr": [(None, "startup-patience-ms", 5_000)]}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.library = Path(folder) / "wall_clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", cls.library,
                        TEST_FOLDER / "wall_clock.c", "-ldl"], check=True)

    @contextlib.contextmanager
    def clock_set_back(self):
        """What is started meanwhile has a wall clock two hours behind."""
        # The runtime of the address sanitizer wants to be the first library.
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        with mock.patch.dict(os.environ, {"LD_PRELOAD": str(self.library), "ASAN_OPTIONS": options,
                                          "TEST_CLOCK_BACK_S": str(BACK_S)}):
            yield

    def ctl(self, *command, code=0):
        done = tool(self.lab, "xbindctl", *command)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def remote(self, path):
        found = giop.Remote(giop.parse_ior(tool(self.lab, "nameclt", "resolve", path).stdout))
        self.addCleanup(found.close)
        return found

    def status_of(self, path):
        """The counters of a daemon."""
        status, reader, _ = self.remote(path).invoke("status", lambda out: out)
        self.assertEqual(status, giop.NO_EXCEPTION)
        values = {}
        for _ in range(reader.number("I")):
            name = reader.string()
            values[name] = reader.number("Q")
        return values

    def kill(self, name):
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), f"{name} has ended")
        return process

    def start(self, name):
        self.lab.start(name)
        self.lab.wait_ready(self.lab.processes[name])


class ClockSetBack(InOneLabWithClocks):

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        kept = Path(folder) / "kept.toml"
        kept.write_text(f'[[connection]]\nname = "kept"\nfrom = "{CALLER}"\nto = "{CALLEE}"\n'
                        f'cells-per-s = 100\ncount = {KEPT}\n')
        cls.LAB = {"connections": kept}
        super().setUpClass()

    def kept(self):
        return [line.split()[0] for line in self.ctl("list", "--client", "keeper").splitlines()
                if line[:1].isdigit()]

    def test_a_keeper_goes_on(self):
        wait_until(lambda: len(self.kept()) == KEPT, "the keeper has set up its calls")
        keeper = self.kill("xbind-keeper")
        with self.clock_set_back():
            self.start("xbind-keeper")
        self.ctl("release", self.kept()[0])
        wait_until(lambda: len(self.kept()) == KEPT, "the keeper sets up another one")
        self.assertTrue(keeper.alive(), keeper.log_tail())

    def test_the_library_sets_the_clock_back(self):
        """Else the other tests would prove nothing."""
        log = self.lab.processes["xbind-routeobject"]

        def last_time():
            return re.findall(r"(?m)^20[0-9-]{8} [0-9:.]{12} UTC", log.output())[-1]
        real = last_time()
        self.kill("xbind-routeobject")
        with self.clock_set_back():
            self.start("xbind-routeobject")
        self.assertLess(last_time(), real)

    def test_clients_are_served(self):
        """Each name has been used by a program that was killed and left its calls."""
        names = [f"clock-{number}" for number in range(CLIENTS)]
        for name in names:
            with subprocess.Popen(callgen(self.lab, Load(calls=5_000, rate=100, hold=60),
                                          ["--client-name", name]),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
                wait_until(lambda it=name: len(self.ctl("list", "--client", it).splitlines()) > 2,
                           f"calls of {name} are up")
                first.kill()
        with self.clock_set_back():
            for name in names:
                done, summary = offer(self.lab, Load(calls=20, rate=200, hold=0.01),
                                      "--client-name", name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(summary["setups"]["connected"], 20, name)
        for name in names:
            self.ctl("release", "--client", name)

    def test_reports_of_a_switchserver_are_taken_at_once(self):
        server = self.lab.process_of("xbind-switchserver", MIDDLE).name
        before = self.status_of("xbind/routeobject/default")
        self.kill(server)
        with self.clock_set_back():
            self.start(server)
        wait_until(lambda: self.status_of("xbind/routeobject/default")["reports"]
                   > before["reports"] + 2, "the SwitchServer reports")
        self.assertEqual(self.status_of("xbind/routeobject/default")["stale_reports"],
                         before["stale_reports"])


class ForgedManagers(InOneLabWithClocks):

    def setUp(self):
        self.calls = [self.ctl("connect", CALLER, CALLEE).split()[0] for _ in range(3)]

    def tearDown(self):
        if not self.lab.processes["xbind-cmgr"].alive():
            self.start("xbind-cmgr")
        for call in self.calls:
            self.ctl("release", call)

    def forge(self):
        """Twenty strangers attach as the manager, each with a higher epoch than the one before."""
        peer = self.remote(f"xbind/switchserver/{CALLER}")
        observer = giop.parse_ior(
            tool(self.lab, "nameclt", "resolve", "xbind/routeobject/default").stdout)
        taken, step = 0, 2**20
        for number in range(1, 21):
            epoch = min(number * step, EPOCH_LAST + number - 16)
            status, reader, _ = peer.invoke(
                "attach_manager", lambda out, now=epoch: out.string("default").ulonglong(now).ulong(
                    giop.PROTOCOL).reference(*observer))
            if status == giop.NO_EXCEPTION:
                taken += 1
                session = reader.number("Q")
                peer.invoke("detach_manager", lambda out, it=session: out.ulonglong(it))
        self.assertGreaterEqual(taken, 16)
        self.assertRegex(self.ctl("managers", CALLER), rf"default +absent +3 +{EPOCH_LAST}\n")

    def listed(self):
        return [line.split()[0] for line in self.ctl("list").splitlines() if line[:1].isdigit()]

    def test_the_manager_starts_with_its_calls(self):
        """As soon as the other SwitchServers have noticed that its earlier process has ended."""
        manager = self.kill("xbind-cmgr")
        self.forge()
        self.start("xbind-cmgr")
        self.assertEqual(sorted(self.listed()), sorted(self.calls))
        self.assertIn("the epochs of manager default are used up", manager.output())
        fresh = self.ctl("connect", CALLER, CALLEE).split()[0]
        self.assertNotIn(fresh, self.calls)
        self.ctl("release", fresh)
        self.assertIn("clean", self.ctl("audit"))

    def test_an_operator_renews_them(self):
        refused = self.ctl("renew-epoch", "default", code=1)
        self.assertRegex(refused, "manager default is attached, with epoch [0-9]+")
        manager = self.kill("xbind-cmgr")
        self.forge()
        seen = len(re.findall("are used up", manager.output()))
        # The other SwitchServers notice the manager's end when its lease is over.
        done = wait_until(lambda: (it := tool(self.lab, "xbindctl", "renew-epoch", "default"))
                          .returncode == 0 and it, "the epochs are renewed", 60)
        renewed = done.stdout
        self.assertRegex(renewed, rf"the newest epoch of manager 'default' is [0-9]+, it was "
                         rf"{EPOCH_LAST}\n")
        self.start("xbind-cmgr")
        self.assertEqual(len(re.findall("are used up", manager.output())), seen)
        self.assertEqual(sorted(self.listed()), sorted(self.calls))


if __name__ == "__main__":
    unittest.main()
