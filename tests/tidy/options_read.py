#!/usr/bin/env python3
"""Checks that some code reads each option of a program, not only its declaration."""

import collections
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import named_tables  # noqa: E402  pylint: disable=wrong-import-position

# add_uint("hop-timer-ms", &options.hop_timer_ms, ...: the name and the target.
DECLARED = re.compile(r'\badd_(?:string|strings|flag|uint|double|choice|enum)\(\s*"([a-z0-9-]+)",'
                      r"\s*(&?[\w.>\[\]()*-]+)")
WORD = re.compile(r"[A-Za-z_]\w*")


def declared(files):
    """(file, option, member) of every declaration; the member is the last name of the target."""
    for file, text in files.items():
        for found in DECLARED.finditer(text):
            yield file, found[1], WORD.findall(found[2])[-1]


def without_uses_as_target(member, line):
    return re.sub(rf"&[\w.>-]*\b{member}\b", "", line)


def reads_of_object(member, line):
    """Whether a line reads `options.member`; `options.member = x` is none."""
    return re.search(rf"[\w\])](?:\.|->){member}\b(?!\s*=[^=])",
                     without_uses_as_target(member, line)) is not None


def reads_alone(member, line):
    """Whether a line names the member for anything but its declaration."""
    line = without_uses_as_target(member, line)
    return re.search(rf"\b{member}\b", line) is not None and not re.match(
        rf"(?:static )?[\w:<>,* ]+\s{member}\s*(?:=[^;]*|\{{[^;]*\}})?;", line)


def unread(files):
    """Sentences about options that no code reads: through an object anywhere, or by the name alone
    in the files of the declaration."""
    lines = collections.defaultdict(list)
    for file, text in files.items():
        for line in re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text).splitlines():
            for word in set(WORD.findall(line)):
                lines[word].append((Path(file).with_suffix(""), line.strip()))
    for file, option, member in declared(files):
        own = Path(file).with_suffix("")
        if not any(reads_of_object(member, line) or (where == own and reads_alone(member, line))
                   for where, line in lines[member]):
            yield f"{file}: --{option}: no code reads {member}; make it work or take it away"


def main():
    files = named_tables.cpp_files()
    wrong = list(unread(files))
    if len(list(declared(files))) < 300:
        wrong.append("fewer than 300 options were read; has the form of declarations changed?")
    # A planted option, so that this script cannot pass by reading nothing.
    planted = {"a.hpp": "struct Options {\n  bool deaf = false;\n  bool read = false;\n};",
               "a.cpp": 'set.add_flag("deaf", &o->deaf, false, "x");\n'
                        'set.add_flag("read", &o->read, false, "x");\nif (o->read) run();'}
    if [sentence.split()[1] for sentence in unread(planted)] != ["--deaf:"]:
        wrong.append("the planted option that nothing reads is not found")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
