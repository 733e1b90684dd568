#!/usr/bin/env python3
"""What belongs to xbindctl besides its programs: schemas, completion, and the table of causes.

Needs no lab. The documents are those of xbindctl_views_test.cpp, whose manager gives preset
answers; xbindctl_lab_test.py does the same with real processes.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import xbindctl_schemas
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

# Commands without a document: completion prints a script.
WITHOUT = {"completion"}


def commands():
    """The verbs of xbindctl's table of commands."""
    printed = run("xbindctl", "--print-options").stdout
    return re.findall(r"^\| `([a-z][a-z-]*)[^`]*` \|", printed, re.MULTILINE)


class Schemas(unittest.TestCase):

    def test_every_command_has_one(self):
        self.assertEqual(sorted(set(commands()) - WITHOUT), xbindctl_schemas.commands())

    def test_documents_of_preset_answers_agree_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("xbindctl_test", "--gtest_filter=Documents.*",
                       env={"XBIND_JSON_DOCUMENTS": folder})
            self.assertEqual(done.returncode, 0, done.stdout)
            files = sorted(Path(folder).glob("*.json"))
            self.assertGreater(len(files), 20)
            for file in files:
                with self.subTest(file.name):
                    xbindctl_schemas.check(file.name.split(".")[0], json.loads(file.read_text()))

    def test_another_document_is_refused(self):
        with self.assertRaises(xbindctl_schemas.jsonschema.ValidationError):
            xbindctl_schemas.check("aggregation", {"mode": "fixed", "threshold": -1,
                                                   "flush_timeout_ms": 5})


class Causes(unittest.TestCase):

    def test_the_document_has_the_table_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table"
            run("xbindctl_test", "--gtest_filter=Explanations.AreTheTableOfTheDocument",
                env={"XBIND_EXPLANATIONS": str(table)})
            self.assertIn(table.read_text(), (ROOT / "docs" / "operating.md").read_text())

    def test_the_document_has_the_kinds_of_alarms(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table"
            run("xbindctl_test",
                "--gtest_filter=Explanations.KindsOfAlarmsAreATableOfTheDocument",
                env={"XBIND_ALARM_KINDS": str(table)})
            self.assertIn(table.read_text(), (ROOT / "docs" / "operating.md").read_text())

    def test_a_cause_is_explained_without_a_peer(self):
        done = run("xbindctl", "explain", "busy", "--name-service", "127.0.0.1:9")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("what to do", done.stdout)


class Completion(unittest.TestCase):

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.script = Path(folder) / "completion"
        self.script.write_text(run("xbindctl", "completion", "bash").stdout)

    def words(self, *typed):
        """What bash offers for the last of the typed words."""
        code = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xbindctl; '
                'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", code, "bash", self.script, *typed], check=True,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_the_script_is_a_script(self):
        for shell in ("bash", "zsh"):
            made = run("xbindctl", "completion", shell)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
        subprocess.run(["bash", "-n", self.script], check=True)

    def test_commands_options_and_choices_are_offered(self):
        self.assertEqual(set(self.words("xbindctl", "")), set(commands()))
        self.assertEqual(self.words("xbindctl", "ali"), [])
        self.assertEqual(self.words("xbindctl", "cal"), ["calls", "call"])
        self.assertEqual(self.words("xbindctl", "calls", "--so"), ["--sort"])
        self.assertEqual(self.words("xbindctl", "links", "--so"), [])
        self.assertIn("--json", self.words("xbindctl", "links", "--"))
        self.assertEqual(self.words("xbindctl", "calls", "--sort", "c"), ["cells", "client"])
        self.assertEqual(self.words("xbindctl", "calls", "--sort", "=", "c"), ["cells", "client"])
        self.assertEqual(self.words("xbindctl", "calls", "--limit", ""), [])

    def test_arguments_are_offered_where_they_are_known(self):
        self.assertEqual(self.words("xbindctl", "completion", ""), ["bash", "zsh"])
        self.assertEqual(self.words("xbindctl", "--manager", "x", "managers", ""), ["all"])
        self.assertEqual(self.words("xbindctl", "connect", ""), [])
        self.assertEqual(self.words("xbindctl", "network", "add-"), ["add-node", "add-link"])
        # No manager answers: no ids.
        self.assertEqual(self.words("false", "explain", "no-b"), ["no-bandwidth", "no-buffer"])
        self.assertEqual(self.words("false", "describe", ""), [])

    def test_ids_are_those_that_the_program_prints(self):
        program = self.script.parent / "xbindctl"
        program.write_text("#!/bin/sh\nprintf '%s\\n' 10995 10996 \"$*\" | head -n 2\n")
        program.chmod(0o755)
        self.assertEqual(self.words(program, "describe", "1099"), ["10995", "10996"])
        self.assertEqual(self.words(program, "list", "--watch", "--frames", "3", ""), [])


class Refused(unittest.TestCase):

    def test_words_that_fit_no_command(self):
        for words, said in ((["completion", "fish"], "neither bash nor zsh"),
                            (["list", "--watch=0.1"], "less than 0.2 s"),
                            (["list", "--frames", "2"], "frames goes with watch"),
                            (["calls", "--ids", "--json"], "exclude each other"),
                            (["calls", "--sort", "age"], "sort"),
                            (["connect", "a", "b", "--watch"], "watch"),
                            (["alarms", "--kind", "away"], "kind 'away' is none of"),
                            (["events", "--kind", "call"], "none of calls, links"),
                            (["what-if", "switch-1", "x"], "is no port"),
                            (["network", "lod", "f"], "'lod' is none of load, show, add-node"),
                            (["network", "load"], "network load takes FILE"),
                            (["network", "show", "f"], "network show takes no argument"),
                            (["network", "add-link", "a:2", "b:x", "5"], "'b:x' is not NODE:PORT"),
                            (["network", "remove-link", "a"], "'a' is not NODE:PORT"),
                            (["network", "set-rate", "a:2", "0"], "RATE '0' is not 1 to"),
                            (["network", "add-node", "n", "--delay-us", "5"],
                             "delay-us goes with network add-link"),
                            (["network", "remove-node", "n", "--endpoint"],
                             "endpoint goes with network add-node")):
            with self.subTest(words):
                done = run("xbindctl", *words)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(said, done.stderr)

    def test_an_environment_for_every_command_repeats_no_change(self):
        done = run("xbindctl", "connect", "a", "b", "--name-service", "127.0.0.1:9",
                   env={"XBIND_WATCH": "0.2", "XBIND_FRAMES": "3", "XBIND_JSON": "true"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["error"]["name"], "unreachable")


if __name__ == "__main__":
    main()
