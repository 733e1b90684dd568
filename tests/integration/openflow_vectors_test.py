#!/usr/bin/env python3
"""Open vSwitch reads every message of tests/golden/openflow as the text beside it says, which is an
opinion on our encoder that does not share its mistakes. unit_ovs holds that we encode and decode
the same octets. XBIND_REWRITE_GOLDEN=1 writes the texts anew.
"""

import struct

from harness import main, unittest
from openflow_vectors import FOLDER, OFCTL, REWRITE, names, octets_of, printed

ERROR = struct.Struct("!BBHIHH")
# Open vSwitch prints some codes with names of other versions.
OTHER_NAMES = {"OFPBRC_BAD_MULTIPART": "OFPBRC_BAD_STAT",
               "OFPBRC_BAD_EXPERIMENTER": "OFPBRC_BAD_VENDOR",
               "OFPBRC_BAD_EXP_TYPE": "OFPBRC_BAD_SUBTYPE",
               "OFPBRC_IS_SLAVE": "OFPBRC_IS_SECONDARY",
               "OFPBAC_BAD_EXPERIMENTER": "OFPBAC_BAD_VENDOR",
               "OFPBAC_BAD_EXP_TYPE": "OFPBAC_BAD_VENDOR_TYPE"}


@unittest.skipUnless(OFCTL, "NOT TESTED: there is no ovs-ofctl (package openvswitch-switch)")
class OpenVSwitchReadsOurMessages(unittest.TestCase):
    def test_as_the_text_beside_them_says(self):
        for name in names():
            with self.subTest(name):
                text = printed(octets_of(name))
                path = FOLDER / f"{name}.txt"
                if REWRITE:
                    path.write_text(text)
                self.assertEqual(text, path.read_text())

    def test_every_text_has_its_octets(self):
        self.assertEqual(sorted(path.stem for path in FOLDER.glob("*.txt")), names())

    def test_error_codes_have_the_names_of_the_list(self):
        for line in (FOLDER.parent / "openflow_error_codes.txt").read_text().splitlines():
            kind, code, name = line.split()
            with self.subTest(line):
                error = ERROR.pack(5, 1, ERROR.size, 1, int(kind), int(code))
                first = printed(error).splitlines()[0]
                self.assertEqual(first.split("): ")[1], OTHER_NAMES.get(name, name))


if __name__ == "__main__":
    main()
