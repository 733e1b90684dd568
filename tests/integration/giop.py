"""A stranger's ORB: GIOP 1.0 requests by hand, to measure replies and to send anything.

No proxy, no fragments, no retries: one TCP connection, one request after the other.
"""

import socket
import struct

PROTOCOL = 14  # protocol_version of idl/types.idl
MESSAGE_ERROR, REPLY = 6, 1
NO_EXCEPTION, USER_EXCEPTION, SYSTEM_EXCEPTION = 0, 1, 2


class Writer:
    """CDR, little-endian. `at`: offset of the first octet, for alignment."""

    def __init__(self, at=0):
        self.at = at
        self.data = bytearray()

    def number(self, form, value):
        size = struct.calcsize(form)
        self.data += b"\0" * (-(self.at + len(self.data)) % size) + struct.pack("<" + form, value)
        return self

    def octet(self, value):
        return self.number("B", value)

    def ulong(self, value):
        return self.number("I", value)

    def ulonglong(self, value):
        return self.number("Q", value)

    def octets(self, value):
        self.ulong(len(value))
        self.data += value
        return self

    def reference(self, host, port, key):
        """An object reference with one IIOP 1.0 profile, little-endian."""
        profile = Writer()
        profile.octet(1).octet(1).octet(0).string(host).number("H", port).octets(key)
        return self.string("").ulong(1).ulong(0).octets(profile.data)

    def string(self, value):
        raw = value if isinstance(value, bytes) else value.encode("latin-1")
        return self.octets(raw + b"\0")


class Reader:
    """CDR, little-endian, for a message whose first octet is data[0]."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def number(self, form):
        size = struct.calcsize(form)
        self.at += -self.at % size
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += size
        return value

    def octets(self):
        size = self.number("I")
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        return self.octets()[:-1].decode("latin-1")

    def reference(self):
        """Host, port and object key of the first IIOP profile."""
        self.string()
        address = None
        for _ in range(self.number("I")):
            tag, profile = self.number("I"), Reader(self.octets())
            if tag == 0 and address is None:
                profile.at = 3
                address = profile.string(), profile.number("H"), profile.octets()
        assert address is not None, "a reference without an IIOP profile"
        return address


def parse_ior(ior):
    """Host, port and object key of the first IIOP profile."""
    reader = Reader(bytes.fromhex(ior.strip().removeprefix("IOR:")))
    assert reader.number("B") == 1, "only little-endian references are read"
    return reader.reference()


class Remote:
    """An object of a peer. invoke(): the reply's status, a reader of its body, its octets."""

    def __init__(self, reference, timeout_s=20.0):
        """`reference`: "IOR:..." or (host, port, key)."""
        host, port, self.key = (parse_ior(reference) if isinstance(reference, str)
                                else reference)
        self.peer = socket.create_connection((host, port), timeout=timeout_s)
        self.requests = 0

    def close(self):
        self.peer.close()

    def send(self, operation, write=lambda out: None, answered=True):
        self.requests += 1
        out = Writer(at=12)
        out.ulong(0).ulong(self.requests).octet(answered).octets(self.key).string(operation)
        out.ulong(0)
        write(out)
        self.peer.sendall(b"GIOP\x01\x00\x01\x00" + struct.pack("<I", len(out.data)) + out.data)

    def receive(self):
        header = self._read(12)
        message = header + self._read(struct.unpack_from("<I", header, 8)[0])
        assert header[:4] == b"GIOP" and header[7] == REPLY, header
        reader = Reader(message, 12)
        for _ in range(reader.number("I")):
            reader.number("I")
            reader.octets()
        request, status = reader.number("I"), reader.number("I")
        assert request == self.requests, (request, self.requests)
        return status, reader, len(message)

    def invoke(self, operation, write=lambda out: None):
        self.send(operation, write)
        return self.receive()

    def _read(self, count):
        data = bytearray()
        while len(data) < count:
            piece = self.peer.recv(count - len(data))
            if not piece:
                raise ConnectionError(f"closed after {len(data)} of {count} octets")
            data += piece
        return bytes(data)


def service(out, cells_per_s):
    """A ServiceSpec with that many cells a second."""
    out.ulong(0).ulonglong(cells_per_s).ulonglong(0)


def refusal(reader):
    """Reads a Refusal: its cause, and its element and reason as one text."""
    cause, element = reader.number("B"), reader.string()
    reader.number("Q")
    reader.number("Q")
    return cause, f"{element} {reader.string()}"
