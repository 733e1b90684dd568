#!/usr/bin/env python3
"""Checks the size of classes, functions and modules, as universal-ctags counts them.

  class_guard.py                  reports every excess that the list lacks, and every entry of the
                                  list that is no longer true
  class_guard.py --distribution   prints the distribution of the sizes over the tree, without names

Four sizes are measured in all C++ files outside tests/:

  methods    functions that a class declares; "= default" and "= delete" do not count
  members    non-static data members of a class, with those of unnamed structs and unions inside
  lines      from the line of a function's name to its closing brace
  functions  function bodies of a module

The first three limits are the project's rule. The limit of functions comes from the distribution,
before any name was looked at: 49 of 50 modules have at most 58 function bodies, and 60 leaves room
for a class of 40 methods with 20 helpers.

A module is x.hpp, x.cpp and every x_*.cpp without a header of its own. A method belongs to the
module that declares its class, wherever its body is; free functions, friends and lambdas outside of
functions count as well. So neither further files nor free functions make a large class small.

Each excess needs a line in large_classes.txt. The value there is a ceiling and may only shrink:
an entry more than SLACK of its value above the measured size is refused, too.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy_test  # noqa: E402  pylint: disable=wrong-import-position

LIST = "tests/tidy/large_classes.txt"

LIMITS = {"methods": 40, "members": 15, "lines": 70, "functions": 60}

# How far an entry's ceiling may exceed the measured size before the entry must be lowered.
SLACK = 0.1

# ctags 5.9 loses members behind alignas(...) and with initializers like `= seconds{3}`. It
# reads the files without the specifier and without the name before the brace.
BLANKED = re.compile(r"\balignas\s*\((?:[^()]|\([^()]*\))*\)"
                     r"|(?<=[\w)] = )[\w:]+(?:<[^<>;{}]*>)?(?=\{)")


class GuardError(Exception):
    """ctags is missing or failed, or the list cannot be read."""


class Sizes:
    """The measured sizes: kind -> name -> (value, place)."""

    def __init__(self):
        self.of = {kind: {} for kind in LIMITS}

    def add(self, kind, name, value, where):
        """Of two things with one name, such as two lambdas of a file, the larger one counts."""
        if value > self.of[kind].get(name, (0, ""))[0]:
            self.of[kind][name] = (value, where)

    def excesses(self):
        for kind, limit in LIMITS.items():
            for name, (value, where) in sorted(self.of[kind].items()):
                if value > limit:
                    yield kind, name, value, where


def read_tags(sources):
    """The tags of `sources` (path -> text), as ctags' JSON objects in the order of the files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in sources.items():
            copy = Path(folder, path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text))
        command = ["ctags", "--quiet", "--options=NONE", "-L", "-", "--languages=C++",
                   "--language-force=C++", "--kinds-C++=fpmcsuv", "--fields=NFneKsSZ",
                   "--fields-C++=+{properties}",
                   "--extras=+{anonymous}F", "--sort=no", "--output-format=json", "-f", "-"]
        try:
            ran = subprocess.run(command, input="\n".join(sources), capture_output=True, text=True,
                                 cwd=folder, check=False, timeout=60)
        except FileNotFoundError:
            raise GuardError("ctags is missing: deploy/install check installs universal-ctags"
                             ) from None
    if ran.returncode != 0 or ran.stderr:
        raise GuardError(f"ctags ended with {ran.returncode}: {ran.stderr.strip()}")
    tags = map(json.loads, ran.stdout.splitlines())
    return [tag for tag in tags if tag["_type"] == "tag"]


def plain(scope):
    """A scope without unnamed parts and without the project's namespace."""
    parts = [part for part in scope.split("::") if part and not part.startswith("__anon")]
    return "::".join(parts[1:] if parts[:1] == ["xbind"] else parts)


def modules_of(paths):
    """Path -> module. A source joins the header whose name begins its own; the longest wins."""
    headers = {str(PurePosixPath(path).with_suffix("")) for path in paths if path.endswith(".hpp")}
    made = {}
    for path in paths:
        module = str(PurePosixPath(path).with_suffix(""))
        shorter = module
        while shorter not in headers and "_" in PurePosixPath(shorter).name:
            shorter = shorter.rpartition("_")[0]
        made[path] = shorter if shorter in headers else module
    return made


def is_static_constant(text):
    return re.search(r"\bstatic\b.*\bconst(expr)?\b|\bconst(expr)?\b.*\bstatic\b", text)


def measure(sources):
    """The Sizes of `sources` (path -> text)."""
    tags = read_tags(sources)
    lines = {path: text.splitlines() for path, text in sources.items()}
    modules = modules_of(sources)
    sizes = Sizes()

    classes = defaultdict(list)  # name -> (path, first line, last line)
    for tag in tags:
        if tag["kind"] in ("class", "struct", "union") and "end" in tag:
            scope = tag.get("scope", "") + "::" + tag["name"]
            classes[plain(scope)].append((tag["path"], tag["line"], tag["end"]))

    def declared_in(name, tag):
        """The place where the class `name` is declared around the tag, or nothing. The first match
        is the right one: an unnamed struct inside has the same plain name and comes later."""
        return next(((path, first) for path, first, last in classes.get(name, ())
                     if path == tag["path"] and first <= tag["line"] <= last), None)

    methods = defaultdict(int)
    members = defaultdict(int)
    bodies = defaultdict(int)
    for tag in tags:
        scope = tag.get("scope", "")
        scope_name = plain(scope)
        unnamed = tag["name"].startswith("__anon")
        in_function = tag.get("scopeKind") == "function"
        properties = (tag.get("properties") or "").split(",")
        where = f"{tag['path']}:{tag['line']}"
        holder = declared_in(scope_name, tag)
        if tag["kind"] == "member" and holder:
            if not is_static_constant(lines[tag["path"]][tag["line"] - 1]):
                members[scope_name, holder] += 1
        elif tag["kind"] in ("function", "prototype") and holder and not (unnamed or in_function):
            if not {"default", "delete"} & set(properties):
                methods[scope_name, holder] += 1
        if tag["kind"] == "function" and not (unnamed and in_function):
            name = f"{tag['path']}:" + plain(f"{scope}::{'' if unnamed else tag['name']}")
            sizes.add("lines", name + ("(lambda)" if unnamed else ""),
                      tag.get("end", tag["line"]) - tag["line"] + 1, where)
            # A method's body belongs to the module that declares the class.
            homes = {path for path, _, _ in classes.get(scope_name, ())}
            home = tag["path"] if tag["path"] in homes or len(homes) != 1 else next(iter(homes))
            bodies[modules[home]] += 1

    for kind, counts in (("methods", methods), ("members", members)):
        for (name, (path, first)), count in counts.items():
            sizes.add(kind, name, count, f"{path}:{first}")
    for module, count in bodies.items():
        sizes.add("functions", module, count, module)
    return sizes


def parse_list(text):
    """The entries of the list: (kind, name) -> (ceiling, line number)."""
    entries = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 3)
        if len(words) != 4 or words[0] not in LIMITS or not words[2].isdigit() \
                or len(words[3].split()) < 3:
            raise GuardError(f"{LIST}:{number}: is not `KIND NAME VALUE REASON`, with a reason of "
                             f"three words at least: {line}")
        if (words[0], words[1]) in entries:
            raise GuardError(f"{LIST}:{number}: {words[0]} {words[1]} is in line "
                             f"{entries[words[0], words[1]][1]} already")
        entries[words[0], words[1]] = (int(words[2]), number)
    return entries


def contradictions(sizes, entries):
    """A sentence for every excess without an entry and for every entry that is not true."""
    found = set()
    for kind, name, value, where in sizes.excesses():
        found.add((kind, name))
        ceiling = entries.get((kind, name), (LIMITS[kind], 0))[0]
        if value > ceiling:
            yield f"{where}: {name} has {value} {kind}, more than its {ceiling}; divide it, or " \
                  f"list it with a reason in {LIST}"
    for (kind, name), (ceiling, number) in entries.items():
        if (kind, name) not in found:
            yield f"{LIST}:{number}: {name} has not more than {LIMITS[kind]} {kind} any more; " \
                  "take the line away"
            continue
        value = sizes.of[kind][name][0]
        if ceiling - value > SLACK * value:
            yield f"{LIST}:{number}: {name} has {value} {kind}; lower its ceiling of {ceiling}"


def tree_sources():
    return {name: tidy_test.read(name) for name in tidy_test.tree()
            if name.endswith((".cpp", ".hpp")) and not name.startswith("tests/")}


def print_distribution(sizes):
    for kind, found in sizes.of.items():
        values = sorted(value for value, _ in found.values())
        marks = " ".join(f"p{percent}={values[min(len(values) - 1, len(values) * percent // 100)]}"
                         for percent in (50, 75, 90, 95, 98, 99, 100))
        print(f"{kind}: {len(values)} measured, {marks}, limit {LIMITS[kind]}")


def main(words):
    if words not in ([], ["--distribution"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        sizes = measure(tree_sources())
        if words:
            print_distribution(sizes)
            return 0
        wrong = list(contradictions(sizes, parse_list(tidy_test.read(LIST))))
    except GuardError as error:
        wrong = [str(error)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
