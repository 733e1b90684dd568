"""A host at a Cambridge Fast Ring: sends and receives its cells of 38 octets, as
dataplane/cells/cfr_cell.hpp draws them. Written from that drawing alone.
"""

import binascii
import struct

from plain_host import LineEnd

OCTETS, PAYLOAD = 38, 32
FIRST, LAST, HALF = 0x80, 0x40, 0x20


def cell(vci, payload, flags):
    covered = struct.pack(">HH", vci, flags) + payload.ljust(PAYLOAD, b"\0")
    return covered + struct.pack(">H", binascii.crc_hqx(covered, 0xffff))


def cells_of(vci, frame):
    """A frame as cells; 16 octets or fewer in the last one make it half a cell."""
    parts = [frame[at:at + PAYLOAD] for at in range(0, len(frame), PAYLOAD)]
    for number, part in enumerate(parts):
        yield cell(vci, part, (FIRST if number == 0 else 0)
                   | (LAST if number == len(parts) - 1 else 0)
                   | (HALF if len(part) <= PAYLOAD // 2 else 0))


class RingHost(LineEnd):
    """The host at the end of a cfr line."""

    def __init__(self, spec):
        super().__init__("cfr", spec)

    def send(self, octets):
        self.socket.sendto(octets, self.peer)

    def receive(self, timeout_s):
        """(VCI, flags, octets that count) of the next cell; None when none arrives."""
        self.socket.settimeout(timeout_s)
        try:
            octets = self.socket.recv(2048)
        except TimeoutError:
            return None
        assert len(octets) == OCTETS, octets.hex()
        vci, flags = struct.unpack(">HH", octets[:4])
        assert binascii.crc_hqx(octets[:-2], 0xffff) == struct.unpack(">H", octets[-2:])[0]
        return vci, flags, octets[4:4 + (PAYLOAD // 2 if flags & HALF else PAYLOAD)]

    def frame(self, vci, timeout_s=5):
        """The next whole frame, all of whose cells must have this VCI."""
        frame = b""
        while True:
            got = self.receive(timeout_s)
            assert got is not None, f"{len(frame)} octets of a frame, not its end"
            assert got[0] == vci, f"VCI {got[0]}, not {vci}"
            assert (frame == b"") == bool(got[1] & FIRST), "a frame begins with its first cell"
            frame += got[2]
            if got[1] & LAST:
                return frame
