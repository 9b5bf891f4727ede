"""Schedules as SQL Server has them: changes are captured some time after they are committed, row by row of each statement.

- P is what was captured by then, and may lie before what reads see already. Up to which place the log has to be read after a
  chunk shows when capture has passed the read: everything that the read saw lies before it.
- A change of a key is a delete and an insert. A statement that hands keys on from row to row is captured row by row, so that a
  key is given before it is taken away; all have one command. The connector's own code (`touched_rows.in_order`) orders them.
- Some images before lack a column, never the key.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT
from tailrace.connectors.change_tables.snapshots.touched_rows import in_order
from tailrace.snapshot.source import Section

from .checks import by_key, check_fold, check_lane, check_rows, fold, replayed_by
from .database import PARTIAL, WHOLE, Change, Database, Habits, Row, Table, any_below, any_of
from .lanes import Lane
from .reading import STRUCTURAL, Position, Source, touches_of
from .schedule import delivered_by, lanes_of


class CapturedDatabase(Database):
    """`commands` has, by the entry's place in the log, its changes in the order of the change tables, each with its command."""

    def __init__(self, random: Random, habits: Habits) -> None:
        super().__init__(random, habits, budget=0)
        self.commands: dict[int, list[tuple[int, Change]]] = {}

    def _commit(self, changes: list[Change]) -> None:
        """Changes of keys become two, and some transactions hand keys on."""
        told: list[tuple[int, Change]] = []
        applied: list[Change] = []
        for command, change in enumerate(changes, 1):
            parts = self._parts(change)
            told += [(command, part) for part in parts]
            applied += parts
        handed = self._handed_on(self.tables[changes[0].table], changes) if self.random.random() < 0.3 else []
        if handed:
            command = len(changes) + 1
            told += [(command, part) for pair in handed for part in pair]  # each row's delete and insert side by side
            applied += [delete for delete, _ in handed] + [insert for _, insert in handed]
        self.commands[len(self.log)] = told
        super()._commit(applied)

    def _parts(self, change: Change) -> list[Change]:
        table, before, after, image = change
        if before is None or after is None or before.key == after.key:
            return [change]
        return [Change(table, before, None, image), Change(table, None, after)]

    def _handed_on(self, table: Table, before: list[Change]) -> list[tuple[Change, Change]]:
        """Rows that each get the next one's key in one statement, the last one a new key; none where something is locked."""
        ranks = table.kind.ranks
        touched = {
            ranks[row.key] for change in before if change.table == table.name for row in change[1:3] if row is not None
        }
        held = {rank for name, rank in self._locked if name == table.name} | touched
        there = [rank for rank in sorted(table.latest) if rank not in held]
        free = [rank for rank in range(len(table.kind.of_rank)) if rank not in table.latest and rank not in held]
        if len(there) < 2 or not free:
            return []
        chain = [*there[: 2 + any_below(self.random, 2)], any_of(self.random, free)]
        rows = [table.latest[rank] for rank in chain[:-1]]
        keys = [*(row.key for row in rows[1:]), any_of(self.random, table.kind.of_rank[chain[-1]])]
        moves = [
            (Change(table.name, row, None, self._image()), Change(table.name, None, Row(key, self._values(table))))
            for row, key in zip(rows, keys, strict=True)
        ]
        for delete, _ in moves:
            del table.latest[ranks[delete.before.key]]
        for _, insert in moves:
            table.latest[ranks[insert.after.key]] = insert.after
        return moves

    def _image(self) -> int:
        return PARTIAL if self.random.random() < self.habits.incomplete else WHOLE

    def passed(self, behind: int | None = None) -> int:
        """A place up to which changes are captured, behind another place, or everything that can be seen."""
        behind = self.seen() if behind is None else behind
        return behind + any_below(self.random, len(self.log) - behind + 1)


@dataclass(slots=True)
class Captured:
    """Rows of a change table, as far as their order matters."""

    commit: Any
    command: Any
    operation: Any


class CapturedSource(Source):
    """Reads change tables up to a place that capture has passed."""

    _database: CapturedDatabase

    def _numbers(self, upto: dict[str, Any] | None) -> list[int]:
        if upto is not None:
            return super()._numbers(upto)
        return self._at.entries(max(self._database.passed(self._behind), self._at.n))

    def _section(self, numbers: list[int]) -> Section:
        database = self._database
        self._at = self._at.after(numbers[-1])
        rows: dict[str, list[tuple[int, int, Change]]] = {}
        altered = [database.log[number].table for number in numbers if database.log[number].kind in STRUCTURAL]
        for number in numbers:
            for command, change in database.commands.get(number, ()):
                rows.setdefault(change.table, []).append((number, command, change))
        touches = [touches_of(database.tables[name], ordered(some)) for name, some in rows.items()]
        return Section(touches, self._at.to_dict(), frozenset(altered))


def ordered(rows: list[tuple[int, int, Change]]) -> list[Change]:
    """Changes in the order that counts."""
    commit, command, operation, changes = [], [], [], []
    for number, of_command, change in rows:
        both = change.before is not None and change.after is not None
        kinds = (BEFORE, AFTER) if both else (DELETE,) if change.before is not None else (INSERT,)
        for kind in kinds:
            commit.append(number.to_bytes(10, "big"))
            command.append(of_command)
            operation.append(kind)
            changes.append(change)
    raw = np.frombuffer(b"".join(commit), np.uint8).reshape(-1, 10)
    return [changes[i] for i in in_order(Captured(raw, np.array(command), np.array(operation)))]


class CapturedLane(Lane):
    """A lane over such a source."""

    def source(self, death: float) -> Source:
        return CapturedSource(self._database, self._start, self._pace.limit, death)


def run_captured(seed: int) -> None:
    """Run one schedule; a `ViolationError` names its seed."""
    with replayed_by(f"seed {seed}"):
        _run(Random(seed))


def _run(random: Random) -> None:
    database = made_captured(random)
    start = Position(database.visible_upto() - any_below(random, 3) * (random.random() < 0.5))
    start = Position(max(start.n, 0))
    folded: dict[str, dict[int, Row]] = {name: {} for name in database.tables}
    fold(database, folded, range(start.n))
    lanes = [CapturedLane(database, start, lane.plan, lane._pace) for lane in lanes_of(database, start)]
    delivered = delivered_by(lanes, database)
    check_rows(database, start, {name: by_key(rows.values()) for name, rows in folded.items()}, delivered)
    check_fold(database, start, [(record.table, record.row) for record in delivered])
    for lane in lanes:
        check_lane(database, start, lane)


def made_captured(random: Random) -> CapturedDatabase:
    """A database with some changes, and habits."""
    chance = random.random
    habits = Habits(liveliness=any_of(random, (0.1, 0.3, 0.6)), lag=any_of(random, (0.0, 0.3, 0.9)))
    database = CapturedDatabase(random, habits)
    for _ in range(2 + any_below(random, 23)):
        database.write()
    habits.structures = 0.1 if chance() < 0.2 else 0.0
    habits.incomplete = 0.3 if chance() < 0.3 else 0.0
    database.budget = any_below(random, 40)
    return database
