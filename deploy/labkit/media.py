"""How cells travel in a lab: the link of every port and the line to every host. Both come from the
topology file; where it states nothing, the lab chooses its own addresses.

A SPEC is a value of xbind-switch --links and xbind-callgen --endpoints, from the side of the
process that opens it: mpls:LOCAL/PEER/LABEL, lsp:LOCAL/PEER, plain:LOCAL/PEER or cfr:LOCAL/PEER
(dataplane/links/link_spec.hpp).

The lab's choice for switch k (from 1) and link n (from 1), on the switches' loopback addresses:

  mpls     UDP port 6635 at every switch, label 1000 + n
  plain    UDP port 20000 + n at both ends: the port distinguishes plain lines; cfr: the same
  lsp      UDP port 30000 + n at both ends: all labels of an MPLS line belong to connections
  ring     memory, ring link-n: only where one process has both switches
  to hosts the host uses its switch's address; mpls: port 16635, label 900000 + k; plain: the
           switch's port 19998, the host's 19999; lsp: the switch's port 19996, the host's 19997;
           cfr: the switch's port 19994, the host's 19995
"""

from dataclasses import dataclass

from .process import LabError

MPLS_PORT, MPLS_HOST_PORT = 6635, 16635
PLAIN_PORT, PLAIN_SWITCH_PORT, PLAIN_HOST_PORT = 20000, 19998, 19999
LSP_PORT, LSP_SWITCH_PORT, LSP_HOST_PORT = 30000, 19996, 19997
CFR_SWITCH_PORT, CFR_HOST_PORT = 19994, 19995
HOST_PORTS = {"mpls": (MPLS_PORT, MPLS_HOST_PORT), "plain": (PLAIN_SWITCH_PORT, PLAIN_HOST_PORT),
              "lsp": (LSP_SWITCH_PORT, LSP_HOST_PORT),
              "cfr": (CFR_SWITCH_PORT, CFR_HOST_PORT)}  # the switch's and the host's
LABEL_OF_LINK, LABEL_OF_HOST = 1000, 900000
PORT_MAX, LABEL_MAX = 65535, 0xFFFFF


@dataclass
class Line:
    """One line. Ends are (switch, port); the second end of a host's line is (switch, None)."""

    ends: tuple
    cells: str  # mpls, lsp, plain, cfr or ring
    addresses: tuple = ()
    label: int | None = None
    ring: str = ""

    def spec(self, side):
        """The SPEC from the side of end 0 or 1."""
        if self.cells == "ring":
            return f"ring:{self.ring}"
        local, peer = self.addresses[side], self.addresses[1 - side]
        return f"{self.cells}:{local}/{peer}" + (f"/{self.label}" if self.cells == "mpls" else "")

    def words(self):
        (switch, port), (other, other_port) = self.ends
        far = f"host at {other}" if other_port is None else f"{other}:{other_port}"
        if self.cells == "ring":
            return f"{switch}:{port} to {far}", "ring, in memory"
        label = f", label {self.label}" if self.cells == "mpls" else ""
        return (f"{switch}:{port} to {far}",
                f"{self.cells}, UDP {self.addresses[0]} and {self.addresses[1]}{label}")


def udp_ports(described):
    """The UDP ports that the lab chooses on each switch's address, in the topology's order."""
    ports = [set() for _ in described["switches"]]
    number_of = {switch["name"]: number for number, switch in enumerate(described["switches"])}
    for number, link in enumerate(described.get("links", []), start=1):
        for end in ends_of(link):
            if chosen(link.get("media", {})) and udp_port(link["media"], number) <= PORT_MAX:
                ports[number_of[end[0]]].add(udp_port(link["media"], number))
    for switch, taken in zip(described["switches"], ports):
        if chosen(switch.get("media", {})):
            taken |= set(HOST_PORTS[switch["media"]["cells"]])
    return ports


def chosen(media):
    return media.get("cells") in HOST_PORTS and "addresses" not in media


def udp_port(media, number):
    return MPLS_PORT if media["cells"] == "mpls" else number + (
        LSP_PORT if media["cells"] == "lsp" else PLAIN_PORT)


def mpls_ports(described):
    """{switch: its ports whose MPLS labels the lab chooses}"""
    ports = {switch["name"]: [1] if is_mpls(switch) and not has_frames(switch) else []
             for switch in described["switches"]}
    for link in described.get("links", []):
        for switch, port in ends_of(link) if is_mpls(link) else ():
            ports[switch].append(port)
    return ports


def is_mpls(line_or_switch):
    return line_or_switch.get("media", {}).get("labels") == "mpls"


def has_frames(switch):
    """Whether frames travel to its host: network.py makes that line."""
    return switch.get("media", {}).get("cells") == "frames"


def ends_of(link):
    return tuple((link[side]["switch"], link[side]["port"]) for side in ("a", "b"))


def plan(described, addresses, process_of=None):
    """The Lines of a lab whose switches have these loopback addresses, in the topology's order.

    `process_of`: the process of each switch; by default each switch has its own.
    """
    process_of = process_of or {}
    address_of = {switch["name"]: address
                  for switch, address in zip(described["switches"], addresses)}
    said = {media["label"] for media in medias(described) if "label" in media}
    lines = []
    for number, link in enumerate(described.get("links", []), start=1):
        media, ends = link.get("media", {"cells": "none"}), ends_of(link)
        if media["cells"] == "ring":
            check_ring(ends, process_of, media)
            lines.append(Line(ends, "ring", ring=f"link-{number}"))
        elif media["cells"] != "none":
            port = udp_port(media, number)
            if port > PORT_MAX and chosen(media):
                raise LabError(
                    f"link {number} of the topology is one more with cells = "
                    f"\"{media['cells']}\" than the lab has UDP ports for: give it addresses")
            own = tuple(f"{address_of[switch]}:{port}" for switch, _ in ends)
            lines.append(line(ends, media, own, LABEL_OF_LINK + number, said))
    for number, switch in enumerate(described["switches"], start=1):
        media, ends = switch.get("media", {"cells": "none"}), ((switch["name"], 1),
                                                                (switch["name"], None))
        if media["cells"] == "ring":
            raise LabError(
                f"the line from {switch['name']}:1 to its host has cells = \"ring\": a ring lies "
                f"within one process, and hosts are others; say \"{others(media)}\"")
        if media["cells"] not in ("none", "frames"):
            own = tuple(f"{address_of[switch['name']]}:{port}"
                        for port in HOST_PORTS[media["cells"]])
            lines.append(line(ends, media, own, LABEL_OF_HOST + number, said))
    return lines


def medias(described):
    found = [link.get("media") for link in described.get("links", [])]
    found += [switch.get("media") for switch in described["switches"]]
    return [media for media in found if media]


def others(media):
    """The other values of `cells` that a file may have for such a line, instead of ring."""
    return "lsp" if media.get("labels") == "mpls" else "mpls\" or \"plain"


def check_ring(ends, process_of, media):
    """LabError unless one process has both ends."""
    (switch, port), (other, _) = ends
    one, another = process_of.get(switch, switch), process_of.get(other, other)
    if one != another:
        raise LabError(
            f"the line from {switch}:{port} to {other} has cells = \"ring\": a ring lies within "
            f"one process, and these switches are in two; say \"{others(media)}\", "
            f"or have more of them in one by --nodes-per-process")


def line(ends, media, own, label, said):
    """Makes a Line. `said`: labels of the topology file, which the lab's own labels must avoid."""
    while label in said:
        label += 1
    said.add(label)
    label = media.get("label", label)
    if label > LABEL_MAX:
        raise LabError(f"there is no MPLS label left for {ends[0][0]}:{ends[0][1]}")
    return Line(ends, media["cells"], tuple(media.get("addresses", own)),
                label if media["cells"] == "mpls" else None)


def switch_links(lines, switch):
    """{port: SPEC} of a switch."""
    return {port: one.spec(side) for one in lines for side, (name, port) in enumerate(one.ends)
            if name == switch and port is not None}


def option_of(endpoints):
    """The value of xbind-callgen's --endpoints and xbindctl's --host-lines."""
    return ",".join(f"{name}={spec}" for name, spec in endpoints.items())


def endpoints(lines):
    """{switch: the SPEC of its host's side}"""
    return {one.ends[0][0]: one.spec(1) for one in lines if one.ends[1][1] is None}
