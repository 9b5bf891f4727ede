"""The same lines through real transforms and converters and through tailrace's own, compared record by record.

    assert_same(connect_parts, lines, ours, [Transform(…)], key=JSON, value=JSON, header=JSON)

`ours` is a function from `SourceRecords` to `Records`: transforms and encoder. A line's number is the rank of its record in the
log, so that records are matched even where topics change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from tests.formats.connect_parts import (
    JSON,
    ConnectParts,
    ConnectRecord,
    Converter,
    Failure,
    Line,
    Outcome,
    Transform,
)
from tests.formats.golden_records import golden_records

from tailrace.changes.records import Header, Records
from tailrace.changes.source_records import SourceRecords

Ours = Callable[[SourceRecords], Sequence[Records]]
Same = Callable[[bytes | None, bytes | None], bool]
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^"]+')  # texts, and what is between them
_FRACTION = re.compile(rb"-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)")
_SHOWN = 3  # differences that a failed comparison prints
_PARTS = ("topic", "partition", "timestamp", "key", "value", "headers")


class OrderError(Exception):
    """Records came out of log order."""


@dataclass(frozen=True)
class Difference:
    """What became of one line on both sides, and in which parts that differs."""

    number: int
    line: Line
    theirs: Outcome
    ours: Outcome
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"line {self.number} ({self.line['topic']}) differs in {', '.join(self.parts)}\n"
            f"  real:     {_shown(self.theirs)}\n  tailrace: {_shown(self.ours)}"
        )


@dataclass
class Comparison:
    """The result: differences, and how many lines there were of which outcome."""

    differences: list[Difference] = field(default_factory=list)
    records: int = 0
    dropped: int = 0
    failed: int = 0


def same_bytes(theirs: bytes | None, ours: bytes | None) -> bool:
    """Whether two keys or values are equal."""
    return theirs == ours


def same_json(theirs: bytes | None, ours: bytes | None) -> bool:
    """Whether two keys or values are equal but for how fractions are written (`1.0E10` is `10000000000.0`)."""
    if theirs == ours:
        return True
    return theirs is not None and ours is not None and _in_equal_digits(theirs) == _in_equal_digits(ours)


def assert_same(
    parts: ConnectParts,
    lines: Sequence[Line],
    ours: Ours,
    transforms: Sequence[Transform] = (),
    *,
    key: Converter = JSON,
    value: Converter = JSON,
    header: Converter = JSON,
    same: Same = same_json,
) -> Comparison:
    """Fail with both records in full where the sides differ; else return what was compared."""
    found = compare(parts, lines, ours, transforms, key=key, value=value, header=header, same=same)
    shown = "\n".join(map(str, found.differences[:_SHOWN]))
    assert not found.differences, f"{len(found.differences)} of {len(lines)} lines differ:\n{shown}"
    return found


def compare(
    parts: ConnectParts,
    lines: Sequence[Line],
    ours: Ours,
    transforms: Sequence[Transform] = (),
    *,
    key: Converter = JSON,
    value: Converter = JSON,
    header: Converter = JSON,
    same: Same = same_json,
) -> Comparison:
    """Both sides' outcome of each line. Where one side fails the other must, too; the messages may differ."""
    theirs = parts.run(lines, transforms, key=key, value=value, header=header)
    mine = outcomes(lines, ours)
    found = Comparison()
    for number, (line, real, own) in enumerate(zip(lines, theirs, mine, strict=True)):
        found.failed += isinstance(real, Failure)
        found.dropped += not isinstance(real, Failure) and not real
        found.records += not isinstance(real, Failure) and len(real)
        differing = _differing(real, own, same)
        if differing:
            found.differences.append(Difference(number, line, real, own, differing))
    return found


def outcomes(lines: Sequence[Line], ours: Ours) -> list[Outcome]:
    """What each line becomes on our side; of records that fail together each is tried alone.

    Raises `OrderError`.
    """
    found: dict[int, list[ConnectRecord] | Failure] = {number: [] for number in range(len(lines))}
    for group in golden_records(lines):
        try:
            made = ours(group)
        except Exception:
            for i in range(len(group)):
                _alone(group.take(np.array([i])), ours, found)
        else:
            _note(made, found)
    return [found[number] for number in range(len(lines))]


def _alone(record: SourceRecords, ours: Ours, found: dict[int, list[ConnectRecord] | Failure]) -> None:
    try:
        made = ours(record)
    except Exception as error:
        found[int(record.log_order[0])] = Failure(f"{type(error).__name__}: {error}")
    else:
        _note(made, found)


def _note(made: Sequence[Records], found: dict[int, list[ConnectRecord] | Failure]) -> None:
    """Put encoded records where their lines are."""
    for records in made:
        if (np.diff(records.log_order) < 0).any():
            raise OrderError(f"the records of {records.topic} are not in log order: {records.log_order}")
    noted = [(int(records.log_order[i]), record) for records in made for i, record in enumerate(_unpacked(records))]
    for number, record in noted:
        outcome = found[number]
        if not isinstance(outcome, Failure):
            outcome.append(record)


def _unpacked(records: Records) -> Iterator[ConnectRecord]:
    for i in range(len(records)):
        headers = [(header.name, header.values[i]) for header in records.headers if _has(header, i)]
        yield ConnectRecord(
            records.topic,
            records.partition,
            int(records.timestamps[i]),
            records.keys[i],
            records.values[i],
            tuple(headers),
        )


def _has(header: Header, i: int) -> bool:
    return header.values[i] is not None or (header.nulls is not None and bool(header.nulls[i]))


def _differing(theirs: Outcome, ours: Outcome, same: Same) -> tuple[str, ...]:
    if isinstance(theirs, Failure) or isinstance(ours, Failure):
        return () if isinstance(theirs, Failure) and isinstance(ours, Failure) else ("failure",)
    if len(theirs) != len(ours):
        return ("number of records",)
    return tuple(part for part in _PARTS if not all(_equal(part, *pair, same) for pair in zip(theirs, ours, strict=True)))


def _equal(part: str, theirs: ConnectRecord, ours: ConnectRecord, same: Same) -> bool:
    one, other = getattr(theirs, part), getattr(ours, part)
    if part in ("key", "value"):
        return same(one, other)
    if part == "headers":
        return len(one) == len(other) and all(a[0] == b[0] and same(a[1], b[1]) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def is_redefined(difference: Difference) -> bool:
    """Whether Avro failed there on two records of one name that differ in their parameters; newer converters take the first."""
    failed, written = difference.theirs, difference.ours
    return isinstance(failed, Failure) and "Can't redefine" in failed.error and not isinstance(written, Failure)


def _in_equal_digits(text: bytes) -> bytes:
    """JSON text with each number that has a point or an exponent written in one way; nothing else is changed."""
    return _TOKENS.sub(_token, text)


def _token(token: re.Match[bytes]) -> bytes:
    if token[0].startswith(b'"'):
        return token[0]
    return _FRACTION.sub(lambda digits: repr(float(digits[0])).encode(), token[0])  # minus zero is not zero


def _shown(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return f"fails: {outcome.error}"
    return "\n            ".join(map(str, outcome)) or "dropped"
