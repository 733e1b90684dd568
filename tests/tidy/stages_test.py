#!/usr/bin/env python3
"""The stages of ./check see all that they are there for, and are run: stages.py, skips.py,
budget.py, and the tree as it is."""

import contextlib
import datetime
import io
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).resolve().parent)]

import budget  # pylint: disable=wrong-import-position
import skips  # pylint: disable=wrong-import-position
import stages  # pylint: disable=wrong-import-position
import tidy_test as tidy  # pylint: disable=wrong-import-position

BUILD = Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build" / "bin")).parent
SANITIZED = ROOT / "tests" / "integration" / "sanitized.txt"
DAY = datetime.date(2026, 11, 20)


def rows(text):
    """The rows of sanitized.txt: (how, name, reason)."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            how, name, *reason = line.split(maxsplit=2)
            yield how, name, " ".join(reason)


class ClangTidy(unittest.TestCase):
    """clang-tidy reads every source of our programs."""

    def test_the_batches_have_all_sources(self):
        seen = {os.path.relpath(file, ROOT) for batch in stages.batches(BUILD)
                for file in stages.sources_of(batch)}
        ours = {name for name in tidy.tree() if name.endswith(".cpp")
                and not re.match(r"(tests|docs)/", name)}
        self.assertGreater(len(ours), 500)
        self.assertEqual(sorted(ours - seen), [])

    def test_its_filter_has_all_rooms(self):
        rooms = {name.partition("/")[0] for name in tidy.tree()
                 if name.endswith((".cpp", ".hpp")) and "/" in name} - {"tests", "docs", "deploy"}
        filtered = re.search(r"^HeaderFilterRegex: '/\((.*)\)/'$", tidy.read(".clang-tidy"),
                             re.MULTILINE).group(1).split("|")
        self.assertEqual(sorted(rooms - set(filtered)), [])


class Sanitizers(unittest.TestCase):
    """Each test with real processes, and each program, is in a sanitizer stage or says why not."""

    def setUp(self):
        self.rows = list(rows(SANITIZED.read_text()))

    def test_every_test_stands_there_once(self):
        listed = [name for _, name, _ in self.rows]
        there = set(re.findall(r"\bNAME integration/(\w+)\n",
                               tidy.read("tests/integration/CMakeLists.txt")))
        there |= set(re.search(r"^foreach\(name\n(.*?)\)$",
                               tidy.read("tests/integration/CMakeLists.txt"),
                               re.MULTILINE | re.DOTALL).group(1).split())
        self.assertEqual(sorted(listed), sorted(there))

    def test_each_row_is_one_of_three_kinds_and_has_a_reason(self):
        for how, name, reason in self.rows:
            with self.subTest(name):
                self.assertIn(how, ("both", "address", "none"))
                self.assertEqual(bool(reason), how != "both", reason)

    def test_every_program_is_in_a_test_that_runs(self):
        run = "".join(tidy.read(f"tests/integration/{name}_test.py")
                      for how, name, _ in self.rows if how == "both")
        run += "".join(tidy.read(name) for name in tidy.tree()
                       if re.match(r"(deploy/labkit/.*|tests/integration/harness)\.py$", name))
        for program in {name.partition(" ")[0] for name in tidy.PROGRAMS}:
            with self.subTest(program):
                self.assertIn(program, run)


class Fuzzing(unittest.TestCase):
    """What reads octets from outside is in a fuzz target, and each target has its turn."""

    # A function that reads a text, octets or a file.
    PARSER = re.compile(r"^(?!.*\binline constexpr).*\b"
                        r"((?:parse|decode|read|load|from)(?:_\w+)?|\w+_from_json)\("
                        r"(?:std::string_view|const std::string&|std::span<const std::byte>)",
                        re.MULTILINE)

    def test_each_parser_is_in_a_target_or_says_why_not(self):
        fuzzed = "".join(tidy.read(name) for name in tidy.tree()
                         if re.match(r"tests/fuzz/.*\.(cpp|hpp)$", name))
        named = set(re.findall(r"\b\w+\b", fuzzed))
        listed = {}
        for line in tidy.read("tests/fuzz/elsewhere.txt").splitlines():
            if line and not line.startswith("#"):
                name, reason = line.split(maxsplit=1)
                listed[name] = reason
        found = set()
        for name in tidy.tree():
            if not name.endswith(".hpp") or name.startswith(("tests/", "docs/")):
                continue
            for parser in self.PARSER.findall(tidy.read(name)):
                found.add(f"{name}:{parser}")
        self.assertGreater(len(found), 50)
        missing = {one for one in found if one.rpartition(":")[2] not in named
                   or one.rpartition(":")[2] in ("read", "decode", "parse", "load")}
        self.assertEqual(sorted(missing - listed.keys()), [])
        self.assertEqual(sorted(listed.keys() - found), [])

    def test_each_target_is_fuzzed(self):
        there = re.findall(r"^ *xbind_fuzz\((\w+) CORPUS", tidy.read("tests/fuzz/CMakeLists.txt"),
                           re.MULTILINE)
        turns = re.findall(r"^fuzz_(?:turns|large)=\((.*)\)$", tidy.read("check"), re.MULTILINE)
        self.assertEqual(len(turns), 2)
        self.assertEqual(sorted(" ".join(turns).split()), sorted(there))


class Includes(unittest.TestCase):
    def test_a_source_that_lacks_an_include_is_found(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        commands = []
        for name, text in (("whole.cpp", "#include <string>\nstd::string a;\n"),
                           ("lacking.cpp", "std::string a;\n"), ("ownSK.cc", "no code")):
            (folder / name).write_text(text)
            commands.append({"directory": str(folder), "file": str(folder / name),
                             "command": f"c++ -o {name}.o -c {name}"})
        (folder / "compile_commands.json").write_text(json.dumps(commands))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(stages.parse_all(folder), 1)
        self.assertIn("2 sources, 1 with errors\nlacking.cpp:1:", said.getvalue())
        self.assertEqual(list(folder.glob("*.o")), [])


class LongStages(unittest.TestCase):
    """When the stages of ./check --long were run."""

    ROWS = """# comment
2026-11-18 aaaaaaaa 300 clang-tidy
2026-11-10 bbbbbbbb 1200 labs
"""

    def test_the_oldest_one_has_its_turn_when_it_fits(self):
        read = stages.parse(self.ROWS)
        self.assertEqual(stages.turn(read, 1200).name, "labs")
        self.assertIsNone(stages.turn(read, 1199))  # clang-tidy would fit, and labs wait for ever

    def test_one_that_was_never_run_is_left_to_long(self):
        self.assertIsNone(stages.turn(stages.parse("never - - labs"), 2000))
        self.assertIsNone(stages.turn(stages.parse("2026-11-10 bbbbbbbb - labs"), 2000))

    def test_owed_ones_have_their_age(self):
        self.assertEqual(list(stages.owed(stages.parse(self.ROWS), DAY)), [
            "labs: 10 days ago at bbbbbbbb, 1200 s; ./check --stage 'labs'",
            "clang-tidy: 2 days ago at aaaaaaaa, 300 s; ./check --stage 'clang-tidy'"])

    def test_one_is_too_old_after_fourteen_days(self):
        read = stages.parse(self.ROWS)
        self.assertEqual(list(stages.too_old(read, datetime.date(2026, 11, 24))), [])
        self.assertEqual(len(list(stages.too_old(read, datetime.date(2026, 11, 25)))), 1)
        self.assertEqual(len(list(stages.too_old(stages.parse("never - - labs"), DAY))), 1)

    def test_a_run_replaces_its_row_alone(self):
        text = stages.written(self.ROWS, "labs", DAY, "cccccccc", 1300)
        self.assertEqual(text.splitlines(), ["# comment", "2026-11-18 aaaaaaaa 300 clang-tidy",
                                             "2026-11-20 cccccccc  1300 labs"])
        with self.assertRaises(stages.StagesError):
            stages.written(self.ROWS, "labor", DAY, "cccccccc", 1)
        with self.assertRaises(stages.StagesError):
            stages.parse("yesterday aaaaaaaa 300 labs")

    def test_those_of_the_tree(self):
        read = stages.parse(stages.FILE.read_text())
        known = re.findall(r'^ +"([^"]+)"\) command=', tidy.read("check"), re.MULTILINE)
        self.assertEqual(sorted(stage.name for stage in read), sorted(known))
        try:
            today = stages.day_of_the_commit()
        except (OSError, stages.subprocess.CalledProcessError):
            return  # an unpacked archive has no day
        self.assertEqual(list(stages.too_old(read, today)), [])


class Skips(unittest.TestCase):
    """What ctest's log says about skipped tests."""

    def test_both_kinds_are_counted_by_their_reason(self):
        log = """1/3 Testing: integration/wire
test_a (__main__.Wire.test_a) ... skipped 'NOT TESTED: tshark is not installed'
test_b (__main__.Wire.test_b)
What it says. ... skipped 'NOT TESTED: tshark is not installed'
test_c (__main__.Wire.test_c) ... ok
2/3 Testing: unit_traffic/Libatm.A
/x/libatm_test.cpp:19: Skipped
NOT TESTED: no libatm.so.1 here
3/3 Testing: integration/calls
test_d (__main__.Calls.test_d) ... ok
"""
        found = skips.skips(log)
        self.assertEqual(dict(found), {
            "NOT TESTED: tshark is not installed": ["integration/wire", "integration/wire"],
            "NOT TESTED: no libatm.so.1 here": ["unit_traffic/Libatm.A"]})
        self.assertEqual(list(skips.lines(found)), [
            "   2 skipped: NOT TESTED: tshark is not installed (integration/wire)",
            "   1 skipped: NOT TESTED: no libatm.so.1 here (unit_traffic/Libatm.A)"])

    def test_a_run_without_skips_says_nothing(self):
        self.assertEqual(list(skips.lines(skips.skips("1/1 Testing: a\nok\n"))), [])


class Quiet(unittest.TestCase):
    """Seconds are judged on a quiet machine only, and by shares."""

    def test_a_load_or_a_theft_is_not_quiet(self):
        def stat(user, stolen):
            return budget.load("0.10 1 1 1/1 1", f"cpu {user} 0 0 0 0 0 0 {stolen} 0 0\n")
        self.assertIsNone(budget.why_loud(stat(100, 0), stat(10_100, 50)))
        self.assertIn("other guests", budget.why_loud(stat(100, 0), stat(10_100, 200)))
        self.assertIn("0.50", budget.why_loud("0.5:100:0", "0.1:200:0"))

    def test_a_label_with_twice_its_share_is_named(self):
        runs = budget.measured("unit 100 90 110\nsim 100\ninterop 30\ntidy 5\n")
        usual = {"unit": 200, "sim": 210, "interop": 900, "tidy": 9}
        self.assertEqual(list(budget.slower(runs, usual)), [])  # a slower machine
        late = list(budget.slower(runs, {**usual, "sim": 900, "unit": 100}))
        self.assertEqual(late, [])  # 1.8 times
        self.assertIn("label unit: 450 s, 2.", next(budget.slower(
            budget.measured("unit 30\nsim 200\n"), {"unit": 450, "sim": 900})))

    def test_a_record_keeps_five_runs(self):
        text = "# head\nunit 1 2 3 4 5\n"
        self.assertEqual(budget.recorded(text, {"unit": 6.2, "sim": 7}).split("\n"), [
            "# head", "sim                7", "unit               2 3 4 5 6", ""])
        with self.assertRaises(budget.BudgetError):
            budget.measured("unit much")


if __name__ == "__main__":
    unittest.main()
