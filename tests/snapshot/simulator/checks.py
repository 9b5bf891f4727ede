"""What must hold when all lanes are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tailrace.snapshot.figures import rows_of
from tailrace.snapshot.source import Mark

from .database import WHOLE, Database, Row, Table
from .lanes import Delivered, Lane
from .reading import Position

Tables = Mapping[str, Mapping[int, Row]]  # rows by the number of their key, by table


class ViolationError(AssertionError):
    """Something does not hold."""


@contextmanager
def replayed_by(seed: str) -> Iterator[None]:
    """A failure of a schedule becomes a `ViolationError` that says what replays it."""
    try:
        yield
    except Exception as error:
        raise ViolationError(f"{seed}: {type(error).__name__}: {error}") from error


def by_key(rows: Iterable[Row]) -> dict[int, Row]:
    """Rows by the number of their key."""
    return {row.key: row for row in rows}


def check_rows(database: Database, start: Position, at_start: Tables, delivered: Sequence[Delivered]) -> None:
    """What was delivered is what the tables held at the start, each key once.

    Of a table that was emptied since, rows may lack. Keys in changes of which the image before was incomplete are not
    looked at, but for being delivered once.
    """
    emptied, blurred = _not_claimed(database, start)
    for name, expected in at_start.items():
        rows = [record.row for record in delivered if record.table == name]
        if database.tables[name].is_keyless:
            _check_multiset(database, start, name, _values(rows), _values(expected.values()))
            continue
        found = by_key(rows)
        _require(len(found) == len(rows), "{}: a key was delivered twice: {}", name, rows)
        clear = {key for key in found.keys() | expected.keys() if (name, key) not in blurred}
        for key in clear:
            if name in emptied and key not in found:
                continue
            told, held = found.get(key), expected.get(key)
            cut = told and Row(told.key, told.values[: len(held.values)] if held else told.values)
            _require(cut == held, "{}: key {} was delivered as {}, but was {}", name, key, told, held)
    for record in delivered:
        _require(len(record.row.values) > 0, "an incomplete image was delivered: {}", record)
        _require(not record.is_stale, "a row was read with another structure than the log has: {}", record)


def _check_multiset(
    database: Database, start: Position, name: str, found: Counter[Any], expected: Counter[Any]
) -> None:
    """Rows of a table without a key; of one that was emptied since, some may lack."""
    if is_claimed(database, start, name):
        is_right = found <= expected if name in _not_claimed(database, start)[0] else found == expected
        _require(is_right, "{}: {} was delivered, but it was {}", name, found, expected)


def is_claimed(database: Database, start: Position, name: str) -> bool:
    """Whether a table without a key has to be right: no image was incomplete, and its structure stayed."""
    entries = [database.log[number] for number in start.entries(len(database.log))]
    of_it = [change for entry in entries for change in entry.changes if change.table == name]
    altered = any(entry.kind == "alter" and entry.table == name for entry in entries)
    return not altered and all(change.image == WHOLE for change in of_it)


def _values(rows: Iterable[Row]) -> Counter[Any]:
    return Counter(row.values for row in rows)


def _check_followed(database: Database, start: Position, name: str, rows: Iterable[Row]) -> None:
    """What was delivered of a table without a key, and then the log, makes the table, and each change fits."""
    held = _values(rows)
    for number in start.entries(len(database.log)):
        entry = database.log[number]
        if entry.kind in ("truncate", "drop") and entry.table == name:
            held.clear()
        for table, before, after, _ in entry.changes:
            if table == name and before is not None:
                _require(held[before.values] > 0, "{}: {} is changed, and was never told", name, before)
                held[before.values] -= 1
            if table == name and after is not None:
                held[after.values] += 1
    latest = _values(database.tables[name].latest.values())
    _require(+held == latest, "{}: followed {}, but it has {}", name, held, latest)


def _not_claimed(database: Database, start: Position) -> tuple[set[str], set[tuple[str, int]]]:
    entries = [database.log[number] for number in start.entries(len(database.log))]
    emptied = {entry.table for entry in entries if entry.kind in ("truncate", "drop")}
    changes = [change for entry in entries for change in entry.changes if change.image != WHOLE]
    rows = [(change.table, row) for change in changes for row in (change.before, change.after) if row is not None]
    return emptied, {(table, row.key) for table, row in rows}


def check_fold(database: Database, start: Position, delivered: Iterable[tuple[str, Row]]) -> None:
    """What was delivered, and then the log from the start on, makes the tables."""
    folded: dict[str, dict[int, Row]] = {name: {} for name in database.tables}
    told: dict[str, list[Row]] = {name: [] for name in database.tables}
    for table, row in delivered:
        folded[table][row.key] = row
        told[table].append(row)
    fold(database, folded, start.entries(len(database.log)))
    compare(database, folded)
    for name, followed in database.tables.items():
        if followed.is_keyless and is_claimed(database, start, name):
            _check_followed(database, start, name, told[name])


def fold(database: Database, folded: dict[str, dict[int, Row]], numbers: Iterable[int]) -> None:
    """Apply entries of the log, as a consumer does."""
    for entry in (database.log[number] for number in numbers):
        if entry.kind in ("truncate", "drop"):
            folded[entry.table].clear()
        for table, before, after, _ in entry.changes:
            if before is not None:
                folded[table].pop(before.key, None)
            if after is not None:
                folded[table][after.key] = after


def compare(database: Database, folded: Tables) -> None:
    """Compare with the tables as they are; what a table has more of columns is 0 in older rows."""
    for table in database.tables.values():
        if table.is_keyless:
            continue
        found = {key: _padded(row, table) for key, row in folded[table.name].items()}
        _require(
            found == by_key(table.latest.values()), "{}: folded {}, but it has {}", table.name, found, table.latest
        )


def _padded(row: Row, table: Table) -> Row:
    return Row(row.key, row.values + (0,) * (table.width - len(row.values)))


def check_lane(database: Database, start: Position, lane: Lane) -> None:
    """The lane's state, counts and marks."""
    state = lane.state
    _require(state.done, "the lane ended, its state does not say so: {}", state)
    for name, table in state.tables.items():
        records = [record for record in lane.delivered if record.table == name]
        _require(table.rows == len(records), "{}: {} delivered, {} counted", name, len(records), table.rows)
    _require(rows_of(state) == len(lane.delivered), "{} delivered, {} counted", len(lane.delivered), rows_of(state))
    emptied, blurred = _not_claimed(database, start)
    if not (lane.died and (emptied or blurred)):  # what was held may be lost then
        _check_last(lane)
    _check_first(lane)


def _check_last(lane: Lane) -> None:
    ends = {}
    for record in lane.delivered:
        ends[record.table] = record
    if not lane.delivered:
        return
    end = lane.delivered[-1]
    expected = {record for name, record in ends.items() if lane.plan.tables[name].has_last}
    found = {record for record in lane.delivered if record.mark in (Mark.LAST, Mark.LAST_IN_DATA_COLLECTION)}
    firsts = {record for record in expected if record.mark is Mark.FIRST}  # wins over the last of a table
    if lane.plan.closes:
        _require(end.mark is Mark.LAST, "the last record is marked {}", end)
        expected.add(end)
    _require(found == expected - firsts, "marked as last are {}, but last are {}", found, expected)
    others = [record for record in lane.delivered if record.mark is Mark.LAST and record is not end]
    _require(not others, "marked as the very last: {}", others)


def _check_first(lane: Lane) -> None:
    firsts = [record for record in lane.delivered if record.mark is Mark.FIRST]
    opening = next(iter(lane.plan.tables), None) if lane.plan.opens else None
    _require(len(firsts) == _has_other_than_last(lane, opening), "marked as first: {}", firsts)
    rows = [record for record in lane.delivered if not record.is_image]
    if firsts and rows and not firsts[0].is_image:
        _require(firsts[0] is rows[0], "the first row is {}, marked is {}", rows[0], firsts[0])
    for name, table in lane.plan.tables.items():
        records = [record for record in lane.delivered if record.table == name]
        begun = [record for record in records if record.mark is Mark.FIRST_IN_DATA_COLLECTION]
        _require(len(begun) <= table.has_first, "{}: marked as the table's first: {}", name, begun)


def _has_other_than_last(lane: Lane, opening: str | None) -> bool:
    """Whether the lane delivered a row of the first table that could be marked: no image delivered early, not the last."""
    return any(
        record.table == opening
        and record.mark is not Mark.LAST
        and (not record.is_image or record.mark is not Mark.TRUE)
        for record in lane.delivered
    )


def _require(holds: bool, message: str, *values: object) -> None:
    if not holds:
        raise ViolationError(message.format(*values))
