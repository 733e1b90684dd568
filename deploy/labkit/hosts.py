"""Which process of a lab has which switches: one each, or many, in a file of [[switch]] tables.

The keys of a table are the program's options for one switch. The options listed here apply to the
whole process and stay on its command line.
"""

import json
import math
from dataclasses import dataclass

from .process import LabError

ONE_EACH_MAX = 12  # nodes
GROUPS = 4  # processes for more nodes, by default
NODES_MAX = 1024  # in one process: the programs' own bound
HOSTS = ("xbind-switch", "xbind-switchserver")

PACE = ("pace-message-us", "pace-item-us", "pace-before-leaving", "pace-pause-chance",
        "pace-pause-us", "pace-seed")

PROCESS_OPTIONS = {
    "xbind-switch": {"capture-dir", "control", "log-file", "log-format", "log-level", "metrics",
                     *PACE},
    "xbind-switchserver": {
        "name-service", "listen-address", "call-timeout-ms", "accepted-max",
        "accepted-per-host-max", "log-file", "log-format", "log-level", "metrics", "route-object",
        "state-dir", "report-threshold", "report-interval-ms", "report-refresh-ms",
        "table-round-ms",
        "trace-slow-us", "loss",
        "duplicate", "reorder", "delay", "delay-ms", "fault-legs", "fault-seed", *PACE},
}


@dataclass
class Group:
    """Consecutive switches of the topology that share a process."""

    first: int  # from 1
    names: list

    def process(self, program):
        """The process's name in the lab: "xbind-switch/atm", or "xbind-switch/nodes-1-to-25"."""
        last = self.first + len(self.names) - 1
        return f"{program}/" + (self.names[0] if not self.several else
                                f"nodes-{self.first}-to-{last}")

    @property
    def several(self):
        return len(self.names) > 1


def groups(names, nodes_per_process, alone=(), site_of=lambda name: None):
    """`nodes_per_process` None: one node each in a small lab, otherwise few processes. The nodes in
    `alone` share their process with no other node, and nodes of different sites share none."""
    size = nodes_per_process or (
        1 if len(names) <= ONE_EACH_MAX else math.ceil(len(names) / GROUPS))
    made = []
    for position, name in enumerate(names, start=1):
        last = made[-1] if made else None
        if (last is None or len(last.names) == size or name in alone
                or last.names[-1] in alone or site_of(last.names[-1]) != site_of(name)):
            made.append(Group(position, [name]))
        else:
            last.names.append(name)
    return made


def words_of(option, value):
    """A daemon's option on its command line; an empty value is a separate word."""
    return [f"--{option}={value}"] if str(value) else [f"--{option}", ""]


def divide(program, group, more):
    """Divides the further options [(node or None, option, value)] of a process with several
    switches into (words of its command line, {node: {option: value}}). LabError for an option that
    one of the switches cannot have alone."""
    words, of_node = [], {name: {} for name in group.names}
    for only, option, value in more:
        if option in PROCESS_OPTIONS[program]:
            if only is None:
                words += words_of(option, value)
            elif only in of_node:
                raise LabError(
                    f"--{option} is of a whole {program}, which {only} shares with "
                    f"{len(group.names) - 1} more: --nodes-per-process 1 gives each its own")
            continue
        for name in group.names if only is None else [only]:
            if name in of_node:  # otherwise the node is in another process
                said = of_node[name].get(option)
                of_node[name][option] = value if said is None else f"{said},{value}"
    return words, of_node


def tables(switches):
    """The file of --switches: a table for each {option: value}. Values are strings, written as on a
    command line."""
    return "\n".join(
        "[[switch]]\n" + "".join(f"{key} = {json.dumps(str(value), ensure_ascii=False)}\n"
                                 for key, value in switch.items()) for switch in switches)


def some(names, count=8):
    """The first `count` names, as part of a sentence."""
    names = list(names)
    more = len(names) - count
    return ", ".join(names[:count]) + (f" and {more} more" if more > 0 else "")
