#!/usr/bin/env python3
"""Prints the reference of the IDL files as Markdown: docs/idl.md.

  idl/document/markdown.py [IDL_DIR]

IDL_DIR is the folder of the IDL files (default: the repository's idl/). Needs omniidl.
`tests/tidy/idl_document_test.py --write` saves the output as docs/idl.md.
"""

import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import contracts  # noqa: E402  pylint: disable=wrong-import-position

WIDTH = 100
UNBROKEN = "\x01"  # a blank at which textwrap does not break a line

# The parts of each file's chapter: title, and a predicate of its declarations.
INTERFACES, OTHERS = "Interfaces", "Other types and constants"
PARTS = [(INTERFACES, lambda one: one["kind"] == "interface"),
         ("Exceptions", lambda one: one["kind"] == "exception"),
         ("Structs and unions", lambda one: one["kind"] in ("struct", "union")),
         ("Enums and named values", lambda one: one["kind"] == "enum" or one.get("values")),
         (OTHERS, lambda one: one["kind"] == "constant"
          or one["kind"] == "typedef" and not one["values"])]

# Words of a comment that become links or code.
WORDS = re.compile(r"""
      `(?P<code>[^`]+)`
    | (?P<path>\b(?:callgen|client|cmgr|core|dataplane|deploy|docs|idl|orb|qosmapper|routeobject
        |switchserver|tests|xbindctl)/[\w./-]*\w\.(?:cpp|hpp|idl|md|py|toml)\b)
    | (?P<file>\b\w+\.idl\b)
    | (?P<option>(?<![\w-])--[a-z][a-z-]*[a-z])
    | (?P<group>\b[a-z][a-z_]*_\*)
    | (?P<name>\b[A-Za-z][A-Za-z0-9]*(?:_(?:[A-Za-z0-9]+|<\w+>))*(?:\(\))?)
    """, re.VERBOSE)


class Reference:
    """The document: all files, and the anchor of every name."""

    def __init__(self, files):
        self.files = files
        self.anchors = {}  # name -> anchor
        self.groups = {}  # common prefix of named values -> their type
        self.types = {}  # name -> declaration
        for file in files:
            for one in file.declarations:
                self._collect(one)

    def _collect(self, one):
        if one["kind"] == "constant" and one["type"]["uses"]:
            [of_type] = one["type"]["uses"]
            self.types[of_type]["values"].append(one)
            self.anchors[one["name"]] = self.anchors[of_type] = slug(heading(self.types[of_type]))
            self.groups[one["name"].partition("_")[0]] = of_type
            one["kind"] = "value"
            return
        self.types[one["name"]] = one
        self.anchors[one["name"]] = slug(heading(one))
        if one["kind"] == "typedef":
            one["values"] = []
            self.anchors[one["name"]] = one["name"].lower()
        elif one["kind"] == "constant":
            self.anchors[one["name"]] = one["name"].lower()
        elif one["kind"] == "enum":
            for value in one["members"]:
                self.anchors[value["name"]] = self.anchors[one["name"]]
                self.groups[value["name"].partition("_")[0]] = one["name"]
        elif one["kind"] == "interface":
            for operation in one["members"]:
                self.anchors[operation["name"]] = slug(heading(operation))

    # Parts of the document, as lists of lines.

    def document(self):
        lines = self._head()
        for file in self.files:
            lines += ["", f"## {file.name}", "", f"[idl/{file.name}](../idl/{file.name})", ""]
            lines += self.text(file.introduction)
            for title, declarations in parts(file):
                if title == OTHERS:
                    lines += self._others(f"{title} of {file.name}", declarations)
                    continue
                for one in declarations:
                    lines += getattr(self, "_" + one["kind"])(one)
        return "\n".join(lines) + "\n"

    def _head(self):
        first = self.files[0].declarations[0]
        module = "::".join(first["scope"])
        wire = first["id"].replace("/" + first["name"] + ":", "/NAME:")
        lines = ["# The contracts", ""]
        lines += wrapped("Made by `tests/tidy/idl_document_test.py --write` from the IDL files and"
                         " their comments; a test compares it.")
        lines += ["", *wrapped(f"Everything is in module `{module}`; repository ids are `{wire}`. A"
                               " meaning in italics is that of the field's type."), "",
                  "## Contents", ""]
        for file in self.files:
            lines.append(f"- {link(file.name, slug(file.name))}")
            for title, declarations in parts(file):
                if title == INTERFACES:
                    for one in declarations:
                        operations = [self.named(each["name"]) for each in one["members"]]
                        lines += wrapped(f"- interface {self.named(one['name'])}: "
                                         + ", ".join(operations), "  ")
                elif title == OTHERS:
                    lines.append("  - " + link(title.lower(), slug(f"{title} of {file.name}")))
                else:
                    lines += wrapped(f"- {title.lower()}: " + ", ".join(
                        self.named(one["name"]) for one in declarations), "  ")
        return lines

    def _title(self, one, level="###"):
        return ["", f"{level} {heading(one)}", ""] + self.text(one["comment"], one)

    def _interface(self, one):
        lines = self._title(one)
        for base in one["bases"]:
            lines += spaced(lines, [f"Has the operations of {self.named(base)}, too."])
        for operation in one["members"]:
            lines += self._operation(operation)
        return lines

    def _operation(self, one):
        lines = ["", f"#### {heading(one)}", "", "```idl", *signature(one), "```", ""]
        lines += self.text(one["comment"], one)
        uses = []
        for kind in (one["type"], *(parameter["type"] for parameter in one["parameters"])):
            uses += [name for name in kind["uses"] if name not in uses]
        sentences = []
        if one["oneway"]:
            sentences.append("No reply, no exceptions.")
        if uses:
            sentences.append("Types: " + ", ".join(map(self.named, uses)) + ".")
        if one["raises"]:
            sentences.append("Raises " + ", ".join(map(self.named, one["raises"])) + ".")
        if sentences:
            lines += spaced(lines, wrapped(" ".join(sentences)))
        return lines

    def _struct(self, one):
        lines = self._title(one)
        if one["members"]:
            lines += spaced(lines, ["| field | type | meaning |", "| --- | --- | --- |"])
        for member in one["members"]:
            lines.append(row(f"`{member['name']}`", self.kind(member["type"]),
                             self.meaning(member)))
        return lines

    _exception = _struct

    def _union(self, one):
        lines = self._title(one)
        lines += spaced(lines, [f"| {self.kind(one['switch'])} | member | type | meaning |",
                                "| --- | --- | --- | --- |"])
        for member in one["members"]:
            labels = "<br>".join(f"`{label}`" for label in member["labels"])
            lines.append(row(labels, f"`{member['name']}`", self.kind(member["type"]),
                             self.meaning(member)))
        return lines

    def _enum(self, one):
        lines = self._title(one)
        lines += spaced(lines, ["| value | number | meaning |", "| --- | --- | --- |"])
        for number, value in enumerate(one["members"]):
            lines.append(row(f"`{value['name']}`", str(number),
                             " ".join(self.prose(part, one) for part in value["comment"])))
        return lines

    def _typedef(self, one):
        lines = self._title(one)
        lines += spaced(lines, [f"Travels as {self.kind(one['type'])}.", "",
                                "| value | number | meaning |", "| --- | --- | --- |"])
        for value in one["values"]:
            lines.append(row(f"`{value['name']}`", value["value"],
                             " ".join(self.prose(part, one) for part in value["comment"])))
        return lines

    def _others(self, title, declarations):
        lines = ["", f"### {title}", "",
                 "| name | is | meaning |", "| --- | --- | --- |"]
        for one in declarations:
            what = self.kind(one["type"])
            if one["kind"] == "constant":
                what += f", value {one['value']}"
            lines.append(row(f'<a id="{self.anchors[one["name"]]}"></a>`{one["name"]}`', what,
                             " ".join(self.prose(part, one) for part in one["comment"])))
        return lines

    # Words.

    def named(self, name):
        return link(f"`{name}`", self.anchors[name])

    def kind(self, kind):
        """A type, with a link to its description."""
        text = kind["text"]
        if not kind["uses"]:
            return f"`{text}`"
        [name] = kind["uses"]
        before, _, after = text.partition(name)
        return "".join(f"`{part}`" if part in (before, after) else part
                       for part in (before, self.named(name), after) if part)

    def meaning(self, member):
        """A member's comment; without one, its type's first sentence, in italics."""
        if member["comment"]:
            return " ".join(self.prose(part, member) for part in member["comment"])
        said = self._comment_of(member["type"])
        return "*" + self.prose(first_sentence(said), member) + "*" if said else ""

    def _comment_of(self, kind):
        """The first paragraph about a type; of a sequence without one, about its element."""
        for name in kind["uses"]:
            one = self.types[name]
            if one["comment"]:
                return one["comment"][0]
            return self._comment_of(one["type"]) if one["kind"] == "typedef" else ""
        return ""

    def text(self, comment, one=None):
        lines = []
        for part in comment:
            lines += spaced(lines, self.table(part, one) if isinstance(part, contracts.Table)
                            else wrapped(self.prose(part, one)))
        return lines

    def table(self, table, one):
        head, *rows = ([self.prose(cell, one) for cell in cells] for cells in table.rows)
        return [row(*head), row(*["---"] * len(head)), *(row(*cells) for cells in rows)]

    def prose(self, text, one=None):
        """A comment as Markdown: known names and paths become links."""
        made, at = [], 0
        for found in WORDS.finditer(text):
            made += [escaped(text[at:found.start()]), self._word(found, one)]
            at = found.end()
        return "".join(made) + escaped(text[at:])

    def _word(self, found, one):
        kind, word = found.lastgroup, found.group(found.lastgroup)
        plain = word.removesuffix("()")
        if kind == "path":
            return link(f"`{word}`", "../" + word if not word.startswith("docs/") else word[5:], "")
        if kind == "file":
            known = any(file.name == word for file in self.files)
            return link(f"`{word}`", slug(word)) if known else f"`{word}`"
        if kind == "group":
            name = self.groups.get(word.partition("_")[0])
            return link(f"`{word}`", self.anchors[name]) if name else f"`{word}`"
        if kind in ("code", "option") or "_" in word or word.endswith("()"):
            known = plain in self.anchors and not is_own(plain, one)
            return link(f"`{word}`", self.anchors[plain]) if known else f"`{word}`"
        if plain in self.anchors and not is_own(plain, one) and is_meant(plain, one, self.types):
            return link(word, self.anchors[plain])
        return escaped(word)


def parts(file):
    """The parts of a file that have declarations: title, declarations."""
    for title, belongs in PARTS:
        declarations = [one for one in file.declarations if belongs(one)]
        if declarations:
            yield title, declarations


def is_own(name, one):
    """Whether it is the name of the declaration being described, which gets no link to itself."""
    return one is not None and name == one["name"]


def is_meant(name, one, types):
    """Whether a word means the type of that name. "Refused" and "Demand" are also English."""
    if name not in types:
        return False
    if one is not None and name in one.get("raises", []):
        return True
    return types[name]["kind"] != "interface" and len(re.findall("[A-Z]", name)) > 1


def heading(one):
    if one["kind"] == "operation":
        return ("oneway " if one["oneway"] else "") + one["name"]
    return f"{one['kind']} {one['name']}"


def signature(one):
    """An operation in IDL, wrapped at WIDTH."""
    begin = ("oneway " if one["oneway"] else "") + f"{one['type']['text']} {one['name']}("
    parameters = [f"{each['direction']} {each['type']['text']} {each['name']}"
                  for each in one["parameters"]]
    unbroken = ", ".join(one.replace(" ", UNBROKEN) for one in parameters)
    lines = [line.replace(UNBROKEN, " ") for line in textwrap.wrap(
        begin.replace(" ", UNBROKEN) + unbroken + ")", WIDTH, break_long_words=False,
        subsequent_indent=" " * len(begin), break_on_hyphens=False)]
    if one["raises"]:
        lines.append(f"    raises ({', '.join(one['raises'])})")
    lines[-1] += ";"
    return lines


def slug(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def link(text, target, mark="#"):
    return f"[{text}]({mark}{target})"


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def first_sentence(text):
    return re.split(r"(?<=\.) (?=[A-Z0-9])", text)[0]


def escaped(text):
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", text)


def spaced(before, lines):
    """The lines of a new paragraph: an empty line first, unless `before` ends with one."""
    return [""] + lines if before and before[-1] else lines


def wrapped(text, indent=""):
    lines = textwrap.wrap(text, WIDTH, initial_indent=indent, break_long_words=False,
                          subsequent_indent=indent + ("  " if text.startswith("- ") else ""),
                          break_on_hyphens=False)
    # Some words would turn a line that they begin into a list, a heading or a quotation.
    mark = re.compile(r"^(\s*\d*)((?<!\d)[-+#>]|(?<=\d)[.)])(?=\s)")
    return lines[:1] + [mark.sub(r"\1\\\2", line) for line in lines[1:]]


def document(idl_dir):
    made = Reference(contracts.read(idl_dir)).document()
    targets = set(re.findall(r'<a id="([^"]+)">', made))
    for title in re.findall(r"^#+ (.*)$", made, re.MULTILINE):
        if slug(title) in targets:
            raise contracts.ContractError(f"two headings have the anchor #{slug(title)}")
        targets.add(slug(title))
    for target in re.findall(r"\]\(#([^)]+)\)", made):
        if target not in targets:
            raise contracts.ContractError(f"a link leads to #{target}, which does not exist")
    return made


if __name__ == "__main__":
    try:
        sys.stdout.write(document(sys.argv[1] if len(sys.argv) > 1
                                  else Path(__file__).resolve().parents[1]))
    except contracts.ContractError as wrong:
        sys.exit(f"markdown.py: {wrong}")
