"""The commands that the documents print, and what documents_test runs for each.

A fence that begins with ```sh holds commands as a reader types them. Each is run as printed unless
a table of documents_tables.py or tests/tidy/commands_not_run.toml lists it. A row that no document
prints any more is an error.
"""

import re
import shlex
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from documents_tables import BEFORE, EXIT_CODES, NEEDS, READY, SHORTER

# Printed commands that no test runs, with the reason. Their options are checked nevertheless.
NOT_RUN_FILE = Path(__file__).resolve().parents[1] / "tidy" / "commands_not_run.toml"
NOT_RUN = {row["command"]: row["reason"]
           for row in tomllib.loads(NOT_RUN_FILE.read_text())["not-run"]}

# Commands that offer calls. 3 means that the generator was late, which is the host's fault.
OFFERS_CALLS = re.compile(r"quickstart|xbind-callgen (run|saturate|floor)")


def exit_codes(printed):
    """The exit codes with which a printed command may end."""
    usual = {0, 3} if OFFERS_CALLS.search(printed) else {0}
    return EXIT_CODES.get(key_of(printed), usual)


# First words of our commands. A line that begins like this and is indented, or in a fence without
# `sh`, is a command that no test runs.
OURS = (r"\./(quickstart|check)\b|deploy/(lab|install)\b|(build/bin/)?(xbind-(cmgr|switchserver|"
        r"routeobject|qosmapper|switch|keeper|smds|callgen|console|names|gsmp-ovs)|xbindctl|"
        r"gsmpdump|gsmp_conformance|\w+_bench)\s+\S")
OTHERS = (r"(cmake|ninja|ctest|python3|valgrind|tshark|nameclt|eval|sudo|sysctl|chrt|mkdir|for|"
          r"export|git|apt-get)\s")
COMMAND = re.compile(rf"^\s*([A-Z_]+=\S+\s+)*({OURS}|{OTHERS})")


@dataclass
class Command:
    document: str
    line: int
    text: str  # as printed, without its comment and surplus blanks; several lines for a loop

    def where(self):
        return f"{self.document}:{self.line}: {self.text}"


def documents(root):
    """The tracked documents that may print commands: all except decisions, which describe the
    past."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-co", "--exclude-standard",
         "*.md"], capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [
        str(path.relative_to(root)) for path in root.rglob("*.md")
        if "build" not in path.relative_to(root).parts[0]]
    return sorted(name for name in names if not name.startswith("docs/decisions/")
                  and (root / name).is_file())


def fences(text):
    """(number of the first line, word after the ticks, lines) of every fence, in order."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if inside is None:
                inside = (number + 1, line[3:].strip(), [])
            else:
                found.append(inside)
                inside = None
        elif inside is not None:
            inside[2].append(line)
    return found


def commands_of(document, text):
    """The commands of all fences marked `sh`, in order."""
    commands = []
    for first, language, lines in fences(text):
        if language == "sh":
            commands += statements(document, first, lines)
    return commands


def statements(document, first, lines):
    """Joins lines until bash finds them complete: a loop is one command."""
    commands, kept, began = [], [], first
    for number, line in enumerate(lines, first):
        if not kept:
            began = number
        kept.append(line)
        text = "\n".join(kept)
        if not without_comment(text).strip():
            kept = []
        elif not text.rstrip().endswith("\\") and complete(text):
            commands.append(Command(document, began, without_comment(text)))
            kept = []
    if kept:
        raise AssertionError(f"{document}:{began}: bash finds no end of: {' '.join(kept)}")
    return commands


def complete(text):
    read = subprocess.run(["bash", "-n", "-c", text], capture_output=True, check=False)
    return read.returncode == 0


def without_comment(text):
    lines = [re.sub(r"(^|\s+)#\s.*", "", line) for line in text.replace("\\\n", " ").splitlines()]
    return "\n".join(re.sub(r"(?<=\S)\s+", " ", line).rstrip() for line in lines).strip("\n")


def unmarked(document, text):
    """Reports lines outside of fences marked `sh` that look like commands."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line[3:].strip() if inside is None else None
        elif inside == "" or (inside is None and line.startswith("    ")):
            if COMMAND.match(line):
                found.append(f"{document}:{number}: is in no fence marked ```sh: {line.strip()}")
    return found


def spoken(document, text):
    """(place, words) of commands with options in running text: `./quickstart --bench`."""
    prose = re.sub(r"^```.*?^```", lambda fence: "\n" * fence.group().count("\n"), text,
                   flags=re.MULTILINE | re.DOTALL)
    found = []
    for match in re.finditer(r"`([^`\n]+)`", prose):
        if re.match(rf"({OURS})", match.group(1)) and " --" in match.group(1):
            where = f"{document}:{prose.count(chr(10), 0, match.start()) + 1}: {match.group(1)}"
            words = [word for word in match.group(1).split() if word not in ("…", "...")]
            found.append((where, words))
    return found


def key_of(printed):
    """The tables' key of a command: its first line."""
    return printed.splitlines()[0]


def shorter(printed):
    """The command that is run in place of a printed one."""
    changed = printed
    for old, new in SHORTER.get(key_of(printed), []):
        if old not in changed:
            raise AssertionError(f"'{old}' is not in: {changed}")
        changed = changed.replace(old, new, 1) if old else changed + new
    ready = READY.get(key_of(printed))
    return changed if ready is None else ended_when(changed, ready)


def ended_when(command, words):
    """The command, and SIGTERM to its program once that has printed the words. It ends with the
    program's exit code, or with another one than 0 when the words did not come."""
    return (f"{command} > ready 2>&1 &\npid=$!\n"
            f"until grep -q '{words}' ready; do kill -0 $pid || break; done\n"
            f"kill $pid; wait $pid; ended=$?; cat ready\n"
            f"grep -q '{words}' ready && (exit $ended)")


def run_by_a_test(key):
    """Whether documents_test types the command."""
    return key not in NOT_RUN


def needs_of(key):
    """What the command needs of the machine, or None."""
    return "the build" if key.startswith("./quickstart") else NEEDS.get(key)


def words_of(printed):
    return [word for word in shlex.split(printed) if not re.match(r"[A-Z_]+=", word)]


__all__ = ["BEFORE", "Command", "EXIT_CODES", "NEEDS", "NOT_RUN", "Path", "READY", "SHORTER",
           "commands_of", "documents", "exit_codes", "fences", "key_of", "needs_of",
           "run_by_a_test", "shorter", "spoken", "unmarked", "words_of"]
