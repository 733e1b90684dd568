#!/usr/bin/env python3
"""Runs every command that a document prints, in the state in which a reader would be.

The commands of a document run in its order, in one shell's environment, from the root of the tree.
`ID` is the number that the last `xbindctl connect` printed. The README and docs/commands.md are
read on a host whose port 2809 belongs to another name service. documents_tables.py lists what is
shortened, tests/tidy/commands_not_run.toml what is not run. What the machine lacks (root, bridges)
is left out, and the test is then skipped at its end.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile

from documents import *  # pylint: disable=wildcard-import,unused-wildcard-import
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from reader import PLACEHOLDER, Reader
from labkit import naming, network as networks, ovs, quickstart
from labkit.process import LabError

FIRST_READ = ("README.md", "docs/commands.md")


def has_bridges():
    try:
        ovs.require()
    except LabError:
        return False
    return os.geteuid() == 0 and shutil.which("iperf3") is not None


def has_hosts():
    try:
        networks.require("hosts", networks.NEEDED)
    except LabError:
        return False
    return os.geteuid() == 0


# What commands need (documents_tables.NEEDS).
HAS = {"bridges": has_bridges(),
       "hosts": has_hosts(),
       "sites": has_hosts() and os.path.exists("/dev/net/tun"),
       "captures": os.geteuid() == 0,
       "the build": BIN == ROOT / "build" / "bin"}  # where quickstart builds


class Documents(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.texts = {name: (ROOT / name).read_text() for name in documents(ROOT)}
        cls.commands = {name: commands_of(name, text) for name, text in cls.texts.items()}

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-reader-")))
        self.lacking = []

    def read(self, document):
        """Runs the document's commands, one by one."""
        reader = Reader(self.folder)
        try:
            for command in self.commands[document]:
                key = key_of(command.text)
                if not HAS.get(needs_of(key), True):
                    self.lacking.append(f"{needs_of(key)}: {command.where()}")
                elif run_by_a_test(key):
                    self.types(reader, command, BEFORE.get(key, []))
        finally:
            run(ROOT / "deploy" / "lab", "down", "--state-dir", self.folder / "lab")
        return reader

    def types(self, reader, command, before):
        for other in before:
            code, printed = reader.types(other)
            self.assertIn(code, exit_codes(other), f"before {command.where()}\n{other}\n{printed}")
        code, printed = reader.types(shorter(command.text))
        self.assertIn(code, exit_codes(command.text),
                      f"{command.where()}\nends with {code} and prints\n{printed}")

    def skip_what_is_lacking(self):
        if self.lacking:
            self.skipTest("NOT TESTED: for want of " + "; ".join(self.lacking))

    @unittest.skipUnless(HAS["the build"],
                         "NOT TESTED: ./quickstart builds in build/, and another build is tested")
    def test_readme_and_its_commands_where_port_2809_is_taken(self):
        printed = []
        with foreign_name_service():
            for document in FIRST_READ:
                with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
                    self.folder = Path(folder)
                    printed.append(self.read(document).printed)
        readme, commands = printed
        self.assertRegex("\n".join(readme.values()), r"Console: http://127[0-9.]+:9480/")
        self.assertRegex(readme['build/bin/xbindctl release "$ID"'], r"^\d+ released")
        seen = commands["nameclt list xbind/switchserver"].split()
        self.assertEqual(sorted(seen), sorted([CALLER, CALLEE, MIDDLE]))
        self.assertGreater(len(commands), 30)

    def test_nobody_has_to_type_an_id(self):
        """Whoever pastes a line has the id in a variable: ID=$(xbindctl connect ... --quiet)."""
        wrong = [one.where() for commands in self.commands.values() for one in commands
                 if re.search(PLACEHOLDER, one.text)]
        self.assertEqual(wrong, [])

    def test_the_other_documents(self):
        for document, commands in self.commands.items():
            run_here = [one for one in commands if run_by_a_test(key_of(one.text))
                        and HAS.get(needs_of(key_of(one.text)), True)]
            if document not in FIRST_READ and run_here:
                with self.subTest(document):
                    with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
                        self.folder = Path(folder)
                        self.assertNotEqual(self.read(document).printed, {})
        self.skip_what_is_lacking()

    def test_no_command_stands_unmarked(self):
        wrong = [sentence for name, text in self.texts.items()
                 for sentence in unmarked(name, text)]
        self.assertEqual(wrong, [])

    def test_every_row_of_the_tables_is_printed_somewhere(self):
        printed = {key_of(command.text) for commands in self.commands.values()
                   for command in commands}
        for table in (SHORTER, BEFORE, READY, NEEDS, NOT_RUN, EXIT_CODES):
            self.assertEqual(set(table) - printed, set())
        for table in (SHORTER, BEFORE, READY, NEEDS, EXIT_CODES):
            self.assertEqual(set(table) & set(NOT_RUN), set())

    def test_options_of_what_is_not_run_exist(self):
        for key in NOT_RUN:
            with self.subTest(key):
                self.parses(words_of(key))

    def test_options_in_sentences_exist(self):
        found = [one for name, text in self.texts.items() for one in spoken(name, text)]
        self.assertGreater(len(found), 10)
        for where, words in found:
            with self.subTest(where):
                self.assertEqual(set(options_in(words)) - known_options(words), set(), where)

    def parses(self, words):
        """Our programs check their own command lines; for others only the named files are
        checked."""
        if words[0] == "./quickstart":
            quickstart.parse([str(self.folder / Path(word).name) if word.endswith(".json") else word
                              for word in words[1:]])
        elif words[0].startswith("build/bin/xbind"):
            done = run(BIN / Path(words[0]).name, *words[1:], "--check-config")
            self.assertEqual(done.returncode, 0, done.stderr)
        else:
            for word in words:
                if re.match(r"(tests|deploy)/", word):
                    self.assertTrue((ROOT / word).exists(), word)


@contextlib.contextmanager
def foreign_name_service():
    """Occupies port 2809, as Debian's omniorb-nameserver does; starts an omniNames if it is
    free."""
    with tempfile.TemporaryDirectory(prefix="xbind-foreign-") as folder, \
            open(Path(folder) / "log", "w") as log:
        port = naming.DEFAULT_NAMES_PORT
        if not naming.is_free("127.0.0.1", port):
            yield
            return
        process = subprocess.Popen(
            ["omniNames", "-start", str(port), "-datadir", folder, "-ORBendPoint",
             f"giop:tcp:127.0.0.1:{port}"], stdout=log, stderr=log)
        try:
            wait_until(lambda: naming.name_service_answers("127.0.0.1", port), "the other answers")
            yield
        finally:
            process.kill()
            process.wait()


def options_in(words):
    return [word.strip("'\"").partition("=")[0] for word in words if re.match(r"--[a-z]", word)]


def known_options(words):
    """The options of the program that running text names, after its command if it has commands."""
    program = Path(words[0]).name
    if program == "lab":
        text = run(ROOT / "deploy" / "lab", words[1], "--help").stdout
    elif program in ("quickstart", "check"):
        text = run(ROOT / program, "--help").stdout
    else:
        has_commands = program in ("xbind-callgen", "xbind-smds", "xbindctl")
        command = [word for word in words[1:2] if has_commands and not word.startswith("-")]
        text = run(BIN / program, *command, "--help").stdout
    everywhere = {"--help", "--version", "--check-config", "--config", "--print-options",
                  "--print-timers"}
    return set(re.findall(r"--[a-z][a-z0-9-]*", text)) | everywhere


if __name__ == "__main__":
    main()
