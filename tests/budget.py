#!/usr/bin/env python3
"""Reads tests/budget.txt: how many seconds each stage of ./check and each test label may take.

  budget.py report   prints measured seconds beside the budget; standard input has lines
                     "stage SECONDS NAME" and "label SECONDS NAME" as ./check measured them
"""

import re
import sys
from pathlib import Path

BUDGET = Path(__file__).resolve().parent / "budget.txt"
CORES = 2


class BudgetError(Exception):
    """A line of the file that cannot be read."""


def parse(text):
    """{"total": seconds, "stage": {name: seconds}, "label": {name: seconds}}"""
    budget = {"total": None, "stage": {}, "label": {}}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        total = re.fullmatch(r"total +(\d+)", line)
        row = re.fullmatch(r"(stage|label) +(\d+) +(\S.*)", line)
        if total and budget["total"] is None:
            budget["total"] = int(total.group(1))
        elif row and row.group(3) not in budget[row.group(1)]:
            budget[row.group(1)][row.group(3)] = int(row.group(2))
        else:
            raise BudgetError(f"tests/budget.txt:{number}: not a budget, or given twice: {line}")
    if budget["total"] is None:
        raise BudgetError("tests/budget.txt: no line `total SECONDS`")
    return budget


def contradictions(budget, stages, labels):
    """A sentence for each error of a budget. `stages` of ./check, `labels` of ctest."""
    for kind, there in (("stage", stages), ("label", labels)):
        for name in sorted(there - budget[kind].keys()):
            yield f"tests/budget.txt: no seconds for the {kind} '{name}'"
        for name in sorted(budget[kind].keys() - there):
            yield f"tests/budget.txt: there is no {kind} '{name}'"
    planned = sum(budget["stage"].values())
    if planned > budget["total"]:
        yield f"tests/budget.txt: the stages take {planned} s, the bound is {budget['total']} s"
    tests = CORES * budget["stage"].get("tests", 0)
    planned = sum(budget["label"].values())
    if planned > tests:
        yield f"tests/budget.txt: the labels take {planned} s on {CORES} cores, which is more " \
              f"than the stage 'tests' has: {tests} s"


def stages_of(check):
    """The stages of a plain run, from the text of ./check."""
    plain = re.sub(r'^if \[ "\$mode" = long \]; then$.*?^fi$', "", check, flags=re.M | re.S)
    names = re.findall(r'^ *stage ("[^"]+"|[a-z]+)', plain, re.MULTILINE)
    return {stage_name(name.strip('"')) for name in names}


def stage_name(name):
    """The name without what varies: "fuzzing, $fuzz_seconds s" becomes fuzzing."""
    return re.sub(r", (\$fuzz_seconds|\d+) s$", "", name)


def report(budget, lines):
    """Rows of measured seconds beside their budget."""
    rows = []
    for line in lines:
        kind, seconds, name = line.rstrip("\n").split(" ", 2)
        failed = name.endswith("  FAILED")
        name = name.removesuffix("  FAILED")
        planned = budget[kind].get(stage_name(name))
        words = "" if planned is None else f"of {planned}"
        if planned is not None and float(seconds) > planned:
            words += ", over its budget"
        rows.append((kind, float(seconds), name, words + ("  FAILED" if failed else "")))
    for kind, seconds, name, words in rows:
        yield f"{seconds:6.0f} s  {words:<24} {'label ' if kind == 'label' else ''}{name}"
    total = sum(seconds for kind, seconds, _, _ in rows if kind == "stage")
    yield f"{total:6.0f} s  of {budget['total']:<21} all stages"


def main(words):
    if words != ["report"]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for row in report(parse(BUDGET.read_text()), sys.stdin):
        print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
