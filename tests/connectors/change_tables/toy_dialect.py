"""The toy's dialect of change tables, and the decoding of its rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.connectors.change_tables.toy import (
    FORM,
    MADE,
    NAME,
    TEXT,
    Query,
    Toy,
    lsn,
    structure,
    table_id,
)

from support.unit_settings import sqlserver_unit_settings
from tailrace.changes.policies import Rule
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.config.settings import Settings
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.captured import Wanted
from tailrace.connectors.change_tables.dialect import Advice
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, RowPosition
from tailrace.connectors.change_tables.rows import ChangeRows, whole_changes
from tailrace.connectors.change_tables.streaming import LogParts
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.heartbeats import ActionConnection
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.errors import SourceSetupError
from tailrace.post_processors.reselecting import SelectsRows
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.tables import Table, TableId


class ToyDialect:
    """A `Dialect`."""

    connector = "toy"
    omits_database = False
    skips_records = False
    lsns = FORM
    databases = (NAME,)
    advice = Advice("the toy", "the broom", "keep them", "make another", "make {}".format, "make one of all", "nobody need tell")
    uses_processing_time = False

    def __init__(self, toy: Toy, **properties: str) -> None:
        """By these properties of the configuration; a toy takes those of SQL Server's connector."""
        given = {name.replace("_", "."): value for name, value in properties.items()}
        self._toy = toy
        self.settings: Settings = sqlserver_unit_settings({"database.names": NAME, **given})

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
                table_id(source), f"i{number}", number, session.numbers.get(source, 0), f"ct_{number}", Lsn(start), MADE,
                tuple(columns.split(",")), ()
            )
            for number, source, columns, start in rows
        ]

    def hidden(self, session: Toy) -> Sequence[tuple[str, int]]:
        return []

    def stamp(self, session: Toy) -> object:
        """Also of what `Toy` is told of tables and keys."""
        told = repr((session.keys, session.numbers, session.kinds))
        return session.db.execute("SELECT number, start FROM instances").fetchall(), told

    def altered(self, session: Toy) -> Collection[int]:
        return ()

    def structures(self, session: Toy, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        names = [name for (name,) in session.db.execute("SELECT DISTINCT source FROM instances ORDER BY 1")]
        return {each: structure(session, each.name) for each in map(table_id, names) if wanted(each)}

    def column_types(self, session: Toy) -> Mapping[int, Types]:
        return {}

    def name_in_database(self, table: TableId) -> str:
        return table.name

    def begun_by(self, session: Toy, instance: Instance) -> Lsn | None:
        return instance.start_lsn

    def require_visible(self, session: Toy, table: TableId) -> None:
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
        times = np.array([us for _, us in rows], np.int64)
        return Transactions(commit, times, times, "{} is not known".format)

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

    def landmark(self, session: Toy, lsn: Lsn) -> Landmark | None:
        found = session.db.execute("SELECT * FROM transactions WHERE lsn <= ? ORDER BY 1 DESC LIMIT 1", (lsn.raw,)).fetchone()
        return None if found is None else Landmark(Lsn(found[0]), found[1])

    def may_be_cleaned_up(self, session: Toy, landmark: Landmark) -> bool:
        return True

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
        return Transactions(found.commit[:at_most], found.time_us[:at_most], found.clock_us[:at_most], found.unknown)

    as_of_us: int | None = None

    def is_kept(self, session: Toy, after: Lsn, as_of_us: int | None) -> bool:
        return True

    def begun_anew(self, session: Toy, window: Window) -> Sequence[TableId]:
        return ()

    def look_why_quiet(self, session: Toy, head: Lsn) -> None:
        pass


@dataclass(frozen=True)
class ToyType:
    """A `FieldType`."""

    key: Schema
    rule: Rule = None
    conversion: None = None

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


def no_reselected(_: str) -> SelectsRows:
    raise NotImplementedError


def no_incremental() -> IncrementalReader[LogBoundary]:
    raise NotImplementedError


def parts(toy: Toy, **properties: str) -> LogParts[Toy]:
    """What the toy's log is read by, by these properties of the configuration; nobody signals."""
    return LogParts(ToyDialect(toy, **properties), ToyDecoding(), no_incremental, no_actions, no_reselected)
