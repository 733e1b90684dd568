#!/usr/bin/env python3
"""Checks that what we advise exists: every option and every command that a message, an alarm, a
cause, a finding or a manual names is one of docs/options.md, or of a script of this tree.

The tables of advice and the manuals are compared with each other elsewhere (xbindctl_test.cpp).
That comparison cannot find a name that is wrong in both.
"""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ROOT / "docs/options.md"
ALARMS = "core/alarms/alarm_kinds.cpp"
OF_EVERY_PROGRAM = {"help", "version", "config", "check-config", "print-options", "print-timers",
                    "print-metrics"}
# The words with which the table of alarms names a program.
RAISERS = {"ConnectionManager": "xbind-cmgr", "SwitchServer": "xbind-switchserver",
           "RouteObject": "xbind-routeobject", "QOSMapper": "xbind-qosmapper",
           "keeper": "xbind-keeper", "each daemon": "xbind-cmgr"}
SCRIPTS = ("quickstart", "check", "deploy/", "tests/")
# Documents about other programs' options, and those that tell of names of the past.
NO_MANUALS = ("CHANGELOG.md", "docs/options.md", "docs/decisions/")
# Options of tools that are not ours, in commands of the manuals.
FOREIGN = {"max-time", "output-on-failure", "preset", "rr", "test-dir"}

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w-])(?!-)")
ELIDED = re.compile(r"--[a-z-]*(?:\.\.\.|…)[a-z-]*")
OF_PROGRAM = re.compile(r"--([a-z0-9-]+)(?: [\w=.,:]+)? of (xbind-[a-z]+|xbindctl)\b")
WITH = re.compile(r"\b(xbind-[a-z]+) with --([a-z0-9-]+)")
COMMAND = re.compile(r"(?:^|[\s/(`$!;|&])(xbindctl|xbind-[a-z-]+|deploy/lab) +([^`;|&#\n]*)")
FENCE = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
ROW = re.compile(r"\{AlarmKind::\w+, (.*?)\},\n", re.DOTALL)


class Known:
    """The options and commands that exist, from docs/options.md, scripts and deploy/lab --help."""

    def __init__(self, document, scripts=(), lab_help=""):
        self.of_program = {}
        self.verbs = {}  # of xbindctl: its own options
        for section in re.split(r"^## ", document, flags=re.MULTILINE)[1:]:
            program = section.split("\n", 1)[0].strip()
            rows = re.findall(r"^\| `--([a-z0-9-]+)` \| ([^|]*) \|", section, re.MULTILINE)
            self.of_program.setdefault(program.split()[0], set()).update(name for name, _ in rows)
            if program == "xbindctl":
                verbs = re.findall(r"^\| `([a-z-]+)[ `]", section, re.MULTILINE)
                for verb in verbs:
                    self.verbs[verb] = {name for name, of in rows
                                        if of == "all" or verb in of.split(", ")}
        self.names_words = set()
        words = re.search(r"^## xbind-names$.*?^Arguments: `(.*?)`$", document,
                          re.MULTILINE | re.DOTALL)
        if words:
            self.names_words = {part.split()[0] for part in words.group(1).split(" | ")}
        self.of_scripts = {program.removeprefix("xbind-") + "-option"  # of deploy/lab
                           for program in self.of_program}
        self.lab_words = set(re.findall(r"^    ([a-z]+)  ", lab_help, re.MULTILINE))
        for text in scripts:
            self.of_scripts |= set(OPTION.findall(text))

    def anywhere(self, option):
        return (option in OF_EVERY_PROGRAM or option in self.of_scripts
                or any(option in options for options in self.of_program.values()))

    def of(self, program, option):
        return option in OF_EVERY_PROGRAM or option in self.of_program.get(program, ())


def faults_of_command(known, program, rest):
    """Sentences about one use of a program: `rest` are the words after its name."""
    if program not in (*known.of_program, "deploy/lab"):
        return  # "xbind-switchserver/switch-1" of a lab, and the like
    words = rest.split()
    word = words[0].strip("`.,:)") if words else ""
    if not re.fullmatch(r"[a-z][a-z-]*", word) and program in ("xbindctl", "xbind-names",
                                                               "deploy/lab"):
        return  # "xbindctl --help", "xbindctl COMMAND"
    verbs = {"xbindctl": known.verbs, "xbind-names": known.names_words,
             "deploy/lab": known.lab_words}.get(program)
    if verbs is not None and word not in verbs:
        yield f"{program} has no command {word}"
        return
    if program == "deploy/lab":
        return  # its options end at "--", and argparse knows them
    for option in OPTION.findall(rest):
        if option in OF_EVERY_PROGRAM:
            continue
        if program == "xbindctl" and option not in known.verbs[word]:
            yield f"{program} {word} has no option --{option}"
        if program != "xbindctl" and not known.of(program, option):
            yield f"{program} has no option --{option}"


def faults_of_text(known, text):
    """Sentences about the options that a message names."""
    for name in ELIDED.findall(text):
        yield f"{name} is no option; write each in full"
    for option in OPTION.findall(ELIDED.sub("", text)):
        if not known.anywhere(option):
            yield f"no program has an option --{option}"
    for option, program in OF_PROGRAM.findall(text):
        if not known.of(program, option):
            yield f"{program} has no option --{option}"
    for program, option in WITH.findall(text):
        if not known.of(program, option):
            yield f"{program} has no option --{option}"
    for span in SPAN.findall(text):
        for program, rest in COMMAND.findall(span):
            yield from faults_of_command(known, program, rest)


def joined_literals(source):
    """The string literals of a C++ source, those that follow each other as one."""
    source = COMMENT.sub("", source)
    source = re.sub(r'"\s*\n\s*"', "", source)
    return LITERAL.findall(source)


def faults_of_alarms(known, source):
    """The options in a row of the table of alarms are those of a program that raises it."""
    for row in ROW.findall(source):
        texts = joined_literals(row)
        if len(texts) != 5:
            yield f"the row of {texts[0] if texts else row} has {len(texts)} texts, not 5"
            continue
        name, raised_by, _, meaning, repair = texts
        programs = [program for word, program in RAISERS.items() if word in raised_by]
        if not programs:
            yield f"{name} is raised by '{raised_by}', which is none of {', '.join(RAISERS)}"
        for text in (meaning, repair):
            bare = COMMAND.sub("", OF_PROGRAM.sub("", text))
            for option in OPTION.findall(bare):
                if not any(known.of(program, option) for program in programs):
                    yield f"{name}: --{option} is no option of {' or '.join(programs)}"


def faults_of_manual(known, text):
    """Sentences about the commands of a document: fences marked sh, and code within a line."""
    for code in FENCE.findall(text):
        code = code.replace("\\\n", " ")
        for program, rest in COMMAND.findall(code):
            yield from faults_of_command(known, program, rest)
    for span in SPAN.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        span = " ".join(span.split())
        for program, rest in COMMAND.findall(span):
            yield from faults_of_command(known, program, rest)
        for option in OPTION.findall(span):
            if not known.anywhere(option) and option not in FOREIGN:
                yield f"no program has an option --{option}"


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
                             *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if (ROOT / name).is_file()]


def read(name):
    return (ROOT / name).read_text(errors="replace")


def is_script(name):
    return name.startswith(SCRIPTS) and (name.endswith(".py") or read(name).startswith("#!"))


def known_here():
    lab = subprocess.run([ROOT / "deploy/lab", "--help"], capture_output=True, text=True,
                         timeout=20, check=True)
    return Known(OPTIONS.read_text(), [read(name) for name in files() if is_script(name)
                                       and name != "tests/tidy/advice_test.py"], lab.stdout)


class Advice(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.known = known_here()

    def test_the_document_of_the_options_is_read(self):
        self.assertIn("client-setups-per-s-max", self.known.of_program["xbind-cmgr"])
        self.assertIn("severity", self.known.verbs["alarms"])
        self.assertNotIn("severity", self.known.verbs["connect"])
        self.assertEqual(self.known.names_words, {"list", "wait", "clear"})
        self.assertLess({"up", "down", "cut", "convert"}, self.known.lab_words)

    def test_every_message_names_options_that_exist(self):
        found = []
        for name in files("*.cpp", "*.hpp", "*.cpp.in", ":!tests/*"):
            for text in joined_literals(read(name)):
                found += [f"{name}: {fault}: \"{text}\""
                          for fault in faults_of_text(self.known, text)]
        self.assertEqual(found, [])

    def test_every_alarm_names_options_of_a_program_that_raises_it(self):
        self.assertEqual(list(faults_of_alarms(self.known, read(ALARMS))), [])

    def test_every_manual_names_commands_and_options_that_exist(self):
        found = []
        for name in files("*.md"):
            if not name.startswith(NO_MANUALS):
                found += [f"{name}: {fault}" for fault in faults_of_manual(self.known, read(name))]
        self.assertEqual(found, [])


class Faults(unittest.TestCase):
    """What the checks find."""
    known = Known("## xbind-cmgr\n\n| option | default |\n| --- | --- |\n"
                  "| `--client-calls-max` | `0` | any | . |\n"
                  "## xbind-names\n\nArguments: `list [CONTEXT] | clear [PATH...]`\n\n"
                  "## xbindctl\n\n| `calls` | Prints. |\n| `call ID` | Prints. |\n"
                  "| `--json` | all | `false` | . |\n| `--sort` | calls | `id` | . |\n",
                  ["parser.add_argument('--topology')"], "    up        start a lab\n")

    def text(self, text):
        return list(faults_of_text(self.known, text))

    def manual(self, text):
        return list(faults_of_manual(self.known, text))

    def test_a_message(self):
        self.assertEqual(self.text("raise --client-calls-max; see --topology, --help"), [])
        self.assertEqual(self.text("raise --client-setup-rate"),
                         ["no program has an option --client-setup-rate"])
        self.assertEqual(self.text("raise --client-...-max"),
                         ["--client-...-max is no option; write each in full"])
        self.assertEqual(self.text("(--sort of xbind-cmgr)"),
                         ["xbind-cmgr has no option --sort"])
        self.assertEqual(self.text("run xbind-cmgr with --sort id"),
                         ["xbind-cmgr has no option --sort"])
        self.assertEqual(self.text("`xbindctl calls --sort id`, `xbindctl call ID --json`"), [])
        self.assertEqual(self.text("`xbindctl call ID --sort id`"),
                         ["xbindctl call has no option --sort"])
        self.assertEqual(self.text("`xbindctl undo`"), ["xbindctl has no command undo"])
        self.assertEqual(self.text("`xbind-names forget`"), ["xbind-names has no command forget"])

    def test_a_manual(self):
        self.assertEqual(self.manual("`--topology`\n\n```sh\nbin/xbindctl calls --json\n```\n"), [])
        self.assertEqual(self.manual("```sh\nbin/xbindctl call 7 --sort id  # so\n```\n"),
                         ["xbindctl call has no option --sort"])
        self.assertEqual(self.manual("use `xbindctl gone` or `--nowhere`"),
                         ["xbindctl has no command gone", "no program has an option --nowhere"])

        self.assertEqual(self.manual("```sh\ndeploy/lab up\ndeploy/lab lift\n```\n"),
                         ["deploy/lab has no command lift"])
        self.assertEqual(self.manual("`bin/xbind-cmgr --client-calls-max 1 --sort id`"),
                         ["xbind-cmgr has no option --sort"])

    def test_an_alarm(self):
        row = ('{AlarmKind::kOverload, "overload", kMajor, kCounted, "ConnectionManager", "it",\n'
               '     "Busy.",\n     "Raise --client-calls-max, or "\n     "--sort."},\n')
        self.assertEqual(list(faults_of_alarms(self.known, row)),
                         ["overload: --sort is no option of xbind-cmgr"])
        self.assertEqual(list(faults_of_alarms(self.known, row.replace('"ConnectionManager"',
                                                                       '"nobody"')))[0],
                         "overload is raised by 'nobody', which is none of " + ", ".join(RAISERS))


if __name__ == "__main__":
    unittest.main()
