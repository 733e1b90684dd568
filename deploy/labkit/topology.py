"""A topology file as xbind-routeobject describes it, and whether a load fits it."""

import json
import math
import subprocess

from .process import LabError

VCI_MIN = 32  # 0..31 of each VPI are for signalling
VCI_COUNT = 65536 - VCI_MIN
VPI_COUNT = 4096
LABELS_DEFAULT = 992  # VCI 32..1023 on VPI 0: the paper's switch
KINDS = ("emulated", "ovs")
MPLS_MIN, MPLS_MAX = 16, 0xFFFFF  # below: reserved
LABELS_MAX = VPI_COUNT * VCI_COUNT


def describe(bin_dir, file, options=()):
    """The object that `xbind-routeobject --describe-topology` prints; LabError with its reason.

    `options`: further words of its command line. The program's choices for what an imported file
    leaves open are added under "notes", a list of sentences.
    """
    command = [str(bin_dir / "xbind-routeobject"), "--topology", str(file), "--describe-topology",
               *options]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                timeout=60, check=False)
    except OSError as error:
        raise LabError(
            f"{command[0]}: {error.strerror}; is it built? (./quickstart builds)") from error
    if answer.returncode != 0:
        raise LabError(answer.stderr.strip() or f"{command[0]} ended with {answer.returncode}")
    described = json.loads(answer.stdout)
    described["notes"] = [line.removeprefix("note: ") for line in answer.stderr.splitlines()
                          if line.startswith("note: ")]
    return described


def as_toml(described, comment=(), demands=True):
    """A topology file in our TOML format that describes the same network as `described`.

    `comment`: lines for its head. Ports are written out, so that they stay when links are added.
    """
    def text(word):
        return json.dumps(word)  # a TOML basic string, for the characters that names may have

    lines = [f"# {line}".rstrip() for line in comment] + [f"name = {text(described['name'])}"]
    for switch in described["switches"]:
        lines += ["", "[[switch]]", f"name = {text(switch['name'])}"]
        if "kind" in switch:
            lines += [f"kind = {text(switch['kind'])}"]
        if "port_controller" in switch:
            lines += [f"port-controller = {text(switch['port_controller'])}"]
        if switch["endpoint"]:
            lines += ["endpoint = true", *media_toml("media", switch["media"])]
    for link in described["links"]:
        ends = ", ".join(text(f"{end['switch']}:{end['port']}") for end in (link["a"], link["b"]))
        lines += ["", "[[link]]", f"between = [{ends}]", f"cells-per-s = {link['cells_per_s']}"]
        if link.get("delay_us"):
            lines += [f"delay-us = {link['delay_us']}"]
        lines += media_toml("link", link["media"])
    for demand in described["demands"] if demands else []:
        lines += ["", "[[demand]]", f"from = {text(demand['from'])}", f"to = {text(demand['to'])}",
                  f"weight = {demand['weight']!r}"]
    return "\n".join(lines) + "\n"


def ovs_nodes(switches):
    """The names of the switches that are bridges of Open vSwitch."""
    return [switch["name"] for switch in switches if switch.get("kind") == "ovs"]


def set_kind(described, kind):
    """Makes every switch of `described` one of this kind, with the media that the kind has; None:
    changes nothing."""
    if kind is None:
        return
    was_ovs = ovs_nodes(described["switches"])
    for link in described.get("links", []):
        if any(link[side]["switch"] in was_ovs for side in ("a", "b")):
            link["media"] = {"labels": "mpls", "cells": "lsp"}
        if kind == "ovs":
            link["media"] = {"labels": "mpls", "cells": "none"}
    for switch in described["switches"]:
        if switch["name"] in was_ovs:
            del switch["kind"]
            if "media" in switch:
                switch["media"] = {"labels": "mpls", "cells": "lsp"}
        if kind == "ovs":
            switch["kind"] = kind
            switch.pop("port_controller", None)
            if "media" in switch:
                switch["media"] = {"labels": "mpls", "cells": "none"}


def set_hosts(described):
    """Gives every endpoint a host whose Ethernet frames travel; one at a bridge has it already."""
    for switch in described["switches"]:
        if switch["endpoint"] and switch.get("kind") != "ovs":
            switch["media"] = {"labels": "mpls", "cells": "frames"}


def delays(described, switch):
    """{port: microseconds} of a switch's links that have a delay."""
    return {end["port"]: link["delay_us"] for link in described.get("links", [])
            if link.get("delay_us") for end in (link["a"], link["b"]) if end["switch"] == switch}


def media_toml(where, media):
    """The lines that state how cells travel; none where the lab's default applies."""
    values = {name: json.dumps(value) for name, value in media.items()}
    if values in ({"cells": '"mpls"'}, {"labels": '"mpls"', "cells": '"lsp"'}):
        values.pop("cells")
    if not values:
        return []
    if where == "link":
        return [f"{name} = {value}" for name, value in values.items()]
    return ["media = { " + ", ".join(f"{name} = {value}" for name, value in values.items()) + " }"]


def label_range(labels):
    """(highest VPI, lowest VCI, highest VCI) of a port that offers at least `labels` labels.

    VCI 32 upwards on VPI 0; above its 65504 labels, whole further VPIs.
    """
    if labels <= VCI_COUNT:
        return 0, VCI_MIN, VCI_MIN + labels - 1
    return math.ceil(labels / VCI_COUNT) - 1, VCI_MIN, VCI_MIN + VCI_COUNT - 1


def mpls_range(labels):
    """(lowest, highest) label of an MPLS port with `labels` labels, or with all there are."""
    return MPLS_MIN, min(MPLS_MIN + labels - 1, MPLS_MAX)


def label_count(labels):
    """How many labels label_range(labels) actually offers."""
    vpi_max, vci_min, vci_max = label_range(labels)
    return (vpi_max + 1) * (vci_max - vci_min + 1)


def load_refusal(described, rate, hold_s, cells_per_s, labels):
    """A sentence if rate x hold cannot fit this topology, otherwise None.

    On average rate x hold calls are up at a time (Little's law). Where each pair has only one path,
    as in the paper's chain, the load of each link follows. Otherwise the router spreads calls in a
    way unknown here, so only a load that no distribution could carry is refused.
    """
    links = described["links"]
    if not links:
        return None
    widest = max(link["cells_per_s"] for link in links)
    if cells_per_s > widest:
        return (f"one call of --cells-per-s {cells_per_s} is more than any link of the topology "
                f"carries: the widest has {widest} cells/s")
    calls_up = rate * hold_s
    offered = label_count(labels)
    shares = link_shares(described)
    if shares is None:
        room = sum(2 * min(offered, link["cells_per_s"] // cells_per_s) for link in links)
        place = "all links together have"
        needed = calls_up
    else:
        def fullness(end):
            return shares[end] / max(1, min(offered, links[end[0]]["cells_per_s"] // cells_per_s))
        busiest = max(shares, key=fullness)
        link = links[busiest[0]]
        room = min(offered, link["cells_per_s"] // cells_per_s)
        needed = calls_up * shares[busiest]
        place = (f"the link between {link['a']['switch']} and {link['b']['switch']} "
                 f"({link['cells_per_s']} cells/s, {offered} labels a port) has")
    if needed <= room:
        return None
    return (
        f"--rate {rate:g} x --hold {hold_s:g} keeps {calls_up:.0f} calls up at a time, "
        f"{needed:.0f} of them side by side, but {place} room for {room} calls of {cells_per_s} "
        f"cells/s. Lower --rate, --hold or --cells-per-s, or raise --labels-per-port")


def link_shares(described):
    """{(link, direction): share of all calls that use it}, or None where paths have a choice.

    `link` is a position in described["links"]; direction 0 is a to b.
    """
    links = described["links"]
    if len(links) != len(described["switches"]) - 1:
        return None  # a tree has exactly one link fewer than switches; otherwise paths differ
    neighbours = {switch["name"]: [] for switch in described["switches"]}
    for number, link in enumerate(links):
        a, b = link["a"]["switch"], link["b"]["switch"]
        neighbours[a].append((b, (number, 0)))
        neighbours[b].append((a, (number, 1)))
    if len(ways_from(links[0]["a"]["switch"], neighbours)) < len(neighbours):
        return None  # not connected, so some part has a ring

    calls = [(demand["from"], demand["to"], demand["weight"]) for demand in described["demands"]]
    if not calls:
        ends = [switch["name"] for switch in described["switches"] if switch["endpoint"]]
        calls = [(a, b, 1.0) for a in ends for b in ends if a != b]
    total = sum(weight for _, _, weight in calls)
    shares = {}
    for source in {source for source, _, _ in calls}:
        way_to = ways_from(source, neighbours)
        for start, end, weight in calls:
            if start == source:
                for step in way_to.get(end, []):
                    shares[step] = shares.get(step, 0) + weight / total
    return shares or None


def ways_from(source, neighbours):
    """{switch: the (link, direction)s of the path from `source` to it}, in a tree."""
    ways = {source: []}
    waiting = [source]
    while waiting:
        here = waiting.pop()
        for there, step in neighbours[here]:
            if there not in ways:
                ways[there] = ways[here] + [step]
                waiting.append(there)
    return ways
