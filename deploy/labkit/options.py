"""What a lab is to consist of: its programs, its options, and checks of them. Starts nothing."""

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from . import hosts
from . import topology as topologies
from .process import LabError

ROOT = Path(__file__).resolve().parents[2]
PAPER_TOPOLOGY = ROOT / "deploy" / "topologies" / "paper.toml"

# The programs of a lab, in starting order. STATE_DIR/lab.json and rss_mb in a run's JSON use these
# names. A program with several processes adds its node: xbind-switch/atm. A second manager adds its
# name: xbind-cmgr/manager-2. A process with several nodes adds their positions in the topology:
# xbind-switch/nodes-1-to-25.
PROGRAMS = ["xbind-switch", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper",
            "xbind-cmgr"]
# In the place of xbind-switch at a node of kind "ovs".
AGENT = "xbind-gsmp-ovs"
# Joins the sites of a lab; only with LabOptions.sites (sites.py).
WAN = "xbind-wan"
DAEMONS = [*PROGRAMS, AGENT, WAN]
# A client; only with LabOptions.connections.
KEEPER = "xbind-keeper"
SMDS = "xbind-smds"  # only with LabOptions.smds
MANAGERS_MAX = 16
BUFFER_CELLS_MAX = 1_000_000_000  # of a port; the programs' own bound
CONSOLE = "xbind-console"
TOOLS = ["gsmpdump", "xbind-callgen", CONSOLE, KEEPER, SMDS, "xbind-names", WAN, "xbindctl"]

LAB_DIR_VARIABLE = "XBIND_LAB_DIR"  # set by `deploy/lab env`


def default_state_dir():
    """The state directory that `deploy/lab` uses without --state-dir."""
    named = os.environ.get(LAB_DIR_VARIABLE)
    return Path(named).resolve() if named else ROOT / "build" / "lab"


def state_dir_words(state_dir):
    """The option that directs `deploy/lab` to this directory; empty for the default one."""
    if Path(state_dir) == default_state_dir():
        return ""
    return f" --state-dir {shlex.quote(str(state_dir))}"


@dataclass
class LabOptions:
    topology: Path = PAPER_TOPOLOGY
    state_dir: Path = field(default_factory=default_state_dir)
    bin_dir: Path = ROOT / "build" / "bin"
    begin_with: Path | None = None  # RouteObject's first topology; None: `topology`
    switch: str | None = None  # the kind of every switch; None: as the topology says
    hosts: bool = False  # every endpoint has a host with frames; False: as the topology says
    sites: Path | None = None  # a file of sites, joined by xbind-wan (sites.py); None: no sites
    names_port: int | None = None  # None: 2809, or a free one if 2809 is in use; 0: a free one
    loopback_net: str | None = None  # "127.0.1"; None: the first free one
    labels_per_port: int = topologies.LABELS_DEFAULT
    nodes_per_process: int | None = None  # None: hosts.groups() chooses
    managers: int = 1  # to MANAGERS_MAX, all on the same switches
    omniorb_config: bool = False  # write /etc/omniORB.cfg if there is none and it can be written
    start_timeout_s: float = 30.0
    metrics: bool = False  # every daemon serves metrics, at addresses that stay
    console: bool = False  # an xbind-console, at an address that stays
    connections: Path | None = None  # a file of permanent connections, which xbind-keeper keeps up
    smds: Path | None = None  # a file with SMDS servers, each of which is an xbind-smds
    keep_state: bool = True  # False: no daemon gets a --state-dir
    respawn: bool = False  # a keeper starts processes again that end (respawn.py)
    # Further options of the daemons: program -> [(node or None for all, option, value)]. For a
    # program without nodes, `node` is the daemon's own name: default, manager-2.
    more: dict = field(default_factory=dict)

    def arguments(self, program, name):
        arguments = []
        for only, option, value in self.more.get(program, []):
            if only in (None, name):
                arguments += hosts.words_of(option, value)
        return arguments


def refuse_unknown_targets(options, switches):
    """LabError for an option of a node or a manager that a lab of these switches does not have."""
    if options.more.get(WAN) and not options.sites:
        raise LabError("--wan-option goes with --sites")
    ovs = topologies.ovs_nodes(switches)
    names = [switch["name"] for switch in switches]
    known_of = {"xbind-switch": [name for name in names if name not in ovs],
                "xbind-switchserver": names, AGENT: ovs,
                "xbind-cmgr": manager_names(options.managers)}
    for program in DAEMONS:
        known = known_of.get(program, ["default"])
        for only, option, _ in options.more.get(program, []):
            if only is not None and only not in known:
                raise LabError(
                    f"--{option} of {program} {only}: there is none of that name; there "
                    f"{'is' if len(known) == 1 else 'are'} {hosts.some(known) or 'none at all'}")


def emulated_options(switch, links, mpls_ports, labels_per_port, delays=None):
    """The options {name: value} of an xbind-switch. `links`: {port: SPEC}, see media.py. `delays`:
    {port: microseconds}."""
    vpi_max, vci_min, vci_max = topologies.label_range(labels_per_port)
    options = {"ports": switch["ports"], "vpi-max": vpi_max, "vci-min": vci_min,
               "vci-max": vci_max, **port_options(switch, mpls_ports, labels_per_port)}
    # The VCI is all that a cell of a Cambridge Fast Ring has.
    rings = [f"{port}=0/{vci_min}-{vci_max}" for port, spec in sorted(links.items())
             if spec.startswith("cfr:")]
    if rings:
        options["port-labels"] = ",".join(filter(None, [options.get("port-labels"), *rings]))
    if links:
        options["links"] = ",".join(f"{port}={spec}" for port, spec in sorted(links.items()))
    late = {port: us for port, us in sorted((delays or {}).items()) if port in links}
    if late:
        options["port-delay-us"] = ",".join(f"{port}={us}" for port, us in late.items())
    if "port_controller" in switch and links:
        options["port-controller"] = ",".join(
            f"{port}={switch['port_controller']}" for port in sorted(links))
    return options


def ovs_options(switch, bridge, mpls_ports, labels_per_port):
    """The options of an xbind-gsmp-ovs. `bridge`: where its bridge accepts OpenFlow. A host is
    behind an edge port; frames enter there, and labels are of the other ports."""
    edges = [1] if switch.get("endpoint") else []
    options = {"bridge": bridge, "ports": switch["ports"]}
    if edges:
        options["edge-ports"] = ",".join(str(port) for port in edges)
    return {**options, **port_options(switch, [port for port in mpls_ports if port not in edges],
                                      labels_per_port)}


def port_options(switch, mpls_ports, labels_per_port):
    options = {}
    rates = [f"{port}={rate}" for port, rate in enumerate(switch["port_cells_per_s"], start=1)
             if rate > 0]  # 0: a port without a link keeps the default
    if mpls_ports:
        first, last = topologies.mpls_range(labels_per_port)
        options["port-labels"] = ",".join(f"{port}=mpls:{first}-{last}" for port in mpls_ports)
    if rates:
        options["port-cells-per-s"] = ",".join(rates)
    return options


def with_one_buffer(more, switches):
    """`more` with the same --buffer-cells for a switch and its SwitchServer, if it has one of the
    two: a SwitchServer must not promise a buffer that the switch does not have."""
    options = {program: [one for one in more.get(program, []) if one[1] == "buffer-cells"]
               for program in hosts.HOSTS}
    switch, server = hosts.HOSTS
    if bool(options[switch]) == bool(options[server]):
        return more
    ovs = topologies.ovs_nodes(switches)
    copied = options[switch] or [one for one in options[server]
                                 if one[0] not in ovs and one[2] != "0"]  # no switch has none
    lacking = server if options[switch] else switch
    return {**more, lacking: [*more.get(lacking, []), *copied]}


def manager_names(count):
    return ["default", *(f"manager-{number}" for number in range(2, count + 1))]
