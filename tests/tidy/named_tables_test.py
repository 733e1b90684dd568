#!/usr/bin/env python3
"""Checks which durations named_tables.py finds, and that it reports rows that no code uses."""

import unittest

import named_tables as tables


def found(text):
    return [what for _, what in tables.durations_in(tables.without_comments(text))]


class Durations(unittest.TestCase):
    def test_every_form_of_a_duration_is_found(self):
        for text in ("constexpr Duration kPause = std::chrono::milliseconds{100};",
                     "retry.expires_after(std::chrono::seconds(1));",
                     "constexpr std::chrono::milliseconds kRetryPeriod{50};",
                     "using std::chrono::hours; auto long_time = hours{1};",
                     "auto pause = std::chrono::minutes { 10 };",
                     "auto pause = 250ms;", "wait(1'500us);",
                     "constexpr CORBA::ULong kAuditTimeoutMs = 25'000;",
                     "constexpr int kWakeMs{100};",
                     "std::uint32_t call_timeout_ms = 5'000;",
                     'set.add_uint("hop-timer-ms", &options.hop_ms, 3\'000, {10, 600},\n "");',
                     'set.add_double(\n    "flush-ms", &flush, 5, {0.05, 10}, "");'):
            self.assertEqual(len(found(text)), 1, text)

    def test_conversions_bounds_texts_and_zeros_are_none(self):
        for text in ("auto all = std::chrono::milliseconds(options.hop_timer_ms);",
                     "auto whole = value / std::chrono::microseconds{1};",
                     "constexpr std::uint32_t kHoldMsMax = 3'600'000;",
                     "constexpr std::uint64_t kSeconds = 1000;",
                     "Duration in_doubt = std::chrono::seconds{0};",
                     'fmt::format("{} ms, 5s", x);  // after 5s, std::chrono::seconds{5}',
                     "auto h = 0x10s; auto id = sw1ms;", "std::uint32_t hold_ms = 0;",
                     'set.add_uint("hop-timer-ms", &options.hop_timer_ms, default_ms, {}, "");',
                     'set.add_uint("cells-per-s", &options.cells_per_s, 100, {}, "");'):
            self.assertEqual(found(text), [], text)

    def test_the_line_is_named(self):
        text = "// 5s\nint x;\nauto pause = 250ms;\n"
        self.assertEqual(list(tables.durations_in(tables.without_comments(text))), [(3, "250ms")])


class Rows(unittest.TestCase):
    TABLE = 'inline constexpr Timers kTimers{\n "core",\n {\n' \
            '  {"lease", seconds{15}, "Silence."},\n' \
            '  {"call-ms", seconds{5}, "Call.", TimerSource::kOption},\n  }};\n'

    def test_rows_are_taken_by_value_by_row_and_in_milliseconds(self):
        self.assertEqual(tables.tables_of({"core/timers.hpp": self.TABLE}),
                         {"kTimers": ("core/timers.hpp", "core", ["lease", "call-ms"])})
        for use in ('.row("call-ms")', '.ms("call-ms")', '["call-ms"]', '.row(\n    "call-ms")'):
            files = {"core/timers.hpp": self.TABLE,
                     "core/x.cpp": f'auto a = kTimers["lease"]; auto b = kTimers{use};'}
            self.assertEqual(list(tables.unused_rows(files)), [], use)

    def test_a_row_that_no_code_takes_is_named(self):
        files = {"core/timers.hpp": self.TABLE, "core/x.cpp": 'auto b = kOther["lease"];'}
        self.assertEqual(list(tables.unused_rows(files)),
                         ["core/timers.hpp: no code takes lease of kTimers; take the row away",
                          "core/timers.hpp: no code takes call-ms of kTimers; take the row away"])


class Metrics(unittest.TestCase):
    def test_names_given_where_they_are_exported_are_found(self):
        for text in ('metrics.emplace_back("late_results", 1);',
                     'metrics.push_back({"faults", 1});',
                     'metrics.emplace_back("faults_" + leg, 1);',
                     'metrics.emplace_back(std::string{"late"}, 1);'):
            self.assertTrue(tables.NAMED_METRIC.search(text), text)

    def test_names_from_tables_are_not(self):
        for text in ('metrics.emplace_back(filled(kUpcalls["upcalls_<operation>"], {name}), 1);',
                     "metrics.emplace_back(std::string(row.name), 1);", 'words.emplace_back("a");'):
            self.assertFalse(tables.NAMED_METRIC.search(text), text)


class Document(unittest.TestCase):
    def test_rows_of_several_programs_stand_once(self):
        head = "## a\n\n| room | timer | option | guards |\n| --- | --- | --- | --- |\n"
        text = tables.tables_text(["timer", "option", "guards"], {
            "a": head + "| core | lease |  | Silence \\| or not. |\n",
            "b": head + "| core | lease |  | Silence \\| or not. |\n"
                        "| core | call-ms | `--call-ms` | Call. |\n"}, several=1)
        self.assertEqual(text, "## core\n\nIn a, b.\n\n| timer | option | guards |\n"
                               "| --- | --- | --- |\n| lease | | Silence \\| or not. |\n"
                               "| call-ms | `--call-ms` of b | Call. |\n")


if __name__ == "__main__":
    unittest.main()
