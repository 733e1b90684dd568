#!/usr/bin/env python3
"""Holds that durations stand in tables, and that the documents made from the tables are fresh.

  named_tables.py [CHECK...]       all checks, or these (ctest runs each as a test of its own)
  named_tables.py --write [DIR]    regenerates docs/timers.md from the programs in DIR

XBIND_BIN_DIR names the folder of the built programs (default: build/bin).
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy_test  # noqa: E402  pylint: disable=wrong-import-position

ROOT = tidy_test.ROOT
TIMERS = "docs/timers.md"

# Programs that have timers, as `PROGRAM [SUBCOMMAND]`.
TIMED = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper", "xbind-switch",
         "xbind-switch tell", "xbind-callgen run", "xbindctl", "xbind-names", "gsmpdump"]

# Files that may name a duration, and what their durations are.
MAY_NAME_DURATIONS = {
    r".*/timers\.hpp": "the tables",
    r"core/durations\.cpp|core/config/timer_option\.hpp": "the units themselves",
    r"callgen/(bench|figures|floor|load|model|modes|report|run|statistics)/.*":
        "parameters of a load, a measurement or a model",
    r"callgen/null/(floor_run|gathering_options)\.cpp": "parameters of a load",
    r"emulator/fabric_ports\.cpp": "delays that a port tells its controller",
    r"xbindctl/command_line\.cpp": "values of an operator's command, sent only when given",
}

UNITS = r"(?:(?:nano|micro|milli)?seconds|minutes|hours)"
DURATIONS = [
    # seconds{3}, std::chrono::milliseconds kPause(50)
    re.compile(rf"\b{UNITS}\s*(?:\w+\s*)?[({{]\s*[1-9][\d']*"),
    re.compile(r"(?<![\w.'])[1-9][\d']*(?:ms|us|ns|min|h|s)\b"),
    # Numbers with the unit in the name; bounds of values are none.
    re.compile(r"\bk(?!\w*(?:Max|Min))\w*(?:Ms|Us)\s*[={]\s*[1-9][\d']*"),
    re.compile(r"\b\w+_(?:ms|us)(?:_max)?\s*[={]\s*[1-9][\d']*"),
    re.compile(r"\badd_(?:uint|double)\(\s*\"[\w-]+-(?:ms|us)\",\s*[^,]+,\s*[1-9][\d']*"),
]

# What stands before a unit that only converts: value / std::chrono::microseconds{1}.
CONVERTS = re.compile(r"[/%*]\s*(?:std::chrono::)?$")

TABLE = re.compile(r"inline constexpr Timers (\w+)\{\s*\"(\w+)\",(.*?)\}\};", re.DOTALL)
ROW = re.compile(r"\{\"([a-z0-9-]+)\",")


def without_comments(text):
    """The same lines without what stands behind //, but for // in a string."""
    return "\n".join(re.sub(r'("(?:[^"\\]|\\.)*")|//.*', lambda found: found.group(1) or "", line)
                     for line in text.splitlines())


def cpp_files():
    return {name: without_comments(tidy_test.read(name)) for name in tidy_test.tree()
            if name.endswith((".cpp", ".hpp")) and not name.startswith("tests/")}


def durations_in(text):
    """Every duration that `text` names outside of strings, as (line, what)."""
    blank = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda found: '"' + "_" * (len(found.group()) - 2) + '"',
                   text)
    for pattern in DURATIONS:
        # Only the last pattern looks into strings: at the names of options.
        for found in pattern.finditer(text if pattern is DURATIONS[-1] else blank):
            if CONVERTS.search(blank[max(0, found.start() - 60):found.start()]):
                continue
            yield text.count("\n", 0, found.start()) + 1, " ".join(found.group().split())


# The checks. Each yields a sentence per offence.


def durations_in_tables():
    """A duration is named in the table of its room, and nowhere else."""
    exempt = re.compile("|".join(f"(?:{one})" for one in MAY_NAME_DURATIONS))
    for name, text in cpp_files().items():
        if exempt.fullmatch(name):
            continue
        for line, what in durations_in(text):
            yield f"{name}:{line}: {what}: a duration stands in the timers.hpp of its room, with " \
                  "a name and what it guards"


def tables_of(files):
    """Name of the table -> (file, room, rows) for every table of durations in `files`."""
    return {found.group(1): (name, found.group(2), ROW.findall(found.group(3)))
            for name, text in files.items() for found in TABLE.finditer(text)}


def unused_rows(files):
    """Every row of a table that no code takes."""
    everything = "\n".join(files.values())
    for table, (name, _, rows) in tables_of(files).items():
        for row in rows:
            if not re.search(rf'\b{table}(\.row|\.ms)?\s*[\[(]\s*"{row}"', everything):
                yield f"{name}: no code takes {row} of {table}; take the row away"


def durations_taken():
    """Every row of a table is the duration of some code."""
    files = cpp_files()
    tables = tables_of(files)
    if len(tables) < 10 or sum(len(rows) for _, _, rows in tables.values()) < 100:
        yield f"{len(tables)} tables of durations were read; has their form changed?"
    yield from unused_rows(files)


def timers_documented():
    """docs/timers.md is what the programs print with --print-timers."""
    document = ROOT / TIMERS
    if not document.exists() or document.read_text() != timers_document(tidy_test.bin_dir()):
        yield f"{TIMERS}: is not what the programs print; tests/tidy/named_tables.py --write " \
              "regenerates it"


# docs/timers.md


def timer_rows(printed):
    """The cells of the rows that a program prints: room, timer, default, option, guards."""
    return [tuple(cell.strip() for cell in line.strip("|").split(" | "))
            for line in printed.splitlines()
            if line.startswith("| ") and not line.startswith(("| room", "| ---"))]


def timers_text(printed):
    """The document from program -> what it prints. A row that programs share stands once."""
    rooms = {}
    for program, text in printed.items():
        for room, *row in timer_rows(text):
            rooms.setdefault(room, {}).setdefault(tuple(row), []).append(program)
    parts = ["# Timers of every program\n\n"
             "Made by `tests/tidy/named_tables.py --write` from what the programs print with\n"
             "`--print-timers`; a test compares it. `--help` prints the same list. A timer without\n"
             "an option is fixed.\n"]
    for room, rows in rooms.items():
        all_of_room = list(dict.fromkeys(one for programs in rows.values() for one in programs))
        lines = [f"## {room}\n\nIn {', '.join(all_of_room)}.\n\n"
                 "| timer | default | option | guards |\n| --- | --- | --- | --- |\n"]
        for (timer, default, option, guards), programs in rows.items():
            of = "" if programs == all_of_room else f" of {', '.join(programs)}"
            lines.append(f"| {timer} | {default} | {option}{of} | {guards} |\n")
        parts.append("".join(lines))
    return "\n".join(parts)


def timers_document(programs_dir):
    printed = {}
    for program in TIMED:
        name, *subcommand = program.split()
        ran = subprocess.run([str(programs_dir / name), *subcommand, "--print-timers"],
                             capture_output=True, text=True, timeout=20, check=False)
        if ran.returncode != 0:
            raise SystemExit(f"{program} --print-timers ended with {ran.returncode}: "
                             f"{ran.stderr.strip()}")
        printed[program] = ran.stdout
    return timers_text(printed)


CHECKS = {check.__name__: check for check in (durations_in_tables, durations_taken,
                                              timers_documented)}


def main(words):
    if words and words[0] == "--write":
        programs = Path(words[1]) if len(words) > 1 else tidy_test.bin_dir()
        (ROOT / TIMERS).write_text(timers_document(programs))
        return 0
    wrong = 0
    for name in words or CHECKS:
        if name not in CHECKS:
            print(f"there is no check '{name}'; there are {', '.join(CHECKS)}", file=sys.stderr)
            return 2
        for sentence in CHECKS[name]():
            print(sentence)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
