"""Reads the IDL files: declarations from omniidl, comments from the source.

A comment belongs to a declaration if it is directly above it, in the same column, or behind it on
the same line. A comment behind a declaration continues in the following lines that contain only a
comment and are indented further than the declaration. A table is described at paragraphs().
"""

import json
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent

# omniidl belongs to the system's Python, whatever comes first in PATH.
SYSTEM_PYTHON = {**os.environ, "PATH": "/usr/bin:/bin",
                 "PYTHONPATH": "/usr/lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE": "1"}


class ContractError(Exception):
    """The IDL cannot be read; the message names the place."""


def read(idl_dir):
    """The files of a folder, sorted by name; an included file follows those that include it."""
    paths = sorted(Path(idl_dir).glob("*.idl"))
    if not paths:
        raise ContractError(f"{idl_dir} has no IDL files")
    command = ["omniidl", "-p", str(HERE), "-b", "ast_back_end", f"-I{idl_dir}", *map(str, paths)]
    done = subprocess.run(command, env=SYSTEM_PYTHON, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ContractError(f"omniidl ended with {done.returncode}: {done.stderr.strip()}")
    files = [File(path, json.loads(line)["declarations"])
             for path, line in zip(paths, done.stdout.splitlines())]
    return sorted(files, key=lambda file: (len(included_in(file.path, paths)), file.name))


def included_in(path, paths):
    """The files that include this one."""
    return [one for one in paths if f'#include "{path.name}"' in one.read_text(encoding="utf-8")]


class File:
    """One IDL file. Each declaration, and each member of one, gets its `comment`: paragraphs."""

    def __init__(self, path, declarations):
        self.path = path
        self.name = path.name
        self.declarations = declarations
        self._lines = [Line(path, number, text) for number, text in enumerate(
            path.read_text(encoding="utf-8").splitlines(), 1)]
        self._claimed = set()
        self.introduction = paragraphs(self._opening())
        for declaration in declarations:
            self._comment(declaration)
            for member in declaration.get("members", []):
                self._comment(member)

    def unclaimed(self):
        """The line numbers of comments that belong to no declaration, except behind a `}`."""
        return [number + 1 for number, line in enumerate(self._lines)
                if line.comment and number not in self._claimed and not line.code.startswith("}")]

    def _claim(self, number):
        self._claimed.add(number)
        return self._lines[number].comment

    def _opening(self):
        for number, line in enumerate(self._lines):
            if line.code or line.comment is None:
                return
            yield self._claim(number)

    def _comment(self, declaration):
        first = last = declaration["line"] - 1
        if "labels" in declaration:  # omniidl names the line of a union's member, not of its labels
            while self._lines[first - 1].code.startswith(("case ", "default:")):
                first -= 1
        if declaration["kind"] == "operation":
            while not self._lines[last].code.endswith(";"):
                last += 1
        above = self._above(first)
        behind = [part for number in range(first, last + 1) for part in self._behind(number)]
        declaration["comment"] = paragraphs(above) + paragraphs(behind)

    def _above(self, number):
        column = self._lines[number].column
        found = []
        while number > 0:
            number -= 1
            line = self._lines[number]
            if line.code or line.comment is None or line.column != column:
                break
            found.insert(0, self._claim(number))
        return found

    def _behind(self, number):
        line = self._lines[number]
        if line.comment is None:
            return
        yield self._claim(number)
        for after in range(number + 1, len(self._lines)):
            follower = self._lines[after]
            if follower.code or follower.comment is None or follower.column <= line.column:
                return
            yield self._claim(after)


class Line:
    """The parts of a line: code, comment (None: it has none), indentation."""

    def __init__(self, path, number, text):
        code = re.match(r'(?:"(?:\\.|[^"\\])*"|(?!//)[^"])*', text).group()
        if "/*" in code:
            raise ContractError(f"{path}:{number}: comments are written with //")
        self.code = code.strip()
        self.comment = text[len(code) + 2:].rstrip() if len(code) < len(text) else None
        self.column = len(text) - len(text.lstrip())


class Table:
    """A paragraph of a comment in columns: its rows, the first of which is the head."""

    def __init__(self, lines):
        starts = [cell.start() for cell in re.finditer(r"(?<=  )\S|^\S", lines[0])]
        self.rows = []
        for line in lines:
            cells = [line[begin:end].strip()
                     for begin, end in zip(starts, [*starts[1:], len(line)])]
            if cells[0]:
                self.rows.append(cells)
            else:  # continues the row above
                self.rows[-1] = [" ".join(filter(None, pair))
                                 for pair in zip(self.rows[-1], cells)]


def paragraphs(lines):
    """The paragraphs of a comment: text, its lines joined, or a Table. An empty line begins a new
    one. Lines that are all indented by three blanks or more are a table; its columns begin where
    the words of its first line do, behind two blanks or more.
    """
    found, kept = [], []
    for line in [*lines, ""]:
        if line.strip():
            kept.append(line)
        elif kept:
            indented = all(one.startswith("   ") for one in kept) and len(kept) > 1
            found.append(Table(kept) if indented else " ".join(one.strip() for one in kept))
            kept = []
    return found
