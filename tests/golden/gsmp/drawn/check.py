#!/usr/bin/env python3
"""Compares the worked messages of tests/golden/gsmp with the pictures of this folder.

  check.py             lists each vector that has no origin, or whose octets differ from its picture
  check.py --write     writes each vector from its picture, with its origin in the first line

A vector has an origin when its file begins with a line "# Origin: ..." and this folder draws it.
The project's codec is not used, because the vectors are its test.
"""

import re
import sys
from pathlib import Path

import regions
import v1
import v3_connections
import v3_ports

GOLDEN = Path(__file__).resolve().parents[1]
DRAWN = {"": (v3_connections, v3_ports, regions), "v1": (v1,)}
ORIGIN = "# Origin: "


def drawn():
    """Maps each file to its module and vector."""
    found = {Path("v2", f"{name}.hex"): (v1, vector) for name, vector in v1.VERSION_2.items()}
    for folder, modules in DRAWN.items():
        for module in modules:
            for name, vector in module.VECTORS.items():
                file = Path(folder, f"{name}.hex")
                if file in found:
                    raise ValueError(f"{file} is drawn twice")
                found[file] = (module, vector)
    return found


def text_of(module, vector):
    words = [vector.octets[at:at + 4].hex() for at in range(0, len(vector.octets), 4)]
    lines = [" ".join(words[at:at + 8]) for at in range(0, len(words), 8)]
    note = f"; {vector.note}" if vector.note else ""
    origin = f"{ORIGIN}{vector.section}, drawn in drawn/{module.__name__}.py{note}"
    return "\n".join([origin, *lines]) + "\n"


def octets_of(text):
    return bytes.fromhex(re.sub(r"#.*", "", text))


def complaints():
    vectors = drawn()
    there = {file.relative_to(GOLDEN) for file in GOLDEN.rglob("*.hex")}
    for file in sorted(there):
        text = (GOLDEN / file).read_text()
        if not text.startswith(ORIGIN):
            yield f"{file}: no origin: its first line does not begin with \"{ORIGIN.strip()}\""
        if file not in vectors:
            yield f"{file}: nothing in {Path(__file__).parent.name}/ draws it"
            continue
        wanted = vectors[file][1].octets
        if octets_of(text) != wanted:
            yield f"{file}: the file has {octets_of(text).hex(' ', 4)}, " \
                  f"the picture gives {wanted.hex(' ', 4)}"
    for file in sorted(vectors.keys() - there):
        yield f"{file}: has a picture, but the file is missing"


def main(arguments):
    if arguments == ["--write"]:
        for file, (module, vector) in drawn().items():
            (GOLDEN / file).write_text(text_of(module, vector))
        return 0
    if arguments:
        sys.exit(__doc__)
    found = list(complaints())
    print("\n".join(found) or
          f"{len(drawn())} vectors agree with their pictures and state their origin")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
