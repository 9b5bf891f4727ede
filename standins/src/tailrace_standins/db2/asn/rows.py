"""What a record of the log becomes in a change table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, TypeAlias

from tailrace_standins.db2.asn.numbers import Lsns
from tailrace_standins.db2.engine import convert, types
from tailrace_standins.db2.engine.catalog import Column, Table
from tailrace_standins.db2.engine.log import Record
from tailrace_standins.storage.log import Image, Operation
from tailrace_standins.storage.sessions import Stored

Shape: TypeAlias = Callable[[Image | None, Image | None], list[Stored]]
KEYS: Final = 3
"""A change table's columns before those of its source: IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ, IBMSNAP_OPERATION."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A row of IBMSNAP_REGISTER that is active, or was.

    Attributes:
        source: schema and name of the table.
        target: of its change table.
        since: the position in the log from which on it is captured.
        splits: updates become a delete and an insert (CHG_UPD_TO_DEL_INS).
        changed_only: updates that change no captured column are left out (CHGONLY).
        prefix: of columns with before-images; empty for none.
        stops: an error with it stops the program (STOP_ON_ERROR).
        until: the position up to which it is captured; None: it is active.

    """

    source: tuple[str, str]
    target: tuple[str, str]
    since: int
    splits: bool
    changed_only: bool
    prefix: str
    stops: bool
    until: int | None = None

    @property
    def quoted_target(self) -> str:
        """The change table's name in SQL."""
        return ".".join('"' + name.replace('"', '""') + '"' for name in self.target)

    def covers(self, position: int) -> bool:
        """Whether a record of the log is captured by it."""
        return self.since < position and (self.until is None or position <= self.until)

    def ended(self, position: int) -> Registration:
        """It, captured up to a position."""
        return replace(self, until=position)


def change_rows(
    record: Record, registration: Registration, shapes: tuple[Shape, Shape], commit: bytes, lsns: Lsns
) -> Iterator[list[Stored]]:
    """The change table's rows of a record; raises `SqlError` for a value that does not fit its column.

    `shapes` are those without and with the registration's prefix.
    """
    plain, after = shapes
    if record.operation is Operation.UPDATE:
        old, new = plain(record.before, None), plain(record.after, None)
        if registration.changed_only and old == new:
            return
        if registration.splits:
            yield [commit, lsns.at(record.position), "D", *old]
            yield [commit, lsns.at(record.position, 1), "I", *new]
        else:
            yield [commit, lsns.at(record.position), "U", *after(record.after, record.before)]
    elif record.operation is Operation.INSERT:
        yield [commit, lsns.at(record.position), "I", *after(record.after, None)]
    elif record.operation is Operation.DELETE:
        yield [commit, lsns.at(record.position), "D", *after(record.before, None)]


@dataclass(frozen=True, slots=True)
class _Picked:
    """Where a change table's column comes from: the place in an image; None: from nowhere, as of large objects."""

    place: int | None
    source: Column | None
    target: Column
    is_before: bool = False


class Shapes:
    """The shapes of tables' rows, each made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int, str], tuple[Table, Table, tuple[Shape, Shape]]] = {}

    def of(self, source: Table, target: Table, prefix: str) -> tuple[Shape, Shape]:
        """Those of a table and its change table, without and with a prefix."""
        key = id(source), id(target), prefix
        found = self._made.get(key)
        if found is None:  # it holds the tables, so that no other ones get their ids
            both = (shape(source.columns, target.columns, ""), shape(source.columns, target.columns, prefix))
            found = self._made[key] = (source, target, both)
        return found[2]


def shape(source: tuple[Column, ...], target: tuple[Column, ...], prefix: str) -> Shape:
    """What makes the columns of a row, from an image and that before it."""
    places = {column.name: place for place, column in enumerate(source)}
    picked = tuple(_picked(source, places, column, prefix) for column in target[KEYS:])

    def made(image: Image | None, before: Image | None) -> list[Stored]:
        assert image is not None  # noqa: S101  # the record's operation has it
        return [_value(before if each.is_before else image, each) for each in picked]

    if len(picked) > 1 and all(_is_straight(each) for each in picked):
        straight = itemgetter(*(each.place or 0 for each in picked))
        return lambda image, _: list(straight(image or ()))
    return made


def _is_straight(picked: _Picked) -> bool:
    """Whether the value is taken as it is."""
    return picked.source is not None and picked.source.type == picked.target.type and not picked.is_before


def _picked(source: Sequence[Column], places: dict[str, int], column: Column, prefix: str) -> _Picked:
    place, is_before = places.get(column.name), False
    if place is None and prefix and column.name.startswith(prefix):
        place, is_before = places.get(column.name[len(prefix) :]), True
    if place is None or source[place].type.name in types.LARGE:
        return _Picked(None, None, column)
    return _Picked(place, source[place], column, is_before)


def _value(image: Image | None, picked: _Picked) -> Stored:
    if picked.place is None or picked.source is None or image is None:
        return None
    return convert.converted(image[picked.place], picked.source.type, picked.target.type, assigned=True)


@dataclass(slots=True)
class Filled:
    """Rows to be written, by change table, and the newest commit of each."""

    rows: dict[tuple[str, str], list[list[Stored]]] = field(default_factory=dict)
    commits: dict[tuple[str, str], bytes] = field(default_factory=dict)
    count: int = 0

    def add(self, registration: Registration, rows: Sequence[list[Stored]], commit: bytes) -> None:
        """Add rows of a table."""
        if rows:
            self.rows.setdefault(registration.target, []).extend(rows)
            self.commits[registration.source] = commit
            self.count += len(rows)
