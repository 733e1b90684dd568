"""The network of a lab's Open vSwitch nodes: bridges and the links between them; network.py has its
hosts, and those of the lab's emulated switches.

One ovsdb-server and one ovs-vswitchd (userspace datapath) have all bridges of a lab. Everything is
in network namespaces of the lab, so that several labs, and other users of Open vSwitch, do not
meet. PREFIX as in network.py:

  namespace PREFIX       both daemons, the bridges, and the bridges' ends of all lines
  brK                    bridge of the node in position K; brKpP is its port P

A line is a veth pair, its rate unlimited. Hosts of bridges do not use ARP, because only IPv4
travels through the bridges: each has permanent neighbour entries. The end of a line to an emulated
switch is up and joined to nothing: frames are no cells.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import network
from . import topology as topologies
from .network import HOST_MTU, run
from .process import LabError

DATABASE, SWITCHES = "ovsdb-server", "ovs-vswitchd"  # processes of the lab
# The programs needed, and their Debian packages (deploy/packages.txt).
NEEDED = {"ovs-vswitchd": "openvswitch-switch", "ovsdb-server": "openvswitch-switch",
          "ovsdb-tool": "openvswitch-switch", "ovs-vsctl": "openvswitch-switch",
          **network.NEEDED}
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
NODES_MAX = 100  # bridges of one ovs-vswitchd; each host has an entry for each other one
SOCKET_PATH_MAX = 107  # octets; struct sockaddr_un, less the final zero
SOCKET_NAME_MAX = len("ovs-vswitchd.ctl")
TRUNK_MTU = 1600  # room for a stack of labels


@dataclass
class Network(network.Network):
    """The plan of a network with bridges, and how to make, change and remove it."""

    directory: str = ""  # database and sockets
    bridges: dict = field(default_factory=dict)  # node -> bridge
    # Lines of bridges: [[node, port], the other end]. The other end is [node, port], or None for
    # the host, or [an emulated switch, port].
    lines: list = field(default_factory=list)

    # The plan

    def port(self, node, port):
        """The interface of a bridge's port."""
        return f"{self.bridges[node]}p{port}"

    def namespaces(self):
        return [self.prefix, *super().namespaces()]

    def of_bridges(self):
        """The hosts behind bridges."""
        return {node: host for node, host in self.hosts.items() if node in self.bridges}

    def openflow(self, node):
        """Where the bridge of a node accepts OpenFlow connections."""
        return f"unix:{self.directory}/{self.bridges[node]}.mgmt"

    def database(self):
        return f"unix:{self.directory}/db.sock"

    def daemons(self):
        """(name, command line, pattern of the ready line) of the two processes."""
        variables = [f"OVS_{name}DIR={self.directory}" for name in ("RUN", "DB", "LOG", "SYSCONF")]
        inside = ["ip", "netns", "exec", self.prefix, "env", *variables]
        logs = ["-vconsole:info", "-vsyslog:off", "-vfile:off"]
        return [
            (DATABASE, [*inside, DATABASE, f"{self.directory}/conf.db",
                        f"--remote=punix:{self.directory}/db.sock",
                        f"--unixctl={self.directory}/{DATABASE}.ctl", *logs],
             r"\|INFO\|ovsdb-server \(Open vSwitch\)"),
            (SWITCHES, [*inside, SWITCHES, self.database(),
                        f"--unixctl={self.directory}/{SWITCHES}.ctl", *logs],
             r"\|INFO\|ovs-vswitchd \(Open vSwitch\)")]

    def joined(self):
        """The lines whose both ends are bridges."""
        return [line for line in self.lines if line[1] and line[1][0] in self.bridges]

    def loose(self):
        """The lines to emulated switches."""
        return [line for line in self.lines if line[1] and line[1][0] not in self.bridges]

    def trunk_ends(self):
        return [tuple(end) for line in self.joined() for end in line] + [
            tuple(line[0]) for line in self.loose()]

    def commands_inside(self):
        """{namespace: lines for `ip -batch`}, in order."""
        trunk = f"mtu {TRUNK_MTU}"
        switches = []
        for (node, port), (other, other_port) in self.joined():
            switches.append(f"link add {self.port(node, port)} {trunk} type veth "
                            f"peer name {self.port(other, other_port)} {trunk}")
        for (node, port), _ in self.loose():
            switches.append(f"link add {self.port(node, port)} {trunk} type veth "
                            f"peer name {self.port(node, port)}x {trunk}")
            switches.append(f"link set {self.port(node, port)}x up")
        for node, host in self.of_bridges().items():
            switches.append(
                f"link add {self.port(node, 1)} mtu {HOST_MTU} type veth peer name eth0 "
                f"address {host['mac']} mtu {HOST_MTU} netns {host['namespace']}")
        switches += [f"link set {self.port(*end)} up"
                     for end in [*self.trunk_ends(), *((node, 1) for node in self.of_bridges())]]
        inside = {self.prefix: switches, **super().commands_inside()}
        for node, host in self.of_bridges().items():
            inside[host["namespace"]] = [
                "link set lo up", f"addr add {host['address']}/16 dev eth0", "link set eth0 up",
                *(f"neigh replace {other['address']} lladdr {other['mac']} dev eth0 nud permanent"
                  for other_node, other in self.of_bridges().items() if other_node != node)]
        return inside

    def offloads(self):
        for end in [*self.trunk_ends(), *((node, 1) for node in self.of_bridges())]:
            yield self.prefix, ["-K", self.port(*end), "tx", "off"]
        yield from super().offloads()

    def bridge_words(self):
        """The words for ovs-vsctl that make every bridge and its ports."""
        words = []
        for node, bridge in self.bridges.items():
            words += ["--", "add-br", bridge, "--", "set", "bridge", bridge,
                      "datapath_type=netdev", "fail_mode=secure",
                      "protocols=OpenFlow13,OpenFlow14"]
            for port in self.ports(node):
                name = self.port(node, port)
                words += ["--", "add-port", bridge, name,
                          "--", "set", "interface", name, f"ofport_request={port}"]
        return words

    def ports(self, node):
        return sorted(end[1] for line in self.lines for end in line if end and end[0] == node)

    # In words

    what = "the network of Open vSwitch"

    def described_lines(self):
        rows = super().described_lines()
        for (node, port), other in self.lines:
            if other is None:
                continue
            if other[0] in self.bridges:
                rows.append((f"{node}:{port} to {other[0]}:{other[1]}",
                             f"frames, {self.port(node, port)} and {self.port(*other)}"))
            else:
                rows.append((f"{node}:{port} to {other[0]}:{other[1]}", "nothing, signalling only"))
        return rows

    def notes(self):
        return [f"no cells or frames cross the link {node}:{port} to {other}:{other_port}, because "
                f"{node} carries frames and {other} cells; signalling is complete"
                for (node, port), (other, other_port) in self.loose()]

    # Making and removing

    def require(self):
        require()

    def refuse_taken_names(self):
        super().refuse_taken_names()
        if os.path.lexists(self.directory):
            raise LabError(f"{self.directory} is there already, and no lab.json says that this lab "
                           f"has made it")

    def make_parts(self):
        os.mkdir(self.directory, 0o700)
        run(["ovsdb-tool", "create", f"{self.directory}/conf.db", SCHEMA])
        super().make_parts()

    def add_bridges(self):
        """Makes the bridges; both daemons must be ready. They stay in the database."""
        run(["ovs-vsctl", f"--db={self.database()}", "--timeout=30", *self.bridge_words()[1:]])
        found = run(["ovs-vsctl", f"--db={self.database()}", "--timeout=30", "--format=csv",
                     "--data=bare", "--no-headings", "--columns=name,ofport",
                     "list", "interface"]).splitlines()
        for node in self.bridges:
            for port in self.ports(node):
                if f"{self.port(node, port)},{port}" not in found:
                    raise LabError(f"{SWITCHES} has no port {port} at {node}: see its log about "
                                   f"{self.port(node, port)}")

    def remove(self):
        left = super().remove()
        if self.claimed and not left:
            shutil.rmtree(self.directory, ignore_errors=True)
        return left

    # While the lab is up

    def has_port(self, node):
        return node in self.bridges

    def set_port(self, node, port, up):
        """Takes the bridge's end of a line down or up."""
        run(["ip", "-n", self.prefix, "link", "set", self.port(node, port), "up" if up else "down"])

    def ports_up(self):
        """{(node, port): whether it is up}; empty if the network is gone."""
        try:
            shown = run(["ip", "-n", self.prefix, "-o", "link", "show"])
        except LabError:
            return {}
        up = {}  # "7: br1p2@br2p3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1600 ..."
        for line in shown.splitlines():
            _, name, flags, *_ = line.split()
            up[name.rstrip(":").partition("@")[0]] = "UP" in flags.strip("<>").split(",")
        return {(node, port): up[self.port(node, port)] for node in self.bridges
                for port in self.ports(node) if self.port(node, port) in up}


def plan(described, state_dir):
    """The Network of a lab with switches of kind "ovs"; otherwise as network.plan(). LabError: too
    many."""
    nodes = topologies.ovs_nodes(described["switches"])
    if not nodes:
        return network.plan(described, state_dir)
    if len(nodes) > NODES_MAX:
        raise LabError(f"{len(nodes)} switches of kind \"ovs\" are more than the {NODES_MAX} "
                       f"bridges of a lab")
    known = set(nodes)
    number_of = {switch["name"]: number
                 for number, switch in enumerate(described["switches"], start=1)}
    prefix = network.prefix_of(state_dir)
    hosts, lines = network.hosts_with_frames(described, prefix), []
    for switch in described["switches"]:
        if switch["name"] in known and switch.get("endpoint"):
            node = switch["name"]
            hosts[node] = network.host_of(node, number_of[node], prefix)
            lines.append([[node, 1], None])
    for link in described.get("links", []):
        ends = [[link[side]["switch"], link[side]["port"]] for side in ("a", "b")]
        if ends[0][0] not in known:
            ends.reverse()
        if ends[0][0] in known:
            lines.append(ends)
    return Network(prefix, hosts, directory=str(directory(state_dir, prefix)),
                   bridges={name: f"br{number_of[name]}" for name in nodes}, lines=lines)


def from_record(record):
    """The Network of a lab.json; None without one."""
    kind = Network if record and "bridges" in record else network.Network
    return kind.from_record(record)


def directory(state_dir, prefix):
    """STATE_DIR/ovs, or a directory for temporary files, if that is too long for sockets."""
    for path in (Path(state_dir) / "ovs", Path(tempfile.gettempdir()) / prefix):
        if len(os.fsencode(path)) + 1 + SOCKET_NAME_MAX <= SOCKET_PATH_MAX:
            return path
    raise LabError(f"{path} is too long for the path of a socket: set TMPDIR to a shorter one")


def require():
    """LabError names what is missing: a capability, or a program and its package."""
    network.require("switches of kind \"ovs\"", NEEDED)
