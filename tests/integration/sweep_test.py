#!/usr/bin/env python3
"""What ./quickstart --sweep makes of callgen's JSON, without any process: goals, tables, words."""

import re
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import bench, quickstart, sip, speed, speed_figures, sweep, topology
from labkit import sweep_figures as figures


def result(rate=100.0, calls=500, mean_us=400.0):
    """The parts of a run's JSON that a sweep looks at."""
    return {
        "offered_setups_per_s": rate, "label_cache_hit_ratio": 0.99,
        "setups": {"attempted": calls, "connected": calls},
        "setup_latency_us": {"mean": mean_us}, "verdict": {"void": False}, "audit": {"clean": True},
    }


def search(carried, idle_us=400.0, clean=True):
    """The parts of saturate's JSON that a sweep reads; the system carries `carried` calls/s."""
    def point(kind, rate, verdict):
        run_of_point = {"connected": 100, "carried_per_s": rate, "audit_clean": clean,
                        "call_operations_per_s": 2 * rate,
                        "setup_mean_us": idle_us if rate == 20 else 9_000.0}
        return {"kind": kind, "rate": rate, "verdict": verdict, "run": run_of_point}
    points = [point("warm-up", 10, None), point("rise", 20, "kept"),
              point("rise", 2 * carried, "broken"), point("confirm", carried, "kept")]
    return {"rate": carried, "confirmed": True, "points": points, "best": points[-1]["run"]}


NOTHING = {"rate": 0, "confirmed": False, "points": [
    {"kind": "rise", "rate": 20, "verdict": "broken",
     "run": {"connected": 0, "audit_clean": True, "setup_mean_us": 0.0}}]}


class Bench(unittest.TestCase):
    """./quickstart --bench ends with 1 when a figure is missed that is no time."""

    def test_a_time_is_shown_and_anything_else_is_judged(self):
        rows = [("restored within", "1.50 s", "below 1 s", False),
                ("all five audits", "clean", "clean", True)]
        self.assertEqual(bench.verdict(rows), 0)
        self.assertEqual(bench.verdict(rows + [("memory of xbind-cmgr", "120.0, then 140.0 MB",
                                                "below 100", False)]), 1)


class Engines(unittest.TestCase):

    def goals(self, searches):
        return [(goal["measured"], goal["met"])
                for goal in speed_figures.goals("engines", {"searches": searches})]

    def test_ratios_are_of_the_lowest_rate_and_of_what_was_carried(self):
        searches = {"sequential": search(500.0, idle_us=1000.0), "xbind T=1": search(900.0),
                    "xbind T=15": search(3500.0), "xbind adaptive": search(9000.0)}
        self.assertEqual(self.goals(searches), [(0.4, True), (7.0, True)])  # fixed thresholds alone

    def test_a_ratio_without_its_figures_is_missed(self):
        self.assertEqual(self.goals({"sequential": NOTHING, "xbind T=1": search(900.0)}),
                         [(None, False), (None, False)])

    def test_a_search_is_clean_when_every_run_of_it_was(self):
        self.assertTrue(speed_figures.clean_search(search(500.0)))
        self.assertFalse(speed_figures.clean_search(search(500.0, clean=False)))


class Adaptive(unittest.TestCase):

    def test_six_loads_from_idle_to_saturation(self):
        loads = figures.loads_up_to(10_000.0)
        self.assertEqual(len(loads), 6)
        self.assertEqual(loads, sorted(loads))
        self.assertEqual((loads[0], loads[-1]), (20.0, 9500.0))


class Sip(unittest.TestCase):

    def test_a_rate_is_kept_when_nothing_failed_and_nothing_was_sent_again(self):
        good = {"failed": 0, "retransmissions": 0, "successful": 8, "offered": 8}
        self.assertTrue(sip.kept(good))
        for wrong in ({"failed": 1}, {"retransmissions": 1}, {"successful": 7}):
            self.assertFalse(sip.kept(good | wrong))


class Caches(unittest.TestCase):

    def test_labels_against_calls(self):
        samples = [{"labels_cached": 40, "connections": 250},
                   {"labels_cached": 44, "connections": 274}]
        made = figures.cache_of(result(), samples, ports=2)
        self.assertAlmostEqual(made["labels_per_port"], 21.0)
        self.assertAlmostEqual(made["calls_up"], 262.0)
        self.assertAlmostEqual(made["labels_per_call"], 21 / 262)

    def test_without_a_sample_there_is_no_figure(self):
        made = figures.cache_of(result(), [{"labels_cached": 4, "connections": 0}], ports=2)
        self.assertIsNone(made["labels_per_call"])
        self.assertEqual(made["hit_ratio"], 0.99)

    def test_counters_as_xbindctl_prints_them(self):
        self.assertEqual(
            figures.metrics_of("rss_kib       100\nlabels_cached  12\nodd line here 3\n"),
            {"rss_kib": 100, "labels_cached": 12})


class Speed(unittest.TestCase):

    def goals_of(self, name, results):
        return {goal["what"]: (goal["measured"], goal["met"])
                for goal in speed_figures.goals(name, results)}

    def test_a_rate_counts_once_it_is_confirmed(self):
        self.assertEqual(speed_figures.highest_line(search(100.0)),
                         "highest rate carried: 100 calls/s, 200 operations/s")
        self.assertEqual(speed_figures.highest_line(NOTHING), "no rate was carried")

    def test_shares_are_of_null_servants_before_and_after(self):
        results = {"highest": NOTHING, "tails": [],
                   "ceiling": {"operations_per_s": 250_000},
                   "floors": [{"floor": {"ceiling_operations_per_s": speed}}
                              for speed in (9e5, 11e5)],
                   "low_load": {"floor": {"run_over_floor_setup_p50": 1.5,
                                          "run_over_floor_setup_p99": 6.0}}}
        goals = list(self.goals_of("throughput", results).values())
        self.assertEqual(goals,
                         [(None, False), (0.25, False), (1.5, True), (6.0, False), (None, False)])
        # Of three runs near the highest rate, one may be disturbed by the host.
        results["tails"] = [{"setup_latency_us": {"p99": us}} for us in (4_000, 60_000, 4_500)]
        self.assertEqual(list(self.goals_of("throughput", results).values())[-1], (4.5, True))

    def test_a_connection_costs_what_the_last_ones_added(self):
        def memory(cmgr, server, switch):
            return {"xbind-cmgr": cmgr, "xbind-switchserver": server, "xbind-switch": switch}
        results = {"points": [{"up": 1000, "cpu_us_per_operation": {"a": 8.0, "b": 2.0}},
                              {"up": 11_000, "cpu_us_per_operation": {"a": 9.0, "b": 2.0}}],
                   "memory_octets": {"0": memory(0, 0, 0), "1000": memory(5e6, 4e6, 3e6),
                                     "11000": memory(9e6, 5e6, 4.2e6)}}
        self.assertEqual([measured for measured, _ in self.goals_of("scale", results).values()],
                         [1.1, 400.0, 100.0, 120.0])

    def test_each_system_counts_with_what_it_is_fastest_with(self):
        points = [{"system": system, "outstanding": outstanding, "operations_per_s": operations}
                  for system, outstanding, rounds in (
                      ("wide", 8, (10, 11, 99)), ("wide", 16, (12, 13, 14)),
                      ("three", 8, (25, 24, 26)), ("three", 16, (24, 90, 1)))
                  for operations in rounds]
        self.assertEqual(speed_figures.fastest(points, "wide"), 16)
        self.assertEqual(speed_figures.fastest(points, "three"), 8)

    def test_ratios_are_those_of_compare(self):
        lines = [{"line": {"ratio": ratio}} for ratio in (0.96, 0.81)]
        self.assertEqual(list(self.goals_of("managers", {"comparisons": lines}).values()),
                         [(0.96, True), (0.81, False)])
        self.assertEqual(list(self.goals_of("wide", {"comparisons": lines[1:]}).values()),
                         [(0.81, True)])

    def test_the_ring_has_calls_over_two_to_eight_switches(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(speed.ring_of(12))
            file.flush()
            described = topology.describe(BIN, Path(file.name))
        self.assertEqual(len(described["switches"]), 12)
        self.assertEqual(len(described["links"]), 12)
        demands = re.findall(r'from = "node-(\d+)"\nto = "node-(\d+)"', speed.ring_of(12))
        far = [(int(to) - int(start)) % 12 + 1 for start, to in demands]
        self.assertEqual({hops: far.count(hops) for hops in far}, dict.fromkeys(range(2, 9), 12))

    def test_what_only_pictures_need_is_not_kept(self):
        self.assertEqual(
            speed_figures.without_bulk({"a": [{"series": 1, "b": 2}], "histograms_ns": {}}),
            {"a": [{"b": 2}]})

    def test_words_say_what_was_wanted(self):
        text = speed_figures.text_of(
            [{"what": "x", "measured": None, "wanted": 2, "at_most": True, "met": False}])
        self.assertRegex(text, r"x +-   at most 2 +MISSED")


class Words(unittest.TestCase):

    def made_of(self, name, **parts):
        return figures.text_of({"sweep": name, **parts}).splitlines()

    def test_every_table_has_its_columns_in_line(self):
        searches = {"sequential": NOTHING, "xbind T=1": search(900.0)}
        lines = self.made_of("engines", searches=searches,
                             goals=speed_figures.goals("engines", {"searches": searches}))
        self.assertEqual(len({len(line) for line in lines[1:4]}), 1)
        self.assertIn("sequential                -        -        -        -", lines[2])
        self.assertIn("xbind T=1               900      900    9.000    0.400", lines[3])
        self.assertIn("MISSED", lines[-1])
        compared = {"asked": 20.0, "against": "4", "pairs": 9, "ratio": 0.9,
                    "interval_95": [0.8, 1.1], "confidence": 0.9609,
                    "method": "median of 9 pairs of runs"}
        lines = self.made_of("adaptive", search=search(5000.0), comparisons=[compared])
        self.assertIn("[0.800, 1.100] at 96.1 %", lines[-1])
        cached = {"system": "xbind T=4", **figures.point_of(result()),
                  **figures.cache_of(result(), [], 2)}
        lines = self.made_of("cache", points=[cached])
        self.assertEqual(len(lines[1]), len(lines[2]))

    def test_a_comparison_of_too_few_pairs_says_why(self):
        row = {"asked": 20.0, "against": "4", "pairs": 0, "ratio": None, "interval_95": None,
               "confidence": None, "method": "not measured in A"}
        self.assertIn("- (not measured in A)", figures.comparison_line(row))

    def test_an_audit_that_is_not_clean_is_named(self):
        self.assertIn("NOT CLEAN", figures.search_line("sequential", search(500.0, clean=False)))
        self.assertNotIn("NOT CLEAN", figures.search_line("sequential", search(500.0)))

    def test_every_sweep_has_a_name_that_quickstart_takes(self):
        for name in sweep.SWEEPS:
            self.assertEqual(quickstart.parse(["--sweep", name]).sweep, name)


if __name__ == "__main__":
    unittest.main()
