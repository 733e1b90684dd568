#!/usr/bin/env python3
"""Computations of ./quickstart --sweep: points, rates, ratios, intervals, texts; no processes."""

import itertools
import math
import re
import tempfile
from pathlib import Path
import random

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import quickstart, speed, speed_figures, sweep, sweep_figures as figures, topology

RATES = [20.0, 100.0, 500.0]


def result(rate=100.0, calls=500, connected=None, duration=5.05, unanswered=0, mean_us=400.0):
    """The parts of callgen's JSON that a sweep reads."""
    connected = calls if connected is None else connected
    return {
        "offered_setups_per_s": rate, "duration_s": duration, "threshold": 4,
        "remote_invocations": 1234, "label_cache_hit_ratio": 0.99,
        "setups": {"attempted": calls, "connected": connected, "unanswered": unanswered},
        "releases": {"unanswered": 0},
        "calls": {"hold_mean_s": 0.05},
        "setup_latency_us": {"mean": mean_us, "p5": 100.0, "p50": 300.0, "p95": 700.0, "p99": 900.0,
                             "max": 1000.0},
        "model_checks": {"mean_inter_arrival_us": {"planned": 1e6 / rate}},
        "verdict": {"void": False}, "audit": {"clean": True},
    }


def point(asked, achieved=None, system="xbind T=1", **more):
    return {"system": system, "asked": asked, "offered": asked,
            "achieved": asked if achieved is None else achieved, "unanswered": 0, "connected": 1000,
            "mean_ms": 1.0, **more}


class Points(unittest.TestCase):

    def test_the_holding_time_is_no_work(self):
        made = figures.point_of(result(rate=100.0, calls=500, duration=5.05))
        self.assertAlmostEqual(made["achieved"], 100.0)
        self.assertAlmostEqual(made["offered"], 100.0)
        self.assertAlmostEqual(made["mean_ms"], 0.4)
        self.assertTrue(figures.carried(made))

    def test_arrivals_by_chance_count_as_drawn(self):
        slow = result(rate=100.0, calls=500, duration=5.55)  # the drawn gaps: 90.9 a second
        slow["model_checks"]["mean_inter_arrival_us"]["planned"] = 11_000.0
        self.assertTrue(figures.carried(figures.point_of(slow)))

    def test_a_backlog_at_the_end_is_saturation(self):
        self.assertFalse(figures.carried(figures.point_of(result(duration=5.40))))

    def test_refused_and_unanswered_calls_are_not_carried(self):
        self.assertFalse(figures.carried(figures.point_of(result(connected=470))))
        self.assertFalse(figures.carried(figures.point_of(result(unanswered=1))))


class Rates(unittest.TestCase):

    def search(self, limit):
        """The rates tried on a system that carries up to `limit` calls/s, and the rate found."""
        points = []
        while (rate := figures.next_rate(points, RATES)) is not None:
            points.append(point(rate, min(rate, limit)))
            self.assertLess(len(points), 60)
        return [made["asked"] for made in points], figures.highest_throughput(points)

    def test_rise_until_they_are_not_carried_and_close_in(self):
        tried, found = self.search(limit=1000.0)
        self.assertEqual(tried[:5], [20.0, 100.0, 500.0, 750.0, 1125.0])
        self.assertTrue(0.85 * 1000 <= found <= 1000, (tried, found))

    def test_find_any_limit_within_a_tenth(self):
        for limit in (25.0, 99.0, 600.0, 12_345.0, 250_000.0):
            _, found = self.search(limit)
            # A rate counts as carried when 95 % of it is reached.
            self.assertTrue(limit / 1.1 <= found <= limit, (limit, found))

    def test_a_system_that_carries_nothing(self):
        tried, found = self.search(limit=1.0)
        self.assertEqual(tried, [20.0])
        self.assertIsNone(found)

    def test_six_loads_from_idle_to_saturation(self):
        loads = figures.loads_up_to(10_000.0)
        self.assertEqual(len(loads), 6)
        self.assertEqual(loads, sorted(loads))
        self.assertEqual((loads[0], loads[-1]), (20.0, 9500.0))


class Intervals(unittest.TestCase):

    def test_nine_values_give_the_second_and_the_eighth(self):
        median, low, high, reached = figures.median_interval([9, 1, 8, 2, 7, 3, 6, 4, 5])
        self.assertEqual((median, low, high), (5, 2, 8))
        self.assertAlmostEqual(reached, 1 - 2 * 10 / 512)

    def test_six_are_the_fewest_for_95_per_cent(self):
        self.assertGreater(figures.median_interval(range(6))[3], 0.95)
        self.assertEqual(figures.median_interval(range(6))[1:3], (0, 5))
        self.assertLess(figures.median_interval(range(5))[3], 0.95)
        self.assertEqual(figures.median_interval([3.0]), (3.0, 3.0, 3.0, 0.0))
        with self.assertRaises(ValueError):
            figures.median_interval([])

    def test_the_probability_is_the_share_of_coin_tosses(self):
        # Each of 9 values is below or above the true median: in how many of these cases is the
        # median within the interval?
        within = sum(2 <= sum(tosses) <= 7 for tosses in itertools.product((0, 1), repeat=9))
        self.assertAlmostEqual(figures.median_interval(range(9))[3], within / 512)

    def test_it_holds_the_true_median_as_often_as_it_says(self):
        dice = random.Random(1)
        true_median = math.log(2)
        held = 0
        for _ in range(2000):
            _, low, high, reached = figures.median_interval(
                [dice.expovariate(1) for _ in range(15)])
            held += low <= true_median <= high
        self.assertGreaterEqual(reached, 0.95)
        self.assertAlmostEqual(held / 2000, reached, delta=0.02)


class Comparisons(unittest.TestCase):

    def test_ratios_of_the_engines(self):
        points = [point(20.0, system="sequential", mean_ms=1.0),
                  point(500.0, system="sequential", mean_ms=4.0),
                  point(800.0, 600.0, system="sequential", mean_ms=90.0),
                  point(20.0, system="xbind T=1", mean_ms=0.4),
                  point(3500.0, system="xbind T=15", mean_ms=2.0),
                  point(9000.0, system="xbind adaptive", mean_ms=2.0)]
        latency, throughput = figures.engine_ratios(points)
        self.assertAlmostEqual(latency["measured"], 0.4)
        self.assertTrue(latency["met"])
        self.assertAlmostEqual(throughput["measured"], 7.0)  # only fixed thresholds
        self.assertTrue(throughput["met"])

    def test_a_ratio_without_its_figures_is_missed(self):
        for row in figures.engine_ratios([point(20.0, system="xbind T=1")]):
            self.assertIsNone(row["measured"])
            self.assertFalse(row["met"])

    def test_pairs_are_of_the_same_load_and_round(self):
        points = []
        for load, round_number in itertools.product(range(2), range(9)):
            slow = 1.0 + round_number  # a machine that becomes slower affects both alike
            common = {"load": load, "round": round_number}
            points.append(point(20.0 + load, system="adaptive", mean_ms=0.9 * slow) | common)
            points.append(point(20.0 + load, system="4", mean_ms=(1 + load) * slow) | common)
        first, second = figures.comparisons(points, ["4"])
        self.assertEqual((first["against"], first["pairs"], first["asked"]), ("4", 9, 20.0))
        for value in ("median", "low", "high"):
            self.assertAlmostEqual(first[value], 0.9)
            self.assertAlmostEqual(second[value], 0.45)

    def test_a_run_without_a_connected_call_makes_no_pair(self):
        points = [point(20.0, system=system, connected=connected) | {"load": 0, "round": number}
                  for system, number, connected in (("adaptive", 0, 9), ("4", 0, 0),
                                                    ("adaptive", 1, 9), ("4", 1, 9),
                                                    ("adaptive", 2, 9))]
        self.assertEqual([row["pairs"] for row in figures.comparisons(points, ["4"])], [1])


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

    def told(self, name, results):
        return {goal["what"]: (goal["measured"], goal["met"])
                for goal in speed_figures.goals(name, results)}

    def test_a_rate_counts_once_it_is_confirmed(self):
        points = [{"kind": kind, "rate": rate, "run": {"call_operations_per_s": 2 * rate - 1}}
                  for kind, rate in (("rise", 100.0), ("confirm", 200.0), ("confirm", 100.0))]
        search = {"confirmed": True, "rate": 100.0, "points": points}
        self.assertEqual(speed_figures.best_of(search), {"rate": 100.0, "operations_per_s": 199.0})
        self.assertIsNone(speed_figures.best_of({**search, "confirmed": False}))

    def test_shares_are_of_null_servants_before_and_after(self):
        results = {"highest": {"confirmed": False, "rate": 0, "points": []}, "tails": [],
                   "ceiling": {"operations_per_s": 250_000},
                   "floors": [{"floor": {"ceiling_operations_per_s": speed}}
                              for speed in (9e5, 11e5)],
                   "low_load": {"floor": {"run_over_floor_setup_p50": 1.5,
                                          "run_over_floor_setup_p99": 6.0}}}
        told = list(self.told("throughput", results).values())
        self.assertEqual(told,
                         [(None, False), (0.25, False), (1.5, True), (6.0, False), (None, False)])
        # Of three runs near the highest rate, one may be disturbed by the host.
        results["tails"] = [{"setup_latency_us": {"p99": us}} for us in (4_000, 60_000, 4_500)]
        self.assertEqual(list(self.told("throughput", results).values())[-1], (4.5, True))

    def test_a_connection_costs_what_the_last_ones_added(self):
        def memory(cmgr, server, switch):
            return {"xbind-cmgr": cmgr, "xbind-switchserver": server, "xbind-switch": switch}
        results = {"points": [{"up": 1000, "cpu_us_per_operation": {"a": 8.0, "b": 2.0}},
                              {"up": 11_000, "cpu_us_per_operation": {"a": 9.0, "b": 2.0}}],
                   "memory_octets": {"0": memory(0, 0, 0), "1000": memory(5e6, 4e6, 3e6),
                                     "11000": memory(9e6, 5e6, 4.2e6)}}
        self.assertEqual([measured for measured, _ in self.told("scale", results).values()],
                         [1.1, 400.0, 100.0, 120.0])

    def test_medians_of_rounds_are_compared(self):
        points = [{"network": network, "outstanding": outstanding, "operations_per_s": speed,
                   "commands_per_operation": hops}
                  for network, outstanding, hops, speeds in (
                      ("wide", 8, 5, (10, 11, 99)), ("wide", 16, 5, (10, 12, 90)),
                      ("three", 8, 3, (25, 1, 26)), ("three", 16, 3, (24, 90, 1)))
                  for speed in speeds]
        self.assertEqual(list(self.told("wide", {"points": points}).values()), [(60 / 75, True)])
        points = [{"count": count, "outstanding": outstanding, "operations_per_s": speed}
                  for count, outstanding, speeds in ((1, 8, (99, 100, 300)), (1, 16, (98, 98, 98)),
                                                     (2, 8, (94, 96, 20)), (4, 8, (60, 99, 61)),
                                                     (4, 16, (80, 81, 82)))
                  for speed in speeds]
        self.assertEqual(list(self.told("managers", {"points": points}).values()),
                         [(0.94, False), (0.81, False)])

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
        points = [{"system": "xbind T=4", **figures.point_of(result())}]
        lines = self.made_of("engines", points=points, ratios=figures.engine_ratios(points))
        self.assertEqual(len(lines[1]), len(lines[2]))
        self.assertIn("xbind T=4               100      100    0.400", lines[2])
        self.assertIn("MISSED", lines[-1])
        compared = {"load": 0, "asked": 20.0, "against": "4", "pairs": 9, "median": 0.9, "low": 0.8,
                    "high": 1.1, "confidence": 0.9609}
        lines = self.made_of("adaptive", highest_setups_per_s=5000.0, points=[],
                             comparisons=[compared])
        self.assertIn("[0.800, 1.100] at 96.1 %", lines[-1])
        cached = {**points[0], **figures.cache_of(result(), [], 2)}
        lines = self.made_of("cache", points=[cached])
        self.assertEqual(len(lines[1]), len(lines[2]))

    def test_what_is_odd_about_a_point_is_said(self):
        odd = {"system": "sequential", **figures.point_of(result(duration=9.0))}
        self.assertIn("saturated", figures.point_line(odd))
        self.assertNotIn("late", figures.point_line(odd))
        self.assertIn("generator late", figures.point_line(odd | {"void": True}))
        self.assertIn("NOT CLEAN", figures.point_line(odd | {"clean": False}))

    def test_every_sweep_has_a_name_that_quickstart_takes(self):
        for name in sweep.SWEEPS:
            self.assertEqual(quickstart.parse(["--sweep", name]).sweep, name)


if __name__ == "__main__":
    unittest.main()
