"""The messages of tests/golden/openflow: NAME.hex holds octets, NAME.txt what `ovs-ofctl ofp-print`
prints for them."""

import os
import re
import shutil
import subprocess

from harness import ROOT

FOLDER = ROOT / "tests" / "golden" / "openflow"
OFCTL = shutil.which("ovs-ofctl")
# Write the files anew; a review shows the changes.
REWRITE = bool(os.environ.get("XBIND_REWRITE_GOLDEN"))
LINE_DIGITS = 64


def names():
    return sorted(path.stem for path in FOLDER.glob("*.hex"))


def octets_of(name):
    return bytes.fromhex(re.sub(r"#.*", "", (FOLDER / f"{name}.hex").read_text()))


def rewrite(name, octets, origin):
    digits = octets.hex()
    lines = [digits[at:at + LINE_DIGITS] for at in range(0, len(digits), LINE_DIGITS)]
    words = [" ".join(re.findall("........|.+", line)) for line in lines]
    (FOLDER / f"{name}.hex").write_text("\n".join([f"# Origin: {origin}", *words]) + "\n")


def printed(octets):
    """What Open vSwitch reads in a message."""
    return subprocess.run([OFCTL, "ofp-print", octets.hex()], capture_output=True, text=True,
                          timeout=60, check=True).stdout
