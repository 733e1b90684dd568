"""The include graph of the tree, for two checks of tidy_test.py: rooms and circles.

A room is a top-level folder with C++ files; tests/ and docs/ are none. Stubs that omniidl generates
(`types.hh` of idl/types.idl) count as the room `idl`.
"""

import posixpath
import re
from collections import deque

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')

# Headers that CMake writes into the build tree.
GENERATED = {"revision.hpp"}

NOT_ROOMS = {"docs", "tests"}

TABLE_HEAD = "| room | what it is | depends on |"
NO_ROOM = "none"


class Graph:
    """Which files include which. `files` maps the path of each C++ and IDL file to its text."""

    def __init__(self, files):
        self.sources = sorted(name for name in files if name.endswith((".cpp", ".hpp")))
        self.includes = []  # (including file, line number, path as written, included file)
        self.unknown = []  # the same without the included file
        for name in self.sources:
            for number, line in enumerate(files[name].splitlines(), 1):
                seen = INCLUDE.match(line)
                if not seen:
                    continue
                written = seen.group(1)
                target = resolve(name, written, files)
                if target:
                    self.includes.append((name, number, written, target))
                elif written not in GENERATED:
                    self.unknown.append((name, number, written))

    def unresolved(self):
        """A sentence for each quoted include that names no file: the graph would miss its arrow."""
        for name, number, written in self.unknown:
            yield f'{name}:{number}: includes "{written}", which is neither a file of the tree, ' \
                  "nor a stub of an IDL file, nor a generated header that include_graph.py lists"

    def rooms(self):
        """The rooms in alphabetical order."""
        return sorted({room_of(name) for name in self.sources if "/" in name} - NOT_ROOMS)

    def room_dependencies(self):
        """{room: {other room: an example include}}"""
        found = {room: {} for room in self.rooms()}
        for name, number, written, target in self.includes:
            room, other = room_of(name), room_of(target)
            if room in found and other != room:
                found[room].setdefault(other, f'{name}:{number} includes "{written}"')
        return found

    def folder_arrows(self):
        """{folder: {other folder: an example include}}"""
        found = {posixpath.dirname(name): {} for name in self.sources}
        for name, number, written, target in self.includes:
            folder, other = posixpath.dirname(name), posixpath.dirname(target)
            if other != folder and other in found:
                found[folder].setdefault(other, f'{name}:{number} includes "{written}"')
        return found


def resolve(name, written, files):
    """The file that `name` includes as `written`, or None: beside it, from the root, or an IDL."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), written))
    stub = "idl/" + written.removesuffix(".hh") + ".idl" if written.endswith(".hh") else None
    return next((path for path in (beside, written, stub) if path in files), None)


def room_of(name):
    return name.partition("/")[0]


def shortest_circle(arrows, start):
    """The shortest way along `arrows` from `start` back to it, as a list of folders, or None."""
    before = {start: None}
    waiting = deque([start])
    while waiting:
        folder = waiting.popleft()
        if start in arrows[folder]:
            circle = []
            while folder is not None:
                circle.insert(0, folder)
                folder = before[folder]
            return circle
        for other in sorted(arrows[folder]):
            if other not in before:
                before[other] = folder
                waiting.append(other)
    return None


def arrows_of(circle):
    """The pairs of neighbouring folders in `circle`."""
    return list(zip(circle, circle[1:] + circle[:1]))


def circles(arrows):
    """Circles among `arrows`, short ones first; the result is empty when the graph has none.

    One include can close many circles, so a circle that shares an arrow with an earlier one is left
    out.
    """
    shortest = filter(None, (shortest_circle(arrows, start) for start in sorted(arrows)))
    found = []
    seen = set()
    for circle in sorted(shortest, key=len):
        pairs = set(arrows_of(circle))
        if not pairs & seen:
            found.append(circle)
            seen |= pairs
    return found


def circle_findings(graph):
    """A sentence for each circle of folders, with an example include for each arrow."""
    arrows = graph.folder_arrows()
    for circle in circles(arrows):
        examples = "; ".join(arrows[folder][other] for folder, other in arrows_of(circle))
        around = " -> ".join(circle + circle[:1])
        yield f"{around}: these folders include each other in a circle: {examples}"


def room_table(text):
    """{room: list of rooms} of the table in `text`, and a list of sentences about its form."""
    rows = {}
    wrong = []
    lines = text.splitlines()
    if TABLE_HEAD not in lines:
        return rows, [f"there is no table with the head '{TABLE_HEAD}'"]
    for line in lines[lines.index(TABLE_HEAD) + 2:]:
        row = re.fullmatch(r"\| `(\w+)` \| (.+?) \| ([^|]+) \|", line)
        if not line.startswith("|"):
            break
        if not row:
            wrong.append(f"is no row of a room: {line}")
            continue
        room, _, cell = row.groups()
        others = re.findall(r"`(\w+)`", cell)
        if cell != (", ".join(f"`{other}`" for other in sorted(others)) or NO_ROOM):
            wrong.append(f"{room}: the third column is neither '{NO_ROOM}' nor rooms in "
                         f"alphabetical order: {cell}")
        if room in rows:
            wrong.append(f"{room}: has two rows")
        rows[room] = others
    return rows, wrong


def room_findings(graph, document, text):
    """A sentence for each place where the table of `document` is not what the include lines say."""
    rows, wrong = room_table(text)
    for sentence in wrong:
        yield f"{document}: {sentence}"
    if not rows:
        return
    actual = graph.room_dependencies()
    for room in sorted(actual.keys() - rows.keys()):
        yield f"{document}: the table of rooms has no row for {room}"
    for room in sorted(rows.keys() - actual.keys()):
        yield f"{document}: the table of rooms has a row for {room}, which has no C++ files"
    for room in sorted(rows.keys() & actual.keys()):
        for other in sorted(actual[room].keys() - set(rows[room])):
            yield f"{document}: {room} depends on {other}, which its row does not list: " \
                  f"{actual[room][other]}"
        for other in sorted(set(rows[room]) - actual[room].keys()):
            yield f"{document}: the row of {room} lists {other}, but no file of {room} includes " \
                  "a header of it"
