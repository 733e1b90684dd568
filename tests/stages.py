#!/usr/bin/env python3
"""The stages of ./check --long: when each was run last, and which a plain run has time for.

  stages.py turn SECONDS           the stage that has waited longest, if it needs at most SECONDS
  stages.py owed                   a line for each stage, with the age of its last run
  stages.py names                  all of them, in the order in which --long runs them
  stages.py passed NAME SECONDS    notes a run of today
  stages.py batches BUILD          what clang-tidy reads: all sources of our programs, in batches
  stages.py parse BUILD            parses each source of a build folder alone; 1 if one has errors

tests/long-stages.txt is written by ./check --long and --stage alone. Ages count up to the day of
the last commit, so that an old revision judges itself as it did when it was new.
"""

import concurrent.futures
import datetime
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "long-stages.txt"
OLD_AFTER = datetime.timedelta(days=14)


class StagesError(Exception):
    """A line of the file that cannot be read."""


@dataclass
class Stage:
    """A row of the file."""

    name: str
    day: datetime.date | None  # None: never
    revision: str
    seconds: int | None  # None: not known


def parse(text):
    """The stages in the order of the file."""
    stages = []
    for number, line in enumerate(text.splitlines(), 1):
        row = line.partition("#")[0].split(maxsplit=3)
        if not row:
            continue
        try:
            day, revision, seconds, name = row
            stages.append(Stage(name.strip(), None if day == "never" else
                                datetime.date.fromisoformat(day), revision,
                                None if seconds == "-" else int(seconds)))
        except ValueError as error:
            raise StagesError(f"tests/long-stages.txt:{number}: not `DAY REVISION SECONDS NAME`: "
                              f"{line}") from error
    return stages


def written(text, name, day, revision, seconds):
    """The file's text after a run of a stage; its comments stay."""
    row = f"{day} {revision} {seconds:>5} {name}"
    lines, found = [], False
    for line in text.splitlines():
        if not line.startswith("#") and line.split(maxsplit=3)[3:] == [name]:
            line, found = row, True
        lines.append(line)
    if not found:
        raise StagesError(f"tests/long-stages.txt: there is no stage '{name}'")
    return "\n".join(lines) + "\n"


def by_age(stages):
    """The one that has waited longest comes first."""
    return sorted(stages, key=lambda stage: stage.day or datetime.date.min)


def turn(stages, left):
    """The stage that a plain run has `left` seconds for. The oldest one alone: a shorter one that
    overtook it would make it wait for ever."""
    oldest = by_age(stages)[0]
    fits = oldest.day and oldest.seconds is not None and oldest.seconds <= left
    return oldest if fits else None


def owed(stages, today):
    """A line for each stage that a plain run did not do, the oldest first."""
    for stage in by_age(stages):
        if stage.day is None:
            yield f"{stage.name}: never run; ./check --stage '{stage.name}'"
        else:
            days = (today - stage.day).days
            took = "not timed" if stage.seconds is None else f"{stage.seconds} s"
            yield (f"{stage.name}: {days} day{'' if days == 1 else 's'} ago at {stage.revision}, "
                   f"{took}; ./check --stage '{stage.name}'")


def too_old(stages, today):
    """A sentence for each stage that has waited longer than OLD_AFTER."""
    for stage in stages:
        if stage.day is None or today - stage.day > OLD_AFTER:
            yield (f"tests/long-stages.txt: '{stage.name}' was run last "
                   f"{'never' if stage.day is None else 'on ' + str(stage.day)}, and "
                   f"{OLD_AFTER.days} days are the most: run ./check --stage '{stage.name}' "
                   "and commit the file")


def git(*words):
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", str(ROOT), *words],
                          capture_output=True, text=True, check=True).stdout.strip()


def day_of_the_commit():
    return datetime.date.fromisoformat(git("log", "-1", "--format=%cs"))


# Sources of ours that are no part of a program that users start.
NOT_OURS = re.compile(r"(SK\.cc|\.hxx\.cxx|/xbind_standard(_rare)?\.cpp|/revision\.cpp)$")


def batches(build):
    """The translation units of a build folder, without what omniidl and CMake write."""
    commands = json.loads((Path(build) / "compile_commands.json").read_text())
    return sorted({entry["file"] for entry in commands if not NOT_OURS.search(entry["file"])})


def sources_of(batch):
    """The files that a translation unit compiles: itself, or what a batch of CMake includes."""
    if "/Unity/unity_" not in batch:
        return [batch]
    return re.findall(r'^#include "([^"]+)"', Path(batch).read_text(), re.MULTILINE)


def parsed(command):
    """What the compiler says of one entry of compile_commands.json, without writing an object."""
    words = shlex.split(command["command"])
    ran = subprocess.run(words + ["-fsyntax-only"], cwd=command["directory"], capture_output=True,
                         text=True, check=False)
    return ran.stderr if ran.returncode else ""


def parse_all(build):
    """The number of sources with errors, which are printed."""
    commands = [entry for entry in json.loads((Path(build) / "compile_commands.json").read_text())
                if not NOT_OURS.search(entry["file"])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [errors for errors in pool.map(parsed, commands) if errors]
    print(f"{len(commands)} sources, {len(wrong)} with errors")
    print("".join(wrong), end="")
    return len(wrong)


def main(words):
    match words:
        case ["turn", seconds]:
            stage = turn(parse(FILE.read_text()), float(seconds))
            print(stage.name if stage else "")
        case ["names"]:
            print("\n".join(stage.name for stage in parse(FILE.read_text())))
        case ["owed"]:
            for line in owed(parse(FILE.read_text()), day_of_the_commit()):
                print(line)
        case ["passed", name, seconds]:
            today = datetime.datetime.now(datetime.timezone.utc).date()
            FILE.write_text(written(FILE.read_text(), name, today,
                                    git("rev-parse", "--short=8", "HEAD"), int(seconds)))
        case ["batches", build]:
            print("\n".join(batches(build)))
        case ["parse", build]:
            return 1 if parse_all(build) else 0
        case _:
            print(__doc__.strip(), file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
