#!/usr/bin/env python3
"""Checks the list of the commands that documents print and no test runs: each is printed, has a
reason, and the list only shrinks."""

import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))
import documents  # pylint: disable=wrong-import-position

LIST = "tests/tidy/commands_not_run.toml"
REASON_WORDS = 4  # at least


def faults(text, printed, earlier):
    """Sentences about the list. `earlier`: the values of `most` in its history, newest first."""
    listed = tomllib.loads(text)
    rows, most = listed["not-run"], listed["most"]
    commands = [row["command"] for row in rows]
    for command in sorted({one for one in commands if commands.count(one) > 1}):
        yield f"{command}: is listed more than once"
    for row in rows:
        if row["command"] not in printed:
            yield f"{row['command']}: no document prints it; take the row away"
        if len(row["reason"].split()) < REASON_WORDS:
            yield f"{row['command']}: '{row['reason']}' is no reason"
    if len(rows) > most:
        yield f"{len(rows)} commands are run by no test, more than {most}: run the new ones"
    if len(rows) < most:
        yield f"{len(rows)} commands are run by no test: lower `most`, which is {most}"
    values = [most, *earlier]
    for newer, older in zip(values, values[1:]):
        if newer > older:
            yield f"`most` has risen from {older} to {newer}; the list only shrinks"


def git(*words):
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", str(ROOT), *words],
                          capture_output=True, text=True, check=False).stdout


def history():
    """The values of `most`, the newest first; none where there is no history."""
    commits = git("log", "--format=%H", "--", LIST).split()
    texts = [git("show", f"{commit}:{LIST}") for commit in commits]
    return [tomllib.loads(text)["most"] for text in texts if text]


def printed_commands():
    return {documents.key_of(command.text) for name in documents.documents(ROOT)
            for command in documents.commands_of(name, (ROOT / name).read_text())}


class CommandsNotRun(unittest.TestCase):

    def test_the_list_is_right_and_shrinks(self):
        self.assertEqual(
            list(faults((ROOT / LIST).read_text(), printed_commands(), history())), [])

    def test_each_fault_is_named(self):
        def text(most, *rows):
            return f"most = {most}\n" + "".join(
                f'[[not-run]]\ncommand = "{command}"\nreason = "{reason}"\n'
                for command, reason in rows)
        good = ("./a", "it takes ten minutes")
        for wrong, earlier, said in (
                (text(1, good), [1, 2], []),
                (text(1, ("./b", "it takes ten minutes")), [], ["./b: no document prints it; "
                                                                "take the row away"]),
                (text(1, ("./a", "slow")), [], ["./a: 'slow' is no reason"]),
                (text(2, good, good), [], ["./a: is listed more than once"]),
                (text(0, good), [], ["1 commands are run by no test, more than 0: run the new "
                                     "ones"]),
                (text(2, good), [], ["1 commands are run by no test: lower `most`, which is 2"]),
                (text(1, good), [0], ["`most` has risen from 0 to 1; the list only shrinks"]),
                (text(1, good), [1, 0], ["`most` has risen from 0 to 1; the list only shrinks"])):
            with self.subTest(said):
                self.assertEqual(list(faults(wrong, {"./a"}, earlier)), said)


if __name__ == "__main__":
    unittest.main()
