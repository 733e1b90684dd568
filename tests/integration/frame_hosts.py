"""Raw Ethernet at the hosts of a lab: a test's socket inside a host's network namespace."""

import ctypes
import os
import socket
import struct
import threading

CLONE_NEWNET = 0x40000000
SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23  # linux/if_packet.h
AUXDATA = struct.Struct("=IIIHHHH")
STATUS_VLAN_VALID = 0x10
ETH_P_ALL = 3
TYPE = 0x88B5  # IEEE 802: for local experiments


class Ethernet:
    """eth0 of a host."""

    def __init__(self, host):
        self.mac = bytes.fromhex(host["mac"].replace(":", ""))
        self.socket = inside(host["namespace"], lambda: socket.socket(
            socket.AF_PACKET, socket.SOCK_RAW, 0))
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind(("eth0", ETH_P_ALL))
        self.socket.settimeout(10)

    def send(self, destination, body, vlan=None, size=60, kind=TYPE):
        """Sends a frame; the kernel has no 802.1Q device here, so a tag is written into it."""
        tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
        frame = destination.mac + self.mac + tag + struct.pack("!H", kind) + body
        self.socket.send(frame.ljust(size, b"\0"))

    def receive(self, kind=TYPE):
        """(body, VLAN or None) of the next frame of this type. The kernel takes a tag out of the
        frame and tells it apart."""
        while True:
            frame, messages, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(AUXDATA.size))
            if frame[12:14] != struct.pack("!H", kind):
                continue  # such as neighbour discovery
            vlan = None
            for level, kind, data in messages:
                if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                    status, _, _, _, _, tci, _ = AUXDATA.unpack_from(data)
                    vlan = tci & 0xFFF if status & STATUS_VLAN_VALID else None
            return frame[14:].rstrip(b"\0"), vlan

    def close(self):
        self.socket.close()


def inside(namespace, work):
    """The result of `work()` in a thread that is in the network namespace."""
    results = []

    def enter():
        handle = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        try:
            if ctypes.CDLL(None, use_errno=True).setns(handle, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), f"setns {namespace}")
            results.append(work())
        finally:
            os.close(handle)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return results[0]


def crc32_aal5(octets):
    """The CRC of AAL5 (ITU-T I.363.5): polynomial 04C11DB7, most significant bit first."""
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


BRIDGED = bytes.fromhex("aaaa030080c200070000")  # RFC 2684, 802.3 without FCS


def aal5_payloads(frame):
    """The payloads of the cells of a bridged frame."""
    data = BRIDGED + frame
    padding = -(len(data) + 8) % 48
    pdu = data + bytes(padding) + struct.pack("!HH", 0, len(data))
    pdu += struct.pack("!I", crc32_aal5(pdu))
    return [pdu[at:at + 48] for at in range(0, len(pdu), 48)]
