#!/usr/bin/env python3
"""A bridge of Open vSwitch accepts what we send: the messages of tests/golden/openflow, over the
bridge's management socket. Its answers are among the golden messages too: XBIND_REWRITE_GOLDEN=1
captures them anew. Then adapt the values in tests/unit/ovs/openflow/golden_messages.cpp.

Needs root: the switch runs in a network namespace of its own, with the userspace datapath.
"""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import main, wait_until
from openflow_vectors import OFCTL, REWRITE, octets_of, rewrite

SCHEMA = Path("/usr/share/openvswitch/vswitch.ovsschema")
HEADER = struct.Struct("!BBHI")
PORT_STATUS, BARRIER_REPLY = 12, 21
STATE_AT, LINK_DOWN, LIVE = 55, 1, 4  # in a PortStatus
BARRIER_XID = 0xb0000000
DEADLINE_S = 20.0

# The bridge and its three ports p1 to p3, whose other ends are h1 to h3.
PORTS = """set -e
ip link set lo up
for n in 1 2 3; do
  ip link add p$n address 02:00:00:00:00:0$n type veth peer name h$n
  ip link set p$n up; ip link set h$n up
done
exec ovs-vswitchd "$@"
"""


def why_not():
    if not (OFCTL and shutil.which("ovs-vswitchd") and shutil.which("ovsdb-tool")):
        return "NOT TESTED: there is no Open vSwitch (package openvswitch-switch)"
    if os.geteuid() != 0:
        return "NOT TESTED: only root may create a network namespace"
    probe = subprocess.run(["unshare", "--net", "ip", "link", "add", "p1", "type", "veth", "peer",
                            "name", "h1"], capture_output=True, check=False)
    return f"NOT TESTED: no namespace with links: {probe.stderr!r}" if probe.returncode else None


class Bridge:
    """Open vSwitch in a temporary folder, with one bridge br0."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, **{f"OVS_{name}DIR": str(folder)
                                     for name in ("RUN", "LOG", "DB", "SYSCONF")}}
        self.processes = []
        database = folder / "conf.db"
        self.tool("ovsdb-tool", "create", database, SCHEMA)
        self.start("ovsdb-server", database, f"--remote=punix:{folder}/db.sock")
        wait_until((folder / "db.sock").exists, "the database's socket", DEADLINE_S)
        self.vsctl("--no-wait", "init")
        self.switch = self.start("unshare", "--net", "sh", "-c", PORTS, "ports",
                                 f"unix:{folder}/db.sock")
        self.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev",
                   "fail_mode=secure", "protocols=OpenFlow14",
                   "other-config:hwaddr=02:00:00:00:00:10",
                   "other-config:datapath-id=0000020000000010")
        for port in (1, 2, 3):
            self.vsctl("add-port", "br0", f"p{port}", "--", "set", "interface", f"p{port}",
                       f"ofport_request={port}")
        self.management = folder / "br0.mgmt"
        wait_until(self.management.exists, "the bridge's socket", DEADLINE_S)
        wait_until(lambda: self.ofctl("dump-ports-desc").count("LIVE") == 3,
                   "the bridge's ports, which it would report later", DEADLINE_S)

    def start(self, *command):
        with open(self.folder / f"{command[0]}.out", "w", encoding="utf-8") as out:
            self.processes.append(subprocess.Popen([str(word) for word in command], env=self.env,
                                                   stdout=out, stderr=out))
        return self.processes[-1]

    def tool(self, *command):
        return subprocess.run([str(word) for word in command], env=self.env, check=True,
                              capture_output=True, text=True, timeout=60).stdout

    def vsctl(self, *command):
        return self.tool("ovs-vsctl", f"--db=unix:{self.folder}/db.sock", *command)

    def ofctl(self, command, *more):
        return self.tool("ovs-ofctl", "-O", "OpenFlow14", command, f"unix:{self.management}", *more)

    def inside(self, *command):
        return self.tool("nsenter", f"--net=/proc/{self.switch.pid}/ns/net", *command)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=DEADLINE_S)


class Connection:
    """To the management socket; hands out whole messages."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(str(path))
        self.barriers = 0

    def octets(self, count):
        got = b""
        while len(got) < count:
            more = self.socket.recv(count - len(got))
            if not more:
                raise EOFError(f"the bridge closed the connection after {got.hex()}")
            got += more
        return got

    def next(self):
        header = self.octets(HEADER.size)
        return header + self.octets(HEADER.unpack(header)[2] - HEADER.size)

    def answers(self, *names):
        """All messages that come until the switch has completed these golden messages."""
        self.barriers += 1
        barrier = HEADER.pack(5, 20, HEADER.size, BARRIER_XID + self.barriers)
        self.socket.sendall(b"".join(map(octets_of, names)) + barrier)
        answers = []
        while True:
            answers.append(self.next())
            if HEADER.unpack(answers[-1][:8])[1::2] == (BARRIER_REPLY, BARRIER_XID + self.barriers):
                return answers[:-1]


def types(messages):
    return [message[1] for message in messages]


@unittest.skipIf(why_not(), why_not())
class ABridge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.bridge = Bridge(folder)
        cls.addClassCleanup(cls.bridge.end)

    def setUp(self):
        self.connection = Connection(self.bridge.management)
        self.addCleanup(self.connection.socket.close)
        self.took("hello-reply", self.connection.next())  # the bridge speaks first
        self.assertEqual(self.connection.answers("hello", "set-config", "flow-delete-port",
                                                 "group-delete-all", "meter-delete-all"), [])

    def took(self, name, message):
        """A message of the bridge that is worth a golden file."""
        if REWRITE:
            rewrite(name, message, "captured from Open vSwitch 3.1.0")

    def one(self, request, reply):
        """The only answer to a golden request, of the type that the golden answer has."""
        answers = self.connection.answers(request)
        self.took(reply, answers[0])
        self.assertEqual(types(answers), [octets_of(reply)[1]])
        self.assertEqual(answers[0][4:8], octets_of(request)[4:8], "the xid")

    def test_tells_of_itself_and_its_ports(self):
        self.one("features-request", "features-reply")
        self.one("echo-request", "echo-reply-of-bridge")
        self.one("port-desc-request", "port-desc-reply")
        self.one("port-stats-request", "port-stats-reply")
        self.one("barrier-request", "barrier-reply")

    def test_reports_a_port_that_goes_down(self):
        self.bridge.inside("ip", "link", "set", "h2", "down")
        self.addCleanup(self.h2_up)
        # The bridge first reports that the port is not live, then that its link is down.
        self.took("port-status", self.port_status(lambda state: state & LINK_DOWN))

    def h2_up(self):
        """Until the bridge has said so: the next test's connection would get its words."""
        self.bridge.inside("ip", "link", "set", "h2", "up")
        self.port_status(lambda state: state == LIVE)

    def port_status(self, wanted):
        """The bridge's first report of a port in a state like this."""
        while True:
            message = self.connection.next()
            self.assertEqual(message[1], PORT_STATUS)
            if wanted(message[STATE_AT]):
                return message

    def test_takes_and_lists_meters_groups_and_flows(self):
        self.assertEqual(self.connection.answers(
            "meter-add", "meter-modify", "group-add", "group-modify", "flow-add-swap",
            "flow-add-ingress", "flow-add-vlan", "flow-add-tree", "flow-add-drop"), [])
        self.one("meter-config-request", "meter-config-reply")
        self.one("group-desc-request", "group-desc-reply")
        self.one("flow-stats-request", "flow-stats-reply")
        self.one("flow-stats-request-one", "flow-stats-reply-one")
        self.assertEqual(self.connection.answers(
            "flow-modify-strict", "flow-delete-strict", "flow-delete", "group-delete",
            "meter-delete"), [])
        self.assertEqual(self.flows(), [])

    def test_lists_flows_of_others(self):
        self.bridge.ofctl("add-flow", "table=3,priority=7,tcp,in_port=1,tp_dst=80,"
                          "actions=load:1->NXM_NX_REG0[],resubmit(,4)")
        self.bridge.ofctl("add-flow", "table=4,idle_timeout=600,dl_vlan=5,"
                          "actions=mod_dl_src:02:00:00:00:00:09,output:1")
        self.one("flow-stats-request-all", "flow-stats-reply-foreign")
        self.bridge.ofctl("del-flows")

    def test_refuses_by_type_and_code(self):
        self.assertEqual(self.connection.answers("meter-add"), [])
        self.one("meter-add", "error-meter-exists")
        self.one("flow-add-tree", "error-no-group")
        self.one("bundle-commit", "error-no-bundle")

    def test_applies_a_bundle_or_discards_it(self):
        self.one("bundle-open", "bundle-open-reply")
        self.assertEqual(self.connection.answers("bundle-add"), [])
        self.assertEqual(self.flows(), [])
        self.one("bundle-commit", "bundle-commit-reply")
        self.assertEqual(len(self.flows()), 1)
        self.bridge.ofctl("del-flows")
        self.assertEqual(len(self.connection.answers("bundle-open", "bundle-add")), 1)
        self.one("bundle-discard", "bundle-discard-reply")
        self.assertEqual(self.flows(), [])

    def flows(self):
        return [line for line in self.bridge.ofctl("dump-flows").splitlines() if "cookie" in line]


if __name__ == "__main__":
    main()
