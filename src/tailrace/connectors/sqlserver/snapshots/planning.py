"""The plan of a snapshot of SQL Server: P, the structures there, and what each lane reads."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import Progress, StartPoint
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.snapshots.planning import delivered, history_of, place_of, require_behind
from tailrace.connectors.change_tables.snapshots.point import Point
from tailrace.connectors.shared.snapshots import planning
from tailrace.connectors.shared.snapshots.keys import NoKey, stored
from tailrace.connectors.shared.snapshots.overrides import overrides_of, refused, warn_of_idle
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import point, statements
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, keys_of
from tailrace.connectors.sqlserver.snapshots.point import Sessions
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTables
from tailrace.connectors.sqlserver.snapshots.splitting import Cutter, estimated_rows
from tailrace.errors import SourceSetupError, UnsupportedError
from tailrace.schema.tables import TableId

SHOWN: Final = 10

log = logging.getLogger(__name__)


def planned(settings: SqlServerSettings, lanes: int, after: Sequence[Progress] = ()) -> StartPoint:
    """The current P with its structures, and a snapshot as of it for so many lanes, or for one if it is small.

    Raises:
        RetriableError: P can't be taken now.
        UnsupportedError: a table can't be read as of P.
        PositionLostError: the log ends before what the lanes in `after` have delivered.

    """
    with Sessions(settings) as sessions:
        _wait_for(sessions, after)
        points = {name: point.take(session, settings) for name, session in sessions.by_database.items()}
        restart = restart_at({name: each.lsn for name, each in points.items()})
        require_behind({name: each.lsn for name, each in points.items()}, delivered(POSITIONS, after))
        read = planning.tables_to_read(settings, [table for each in points.values() for table in each.tables])
        keys, rows = _tables(sessions, points, read)
        if settings.snapshot_isolation_mode is not None:
            lanes = 1  # lanes can't share a transaction
        elif settings.reads_replica:
            require_keys(keys)
        check_overrides(settings, sessions, points, keys)
        cutter = Cutter(settings, sessions.by_database, keys, rows)
        snapshot = planning.planned(settings, stored(keys), rows, lanes, place_of(restart), cutter)
    history = history_of(SqlServerDialect(settings), points.values())
    return StartPoint(restart.to_dict(), history, snapshot, restart.delivered if after else "")


def part_of(settings: SqlServerSettings, tables: Sequence[TableId], place: Mapping[str, Any]) -> dict[str, Any]:
    """The initial state of a lane that reads these tables, in the given order, as of a position.

    Raises:
        UnsupportedError: a table can't be read as of it.
        ConfigError: a statement of the user can't be executed.

    """
    with Sessions(settings) as sessions:
        restart = POSITIONS.restart(place, tuple(sessions.by_database))
        found = {name: point.at(session, settings, tables, restart[name].lsn) for name, session in sessions.by_database.items()}
        there = {table for each in found.values() for table in each.tables}
        for table in tables:
            if table not in there:
                log.warning("%s is not captured, and therefore not in the blocking snapshot", table)
        keys, rows = _tables(sessions, found, [table for table in tables if table in there])
        if settings.reads_replica:
            require_keys(keys)
        check_overrides(settings, sessions, found, keys)
    return planning.whole_part(stored(keys), rows, place_of(restart))


def _wait_for(sessions: Sessions, after: Sequence[Progress]) -> None:
    """Wait for replicas that are behind what was delivered from others."""
    for name, lsn in delivered(POSITIONS, after):
        if name in sessions.by_database:
            wait_for(sessions.by_database[name], lsn)


def _tables(
    sessions: Sessions, points: Mapping[str, Point], read: Sequence[TableId]
) -> tuple[dict[TableId, ChunkKey | NoKey], dict[TableId, int]]:
    """The keys of the tables to read, in order, and their estimated row counts."""
    keys: dict[TableId, ChunkKey | NoKey] = {}
    rows: dict[TableId, int] = {}
    for name, session in sessions.by_database.items():
        instances = [points[name].tables[table][1] for table in read if table.catalog == name]
        keys |= keys_of(session, instances)
        rows |= estimated_rows(session, instances)
    return {table: keys[table] for table in read}, rows


def require_keys(keys: Mapping[TableId, ChunkKey | NoKey]) -> None:
    """Require a key for every table: a replica has no locks, which a table without a key needs for a consistent view."""
    without = [f"{table} ({key.reason})" for table, key in keys.items() if isinstance(key, NoKey)]
    if without:
        more = f" and {len(without) - SHOWN} more" if len(without) > SHOWN else ""
        raise UnsupportedError(
            f"no key tells the rows of these tables apart, so they can't be read from a replica as of one position of the log: "
            f"{', '.join(without[:SHOWN])}{more}. Give them a primary key, or leave their rows out of the snapshot with "
            "snapshot.include.collection.list: their changes are told all the same. Or take the snapshot in one of Debezium's "
            "ways, which are not exact, with snapshot.isolation.mode=snapshot"
        )


def check_overrides(
    settings: SqlServerSettings,
    sessions: Sessions,
    points: Mapping[str, Point],
    keys: Mapping[TableId, ChunkKey | NoKey],
) -> None:
    """Check the user's statements without reading a row; raises `ConfigError` for one that can't be executed."""
    overrides = overrides_of(settings, keys, lower_names=True)
    for table, override in overrides.items():
        key, session = keys[table], sessions.by_database[table.catalog]
        begun = key if isinstance(key, ChunkKey) else None
        read = ReadTables(settings, session, points[table.catalog].lsn, {table: begun}).of(table)
        if read is None:
            continue
        sql = statements.none_of(table, read.selects, override.statement)
        try:
            with session.rolled_back():
                session.rows(sql)
        except SourceSetupError as error:
            raise refused(override, error) from error
    warn_of_idle(settings, overrides.values())
