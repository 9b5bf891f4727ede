"""`table.fields.additional.placement`: where further columns of an outbox table go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HEADER: Final = "header"
ENVELOPE: Final = "envelope"
PARTITION: Final = "partition"
_PLACES: Final = (HEADER, ENVELOPE, PARTITION)


@dataclass(frozen=True, slots=True)
class Placement:
    """One column.

    Attributes:
        column: its name.
        place: `header`, `envelope` or `partition`.
        alias: its name there.

    """

    column: str
    place: str
    alias: str


def placements(texts: Sequence[str]) -> tuple[Placement, ...]:
    """The columns of `column:place` and `column:place:alias`.

    Raises:
        ValueError: a text is neither, or there is no such place.

    """
    return tuple(_placement(text) for text in texts)


def _placement(text: str) -> Placement:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in {2, 3} or not all(parts):
        raise ValueError(f"table.fields.additional.placement: {text!r} is neither column:place nor column:place:alias")
    place = parts[1].lower()
    if place not in _PLACES:
        raise ValueError(f"table.fields.additional.placement: {parts[1]!r} in {text!r} is none of {', '.join(_PLACES)}")
    return Placement(parts[0], place, parts[-1] if len(parts) == 3 else parts[0])
