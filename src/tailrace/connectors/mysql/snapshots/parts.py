"""A snapshot of MySQL in parts: MySQL's side of `shared/snapshots/parts.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.config.properties.snapshots import ONLY_SNAPSHOT
from tailrace.connectors.base import HistoryRecord, SnapshotStep, StartPoint
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, connect, error_number
from tailrace.connectors.mysql.gtid import wanted_sources
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.point import wait_visible
from tailrace.connectors.mysql.snapshots.range_ends import next_range_ends
from tailrace.connectors.mysql.snapshots.splitting import estimated_sizes
from tailrace.connectors.shared.snapshots.keys import key_changed
from tailrace.connectors.shared.snapshots.part_assembly import Size, limits_of
from tailrace.connectors.shared.snapshots.parts import RangeEnds, Stepping, structures_step
from tailrace.errors import PositionLostError, SourceSetupError
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound


def require_structures(settings: MySqlSettings) -> None:
    """Raise `SourceSetupError` if the log can't be read after the snapshot, because no one stores structures.

    A DataFrame's stream has no schema history, unless a file is configured. Without one the table maps must say
    everything (binlog_row_metadata=FULL).
    """
    if settings.schema_history_internal_file_filename or settings.snapshot_mode == ONLY_SNAPSHOT:
        return
    with connect(settings) as session:
        metadata = catalog.server(session)["binlog_row_metadata"]
    if metadata.upper() != "FULL":
        raise SourceSetupError(
            f"binlog_row_metadata is {metadata or 'not known to this server'}, so the log after the snapshot can only be read "
            "with a schema history: set schema.history.internal.file.filename to a file that all executors reach, or SET "
            "PERSIST binlog_row_metadata = FULL"
        )


def history_of(settings: MySqlSettings, point: StartPoint) -> Sequence[HistoryRecord]:
    """The structures at P; without a history file, only those of captured tables, which the tasks need."""
    if settings.schema_history_internal_file_filename:
        return point.history
    return [record for record in point.history if _is_captured(settings, record)]


def next_parts(
    settings: MySqlSettings, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
) -> SnapshotStep:
    """The next parts of a snapshot, at most `wanted`.

    Args:
        settings: of the connector.
        point: P, with the tables from `tables_of`.
        reached: from the step before; None for the first.
        wanted: the greatest number of parts.
        max_bytes: about the total size of all parts; None: parts have their usual size.

    Raises:
        PositionLostError: the log is no longer retained from P on.
        RetriableError: the server does not show everything up to P.

    """
    first = structures_step(reached, announces_structures=settings.include_schema_changes)
    if first is not None:
        return first
    place = RestartPosition.from_dict(point.restart)
    with connect(settings) as session:
        server = catalog.server(session)
        require_log(session, server, settings, place)
        wait_visible(session, place.gtids)
        statements.prepare(session)
        limits = limits_of(wanted, max_bytes, log_since(session, server, place))
        return Stepping(PartRangePlanning(session, server), limits).step(point, reached)


def require_log(session: Connection, server: Server, settings: MySqlSettings, point: RestartPosition) -> None:
    """Raise `PositionLostError` if the log is no longer retained from P on: it is read from there after the snapshot."""
    try:
        catalog.require_available(session, server, point, wanted_sources(settings))
    except PositionLostError as error:
        raise lost(point, error) from error


def lost(point: RestartPosition, error: PositionLostError) -> PositionLostError:
    """The error for a log that was purged during a snapshot."""
    return PositionLostError(
        f"the snapshot is not done, and the log no longer reaches back to the position that it is of, {point.file}:"
        f"{point.pos}: {error}. Let the server keep its log for longer than the snapshot takes "
        "(binlog_expire_logs_seconds), and begin again with a new checkpoint and an empty target"
    )


def _is_captured(settings: MySqlSettings, record: HistoryRecord) -> bool:
    changes: Sequence[Mapping[str, Any]] = record.get("tableChanges") or ()
    if not changes:
        return not record["databaseName"] or settings.tables.matches_database(record["databaseName"])
    tables = [parse_id(change["id"]) for change in changes]
    return any(settings.tables.matches(table) for table in tables)


def log_since(session: Connection, server: Server, point: RestartPosition) -> int:
    """The size in bytes of the log that was written since P; 0 if P is on another server."""
    files = catalog.files(session)
    if point.server_uuid != server.uuid or point.file not in files:
        return 0
    names = list(files)
    return sum(files[name] for name in names[names.index(point.file) :]) - point.pos


class PartRangePlanning:
    """The queries of a planning step."""

    def __init__(self, session: Connection, server: Server) -> None:
        self._session = session
        self._server = server

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables."""
        return estimated_sizes(self._session, self._server, tables)

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return ChunkKey.from_dict(given)

    def next_range_ends(
        self, table: TableId, key: ChunkKey, after: Bound | None, *, of_rows: int, most: int
    ) -> RangeEnds:
        """The ends of the next ranges of about `of_rows` rows; none of a table that is gone, as the reader of its rest finds.

        Raises:
            KeyChangedError: the key's index is gone, or a column of it.

        """
        try:
            return next_range_ends(self._session, table, key, after, of_rows=of_rows, most=most)
        except SourceSetupError as error:
            if error_number(error) in catalog.GONE:
                return RangeEnds([], is_end=True)
            if error_number(error) in catalog.KEY_GONE:
                raise key_changed(table, key) from error
            raise
