"""Notifications about snapshots, in Debezium's words.

An initial and a blocking snapshot are both called `Initial Snapshot`, and each of their notifications has its own
id. Those of an incremental snapshot have the id of the signal that requested it.

Additional data has the order that a Java hash map gives these names, as in Debezium's records.

Source: Debezium documentation, "Available notifications", and the notifications of 3.6.1.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from tailrace.epoch import now_ms
from tailrace.notifications.model import Notification, new_id
from tailrace.schema.tables import TableId

INITIAL: Final = "Initial Snapshot"
INCREMENTAL: Final = "Incremental Snapshot"
NULL: Final = "<null>"
NO_KEY: Final = f'"{NULL}"'


class Status(enum.StrEnum):
    """How the reading of a table ended."""

    EMPTY = "EMPTY"
    NO_PRIMARY_KEY = "NO_PRIMARY_KEY"
    SKIPPED = "SKIPPED"
    SQL_EXCEPTION = "SQL_EXCEPTION"
    SUCCEEDED = "SUCCEEDED"
    UNKNOWN_SCHEMA = "UNKNOWN_SCHEMA"


class InitialSnapshot:
    """Notifications of an initial or a blocking snapshot."""

    def __init__(
        self, connector: str, clock: Callable[[], int] = now_ms, named: Callable[[TableId], str] = str
    ) -> None:
        """`connector`: its `topic.prefix`; `clock` gives milliseconds since the epoch; `named` a table's name."""
        self._connector = connector
        self._clock = clock
        self._named = named

    def started(self) -> Notification:
        """The snapshot begins."""
        return self._notification("STARTED", connector_name=self._connector)

    def table_in_progress(self, table: TableId, tables: Iterable[TableId]) -> Notification:
        """The reading of a table begins; `tables`: all of the snapshot."""
        return self._notification(
            "IN_PROGRESS",
            current_collection_in_progress=self._named(table),
            connector_name=self._connector,
            data_collections=",".join(map(self._named, tables)),
        )

    def table_completed(self, table: TableId, rows: int, tables: Iterable[TableId]) -> Notification:
        """All rows of a table were read."""
        return self._notification(
            "TABLE_SCAN_COMPLETED",
            scanned_collection=self._named(table),
            connector_name=self._connector,
            total_rows_scanned=str(rows),
            data_collections=",".join(map(self._named, tables)),
            status=Status.SUCCEEDED.value,
        )

    def table_failed(self, table: TableId, status: Status = Status.SQL_EXCEPTION) -> Notification:
        """A table was not read: the database refused, or it does not exist."""
        return self._notification(
            "TABLE_SCAN_COMPLETED",
            connector_name=self._connector,
            scanned_collection=self._named(table),
            status=status.value,
        )

    def chunk_in_progress(self, table: TableId, chunk: int, chunks: int, rows: int) -> Notification:
        """The reading of a chunk (counted from 0) begins, if a table has several; `rows`: read so far."""
        return self._notification(
            "TABLE_CHUNK_IN_PROGRESS",
            current_collection_in_progress=self._named(table),
            chunk_index=str(chunk),
            connector_name=self._connector,
            total_chunks=str(chunks),
            total_rows_scanned=str(rows),
        )

    def chunk_completed(self, table: TableId, chunk: int, chunks: int, tables: Iterable[TableId]) -> Notification:
        """A chunk was read."""
        return self._notification(
            "TABLE_CHUNK_COMPLETED",
            chunk_index=str(chunk),
            scanned_collection=self._named(table),
            connector_name=self._connector,
            total_chunks=str(chunks),
            data_collections=",".join(map(self._named, tables)),
            status=Status.SUCCEEDED.value,
        )

    def completed(self) -> Notification:
        """The snapshot is complete."""
        return self._notification("COMPLETED", connector_name=self._connector)

    def aborted(self) -> Notification:
        """The snapshot ended before it was complete."""
        return self._notification("ABORTED", connector_name=self._connector)

    def skipped(self) -> Notification:
        """No snapshot is needed: `snapshot.mode` wants none, or it was taken before."""
        return self._notification("SKIPPED", connector_name=self._connector)

    def _notification(self, type_: str, **data: str) -> Notification:
        return Notification(INITIAL, type_, data, timestamp=self._clock())


class IncrementalSnapshot:
    """Notifications of an incremental snapshot."""

    def __init__(
        self,
        connector: str,
        signal_id: str | None,
        clock: Callable[[], int] = now_ms,
        named: Callable[[TableId], str] = str,
    ) -> None:
        """`signal_id`: of the newest signal that requested it; without one each notification has its own id."""
        self._connector = connector
        self._signal_id = signal_id
        self._clock = clock
        self._named = named

    def started(self, tables: Iterable[TableId]) -> Notification:
        """The snapshot begins; `tables`: all that it has to read."""
        return self._of_tables("STARTED", tables)

    def paused(self, tables: Iterable[TableId]) -> Notification:
        """The snapshot is paused."""
        return self._of_tables("PAUSED", tables)

    def resumed(self, tables: Iterable[TableId]) -> Notification:
        """The snapshot is resumed."""
        return self._of_tables("RESUMED", tables)

    def aborted(self, stopped: Iterable[TableId]) -> Notification:
        """A signal stopped these tables."""
        return self._of_tables("ABORTED", stopped)

    def in_progress(
        self,
        table: TableId,
        tables: Iterable[TableId],
        maximum_key: Sequence[Any] | None,
        last_key: Sequence[Any],
    ) -> Notification:
        """A chunk was read; `tables`: all that are left; keys: a value for each column, None where the table has none."""
        return self._notification(
            "IN_PROGRESS",
            current_collection_in_progress=self._named(table),
            connector_name=self._connector,
            maximum_key=key_text(maximum_key),
            data_collections=",".join(map(self._named, tables)),
            last_processed_key=key_text(last_key),
        )

    def table_completed(self, table: TableId, tables: Iterable[TableId], rows: int, status: Status) -> Notification:
        """The reading of a table ended, successfully or not; `tables`: all that were left before."""
        return self._notification(
            "TABLE_SCAN_COMPLETED",
            scanned_collection=self._named(table),
            connector_name=self._connector,
            total_rows_scanned=str(rows),
            data_collections=",".join(map(self._named, tables)),
            status=status.value,
        )

    def completed(self) -> Notification:
        """The snapshot is complete."""
        return self._notification("COMPLETED", connector_name=self._connector)

    def _of_tables(self, type_: str, tables: Iterable[TableId]) -> Notification:
        return self._notification(
            type_, connector_name=self._connector, data_collections=",".join(map(self._named, tables))
        )

    def _notification(self, type_: str, **data: str) -> Notification:
        id_ = new_id() if self._signal_id is None else self._signal_id
        return Notification(INCREMENTAL, type_, data, id_, self._clock())


def key_text(key: Sequence[Any] | None) -> str:
    """A key's values in the form of notifications; bytes in hexadecimal."""
    return NO_KEY if key is None else ",".join(map(_value_text, key))


def _value_text(value: Any) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return str(value).lower()
    return value.hex() if isinstance(value, bytes) else str(value)
