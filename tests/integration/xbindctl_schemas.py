"""The JSON Schemas of xbindctl's documents, docs/schemas/xbindctl, and a check against them."""

import json
import warnings

import jsonschema

from harness import ROOT

FOLDER = ROOT / "docs" / "schemas" / "xbindctl"
SHARED = ("common", "error")  # schemas that belong to no single command


def commands():
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in SHARED)


def check(command, document):
    """Raises jsonschema.ValidationError if the document of the command has another form.

    `command`: its verb, or "error".
    """
    schema = json.loads((FOLDER / f"{command}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():  # Debian's jsonschema 4.10 has no successor of RefResolver
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(f"{FOLDER.as_uri()}/", schema)
        jsonschema.Draft202012Validator(schema, resolver=resolver).validate(document)


def checked(command, text):
    """The document in `text` after check()."""
    document = json.loads(text)
    check("error" if "error" in document else command, document)
    return document
