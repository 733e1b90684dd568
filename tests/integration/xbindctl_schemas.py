"""The JSON Schemas of documents, docs/schemas, and a check against them. Those of commands are in
docs/schemas/xbindctl."""

import json
import warnings

import jsonschema

from harness import ROOT, InOneLab, tool

FOLDER = ROOT / "docs" / "schemas" / "xbindctl"
KEEPER = ROOT / "docs" / "schemas" / "keeper"
SMDS = ROOT / "docs" / "schemas" / "smds"
SHARED = ("common", "error")  # schemas that belong to no single command


def commands():
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in SHARED)


def check(command, document, folder=FOLDER):
    """Raises jsonschema.ValidationError if the document of the command has another form.

    `command`: its verb, or "error"; of another folder the name of the schema.
    """
    schema = json.loads((folder / f"{command}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():  # Debian's jsonschema 4.10 has no successor of RefResolver
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(f"{folder.as_uri()}/", schema)
        jsonschema.Draft202012Validator(schema, resolver=resolver).validate(document)


def checked(command, text):
    """The document in `text` after check()."""
    document = json.loads(text)
    check("error" if "error" in document else command, document)
    return document


class Operator(InOneLab):
    """Tests that type xbindctl's commands in their lab."""

    def ctl(self, *words, code=0):
        """What the command prints; it has to end with this exit code."""
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done.stdout

    def document(self, command, *words, code=0):
        """What it prints with --json, checked against its schema."""
        return checked(command, self.ctl(command, *words, "--json", code=code))
