"""The hosts of a lab: network namespaces, the lines from them to their switches, and how all of it
is removed. For both kinds of switch; ovs.py adds bridges and the lines between them.

PREFIX is made from the path of the state directory:

  namespace PREFIX-NODE  the host behind port 1 of an endpoint: eth0 with 10.77.x.y/16, where x.y is
                         the position K of its node in the topology
  PREFIXhK               the switch's end of the line of a host with frames, in the namespace of
                         this program, where the emulated switches run

A line is a veth pair, its rate unlimited. A host with frames is behind an emulated switch, whose
port 1 has a line frames:PREFIXhK. It also has the IPv6 address fd78:6200::K/64, and finds others by
ARP and neighbour discovery, so it pings as soon as a call joins it to another host. The other end
has no address, no ARP and no IPv6, so it sends nothing by itself.

lab.json records the network before any part is made, so that `down`, or the next `up`, can remove
what a killed `up` has made. Only root may do this (CAP_NET_ADMIN, CAP_SYS_ADMIN, CAP_NET_RAW).
"""

import ctypes
import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .process import LabError, POLL_S

# The programs needed, and their Debian packages (deploy/packages.txt).
NEEDED = {"ip": "iproute2", "ethtool": "ethtool"}
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_NET_RAW": 13, "CAP_SYS_ADMIN": 21}  # linux/capability.h
HOST_MTU = 1500
POSITION_MAX = 9999  # of a node with frames: the name of an interface has 15 characters
COMMAND_S = 60
ENDS_WITHIN_S = 5.0
INTERFACES = Path("/sys/class/net")
CLONE_NEWNET = 0x40000000  # linux/sched.h
NO_IPV6 = ("for f in all default; do f=/proc/sys/net/ipv6/conf/$f/disable_ipv6; "
           "[ ! -e $f ] || echo 1 > $f || exit 1; done")
# Before a call a host has no neighbours: it need not look for a router, nor for its own address.
QUIET_IPV6 = ("for f in accept_dad accept_ra router_solicitations; do for c in all default; do "
              "f=/proc/sys/net/ipv6/conf/$c/$f; [ ! -e $f ] || echo 0 > $f || exit 1; done; done")

# A host repeats its question for a neighbour every 100 ms for 10 s, not every second for 3 s: what
# it sends in the second in which a call is set up then waits for the answer and is not lost.
SEARCH_OFTEN = ("for v in 4 6; do d=/proc/sys/net/ipv$v/neigh/eth0; [ ! -d $d ] || { "
                "echo 100 > $d/retrans_time_ms && echo 100 > $d/mcast_solicit; } || exit 1; done")


@dataclass
class Network:
    """The plan of a lab's network, and how to make and remove it."""

    prefix: str
    # node -> {"namespace", "address", "mac"}; with frames also "address6" and "interface", the
    # switch's end of its line
    hosts: dict
    claimed: bool = False  # make() has begun: the names are this lab's

    # The plan

    def with_frames(self):
        """The hosts behind emulated switches."""
        return {node: host for node, host in self.hosts.items() if "interface" in host}

    def links(self, node):
        """{port: SPEC} that an emulated switch has from this network, as media.switch_links()."""
        host = self.with_frames().get(node)
        return {1: f"frames:{host['interface']}"} if host else {}

    def namespaces(self):
        return [host["namespace"] for host in self.hosts.values()]

    def interfaces(self):
        """Those in the namespace of this program."""
        return [host["interface"] for host in self.with_frames().values()]

    def daemons(self):
        """(name, command line, pattern of the ready line) of the processes that it needs."""
        return []

    def lines_outside(self):
        """Lines for `ip -batch` that make the lines of hosts with frames. Their ends stay down."""
        for host in self.with_frames().values():
            yield (f"link add {host['interface']} mtu {HOST_MTU} type veth peer name eth0 "
                   f"address {host['mac']} mtu {HOST_MTU} netns {host['namespace']}")
            yield f"link set {host['interface']} arp off"

    def commands_inside(self):
        """{namespace: lines for `ip -batch`}, in order."""
        return {host["namespace"]: [
            "link set lo up", f"addr add {host['address']}/16 dev eth0",
            f"addr add {host['address6']}/64 dev eth0 nodad", "link set eth0 up"]
            for host in self.with_frames().values()}

    def offloads(self):
        """(namespace, words for ethtool): without them frames have no checksums, or are longer than
        a line carries."""
        for host in self.hosts.values():
            yield host["namespace"], ["-K", "eth0", "tx", "off", "gso", "off", "tso", "off",
                                      "gro", "off"]

    # In words

    what = "the network of the hosts"

    def described_lines(self):
        """[the joined ends, what travels there], as Lab.lines has them."""
        return [(f"{node}:1 to host at {node}",
                 f"frames, {host['address']} in namespace {host['namespace']}")
                for node, host in self.hosts.items()]

    # Making and removing

    def require(self):
        """LabError names what is missing."""
        require("hosts with frames", NEEDED)

    def make(self, record):
        """Makes namespaces, lines and hosts. `record` writes lab.json; it is called before anything
        is made. LabError if something is missing or a name is taken."""
        self.require()
        self.refuse_taken_names()
        self.claimed = True
        record()
        self.make_parts()

    def refuse_taken_names(self):
        there = namespaces()
        taken = [(f"network namespace {name}", f"ip netns del {name}")
                 for name in self.namespaces() if name in there]
        taken += [(f"network interface {name}", f"ip link del {name}")
                  for name in self.interfaces() if (INTERFACES / name).exists()]
        for what, command in taken:
            raise LabError(f"{what} is there already, and no lab.json says that this lab has made "
                           f"it; remove it with: {command}")

    def make_parts(self):
        with_frames = {host["namespace"] for host in self.with_frames().values()}
        run(["ip", "-batch", "-"], [f"netns add {name}" for name in self.namespaces()])
        for name in self.namespaces():  # first, so that no interface sends a frame of its own
            run(["ip", "netns", "exec", name, "sh", "-c",
                 QUIET_IPV6 if name in with_frames else NO_IPV6])
        run(["ip", "-batch", "-"], self.lines_outside())
        for name in self.interfaces():
            no_ipv6 = Path("/proc/sys/net/ipv6/conf") / name / "disable_ipv6"
            if no_ipv6.exists():
                no_ipv6.write_text("1")
            run(["ethtool", "-K", name, "tx", "off"])
        run(["ip", "-batch", "-"], [f"link set {name} up" for name in self.interfaces()])
        for name in with_frames:
            run(["ip", "netns", "exec", name, "sh", "-c", SEARCH_OFTEN])
        for name, lines in self.commands_inside().items():
            run(["ip", "-n", name, "-batch", "-"], lines)
        for name, words in self.offloads():
            run(["ip", "netns", "exec", name, "ethtool", *words])

    def remove(self):
        """Ends the processes in the namespaces and removes everything that make() may have made.
        Returns sentences about what is left."""
        if not self.claimed:
            return []
        try:
            there = namespaces()
            for name in [one for one in self.namespaces() if one in there]:
                end_processes(name)
            # Before the namespaces, which would take them away, but later.
            for name in self.interfaces():
                if (INTERFACES / name).exists():
                    run(["ip", "link", "del", name])
            for name in [one for one in self.namespaces() if one in there]:
                run(["ip", "netns", "del", name])
        except LabError as error:
            return [str(error)]
        return []

    # While the lab is up

    def has_port(self, node):  # pylint: disable=unused-argument
        """Whether the ports of this switch are interfaces of this network, so that set_port() and
        ports_up() know them."""
        return False

    def ports_up(self):
        """{(node, port): whether it is up} of such switches."""
        return {}

    def host_command(self, node, words):
        """The command line that runs `words` at the host of a node. LabError: there is none."""
        if node not in self.hosts:
            raise LabError(f"no host of this lab is at '{node}'; there are hosts at "
                           f"{', '.join(self.hosts) or 'no node'}")
        return ["ip", "netns", "exec", self.hosts[node]["namespace"], *words]

    # In lab.json

    def record(self):
        return asdict(self) if self.claimed else None

    @classmethod
    def from_record(cls, record):
        return None if record is None else cls(**record)


def plan(described, state_dir):
    """The Network of a lab whose hosts all are behind emulated switches; None without any host."""
    prefix = prefix_of(state_dir)
    hosts = hosts_with_frames(described, prefix)
    return Network(prefix, hosts) if hosts else None


def prefix_of(state_dir):
    return "xb" + hashlib.sha256(os.fsencode(str(state_dir))).hexdigest()[:8]


def host_of(node, position, prefix):
    """The host of the node in this position of the topology, from 1."""
    return {"namespace": f"{prefix}-{node}",
            "address": f"10.77.{position >> 8}.{position & 255}",
            "mac": f"02:78:62:00:{position >> 8:02x}:{position & 255:02x}"}


def hosts_with_frames(described, prefix):
    """The hosts behind emulated switches, of the endpoints with `cells = "frames"`."""
    hosts = {}
    for position, switch in enumerate(described["switches"], start=1):
        if switch.get("media", {}).get("cells") != "frames":
            continue
        if position > POSITION_MAX:
            raise LabError(f"{switch['name']} is node {position} of the topology: only the first "
                           f"{POSITION_MAX} may have cells = \"frames\"")
        hosts[switch["name"]] = {**host_of(switch["name"], position, prefix),
                                 "address6": f"fd78:6200::{position:x}",
                                 "interface": f"{prefix}h{position}"}
    return hosts


def require(what, needed):
    """LabError names what `what` lacks: a capability, or a program and its package."""
    status = Path("/proc/self/status").read_text()
    effective = int(status.partition("CapEff:")[2].split()[0], 16)
    for name, bit in CAPABILITIES.items():
        if not effective >> bit & 1:
            raise LabError(f"{what} need root: this process has no {name}")
    for program, package in needed.items():
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


def inside(namespace, call):
    """What `call()` returns on a thread in this namespace, where its sockets stay; or what it
    raises."""
    results, errors = [], []

    def enter():
        try:
            with open(f"/run/netns/{namespace}", "rb") as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                    error = ctypes.get_errno()
                    raise OSError(error, os.strerror(error), namespace)
            results.append(call())
        except Exception as error:  # pylint: disable=broad-exception-caught
            errors.append(error)

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


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
