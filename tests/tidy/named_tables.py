#!/usr/bin/env python3
"""Checks that durations and metrics stand in tables, and that the tables' documents are up to date.

  named_tables.py [CHECK...]       all checks, or these (ctest runs each as a test of its own)
  named_tables.py --write [DIR]    regenerates docs/timers.md and docs/metrics.md from the programs
                                   in DIR

XBIND_BIN_DIR names the folder of the built programs (default: build/bin).
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_run  # noqa: E402  pylint: disable=wrong-import-position
import tidy_test  # noqa: E402  pylint: disable=wrong-import-position

ROOT = tidy_test.ROOT
TIMERS = "docs/timers.md"
METRICS = "docs/metrics.md"

# Programs that have timers, as `PROGRAM [SUBCOMMAND]`.
TIMED = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper", "xbind-switch",
         "xbind-switch tell", "xbind-gsmp-ovs", "xbind-callgen run", "xbind-keeper", "xbind-smds",
         "xbind-smds host", "xbindctl", "xbind-names", "xbind-console", "xbind-wan",
         "xbind-wan tell", "gsmpdump"]

# Programs that have a status operation, or only --metrics.
METERED = ["xbind-cmgr", "xbind-switchserver", "xbind-routeobject", "xbind-qosmapper",
           "xbind-console", "xbind-switch", "xbind-gsmp-ovs", "xbind-keeper", "xbind-smds",
           "xbind-wan"]

# A metric that is named where it is exported.
NAMED_METRIC = re.compile(r'\bmetrics\.(?:emplace|push)_back\(\s*[({]?\s*(?:std::string[({])?"\w+')

# Files that may name a duration, and what kind of durations they name.
MAY_NAME_DURATIONS = {
    r".*/timers\.hpp": "the tables",
    r"core/durations\.cpp|core/config/timer_option\.hpp": "the units themselves",
    r"(callgen/(load|report|run|statistics)|bench/(fairisle|figures|forms|generator|model|null"
    r"|search)|cmgr/bench)/.*":
        "parameters of a load, a measurement or a model",
    r"bench/(floor/(floor_run|gathering_options)|processes/port_cost)\.cpp":
        "parameters of a load or a measurement",
    r"dataplane/port_controller_profile\.cpp": "processor times that a paper has measured",
    r"switchagent/table/fabric_options\.cpp": "delays that a port reports to its controller",
    r"xbindctl/command_line\.cpp": "values of an operator's command, sent only when given",
}

UNITS = r"(?:(?:nano|micro|milli)?seconds|minutes|hours)"
DURATIONS = [
    # seconds{3}, std::chrono::milliseconds kPause(50)
    re.compile(rf"\b{UNITS}\s*(?:\w+\s*)?[({{]\s*[1-9][\d']*"),
    re.compile(r"(?<![\w.'])[1-9][\d']*(?:ms|us|ns|min|h|s)\b"),
    # Numbers with the unit in their name. Bounds of values do not count.
    re.compile(r"\bk(?!\w*(?:Max|Min))\w*(?:Ms|Us)\s*[={]\s*[1-9][\d']*"),
    re.compile(r"\b\w+_(?:ms|us)(?:_max)?\s*[={]\s*[1-9][\d']*"),
    re.compile(r"\badd_(?:uint|double)\(\s*\"[\w-]+-(?:ms|us)\",\s*[^,]+,\s*[1-9][\d']*"),
]

# The text before a unit that only converts: value / std::chrono::microseconds{1}.
CONVERTS = re.compile(r"[/%*]\s*(?:std::chrono::)?$")

TABLE = re.compile(r"inline constexpr Timers (\w+)\{\s*\"(\w+)\",(.*?)\}\};", re.DOTALL)
ROW = re.compile(r"\{\"([a-z0-9-]+)\",")


def without_comments(text):
    """The same lines without their // comments; // in a string is kept."""
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
        # Only the last pattern reads strings: it looks for names of options.
        for found in pattern.finditer(text if pattern is DURATIONS[-1] else blank):
            if CONVERTS.search(blank[max(0, found.start() - 60):found.start()]):
                continue
            yield text.count("\n", 0, found.start()) + 1, " ".join(found.group().split())


# The checks. Each yields a sentence for each offence.


def durations_in_tables():
    """A duration is named in the table of its room and in no other place."""
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
    """Every row of a table that no code uses."""
    everything = "\n".join(files.values())
    for table, (name, _, rows) in tables_of(files).items():
        for row in rows:
            if not re.search(rf'\b{table}(\.row|\.ms)?\s*[\[(]\s*"{row}"', everything):
                yield f"{name}: no code takes {row} of {table}; take the row away"


def durations_taken():
    """Every row of a table is used by some code."""
    files = cpp_files()
    tables = tables_of(files)
    if len(tables) < 10 or sum(len(rows) for _, _, rows in tables.values()) < 100:
        yield f"{len(tables)} tables of durations were read; has their form changed?"
    yield from unused_rows(files)


def metrics_in_tables():
    """A metric gets its name from a table (core/metrics/metric_table.hpp)."""
    for name, text in cpp_files().items():
        for found in NAMED_METRIC.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line}: {' '.join(found.group().split())}: take the name from a table"


def documented(document, made):
    if not (ROOT / document).exists() or tidy_test.read(document) != made:
        yield f"{document}: differs from the output of the programs; " \
              "tests/tidy/named_tables.py --write regenerates it"


def timers_documented():
    """docs/timers.md is what the programs print with --print-timers."""
    yield from documented(TIMERS, timers_document(tidy_test.bin_dir()))


def metrics_exposed_once():
    """No two metrics of a program have one name in Prometheus, but for the stages' two rows."""
    for program, text in printed_by(METERED, "--print-metrics", tidy_test.bin_dir()).items():
        seen = {}
        for _, name, *_, exposed in rows_of(text):
            if exposed in seen and "_stage_" not in name:
                yield f"{program}: {name} and {seen[exposed]} are both {exposed}"
            seen[exposed] = name


def metrics_documented():
    """docs/metrics.md is what the programs print with --print-metrics."""
    yield from documented(METRICS, metrics_document(tidy_test.bin_dir()))


# The documents.


def printed_by(programs, option, programs_dir):
    """Program -> its output with the option."""
    printed = {}
    for program in programs:
        name, *subcommand = program.split()
        ran = subprocess.run([str(programs_dir / name), *subcommand, option],
                             capture_output=True, text=True, timeout=20, check=False)
        if ran.returncode != 0:
            raise SystemExit(f"{program} {option} ended with {ran.returncode}: "
                             f"{ran.stderr.strip()}")
        printed[program] = ran.stdout
    return printed


def rows_of(printed):
    """The cells of the rows that a program prints; the first one is the room."""
    return [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            for line in printed.splitlines()
            if line.startswith("| ") and not line.startswith(("| room", "| ---"))]


def by_room(printed):
    """Room -> (its programs, row -> the programs that have it). A row that programs share appears
    once."""
    rooms = {}
    for program, text in printed.items():
        for room, *row in rows_of(text):
            programs, rows = rooms.setdefault(room, ([], {}))
            if program not in programs:
                programs.append(program)
            rows.setdefault(tuple(row), []).append(program)
    return rooms


def tables_text(columns, printed, several):
    """A section for each room. `several`: the column that names the programs of a row that not all
    programs of its room have."""
    head = f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n"
    parts = []
    for room, (programs, rows) in by_room(printed).items():
        lines = [f"## {room}\n\nIn {', '.join(programs)}.\n\n", head]
        for row, of in rows.items():
            cells = list(row)
            if of != programs:
                cells[several] += f" of {', '.join(of)}"
            lines.append("".join(f"| {cell} " if cell else "| " for cell in cells) + "|\n")
        parts.append("".join(lines))
    return "\n".join(parts)


def timers_document(programs_dir):
    return "# Timers of every program\n\n" \
           "Generated by `tests/tidy/named_tables.py --write` from the programs' output of\n" \
           "`--print-timers`; a test compares it. The `--help` of daemons prints the same\n" \
           "list. A timer without an option is fixed.\n\n" + tables_text(
               ["timer", "default", "option", "guards"],
               printed_by(TIMED, "--print-timers", programs_dir), several=2)


def metrics_document(programs_dir):
    return "# Metrics of every daemon\n\n" \
           "Generated by `tests/tidy/named_tables.py --write` from the daemons' output of\n" \
           "`--print-metrics`; a test compares it, and another compares the tables with the\n" \
           "status of running daemons. `xbindctl status` prints a manager's. A counter only\n" \
           "grows while the process lives. Words in angle brackets stand for names.\n\n" \
           "The last column is what `--metrics` exposes ([operating.md](operating.md)), in\n" \
           "seconds and bytes. A SwitchServer, `xbind-switch` and `xbind-gsmp-ovs` add the\n" \
           "label `switch`, except where the metric is of the process, and `xbind-wan` adds\n" \
           "`site`. Only exposed: the rooms `exporter`, `console`, `emulator`, `ovs`, `keeper`,\n" \
           "`smds` and `wan`, and of the room\n" \
           "`switchserver` `hops`, `refusals/<cause>` and `port_.../<port>`.\n\n" + \
           tables_text(
               ["metric", "kind", "unit", "meaning", "in Prometheus"],
               printed_by(METERED, "--print-metrics", programs_dir), several=0)


CHECKS = {check.__name__: check for check in (durations_in_tables, durations_taken,
                                              metrics_in_tables, metrics_exposed_once,
                                              timers_documented,
                                              metrics_documented)}


def main(words):
    if words and words[0] == "--write":
        programs = Path(words[1]) if len(words) > 1 else tidy_test.bin_dir()
        (ROOT / TIMERS).write_text(timers_document(programs))
        (ROOT / METRICS).write_text(metrics_document(programs))
        return 0
    return check_run.run(CHECKS, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
