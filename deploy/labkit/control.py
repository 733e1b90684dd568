"""Commands to the emulated switches of a lab, over the sockets that `xbind-switch tell` uses, and
commands for a link, which has two ends. The end of a link at an Open vSwitch is an interface."""

import difflib
import re
import socket

from .hosts import some
from .process import LabError

TIMEOUT_S = 5.0


def connect(process):
    """A connection to where an xbind-switch takes commands, which it prints at its start."""
    found = re.search(r"^xbind-switch control on (\S+)$", process.output(), re.MULTILINE)
    if not found:
        raise LabError(f"{process.name} has not printed its control address (--control)")
    address = found.group(1)
    if "/" not in address:
        host, _, port = address.removeprefix("tcp:").rpartition(":")
        return socket.create_connection((host.strip("[]"), int(port)), TIMEOUT_S)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(TIMEOUT_S)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def tell(process, lines):
    """Returns the answers to `lines`, one each. LabError if the process does not answer."""
    if not process.alive():
        raise LabError(f"{process.name} is not running any more")
    try:
        with connect(process) as connection:
            with connection.makefile("rw", newline="\n") as stream:
                answers = []
                for start in range(0, len(lines), 64):  # few enough for a socket's buffer
                    part = lines[start:start + 64]
                    stream.write("".join(f"{line}\n" for line in part))
                    stream.flush()
                    answers += [stream.readline().rstrip("\n") for _ in part]
    except OSError as error:
        raise LabError(
            f"{process.name} does not accept commands: {error.strerror or error}") from error
    if not all(answers):
        raise LabError(f"{process.name} has ended the connection without an answer")
    return answers


def link_at(lab, switch, port):
    """The ends [(switch, port), ...] of the line at this port: two, or one if a host is behind."""
    ports = {}
    for ends in lab.links:
        for end in ends:
            ports.setdefault(end[0], {})[end[1]] = ends
    if switch not in lab.node_names():
        near = difflib.get_close_matches(switch, lab.node_names(), 1)
        raise LabError(f"there is no switch '{switch}' in this lab"
                       + (f"; did you mean {near[0]}?" if near else
                          f"; it has {some(lab.node_names())}"))
    if port not in ports.get(switch, {}):
        known = ", ".join(f"{number} to {far_end(ends, (switch, number))}"
                          for number, ends in sorted(ports.get(switch, {}).items()))
        raise LabError(f"no line is at port {port} of {switch}; it has {known or 'none'}")
    return ports[switch][port]


def set_link(lab, ends, up):
    """Takes the line down or up at all its ends. Returns whether it was in that state before.
    LabError names an end that has been changed already."""
    was = line_states(lab, [ends])[0]
    done = []
    for switch, port in ends:
        try:
            set_end(lab, switch, port, up)
        except LabError as error:
            raise LabError(
                f"{error}" + (f" (the end at {done[0][0]}:{done[0][1]} is "
                              f"{'up' if up else 'down'} now)" if done else "")) from error
        done.append((switch, port))
    return was is up


def set_end(lab, switch, port, up):
    if is_ovs(lab, switch):
        lab.network.set_port(switch, port, up)
        return
    answer = tell(lab.process_of("xbind-switch", switch),
                  [f"@{switch} line {port} {'up' if up else 'down'}"])[0]
    if answer != "ok":
        raise LabError(f"{switch}: {answer}")


def is_ovs(lab, switch):
    return lab.network is not None and lab.network.has_port(switch)


def line_states(lab, links):
    """For each link: True up, False down at an end, None unknown (a process does not answer)."""
    state = lab.network.ports_up() if lab.network else {}
    asked = {}
    for ends in links:
        for switch, port in ends:
            if is_ovs(lab, switch):
                continue
            asked.setdefault(lab.process_of("xbind-switch", switch).name, []).append((switch, port))
    for name, places in asked.items():
        try:
            answers = tell(lab.processes[name],
                           [f"@{switch} statistics {port}" for switch, port in places])
        except LabError:
            continue
        for place, answer in zip(places, answers):
            found = re.search(r"\bline=(up|down)\b", answer)
            if found:
                state[place] = found.group(1) == "up"
    return [False if False in ends_state else (None if None in ends_state else True)
            for ends_state in ([state.get(tuple(end)) for end in ends] for ends in links)]


def words(ends):
    """The line in words: "a:2 to b:3"; "a:1 to its host" """
    (switch, port), *others = ends
    return f"{switch}:{port} to " + (f"{others[0][0]}:{others[0][1]}" if others else "its host")


def far_end(ends, place):
    others = [end for end in ends if tuple(end) != tuple(place)]
    return f"{others[0][0]}:{others[0][1]}" if others else "its host"
