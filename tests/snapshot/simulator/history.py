"""A consumer of one stream with incremental snapshots in it, and what must hold of it after every delivery.

It begins with nothing of a table when a snapshot of it is asked for, and applies what comes. Beside what it holds, it is
known what the table holds at the place up to which the stream has told the log:

- What it holds is what the table holds there: nothing older, nothing that was deleted.
- In the ranges of keys of which the chunks were taken, it holds all that the table does.
- A row that is read is the table's row at the place where it is delivered, and each key comes once in a snapshot.

Three things make this hold only from H of a chunk on, up to where the log was read for it: images before that lack
something, for their keys; a table that was emptied, for what the read missed; and the rule of the window, for the keys
that the stream will tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .checks import ViolationError, by_key
from .database import PARTIAL, UNKNOWN, Change, Database, Entry, Row, Table

Ranks = tuple[int, int]  # ranks > the first and <= the second


class Told(NamedTuple):
    """A chunk's rows, delivered at the place `at`; the log was read up to `upto` for it."""

    table: str
    rows: Sequence[Row]
    ranks: Ranks
    at: int
    upto: int
    by_window: bool


@dataclass(slots=True)
class Followed:
    """One table: what it holds, what the consumer does, by the number of the key.

    Attributes:
        read: keys that the snapshot has delivered.
        covered: the ranges of its chunks, and the place from which on nothing of them may lack.
        ahead: keys with rows that may be newer, up to a place.
        unclear: the place from which on nothing may lack or be newer.

    """

    table: Table
    truth: dict[int, Row] = field(default_factory=dict)
    held: dict[int, Row] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)
    covered: list[tuple[Ranks, int]] = field(default_factory=list)
    ahead: dict[int, int] = field(default_factory=dict)
    unclear: int = 0


class Consumer:
    """Is given what was committed, in order; a `ViolationError` says what does not hold."""

    def __init__(self, database: Database) -> None:
        self.at = 0
        self._database = database
        self._tables = {name: Followed(table) for name, table in database.tables.items()}

    def begin(self, names: Sequence[str]) -> None:
        """A snapshot of some tables was asked for."""
        for name in names:
            one = self._tables[name]
            self._tables[name] = Followed(one.table, one.truth)

    def entries(self, upto: int) -> None:
        """The stream has told the log up to a place."""
        before, self.at = self.at, upto
        changed = set()
        for entry in self._database.log[before:upto]:
            changed |= self._apply(entry)
        for name, one in self._tables.items():
            if name in changed or one.unclear > before:
                self._check(one)

    def chunk(self, told: Told) -> None:
        """A chunk's rows."""
        _require(told.at == self.at, "rows of {} are delivered at {}", told.at, self.at)
        one = self._tables[told.table]
        rows = by_key(told.rows)
        again = one.read & rows.keys()
        _require(
            len(rows) == len(told.rows) and not again, "{}: keys were read twice: {} {}", told.table, told.rows, again
        )
        unclear, is_emptied = self._unclear(told)
        for key, row in rows.items():
            if key in unclear:
                self._check_newer(one, told, row)
                one.ahead[key] = told.upto
            else:
                _require(one.truth.get(key) == row, "{}: {} was read, but is {}", told.table, row, one.truth.get(key))
        one.read |= rows.keys()
        one.held.update(rows)
        is_whole = not (told.by_window or unclear or is_emptied)
        since = told.at if is_whole else told.upto
        one.covered.append((told.ranks, since))
        one.unclear = max(one.unclear, since)
        self._check(one)

    def end(self, complete: Sequence[str]) -> None:
        """The stream is at the log's head; the snapshots of some tables are complete."""
        for name in complete:
            one = self._tables[name]
            _require(
                one.held == by_key(one.table.latest.values()), "{}: {} is held of {}", name, one.held, one.table.latest
            )

    def _apply(self, entry: Entry) -> set[str]:
        """What an entry does to the tables and to the consumer; which tables those are."""
        for name, before, after, _ in entry.changes:
            one = self._tables[name]
            for rows in (one.truth, one.held):
                if before is not None:
                    rows.pop(before.key, None)
                if after is not None:
                    rows[after.key] = after
        if entry.kind in ("truncate", "drop"):
            self._tables[entry.table].truth.clear()
            self._tables[entry.table].held.clear()
        elif entry.kind == "alter":
            one = self._tables[entry.table]
            one.truth, one.held = _widened(one.truth), _widened(one.held)
        return {change.table for change in entry.changes} or {entry.table} & self._tables.keys()

    def _check(self, one: Followed) -> None:
        held, truth = one.held, one.truth
        if one.ahead:
            one.ahead = {key: upto for key, upto in one.ahead.items() if self.at < upto}
            held = {key: row for key, row in held.items() if key not in one.ahead}
        if not held.items() <= truth.items():
            raise ViolationError(f"{one.table.name} at {self.at}: {held} is held of {truth}")
        ranks = one.table.kind.ranks
        for (after, upto), since in one.covered:
            if since <= self.at:
                lacking = [key for key in truth if key not in one.held and after < ranks[key] <= upto]
                _require(not lacking, "{} at {}: {} lack of {}", one.table.name, self.at, lacking, truth)

    def _unclear(self, told: Told) -> tuple[set[int], bool]:
        """Keys in images that say too little, and whether the table was emptied, while the chunk was taken."""
        entries = self._database.log[told.at : told.upto]
        is_emptied = any(entry.kind == "truncate" and entry.table == told.table for entry in entries)
        images = (UNKNOWN,) if told.by_window else (PARTIAL, UNKNOWN)
        keys = {key for change in _changes(entries, told.table) if change.image in images for key in _keys(change)}
        return keys, is_emptied

    def _check_newer(self, one: Followed, told: Told, row: Row) -> None:
        """The row is that of its key at some moment while the chunk was taken."""
        moments = [one.truth.get(row.key)]
        moments += [
            change.after if change.after is not None and change.after.key == row.key else None
            for change in _changes(self._database.log[told.at : told.upto], told.table)
        ]
        _require(row in moments, "{}: {} was read, but never was since {}: {}", told.table, row, told.at, moments)


def _changes(entries: Sequence[Entry], table: str) -> list[Change]:
    return [change for entry in entries for change in entry.changes if change.table == table]


def _keys(change: Change) -> list[int]:
    return [row.key for row in (change.before, change.after) if row is not None]


def _widened(rows: dict[int, Row]) -> dict[int, Row]:
    return {key: Row(key, (*row.values, 0)) for key, row in rows.items()}


def _require(holds: bool, message: str, *values: object) -> None:
    if not holds:
        raise ViolationError(message.format(*values))
