"""The toy's side of snapshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from tests.connectors.change_tables.toy import (
    FORM,
    NAME,
    Query,
    Toy,
    batch_of,
    types_of,
)
from tests.connectors.change_tables.toy_dialect import ToyDecoding, ToyDialect

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.rows import ChangeRows, whole_changes
from tailrace.connectors.change_tables.same_log import require_landmark
from tailrace.connectors.change_tables.snapshots.databases import Mask
from tailrace.connectors.change_tables.snapshots.read_tables import ReadTables
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.change_tables.table_shapes import TableShapes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey, led
from tailrace.errors import PositionLostError, RetriableError
from tailrace.events.shape import Shape
from tailrace.requested_work.work import TableWork
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.segments import Bound, Interval
from tailrace.snapshot.source import View


@dataclass(frozen=True)
class Number:
    """A `StoredColumn`."""

    name: str
    kind: str = ""
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

    def convertible_values(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[list[Vector | None], INT32]:
        return [from_arrow(each) for each in arrays], np.arange(count, dtype=np.int32)

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        return list(rows.columns), np.ones(len(rows), np.bool_)


class ToyReading:
    """A `TableReading`: tables are k and v, and are never altered."""

    def __init__(self, dialect: ToyDialect) -> None:
        self._dialect = dialect
        self._shapes = TableShapes(dialect, ToyDecoding().types)

    def altered(self, session: Toy) -> object:
        return None

    def starts(self, session: Toy) -> object:
        return self._dialect.stamp(session)

    def usable_keys(
        self, session: Toy, instances: Sequence[Instance]
    ) -> Mapping[TableId, Sequence[IndexKey[Any]] | NoKey]:
        return {each.table: session.keys.get(each.table.name, [KEY]) for each in instances}

    def led_by(
        self, session: Toy, instance: Instance, name: str, key: IndexKey[Any]
    ) -> IndexKey[Any] | NoKey:
        return led(Number(name, session.kinds.get(name, "")), key, IndexKey)

    def made(self, table: Table, instance: Instance, key: Any) -> ToyTable:
        return ToyTable(table, instance, self.shape_of(table))

    def shape_of(self, table: Table) -> Shape:
        return self._shapes.read_shape(table)[2]

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        return lost(table, point)


def lost(table: TableId, point: Lsn) -> PositionLostError:
    return PositionLostError(f"{table}: changes behind {point} are lost")


class ToyCapture:
    """A `Capture`: it moves on by one transaction whenever it is waited for."""

    patience = 1.0

    def __init__(self, toy: Toy) -> None:
        self._toy = toy

    def now(self) -> int:
        return len(self._toy.journal)

    def has_passed(self, moment: int) -> bool:
        return self._toy.captured >= moment

    def wait_until_passed(self, moment: int) -> Iterator[None]:
        while not self.has_passed(moment):
            self._toy.capture(1)
            yield

    def stuck(self, moment: int, seconds: float) -> str:
        return f"capture has not passed {moment} after {seconds} s"


class ToyDatabase:
    """A `SourceDatabase`; `between` is done before each read."""

    def __init__(self, toy: Toy, dialect: ToyDialect, point: Lsn, between: Callable[[], None] = lambda: None) -> None:
        self._toy, self._dialect, self._between = toy, dialect, between
        self.chosen, self.job = (), ToyCapture(toy)
        self.read_times = ReadTimes(self.job)
        self.move(point)

    def captured_up_to(self) -> Lsn:
        return self._dialect.head(self._toy)

    def landmark(self, lsn: Lsn) -> Landmark | None:
        return self._dialect.landmark(self._toy, lsn)

    def require_landmark(self, lsn: Lsn, landmark: Landmark) -> None:
        position = DatabasePosition(lsn, landmark=landmark)
        require_landmark(self._dialect, self._toy, NAME, position, self.captured_up_to())

    def has(self, lsn: Lsn) -> bool:
        return True

    def wait_for(self, lsn: Lsn) -> None:
        pass

    def move(self, point: Lsn) -> None:
        self.reached, keys = point, {each.table: KEY for each in self._dialect.instances(self._toy) if "k" in each.columns}
        reading = ToyReading(self._dialect)
        self.tables: ReadTables[Toy, ToyTable] = ReadTables(self._dialect, self._toy, point, keys, reading)

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

    def reset_reading(self) -> None:
        pass

    def opened_view(self, read: ToyTable, statement: str | None, position: Mapping[str, Any]) -> View:
        raise NotImplementedError

    def view_position(self) -> Lsn:
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


class ToyReads:
    """`IncrementalReads`; `between` is done before each read."""

    def __init__(self, toy: Toy, between: Callable[[], None] = lambda: None) -> None:
        self._toy, self._between = toy, between

    def session(self, database: str, place: Lsn) -> AbstractContextManager[Toy]:
        return nullcontext(self._toy)

    def opened(self, table: TableWork, place: Lsn) -> ChangeTableSource[ToyDatabase, ToyTable]:
        return opened_source(self._toy, place, {quoted_id(table.table): table.key}, self._between, reads_ahead=False)

    def catalog_session(self, database: ToyDatabase) -> Toy:
        return self._toy

    def takes_too_long(self, error: RetriableError) -> bool:
        return False

    def values(self, key: IndexKey[Any], bound: Bound) -> list[Any]:
        return list(bound)


def opened_source(
    toy: Toy,
    at: Lsn,
    keys: Mapping[str, Any],
    between: Callable[[], None] = lambda: None,
    *,
    reads_ahead: bool = True,
) -> ChangeTableSource[ToyDatabase, ToyTable]:
    """The toy at a place of its log."""
    database = ToyDatabase(toy, ToyDialect(toy), at, between)
    return ChangeTableSource(FORM, keys, {NAME: database}, rows_at_most=4, reads_ahead=reads_ahead)
