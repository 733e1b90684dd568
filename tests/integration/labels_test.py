#!/usr/bin/env python3
"""More calls than labels: the surplus is refused and counted, and no label is lost.

In the paper's chain every call takes one label of each of the two links and of each end's own port.
So the number of calls that are up is a port's number of labels.
"""

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LABELS = 64
CALLS = 200


class Labels(InOneLab):

    LAB = {"labels_per_port": LABELS}

    def crowd(self, seed):
        """Offers 200 calls within about a second; all have arrived long before the first one
        ends."""
        done, summary = offer(self.lab, Load(calls=CALLS, rate=200, hold=4.0, seed=seed))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout,
                         "refused [0-9]+ times: no label at (host-a|switch-1|host-b) port")
        self.assertEqual(summary["setups"], {"attempted": CALLS, "connected": LABELS,
                                             "refused": CALLS - LABELS, "busy": 0, "unanswered": 0})
        self.assertEqual(summary["refusals"], {"no label": CALLS - LABELS})
        self.assertEqual(summary["releases"], {"attempted": LABELS, "released": LABELS, "failed": 0,
                                               "unanswered": 0})
        self.assertEqual(summary["calls"]["up_peak"], LABELS)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])

    def test_as_many_calls_as_labels_and_again(self):
        self.crowd(seed=1)
        self.crowd(seed=2)  # all labels are available again


if __name__ == "__main__":
    unittest.main()
