#!/usr/bin/env python3
"""Reads tests/budget.txt: how many seconds each stage of ./check and each test label may take.

  budget.py load                      what the machine is doing: for the next two
  budget.py quiet LOAD                exit code 0 if it was quiet then, else why not, and 1
  budget.py total                     the bound of all stages
  budget.py stage NAME                the budget of a stage
  budget.py report LOAD [--record]    prints measured seconds beside the budget; standard input has
                                      lines "stage SECONDS NAME" and "label SECONDS NAME" as
                                      ./check measured them

On a machine that was quiet, `report` judges: it ends with 1 when a label of tests needs twice the
share of all labels' time that it has in tests/measured.txt. Shares, because another machine is
slower at everything. --record adds the run to that file.
"""

import re
import statistics
import sys
from pathlib import Path

BUDGET = Path(__file__).resolve().parent / "budget.txt"
MEASURED = Path(__file__).resolve().parent / "measured.txt"
CORES = 2
LOAD_MAX = 0.5  # processes that wait or run, the average of a minute at the start
STOLEN_MAX = 0.01  # of the processors' time, by other guests of the host
RUNS_KEPT = 5
SHARE_MAX = 2.0  # of the median share
JUDGED_FROM_S = 20  # the median; what is shorter varies more
# Fetch from the network, which is others' time.
NOT_JUDGED = {"interop", "foreign"}


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
    return {stage_name(name.strip('"')) for name in names if not name.startswith('"$')}


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


def load(average, processors):
    """One word from the text of /proc/loadavg and /proc/stat: load average, all ticks, stolen
    ticks."""
    ticks = [int(word) for word in processors.splitlines()[0].split()[1:9]]
    return f"{float(average.split()[0])}:{sum(ticks)}:{ticks[7]}"


def why_loud(then, now):
    """Why seconds between two words of load() say little, or None."""
    average, ticks, stolen = (float(word) for word in then.split(":"))
    _, ticks_now, stolen_now = (float(word) for word in now.split(":"))
    if average >= LOAD_MAX:
        return f"the load average was {average:.2f} at the start, quiet is below {LOAD_MAX}"
    share = (stolen_now - stolen) / max(1.0, ticks_now - ticks)
    if share > STOLEN_MAX:
        return f"other guests of this host took {share:.1%} of the processors' time"
    return None


def measured(text):
    """{label: [seconds of the last runs]}"""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            found[words[0]] = [float(word) for word in words[1:]]
        except ValueError as error:
            raise BudgetError(f"tests/measured.txt:{number}: not seconds: {line}") from error
    return found


def recorded(text, labels):
    """The text of tests/measured.txt with another run; its comments stay."""
    kept = measured(text)
    lines = [line for line in text.splitlines() if line.startswith("#")]
    for name in sorted(labels):
        runs = (kept.get(name, []) + [labels[name]])[-RUNS_KEPT:]
        lines.append(" ".join([f"{name:<18}", *(f"{seconds:.0f}" for seconds in runs)]))
    return "\n".join(lines) + "\n"


def slower(runs, labels):
    """A sentence for each label that needs SHARE_MAX times its share of the recorded time."""
    medians = {name: statistics.median(seconds) for name, seconds in runs.items()
               if seconds and name in labels and name not in NOT_JUDGED}
    if not medians:
        return
    everything = sum(labels[name] for name in medians)
    usual = sum(medians.values())
    for name, median in medians.items():
        times = labels[name] / everything / (median / usual)
        if median >= JUDGED_FROM_S and times > SHARE_MAX:
            yield (f"label {name}: {labels[name]:.0f} s, {times:.1f} times its share of the "
                   f"tests' time in tests/measured.txt ({median:.0f} of {usual:.0f} s)")


def labels_of(lines):
    """{label: seconds} of the lines that `report` reads."""
    rows = (line.rstrip("\n").split(" ", 2) for line in lines)
    return {name: float(seconds) for kind, seconds, name in rows if kind == "label"}


def machine():
    return load(Path("/proc/loadavg").read_text(), Path("/proc/stat").read_text())


def reported(then, record):
    """`report`; its exit code."""
    lines = sys.stdin.readlines()
    for row in report(parse(BUDGET.read_text()), lines):
        print(row)
    if loud := why_loud(then, machine()):
        print(f"Shown, not judged: {loud}")
        return 1 if record else 0
    late = list(slower(measured(MEASURED.read_text()), labels_of(lines)))
    for sentence in late:
        print(sentence)
    if record:
        MEASURED.write_text(recorded(MEASURED.read_text(), labels_of(lines)))
    return 1 if late else 0


def main(words):
    match words:
        case ["load"]:
            print(machine())
        case ["quiet", then]:
            if loud := why_loud(then, machine()):
                print(loud, file=sys.stderr)
                return 1
        case ["total"]:
            print(parse(BUDGET.read_text())["total"])
        case ["stage", name]:
            print(parse(BUDGET.read_text())["stage"][name])
        case ["report", then]:
            return reported(then, False)
        case ["report", then, "--record"]:
            return reported(then, True)
        case _:
            print(__doc__.strip(), file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
