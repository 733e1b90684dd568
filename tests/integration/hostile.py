"""Hostile peers for hostile_test.py: where the daemons listen, what they use, and how strangers
speak to them."""

import random
import re
import socket
import struct
import threading
from dataclasses import dataclass
from pathlib import Path

import giop
import idl_messages
from harness import counter, tool

# Of the objects that the name service and fixed keys (orb/runtime.hpp) name.
INTERFACES = {"xbind-cmgr": ("ConnectionManager", "RequestInbox", "ManagerOperations",
                             "HopObserver", "TopologyObserver"),
              "xbind-switchserver": ("SwitchServer", "HopInbox", "SwitchOperations"),
              "xbind-routeobject": ("RouteObject", "RouteOperations"),
              "xbind-qosmapper": ("QOSMapper",)}
NAMES = ("nobody", "no-such-end", "", "x" * 63, "x" * 1000, "a\nb", "\x1b[2J", "%s%n")
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC (info|warning|error) "
                  r"xbind-[a-z]+ [\w-]+: [ -~]+$"
                  r"|xbind-[a-z]+ .*(ready$|listening on |control on )|--- /\S+/xbind-")
PATIENCE_S = 20.0


@dataclass
class Usage:
    """What a process uses."""

    rss_kib: int
    descriptors: int
    threads: int
    log_octets: int

    def __str__(self):
        return (f"{self.rss_kib:7} KiB {self.descriptors:5} descriptors {self.threads:5} threads "
                f"{self.log_octets:8} octets of log")


def usage(process):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
    values = dict(re.findall(r"^(VmRSS|Threads):\s+(\d+)", status, re.MULTILINE))
    return Usage(int(values["VmRSS"]), len(list(Path(f"/proc/{process.pid}/fd").iterdir())),
                 int(values["Threads"]), process.log.stat().st_size)


def listening(pid):
    """The TCP addresses on which a process listens, lowest port first."""
    inodes = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.match(r"socket:\[(\d+)\]", str(one.readlink()))
        except FileNotFoundError:
            continue
        if found:
            inodes.add(found.group(1))
    addresses = []
    for line in Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and words[9] in inodes:
            host, port = words[1].split(":")
            addresses.append((socket.inet_ntoa(struct.pack("<I", int(host, 16))), int(port, 16)))
    return sorted(addresses, key=lambda address: address[1])


@dataclass
class Target:
    """A daemon with its ports and the keys of its objects, by interface."""

    process: object
    addresses: list
    keys: dict


def targets(lab, processes):
    """Every CORBA daemon among the processes but omniNames."""
    found = []
    for process in processes:
        if process.program not in INTERFACES:
            continue
        kind = process.program.removeprefix("xbind-")
        name = process.nodes[0] if process.nodes else "default"
        _, _, key = giop.parse_ior(tool(lab, "nameclt", "resolve", f"xbind/{kind}/{name}").stdout)
        # The root POA numbers its objects in the last octets of their keys.
        near = [key[:-1] + bytes((last,)) for last in range(6)]
        fixed = {"RequestInbox": [b"request_inbox"], "HopInbox": [f"hop_inbox/{name}".encode()]}
        keys = {one: fixed.get(one, near) for one in INTERFACES[process.program]}
        keys[INTERFACES[process.program][0]] = [key]
        found.append(Target(process, listening(process.pid), keys))
    return found


class Observer:
    """An object of a stranger: accepts every connection and reads what comes."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.address = self.listener.getsockname()
        self.reference = (*self.address, b"observer")
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._read, args=(peer,), daemon=True).start()

    @staticmethod
    def _read(peer):
        with peer:
            try:
                while peer.recv(65536):
                    pass
            except OSError:
                pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def exchange(address, octets):
    """Sends the octets on a connection of their own, says that no more follow, and reads until the
    daemon closes: then it has dealt with all of them. Returns what it sent."""
    received = b""
    with socket.create_connection(address, timeout=PATIENCE_S) as peer:
        try:
            peer.sendall(octets)
            peer.shutdown(socket.SHUT_WR)
            while piece := peer.recv(65536):
                received += piece
        except (ConnectionError, BrokenPipeError):
            pass  # closed with octets of ours unread
    return received


class Stranger:
    """Sends well-formed and mutated requests of every operation of a daemon to all its ports."""

    def __init__(self, known, seed, observer, chosen=None):
        self.known = known
        self.rng = random.Random(seed)
        self.arguments = idl_messages.Arguments(known, self.rng, NAMES, observer.reference, chosen)
        self.sent = {}

    def message(self, target):
        interface = self.rng.choice(list(target.keys))
        return idl_messages.Message(
            self.rng.choice(target.keys[interface]),
            self.rng.choice(self.known.operations[interface]), self.arguments,
            self.rng.choice((0, 2)))

    def send(self, target, mutate=None):
        """One message; returns the daemon's answer."""
        message = self.message(target)
        octets = mutate(message, self.rng) if mutate else message.octets
        name = mutate.__name__ if mutate else "well_formed"
        self.sent[name] = self.sent.get(name, 0) + 1
        return exchange(self.rng.choice(target.addresses), octets)


def status_counter(lab, name):
    return counter(tool(lab, "xbindctl", "status").stdout, name)


__all__ = ["LINE", "Observer", "PATIENCE_S", "Stranger", "Target", "Usage", "exchange",
           "listening", "status_counter", "targets", "usage"]
