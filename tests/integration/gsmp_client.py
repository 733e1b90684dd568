"""A second GSMP controller, written independently of the C++ one. It reads the state of an emulated
switch and changes its table without its SwitchServer's knowledge.

GSMPv3 over TCP (RFC 3292, RFC 3293), as far as needed: adjacency, Switch and Port Configuration,
Add Branch, Delete Branches, Report Connection State, Port Management. One request at a time. Labels
are (VPI, VCI) or (MPLS, label); a branch is (input port, input label, output port, output label).
"""

import socket
import struct
import time
from dataclasses import dataclass

FRAME_TYPE = 0x880C
MPLS = "mpls"  # in place of a VPI
ADJACENCY, ADD_BRANCH, DELETE_BRANCHES, PORT_MANAGEMENT = 10, 16, 17, 32
REPORT_CONNECTION_STATE, SWITCH_CONFIGURATION, PORT_CONFIGURATION = 52, 64, 65
ALL_PORTS_CONFIGURATION = 66
PORT_UP, PORT_DOWN, INVALID_LABEL = 80, 81, 82
SYN, SYNACK, ACK, RSTACK = 1, 2, 3, 4
EVENT, ACK_ALL, SUCCESS, FAILURE, MORE = 0, 2, 3, 4, 5


class GsmpFailure(Exception):
    """The switch answered with a failure code."""

    def __init__(self, message_type, code):
        super().__init__(f"message type {message_type} failed with code {code}")
        self.code = code


@dataclass(frozen=True, order=True)
class Branch:
    input_port: int
    input_label: tuple
    output_port: int
    output_label: tuple


@dataclass(frozen=True)
class Event:
    """An event message of a switch about one of its ports."""

    message_type: int
    port: int
    label: tuple = (0, 0)


class GsmpClient:
    """`with GsmpClient(host, port) as switch:` is in adjacency with the switch inside the block."""

    def __init__(self, host, port=6068, name=b"\x02\x00\x00\x0c\x00\x07", timeout_s=5.0):
        self.name = name
        self.instance = time.monotonic_ns() // 1000 % 0xFFFFFF + 1
        self.peer = (bytes(6), 0, 0)  # name, port, instance
        self.transaction = 0
        self.received = b""
        self.events = []  # received while waiting for another message, in order
        self.peer_flag = None  # PFlag of the switch's last SYN or SYNACK: 1 new, 2 recovered
        self.socket = socket.create_connection((host, port), timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        self.establish()
        self.request(SWITCH_CONFIGURATION, bytes(20))
        return self

    def __exit__(self, *_):
        self.socket.close()

    # Frames

    def send(self, message):
        self.socket.sendall(struct.pack(">HH", FRAME_TYPE, len(message)) + message)

    def receive(self):
        """The next whole message."""
        while True:
            if len(self.received) >= 4:
                frame_type, length = struct.unpack_from(">HH", self.received)
                assert frame_type == FRAME_TYPE, hex(frame_type)
                if len(self.received) >= 4 + length:
                    message = self.received[4:4 + length]
                    self.received = self.received[4 + length:]
                    return message
            octets = self.socket.recv(65536)
            if not octets:
                raise ConnectionError("the switch closed the connection")
            self.received += octets

    # Adjacency

    def send_adjacency(self, code):
        controller, recovered = 0x80, 2  # M in a SYN; PFlag: the switch keeps its connections
        peer_name, peer_port, peer_instance = self.peer
        self.send(struct.pack(">BBBB", 3, ADJACENCY, 10, code | (controller if code == SYN else 0))
                  + self.name + peer_name + struct.pack(">II", 0, peer_port)
                  + struct.pack(">I", recovered << 24 | self.instance)
                  + struct.pack(">I", peer_instance))

    def take_adjacency(self, message):
        code = message[3] & 0x7F
        if code in (SYN, SYNACK):
            instance = struct.unpack_from(">I", message, 24)[0] & 0xFFFFFF
            self.peer = (message[4:10], struct.unpack_from(">I", message, 16)[0], instance)
            self.peer_flag = message[24] & 0x0F
        return code

    def establish(self):
        """SYN both ways, then SYNACK, then ACK: the part of the state table that an orderly start
        needs."""
        self.send_adjacency(SYN)
        established = False
        while not established:
            message = self.receive()
            if message[1] != ADJACENCY:
                continue
            code = self.take_adjacency(message)
            if code == SYN:
                self.send_adjacency(SYNACK)
            elif code in (SYNACK, ACK):
                self.send_adjacency(ACK)
                established = True
            else:
                raise ConnectionError("the switch refused the adjacency (RSTACK)")

    # Requests

    def request(self, message_type, body):
        """Sends with AckAll; returns the bodies of all parts. Raises GsmpFailure for Result 4."""
        self.transaction += 1
        self.send(struct.pack(">BBBBIHH", 3, message_type, ACK_ALL, 0, self.transaction, 0x8001,
                              12 + len(body)) + body)
        bodies = []
        while True:
            message = self.receive()
            if message[1] == ADJACENCY:
                if self.take_adjacency(message) == RSTACK:
                    raise ConnectionError("the switch reset the adjacency")
                continue  # the switch's timer; this client is too short-lived to answer
            answered, result, code = message[1], message[2], message[3]
            if result == EVENT:
                self.take_event(message)
                continue
            transaction = struct.unpack_from(">I", message, 4)[0] & 0xFFFFFF
            if transaction != self.transaction or answered != message_type:
                continue  # for another controller
            if result == FAILURE:
                raise GsmpFailure(message_type, code)
            bodies.append(message[12:])
            if result != MORE:
                return bodies

    # Events

    def take_event(self, message):
        if message[1] in (PORT_UP, PORT_DOWN, INVALID_LABEL):
            self.events.append(Event(message[1], struct.unpack_from(">I", message, 12)[0],
                                     unpack_label(message, 24)))

    def await_event(self, message_type, timeout_s=20.0):
        """The next event of this type, from those already received or a new one; drops the
        others."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            while self.events:
                event = self.events.pop(0)
                if event.message_type == message_type:
                    return event
            message = self.receive()
            if message[1] == ADJACENCY:
                if self.take_adjacency(message) == RSTACK:
                    raise ConnectionError("the switch reset the adjacency")
                self.send_adjacency(ACK)
            elif message[2] == EVENT:
                self.take_event(message)
        raise AssertionError(f"no event {message_type} in {timeout_s:g} s")

    def ports(self):
        """{port number: session number}"""
        sessions = {}
        for body in self.request(ALL_PORTS_CONFIGURATION, bytes(4)):
            at = 4  # reserved, number of records
            while at + 20 <= len(body):
                port, session = struct.unpack_from(">II", body, at)
                sessions[port] = session
                at += 20 + struct.unpack_from(">H", body, at + 18)[0]
        return sessions

    def port_session(self, port):
        body = self.request(PORT_CONFIGURATION, struct.pack(">I", port))[0]
        return struct.unpack_from(">I", body, 4)[0]

    def branches(self, port):
        """Every branch whose input is this port."""
        try:
            bodies = self.request(REPORT_CONNECTION_STATE,
                                  struct.pack(">III", port, 0x21000004, 0))  # A: all connections
        except GsmpFailure as failure:
            if failure.code == 10:  # there are none
                return set()
            raise
        found = set()
        for body in bodies:
            at = 8  # port, sequence number
            while at < len(body):
                # Length of the output branches
                octets = struct.unpack_from(">I", body, at)[0] & 0xFFFF
                input_label = unpack_label(body, at + 4)
                for branch in range(at + 12, at + 12 + octets, 12):
                    output_port = struct.unpack_from(">I", body, branch)[0]
                    found.add(Branch(port, input_label, output_port,
                                     unpack_label(body, branch + 4)))
                at += 12 + octets
        return found

    def table(self):
        """Every branch of the switch."""
        return set().union(*(self.branches(port) for port in self.ports()))

    def bring_up(self, port):
        """Port Management, Bring Up: deletes the connections that enter there; the port begins a
        session."""
        self.request(PORT_MANAGEMENT, struct.pack(
            ">IIIBBHHHI", port, self.port_session(port), 0, 0, 0, 1, 0, 0, 0))

    def add(self, branch):
        body = struct.pack(">IIIIII", self.port_session(branch.input_port), 0, branch.input_port, 0,
                           branch.output_port, 0)
        no_adaptation = 0x02000000
        self.request(ADD_BRANCH, body + struct.pack(">I", no_adaptation)
                     + pack_label(branch.input_label) + pack_label(branch.output_label))

    def add_cbr(self, branch, pcr):
        """With service CBR.1 at `pcr` cells a second, CDVT 0, and TC flag U: policing."""
        cbr, services_alike_and_no_adaptation, policing = 1 << 16 | 1, 0xAA000000, 0x80000000
        body = struct.pack(">IIIIII", self.port_session(branch.input_port), 0, branch.input_port,
                           cbr, branch.output_port, cbr)
        self.request(ADD_BRANCH, body + struct.pack(">I", services_alike_and_no_adaptation)
                     + pack_label(branch.input_label) + pack_label(branch.output_label)
                     + struct.pack(">III", policing, pcr, 0))

    def delete(self, branch):
        element = (struct.pack(">HHIII", 0, 32, self.port_session(branch.input_port),
                               branch.input_port, branch.output_port)
                   + pack_label(branch.input_label) + pack_label(branch.output_label))
        self.request(DELETE_BRANCHES, struct.pack(">HH", 0, 1) + element)


class Switch:
    """A switch as seen by a controller that connects anew for each action: a GsmpClient that stayed
    silent would be disconnected after three of its timers.
    """

    def __init__(self, host):
        self.host = host

    def table(self):
        with GsmpClient(self.host) as client:
            return client.table()

    def add(self, branch):
        with GsmpClient(self.host) as client:
            client.add(branch)

    def delete(self, branch):
        with GsmpClient(self.host) as client:
            client.delete(branch)


def pack_label(label):
    if label[0] == MPLS:
        return struct.pack(">II", 0x01020004, label[1])
    return struct.pack(">II", 0x01000004, label[0] << 16 | label[1])


def unpack_label(octets, at):
    kind, word = struct.unpack_from(">II", octets, at)
    if kind >> 16 & 0xFFF == 0x102:
        return (MPLS, word)
    return (word >> 16 & 0xFFF, word & 0xFFFF)
