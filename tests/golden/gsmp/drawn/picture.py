"""Draws a message from its bit picture: an independent source of the octets in ../*.hex.

A picture is the figure of the RFC as text: "NAME:BITS" from the most significant bit on, "x" for
reserved bits. `draw(picture, NAME=value, ...)` returns the octets; fields without a value are
zero. This module and the project's codec do not use each other.
"""


def draw(picture, **values):
    number = width = 0
    for field in picture.split():
        name, _, size = field.partition(":")
        value = 0 if name == "x" else values.pop(name, 0)
        if not 0 <= value < 1 << int(size):
            raise ValueError(f"{name} is {value}: more than {size} bits")
        number = number << int(size) | value
        width += int(size)
    if values:
        raise ValueError(f"no such field in the picture: {', '.join(values)}")
    if width % 32:
        raise ValueError(f"{width} bits are not a multiple of 32: {picture}")
    return number.to_bytes(width // 8, "big")


class Vector:
    """One worked message; `section` names the document from which its pictures are taken."""

    def __init__(self, section, octets, note=""):
        self.section, self.octets, self.note = section, octets, note
