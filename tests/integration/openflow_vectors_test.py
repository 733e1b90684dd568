#!/usr/bin/env python3
"""Open vSwitch reads every message of tests/golden/openflow as the text beside it says, which is an
opinion on our encoder that does not share its mistakes. unit_ovs holds that we encode and decode the
same octets. XBIND_REWRITE_GOLDEN=1 writes the texts anew.
"""

from harness import main, unittest
from openflow_vectors import FOLDER, OFCTL, REWRITE, names, octets_of, printed


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


if __name__ == "__main__":
    main()
