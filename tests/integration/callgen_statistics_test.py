#!/usr/bin/env python3
"""Checks every statistic of callgen's JSON against an independent computation from the raw records
(--records). The two share no code. A number in the JSON without a check here fails the test."""

import csv
import math
import os
import re
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from order_statistics import bucket, deviation, left_out, ranked

WARM_UP_S = 1.0
CALLS = 3000
RATE = 500.0

# Causes that make up each class, in words.
CLASSES = {"no_route": ["no route", "path bound", "too hard"], "no_bandwidth": ["no bandwidth"],
           "no_buffer": ["no buffer"], "no_label": ["no label"], "overload": ["busy"],
           "timed_out": ["timeout"]}
T95 = 2.0930240544083  # Student's t, 19 degrees of freedom
PERCENTILES = {"p5": 5, "p50": 50, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9, "p9999": 99.99}

# Not computable from records: test_what_records_cannot_tell... or callgen_outputs_test checks them.
FROM_ELSEWHERE = re.compile(r"""
    (threshold|switches|managers|generators|remote_invocations|label_cache_hit_ratio)
    | rss_mb/.* | faults/.* | faults_by_leg/.* | audit/.* | audits/.* | odd_outcomes/.* | notices/.*
    | processes/.* | counters/.* | stages/.* | duration_s | offered_setups_per_s | sent_setups_per_s
    | calls/(client_batches|hold_mean_s|planned) | model_checks/checks/\d+/(tolerance)
    | cost/(?!operations$).* | arrivals/(planned|sent)/asked_per_s | series/interval_s
    | occupancy/\w+/(late_events|shifted_s) | floor/.* """, re.VERBOSE)


def flat(value, path=""):
    """{path: number} for every number of a JSON value."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield path, value
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in items:
        yield from flat(one, f"{path}/{key}" if path else str(key))


class Record:
    def __init__(self, line):
        self.call = int(line["call"])
        self.kind, self.ended, self.cause = line["kind"], line["ended"], line["cause"]
        self.planned = int(line["planned_ns"])
        self.sent = int(line["sent_ns"]) if line["sent_ns"] else None
        self.answered = int(line["answered_ns"]) if line["answered_ns"] else None

    @property
    def outcome(self):
        if self.ended == "done":
            return "success"
        if self.ended == "refused":
            return next(name for name, causes in CLASSES.items() if self.cause in causes)
        return {"busy": "overload"}.get(self.ended, self.ended)

    @property
    def measured(self):
        return self.planned >= WARM_UP_S * 1e9

    @property
    def latency(self):
        return self.answered - self.planned


class Occupancy:
    """Number of calls inside over time, from sorted events (time, +1 or -1)."""

    def __init__(self, events):
        self.area = self.inside = self.peak = 0
        self.found, self.areas, self.times = [], [], []
        at = 0
        for when, step in sorted(events):  # a call that leaves when another arrives is gone
            self.area += self.inside * (when - at)
            at = when
            if step > 0:
                self.found.append(self.inside)
                self.areas.append(self.area)
                self.times.append(when)
            self.inside += step
            self.peak = max(self.peak, self.inside)
        self.end = at

    def mean_over_time(self):
        return (self.areas[-1] - self.areas[0]) / (self.times[-1] - self.times[0])

    def batches(self):
        """Mean found at arrivals minus mean over time, for batches of 32, 64, ... arrivals."""
        size = 32
        while (len(self.found) - 1) // size >= 40:
            size *= 2
        return [sum(self.found[first + 1:first + size + 1]) / size
                - (self.areas[first + size] - self.areas[first])
                / (self.times[first + size] - self.times[first])
                for first in range(0, len(self.found) - size, size)]


class Statistics(InOneLab):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as directory:
            raw = Path(directory) / "records.csv"
            # A link has room for 100 calls and 100 are up on average, so some are refused.
            cls.done, cls.json = offer(
                cls.lab, Load(calls=CALLS, rate=RATE, hold=0.2, seed=11, cells_per_s=3500),
                "--records", raw, "--warm-up", WARM_UP_S, "--hold-distribution", "exponential")
            with raw.open() as lines:
                cls.records = [Record(line) for line in csv.DictReader(lines)]
        cls.kinds = defaultdict(list)
        for record in cls.records:
            cls.kinds[record.kind].append(record)
        cls.setups = sorted(cls.kinds["setup"], key=lambda record: record.call)
        cls.releases = cls.kinds["release"]
        cls.checked = set()

    def expected(self):
        """{path: (least, most)}, computed from the records."""
        bounds = {}

        def exactly(path, value, relative=1e-9, absolute=1e-9):
            off = abs(value) * relative + absolute
            bounds[path] = (value - off, value + off)

        def above(path, value_ns):  # a histogram's percentile
            bounds[path] = (value_ns / 1e3 - 1e-9, value_ns / 1e3 * 129 / 128 + 1e-3)

        self.count_requests(exactly)
        for path, values in self.latencies():
            self.summary(path, values, exactly, above)
        for kind in ("setup", "release"):
            self.batch_means(kind, exactly)
        self.arrivals(exactly, bounds)
        self.occupancy(exactly)
        self.series(exactly, above)
        self.histograms(exactly)
        self.checks(exactly)
        return bounds

    def count_requests(self, exactly):
        ends = Counter(record.ended for record in self.setups)
        exactly("setups/attempted", CALLS)
        for count in ("sessions_lost", "sessions_opened", "requests_repeated"):
            exactly(f"reattached/{count}", 0)
        exactly("setups/connected", ends["done"])
        for name in ("refused", "busy"):
            exactly(f"setups/{name}", ends[name])
        exactly("setups/unanswered", ends["unanswered"] + ends["shed"])
        exactly("calls/shed", ends["shed"])
        exactly("verdict/refused_share", (ends["refused"] + ends["busy"]) / CALLS)
        ends = Counter(record.ended for record in self.releases)
        exactly("releases/attempted", len(self.releases))
        exactly("releases/released", ends["done"])
        exactly("releases/failed", ends["refused"] + ends["busy"])
        exactly("releases/unanswered", ends["unanswered"])
        for name in self.json["outcomes"]:
            exactly(f"outcomes/{name}", sum(record.outcome == name for record in self.setups))
        for kind, records in self.kinds.items():
            exactly(f"kinds/{kind}/requests", len(records))
            exactly(f"kinds/{kind}/warm_up", sum(not record.measured for record in records))
            for name in self.json["outcomes"]:
                exactly(f"kinds/{kind}/outcomes/{name}",
                        sum(record.outcome == name for record in records))
        for cause, count in Counter(record.cause for record in self.setups
                                    if record.ended == "refused").items():
            exactly(f"refusals/{cause}", count)
        span = self.json["duration_s"] - WARM_UP_S
        connected = sum(record.ended == "done" and record.measured for record in self.setups)
        released = sum(record.ended == "done" and record.measured for record in self.releases)
        exactly("setups_per_s", connected / span)
        exactly("call_operations_per_s", (connected + released) / span)
        exactly("cost/operations",
                self.json["setups"]["connected"] + self.json["releases"]["released"])
        exactly("warm_up/cut_s", WARM_UP_S)
        up = Occupancy(dict(self.systems())["up"])
        exactly("calls/up_peak", up.peak, absolute=2.0)  # the run counts in its reading order

    def latencies(self):
        """{path of a summary: the values that it summarises}."""
        def values(records, of):
            return [of(record) for record in records if record.measured and of(record) is not None]

        def latency(record):
            return record.latency if record.ended == "done" else None

        def from_send(record):
            return record.answered - record.sent if record.ended == "done" else None

        def refusal(record):
            return record.latency if record.ended in ("refused", "busy") else None

        def refusal_from_send(record):
            return record.answered - record.sent if record.ended in ("refused", "busy") else None

        def slip(record):
            return record.sent - record.planned if record.sent is not None else None

        for kind, records in self.kinds.items():
            for name, of in (("latency_us", latency), ("latency_from_send_us", from_send),
                             ("slip_us", slip), ("refusal_latency_us", refusal),
                             ("refusal_latency_from_send_us", refusal_from_send)):
                yield f"kinds/{kind}/{name}", values(records, of)
        yield "setup_latency_us", values(self.setups, latency)
        yield "release_latency_us", values(self.releases, latency)
        yield "refusal_latency_us", values(self.setups, refusal)
        yield "latency_from_send_us/setup", values(self.setups, from_send)
        yield "latency_from_send_us/release", values(self.releases, from_send)
        yield "generator_slip_us", values(self.records, slip)

    @staticmethod
    def summary(path, values, exactly, above):
        exactly(f"{path}/count", len(values))
        if not values:
            for name in ("min", "mean", "sd", "max", *PERCENTILES):
                exactly(f"{path}/{name}", 0)
            return
        exactly(f"{path}/min", min(values) / 1e3)
        exactly(f"{path}/max", max(values) / 1e3)
        exactly(f"{path}/mean", sum(values) / len(values) / 1e3)
        exactly(f"{path}/sd", deviation(values) / 1e3 if len(values) > 1 else 0, relative=1e-6)
        for name, percent in PERCENTILES.items():
            above(f"{path}/{name}", ranked(values, percent))
        for name in ("p50", "p90", "p95", "p99", "p999"):
            share = PERCENTILES[name] / 100
            low, high = (left_out(len(values), part) for part in (share, 1 - share))
            if low is not None and high is not None:
                above(f"{path}/interval_95/{name}/0", sorted(values)[low])
                above(f"{path}/interval_95/{name}/1", sorted(values)[-1 - high])

    def batch_means(self, kind, exactly):
        done = [record for record in self.kinds[kind] if record.ended == "done" and record.measured]
        span = 1_000_000
        while max(record.planned for record in done) // span >= 2000:
            span *= 2
        by_span = defaultdict(list)
        for record in done:
            by_span[record.planned // span].append(record.latency / 1e3)
        first = math.ceil(WARM_UP_S * 1e9 / span)
        # Only until the last arrival: too few releases follow it.
        last = min(max(by_span) + 1, max(record.planned for record in self.setups) // span)
        in_batch = (last - first) // 20
        means = []
        for batch in range(20):
            spans = range(first + batch * in_batch, first + (batch + 1) * in_batch)
            values = [value for one in spans for value in by_span[one]]
            self.assertGreaterEqual(len(values), 10)
            means.append(sum(values) / len(values))
        path = f"mean_interval_95/{kind}"
        exactly(f"{path}/batches", 20)
        exactly(f"{path}/batch_s", in_batch * span / 1e9)
        exactly(f"{path}/mean_us", sum(means) / 20)
        exactly(f"{path}/half_width_us", T95 * deviation(means) / math.sqrt(20), relative=1e-6)
        points = []
        for begin in range(0, max(by_span) + 1 - 4, 5):
            values = [value for one in range(begin, begin + 5) for value in by_span[one]]
            if values:
                points.append((begin * span, sum(values) / len(values)))
        scores = {}
        for cut in range(len(points) // 2 + 1):
            left = [mean for _, mean in points[cut:]]
            mean = sum(left) / len(left)
            scores[cut] = sum((one - mean) ** 2 for one in left) / len(left) ** 2
        if kind == "setup":
            exactly("warm_up/steady_from_s", points[min(scores, key=scores.get)][0] / 1e9)

    def arrivals(self, exactly, bounds):
        for name, times in (("planned", [record.planned for record in self.setups]),
                            ("sent", [record.sent for record in self.setups])):
            gaps = [(after - before) / 1e9 for before, after in zip([0, *times], times)]
            path = f"arrivals/{name}"
            exactly(f"{path}/gaps", len(gaps))
            exactly(f"{path}/mean_gap_s", sum(gaps) / len(gaps))
            mean = sum(gaps) / len(gaps)
            spread = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
            exactly(f"{path}/variation", spread / mean, relative=1e-6)
            distance = 0.0
            for rank, gap in enumerate(sorted(gaps)):
                share = 1 - math.exp(-RATE * gap)
                distance = max(distance, share - rank / len(gaps), (rank + 1) / len(gaps) - share)
            # The program evaluates it at 1000 places only.
            bounds[f"{path}/ks_distance"] = (distance - 1.5e-3, distance + 1e-9)
            if name == "planned":
                exactly("model_checks/mean_inter_arrival_us/planned", mean * 1e6, relative=1e-6)
                exactly("model_checks/inter_arrival_variation/planned", spread / mean,
                        relative=1e-6)
        exactly("arrivals/dispersion", 1)  # Poisson, as requested
        exactly("model_checks/mean_inter_arrival_us/asked", 1e6 / RATE)
        exactly("model_checks/inter_arrival_variation/asked", 1)
        exactly("model_checks/setups_sent_per_s/asked", RATE)
        exactly("model_checks/setups_sent_per_s/achieved",
                CALLS / max(record.sent for record in self.setups) * 1e9)
        exactly("model_checks/setups_sent_per_s/tolerance", max(0.05, 5 / math.sqrt(CALLS)))
        exactly("model_checks/generator_slip_p99_us/limit", max(1e4, 10 * 1e6 / RATE))
        exactly("model_checks/generator_slip_p99_us/measured",
                self.json["generator_slip_us"]["p99"])

    def systems(self):
        done = [record for record in self.setups if record.ended == "done"]
        yield ("in_setup", [(record.planned, 1) for record in self.setups]
               + [(record.answered, -1) for record in self.setups])
        yield ("up", [(record.answered, 1) for record in done]
               + [(record.answered, -1) for record in self.releases])

    def occupancy(self, exactly):
        for name, events in self.systems():
            shifted = self.json["occupancy"][name]["shifted_s"]  # error left after sorting
            self.assertLess(shifted, 1.0)
            system = Occupancy(events)
            path = f"occupancy/{name}"
            arrivals = sum(step > 0 for _, step in events)
            exactly(f"{path}/arrivals", arrivals)
            exactly(f"{path}/departures", len(events) - arrivals)
            exactly(f"{path}/peak", system.peak, absolute=2.0)  # late reports blur the values
            exactly(f"{path}/area_s", system.area / 1e9, relative=2e-3, absolute=shifted)
            exactly(f"{path}/end_s", system.end / 1e9)
            exactly(f"{path}/mean_at_arrivals", sum(system.found) / len(system.found),
                    relative=5e-3, absolute=2e-3 + shifted)
            exactly(f"{path}/mean_over_time", system.mean_over_time(), relative=5e-3,
                    absolute=2e-3 + shifted)
            exactly(f"{path}/stays_s", sum(when * -step for when, step in events) / 1e9,
                    relative=1e-6)
            exactly(f"{path}/stays_s", system.area / 1e9, relative=1e-6)  # Little's law
            differences = system.batches()
            exactly(f"{path}/batches", len(differences))
            exactly(f"{path}/difference_error",
                    deviation(differences) / math.sqrt(len(differences)), relative=0.05,
                    absolute=2e-3 + shifted)

    def series(self, exactly, above):
        self.assertEqual(self.json["series"]["interval_s"], 1.0)
        rows = defaultdict(Counter)
        latencies = defaultdict(list)
        for record in self.setups:
            rows[record.planned // 10**9]["planned"] += 1
            rows[record.sent // 10**9]["sent"] += 1
            second = record.answered // 10**9
            rows[second]["connected" if record.ended == "done" else record.ended] += 1
            if record.ended == "done":
                latencies[second].append(record.latency)
        for record in self.releases:
            rows[record.answered // 10**9]["released" if record.ended == "done" else "others"] += 1
        self.assertEqual(len(self.json["series"]["rows"]), max(rows) + 1)
        for second in range(max(rows) + 1):
            path = f"series/rows/{second}"
            for name in ("planned", "sent", "connected", "refused", "busy", "unanswered",
                         "released", "others"):
                exactly(f"{path}/{name}", rows[second][name])
            for name in ("p50", "p99"):
                above(f"{path}/{name}_us", ranked(latencies[second], PERCENTILES[name])
                      if latencies[second] else 0)
            buckets = sorted(Counter(bucket(value) for value in latencies[second]).items())
            for at, (highest, count) in enumerate(buckets):
                exactly(f"{path}/latency_ns/{at}/0", highest)
                exactly(f"{path}/latency_ns/{at}/1", count)

    def histograms(self, exactly):
        members = {"latency": "latency_us", "from_send": "latency_from_send_us", "slip": "slip_us",
                   "refusal": "refusal_latency_us",
                   "refusal_from_send": "refusal_latency_from_send_us"}
        values_of = dict(self.latencies())
        histograms = {f"histograms_ns/{kind}/{member}": values_of[f"kinds/{kind}/{path}"]
                      for kind in self.kinds for member, path in members.items()}
        histograms["histograms_ns/slip"] = values_of["generator_slip_us"]
        for path, values in histograms.items():
            exactly(f"{path}/clamped", 0)
            exactly(f"{path}/sum", sum(values))
            exactly(f"{path}/squares",
                    deviation(values) ** 2 * (len(values) - 1) if len(values) > 1 else 0,
                    relative=1e-6)
            exactly(f"{path}/min", min(values, default=0))
            exactly(f"{path}/max", max(values, default=0))
            for at, (highest, count) in enumerate(sorted(Counter(map(bucket, values)).items())):
                exactly(f"{path}/buckets/{at}/0", highest)
                exactly(f"{path}/buckets/{at}/1", count)

    def checks(self, exactly):
        occupancy, arrivals = self.json["occupancy"], self.json["arrivals"]
        known = {
            "the generator's lag, p99 in ms": (self.json["generator_slip_us"]["p99"] / 1e3, 0),
            "calls sent a second": (
                self.json["model_checks"]["setups_sent_per_s"]["achieved"], RATE),
            "calls not sent because too many were open": (0, 0),
            "planned gaps exponential (Kolmogorov-Smirnov)": (
                arrivals["planned"]["ks_distance"], 0),
            "sent gaps exponential (Kolmogorov-Smirnov)": (arrivals["sent"]["ks_distance"], 0),
            "calls in setup, as arrivals find them against over time (PASTA)": (
                occupancy["in_setup"]["mean_at_arrivals"], occupancy["in_setup"]["mean_over_time"]),
        }
        for name, what in (("in_setup", "calls in setup"), ("up", "calls up")):
            system = occupancy[name]
            known[f"{what}: mean number = rate x mean time (Little)"] = (
                system["area_s"] / system["end_s"], system["stays_s"] / system["end_s"])
        self.assertEqual({check["name"] for check in self.json["model_checks"]["checks"]},
                         set(known))
        for at, check in enumerate(self.json["model_checks"]["checks"]):
            measured, expected = known[check["name"]]
            exactly(f"model_checks/checks/{at}/measured", measured)
            exactly(f"model_checks/checks/{at}/expected", expected)
            if check["judged"]:
                self.assertEqual(check["passed"],
                                 abs(measured - expected) <= check["tolerance"], check)
            self.assertTrue(check["why"], check)

    def test_every_number_is_what_the_records_say(self):
        self.assertIsNotNone(self.json, self.done.stderr)
        self.assertEqual(len(self.setups), CALLS)
        bounds = self.expected()
        numbers = dict(flat(self.json))
        wrong = [f"{path} = {numbers[path]}, expected {least} to {most}"
                 for path, (least, most) in bounds.items()
                 if path in numbers and not least <= numbers[path] <= most]
        self.assertEqual(wrong, [])
        # Only numbers with too few samples, or that do not apply, may be absent.
        lacking = [path for path in bounds if path not in numbers and not path.endswith("/p9999")]
        self.assertEqual(lacking, [])
        unchecked = [path for path in numbers
                     if path not in bounds and not FROM_ELSEWHERE.fullmatch(path)
                     and not path.startswith("refusals_by_place/")]
        self.assertEqual(unchecked, [], "numbers that nothing here checks")

    def test_the_refusals_by_place_add_up(self):
        by_place = Counter()
        for place, count in self.json["refusals_by_place"].items():
            by_place[place.partition(" at ")[0]] += count
        self.assertEqual(by_place, Counter(self.json["refusals"]))
        self.assertEqual(by_place["no bandwidth"],
                         sum(record.cause == "no bandwidth" for record in self.setups))
        self.assertGreater(by_place["no bandwidth"], CALLS // 100, "the test is to have some")

    def test_percentiles_of_too_few_say_so(self):
        for path, values in self.latencies():
            summary = self.json
            for word in path.split("/"):
                summary = summary[word]
            few = [name for name, percent in PERCENTILES.items()
                   if min(percent, 100 - percent) / 100 * len(values) < 10 - 1e-6]
            self.assertEqual(summary["not_enough_samples_for"], few, path)
            self.assertIs(summary["p9999"], None)

    def test_what_records_cannot_tell_fits_together(self):
        cost, counters = self.json["cost"], self.json["counters"]["managers"]
        operations = cost["operations"]
        self.assertAlmostEqual(cost["remote_invocations_per_operation"],
                               self.json["remote_invocations"] / operations)
        self.assertAlmostEqual(cost["client_batches_per_operation"],
                               self.json["calls"]["client_batches"] / operations)
        self.assertAlmostEqual(cost["crankbacks_per_call"], counters["crankbacks"] / CALLS)
        self.assertEqual(cost["batches_resent"], counters["batches_resent"])
        self.assertEqual(counters["connected"], self.json["setups"]["connected"])
        self.assertEqual(counters["refused"], self.json["setups"]["refused"])
        takes = counters["label_cache_hits"] + counters["label_cache_misses"]
        self.assertAlmostEqual(self.json["label_cache_hit_ratio"],
                               counters["label_cache_hits"] / takes)
        self.assertAlmostEqual(
            cost["labels_cached_per_call_up"],
            self.json["counters"]["managers_last"]["labels_cached"] / self.json["calls"]["up_peak"])
        for name, process in self.json["processes"].items():
            shares = cost["processes"][name]
            self.assertAlmostEqual(shares["cpu_us_per_operation"],
                                   process["cpu_s"] * 1e6 / operations)
            switches = process["voluntary_switches"] + process["involuntary_switches"]
            self.assertAlmostEqual(shares["context_switches_per_operation"], switches / operations)
            self.assertAlmostEqual(
                shares["rss_bytes_per_call_up"],
                (process["rss_full_mb"] - process["rss_before_mb"]) * 2**20
                / cost["calls_up_at_full"])
            # No process uses more processor time than there are processors.
            self.assertTrue(0 < process["cpu_s"] < (self.json["duration_s"] + 1) * os.cpu_count(),
                            (name, process))
            self.assertEqual(process["rss_after_mb"], self.json["rss_mb"][name])
        last = max(record.answered for record in self.records)
        self.assertGreaterEqual(self.json["duration_s"] * 1e9, last)


if __name__ == "__main__":
    unittest.main()
