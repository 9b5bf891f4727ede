"""A database with a log: what is logged, what can be seen, and when.

A transaction is written to the log first and can be seen later, and transactions may become visible in another order
than they were logged; but until one is visible, nothing else touches its rows. Structure changes wait for the table's
transactions, and are visible at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple, TypeVar

from .keys import KINDS, Kind

_T = TypeVar("_T")


class Row(NamedTuple):
    """A row: the number of its key, and its other columns."""

    key: int
    values: tuple[int, ...]


WHOLE, PARTIAL, UNKNOWN = range(3)  # the image before: complete; of the key only; not even of the key


class Change(NamedTuple):
    """A row change as the log has it."""

    table: str
    before: Row | None
    after: Row | None
    image: int = WHOLE


@dataclass(slots=True)
class Entry:
    """One entry of the log: a transaction's `rows`, a change of one table (alter, truncate, drop, create), or a signal."""

    kind: str
    changes: list[Change] = field(default_factory=list)
    table: str = ""


@dataclass(slots=True)
class Table:
    """A table: rows by rank, as reads see them and with all that is logged; `width` columns besides the key.

    Of one without a key (`is_keyless`) nobody sees the key of a row, and many rows have the same values. `altered` are the places in the log at which the structure changed, `existed` whether it was there from each on.
    """

    name: str
    kind: Kind
    width: int = 1
    is_keyless: bool = False
    is_there: bool = True
    visible: dict[int, Row] = field(default_factory=dict)
    latest: dict[int, Row] = field(default_factory=dict)
    altered: list[int] = field(default_factory=list)
    existed: list[bool] = field(default_factory=list)

    def structure(self, n: int) -> tuple[int, bool]:
        """Which structure it had at a place in the log, and whether it was there."""
        number = bisect_left(self.altered, n)
        return number, self.existed[number - 1] if number else True


@dataclass(slots=True)
class Habits:
    """What a schedule's writers do: the likelihood of each thing."""

    liveliness: float
    lag: float
    structures: float = 0.0
    truncates: float = 0.0
    incomplete: float = 0.0


class Database:
    """The model; `disturb` lets its writers go on while someone else does something."""

    def __init__(self, random: Random, habits: Habits, budget: int) -> None:
        self.random = random
        self.habits = habits
        self.budget = budget
        self.log: list[Entry] = []
        self.pending: list[int] = []
        self.being_read: set[str] = set()
        self.tables = {f"t{n}": Table(f"t{n}", any_of(random, KINDS)) for n in range(1 + any_below(random, 3))}
        self._locked: set[tuple[str, int]] = set()
        self._clock = 0

    def disturb(self) -> None:
        """Some writes, or none."""
        chance = self.random.random
        while self.budget > 0 and chance() < self.habits.liveliness:
            self.write()

    def write(self) -> None:
        """One step of the writers."""
        self.budget -= 1
        chance = self.random.random()
        if self.pending and chance < 0.4:
            self.show(any_of(self.random, self.pending))
        elif chance > 1 - self.habits.structures:
            self._change_structure()
        else:
            self._transaction()

    def show(self, number: int) -> None:
        """Let reads see a transaction."""
        self.pending.remove(number)
        for name, before, after, _ in self.log[number].changes:
            table = self.tables[name]
            _apply(table, table.visible, before, after)
            self._locked.difference_update(_held(table, before, after))

    def wait_for(self, head: int) -> None:
        """Until everything before a place in the log is visible; the writers go on meanwhile."""
        while any(number < head for number in self.pending):
            self.disturb()
            if self.pending:
                self.show(any_of(self.random, self.pending))

    def visible_upto(self) -> int:
        """The place in the log before which everything is visible."""
        return min(self.pending, default=len(self.log))

    def seen(self) -> int:
        """The place in the log behind everything that is visible."""
        hidden = set(self.pending)
        return max((number for number in range(len(self.log)) if number not in hidden), default=-1) + 1

    def _transaction(self) -> None:
        changes: list[Change] = []
        tables = [table for table in self.tables.values() if table.is_there]
        chance = self.random.random
        while tables and len(changes) < 4 and (not changes or chance() < 0.5):
            table = any_of(self.random, tables)
            change = self._change(table)
            if change is not None:
                _apply(table, table.latest, change.before, change.after)
                changes.append(change)
            elif not changes:
                return
        if changes:
            self._commit(changes)

    def _commit(self, changes: list[Change]) -> None:
        number = len(self.log)
        self.log.append(Entry("rows", changes))
        self.pending.append(number)
        if self.random.random() >= self.habits.lag:
            self.show(number)
            return
        for name, before, after, _ in changes:
            self._locked.update(_held(self.tables[name], before, after))

    def _change(self, table: Table) -> Change | None:
        """A change of a row that nothing else holds; None where the one that was thought of is held."""
        chance = self.random.random
        rank = int(chance() * len(table.kind.of_rank))
        if (table.name, rank) in self._locked:
            return None
        before = table.latest.get(rank)
        if before is None:
            return Change(table.name, None, self._row(table, rank))
        what = chance()
        image = self._image()
        if what < 0.3:
            return Change(table.name, before, None, image)
        if what < 0.65:
            return Change(table.name, before, Row(before.key, self._values(table)), image)
        target = int(chance() * len(table.kind.of_rank))
        if target != rank and (target in table.latest or (table.name, target) in self._locked):
            return None
        return Change(table.name, before, self._row(table, target), image)

    def _image(self) -> int:
        if self.random.random() >= self.habits.incomplete:
            return WHOLE
        return PARTIAL if self.random.random() < 0.7 else UNKNOWN

    def _row(self, table: Table, rank: int) -> Row:
        return Row(any_of(self.random, table.kind.of_rank[rank]), self._values(table))

    def _values(self, table: Table) -> tuple[int, ...]:
        if table.is_keyless:
            return (any_below(self.random, 3),) * table.width
        self._clock += 1
        return (self._clock,) * table.width

    def _change_structure(self) -> None:
        table = any_of(self.random, [*self.tables.values()])
        if table.name in self.being_read:
            return
        for number in [n for n in self.pending if any(change.table == table.name for change in self.log[n].changes)]:
            self.show(number)
        if not table.is_there:
            self._log_structure("create", table, is_there=True)
        elif self.random.random() >= self.habits.truncates:
            self._alter(table)
        else:
            self._empty(table)

    def _alter(self, table: Table) -> None:
        table.width += 1
        for rows in (table.visible, table.latest):
            for rank, row in rows.items():
                rows[rank] = Row(row.key, (*row.values, 0))
        self._log_structure("alter", table, is_there=True)

    def _empty(self, table: Table) -> None:
        table.visible.clear()
        table.latest.clear()
        if self.random.random() < 0.5:
            self.log.append(Entry("truncate", table=table.name))
        else:
            self._log_structure("drop", table, is_there=False)

    def _log_structure(self, kind: str, table: Table, *, is_there: bool) -> None:
        table.is_there = is_there
        table.altered.append(len(self.log))
        table.existed.append(is_there)
        self.log.append(Entry(kind, table=table.name))


def any_of(random: Random, items: Sequence[_T]) -> _T:
    """One of some items; `random.choice` takes five times as long."""
    return items[int(random.random() * len(items))]


def any_below(random: Random, n: int) -> int:
    """A number from 0 to before `n`."""
    return int(random.random() * n)


def _apply(table: Table, rows: dict[int, Row], before: Row | None, after: Row | None) -> None:
    ranks = table.kind.ranks
    if before is not None:
        del rows[ranks[before.key]]
    if after is not None:
        rows[ranks[after.key]] = after


def _held(table: Table, before: Row | None, after: Row | None) -> list[tuple[str, int]]:
    """The rows that a change locks."""
    return [(table.name, table.kind.ranks[row.key]) for row in (before, after) if row is not None]
