"""The plan of a snapshot: its position, its tables, and what each lane reads."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import Progress, StartPoint
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head, Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.initial_structures import first_history
from tailrace.connectors.mysql.log_file_identity import restart_at
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, log_position
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import overrides, point, splitting, statements
from tailrace.connectors.mysql.snapshots.key_proofs import altered_since
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, keys_of
from tailrace.connectors.shared.snapshots import planning
from tailrace.connectors.shared.snapshots.keys import NoKey, stored
from tailrace.schema.tables import TableId

ATTEMPTS: Final = 3  # to take a position whose keys are not altered meanwhile

log = logging.getLogger(__name__)


def planned(
    connection: Connection, server: Server, settings: MySqlSettings, lanes: int, after: Sequence[Progress] = ()
) -> StartPoint:
    """A current position with its structures, and a snapshot as of it for so many lanes, or for one if it is small.

    It does not sort before what the lanes in `after` have delivered.

    Raises:
        RetriableError: no position can be taken now: structures keep changing, a lock is not granted, or XA
            transactions stay prepared.

    """
    taken, keys = _with_keys(connection, server, settings)
    for warning in taken.warnings:
        log.warning("%s", warning)
    log.info("%s", taken.says)
    restart = restart_at(settings, server, taken.head).not_before(map(_delivered, after))
    history = first_history(settings, server, restart, taken.structures)
    statements.prepare(connection)
    overrides.checked(connection, server, settings, keys)
    estimated = splitting.estimated_rows(connection, server, keys)
    cutter = splitting.TableSplitter(connection, keys)
    snapshot = planning.planned(settings, stored(keys), estimated, lanes, log_position(restart), cutter)
    delivered = str(restart.position) if after else ""
    return StartPoint(restart.to_dict(), history, snapshot, delivered)


def part_of(
    connection: Connection, server: Server, settings: MySqlSettings, tables: Sequence[TableId], restart: RestartPosition
) -> dict[str, Any] | None:
    """The initial state of one lane that reads all of these tables as of a position.

    None, if the key of one may be younger: then the log goes on first.
    """
    statements.prepare(connection)
    keys = keys_of(connection, server, tables)
    # A position in another server's files can't be looked for here: the reader of the log does that.
    since = Head(restart.file, restart.pos, restart.gtids) if restart.server_uuid == server.uuid else None
    altered = frozenset() if since is None else altered_since(connection, server, since, keys)
    if altered:
        named = ", ".join(map(str, sorted(altered)))
        log.info(
            "the key of %s may have been made in the log that is not read yet: the snapshot begins when that is read",
            named,
        )
        return None
    overrides.checked(connection, server, settings, keys)
    estimated = splitting.estimated_rows(connection, server, tables)
    return planning.whole_part(stored(keys), estimated, log_position(restart))


def tables_to_read(settings: MySqlSettings, captured: Iterable[TableId]) -> list[TableId]:
    """The tables that a snapshot reads, in Debezium's order, without the first signal table."""
    return planning.tables_to_read(settings, sorted(captured, key=catalog.in_name_order))


def _with_keys(
    connection: Connection, server: Server, settings: MySqlSettings
) -> tuple[point.Point, Mapping[TableId, ChunkKey | NoKey]]:
    """A current position, and the keys of its tables, which were not altered in between if that can be had."""
    for _ in range(ATTEMPTS):
        taken = point.take(connection, server, settings, settings.tables.matches)
        keys = keys_of(connection, server, tables_to_read(settings, taken.structures.tables))
        if not altered_since(connection, server, taken.head, keys):
            break
    return taken, keys  # if they are altered all the time, the readers stop where it matters


def _delivered(progress: Progress) -> BinlogPosition:
    if progress.delivered:
        return BinlogPosition.parse(progress.delivered)
    return RestartPosition.from_dict(progress.restart).position
