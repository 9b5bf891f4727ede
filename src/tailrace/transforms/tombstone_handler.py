"""Confluent's TombstoneHandler. Source: Confluent's documentation of its transforms."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.tombstones import Behavior, Tombstones

_BEHAVIORS: Final = {"ignore": Behavior.DROP, "warn": Behavior.WARN, "fail": Behavior.FAIL}


def _made(making: Making, *, behavior: str) -> Tombstones:
    return Tombstones(making.failures, _BEHAVIORS[behavior])


SPEC = TransformSpec(
    name="io.confluent.connect.transforms.TombstoneHandler",
    doc="Drops records whose value is null, or fails on them.",
    properties=(
        Property(
            name="behavior",
            kind=Kind.ENUM,
            default="warn",
            allowed=tuple(_BEHAVIORS),
            doc="`ignore` drops them, `warn` too and logs a warning, `fail` fails.",
        ),
    ),
    make=_made,
)
