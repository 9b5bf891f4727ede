"""Random work on tables of random types, and the events that a connector must deliver for it.

A `Workload` changes a database and records what was committed. `Reader`s follow it, each with its own configuration,
and stop after any batch. All choices follow from one seed.
"""

from __future__ import annotations

import copy
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

from support.change_table_reading import batches, begin, read_on
from tailrace.connectors.base import Lane
from tailrace_standins.servers.db2_server import Database

Row = dict[str, Any]
Event = tuple[int, str, Row | None, Row | None]
"""Key, operation, row before, row after."""


@dataclass(frozen=True)
class Kind:
    """A type, with values as SQL has them and as events do."""

    type: str
    values: Sequence[tuple[str, Any]]


KINDS: Mapping[str, Kind] = {
    "int": Kind("INTEGER", [(str(n), n) for n in (-2147483648, 0, 7)]),
    "big": Kind("BIGINT", [(str(n), n) for n in (-9223372036854775808, 9007199254740993)]),
    "text": Kind("VARCHAR(40)", [(f"'{t}'", t) for t in ("", "a", "naïve €", "日本", "😀 " * 4, "x" * 40)]),
    "fixed": Kind("CHAR(6)", [("'ab'", "ab    "), ("'žž'", "žž  ")]),
    "decimal": Kind("DECIMAL(12, 3)", [("-1.5", "-1.500"), ("123456789.001", "123456789.001"), ("0", "0.000")]),
    "double": Kind("DOUBLE", [("0.1E0", 0.1), ("-2E30", -2e30)]),
    "day": Kind("DATE", [("'2024-02-29'", 19782), ("'0001-01-01'", -719162)]),
    "moment": Kind("TIMESTAMP", [("'1969-12-31 23:59:59.789123'", -210877), ("'2024-02-29 12:34:56'", 1709210096000000)]),
    "bytes": Kind("VARBINARY(10)", [("X'00FF'", "AP8="), ("X''", "")]),
}
MOST_COLUMNS, MOST_STATEMENTS = 5, 5
ROLLED_BACK = 0.15


@dataclass
class TableModel:
    """A table as it is committed: the kind of each column but the key, in their order, and the rows by key."""

    name: str
    kinds: dict[str, str]
    rows: dict[int, Row] = field(default_factory=dict)

    def event(self, key: int, op: str, before: Row | None, after: Row | None) -> Event:
        """A change as its event shows it."""
        before, after = (None if row is None else {"ID": key} | {name: row[name] for name in self.kinds} for row in (before, after))
        return key, op, before, after


class Workload:
    """Changes a database at random, and knows what its log has to say."""

    def __init__(self, database: Database, seed: int) -> None:
        self.chance = random.Random(seed)
        self.database = database
        self.transactions: list[dict[str, list[Event]]] = []
        self._numbers = iter(range(1, 1_000_000))
        self.tables = {name: self._new_table(name) for name in ("ALPHA", "BETA", "GAMMA")}
        database.register(*(f"S.{name}" for name in self.tables))
        database.replication.step()

    def work(self) -> None:
        """One transaction over some tables, which may be rolled back."""
        before = copy.deepcopy({name: table.rows for name, table in self.tables.items()})
        told: defaultdict[str, list[Event]] = defaultdict(list)
        statements = [self._statement(told) for _ in range(self.chance.randint(1, MOST_STATEMENTS))]
        if self.chance.random() > ROLLED_BACK:
            self.database.sql(*statements)
            if any(told.values()):
                self.transactions.append({name: events for name, events in told.items() if events})
            return
        for name, rows in before.items():
            self.tables[name].rows = rows
        connection = self.database.connect()
        try:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
            connection.rollback()
        finally:
            connection.close()

    def add_column(self, *, anew: bool) -> None:
        """A table gets a column, and its change table too: by ALTER, or as it is registered anew; all is read by then."""
        table = self.tables[self.chance.choice(sorted(self.tables))]
        column, kind = f"ADDED{next(self._numbers)}", self.chance.choice(sorted(KINDS))
        added = f"ADD COLUMN {column} {KINDS[kind].type}"
        if anew:
            self.database.unregister(f"S.{table.name}")
            self.database.sql(f"ALTER TABLE S.{table.name} {added}")
            self.database.register(f"S.{table.name}")
        else:
            self.database.sql(f"ALTER TABLE S.{table.name} {added}", f'ALTER TABLE ASNCDC."CDC_S_{table.name}" {added}')
            self.database.replication.reinit()
        table.kinds[column] = kind
        for row in table.rows.values():
            row[column] = None

    def _new_table(self, name: str) -> TableModel:
        kinds = {f"C{i}": self.chance.choice(sorted(KINDS)) for i in range(self.chance.randint(1, MOST_COLUMNS))}
        columns = ", ".join(f"{column} {KINDS[kind].type}" for column, kind in kinds.items())
        self.database.sql(f"CREATE TABLE S.{name} (ID INTEGER NOT NULL PRIMARY KEY, {columns})")
        return TableModel(name, kinds)

    def _statement(self, told: dict[str, list[Event]]) -> str:
        table = self.tables[self.chance.choice(sorted(self.tables))]
        kinds: list[Callable[[TableModel, list[Event]], str]] = [self._insert]
        if table.rows:
            kinds += [self._update, self._update_many, self._move, self._delete]
        return self.chance.choice(kinds)(table, told[table.name])

    def _insert(self, table: TableModel, told: list[Event]) -> str:
        key = next(self._numbers)
        values = {name: self._value(kind) for name, kind in table.kinds.items()}
        row = table.rows[key] = {name: shown for name, (_, shown) in values.items()}
        told.append(table.event(key, "c", None, row))
        literals = ", ".join(sql for sql, _ in values.values())
        return f"INSERT INTO S.{table.name} (ID, {', '.join(values)}) VALUES ({key}, {literals})"

    def _update(self, table: TableModel, told: list[Event]) -> str:
        key = self.chance.choice(sorted(table.rows))
        return f"{self._set(table, [key], told)} WHERE ID = {key}"

    def _update_many(self, table: TableModel, told: list[Event]) -> str:
        bound = self.chance.choice(sorted(table.rows))
        return f"{self._set(table, [key for key in sorted(table.rows) if key <= bound], told)} WHERE ID <= {bound}"

    def _set(self, table: TableModel, keys: Sequence[int], told: list[Event]) -> str:
        names = self.chance.sample(sorted(table.kinds), self.chance.randint(1, len(table.kinds)))
        new = {name: self._value(table.kinds[name]) for name in names}
        for key in keys:
            old = table.rows[key]
            table.rows[key] = old | {name: shown for name, (_, shown) in new.items()}
            told.append(table.event(key, "u", old, table.rows[key]))
        values = ", ".join(f"{name} = {sql}" for name, (sql, _) in new.items())
        return f"UPDATE S.{table.name} SET {values}"

    def _move(self, table: TableModel, told: list[Event]) -> str:
        key, other = self.chance.choice(sorted(table.rows)), next(self._numbers)
        row = table.rows[other] = table.rows.pop(key)
        told += [table.event(key, "d", row, None), table.event(other, "c", None, row)]
        return f"UPDATE S.{table.name} SET ID = {other} WHERE ID = {key}"

    def _delete(self, table: TableModel, told: list[Event]) -> str:
        key = self.chance.choice(sorted(table.rows))
        told.append(table.event(key, "d", table.rows.pop(key), None))
        return f"DELETE FROM S.{table.name} WHERE ID = {key}"

    def _value(self, kind: str) -> tuple[str, Any]:
        return ("NULL", None) if self.chance.random() < 0.1 else self.chance.choice(KINDS[kind].values)


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
            coming.close()  # type: ignore[attr-defined]

    def read_all(self) -> None:
        """All lanes read to the head of now."""
        for lane, read in zip(self.lanes, self.reads, strict=True):
            read_on(self.settings, read, lane)

    def told(self, table: str) -> list[list[Event]]:
        """What was told of a table, transaction by transaction in the order in which it came."""
        events = [each for read in self.reads for each in read.of(f".S.{table}") if each["value"] is not None]
        grouped = groupby(events, key=lambda each: each["value"]["source"]["commit_lsn"])
        return [[_event(each) for each in group] for _, group in grouped]

    def positions(self, table: str) -> list[str]:
        """The positions of a table's records."""
        return [each["position"] for read in self.reads for each in read.of(f".S.{table}")]

    def ends(self) -> list[tuple[int, Counter[str]]]:
        """The counts that the ends of transactions tell: of all events, and of each table's."""
        found = [each["value"] for read in self.reads for each in read.of(".transaction") if each["value"]["status"] == "END"]
        return [
            (end["event_count"], Counter({each["data_collection"]: each["event_count"] for each in end["data_collections"]}))
            for end in found
        ]


def by_key(events: Sequence[Event]) -> dict[int, list[Event]]:
    """The events of each key in their order: that of different keys within a statement is nobody's promise."""
    found: defaultdict[int, list[Event]] = defaultdict(list)
    for event in events:
        found[event[0]].append(event)
    return found


def _event(record: Mapping[str, Any]) -> Event:
    value = record["value"]
    return record["key"]["ID"], value["op"], value["before"], value["after"]
