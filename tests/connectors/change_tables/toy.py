"""A toy database in SQLite that captures changes into tables: two tables with integer keys.

Its LSNs have sixteen bytes; it has no commands, and no update mask. Capture runs only when it is called
(`Toy.capture`), so a test decides how late it is.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import LogFormatError
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column, Table, TableId

NAME = "toydb"
FORM = LsnForm(16, "a toy")
TEXT = Schema(Type.STRING)
MADE = dt.datetime(2026, 1, 1)  # noqa: DTZ001 -- the server's local time
Int64 = npt.NDArray[np.int64]
Change = tuple[str, dict[str, Any] | None, dict[str, Any] | None]  # table, row before, row after


def lsn(number: int, part: int = 0) -> Lsn:
    return Lsn(number.to_bytes(8, "big") + part.to_bytes(8, "big"))


def table_id(name: str) -> TableId:
    return TableId(NAME, "main", name)


class Toy:
    """The server; with `pairs` it writes an update as a delete and an insert, which follow each other.

    Attributes:
        keys: what the catalogue says of the keys of tables, the best one first; a table that is missing has the key k.
        numbers: by which tables differ from others that get their names.
        kinds: of columns that are no key by themselves.
        altered: when tables were altered last, if that was after they were captured.

    """

    def __init__(self, *, pairs: bool = False) -> None:
        self.pairs = pairs
        self.keys: dict[str, list[Any]] = {}
        self.numbers: dict[str, int] = {}
        self.kinds: dict[str, str] = {}
        self.altered: dict[str, dt.datetime] = {}
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.execute("CREATE TABLE instances (number INTEGER PRIMARY KEY, source, columns, start BLOB)")
        self.db.execute("CREATE TABLE transactions (lsn BLOB PRIMARY KEY, us INT)")
        self.journal: list[list[Change]] = []
        self.captured = 0

    def create(self, name: str, *columns: str) -> None:
        """A table with the key k, that is captured."""
        self.db.execute(f"CREATE TABLE {name} (k INTEGER PRIMARY KEY, {', '.join(columns)})")
        self.enable(name)

    def create_signals(self) -> None:
        """The table to which signals are written, that is captured."""
        self.db.execute("CREATE TABLE signals (id TEXT PRIMARY KEY, type TEXT, data TEXT)")
        self.enable("signals")

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
                same = " AND ".join(f"{column} = ?" for column in before)
                self.db.execute(f"DELETE FROM {name} WHERE {same}", (*before.values(),))
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
                self._write(lsn(number), lsn(number, 2 * part), change)
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
        is_update = before is not None and after is not None and not self.pairs
        images = [(BEFORE, before), (AFTER, after)] if is_update else [(DELETE, before), (INSERT, after)]
        found = self.db.execute("SELECT number, columns, start FROM instances WHERE source = ?", (name,)).fetchall()
        for number, columns, start in found:
            for operation, image in images if at.raw >= start else ():
                if image is not None:
                    values = [image.get(column) for column in columns.split(",")]
                    marks = ", ".join("?" * (3 + len(values)))
                    place = part if operation == INSERT else part.previous()
                    self.db.execute(f"INSERT INTO ct_{number} VALUES ({marks})", (at.raw, place.raw, operation, *values))


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
        operation = int(batch.column(2)[row].as_py())
        return BEFORE if operation == DELETE and self._toy.pairs else operation

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        commit, change = (lsn_columns.raw_of(batch.column(i), "lsn", FORM.size) for i in (0, 1))
        operation = paired(batch.column(2).to_numpy(), change) if self._toy.pairs else batch.column(2).to_numpy()
        command = np.zeros(len(operation), np.int64)
        return ChangeRows(commit, change, command, operation, None, batch.columns[3:], batch.nbytes)

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        return LogFormatError(f"the update at {at} is torn")


def paired(operation: Int64, change: Bytes) -> Int64:
    """Operations, of which a delete and the insert behind it are an update where no number is between theirs."""
    number = np.ascontiguousarray(change[:, 8:]).view(">i8").ravel()
    is_first = (operation == DELETE) & np.append((operation[1:] == INSERT) & (np.diff(number) == 1), [False])
    found = np.where(is_first, BEFORE, operation)
    found[1:][is_first[:-1]] = AFTER
    return found


def types_of(columns: Sequence[str]) -> list[pa.DataType]:
    return [pa.int64() if name == "k" else pa.string_view() for name in columns]


def batch_of(rows: Sequence[Sequence[Any]], types: Sequence[pa.DataType]) -> pa.RecordBatch:
    arrays = [pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)]
    return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(types))])


def structure(toy: Toy, name: str) -> Table:
    names = [row[1] for row in toy.db.execute(f"PRAGMA table_info({name})")]
    types = {"k": ("INT", "INT", 4)}
    columns = tuple(Column(each, *types.get(each, ("TEXT", "TEXT", 12))) for each in names)
    return Table(table_id(name), columns, ("k",) if "k" in names else names[:1])
