"""How transcript_test compares what a document shows with what its commands print.

Only what VARIES lists is not compared. Every other figure is a fact, such as a count, a rate, a
state, a number of an order or an exit code, and must be the one that is printed.
"""

import re

# A command whose output is asked for again until it contains this. By the comment behind it.
UNTIL = re.compile(r"\s*# until: (.*?)(?=\s*# exit code|$)")
# The exit code of the command, in a pipe of the last program that failed; without it 0.
EXIT_CODE = re.compile(r"\s*# exit code (\d+)$")
FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What differs from run to run, and what it is compared as.
VARIES = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? UTC", "TIME"),
    (r"\b[0-9a-f]{32}\b", "TRACE"),
    (r"(?<=\w)#\d{10}\b", "#NUMBER"),  # of an alarm; it begins with the second of its start
    (r"\b127(\.\d+){3}\b", "ADDRESS"),  # the lab takes the first loopback addresses that are free
    (r"\bpid \d+\b", "pid NUMBER"),
    (r"\blabel 0/\d+\b", "label LABEL"),
    (r"\b\d+\.\d (us|s)\b", "DURATION"),
    (r"(?<!\S)\d+\.\d(?!\S)", "DURATION"),  # in a column of durations
]
# A connection: the manager's epoch, and its number there, which is a fact.
CONNECTION = re.compile(r"\b\d{13}\b")
NUMBER_BITS = 40


class Step:
    """A command, and what is written about it: the output below it and its exit code."""

    def __init__(self, line):
        code = EXIT_CODE.search(line)
        self.code = int(code.group(1)) if code else 0
        self.line = EXIT_CODE.sub("", line)
        until = UNTIL.search(self.line)
        self.until = until.group(1) if until else None
        self.command = UNTIL.sub("", self.line).strip()
        self.written = []

    def is_printed(self, code, text):
        """Whether the command has ended and printed as it is written."""
        return code == self.code and matches(lines_of(text), [alike(one) for one in self.written])


def steps_of(text):
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        else:
            steps[-1].written.append(line)
    return steps


def alike(line):
    """The line without what differs from run to run."""
    for pattern, name in VARIES:
        line = re.sub(pattern, name, line)
    line = CONNECTION.sub(
        lambda found: f"CONNECTION {int(found.group()) % 2 ** NUMBER_BITS}", line)
    return " ".join(line.split())


def lines_of(text):
    return [alike(line) for line in text.rstrip("\n").splitlines()]


def matches(printed, written):
    """Whether the lines are as they are written; "..." stands for any lines, also for none."""
    if not written:
        return not printed
    if written[0] == "...":
        return any(matches(printed[skip:], written[1:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0] == written[0] and matches(printed[1:], written[1:])


__all__ = ["FENCE", "Step", "alike", "lines_of", "matches", "steps_of"]
