"""An xbind-wan between network namespaces of a test, and sockets in these. Needs root."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks
from labkit.process import LabError

TUN = Path("/dev/net/tun")
# Two sites; the first has a second address.
TWO = """
[[site]]
name = "a"
addresses = ["10.78.1.1", "10.78.1.2"]

[[site]]
name = "b"
addresses = ["10.78.2.1"]

[[path]]
from = "a"
to = "b"
both = true
"""


def lacking():
    """Why no WAN can be made here, or None."""
    try:
        networks.require("network namespaces", networks.NEEDED)
    except LabError as error:
        return f"NOT TESTED: {error}"
    return None if TUN.exists() else f"NOT TESTED: there is no {TUN}"


@contextlib.contextmanager
def namespaces(*sites):
    """A network namespace for each of these sites; returns the prefix of their names."""
    prefix = f"xbw{os.getpid()}-"
    names = [prefix + site for site in sites]
    try:
        for name in names:
            networks.run(["ip", "netns", "add", name])
            networks.run(["ip", "netns", "exec", name, "sh", "-c", networks.NO_IPV6])
            networks.run(["ip", "-n", name, "link", "set", "lo", "up"])
        yield prefix
    finally:
        there = networks.namespaces()
        for name in [name for name in names if name in there]:
            networks.end_processes(name)
            networks.run(["ip", "netns", "del", name])


def udp(namespace, address):
    """A bound UDP socket: (the socket, its address)."""
    def make():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((address, 0))
        made.settimeout(5)
        return made
    made = networks.inside(namespace, make)
    return made, made.getsockname()


def packet_socket(namespace, interface="wan0"):
    """Sends whatever octets to the reader of a TUN device."""
    def make():
        made = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
        made.bind((interface, 0x0800))
        return made
    return networks.inside(namespace, make)


class Wan:
    """A running xbind-wan; at the end of the block it must exit with 0."""

    def __init__(self, text, *options, prefix=""):
        # pylint: disable=consider-using-with
        self.directory = tempfile.TemporaryDirectory(prefix="xbind-wan-")
        self.file = Path(self.directory.name) / "sites.toml"
        self.file.write_text(text, encoding="utf-8")
        self.control = f"{self.directory.name}/control"
        self.command = [BIN / "xbind-wan", "--sites", self.file, "--control", self.control,
                        "--namespace-prefix", prefix, *map(str, options)]
        self.log = tempfile.TemporaryFile("w+")
        self.popen = None
        self.metrics = None

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.popen = subprocess.Popen(  # pylint: disable=consider-using-with
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            text=True)
        while not (line := self.popen.stdout.readline()).startswith("xbind-wan ready"):
            assert line, f"it ended at its start: {self.output()}"
            found = re.fullmatch(r"xbind-wan metrics on (\S+)\n", line)
            self.metrics = found.group(1) if found else self.metrics

    def stop(self, number=signal.SIGTERM):
        """Returns its exit code."""
        self.popen.send_signal(number)
        code = self.popen.wait(timeout=20)
        self.popen.stdout.close()
        return code

    def __exit__(self, kind, *_):
        code = self.stop() if self.popen.poll() is None else 0
        self.popen.stdout.close()
        if kind is not None:
            print(self.output())
        else:
            assert code == 0, f"exit code {code}: {self.output()}"
        self.log.close()
        self.directory.cleanup()

    def output(self):
        self.log.seek(0)
        return self.log.read()

    def tell(self, *words):
        """The answer to an order. AssertionError unless the exit code agrees with it."""
        done = run("xbind-wan", "tell", self.control, *words)
        assert (done.returncode == 0) == done.stdout.startswith("ok"), done
        return done.stdout.strip()

    def numbers(self, *order):
        """The answer as {name: text}."""
        answer = self.tell(*order)
        assert answer.startswith("ok"), answer
        return dict(pair.split("=", 1) for pair in answer.split()[1:])
