"""Paths to fields as Kafka's transforms write them (`field.syntax.version`): a name, or in V2 names with dots between.

In V2 a name that has dots stands between backticks; a backslash before a backtick takes away its meaning. Only a backtick
that a dot or the end follows ends a name.
Source: KIP-821, "Connect Transforms support for nested structures".
"""

from __future__ import annotations

import re
from typing import Final

from tailrace.config.property import Kind, Property

FIELD_SYNTAX_VERSION: Final = Property(
    name="field.syntax.version",
    kind=Kind.ENUM,
    default="V1",
    allowed=("V1", "V2"),
    doc="How fields are named: in V1 by their names, in V2 with dots for fields of fields.",
)
_QUOTED: Final = re.compile(r"`(?P<name>.*?)(?<!\\)`(?=\.|$)", re.DOTALL)
_PLAIN: Final = re.compile(r"[^.]*")


def field_path(text: str, version: str) -> tuple[str, ...]:
    """The names on the way to a field.

    Raises:
        ValueError: a backtick has no other one.

    """
    if version == "V1":
        return (text,)
    names, place = [], 0
    while place <= len(text):
        quoted = text[place : place + 1] == "`"
        found = (_QUOTED if quoted else _PLAIN).match(text, place)
        if found is None:
            raise ValueError(f"field is {text!r}, in which a backtick has no other one: write a backslash before it")
        names.append(_unescaped(found["name"]) if quoted else found.group())
        place = found.end() + 1  # behind the dot
    return tuple(names)


def _unescaped(name: str) -> str:
    r"""A quoted name; only `\` before a backtick that would end it is left out."""
    return name.replace("\\`.", "`.")
