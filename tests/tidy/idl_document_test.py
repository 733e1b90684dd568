#!/usr/bin/env python3
"""Compares docs/idl.md with the IDL files, and checks the comments and names in them.

  idl_document_test.py [--idl DIR] [CHECK...]   all checks, or these (ctest runs each as a test)
  idl_document_test.py [--idl DIR] --write      regenerates docs/idl.md

DIR is the folder of the IDL files (default: the repository's idl/).
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "idl.md"
sys.path.insert(0, str(ROOT / "idl" / "document"))
import contracts  # noqa: E402  pylint: disable=wrong-import-position
import markdown  # noqa: E402  pylint: disable=wrong-import-position

DESCRIBED = {"interface", "operation", "struct", "union", "exception", "enum", "constant", "value"}


# The checks. Each yields a sentence for each offence.


def idl_document(idl_dir):
    """docs/idl.md is the output of idl/document/markdown.py for the IDL files."""
    if not DOCUMENT.exists() or DOCUMENT.read_text(encoding="utf-8") != markdown.document(idl_dir):
        yield "docs/idl.md: is out of date; " \
              "tests/tidy/idl_document_test.py --write regenerates it"


def idl_commented(idl_dir):
    """Every declaration and every numeric field has a comment: some readers have only the IDL."""
    files = contracts.read(idl_dir)
    typedefs = {one["name"]: one for file in files for one in file.declarations
                if one["kind"] == "typedef"}
    for file in files:
        for number in file.unclaimed():
            yield f"{file.path}:{number}: the comment belongs to no declaration"
        for holder, one in declarations(file):
            where = f"{file.path}:{one['line']}"
            if one["comment"]:
                continue
            if one["kind"] in DESCRIBED:
                yield f"{where}: {one['kind']} {one['name']} has no comment"
            elif one["kind"] == "member" and one["type"]["number"]:
                [name] = one["type"]["uses"] or [None]
                if name is None:
                    yield f"{where}: {holder['name']}.{one['name']}, {one['type']['text']}, " \
                          "has no comment"
                elif not typedefs[name]["comment"]:
                    yield f"{where}: neither {holder['name']}.{one['name']} nor its typedef " \
                          f"{name} has a comment"


def idl_operations(idl_dir):
    """No two operations have the same name: logs, counters and Wireshark show only the name."""
    seen = {}
    for file in contracts.read(idl_dir):
        for holder, one in declarations(file):
            if one["kind"] != "operation":
                continue
            where = f"{file.path}:{one['line']}"
            if one["name"] in seen:
                yield f"{where}: {holder['name']}::{one['name']} has the name of an operation " \
                      f"in {seen[one['name']]}"
            seen.setdefault(one["name"], where)


def idl_case(idl_dir):
    """No two names of a scope differ in case alone. Enum values belong to the enclosing scope."""
    module = {}
    for file in contracts.read(idl_dir):
        for one in file.declarations:
            yield from clashes(file, one["line"], module, [one["name"]])
            members = one.get("members", [])
            if one["kind"] == "enum":
                for value in members:
                    yield from clashes(file, value["line"], module, [value["name"]])
                continue
            scope = {}
            for member in members:
                # The use of a type introduces its name into the scope.
                yield from clashes(file, member["line"], scope,
                                   [member["name"], *member["type"]["uses"]])
                parameters = {}
                for each in member.get("parameters", []):
                    yield from clashes(file, member["line"], parameters, [each["name"]])


def idl_tables(idl_dir):
    """No columns of a comment are run together: a table begins with an indented head."""
    for file in contracts.read(idl_dir):
        for _, one in declarations(file):
            for part in one["comment"]:
                if isinstance(part, str) and re.search(r"\S {3}", part):
                    yield f"{file.path}:{one['line']}: a table of {one['name']} is read as a " \
                          f"sentence: {part[:60]}"


def idl_unions(idl_dir):
    """Every member of a union has one label: language mappings differ for members with several."""
    for file in contracts.read(idl_dir):
        for holder, one in declarations(file):
            labels = one.get("labels", [])
            if holder and holder["kind"] == "union" and len(labels) > 1:
                yield f"{file.path}:{one['line']}: {holder['name']}.{one['name']} has the labels " \
                      f"{', '.join(str(label) for label in labels)}"


def idl_bounds(idl_dir):
    """A sequence of numbers has a bound: omniORB multiplies a length with the octets of a number in
    32 bits, so that a short request would make it allocate gigabytes."""
    numbers = {f"{sign}{kind}" for sign in ("", "unsigned ")
               for kind in ("short", "long", "long long")} | {"float", "double", "long double"}
    texts = {path: re.sub(r"//.*", "", path.read_text())
             for path in sorted(Path(idl_dir).glob("*.idl"))}
    for text in texts.values():
        numbers |= {name for kind, name in re.findall(r"^\s*typedef ([\w ]+?) (\w+);", text, re.M)
                    if kind in numbers}
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for kind in re.findall(r"\bsequence<([\w ]+)>", line):
                if kind.strip() in numbers:
                    yield f"{path}:{number}: sequence<{kind}> has no bound"


def clashes(file, line, scope, names):
    for name in names:
        other = scope.setdefault(name.lower(), name)
        if other != name:
            yield f"{file.path}:{line}: {name} and {other} differ in case alone"


def declarations(file):
    """Every declaration and member, each with its holder (None: the module)."""
    for one in file.declarations:
        yield None, one
        for member in one.get("members", []):
            yield one, member


CHECKS = {check.__name__: check for check in (idl_document, idl_bounds, idl_commented,
                                              idl_operations, idl_case, idl_tables,
                                              idl_unions)}


def main(words):
    idl_dir = ROOT / "idl"
    if words[:1] == ["--idl"] and len(words) > 1:
        idl_dir, words = Path(words[1]), words[2:]
    if words == ["--write"]:
        DOCUMENT.write_text(markdown.document(idl_dir), encoding="utf-8")
        return 0
    wrong = 0
    for name in words or CHECKS:
        if name not in CHECKS:
            print(f"there is no check '{name}'; there are {', '.join(CHECKS)}", file=sys.stderr)
            return 2
        for sentence in CHECKS[name](idl_dir):
            print(sentence.replace(f"{ROOT}/", ""))
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except contracts.ContractError as unreadable:
        sys.exit(str(unreadable))
