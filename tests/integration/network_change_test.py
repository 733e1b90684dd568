#!/usr/bin/env python3
"""The network changes while calls stand: links, rates and nodes come, change and go.

    a ── b
    │ ╲  │    The lab builds every node and line. RouteObject begins without the link a - c and
    d ── c    without the node n, which is joined with a and c, and without more links c - d.
"""

import concurrent.futures
import json
import re
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Switch

RATE = 10_000  # cells/s, of every line
RING = {"ab": ("a:2", "b:2"), "bc": ("b:3", "c:2"), "cd": ("c:3", "d:2"), "da": ("d:3", "a:3")}
CHORD = {"ac": ("a:4", "c:4")}
SPURS = {"na": ("n:2", "a:5"), "nc": ("n:3", "c:5")}
BUNDLE = {f"cd{i}": (f"c:{5 + i}", f"d:{3 + i}") for i in range(1, 9)}  # beside the link c - d


def network(nodes="abcd", links=None, rates=None):
    """A topology file; `rates`: of links that have another than RATE."""
    text = ['name = "changing"']
    for node in nodes:
        text += ["[[switch]]", f'name = "{node}"', "endpoint = true"]
    for name, (one, other) in (RING if links is None else links).items():
        text += ["[[link]]", f'between = ["{one}", "{other}"]',
                 f"cells-per-s = {(rates or {}).get(name, RATE)}"]
    return "\n".join(text) + "\n"


class InALab(unittest.TestCase):
    """Each test has a lab of its own, which begins with the ring."""

    ACCEPTS_SMALLER = False

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        options = [(None, "accept-smaller", "true")] if self.ACCEPTS_SMALLER else []
        self.lab = self.enterContext(lab_up(
            topology=self.file("built", network("abcdn", RING | CHORD | SPURS | BUNDLE)),
            begin_with=self.file("ring", network()), more={"xbind-routeobject": options}))

    def file(self, name, text):
        path = self.directory / f"{name}.toml"
        path.write_text(text)
        return path

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def load(self, text, *words, code=0):
        return self.ctl("network", "load", self.file("wanted", text), *words, code=code)

    def connect(self, *words):
        return self.ctl("connect", *words).split()[0]

    def document(self, *words):
        return json.loads(self.ctl(*words, "--json"))

    def ports_of(self, connection):
        """The output ports of a call's own direction, "a:2" first."""
        return [f"{hop['switch']}:{hop['output_port']}"
                for hop in self.document("describe", connection)["hops"] if hop["leg"] == 0]

    def links(self):
        """By either end, ("a", 2)."""
        return {(link[side]["switch"], link[side]["port"]): link
                for link in self.document("links")["links"] for side in ("end", "other_end")}

    def assert_clean(self):
        self.assertIn("clean", self.ctl("audit"))

    def restart(self, process):
        for verb in ("kill", "start"):
            done = run(ROOT / "deploy" / "lab", verb, process, "--state-dir", self.lab.state_dir)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.lab.refresh()

    def restart_routeobject(self):
        self.restart("xbind-routeobject")
        wait_until(lambda: tool(self.lab, "xbindctl", "links").returncode == 0, "RouteObject")


class Changing(InALab):

    # ----- what would be done

    def test_a_dry_run_shows_the_difference_and_the_calls_and_changes_nothing(self):
        call = self.connect("a", "b")
        text = self.load(network(links={name: ends for name, ends in RING.items() if name != "ab"}
                                 | CHORD, rates={"cd": 500}), "--dry-run")
        self.assertRegex(text, r"remove link +a:2 +b:2 +10000")
        self.assertRegex(text, r"change link +c:3 +d:2 +10000 -> 500")
        self.assertRegex(text, r"add link +a:4 +c:4 +10000")
        self.assertRegex(text, rf"xbind/cmgr/default +{call} +a +b .* move +100")
        self.assertIn("1 of 1 call lead over what is removed, 0 of them cannot move", text)
        self.assertIn("dry run: nothing is changed", text)
        self.assertEqual(self.ports_of(call), ["a:2", "b:1"])
        self.assertEqual(len(self.links()), 2 * 4)
        self.assertFalse(any("drained" in link["state"] for link in self.links().values()))

    def test_a_wrong_file_is_refused_whole_with_line_and_value(self):
        wrong = network(links=RING | {"xy": ("a:4", "z:4")})
        self.assertRegex(self.load(wrong, code=1), r"wanted.toml line \d+: there is no switch 'z'")
        self.assertRegex(self.load(network(rates={"ab": 0}), code=1),
                         r"wanted.toml line \d+: 0 cells/s of the link a:2 to b:2 is not in 1 to")
        other_kind = network().replace('name = "d"', 'name = "d"\nkind = "ovs"')
        self.assertIn("d is of kind emulated, it cannot become one of kind ovs",
                      self.load(other_kind, code=1))
        self.assertIn("there is no switch 'z'", self.ctl("network", "remove-node", "z", code=1))
        self.assertIn("no link is at port 7 of 'a'", self.ctl("network", "set-rate", "a:7", "5",
                                                              code=1))
        # Until the switch has reported its ports, none is known not to exist.
        wait_until(lambda: tool(self.lab, "xbindctl", "network", "add-link", "a:9", "c:4", "10",
                                "--dry-run").returncode == 1, "the ports of a are known")
        self.assertRegex(self.ctl("network", "add-link", "a:9", "c:4", "10", code=1),
                         r"'a' has no port 9: its switch reports \d+ ports: 1, 2, 3")
        self.assertIn("port 2 of a already has the link a:2 to b:2",
                      self.ctl("network", "add-link", "a:2", "c:4", "10", code=1))
        self.assertEqual(len(self.links()), 2 * 4)

    def test_what_is_removed_is_avoided_whole_however_much_it_is(self):
        self.load(network(links=RING | BUNDLE))
        call = self.connect("a", "b")
        wanted = network(links={"bc": RING["bc"], "da": RING["da"]})  # 10 links less: a and b part
        text = self.load(wanted, "--dry-run", code=1)
        self.assertIn("1 of 1 call lead over what is removed, 1 of them cannot move", text)
        self.assertRegex(text, r"dry run: without --force it is refused: 1 call .*: "
                               rf"{call} \(no route")
        self.assertIn("dry run: nothing is changed", self.load(wanted, "--dry-run", "--force"))
        self.assertRegex(self.load(wanted, code=1),
                         rf"1 call over what would be removed cannot move: {call} \(no route.*\); "
                         r"nothing is changed")
        self.assertFalse(any("drained" in link["state"] for link in self.links().values()))

    def test_a_change_that_is_given_up_says_which_calls_have_moved(self):
        for _ in range(2):
            self.connect("a", "b", "--cells-per-s", "4000")
        self.connect("d", "c", "--cells-per-s", "5000")  # beside it one of the two fits
        refused = self.ctl("network", "remove-link", "a:2", "--wait-s", "3", code=1)
        self.assertRegex(refused, r"1 call over what would be removed have not moved within 3 s: "
                                  r"\d+; the network is not changed; 1 call had left what would be "
                                  r"removed and will not be moved back")
        self.assertNotIn("released", refused)
        self.assertEqual(self.links()[("a", 2)]["state"], "up")
        self.assert_clean()

    def test_a_call_that_is_released_meanwhile_does_not_count_as_moved(self):
        calls = [self.connect("a", "b", "--cells-per-s", "3000") for _ in range(3)]
        self.connect("d", "c", "--cells-per-s", "6000")  # beside it one of the three fits
        with concurrent.futures.ThreadPoolExecutor() as pool:
            change = pool.submit(self.ctl, "network", "remove-link", "a:2", "--wait-s", "10",
                                 code=1)
            wait_until(lambda: any(self.ports_of(call)[0] != "a:2" for call in calls),
                       "one of the calls has moved")
            there = [call for call in calls if self.ports_of(call)[0] == "a:2"]
            self.ctl("release", there[0])
            refused = change.result()
        self.assertRegex(refused, rf"1 call over what would be removed have not moved within 10 s: "
                                  rf"{there[1]}; the network is not changed; 1 call had left what "
                                  r"would be removed and will not be moved back; 1 call over it "
                                  r"released meanwhile")
        self.assert_clean()

    # ----- links and rates

    def test_calls_use_a_link_that_was_added(self):
        self.assertEqual(len(self.ports_of(self.connect("a", "c"))), 3)
        self.ctl("network", "add-link", "a:4", "c:4", RATE)
        wait_until(lambda: self.ports_of(self.connect("a", "c")) == ["a:4", "c:1"],
                   "a new call uses the new link")
        call = self.connect("c", "a", "--both")
        self.assertEqual(self.ports_of(call), ["c:4", "a:1"])
        self.ctl("ping", call)
        self.assert_clean()

    def test_a_raised_rate_lets_a_call_fit_that_was_refused(self):
        self.load(network(rates={"ab": 1000, "da": 1000}))
        refused = self.ctl("connect", "a", "b", "--cells-per-s", "2000", code=1)
        self.assertIn("no bandwidth", refused)
        self.assertRegex(self.ctl("ports", "a"), r"(?m)^2 .* 1000")
        self.assertIn("the network is changed", self.ctl("network", "set-rate", "b:2", RATE))
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", "a", "b", "--cells-per-s",
                                "2000").returncode == 0, "the call fits")
        self.assert_clean()

    def test_a_rate_that_the_switch_cannot_have_is_named(self):
        text = self.ctl("network", "set-rate", "a:2", 2 * RATE)
        self.assertIn(f"a: the line at port 2 has {RATE} cells/s, not {2 * RATE}", text)

    def test_a_rate_below_what_calls_use_is_refused_unless_it_is_forced(self):
        call = self.connect("a", "b", "--cells-per-s", "5000")
        wait_until(lambda: self.links()[("a", 2)]["free_cells_per_s"] == RATE - 5000,
                   "RouteObject knows the load")
        self.assertIn("the link a:2 to b:2 cannot have 1000 cells/s, its calls use 5000",
                      self.ctl("network", "set-rate", "a:2", "1000", code=1))
        self.assertIn("note: it is refused unless it is forced: the link a:2 to b:2 cannot have "
                      "1000", self.ctl("network", "set-rate", "a:2", "1000", "--dry-run"))
        self.ctl("network", "set-rate", "a:2", "1000", "--force")
        self.assertEqual(self.ports_of(call), ["a:2", "b:1"])
        other = self.connect("a", "b", "--cells-per-s", "500")
        self.assertEqual(self.ports_of(other)[0], "a:3")
        self.assert_clean()

    def test_a_switch_that_restarted_gets_the_rate_again(self):
        self.ctl("network", "set-rate", "a:2", "1000")
        self.restart("xbind-switch/a")
        wait_until(lambda: re.search(r"(?m)^2 .* 1000", tool(self.lab, "xbindctl", "ports",
                                                            "a").stdout), "port 2 has the rate")

    def test_calls_leave_a_link_before_it_is_removed(self):
        calls = [self.connect("a", "b", "--both") for _ in range(20)]
        self.ctl("network", "add-link", "a:4", "c:4", RATE)
        text = self.ctl("network", "remove-link", "a:2")
        self.assertIn("20 of 20 calls lead over what is removed, 0 of them cannot move",
                      text)
        # Without a - b and b - c no path leads to b.
        refused = json.loads(
            self.ctl("network", "remove-link", "b:3", "--dry-run", "--json", code=1))
        self.assertEqual([call["moves"] for call in refused["calls"]], [False] * 20)
        self.assertFalse(refused["applied"])
        self.assertRegex(refused["refused"], "^20 calls over what would be removed cannot move: ")
        for call in calls:
            self.assertNotIn("a:2", self.ports_of(call))
            self.ctl("ping", call)
        self.assertNotIn(("a", 2), self.links())
        self.assert_clean()

    def test_a_link_that_calls_cannot_leave_stays_unless_they_are_ended(self):
        self.ctl("network", "remove-link", "a:3")
        call = self.connect("a", "b")
        refused = self.ctl("network", "remove-link", "a:2", code=1)
        self.assertRegex(refused, rf"1 call over what would be removed cannot move: {call} "
                                  r"\(no route.*\); nothing is changed")
        self.assertEqual(self.links()[("a", 2)]["state"], "up")
        self.assertEqual(self.ports_of(call), ["a:2", "b:1"])
        text = self.ctl("network", "remove-link", "a:2", "--force")
        self.assertIn(f"1 call ended by force: {call}", text)
        self.assertEqual(self.document("list")["calls"], [])
        self.assert_clean()

    def test_no_call_is_lost_while_links_come_and_go(self):
        load = Load(calls=600, rate=100, hold=2)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            run_of = pool.submit(offer, self.lab, load)
            while not run_of.done():
                self.ctl("network", "add-link", "a:4", "c:4", RATE)
                self.ctl("network", "remove-link", "b:2")
                self.ctl("network", "add-link", "a:2", "b:2", RATE)
                self.ctl("network", "remove-link", "c:4")
            done, summary = run_of.result()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(summary["audit"]["clean"])
        self.assertEqual(summary["setups"]["connected"], 600)

    # ----- nodes

    def test_calls_reach_a_node_that_was_added_until_it_is_removed(self):
        self.assertIn("unknown endpoint", self.ctl("connect", "a", "n", code=1))
        text = self.load(network("abcdn", RING | SPURS))
        self.assertRegex(text, r"add node +n +endpoint")
        call = self.connect("a", "n", "--both")
        self.ctl("ping", call)
        wait_until(lambda: counter(self.ctl("status"), "switches") == 5, "the manager has n")
        self.assert_clean()

        through = self.connect("a", "c")
        refused = self.ctl("network", "remove-node", "n", code=1)
        self.assertRegex(refused, rf"1 call over what would be removed cannot move: {call} "
                                  r"\(it begins or ends there\)")
        self.ctl("release", call)
        self.ctl("network", "remove-node", "n")
        self.assertFalse([port for port in self.ports_of(through) if port.startswith("n")])
        wait_until(lambda: counter(self.ctl("status"), "switches") == 4, "the manager has let go")
        done = run(ROOT / "deploy" / "lab", "kill", "xbind-switchserver/n", "--state-dir",
                   self.lab.state_dir)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.lab.refresh()
        self.assertIn("unknown endpoint", self.ctl("connect", "a", "n", code=1))
        self.assert_clean()

    def test_a_node_may_be_added_before_its_switchserver_runs(self):
        run(ROOT / "deploy" / "lab", "kill", "xbind-switchserver/n", "--state-dir",
            self.lab.state_dir)
        self.ctl("network", "add-node", "n", "--endpoint")
        text = self.ctl("network", "add-link", "n:2", "a", RATE)
        self.assertIn("n: its rates follow when it reports", text)
        self.assertIn(("n", 2), self.links())
        run(ROOT / "deploy" / "lab", "start", "xbind-switchserver/n", "--state-dir",
            self.lab.state_dir)
        self.lab.refresh()
        self.assertEqual(self.links()[("n", 2)]["other_end"],
                         {"switch": "a", "port": 4})
        self.ctl("network", "remove-link", "n:2")
        self.ctl("network", "add-link", "n:2", "a:5", RATE)
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", "n", "b").returncode == 0,
                   "calls begin at n")
        self.assert_clean()

    # ----- restarts

    def test_a_changed_network_survives_routeobject_and_yields_to_another_file(self):
        self.ctl("network", "add-link", "a:4", "c:4", RATE)
        self.ctl("network", "set-rate", "c:3", "700")
        shown = self.ctl("network", "show")
        self.restart_routeobject()
        self.assertEqual(self.ctl("network", "show"), shown)
        self.assertEqual(self.links()[("c", 3)]["cells_per_s"], 700)
        self.file("ring", network(links=RING | CHORD) + "# edited\n")
        self.restart_routeobject()
        self.assertEqual(len(self.links()), 2 * 5)
        self.assertEqual(self.links()[("c", 3)]["cells_per_s"], RATE)
        superseded = self.lab.state_dir / "routeobject/routeobject-default.network.superseded"
        self.assertIn("700", superseded.read_text())

    def smaller(self):
        return [alarm["cause"] for alarm in self.document("alarms")["alarms"]
                if alarm["kind"] == "network-smaller"]

    def test_a_file_that_lacks_a_link_is_not_taken_until_the_operator_loads_it(self):
        call = self.connect("a", "b")
        shown = self.ctl("network", "show")
        small = network(links={name: ends for name, ends in RING.items() if name != "bc"})
        self.file("ring", small)
        for _ in range(2):  # also the next start finds it smaller
            self.restart_routeobject()
            self.assertEqual(self.ctl("network", "show"), shown)
            wait_until(lambda: self.smaller() == ["it lacks the link b:3 to c:2"], "the alarm")
        self.assertIn("ring.toml is not taken: it lacks 1 of what the network has: the link b:3 to "
                      "c:2", self.lab.processes["xbind-routeobject"].output())
        self.ctl("network", "set-rate", "a:2", "5000")  # another change is not its taking
        self.load(small)
        wait_until(lambda: not self.smaller(), "the alarm ends")
        self.assertNotIn(("b", 3), self.links())
        self.restart_routeobject()
        self.assertNotIn(("b", 3), self.links())
        self.assertEqual(self.smaller(), [])
        self.ctl("ping", call)
        self.assert_clean()

    def test_a_second_routeobject_leaves_the_files_of_a_living_one_alone(self):
        self.ctl("network", "add-link", "a:4", "c:4", RATE)
        shown = self.ctl("network", "show")
        command = [str(word) for word in self.lab.processes["xbind-routeobject"].command]
        place = command.index("--topology") + 1
        command[place] = str(self.file("other", network() + "# another text\n"))
        second = run(BIN / "xbind-routeobject", *command[1:])
        self.assertEqual(second.returncode, 3, second.stdout + second.stderr)
        self.restart_routeobject()
        self.assertEqual(self.ctl("network", "show"), shown)

class Smaller(InALab):
    """RouteObject takes a smaller file: what managers do then."""

    ACCEPTS_SMALLER = True

    def entries(self):
        return {node: Switch(switch_address(self.lab, node)).table() for node in "abcd"}

    def test_a_wrong_file_at_a_restart_of_the_manager_cuts_no_call(self):
        calls = [self.connect("a", "b"), self.connect("a", "c"), self.connect("b", "d", "--both")]
        ports = [self.ports_of(call) for call in calls]
        entries = self.entries()
        for wrong in [{name: ends for name, ends in RING.items() if name != "ab"},
                      RING | {"ab": ("a:2", "d:2"), "cd": ("c:3", "b:2")}]:
            self.file("ring", network(links=wrong))
            self.restart_routeobject()
            self.restart("xbind-cmgr")
            wait_until(lambda: self.ctl("list").count("connected") == len(calls), "the calls")
            self.assertEqual([self.ports_of(call) for call in calls], ports)
            self.assertEqual(self.entries(), entries)
            wait_until(lambda: "links-differ" in self.ctl("alarms"), "the alarm")
        self.assertRegex(self.ctl("alarms"), r"a port 2.*calls show a link to b port 2, "
                         r"the topology leads to d port 2")
        self.file("ring", network())
        self.restart("xbind-routeobject")
        wait_until(lambda: "links-differ" not in self.ctl("alarms"), "the alarm ends")
        self.assertEqual([self.ports_of(call) for call in calls], ports)
        for call in calls:
            self.ctl("ping", call)
        self.assert_clean()


if __name__ == "__main__":
    main()
