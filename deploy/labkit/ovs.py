"""The network of a lab's Open vSwitch nodes: bridges, the links between them, and hosts.

One ovsdb-server and one ovs-vswitchd (userspace datapath) have all bridges of a lab. Everything is
in network namespaces of the lab, so that several labs, and other users of Open vSwitch, do not
meet. PREFIX is made from the path of the state directory:

  namespace PREFIX       both daemons, the bridges, and the bridges' ends of all lines
  namespace PREFIX-NODE  the host behind port 1 of an endpoint: eth0 with the address 10.77.x.y/16,
                         where x.y is the node's position in the topology
  brK                    bridge of the node in position K; brKpP is its port P

A line is a veth pair, its rate unlimited. Hosts do not ask for addresses of others (ARP), because
only IPv4 travels through the bridges: each has permanent neighbour entries. The end of a line to an
emulated switch is up and joined to nothing: frames are no cells.

lab.json records the network before any part is made, so that `down`, or the next `up`, can remove
what a killed `up` has made. Only root may do this (CAP_NET_ADMIN and CAP_SYS_ADMIN).
"""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import topology as topologies
from .process import LabError, POLL_S

DATABASE, SWITCHES = "ovsdb-server", "ovs-vswitchd"  # processes of the lab
# The programs needed, and their Debian packages (deploy/packages.txt).
NEEDED = {"ovs-vswitchd": "openvswitch-switch", "ovsdb-server": "openvswitch-switch",
          "ovsdb-tool": "openvswitch-switch", "ovs-vsctl": "openvswitch-switch",
          "ip": "iproute2", "ethtool": "ethtool"}
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}  # linux/capability.h
NODES_MAX = 100  # bridges of one ovs-vswitchd; each host has an entry for each other one
SOCKET_PATH_MAX = 107  # octets; struct sockaddr_un, less the final zero
SOCKET_NAME_MAX = len("ovs-vswitchd.ctl")
HOST_MTU, TRUNK_MTU = 1500, 1600  # room for a stack of labels
COMMAND_S = 60
ENDS_WITHIN_S = 5.0
NO_IPV6 = ("for f in all default; do f=/proc/sys/net/ipv6/conf/$f/disable_ipv6; "
           "[ ! -e $f ] || echo 1 > $f || exit 1; done")


@dataclass
class Network:
    """The plan of a lab's network, and how to make, change and remove it."""

    prefix: str
    directory: str  # database and sockets
    bridges: dict  # node -> bridge
    hosts: dict  # node -> {"namespace", "address", "mac"}
    # Lines: [[node, port], the other end]. The other end is [node, port], or None for the host, or
    # [an emulated switch, port].
    lines: list = field(default_factory=list)
    claimed: bool = False  # make() has begun: the names are this lab's

    # The plan

    def port(self, node, port):
        """The interface of a bridge's port."""
        return f"{self.bridges[node]}p{port}"

    def namespaces(self):
        return [self.prefix, *(host["namespace"] for host in self.hosts.values())]

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
        for node, host in self.hosts.items():
            switches.append(
                f"link add {self.port(node, 1)} mtu {HOST_MTU} type veth peer name eth0 "
                f"address {host['mac']} mtu {HOST_MTU} netns {host['namespace']}")
        switches += [f"link set {self.port(*end)} up"
                     for end in [*self.trunk_ends(), *((node, 1) for node in self.hosts)]]
        inside = {self.prefix: switches}
        for node, host in self.hosts.items():
            inside[host["namespace"]] = [
                "link set lo up", f"addr add {host['address']}/16 dev eth0", "link set eth0 up",
                *(f"neigh replace {other['address']} lladdr {other['mac']} dev eth0 nud permanent"
                  for other_node, other in self.hosts.items() if other_node != node)]
        return inside

    def offloads(self):
        """(namespace, words for ethtool): without them frames have no checksums, or are longer than
        a line carries."""
        for end in [*self.trunk_ends(), *((node, 1) for node in self.hosts)]:
            yield self.prefix, ["-K", self.port(*end), "tx", "off"]
        for host in self.hosts.values():
            yield host["namespace"], ["-K", "eth0", "tx", "off", "gso", "off", "tso", "off",
                                      "gro", "off"]

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

    def described_lines(self):
        """[the joined ends, what travels there], as Lab.lines has them."""
        rows = []
        for (node, port), other in self.lines:
            if other is None:
                host = self.hosts[node]
                rows.append((f"{node}:{port} to host at {node}",
                             f"frames, {host['address']} in namespace {host['namespace']}"))
            elif other[0] in self.bridges:
                rows.append((f"{node}:{port} to {other[0]}:{other[1]}",
                             f"frames, {self.port(node, port)} and {self.port(*other)}"))
            else:
                rows.append((f"{node}:{port} to {other[0]}:{other[1]}", "nothing, signalling only"))
        return rows

    def notes(self):
        """What an operator should know."""
        return [f"no cells or frames cross the link {node}:{port} to {other}:{other_port}, because "
                f"{node} carries frames and {other} cells; signalling is complete"
                for (node, port), (other, other_port) in self.loose()]

    # Making and removing

    def make(self, record):
        """Makes namespaces, lines, hosts and an empty database. `record` writes lab.json; it is
        called before anything is made. LabError if something is missing or a name is taken."""
        require()
        there = namespaces()
        taken = [name for name in self.namespaces() if name in there]
        if taken:
            raise LabError(f"network namespace {taken[0]} is there already, and no lab.json says "
                           f"that this lab has made it; remove it with: ip netns del {taken[0]}")
        if os.path.lexists(self.directory):
            raise LabError(f"{self.directory} is there already, and no lab.json says that this lab "
                           f"has made it")
        self.claimed = True
        record()
        os.mkdir(self.directory, 0o700)
        run(["ovsdb-tool", "create", f"{self.directory}/conf.db", SCHEMA])
        run(["ip", "-batch", "-"], [f"netns add {name}" for name in self.namespaces()])
        for name in self.namespaces():  # first, so that no interface sends a frame of its own
            run(["ip", "netns", "exec", name, "sh", "-c", NO_IPV6])
        for name, lines in self.commands_inside().items():
            run(["ip", "-n", name, "-batch", "-"], lines)
        for name, words in self.offloads():
            run(["ip", "netns", "exec", name, "ethtool", *words])

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
        """Ends the processes in the namespaces and removes everything that make() may have made.
        Returns sentences about what is left."""
        if not self.claimed:
            return []
        left = []
        try:
            there = namespaces()
            for name in [one for one in self.namespaces() if one in there]:
                end_processes(name)
                run(["ip", "netns", "del", name])
        except LabError as error:
            left.append(str(error))
        else:
            shutil.rmtree(self.directory, ignore_errors=True)
        return left

    # While the lab is up

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

    def host_command(self, node, words):
        """The command line that runs `words` at the host of a node. LabError: there is none."""
        if node not in self.hosts:
            raise LabError(f"no host of this lab is at '{node}'; there are hosts at "
                           f"{', '.join(self.hosts) or 'no node'}")
        return ["ip", "netns", "exec", self.hosts[node]["namespace"], *words]

    # In lab.json

    def record(self):
        return asdict(self) if self.claimed else None

    @staticmethod
    def from_record(record):
        return None if record is None else Network(**record)


def plan(described, state_dir):
    """The Network of the switches of kind "ovs", or None without any. LabError: too many."""
    nodes = topologies.ovs_nodes(described["switches"])
    if not nodes:
        return None
    if len(nodes) > NODES_MAX:
        raise LabError(f"{len(nodes)} switches of kind \"ovs\" are more than the {NODES_MAX} "
                       f"bridges of a lab")
    known = set(nodes)
    number_of = {switch["name"]: number
                 for number, switch in enumerate(described["switches"], start=1)}
    prefix = "xb" + hashlib.sha256(os.fsencode(str(state_dir))).hexdigest()[:8]
    hosts, lines = {}, []
    for switch in described["switches"]:
        if switch["name"] in known and switch.get("endpoint"):
            number = number_of[switch["name"]]
            hosts[switch["name"]] = {
                "namespace": f"{prefix}-{switch['name']}",
                "address": f"10.77.{number >> 8}.{number & 255}",
                "mac": f"02:78:62:00:{number >> 8:02x}:{number & 255:02x}"}
            lines.append([[switch["name"], 1], None])
    for link in described.get("links", []):
        ends = [[link[side]["switch"], link[side]["port"]] for side in ("a", "b")]
        if ends[0][0] not in known:
            ends.reverse()
        if ends[0][0] in known:
            lines.append(ends)
    return Network(prefix, str(directory(state_dir, prefix)),
                   {name: f"br{number_of[name]}" for name in nodes}, hosts, lines)


def directory(state_dir, prefix):
    """STATE_DIR/ovs, or a directory for temporary files, if that is too long for sockets."""
    for path in (Path(state_dir) / "ovs", Path(tempfile.gettempdir()) / prefix):
        if len(os.fsencode(path)) + 1 + SOCKET_NAME_MAX <= SOCKET_PATH_MAX:
            return path
    raise LabError(f"{path} is too long for the path of a socket: set TMPDIR to a shorter one")


def require():
    """LabError names what is missing: a capability, or a program and its package."""
    status = Path("/proc/self/status").read_text()
    effective = int(status.partition("CapEff:")[2].split()[0], 16)
    for name, bit in CAPABILITIES.items():
        if not effective >> bit & 1:
            raise LabError(f"switches of kind \"ovs\" need root: this process has no {name}")
    for program, package in NEEDED.items():
        if shutil.which(program) is None:
            raise LabError(f"{program} is missing: install the Debian package {package} "
                           f"(deploy/install ovs), or add /usr/sbin to PATH")


def namespaces():
    """The names of all network namespaces of this host."""
    return {line.split()[0] for line in run(["ip", "netns", "list"]).splitlines()}


def end_processes(namespace):
    """Ends every process in a namespace, such as a program that `deploy/lab host` has started."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    while pids := [int(pid) for pid in run(["ip", "netns", "pids", namespace]).split()
                   if int(pid) != os.getpid()]:
        if time.monotonic() > deadline:
            raise LabError(f"process {pids[0]} in network namespace {namespace} does not end")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(POLL_S)


def run(words, lines=()):
    """Runs a command with these lines as its input; returns its output. LabError if it fails."""
    try:
        done = subprocess.run(words, input="".join(f"{line}\n" for line in lines), text=True,
                              capture_output=True, check=False, timeout=COMMAND_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{words[0]}: {error}") from error
    if done.returncode != 0:
        raise LabError(f"{' '.join(words)} ended with {done.returncode}: "
                       f"{(done.stderr or done.stdout).strip()}")
    return done.stdout
