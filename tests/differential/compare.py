"""Are two systems' records equal? Topic by topic, in order, each field of key, value, schema and headers.

`MASKED` lists every field whose value may differ, each with the reason; such a field must still be there on both
sides, as the same kind of JSON value. All else must be equal: strings by code point, integers by all their digits,
other numbers as the same double with the same sign, an integer never equal to a number with a point, and the members
of an object in the same order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.differential.records import Record, by_topic


@dataclass(frozen=True)
class Mask:
    """A field that may differ: a pattern over paths, for the topics that a pattern names, and why."""

    path: str
    reason: str
    topic: str = r".*"


@dataclass(frozen=True)
class Difference:
    """One place where two records are not equal; `MISSING` stands for what is not there."""

    topic: str
    index: int
    path: str
    debezium: Any
    tailrace: Any

    def __str__(self) -> str:
        return f"{self.topic}[{self.index}] {self.path}: Debezium {_shown(self.debezium)}, tailrace {_shown(self.tailrace)}"


class Missing:
    """What is not there."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()
MASKED = (
    Mask(
        r"value(\.payload)?\.ts_(ms|us|ns)",
        "when the connector processed the change, by its own clock (the source block's times are compared)",
        topic=r"(?!.*[._](transaction|tx)$).*",
    ),
    Mask(r"value(\.payload)?\.source\.version", "Debezium's version, and tailrace's"),
    Mask(
        r"headers\.__debezium\.context\.runId(\.payload)?",
        "a random UUID for each run of a connector",
    ),
)


def compare(
    debezium: Sequence[Record], tailrace: Sequence[Record], masks: Sequence[Mask] = MASKED
) -> list[Difference]:
    """All differences of two runs over the same log."""
    ours, theirs = by_topic(tailrace), by_topic(debezium)
    found: list[Difference] = []
    for topic in sorted(theirs.keys() | ours.keys()):
        found += _of_topic(topic, theirs.get(topic, []), ours.get(topic, []), masks)
    return found


def of_pair(
    topic: str, index: int, debezium: Record, tailrace: Record, masks: Sequence[Mask] = MASKED
) -> Iterator[Difference]:
    """The differences of two records."""
    for path, a, b in _unequal(debezium.parts(), tailrace.parts(), ""):
        if not (is_masked(topic, path, masks) and type(a) is type(b)):
            yield Difference(topic, index, path, a, b)


def is_masked(topic: str, path: str, masks: Sequence[Mask] = MASKED) -> bool:
    """May this field of a record of this topic differ?"""
    return any(re.fullmatch(mask.topic, topic) and re.fullmatch(mask.path, path) for mask in masks)


def _of_topic(
    topic: str, theirs: Sequence[Record], ours: Sequence[Record], masks: Sequence[Mask]
) -> Iterator[Difference]:
    for index in range(max(len(theirs), len(ours))):
        if index >= len(ours):
            yield Difference(topic, index, "", theirs[index].value, MISSING)
        elif index >= len(theirs):
            yield Difference(topic, index, "", MISSING, ours[index].value)
        else:
            yield from of_pair(topic, index, theirs[index], ours[index], masks)


def _unequal(a: Any, b: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(a, dict) and isinstance(b, dict):
        yield from _unequal_members(a, b, path)
    elif isinstance(a, list) and isinstance(b, list):
        yield from _unequal_items(a, b, path)
    elif not _same(a, b):
        yield path, a, b


def _unequal_members(a: dict[str, Any], b: dict[str, Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    for name in a.keys() | b.keys():
        inner = f"{path}.{name}" if path else name
        yield from _unequal(a.get(name, MISSING), b.get(name, MISSING), inner)
    if a.keys() == b.keys() and list(a) != list(b):
        yield f"{path}<order>", list(a), list(b)


def _unequal_items(a: list[Any], b: list[Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    for index in range(max(len(a), len(b))):
        left = a[index] if index < len(a) else MISSING
        right = b[index] if index < len(b) else MISSING
        yield from _unequal(left, right, f"{path}[{index}]")


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return bool(a == b)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:200]}… ({len(text)} characters)"
