#!/usr/bin/env python3
"""Calls over sessions whose messages are dropped, repeated, reordered and delayed on purpose."""

import math

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit.load import daemon_options  # noqa: E402

LEGS = {"client_to_manager", "manager_to_client", "manager_to_switch", "switch_to_manager"}
FAULTS = ("dropped", "repeated", "reordered", "delayed")
LOSS = DUPLICATE = REORDER = DELAY = 0.05
SIGMAS = 6


def faulty_run(load, more=()):
    """A run of `load` in which every process that sends over sessions also has the options `more`
    (name, value)."""
    daemons = daemon_options(load)
    for program in ("xbind-cmgr", "xbind-switchserver"):
        daemons[program] = [*daemons[program], *((None, name, value) for name, value in more)]
    with lab_up(more=daemons) as lab:
        return offer(lab, load, *(f"--{name}={value}" for name, value in more))


class Faults(unittest.TestCase):

    def assert_near(self, count, probability, trials, what):
        """Asserts a count above 0 and within six standard deviations of the binomial mean."""
        mean = probability * trials
        sigma = math.sqrt(mean * (1 - probability))
        self.assertGreater(count, 0, what)
        self.assertTrue(abs(count - mean) <= SIGMAS * sigma,
                        f"{what}: {count} of {trials}, expected {mean:.0f} +- {SIGMAS * sigma:.0f}")

    def assert_every_call_got_through(self, done, summary, calls):
        # 3: a busy machine made the generator late; nothing failed. This test does not check
        # punctuality.
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        setups, releases = summary["setups"], summary["releases"]
        self.assertEqual(setups["attempted"], calls)
        self.assertEqual(setups["unanswered"], 0)
        # The sessions repeat what was lost: no call may fail.
        self.assertEqual(setups["connected"], calls, summary["refusals_by_place"])
        self.assertEqual(releases["released"], calls)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])

    def assert_legs_add_up(self, summary):
        legs = summary["faults_by_leg"]
        self.assertEqual(set(legs), LEGS)
        for fault in FAULTS:
            self.assertEqual(summary["faults"][fault], sum(leg[fault] for leg in legs.values()))

    def check(self, seed):
        load = Load(calls=3000, rate=500, seed=seed, threshold="4", loss=LOSS, duplicate=DUPLICATE,
                    reorder=REORDER)
        done, summary = faulty_run(load)
        self.assert_every_call_got_through(done, summary, 3000)
        self.assertRegex(done.stdout,
                         r"injected faults: .* dropped, .* repeated, .* reordered, .* delayed")
        self.assert_legs_add_up(summary)
        for leg, counts in summary["faults_by_leg"].items():
            trials = counts["invocations"]
            print(f"seed {seed} {leg}: {counts}")
            self.assertGreater(trials, 300, leg)
            # Only messages that are not dropped can have another fault.
            self.assert_near(counts["dropped"], LOSS, trials, f"{leg} dropped")
            self.assert_near(counts["repeated"], (1 - LOSS) * DUPLICATE, trials, f"{leg} repeated")
            self.assert_near(counts["reordered"], (1 - LOSS) * REORDER, trials, f"{leg} reordered")
            # A message held back when its peer falls silent is late, but nothing overtakes it.
            self.assertLess(counts["delayed"], counts["reordered"] / 4, leg)

    def test_every_call_gets_through_and_the_faults_are_as_many_as_asked_for(self):
        self.check(seed=1)

    def test_the_same_with_another_seed(self):
        self.check(seed=2)

    def test_delays_on_chosen_legs_stay_there(self):
        chosen = {"manager_to_switch", "switch_to_manager"}
        done, summary = faulty_run(
            Load(calls=2000, rate=500, threshold="4"),
            more=[("delay", DELAY), ("delay-ms", 20), ("fault-legs", ",".join(sorted(chosen)))])
        self.assert_every_call_got_through(done, summary, 2000)
        self.assert_legs_add_up(summary)
        for leg, counts in summary["faults_by_leg"].items():
            print(f"{leg}: {counts}")
            if leg not in chosen:
                self.assertEqual(set(counts.values()), {0}, leg)
                continue
            self.assertGreater(counts["invocations"], 300, leg)
            self.assert_near(counts["delayed"], DELAY, counts["invocations"], f"{leg} delayed")
            for fault in ("dropped", "repeated", "reordered"):
                self.assertEqual(counts[fault], 0, f"{leg} {fault}")


if __name__ == "__main__":
    unittest.main()
