"""The worked messages of tests/golden/gsmp, and captures of them, made by Wireshark's text2pcap."""

import re
import shutil
import subprocess
import unittest
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "gsmp"
CONTROLLER, SWITCH = ("10.0.0.1", 40000), ("10.0.0.2", 6068)
ADJACENCY = 10
ADJACENCY_OF_SWITCH = {"A2", "A3", "A6"}
NO_SUCCESS_ACK, ACK_ALL = 1, 2


@dataclass
class Vector:
    name: str
    frame: bytes  # with the TCP frame header
    words: str  # "" where our codec cannot print it

    @property
    def message(self):
        return self.frame[4:]

    @property
    def from_switch(self):
        if self.message[1] == ADJACENCY:
            return self.name in ADJACENCY_OF_SWITCH
        return self.message[2] not in (NO_SUCCESS_ACK, ACK_ALL)


def vectors():
    """All vectors by name. Files of versions 1 and 2 lack the frame header, which is added here."""
    found = {}
    for file in sorted(GOLDEN.rglob("*.hex")):
        octets = bytes.fromhex(re.sub(r"#.*|\s", "", file.read_text()))
        if octets[:2] != b"\x88\x0c":
            octets = b"\x88\x0c" + len(octets).to_bytes(2, "big") + octets
        words = file.with_suffix(".txt")
        found[file.stem] = Vector(file.stem, octets,
                                  words.read_text().strip() if words.exists() else "")
    return found


def make_capture(file, packets, form="pcap"):
    """`packets`: (from the switch?, octets), one TCP segment each."""
    if shutil.which("text2pcap") is None:
        raise unittest.SkipTest("NOT TESTED: text2pcap is not installed (./check installs it)")
    text = "".join(f"{'O' if from_switch else 'I'}\n000000 {octets.hex(' ')}\n\n"
                   for from_switch, octets in packets)
    source = Path(file).with_suffix(".txt")
    source.write_text(text)
    subprocess.run(["text2pcap", "-q", "-D", "-F", form, "-4", f"{CONTROLLER[0]},{SWITCH[0]}",
                    "-T", f"{CONTROLLER[1]},{SWITCH[1]}", str(source), str(file)],
                   check=True, capture_output=True, timeout=30)
    return file
