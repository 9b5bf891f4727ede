"""SQL Server's side of a snapshot: opens the `ChangeTableSource` at P."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.snapshots.begun import begun_with
from tailrace.connectors.change_tables.snapshots.chunk_reading import Patience
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.connectors.shared.snapshots.overrides import overrides_of
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.errors_of_driver import LockTimeoutError
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

ATTEMPTS: Final = 6
SqlServerSource = ChangeTableSource[Database, ReadTable]


def opened_source(
    settings: SqlServerSettings,
    point: Mapping[str, Any],
    keys: Mapping[str, Any],
    history: Sequence[HistoryRecord] = (),
    conditions: Mapping[TableId, str] | None = None,
    rows_at_most: int | None = None,
    lock_ms: int | None = None,
    attempts: int = ATTEMPTS,
    *,
    with_overrides: bool = False,
    recompiles: bool = False,
    reads_ahead: bool = True,
) -> SqlServerSource:
    """A source over one server, at P.

    Args:
        settings: of the connector.
        point: P, as a restart position.
        keys: of the tables by name, the connector's own JSON; None for a table without a key.
        history: with the instances that the tables were told with.
        conditions: of tables whose rows a signal selects, for WHERE.
        rows_at_most: the greatest number of rows in a chunk; None: as many as fill some megabytes.
        lock_ms: how long a read waits for a lock, once; None: as `snapshot.lock.timeout.ms` says, several times.
        attempts: how often, if `lock_ms` is None.
        with_overrides: whether the user's statements (`snapshot.select.statement.overrides`) replace tables.
        recompiles: whether the plan of a chunk's statement is compiled each time.
        reads_ahead: whether further chunks are read while chunks wait for the log.

    Raises:
        PositionLostError: the changes of a table are not retained from P on.

    """
    stored = stored_keys(keys, ChunkKey.from_dict)
    found = overrides_of(settings, stored, lower_names=True) if with_overrides else {}
    overrides = {table: each.statement for table, each in found.items()}
    restart, begun = POSITIONS.restart(point), begun_with(SqlServerDialect(settings), history, list(stored))
    wait_ms = settings.snapshot_lock_timeout_ms if lock_ms is None else lock_ms
    with ExitStack() as opens:
        databases: dict[str, Database] = {}
        for name in dict.fromkeys(table.catalog for table in stored):
            its = {table: key for table, key in stored.items() if table.catalog == name}
            patience = None if lock_ms is None else lock_ms / 1000
            databases[name] = Database(settings, name, restart[name].lsn, its, wait_ms, patience, begun)
            opens.callback(databases[name].close)
            databases[name].chosen = {*overrides, *(conditions or {})}
        opens.pop_all()  # the source closes them from now on
    return ChangeTableSource(
        LSNS,
        keys,
        databases,
        conditions,
        overrides,
        _patience(settings, attempts) if lock_ms is None else Patience(is_final=partial(_is_final, settings)),
        rows_at_most,
        recompiles=recompiles,
        reads_ahead=reads_ahead,
    )


def server_clock(source: SqlServerSource) -> int:
    """The server's clock, microseconds since the epoch."""
    asking = next(iter(source.databases.values())).asking
    return epoch.microseconds_of(asking.one("SELECT SYSUTCDATETIME()"))


def _patience(settings: SqlServerSettings, attempts: int) -> Patience:
    """Wait as `snapshot.lock.timeout.ms` says, several times."""
    return Patience(attempts, partial(within_lock_timeout, settings), partial(_is_final, settings))


def _is_final(settings: SqlServerSettings, error: RetriableError) -> bool:
    return isinstance(error, LockTimeoutError) and settings.lock_timeout_is_final
