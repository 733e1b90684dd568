"""The network of a lab's Open vSwitch nodes: bridges and the links between them; network.py has its
hosts, and those of the lab's emulated switches.

One ovsdb-server and one ovs-vswitchd (userspace datapath) have all bridges of a lab. Everything is
in network namespaces of the lab, so that several labs, and other users of Open vSwitch, do not
meet. PREFIX as in network.py:

  namespace PREFIX       both daemons, the bridges, and the bridges' ends of all lines
  brK                    bridge of the node in position K; brKpP is its port P
  PREFIXtN               the other end of line N of those to emulated switches, in the namespace of
                         this program

A line is a veth pair, its rate unlimited. To an emulated switch it carries the bridge's MPLS
frames: the switch's port has a line frames:PREFIXtN/labels. ARP does not travel through bridges,
because only IPv4 does: every host has permanent neighbour entries for all others.
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
CROSSINGS_MAX = 9999  # lines to emulated switches: the name of an interface has 15 characters
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

    def crossings(self):
        """{interface: line} of the lines to emulated switches, by their end outside."""
        lines = [line for line in self.lines if line[1] and line[1][0] not in self.bridges]
        return {f"{self.prefix}t{number}": line for number, line in enumerate(lines, start=1)}

    def trunk_ends(self):
        return [tuple(end) for line in self.joined() for end in line] + [
            tuple(end) for end, _ in self.crossings().values()]

    def links(self, node):
        return {**super().links(node),
                **{port: f"frames:{interface}/labels"
                   for interface, (_, (other, port)) in self.crossings().items() if other == node}}

    def interfaces(self):
        return [*super().interfaces(), *self.crossings()]

    def lines_outside(self):
        yield from super().lines_outside()
        for interface, (end, _) in self.crossings().items():
            yield (f"link add {interface} mtu {TRUNK_MTU} type veth peer name {self.port(*end)} "
                   f"mtu {TRUNK_MTU} netns {self.prefix}")
            yield f"link set {interface} arp off"

    def commands_inside(self):
        """{namespace: lines for `ip -batch`}, in order."""
        trunk = f"mtu {TRUNK_MTU}"
        switches = []
        for (node, port), (other, other_port) in self.joined():
            switches.append(f"link add {self.port(node, port)} {trunk} type veth "
                            f"peer name {self.port(other, other_port)} {trunk}")
        for node, host in self.of_bridges().items():
            switches.append(
                f"link add {self.port(node, 1)} mtu {HOST_MTU} type veth peer name eth0 "
                f"address {host['mac']} mtu {HOST_MTU} netns {host['namespace']}")
        switches += [f"link set {self.port(*end)} up"
                     for end in [*self.trunk_ends(), *((node, 1) for node in self.of_bridges())]]
        inside = {self.prefix: switches, **super().commands_inside()}
        for node, host in self.of_bridges().items():
            inside[host["namespace"]] = [
                "link set lo up", f"addr add {host['address']}/16 dev eth0", "link set eth0 up"]
        for node, host in self.hosts.items():
            inside[host["namespace"]] += [
                f"neigh replace {other['address']} lladdr {other['mac']} dev eth0 nud permanent"
                for other_node, other in self.hosts.items() if other_node != node]
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
        far_ends = {self.port(*end): interface for interface, (end, _) in self.crossings().items()}
        for end, other in self.lines:
            if other is None:
                continue
            here = self.port(*end)
            there = far_ends[here] if here in far_ends else self.port(*other)
            rows.append((f"{end[0]}:{end[1]} to {other[0]}:{other[1]}",
                         f"frames, {here} and {there}"))
        return rows

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
    made = Network(prefix, hosts, directory=str(directory(state_dir, prefix)),
                   bridges={name: f"br{number_of[name]}" for name in nodes}, lines=lines)
    if len(made.crossings()) > CROSSINGS_MAX:
        raise LabError(f"{len(made.crossings())} links between switches of kind \"ovs\" and "
                       f"emulated ones are more than the {CROSSINGS_MAX} of a lab")
    return made


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
