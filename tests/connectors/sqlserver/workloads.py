"""Random work on tables of random types, and the events that a connector must deliver for it.

A `Workload` changes a database and records what was committed. `Reader`s follow it, each with its own configuration,
and stop after any batch. All choices follow from one seed.
"""

from __future__ import annotations

import copy
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

from tests.connectors.sqlserver.test_random_values import KINDS, of

from support.sqlserver_reading import Read, batches, begin, read_on
from tailrace.connectors.base import Lane
from tailrace_standins.servers.sqlserver_server import Database

Row = dict[str, Any]
Event = tuple[int, str, Row | None, Row | None]
"""Key, operation, row before, row after."""
WHOLE_IN_IMAGES = sorted(set(KINDS) - {"nmax"})  # a max type's image before is not always told
MOST_COLUMNS, MOST_STATEMENTS = 5, 5
ROLLED_BACK = 0.15


@dataclass
class TableModel:
    """A table as it is committed.

    Attributes:
        kinds: the kind of each column but the key, in their order.
        captured: the columns that its newest instance has.
        rows: by key.
        instances: those that are there, the oldest first.

    """

    name: str
    kinds: dict[str, str]
    captured: tuple[str, ...]
    rows: dict[int, Row] = field(default_factory=dict)
    instances: list[str] = field(default_factory=list)

    def shown(self, key: int, row: Row) -> Row:
        """A row as events show it."""
        return {"id": key} | {name: of(self.kinds[name], "by_default", row[name]) for name in self.captured}

    def event(self, key: int, op: str, before: Row | None, after: Row | None) -> Event:
        """A change as its event shows it."""
        shown = [None if row is None else self.shown(key, row) for row in (before, after)]
        return key, op, shown[0], shown[1]


class Workload:
    """Changes a database at random, and knows what its log has to say."""

    def __init__(self, database: Database, pools: Mapping[str, Sequence[Any]], seed: int) -> None:
        self.chance = random.Random(seed)
        self.database = database
        self.transactions: list[dict[str, list[Event]]] = []
        self._pools = pools
        self._numbers = iter(range(1, 1_000_000))
        self.tables = {name: self._new_table(name) for name in ("alpha", "beta", "gamma")}

    def work(self) -> None:
        """One transaction over some tables, which may be rolled back."""
        before = copy.deepcopy({name: table.rows for name, table in self.tables.items()})
        told: defaultdict[str, list[Event]] = defaultdict(list)
        statements = [self._statement(told) for _ in range(self.chance.randint(1, MOST_STATEMENTS))]
        is_kept = self.chance.random() > ROLLED_BACK
        self.database.sql(f"BEGIN TRAN; {'; '.join(statements)}; {'COMMIT' if is_kept else 'ROLLBACK'}")
        if not is_kept:
            for name, rows in before.items():
                self.tables[name].rows = rows
        elif any(told.values()):
            self.transactions.append({name: events for name, events in told.items() if events})

    def alter(self) -> None:
        """A table gets a column, which is not captured for a while; then a second instance has it."""
        table = self.tables[self.chance.choice([name for name, each in self.tables.items() if len(each.instances) == 1])]
        column, kind = f"added{next(self._numbers)}", self.chance.choice(WHOLE_IN_IMAGES)
        self.database.sql(f"ALTER TABLE dbo.{table.name} ADD {column} {KINDS[kind].type} NULL")
        table.kinds[column] = kind
        for row in table.rows.values():
            row[column] = None
        for _ in range(self.chance.randint(0, 2)):
            self.work()
        instance = f"{table.name}_{next(self._numbers)}"
        self.database.capture(table.name, instance)
        table.instances.append(instance)
        table.captured = tuple(table.kinds)

    def clean_up(self) -> None:
        """What all readers have read goes."""
        low = self.database.max_lsn()
        for table in self.tables.values():
            self.database.clean_up(table.instances[-1], low)

    def drop_old_instances(self) -> None:
        """Instances that a newer one has followed go; all readers have read them by now."""
        for table in self.tables.values():
            for old in table.instances[:-1]:
                self.database.uncapture(table.name, old)
            del table.instances[:-1]

    @property
    def can_alter(self) -> bool:
        """Whether there is a table with one instance."""
        return any(len(table.instances) == 1 for table in self.tables.values())

    def _new_table(self, name: str) -> TableModel:
        kinds = {f"c{i}": self.chance.choice(WHOLE_IN_IMAGES) for i in range(self.chance.randint(1, MOST_COLUMNS))}
        columns = ", ".join(f"{column} {KINDS[kind].type} NULL" for column, kind in kinds.items())
        self.database.sql(f"CREATE TABLE dbo.{name} (id int NOT NULL PRIMARY KEY, {columns})")
        self.database.capture(name, name)
        return TableModel(name, kinds, tuple(kinds), instances=[name])

    def _statement(self, told: dict[str, list[Event]]) -> str:
        table = self.tables[self.chance.choice(sorted(self.tables))]
        kinds = [self._insert] if not table.rows else [self._insert, self._update, self._update_many, self._move, self._delete]
        return self.chance.choice(kinds)(table, told[table.name])

    def _insert(self, table: TableModel, told: list[Event]) -> str:
        key = next(self._numbers)
        row = {name: self._value(kind) for name, kind in table.kinds.items()}
        table.rows[key] = row
        told.append(table.event(key, "c", None, row))
        values = ", ".join(_literal(table.kinds[name], value) for name, value in row.items())
        return f"INSERT dbo.{table.name} (id, {', '.join(row)}) VALUES ({key}, {values})"

    def _update(self, table: TableModel, told: list[Event]) -> str:
        key = self.chance.choice(sorted(table.rows))
        return f"{self._set(table, [key], told)} WHERE id = {key}"

    def _update_many(self, table: TableModel, told: list[Event]) -> str:
        bound = self.chance.choice(sorted(table.rows))
        return f"{self._set(table, [key for key in sorted(table.rows) if key <= bound], told)} WHERE id <= {bound}"

    def _set(self, table: TableModel, keys: Sequence[int], told: list[Event]) -> str:
        names = self.chance.sample(sorted(table.kinds), self.chance.randint(1, len(table.kinds)))
        new = {name: self._value(table.kinds[name]) for name in names}
        for key in keys:
            old = table.rows[key]
            table.rows[key] = old | new
            event = table.event(key, "u", old, table.rows[key])
            if event[2] != event[3]:  # an update that changes nothing that is captured leaves no trace
                told.append(event)
        values = ", ".join(f"{name} = {_literal(table.kinds[name], value)}" for name, value in new.items())
        return f"UPDATE dbo.{table.name} SET {values}"

    def _move(self, table: TableModel, told: list[Event]) -> str:
        key, other = self.chance.choice(sorted(table.rows)), next(self._numbers)
        row = table.rows[other] = table.rows.pop(key)
        told += [table.event(key, "d", row, None), table.event(other, "c", None, row)]
        return f"UPDATE dbo.{table.name} SET id = {other} WHERE id = {key}"

    def _delete(self, table: TableModel, told: list[Event]) -> str:
        key = self.chance.choice(sorted(table.rows))
        told.append(table.event(key, "d", table.rows.pop(key), None))
        return f"DELETE dbo.{table.name} WHERE id = {key}"

    def _value(self, kind: str) -> Any:
        return None if self.chance.random() < 0.1 else self.chance.choice(self._pools[kind])


class Reader:
    """A connector with so many lanes, which breaks off and goes on."""

    def __init__(self, settings: Any, lanes: int) -> None:
        self.settings = settings
        start = begin(settings)
        self.lanes = [Lane(i, lanes) for i in range(lanes)]
        self.reads = [start.fresh() for _ in range(lanes)]

    def read_some(self, chance: random.Random) -> None:
        """Each lane takes a few batches, and dies with one that it has and did not commit."""
        for lane, read in zip(self.lanes, self.reads, strict=True):
            coming = batches(self.settings, read, lane)
            for batch in islice(coming, chance.randint(0, 4)):
                read.take(batch)
            next(coming, None)
            coming.close()

    def read_all(self) -> None:
        """All lanes read to the head of now."""
        for lane, read in zip(self.lanes, self.reads, strict=True):
            read_on(self.settings, read, lane)

    def told(self, table: str) -> list[list[Event]]:
        """What was told of a table, transaction by transaction in the order in which it came."""
        events = [each for read in self.reads for each in read.of(f".dbo.{table}") if each["value"] is not None]
        grouped = groupby(events, key=lambda each: each["value"]["source"]["commit_lsn"])
        return [[_event(each) for each in group] for _, group in grouped]

    def positions(self, table: str) -> list[str]:
        """The positions of a table's records."""
        return [each["position"] for read in self.reads for each in read.of(f".dbo.{table}")]

    def ends(self) -> list[tuple[int, Counter[str]]]:
        """The counts that the ends of transactions tell: of all events, and of each table's."""
        found = [each["value"] for read in self.reads for each in read.of(".transaction") if each["value"]["status"] == "END"]
        return [(end["event_count"], _by_table(end["data_collections"])) for end in found]


def by_key(events: Sequence[Event]) -> dict[int, list[Event]]:
    """The events of each key in their order: that of different keys within a statement is nobody's promise."""
    found: defaultdict[int, list[Event]] = defaultdict(list)
    for event in events:
        found[event[0]].append(event)
    return found


def _event(record: Mapping[str, Any]) -> Event:
    value = record["value"]
    return record["key"]["id"], value["op"], value["before"], value["after"]


def _by_table(collections: Sequence[Mapping[str, Any]]) -> Counter[str]:
    return Counter({each["data_collection"].rpartition(".")[2]: each["event_count"] for each in collections})


def _literal(kind: str, value: Any) -> str:
    return "NULL" if value is None else KINDS[kind].literal(value)


__all__ = ["Read", "Reader", "Workload", "by_key"]
