"""A database with a log: what is logged, what can be seen, and when.

A transaction is written to the log first and can be seen later, and transactions may become visible in another order
than they were logged; but until one is visible, nothing else touches its rows. Structure changes wait for the table's
transactions, and are visible at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from .keys import KINDS, Kind


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
    """One entry of the log: a transaction's `rows`, or a change of one table: alter, truncate, drop, create."""

    kind: str
    changes: list[Change] = field(default_factory=list)
    table: str = ""


@dataclass(slots=True)
class Table:
    """A table: rows by rank, as reads see them and with all that is logged; `width` columns besides the key."""

    name: str
    kind: Kind
    width: int = 1
    is_there: bool = True
    visible: dict[int, Row] = field(default_factory=dict)
    latest: dict[int, Row] = field(default_factory=dict)


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
        self.tables = {f"t{n}": Table(f"t{n}", random.choice(KINDS)) for n in range(random.randrange(1, 4))}
        self._locked: dict[int, set[tuple[str, int]]] = {}
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
            self.show(self.random.choice(self.pending))
        elif chance > 1 - self.habits.structures:
            self._change_structure()
        else:
            self._transaction()

    def show(self, number: int) -> None:
        """Let reads see a transaction."""
        self.pending.remove(number)
        self._locked.pop(number, None)
        for table, before, after, _ in self.log[number].changes:
            self._apply(self.tables[table], self.tables[table].visible, before, after)

    def wait_for(self, head: int) -> None:
        """Until everything before a place in the log is visible; the writers go on meanwhile."""
        while any(number < head for number in self.pending):
            self.disturb()
            if self.pending:
                self.show(self.random.choice(self.pending))

    def _transaction(self) -> None:
        changes: list[Change] = []
        tables = [table for table in self.tables.values() if table.is_there]
        while tables and len(changes) < 4 and (not changes or self.random.random() < 0.5):
            change = self._change(self.random.choice(tables))
            if change is not None:
                self._apply(self.tables[change.table], self.tables[change.table].latest, change.before, change.after)
                changes.append(change)
            elif not changes:
                return
        if changes:
            self._commit(changes)

    def _commit(self, changes: list[Change]) -> None:
        number = len(self.log)
        self.log.append(Entry("rows", changes))
        self.pending.append(number)
        self._locked[number] = {
            (change.table, self.tables[change.table].kind.ranks[row.key])
            for change in changes
            for row in (change.before, change.after)
            if row is not None
        }
        if self.random.random() >= self.habits.lag:
            self.show(number)

    def _change(self, table: Table) -> Change | None:
        """A change of a row that nothing else holds; None where the one that was thought of is held."""
        rank = int(self.random.random() * len(table.kind.of_rank))
        if self._is_locked(table.name, rank):
            return None
        before = table.latest.get(rank)
        if before is None:
            return Change(table.name, None, self._row(table, rank))
        what = self.random.random()
        image = self._image()
        if what < 0.3:
            return Change(table.name, before, None, image)
        if what < 0.65:
            return Change(table.name, before, Row(before.key, self._values(table)), image)
        target = int(self.random.random() * len(table.kind.of_rank))
        if target != rank and (target in table.latest or self._is_locked(table.name, target)):
            return None
        return Change(table.name, before, self._row(table, target), image)

    def _image(self) -> int:
        if self.random.random() >= self.habits.incomplete:
            return WHOLE
        return PARTIAL if self.random.random() < 0.7 else UNKNOWN

    def _row(self, table: Table, rank: int) -> Row:
        return Row(self.random.choice(table.kind.of_rank[rank]), self._values(table))

    def _values(self, table: Table) -> tuple[int, ...]:
        self._clock += 1
        return (self._clock,) * table.width

    def _is_locked(self, table: str, rank: int) -> bool:
        return any((table, rank) in locked for locked in self._locked.values())

    def _change_structure(self) -> None:
        table = self.random.choice([*self.tables.values()])
        if table.name in self.being_read:
            return
        for number in [n for n in self.pending if any(change.table == table.name for change in self.log[n].changes)]:
            self.show(number)
        if not table.is_there:
            table.is_there = True
            self.log.append(Entry("create", table=table.name))
        elif self.random.random() >= self.habits.truncates:
            self._alter(table)
        else:
            self._empty(table)

    def _alter(self, table: Table) -> None:
        table.width += 1
        for rows in (table.visible, table.latest):
            for rank, row in rows.items():
                rows[rank] = Row(row.key, (*row.values, 0))
        self.log.append(Entry("alter", table=table.name))

    def _empty(self, table: Table) -> None:
        table.visible.clear()
        table.latest.clear()
        table.is_there = self.random.random() < 0.5
        self.log.append(Entry("truncate" if table.is_there else "drop", table=table.name))

    @staticmethod
    def _apply(table: Table, rows: dict[int, Row], before: Row | None, after: Row | None) -> None:
        if before is not None:
            del rows[table.kind.ranks[before.key]]
        if after is not None:
            rows[table.kind.ranks[after.key]] = after
