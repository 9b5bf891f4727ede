"""A toy database that captures changes into tables, in SQLite, and its dialect: two tables with a number as their key.

It has LSNs of sixteen bytes, no commands, and no mask. Its capture runs when it is told to (`Toy.capture`), so that it may be as
late as one likes.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from support.unit_settings import unit_settings
from tailrace.changes.model import INT32
from tailrace.changes.policies import Rule
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.config.settings import Settings
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.captured import Wanted
from tailrace.connectors.change_tables.dialect import Advice
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition, RowPosition
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows, whole_changes
from tailrace.connectors.change_tables.snapshots.databases import Mask
from tailrace.connectors.change_tables.snapshots.moments import Moments
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.change_tables.streaming import LogParts
from tailrace.connectors.change_tables.table_shapes import TableShapes
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.heartbeats import ActionConnection
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.connectors.shared.snapshots.keys import IndexKey
from tailrace.errors import LogFormatError, RetriableError, SourceSetupError
from tailrace.events.shape import Shape
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.tables import Column, Table, TableId
from tailrace.signalled.work import TableWork
from tailrace.snapshot.segments import Bound, Interval
from tailrace.snapshot.source import View

NAME = "toydb"
FORM = LsnForm(16, "a toy")
TEXT = Schema(Type.STRING)
MADE = dt.datetime(2026, 1, 1)  # noqa: DTZ001 -- the server's local time
Change = tuple[str, dict[str, Any] | None, dict[str, Any] | None]  # table, row before, row after


def lsn(number: int, part: int = 0) -> Lsn:
    return Lsn(number.to_bytes(8, "big") + part.to_bytes(8, "big"))


def table_id(name: str) -> TableId:
    return TableId(NAME, "main", name)


class Toy:
    """The server."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.execute("CREATE TABLE instances (number INTEGER PRIMARY KEY, source, columns, start BLOB)")
        self.db.execute("CREATE TABLE transactions (lsn BLOB PRIMARY KEY, us INT)")
        self.journal: list[list[Change]] = []
        self.captured = 0

    def create(self, name: str, *columns: str) -> None:
        """A table with the key k, that is captured."""
        self.db.execute(f"CREATE TABLE {name} (k INTEGER PRIMARY KEY, {', '.join(columns)})")
        self.enable(name)

    def enable(self, name: str) -> None:
        """Capture a table with all columns that it has now, from the next commit on."""
        columns = [row[1] for row in self.db.execute(f"PRAGMA table_info({name})")]
        start = lsn(len(self.journal) + 1).raw
        added = self.db.execute(
            "INSERT INTO instances (source, columns, start) VALUES (?, ?, ?)", (name, ",".join(columns), start)
        )
        self.db.execute(f"CREATE TABLE ct_{added.lastrowid} (lsn BLOB, change BLOB, operation INT, {', '.join(columns)})")

    def commit(self, *changes: Change) -> None:
        """A transaction."""
        for name, before, after in changes:
            if before is not None:
                self.db.execute(f"DELETE FROM {name} WHERE k = ?", (before["k"],))
            if after is not None:
                marks = ", ".join("?" * len(after))
                self.db.execute(f"INSERT INTO {name} ({', '.join(after)}) VALUES ({marks})", (*after.values(),))
        self.journal.append(list(changes))

    def capture(self, most: int | None = None) -> None:
        """Write what was committed into the change tables, or the first so many of it."""
        end = len(self.journal) if most is None else min(self.captured + most, len(self.journal))
        for number in range(self.captured + 1, end + 1):
            self.db.execute("INSERT INTO transactions VALUES (?, ?)", (lsn(number).raw, number * 1_000_000))
            for part, change in enumerate(self.journal[number - 1], 1):
                self._write(lsn(number), lsn(number, part), change)
        self.captured = end

    def clean_up(self, number: int) -> None:
        """Take away what was captured before a transaction."""
        start = lsn(number).raw
        self.db.execute("DELETE FROM transactions WHERE lsn < ?", (lsn(number - 1).raw,))
        for (of,) in self.db.execute("SELECT number FROM instances").fetchall():
            self.db.execute(f"DELETE FROM ct_{of} WHERE lsn < ?", (start,))
        self.db.execute("UPDATE instances SET start = MAX(start, ?)", (start,))

    def rows(self, name: str) -> dict[int, str]:
        """What a table holds now."""
        return dict(self.db.execute(f"SELECT k, v FROM {name}"))

    def _write(self, at: Lsn, part: Lsn, change: Change) -> None:
        name, before, after = change
        images = [(BEFORE, before), (AFTER, after)] if before and after else [(DELETE, before), (INSERT, after)]
        found = self.db.execute("SELECT number, columns, start FROM instances WHERE source = ?", (name,)).fetchall()
        for number, columns, start in found:
            for operation, image in images if at.raw >= start else ():
                if image is not None:
                    values = [image.get(column) for column in columns.split(",")]
                    marks = ", ".join("?" * (3 + len(values)))
                    self.db.execute(f"INSERT INTO ct_{number} VALUES ({marks})", (at.raw, part.raw, operation, *values))


class Query:
    """A `RowQuery` of one instance."""

    def __init__(self, toy: Toy, instance: Instance, window: Window, columns: Sequence[str], limit: int = 0) -> None:
        self._toy, self._instance, self._window, self._columns = toy, instance, window, columns
        self.limit = limit
        self.at_once = 3

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        key = ("lsn", "change", "operation")
        place = (self._window.after.raw, b"", 9) if after is None else (after.commit.raw, after.change.raw, after.operation)
        found = self._toy.db.execute(
            f"SELECT {', '.join((*key, *self._columns))} FROM {self._instance.change_table} "
            f"WHERE lsn > ? AND lsn <= ? AND ({', '.join(key)}) > (?, ?, ?) ORDER BY {', '.join(key)} LIMIT ?",
            (self._window.after.raw, self._window.until.raw, *place, self.limit or -1),
        )
        while some := found.fetchmany(self.at_once):
            yield batch_of(some, (pa.large_binary(), pa.large_binary(), pa.int64(), *types_of(self._columns)))

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        return int(batch.column(2)[row].as_py())

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        commit, change = (lsn_columns.raw_of(batch.column(i), "lsn", FORM.size) for i in (0, 1))
        operation = batch.column(2).to_numpy()
        command = np.zeros(len(operation), np.int64)
        return ChangeRows(commit, change, command, operation, None, batch.columns[3:], batch.nbytes)

    def torn(self, at: RowPosition) -> LogFormatError:
        return LogFormatError(f"the update at {at} is torn")


def types_of(columns: Sequence[str]) -> list[pa.DataType]:
    return [pa.int64() if name == "k" else pa.string_view() for name in columns]


def batch_of(rows: Sequence[Sequence[Any]], types: Sequence[pa.DataType]) -> pa.RecordBatch:
    arrays = [pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)]
    return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(types))])


class ToyDialect:
    """A `Dialect`."""

    connector = "toy"
    lsns = FORM
    databases = (NAME,)
    advice = Advice("keep them", "make another", "make {}".format, "make one of all", "nobody need tell")
    tells_reading_time = False

    def __init__(self, toy: Toy, **properties: str) -> None:
        self._toy = toy
        self.settings: Settings = unit_settings({name.replace("_", "."): value for name, value in properties.items()})

    def folded(self, table: TableId) -> TableId:
        return table

    def source_schema(self) -> Schema:
        texts = [Field(name, TEXT) for name in ("table", "commit_lsn", "snapshot")]
        fields = [*texts, Field("ts_ms", Schema(Type.INT64))]
        return Schema(Type.STRUCT, name="toy.Source", fields=tuple(fields))

    def change_schema(self) -> Schema:
        return Schema(Type.STRUCT, name="toy.Source", fields=())

    def context(self) -> Mapping[str, bytes]:
        return {}

    def constants(self, table: TableId) -> Mapping[str, str | None]:
        return {"table": table.name, "snapshot": None}

    def source_at(self, lsn: Lsn) -> Mapping[str, Any]:
        return {"commit_lsn": lsn.text}

    def history_position(self, lsn: Lsn) -> Mapping[str, Any]:
        return {"commit_lsn": lsn.text}

    def connect(self, database: str) -> AbstractContextManager[Toy]:
        assert database == NAME
        return nullcontext(self._toy)

    def database(self, session: Toy) -> str:
        return NAME

    def require_captured(self, session: Toy, database: str) -> str:
        return database

    def instances(self, session: Toy) -> Sequence[Instance]:
        rows = session.db.execute("SELECT * FROM instances ORDER BY source, start").fetchall()
        return [
            Instance(
                table_id(source), f"i{number}", number, 0, f"ct_{number}", Lsn(start), MADE, tuple(columns.split(",")), ()
            )
            for number, source, columns, start in rows
        ]

    def hidden(self, session: Toy) -> Sequence[tuple[str, int]]:
        return []

    def stamp(self, session: Toy) -> object:
        return session.db.execute("SELECT number, start FROM instances").fetchall()

    def altered(self, session: Toy) -> Collection[int]:
        return ()

    def structures(self, session: Toy, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        names = [name for (name,) in session.db.execute("SELECT DISTINCT source FROM instances ORDER BY 1")]
        return {each: structure(session, each.name) for each in map(table_id, names) if wanted(each)}

    def column_types(self, session: Toy) -> Mapping[int, Types]:
        return {}

    def name_in_database(self, table: TableId) -> str:
        return table.name

    def require_seen(self, session: Toy, table: TableId) -> None:
        if not session.db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table.name,)).fetchall():
            raise SourceSetupError(f"{table} is gone")

    def wait_for(self, session: Toy, lsn: Lsn) -> None:
        pass

    def log(self, database: str, planned: DatabasePosition | None) -> ToyLog:
        return ToyLog(self)

    def head(self, session: Toy) -> Lsn:
        return lsn(session.captured)

    def transactions(self, session: Toy, window: Window) -> Transactions:
        """Those of a window."""
        rows = session.db.execute(
            "SELECT * FROM transactions WHERE lsn > ? AND lsn <= ? ORDER BY 1", (window.after.raw, window.until.raw)
        ).fetchall()
        commit = np.frombuffer(b"".join(raw for raw, _ in rows), np.uint8).reshape(-1, FORM.size)
        return Transactions(commit, np.array([us for _, us in rows], np.int64), "{} is not known".format)

    def end_now(self, session: Toy) -> DatabasePosition:
        return DatabasePosition(self.head(session))

    def count_transactions(self, session: Toy, window: Window) -> int:
        return len(self.transactions(session, window))

    def reaches_back_to(self, session: Toy, lsn: Lsn) -> bool:
        found = session.db.execute("SELECT 1 FROM transactions WHERE lsn <= ?", (lsn.raw,)).fetchall()
        return bool(found) or lsn.is_zero

    def nth_transaction(self, session: Toy, window: Window, number: int) -> tuple[Lsn, bool]:
        found = self.transactions(session, window)
        return (lsn_columns.lsn_at(found.commit, number - 1), False) if number <= len(found) else (window.until, True)

    def newest_commit(self, session: Toy, lsn: Lsn) -> dt.datetime | None:
        return None

    def has_rows(self, session: Toy, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        return [count > 0 for count in self.row_counts(session, instances, window)]

    def row_counts(self, session: Toy, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        places = window.after.raw, window.until.raw
        sql = "SELECT COUNT(*) FROM {} WHERE lsn > ? AND lsn <= ?"
        return [session.db.execute(sql.format(each.change_table), places).fetchone()[0] for each in instances]

    def row_bytes(self, session: Toy, instance: Instance, window: Window) -> int:
        return 10


@dataclass(frozen=True)
class ToyLog:
    """A `Log` without a clock of its own."""

    dialect: ToyDialect
    most_transactions: int | None = 7

    def connect(self) -> AbstractContextManager[Toy]:
        return self.dialect.connect(NAME)

    def head(self, session: Toy) -> Lsn:
        return self.dialect.head(session)

    def transactions(self, session: Toy, window: Window, at_most: int) -> Transactions:
        found = self.dialect.transactions(session, window)
        return Transactions(found.commit[:at_most], found.time_us[:at_most], found.unknown)

    def look_why_quiet(self, session: Toy, head: Lsn) -> None:
        pass


@dataclass(frozen=True)
class ToyType:
    """A `FieldType`."""

    key: Schema
    rule: Rule = None

    @property
    def value(self) -> Schema:
        return self.key


@dataclass(frozen=True)
class ToyRows:
    """`InstanceRows`."""

    table: Table
    instance: Instance
    selected: Sequence[int]
    is_wide: bool = False

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        found = {i: from_arrow(array) for i, array in zip(self.selected, rows.columns, strict=True)}
        return [found.get(i) for i in range(len(self.table.columns))]

    def read(
        self, session: Toy, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
    ) -> Generator[ChangeRows]:
        """Three rows at a time, whatever is asked for."""
        columns = [self.table.columns[i].name for i in self.selected]
        return whole_changes(Query(session, self.instance, window, columns, limit=5), after)


class ToyDecoding:
    """A `Decoding`."""

    def types(self, table: Table) -> list[ToyType | None]:
        return [
            ToyType(Schema(Type.INT64) if column.name == "k" else Schema(Type.STRING, optional=True))
            for column in table.columns
        ]

    def rows(self, table: Table, types: Sequence[ToyType], instance: Instance, wanted: Wanted) -> ToyRows:
        return ToyRows(table, instance, wanted.columns)


def no_actions() -> ActionConnection:
    raise NotImplementedError


def no_incremental() -> IncrementalReader[LogBoundary]:
    raise NotImplementedError


def parts(toy: Toy, **properties: str) -> LogParts[Toy]:
    """What the toy's log is read by, by these properties of the configuration."""
    return LogParts(ToyDialect(toy, **properties), ToyDecoding(), no_incremental, no_actions)


def structure(toy: Toy, name: str) -> Table:
    names = [row[1] for row in toy.db.execute(f"PRAGMA table_info({name})")]
    types = {"k": ("INT", "INT", 4)}
    columns = tuple(Column(each, *types.get(each, ("TEXT", "TEXT", 12))) for each in names)
    return Table(table_id(name), columns, ("k",))


@dataclass(frozen=True)
class Number:
    """A `StoredColumn`."""

    name: str
    is_number: bool = True

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name}


KEY: IndexKey[Any] = IndexKey("k", (Number("k"),))


class ToyTable:
    """A `ReadTable` with the columns k and v."""

    key = KEY
    selected = (0, 1)
    is_wide = False

    def __init__(self, table: Table, instance: Instance, shape: Shape) -> None:
        self.table, self.instance, self.shape = table, instance, shape

    def split(self, arrays: Sequence[pa.Array]) -> tuple[Sequence[pa.Array], Sequence[pa.Array]]:
        return arrays, arrays[:1]

    def shown(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[list[Vector | None], INT32]:
        return [from_arrow(each) for each in arrays], np.arange(count, dtype=np.int32)

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        return list(rows.columns), np.ones(len(rows), np.bool_)


class ToyTables:
    """Tables that never change."""

    def __init__(self, toy: Toy, dialect: ToyDialect) -> None:
        instances = {each.table: each for each in dialect.instances(toy)}
        self._shapes = TableShapes(dialect, ToyDecoding().types)
        tables = {each: structure(toy, each.name) for each in instances}
        self._read = {each: ToyTable(table, instances[each], self.shape_of(table)) for each, table in tables.items()}

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._read)

    def of(self, table: TableId) -> ToyTable | None:
        return self._read.get(table)

    def shape_of(self, table: Table) -> Shape:
        return self._shapes.read_shape(table)[2]

    def altered(self) -> frozenset[TableId]:
        return frozenset()

    def is_altered(self, table: TableId) -> bool:
        return False

    def have_changed(self) -> bool:
        return False

    def require_log(self) -> None:
        pass


class ToyCapture:
    """A `Capture`: it moves on by one transaction whenever it is waited for."""

    patience = 1.0

    def __init__(self, toy: Toy) -> None:
        self._toy = toy

    def now(self) -> int:
        return len(self._toy.journal)

    def has_passed(self, moment: int) -> bool:
        return self._toy.captured >= moment

    def passing(self, moment: int) -> Iterator[None]:
        while not self.has_passed(moment):
            self._toy.capture(1)
            yield

    def stuck(self, moment: int, seconds: float) -> str:
        return f"capture has not passed {moment} after {seconds} s"


class ToyDatabase:
    """A `SourceDatabase`; `between` is done before each read."""

    def __init__(self, toy: Toy, dialect: ToyDialect, point: Lsn, between: Callable[[], None] = lambda: None) -> None:
        self._toy, self._dialect, self._between = toy, dialect, between
        self.reached, self.chosen = point, ()
        self.tables, self.job = ToyTables(toy, dialect), ToyCapture(toy)
        self.moments = Moments(self.job)

    def captured_up_to(self) -> Lsn:
        return self._dialect.head(self._toy)

    def has(self, lsn: Lsn) -> bool:
        return True

    def wait_for(self, lsn: Lsn) -> None:
        pass

    def move(self, point: Lsn) -> None:
        self.reached = point

    def rows(
        self,
        read: ToyTable,
        interval: Interval,
        limit: int,
        statement: str | None,
        condition: str | None,
        *,
        recompiles: bool,
    ) -> Iterator[pa.RecordBatch]:
        assert statement is None
        assert condition is None
        self._between()
        after, upto = interval
        low, high = -1 if after is None else after[0], 1 << 60 if upto is None else upto[0]
        sql = f"SELECT k, v FROM {read.table.id.name} WHERE k > ? AND k <= ? ORDER BY k LIMIT ?"
        rows = self._toy.db.execute(sql, (low, high, limit)).fetchall()
        if rows:
            yield batch_of(rows, types_of(("k", "v")))

    def forget_reading(self) -> None:
        pass

    def opened_view(self, read: ToyTable, statement: str | None, position: Mapping[str, Any]) -> View:
        raise NotImplementedError

    def place_of_view(self) -> Lsn:
        raise NotImplementedError

    def has_rows(self, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        return self._dialect.has_rows(self._toy, instances, window)

    def changes(self, read: ToyTable, window: Window) -> Iterator[ChangeRows]:
        return whole_changes(Query(self._toy, read.instance, window, ("k", "v")), None)

    def nth_entry(self, window: Window, number: int) -> Lsn | None:
        found = self._dialect.transactions(self._toy, window).commit
        return lsn_columns.lsn_at(found, min(number, len(found)) - 1) if len(found) else None

    def are_within(self, read: ToyTable, bounds: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
        raise NotImplementedError

    def close(self) -> None:
        pass


class ToyIncremental:
    """`IncrementalTables`; `between` is done before each read."""

    def __init__(self, toy: Toy, between: Callable[[], None]) -> None:
        self._toy, self._between = toy, between

    def session(self, database: str, place: Lsn) -> AbstractContextManager[Toy]:
        return nullcontext(self._toy)

    def key_now(self, session: Toy, instance: Instance, table: TableWork) -> IndexKey[Any]:
        return KEY

    def begun(self, session: Toy, table: TableWork, key: IndexKey[Any]) -> TableWork | None:
        greatest = max(session.rows(table.table.name), default=None)
        return None if greatest is None else replace(table, key=key.to_dict(), upto=(greatest,))

    def estimated_rows(self, session: Toy, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        return {each.table: len(session.rows(each.table.name)) for each in instances}

    def opened(self, table: TableWork, place: Lsn) -> ChangeTableSource[ToyDatabase, ToyTable]:
        database = ToyDatabase(self._toy, ToyDialect(self._toy), place, self._between)
        return ChangeTableSource(
            FORM, {quoted_id(table.table): table.key}, {NAME: database}, rows_at_most=4, reads_ahead=False
        )

    def asking(self, database: ToyDatabase) -> Toy:
        return self._toy

    def takes_too_long(self, error: RetriableError) -> bool:
        return False

    def values(self, key: IndexKey[Any], bound: Bound) -> list[Any]:
        return list(bound)
