"""GIOP requests of every operation in idl/, with random arguments, and their mutations.

omniidl reads the IDL (idl/document/contracts.py). A Message is well-formed; mutated() returns its
octets with one defect. The same random.Random draws the same octets.
"""

import struct
import sys
from pathlib import Path

import giop

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "idl" / "document"))
# pylint: disable=wrong-import-position
import contracts  # noqa: E402

FORMS = {"short": "h", "unsigned short": "H", "long": "i", "unsigned long": "I", "long long": "q",
         "unsigned long long": "Q", "octet": "B", "char": "B", "boolean": "B", "float": "f",
         "double": "d"}
SEQUENCE = "sequence<"
BODY_MAX = 16 * 1024 * 1024  # giopMaxMsgSize in orb/runtime.cpp
HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4, 2**30, 2**24)
REQUEST, FRAGMENT = 0, 7
FLAGS, TYPE, SIZE = 6, 7, 8  # octets of a GIOP header


class Contracts:
    """The declarations of idl/ by name. `operations`: interface -> its operations, also those of
    its bases."""

    def __init__(self):
        self.declared = {one["name"]: one for file in contracts.read(ROOT / "idl")
                         for one in file.declarations}
        self.operations = {name: list(self._operations(one))
                           for name, one in self.declared.items() if one["kind"] == "interface"}

    def _operations(self, interface):
        for base in interface["bases"]:
            yield from self._operations(self.declared[base])
        yield from interface["members"]


class Arguments:
    """Writes random arguments. `chosen`: typedef name -> values to draw half of the time.
    `names`: values of strings. `observer`: host, port and key of references."""

    def __init__(self, known, rng, names, observer, chosen=None):
        self.known = known
        self.rng = rng
        self.names = names
        self.observer = observer
        self.chosen = chosen or {}

    def write(self, out, kind):
        if kind in self.chosen and self.rng.random() < 0.5:
            out.number(FORMS[self.known.declared[kind]["type"]["text"]],
                       self.rng.choice(self.chosen[kind]))
        elif kind in FORMS:
            out.number(FORMS[kind], self.number(kind))
        elif kind.startswith("string"):
            out.text(self.rng.choice(self.names))
        elif kind.startswith(SEQUENCE):
            self.sequence(out, kind.removeprefix(SEQUENCE).removesuffix(">"))
        else:
            declaration = self.known.declared[kind]
            getattr(self, declaration["kind"])(out, declaration)

    def number(self, kind):
        form = FORMS[kind]
        if kind == "boolean":
            return self.rng.choice((0, 1))
        if form in "fd":
            return self.rng.choice((0.0, -1.0, 1e300 if form == "d" else 1e30, float("inf"),
                                    float("nan")))
        bits = 8 * struct.calcsize(form)
        if form.islower():
            return self.rng.choice((0, 1, -1, 2**(bits - 1) - 1, -2**(bits - 1)))
        return self.rng.choice((0, 1, 2, 3, self.rng.randrange(100), 2**(bits - 1), 2**bits - 1,
                                self.rng.getrandbits(bits)))

    def sequence(self, out, inner):
        element, _, bound = inner.rpartition(", ") if ", " in inner else (inner, "", "3")
        count = self.rng.randint(0, min(int(bound), 3))
        out.count(count)
        for _ in range(count):
            self.write(out, element)

    def typedef(self, out, declaration):
        self.write(out, declaration["type"]["text"])

    def struct(self, out, declaration):
        for member in declaration["members"]:
            self.write(out, member["type"]["text"])

    def enum(self, out, declaration):
        out.choice("I", self.rng.randrange(len(declaration["members"])))

    def union(self, out, declaration):
        switch = declaration["switch"]["text"]
        if switch == "boolean":
            labels, form = ["FALSE", "TRUE"], "B"
        else:
            labels, form = [one["name"] for one in self.known.declared[switch]["members"]], "I"
        label = self.rng.choice(labels)
        out.choice(form, labels.index(label))
        for member in declaration["members"]:
            if label in member["labels"]:
                self.write(out, member["type"]["text"])

    def interface(self, out, _):
        if self.rng.random() < 0.2:
            out.text("").count(0)  # nil
        else:
            out.reference(*self.observer)


class Noted(giop.Writer):
    """Notes the offsets of counts, of the octets that end strings, and of discriminators."""

    def __init__(self, at=0):
        super().__init__(at)
        self.counts, self.ends, self.choices = [], [], []

    def _noted(self, places, size):
        places.append(self.at + len(self.data) - size)
        return self

    def count(self, value):
        return self.number("I", value)._noted(self.counts, 4)

    def choice(self, form, value):
        return self.number(form, value)._noted(self.choices, struct.calcsize(form))

    def text(self, value):
        raw = value.encode("latin-1") + b"\0"
        self.count(len(raw))
        self.data += raw
        return self._noted(self.ends, 1)


class Message:
    """A well-formed request of GIOP 1.0 or 1.2, little-endian, and the places to damage."""

    def __init__(self, key, operation, arguments, version, number=1):
        out = Noted(at=12)
        answered = not operation["oneway"]
        if version == 0:
            out.count(0).ulong(number).octet(answered)
        else:
            out.ulong(number).octet(3 if answered else 0).octet(0).octet(0).octet(0)
            out.number("H", 0)
        self.key_at = 12 + len(out.data) + -(12 + len(out.data)) % 4 + 4
        out.count(len(key))
        out.data += key
        self.operation_at = 12 + len(out.data) + -(12 + len(out.data)) % 4 + 4
        out.text(operation["name"]).count(0)
        parameters = [one for one in operation["parameters"] if one["direction"] != "out"]
        if version == 2 and parameters:
            out.data += b"\0" * (-(12 + len(out.data)) % 8)
        self.body_at = 12 + len(out.data)
        for parameter in parameters:
            arguments.write(out, parameter["type"]["text"])
        self.name = operation["name"]
        self.answered = answered
        self.version = version
        self.places = out
        self.octets = header(version, REQUEST, len(out.data)) + bytes(out.data)


def header(version, kind, size, flags=1):
    return b"GIOP" + bytes((1, version, flags, kind)) + struct.pack("<I", size)


def _put(message, at, octets):
    return message.octets[:at] + octets + message.octets[at + len(octets):]


def _sized(octets):
    """The message with its header's size corrected."""
    return octets[:SIZE] + struct.pack("<I", len(octets) - 12) + octets[12:]


def truncated(message, rng):
    """Ends within the body, and its header says so."""
    return _sized(message.octets[:rng.randrange(12, len(message.octets))])


def wrong_count(message, rng):
    value = rng.choice((*HUGE, 0, rng.randrange(1, 100)))
    return _put(message, rng.choice(message.places.counts), struct.pack("<I", value))


def wrong_byte_order(message, _):
    return _put(message, FLAGS, bytes((message.octets[FLAGS] ^ 1,)))


def unknown_operation(message, rng):
    return _put(message, message.operation_at, bytes((rng.randrange(1, 256),)))


def wrong_key(message, rng):
    return _put(message, message.key_at, rng.randbytes(1))


def wrong_version(message, rng):
    return _put(message, 4, bytes(rng.choice(((0, 0), (1, 1), (1, 3), (1, 255), (2, 0),
                                              (255, 255)))))


def wrong_type(message, rng):
    return _put(message, TYPE, bytes((rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 255)),)))


def more_fragments(message, rng):
    """The first of several fragments; what follows is another request's, or garbage."""
    first = _put(message, FLAGS, b"\3")
    rest = rng.randbytes(rng.randrange(64))
    return first + header(message.version, FRAGMENT, len(rest), rng.choice((1, 3))) + rest


def wrong_choice(message, rng):
    if not message.places.choices:
        return wrong_count(message, rng)
    at = rng.choice(message.places.choices)
    return _put(message, at, rng.choice((b"\xff", struct.pack("<I", rng.getrandbits(32)))))


def no_nul(message, rng):
    return _put(message, rng.choice(message.places.ends), b"x")


def shifted(message, rng):
    """Octets inserted or taken out, so that everything behind is out of alignment."""
    at = rng.randrange(12, len(message.octets))
    octets = message.octets
    if rng.random() < 0.5:
        return _sized(octets[:at] + rng.randbytes(rng.randrange(1, 8)) + octets[at:])
    return _sized(octets[:at] + octets[at + rng.randrange(1, 8):])


def octets_changed(message, rng):
    octets = bytearray(message.octets)
    for _ in range(rng.randint(1, 8)):
        octets[rng.randrange(12, len(octets))] = rng.randrange(256)
    return bytes(octets)


def wrong_size(message, rng):
    """A header that announces more or less than follows."""
    return _put(message, SIZE, struct.pack("<I", rng.choice((0, 1, len(message.octets), 2**24,
                                                             2**24 + 1, *HUGE))))


def not_giop(_, rng):
    return rng.choice((b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GIOQ",
                       rng.randbytes(64)))


def large_body(message, rng):
    """A body as large as is allowed, or an octet more."""
    size = BODY_MAX - 12 - rng.choice((0, 1, 12, -1, -13))
    at = rng.choice(message.places.counts)
    octets = _put(message, at, struct.pack("<I", size))
    return header(message.version, REQUEST, size) + octets[12:] + bytes(size + 12 - len(octets))


MUTATIONS = (truncated, wrong_count, wrong_byte_order, unknown_operation, wrong_key, wrong_version,
             wrong_type, more_fragments, wrong_choice, no_nul, shifted, octets_changed, wrong_size,
             not_giop)
