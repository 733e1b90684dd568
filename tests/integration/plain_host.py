"""Sends and receives single cells over a plain line, as the host at its end."""

import re
import socket

CELL_OCTETS = 53


def header(vpi, vci):
    """Header of a cell at the user's side, payload type 0 (ITU-T I.361), with its HEC (I.432)."""
    octets = bytes([vpi >> 4, (vpi & 15) << 4 | vci >> 12, vci >> 4 & 255, (vci & 15) << 4])
    remainder = 0
    for octet in octets:
        remainder ^= octet
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x107 if remainder & 0x80 else 0)) & 0x1ff
    return octets + bytes([remainder & 255 ^ 0x55])


class LineEnd:
    """The socket and the peer of a host's line, FORM:LOCAL/PEER, with a cell in each datagram."""

    def __init__(self, form, spec):
        own, peer = re.fullmatch(form + r":([^/]+)/([^/]+)(?:/uni)?", spec).groups()
        place = lambda text: (text.rpartition(":")[0], int(text.rpartition(":")[2]))  # noqa: E731
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(place(own))
        self.peer = place(peer)

    def close(self):
        self.socket.close()


class Host(LineEnd):
    """The host at the end of a plain line."""

    def __init__(self, spec):
        super().__init__("plain", spec)

    def send(self, label, number):
        self.socket.sendto(header(*label) + number.to_bytes(8, "big") + bytes(40), self.peer)

    def receive(self, label, timeout_s):
        """The number of the next cell; None when no cell arrives."""
        self.socket.settimeout(timeout_s)
        try:
            cell = self.socket.recv(2048)
        except TimeoutError:
            return None
        assert len(cell) == CELL_OCTETS and cell[:4] == header(*label)[:4], cell.hex()
        return int.from_bytes(cell[5:13], "big")

    def pending(self):
        """A datagram that has arrived and was not received yet; empty if there is none."""
        self.socket.settimeout(0)
        try:
            return self.socket.recv(2048)
        except BlockingIOError:
            return b""
