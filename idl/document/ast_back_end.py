"""omniidl back end: prints the declarations of one IDL file as JSON (contracts.py reads it).

It omits comments: omniidl keeps either those before a declaration or those after it, and not the
column, which distinguishes a trailing comment from the next declaration's.
"""

import json
import sys

from omniidl import idlast, idltype

NUMBERS = {idltype.tk_short, idltype.tk_ushort, idltype.tk_long, idltype.tk_ulong,
           idltype.tk_longlong, idltype.tk_ulonglong, idltype.tk_octet, idltype.tk_float,
           idltype.tk_double}
NAMES = {idltype.tk_void: "void", idltype.tk_short: "short", idltype.tk_ushort: "unsigned short",
         idltype.tk_long: "long", idltype.tk_ulong: "unsigned long",
         idltype.tk_longlong: "long long", idltype.tk_ulonglong: "unsigned long long",
         idltype.tk_octet: "octet", idltype.tk_float: "float", idltype.tk_double: "double",
         idltype.tk_boolean: "boolean", idltype.tk_char: "char", idltype.tk_any: "any"}


def type_of(kind):
    """A type as IDL spells it, the declared names in it, and whether it is a number."""
    if isinstance(kind, idltype.Declared):
        text, uses = kind.decl().identifier(), [kind.decl().identifier()]
    elif isinstance(kind, idltype.Sequence):
        element = type_of(kind.seqType())
        bound = f", {kind.bound()}" if kind.bound() else ""
        text, uses = f"sequence<{element['text']}{bound}>", element["uses"]
    elif isinstance(kind, idltype.String):
        text, uses = f"string<{kind.bound()}>" if kind.bound() else "string", []
    else:
        text, uses = NAMES[kind.kind()], []
    return {"text": text, "uses": uses, "number": kind.unalias().kind() in NUMBERS}


def members_of(declaration):
    return [{"kind": "member", "name": declarator.identifier(), "line": member.line(),
             "type": type_of(member.memberType())}
            for member in declaration.members() for declarator in member.declarators()]


def label_of(label):
    if label.default():
        return "default"
    value = label.value()
    if isinstance(value, idlast.Enumerator):
        return value.identifier()
    if label.labelKind() == idltype.tk_boolean:
        return "TRUE" if value else "FALSE"
    return str(value)


def struct(declaration):
    return {"kind": "struct", "members": members_of(declaration)}


def exception(declaration):
    return {"kind": "exception", "members": members_of(declaration)}


def union(declaration):
    return {"kind": "union", "switch": type_of(declaration.switchType()),
            "members": [{"kind": "member", "name": case.declarator().identifier(),
                         "line": case.line(), "type": type_of(case.caseType()),
                         "labels": [label_of(label) for label in case.labels()]}
                        for case in declaration.cases()]}


def enum(declaration):
    return {"kind": "enum", "members": [{"kind": "value", "name": one.identifier(),
                                         "line": one.line()} for one in declaration.enumerators()]}


def constant(declaration):
    return {"kind": "constant", "type": type_of(declaration.constType()),
            "value": str(declaration.value())}


def interface(declaration):
    return {"kind": "interface", "bases": [base.identifier() for base in declaration.inherits()],
            "members": [operation(one) for one in declaration.callables()]}


def operation(declaration):
    return {"kind": "operation", "name": declaration.identifier(), "line": declaration.line(),
            "oneway": bool(declaration.oneway()), "type": type_of(declaration.returnType()),
            "raises": [one.identifier() for one in declaration.raises()],
            "parameters": [{"name": one.identifier(), "type": type_of(one.paramType()),
                            "direction": ("in", "out", "inout")[one.direction()]}
                           for one in declaration.parameters()]}


KINDS = {idlast.Struct: struct, idlast.Exception: exception, idlast.Union: union,
         idlast.Enum: enum, idlast.Const: constant, idlast.Interface: interface}


def declarations_of(holder):
    for one in holder:
        if not one.mainFile() or isinstance(one, idlast.Forward):
            continue
        if isinstance(one, idlast.Module):
            yield from declarations_of(one.definitions())
        elif isinstance(one, idlast.Typedef):
            for declarator in one.declarators():
                yield {"kind": "typedef", "name": declarator.identifier(), "line": one.line(),
                       "id": declarator.repoId(), "type": type_of(one.aliasType()),
                       "scope": declarator.scopedName()[:-1]}
        else:
            yield {"name": one.identifier(), "line": one.line(), "id": one.repoId(),
                   "scope": one.scopedName()[:-1], **KINDS[type(one)](one)}


def run(tree, _):
    """The entry point that omniidl calls."""
    json.dump({"file": tree.file(), "declarations": list(declarations_of(tree.declarations()))},
              sys.stdout)
    print()
