#!/usr/bin/env python3
"""Options are loaded again while the daemons run and calls stand: by SIGHUP and by xbindctl, whole
or not at all."""

import os
import re
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

CATALOGUE = """[[service]]
name = "%s"
class = "constant"
frame-octets = 100
bits-per-s = 1000000
frame-loss = 1e-6
delay-ms = 100
"""


class Reload(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(planned_lab())
        self.files = self.lab.options.state_dir / "configured"
        self.files.mkdir(parents=True)
        (self.files / "catalogue.toml").write_text(CATALOGUE % "first")
        self.texts = {
            "xbind-cmgr": "crankbacks = 1\n",
            "xbind-qosmapper": f'catalogue = "{self.files}/catalogue.toml"\n',
            "xbind-routeobject": "accepted-max = 1000\n",
            **{f"xbind-switchserver/{node}": "overbooking = 1.0\n"
               for node in (CALLER, MIDDLE, CALLEE)},
        }
        with planning(self.lab):
            for name, text in self.texts.items():
                self.write(name, text)
                self.lab.processes[name].command += ["--config", str(self.path_of(name))]
            self.lab.start_all(lambda text: None)

    def path_of(self, name):
        return self.files / f"{name.replace('/', '-')}.toml"

    def write(self, name, text):
        self.path_of(name).write_text(text)

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def lines(self, name):
        return [re.sub(r"^\S+ \S+ ", "", line)
                for line in self.lab.processes[name].output().splitlines()
                if "the options are" in line]

    def hang_up(self, name):
        """SIGHUP; returns the new line about the options, without time and program."""
        before = len(self.lines(name))
        self.lab.processes[name].signal(signal.SIGHUP)
        wait_until(lambda: len(self.lines(name)) > before, f"{name} says what it does")
        return self.lines(name)[-1].replace(f"{self.files}/", "")

    def test_a_manager_takes_live_options_while_calls_stand(self):
        call = self.ctl("connect", CALLER, CALLEE).split()[0]
        self.write("xbind-cmgr", "crankbacks = 3\nclient-calls-max = 1\n")
        self.assertRegex(
            self.hang_up("xbind-cmgr"),
            r"info xbind-cmgr default: SIGHUP: the options are reloaded: "
            r"crankbacks 1 -> 3 \(xbind-cmgr.toml line 1\), "
            r"client-calls-max 0 -> 1 \(xbind-cmgr.toml line 2\)")
        self.assertIn("client-calls-max is 1", self.ctl("connect", CALLER, CALLEE, code=1))
        self.ctl("release", call)
        self.ctl("release", self.ctl("connect", CALLER, CALLEE).split()[0])

        self.write("xbind-cmgr", "crankbacks = 3\n")
        self.assertIn("client-calls-max 1 -> 0 (default)", self.hang_up("xbind-cmgr"))
        self.assertIn("all as they were", self.hang_up("xbind-cmgr"))

    def test_what_needs_a_restart_or_is_wrong_changes_nothing(self):
        for text, why in [
                ("client-calls-max = 1\nthreads = 3\n",
                 "an option needs a restart: threads 8 -> 3 (xbind-cmgr.toml line 2); "
                 "nothing has changed"),
                ("client-calls-max = 1\ncrankbacks = 9\n",
                 "option --crankbacks (xbind-cmgr.toml line 2): 9 is out of the range 0 to 8"),
                ("client-calls-max = 1\ncrankback = 1\n",
                 "xbind-cmgr.toml line 2: unknown option crankback; did you mean crankbacks?"),
                ("client-calls-max = 1\nregions = \"x\"\n",
                 '"x" in "x" is not a threshold in 1..4096')]:
            self.write("xbind-cmgr", text)
            line = self.hang_up("xbind-cmgr")
            self.assertIn("error xbind-cmgr default: SIGHUP: the options are not reloaded: ", line)
            self.assertIn(why, line)
        calls = [self.ctl("connect", CALLER, CALLEE).split()[0] for _ in range(2)]
        for call in calls:
            self.ctl("release", call)

    def test_a_switchserver_sells_its_lines_more_often(self):
        wide = ("connect", CALLER, CALLEE, "--cells-per-s", "200000")
        first = self.ctl(*wide).split()[0]
        self.assertIn("no bandwidth", self.ctl(*wide, code=1))
        for node in (CALLER, MIDDLE, CALLEE):
            name = f"xbind-switchserver/{node}"
            self.write(name, "overbooking = 2.0\nreport-threshold = 0.5\n")
            self.assertRegex(self.hang_up(name),
                             r"overbooking 1\S* -> 2\S* .*report-threshold 0.1 -> 0.5")
        # The manager hears of the new room through RouteObject.
        wait_until(lambda: tool(self.lab, "xbindctl", *wide).returncode == 0,
                   "a second call fits")
        self.assertIn("clean", self.ctl("audit"))
        for node in (CALLER, MIDDLE, CALLEE):
            self.write(f"xbind-switchserver/{node}", "overbooking = 1.0\n")
            self.assertIn("overbooking", self.hang_up(f"xbind-switchserver/{node}"))
        self.assertEqual(len(self.ctl("calls", "--ids").split()), 2, "promises are kept")
        self.assertIn("no bandwidth", self.ctl(*wide, code=1))
        self.ctl("release", first)
        self.assertIn("clean", self.ctl("audit"))

    def test_the_qosmapper_reads_its_catalogue_again(self):
        self.assertIn("first", self.ctl("services"))
        (self.files / "catalogue.toml").write_text(CATALOGUE % "first" + CATALOGUE % "second")
        self.assertIn("catalogue 1 service -> 2 services (its content)",
                      self.hang_up("xbind-qosmapper"))
        self.assertIn("second", self.ctl("services"))
        (self.files / "catalogue.toml").write_text("[[service]]\nname = 5\n")
        self.assertIn("catalogue.toml line 2", self.hang_up("xbind-qosmapper"))
        self.assertIn("second", self.ctl("services"))

    def test_xbindctl_reloads_and_shows_what_is_in_use(self):
        self.write("xbind-cmgr", "crankbacks = 4\n")
        reloaded = self.ctl("reload", "manager").replace(f"{self.files}/", "")
        self.assertEqual(reloaded,
                         "xbind/cmgr/default: crankbacks 1 -> 4 (xbind-cmgr.toml line 1)\n")
        self.assertEqual(self.ctl("reload", "manager"),
                         "xbind/cmgr/default: all options are as they were\n")
        options = self.ctl("options", "manager").replace(f"{self.files}/", "")
        self.assertRegex(options, r"(?m)^  crankbacks +4 +live  xbind-cmgr.toml line 1$")
        self.assertRegex(options, r"(?m)^  threads +8 +default$")
        self.assertRegex(options, r"(?m)^  name +default +\S.*$")
        self.write("xbind-cmgr", "threads = 4\n")
        self.assertIn("an option needs a restart: threads 8 -> 4",
                      self.ctl("reload", "manager", code=1))
        self.assertIn("crankbacks 4", re.sub(" +", " ", self.ctl("options", "manager")))
        self.write("xbind-cmgr", "crankbacks = 4\n")
        reloaded = self.ctl("reload", "all")
        for path in ("cmgr/default", "routeobject/default", "qosmapper/default",
                     f"switchserver/{MIDDLE}"):
            self.assertIn(f"xbind/{path}: all options are as they were\n", reloaded)
        self.assertIn("needs a NAME", self.ctl("reload", "switchserver", code=2))
        self.assertIn("DAEMON 'manger' is none of", self.ctl("options", "manger", code=2))

    def test_an_option_is_tuned_until_it_is_not(self):
        self.assertEqual(self.ctl("tune", "manager", "crankbacks=5"),
                         "xbind/cmgr/default: crankbacks 1 -> 5 (operator)\n")
        self.assertIn("all options are as they were", self.ctl("reload", "manager"))
        self.assertRegex(self.ctl("options", "manager"), r"(?m)^  crankbacks +5 +live  operator$")
        self.assertIn("9 is out of the range 0 to 8",
                      self.ctl("tune", "manager", "crankbacks=9", code=1))
        self.assertIn("an option needs a restart: threads 8 -> 9 (operator)",
                      self.ctl("tune", "manager", "threads=9", code=1))
        self.assertIn("unknown option crankback; did you mean crankbacks?",
                      self.ctl("tune", "manager", "crankback=1", code=1))
        self.assertIn("crankbacks 5 -> 1 (", self.ctl("tune", "manager", "crankbacks"))
        self.assertIn("as they were", self.ctl("tune", "manager", "crankbacks"))
        self.assertIn("overbooking", self.ctl("tune", "switchserver", MIDDLE, "overbooking=1.5"))
        self.assertIn("takes a NAME and OPTION=VALUE",
                      self.ctl("tune", "switchserver", "overbooking=1.5", code=2))

    def test_an_operator_reads_no_file_of_the_host(self):
        secret = self.files.parent / "secret"
        secret.write_text("root:$6$hidden:19000\nhidden = word\n")
        beside = self.files / "beside.toml"
        beside.write_text("root:$6$hidden:19000\nhidden = word\n")
        good = self.files / "other.toml"
        good.write_text(CATALOGUE % "other")
        for daemon, option, path, said in (
                (["qosmapper"], "catalogue", secret, f"{secret} is not in {self.files}"),
                (["qosmapper"], "catalogue", "/etc/shadow", "/etc/shadow is not in"),
                (["qosmapper"], "catalogue", beside, f"{beside} line 1: not TOML"),
                (["manager"], "catalogue", secret, "names no file in the configuration"),
                (["routeobject"], "topology", secret, "an option needs a restart: topology"),
                (["switchserver", MIDDLE], "switches", secret, "an option needs a restart")):
            with self.subTest(daemon=daemon, option=option, path=path):
                done = tool(self.lab, "xbindctl", "tune", *daemon, f"{option}={path}")
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)
                self.assertNotIn("hidden", done.stdout + done.stderr)
                self.assertNotIn("root:", done.stdout + done.stderr)
        self.assertIn("catalogue", self.ctl("tune", "qosmapper", f"catalogue={good}"))
        self.assertIn("other", self.ctl("services"))
        self.assertIn("catalogue", self.ctl("tune", "qosmapper", "catalogue"))

    def test_a_file_that_is_gone_is_named_and_the_daemon_lives(self):
        os.unlink(self.path_of("xbind-routeobject"))
        self.assertIn("xbind-routeobject.toml", self.hang_up("xbind-routeobject"))
        self.write("xbind-routeobject", "accepted-max = 2000\n")
        self.assertIn("accepted-max 1000 -> 2000", self.hang_up("xbind-routeobject"))
        self.assertIn(MIDDLE, self.ctl("links"))


if __name__ == "__main__":
    unittest.main()
