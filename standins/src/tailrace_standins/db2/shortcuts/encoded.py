"""Rows of a query as they are sent, in the order of a key, with the key's values to find them by."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.db2.drda.decimals import decfloat, packed_width
from tailrace_standins.db2.drda.types import wire
from tailrace_standins.db2.drda.writing import Row, Writer
from tailrace_standins.db2.session import Column, EncodedRows
from tailrace_standins.db2.shortcuts.recognised import Recognised, keyed
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.visibility import LATEST, VISIBLE

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.connection import Connection
    from tailrace_standins.db2.engine.session import EngineSession

_AT_ONCE: Final = 20_000
_SMALL: Final = 20_000  # rows of a part that grows, instead of that another one is made


@dataclass(frozen=True, slots=True)
class State:
    """What a table's rows were when they were read.

    Attributes:
        number: of its commits (`storage.table_changes`).
        seen: of its commits whose records were seen.
        inserted: rows in them.
        disturbed: records in them that are no inserts.

    """

    number: int
    seen: int
    inserted: int
    disturbed: int

    def grew_to(self, later: State) -> int | None:
        """How many rows were added since; None: something else was done, or is not yet known."""
        if later.number - later.seen != self.number - self.seen or later.disturbed != self.disturbed:
            return None
        return later.inserted - self.inserted


class StoredRow(Row):
    """Writes rows of stored values."""

    def _writer(self, type_: SqlType) -> Writer:
        if type_.name == "decimal":
            return _packed(type_)
        if type_.name == "decfloat":
            width = wire(type_).size
            return lambda value: decfloat(Decimal(value), width)
        return super()._writer(type_)


def _packed(type_: SqlType) -> Writer:
    """Packed decimals of text that has all digits of the scale."""
    digits = packed_width(type_.precision) * 2 - 1

    def made(text: str) -> bytes:
        shown = text.replace(".", "")
        if shown[0] == "-":
            return bytes.fromhex(shown[1:].rjust(digits, "0")[-digits:] + "d")
        return bytes.fromhex(shown.rjust(digits, "0")[-digits:] + "c")

    return made


@dataclass(slots=True)
class Part:
    """Rows one behind the other, and where each begins; the last entry is the end."""

    data: bytes
    begins: array[int]

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.begins) - 1


@dataclass(slots=True)
class EncodedTable:
    """The rows of a select list.

    Attributes:
        state: of the table that they are.
        parts: the rows.
        keys: the values of each column of the key.
        last: the highest number of a row version.
        asked: the number of the table's commits when its rows were asked for, and had to be read as a whole.
        work: held by who makes or extends it.

    """

    state: State | None = None
    parts: list[Part] = field(default_factory=list)
    keys: list[list[Any]] = field(default_factory=list)
    last: int = 0
    asked: int | None = None
    work: threading.Lock = field(default_factory=threading.Lock)

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(part.count for part in self.parts)

    def rows(self, ranges: Sequence[tuple[int, int]], most: int | None) -> Iterator[EncodedRows]:
        """The rows of ranges, up to a number of them."""
        left = self.count if most is None else most
        for begin, end in ranges:
            at = 0
            for part in list(self.parts):
                first, last = max(begin - at, 0), min(end - at, part.count)
                last = min(last, first + left)
                if first < last:
                    left -= last - first
                    yield EncodedRows(part.data, part.begins, first, last)
                at += part.count

    def filled(
        self, session: EngineSession, found: Recognised, columns: Sequence[Column], state: State, *, extends: bool
    ) -> int:
        """Read all rows, or (`extends`) those that are newer than the last; how many were read.

        With `extends` nothing is taken, and -1 returned, if their keys are not behind the last one.
        """
        after = self.last if extends else 0
        reader = session.reader()
        try:
            ((last,),) = reader.rows(f"SELECT MAX(rid) FROM {found.table.storage} WHERE {VISIBLE}", _VIEW)
            rows, keys = _read(reader, _sql(session, found, after), after, columns, found)
        finally:
            session.done(reader)
        if extends and not self._is_behind(keys):
            return -1
        if not extends:
            self.parts, self.keys = [], [[] for _ in found.key]
        for column, more in zip(self.keys, keys, strict=True):
            column.extend(more)
        self._add(rows)
        self.last, self.state = last or 0, state
        return len(rows)

    def _is_behind(self, keys: list[list[Any]]) -> bool:
        if not keys or not keys[0] or not self.count:
            return True
        return [column[-1] for column in self.keys] < [column[0] for column in keys]

    def _add(self, rows: list[bytes]) -> None:
        if not rows:
            return
        begins = array("q", accumulate(map(len, rows), initial=0))
        data = b"".join(rows)
        if self.parts and self.parts[-1].count < _SMALL:
            old = self.parts[-1]
            moved = array("q", (begin + len(old.data) for begin in begins[1:]))
            self.parts[-1] = Part(old.data + data, old.begins + moved)
        else:
            self.parts.append(Part(data, begins))


_VIEW: Final = {"s": LATEST, "t": 0}  # all that is committed


def _sql(session: EngineSession, found: Recognised, after: int) -> str:
    plan = session.compiler().plan(found.whole())
    if not after:
        return plan.text(VISIBLE)
    storage = found.table.storage  # a range of versions: no index is as good
    return plan.text(f"rid>:after AND {VISIBLE}").replace(f"FROM {storage} WHERE", f"FROM {storage} NOT INDEXED WHERE")


def _read(
    reader: Connection, sql: str, after: int, columns: Sequence[Column], found: Recognised
) -> tuple[list[bytes], list[list[Stored]]]:
    writer = StoredRow(columns, in_row=0)
    encoded: list[bytes] = []
    keys: list[list[Any]] = [[] for _ in found.key]
    makers: list[Callable[[Any], Any]] = [keyed(column.type) for column in found.key]
    width = len(columns)
    cursor = reader.execute(sql, {**_VIEW, "after": after} if after else _VIEW)
    while rows := reader.fetch(cursor, _AT_ONCE):
        turned = list(zip(*rows, strict=True))
        encoded += writer.columns(turned[:width], len(rows))
        for place, make in enumerate(makers):
            keys[place] += map(make, turned[width + place])
    return encoded, keys
