#!/usr/bin/env python3
"""Every engine and every way of aggregation, each in its own lab: all calls succeed."""

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit.load import daemon_options  # noqa: E402

CALLS = 400
# Calls a second. One after another, an instrumented manager carries no more on a busy machine.
RATE = 200 if MEMORY_COUNTS else 50


class Engines(unittest.TestCase):

    def summary_of(self, **options):
        """Summary of a run in a lab with these options; all calls succeeded and the audit was
        clean."""
        load = Load(calls=CALLS, rate=RATE, **options)
        with lab_up(more=daemon_options(load)) as lab:
            done, summary = offer(lab, load)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], CALLS, summary["refusals_by_place"])
        self.assertEqual(summary["releases"]["released"], CALLS)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])
        return done.stdout, summary

    def waits_for_every_answer(self, engine):
        said, summary = self.summary_of(engine=engine)
        self.assertEqual(summary["engine"], engine)
        self.assertEqual(summary["threshold"], 1)
        self.assertFalse(summary["adaptive"])
        self.assertIn(f"engine {engine}, every command alone (threshold 1)", said)
        # At least one invocation for each switch and each setup and release.
        self.assertGreaterEqual(summary["remote_invocations"], 2 * 3 * CALLS)

    def test_sequential(self):
        self.waits_for_every_answer("sequential")

    def test_threaded(self):
        self.waits_for_every_answer("threaded")

    def test_xbind(self):
        said, summary = self.summary_of(engine="xbind", threshold="4")
        self.assertEqual((summary["engine"], summary["threshold"]), ("xbind", 4))
        self.assertEqual(summary["aggregation"], "fixed")
        self.assertIn("engine xbind, aggregation threshold 4", said)

    def test_xbind_by_regions(self):
        said, summary = self.summary_of(engine="xbind", threshold="regions")
        self.assertEqual((summary["engine"], summary["aggregation"]), ("xbind", "regions"))
        self.assertFalse(summary["adaptive"])
        self.assertIn("aggregation regions", said)

    def test_xbind_is_adaptive_by_default(self):
        said, summary = self.summary_of(engine="xbind")
        self.assertEqual((summary["engine"], summary["aggregation"]), ("xbind", "adaptive"))
        self.assertTrue(summary["adaptive"])
        self.assertIn("aggregation adaptive", said)


if __name__ == "__main__":
    unittest.main()
