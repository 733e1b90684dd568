"""The sites of a lab: network namespaces that xbind-wan joins. Each process of the lab, and each
client that `deploy/lab run` starts, is in the namespace of its site.

The file of --sites is that of xbind-wan (docs/wan.md), which reads it: `xbind-wan --describe` says
what is in it. A site names its nodes, whose xbind-switch and xbind-switchserver are there, and
other processes of the lab by their names: omniNames, xbind-cmgr/manager-2; CLIENTS means what
`deploy/lab run` starts. A process that no site names is at the first one. PREFIX as in network.py:

  namespace PREFIX-SITE  lo has the site's own address and one for each of its nodes; wan0 belongs
                         to xbind-wan and leads to the addresses of all other sites

The addresses are at lo, so that processes of one site reach each other, and keep their connections
to others, while xbind-wan is down. xbind-wan itself is in the namespace of the first site, so that
`down` finds whatever a killed `up` has started.
"""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import hosts as groups
from . import network
from . import ovs
from .network import NO_IPV6, run
from .options import WAN
from .process import LabError

CLIENTS = "clients"
WITH_ORB = ("xbind-switchserver", "xbind-routeobject", "xbind-qosmapper", "xbind-cmgr",
            "xbind-keeper")
# A lab with these has addresses in the namespace of this program, which no site reaches.
WITHOUT = {"console": "--console", "metrics": "--metrics", "hosts": "--hosts"}


@dataclass
class Sites(network.Network):
    """The plan of the sites of a lab."""

    # As `xbind-wan --describe` prints them.
    sites: list = field(default_factory=list)

    # The plan

    def site_named(self, name):
        for site in self.sites:
            if site["name"] == name:
                return site
        raise LabError(f"no site of this lab is '{name}'; there are "
                       f"{', '.join(site['name'] for site in self.sites)}")

    def site_of_node(self, node):
        """Its site; None: no site has it."""
        return next((site for site in self.sites if node in site["nodes"]), None)

    def site_of_program(self, name):
        """The site of a process without nodes."""
        return next((site for site in self.sites if name in site["programs"]), self.sites[0])

    def site_of(self, process):
        """The site of a process of the lab; its nodes are all at one site."""
        return (self.site_of_node(process.nodes[0]) if process.nodes
                else self.site_of_program(process.name))

    def clients(self):
        return self.site_of_program(CLIENTS)

    def address_of_node(self, node):
        site = self.site_of_node(node)
        return site["addresses"][1 + site["nodes"].index(node)]

    def place(self, process):
        """Puts a planned process into the namespace of its site. A daemon with an ORB listens at
        the site's own address."""
        site = self.site_of(process)
        if process.program in WITH_ORB:
            process.command += ["--listen-address", site["addresses"][0]]
        process.command = self.inside(site, process.command)

    def inside(self, site, words):
        """The command line that runs `words` at a site."""
        return ["ip", "netns", "exec", site["namespace"], *words]

    def namespaces(self):
        return [site["namespace"] for site in self.sites]

    # In words

    what = "the network namespaces of the sites"

    def rows(self):
        """(site, what is there), for `status`."""
        return [(site["name"],
                 f"{site['addresses'][0]} in namespace {site['namespace']}: "
                 f"{groups.some([*site['nodes'], *site['programs']]) or 'no node'}")
                for site in self.sites]

    # Making and removing

    def require(self):
        network.require("sites", network.NEEDED)

    def make_parts(self):
        run(["ip", "-batch", "-"], [f"netns add {name}" for name in self.namespaces()])
        for site in self.sites:
            run(["ip", "netns", "exec", site["namespace"], "sh", "-c", NO_IPV6])
            run(["ip", "-n", site["namespace"], "-batch", "-"], [
                "link set lo up", *(f"addr add {address}/32 dev lo"
                                    for address in site["addresses"])])


def plan(lab, described):
    """The Sites of a lab; None without --sites. LabError: a mistake in the file, or a lab that
    cannot have sites."""
    options = lab.options
    if options.sites is None:
        return None
    for option, words in WITHOUT.items():
        if getattr(options, option):
            raise LabError(f"{words} does not go with --sites: its addresses are of this host, "
                           f"which no site reaches")
    nodes = [switch["name"] for switch in described["switches"]]
    for switch in described["switches"]:
        if switch.get("kind") == "ovs" or switch.get("media", {}).get("cells") == "frames":
            raise LabError(f"{switch['name']} has an Open vSwitch or a host with frames, which do "
                           f"not go with --sites")
    prefix = network.prefix_of(lab.state_dir)
    found = Sites(prefix, {}, sites=described_sites(options, f"{prefix}-"))
    for site in found.sites:
        unknown = [node for node in site["nodes"] if node not in nodes]
        if unknown:
            raise LabError(f"{options.sites}: site {site['name']} has the node "
                           f"{groups.some(unknown)}, which the topology does not have")
    left = [node for node in nodes if found.site_of_node(node) is None]
    if left:
        raise LabError(f"{options.sites}: no site has the node {groups.some(left)}")
    return found


def command(lab, control):
    """The command line of xbind-wan."""
    options = lab.options
    return [options.bin_dir / WAN, "--sites", Path(options.sites).resolve(), "--namespace-prefix",
            f"{lab.network.prefix}-", "--control", control, *options.arguments(WAN, "default")]


def from_record(record):
    """The network of a lab.json, with sites or without."""
    return Sites.from_record(record) if record and "sites" in record else ovs.from_record(record)


def described_sites(options, prefix):
    """The sites that xbind-wan reads from the file; LabError with its reason."""
    words = [str(options.bin_dir / WAN), "--sites", str(options.sites), "--namespace-prefix",
             prefix, "--describe"]
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise LabError(f"{words[0]}: {error.strerror}; is it built?") from error
    if answer.returncode != 0:
        raise LabError(answer.stderr.strip() or f"{words[0]} ended with {answer.returncode}")
    return json.loads(answer.stdout)["sites"]


def refuse_unknown_programs(sites, file, names):
    """LabError for a process that a site names and that the lab does not have."""
    for site in sites.sites:
        unknown = [name for name in site["programs"] if name not in (*names, CLIENTS)]
        if unknown:
            raise LabError(f"{file}: site {site['name']} has the program {groups.some(unknown)}; "
                           f"this lab has {groups.some(names)}, {CLIENTS}")
