#!/usr/bin/env python3
"""SMDS servers that request every connection themselves: six at the nodes of a ring, and three
whose subscribers' lines are calls."""

import json
import re
import signal
import subprocess

import xbindctl_schemas
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
SIX = ROOT / "deploy" / "smds" / "six.toml"
THREE = ROOT / "deploy" / "smds" / "three.toml"
INDIVIDUAL = {"anna": "C14089991000", "bert": "C14089992000", "carl": "C14089993000",
              "dora": "C14089994000", "emil": "C14089995000", "fred": "C14089996000"}
GROUP = "E18008881000"


class Servers(InOneLab):

    SERVERS = []

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wait_connected()

    @classmethod
    def status(cls):
        done = tool(cls.lab, "xbind-smds", "status", "--json")
        servers = json.loads(done.stdout) if done.returncode == 0 else []
        for server in servers:
            xbindctl_schemas.check("status", server, xbindctl_schemas.SMDS)
        return {server["server"]: server for server in servers}

    @classmethod
    def wait_connected(cls):
        def connected():
            servers = cls.status()
            return set(servers) == set(cls.SERVERS) and all(
                server["running"] and server["attached"]
                and server["connected"] == len(server["lines"]) for server in servers.values())
        wait_until(connected, "every line of every server is connected", 60)

    def calls(self, client):
        done = tool(self.lab, "xbindctl", "list", "--client", client, "--json")
        return {call["id"] for call in json.loads(done.stdout)["calls"]}

    def all_calls(self):
        return {name: self.calls(name) for name in self.SERVERS}

    def line(self, server, name):
        return next(line for line in self.status()[server]["lines"] if line["name"] == name)

    def begin(self, subscriber, *words):
        """A host that runs until it has what it waits for; connected."""
        host = subprocess.Popen(
            [BIN / "xbind-smds", "host", subscriber, *words], text=True, stdout=subprocess.PIPE,
            env={**self.lab.daemon_environment(), **self.lab.client_environment()})
        self.addCleanup(host.wait, 60)
        self.addCleanup(host.kill)
        self.addCleanup(host.stdout.close)
        self.assertEqual(host.stdout.readline(), f"{subscriber} is connected\n")
        return host

    def sends(self, subscriber, to, *words):
        done = tool(self.lab, "xbind-smds", "host", subscriber, "--to", to, *words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def got(self, host):
        output, _ = host.communicate(timeout=60)
        self.assertEqual(host.returncode, 0, output)
        return output

    def restart(self, name):
        process = self.lab.processes[name]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), f"{name} has ended")
        self.lab.start(name)
        self.lab.wait_ready(process)

    def audit_clean(self):
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean", 60)


class Six(Servers):

    LAB = {"topology": RING, "smds": SIX}
    SERVERS = [f"smds-{number}" for number in range(1, 7)]

    def test_each_server_has_one_call_to_each_neighbour(self):
        calls = self.all_calls()
        self.assertEqual({name: len(ids) for name, ids in calls.items()},
                         {"smds-1": 3, "smds-2": 2, "smds-3": 2, "smds-4": 3, "smds-5": 2,
                          "smds-6": 2})
        shown = tool(self.lab, "xbind-smds", "status").stdout
        self.assertIn("smds-1 at node-1: attached, 4 of 4 lines connected\n", shown)
        self.audit_clean()

    def test_every_pair_of_subscribers_that_may_exchanges_data_units(self):
        for receiver, address in INDIVIDUAL.items():
            senders = [name for name in INDIVIDUAL if name != receiver
                       and {name, receiver} != {"bert", "dora"}]
            host = self.begin(receiver, "--receive", str(len(senders)), "--timeout-ms", "30000")
            for sender in senders:
                self.sends(sender, address, "--text", f"from {sender}", "--octets", "1000")
            output = self.got(host)
            for sender in senders:
                self.assertIn(f"{INDIVIDUAL[sender]}FFFF -> {address}FFFF 1000 octets: "
                              f"from {sender}\n", output)

    def test_a_group_of_five_gets_one_copy_each(self):
        members = ["bert", "carl", "emil", "fred"]
        hosts = {name: self.begin(name, "--receive", "1", "--timeout-ms", "30000")
                 for name in members}
        self.sends("anna", GROUP, "--text", "to all")
        for name, host in hosts.items():
            self.assertEqual(self.got(host), f"{INDIVIDUAL['anna']}FFFF -> {GROUP}FFFF 6 octets: "
                                             f"to all\n", name)

    def test_what_is_not_allowed_is_counted_by_its_name(self):
        def counter(server, line, name):
            return self.line(server, line)["counters"][name]
        before = {name: counter(server, line, name) for server, line, name in (
            ("smds-1", "anna", "smdsUnassignedSAs"), ("smds-4", "dora", "smdsDAScreenViolations"),
            ("smds-4", "dora", "smdsSAScreenViolations"),
            ("smds-1", "anna", "sipL3UnrecognizedIndividualDAs"))}
        self.sends("anna", INDIVIDUAL["carl"], "--from", "C19")
        self.sends("dora", INDIVIDUAL["bert"])
        self.sends("bert", INDIVIDUAL["dora"])
        self.sends("anna", "C777")
        for server, line, name in (("smds-1", "anna", "smdsUnassignedSAs"),
                                   ("smds-4", "dora", "smdsDAScreenViolations"),
                                   ("smds-4", "dora", "smdsSAScreenViolations"),
                                   ("smds-1", "anna", "sipL3UnrecognizedIndividualDAs")):
            wait_until(lambda s=server, l=line, n=name: counter(s, l, n) == before[n] + 1,
                       f"{name} is counted")

    def test_a_server_that_is_killed_finds_its_calls(self):
        calls = self.all_calls()
        self.restart("xbind-smds/smds-2")
        self.wait_connected()
        self.assertEqual(self.all_calls(), calls)
        host = self.begin("bert", "--receive", "1", "--timeout-ms", "30000")
        self.sends("carl", INDIVIDUAL["bert"])
        self.assertIn("hello", self.got(host))
        self.audit_clean()

    def test_a_server_that_is_down_keeps_its_calls(self):
        calls = self.all_calls()
        process = self.lab.processes["xbind-smds/smds-5"]
        process.signal(signal.SIGTERM)
        wait_until(lambda: not process.alive(), "it has ended")
        self.assertEqual(process.popen.returncode, 0)
        self.assertFalse(self.status()["smds-5"]["running"])
        self.assertEqual(self.all_calls(), calls)
        self.lab.start("xbind-smds/smds-5")
        self.lab.wait_ready(process)
        self.wait_connected()
        self.assertEqual(self.all_calls(), calls)

    def test_the_manager_is_killed_while_data_units_travel(self):
        calls = self.all_calls()
        self.restart("xbind-cmgr")
        host = self.begin("fred", "--receive", "1", "--timeout-ms", "30000")
        self.sends("emil", INDIVIDUAL["fred"])
        self.got(host)
        self.wait_connected()
        self.assertEqual(self.all_calls(), calls)
        self.audit_clean()

    def test_a_call_that_is_released_is_requested_again(self):
        released = sorted(self.calls("smds-6"))[0]
        tool(self.lab, "xbindctl", "release", released)
        wait_until(lambda: released not in self.calls("smds-6") and len(self.calls("smds-6")) == 2,
                   "another call is there")
        self.wait_connected()
        host = self.begin("fred", "--receive", "2", "--timeout-ms", "30000")
        for sender in ("emil", "anna"):
            self.sends(sender, INDIVIDUAL["fred"])
        self.got(host)


class Three(Servers):
    """The lines of subscribers are calls, with both directions, in AAL5 and AAL3/4."""

    LAB = {"topology": RING, "smds": THREE}
    SERVERS = ["west", "south", "east"]

    def test_each_subscriber_reaches_each_other_in_every_length(self):
        addresses = {"gina": "C2", "hugo": "C4", "ines": "C6"}
        for receiver, address in addresses.items():
            senders = [name for name in addresses if name != receiver]
            host = self.begin(receiver, "--receive", "4", "--timeout-ms", "30000")
            for sender in senders:
                self.sends(sender, address, "--octets", "64")
                self.sends(sender, address, "--octets", "9188")
            self.assertEqual(self.got(host).count(" 9188 octets: hello\n"), 2)

    def test_a_burst_beyond_the_class_is_dropped_whole(self):
        def dropped():
            counters = self.line("west", "gina")["counters"]
            return counters["smdsAccessClassExceeded"] + counters["buffersFull"]
        before = dropped()
        host = self.begin("ines", "--receive", "1", "--timeout-ms", "30000")
        self.sends("gina", "C6", "--octets", "9188", "--count", "50")
        self.assertNotIn("bad PDU", self.got(host))
        wait_until(lambda: dropped() > before, "the others are counted")


class Mistakes(InOneLab):

    LAB = {"topology": RING}

    def test_a_mistake_of_the_file_is_named_with_its_line_and_exit_code_2(self):
        file = self.lab.state_dir / "wrong.toml"
        file.write_text(SIX.read_text() + '[[trunk]]\nbetween = ["smds-1", "smds-9"]\n')
        last = len(file.read_text().splitlines())
        done = tool(self.lab, "xbind-smds", "--name", "smds-1", "--network", file)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"wrong.toml line {last}: ", done.stderr)
        self.assertIn("there is no server 'smds-9'", done.stderr)

    def test_a_server_that_the_file_does_not_have_is_refused(self):
        done = tool(self.lab, "xbind-smds", "--name", "smds-9", "--network", SIX)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no server 'smds-9'", done.stderr)

    def test_a_line_that_is_not_given_ends_it(self):
        done = tool(self.lab, "xbind-smds", "--name", "smds-1", "--network", SIX,
                    "--host-lines", "node-7=ring:a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--host-lines has no line of node-1", done.stderr)


class StatusDocument(unittest.TestCase):

    def test_document_and_schema_have_the_same_members(self):
        schema = json.loads((xbindctl_schemas.SMDS / "status.json").read_text())
        described = {*schema["properties"], *schema["$defs"]["line"]["properties"],
                     *schema["$defs"]["call"]["properties"],
                     *schema["$defs"]["layer"]["properties"]}
        text = (ROOT / "smds" / "README.md").read_text().partition("## The status of a server")[2]
        rows = re.findall(r"^\| (`.*?`) \|", text.partition("\n## ")[0], re.MULTILINE)
        self.assertEqual(set(re.findall(r"`([\w]+)`", " ".join(rows))), described)


if __name__ == "__main__":
    unittest.main()
