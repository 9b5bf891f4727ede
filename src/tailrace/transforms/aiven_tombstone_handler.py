"""Aiven's TombstoneHandler. Source: Aiven's documentation of its transforms."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.tombstones import Behavior, Tombstones

_BEHAVIORS: Final = {"drop_silent": Behavior.DROP, "drop_warn": Behavior.WARN, "fail": Behavior.FAIL}


def _made(making: Making, *, behavior: str) -> Tombstones:
    return Tombstones(making.failures, _BEHAVIORS[behavior])


SPEC = TransformSpec(
    name="io.aiven.kafka.connect.transforms.TombstoneHandler",
    doc="Drops records whose value is null, or fails on them.",
    properties=(
        Property(
            name="behavior",
            kind=Kind.ENUM,
            required=True,
            allowed=tuple(_BEHAVIORS),
            doc="`drop_silent` drops them, `drop_warn` too and logs a warning, `fail` fails.",
        ),
    ),
    make=_made,
)
