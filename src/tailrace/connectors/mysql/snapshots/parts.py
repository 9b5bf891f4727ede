"""A snapshot planned a few parts at a time, for those who read each part on its own and maybe again: the DataFrame way.

The tables and their keys are looked up when P is taken, and nothing else is planned ahead: how far the snapshot has come
is a table and a key of it, and where the next parts end is asked of the server when they are wanted. So little is to be
kept, however large the tables are. A part is a range of a large table, or several small tables; it has about as many
rows as another.

Every part reads the log from P on. So that this does not become the larger part of the work, parts grow with the log
that has been written since P, up to `MOST_GROWTH` times.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from tailrace.config.properties.snapshots import ONLY_SNAPSHOT
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, SnapshotStep, StartPoint
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, connect
from tailrace.connectors.mysql.gtid import wanted_sources
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.cuts import next_cuts
from tailrace.connectors.mysql.snapshots.gathering import IS_CUT, TABLES_OF_A_PART, Limits, Parts, limits_of
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.point import wait_visible
from tailrace.connectors.mysql.snapshots.splitting import Size, estimated_sizes
from tailrace.errors import PositionLostError, SourceSetupError
from tailrace.schema.history import parse_id
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.segments import Bound, Segment

STRUCTURES: Final[Mapping[str, Any]] = {"structures": True}
"""The part that has no rows, but tells the structures that the connector begins with."""

log = logging.getLogger(__name__)


def require_structures(settings: MySqlSettings) -> None:
    """Raise `SourceSetupError` where the log could not be read when the snapshot is done, since nobody keeps structures."""
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
    """The structures at P, but where no file keeps them for those who read only of the captured tables."""
    if settings.schema_history_internal_file_filename:
        return point.history
    return [record for record in point.history if _is_captured(settings, record)]


def tables_of(point: StartPoint) -> Mapping[str, Any]:
    """The tables of a snapshot that was planned for one lane, in the order in which they are read, with their keys."""
    (only,) = (point.snapshot or {})["parts"]
    part = LanePart.from_dict(orjson.loads(orjson.dumps(only)))  # as a sink gives it back
    return {"tables": [[segment.table, part.keys[segment.table]] for segment in part.state.segments]}


def next_parts(
    settings: MySqlSettings, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
) -> SnapshotStep:
    """The next parts of a snapshot, at most `wanted`.

    Args:
        settings: of the connector.
        point: P, with the tables as `tables_of` gave them.
        reached: what the step before came to; None at first.
        wanted: how many parts.
        max_bytes: of tables, about so many in all of them; None: as many as parts usually have.

    Raises:
        PositionLostError: the log no longer reaches back to P.
        RetriableError: the server does not show everything up to P.

    """
    if reached is None and settings.include_schema_changes:
        return SnapshotStep([STRUCTURES], {"tables": 0})
    place = RestartPosition.from_dict(point.restart)
    with connect(settings) as session:
        server = catalog.server(session)
        require_log(session, server, settings, place)
        wait_visible(session, place.gtids)
        statements.prepare(session)
        limits = limits_of(wanted, max_bytes, log_since(session, server, place))
        step = _Step(session, server, limits).made((point.snapshot or {})["tables"], reached or {"tables": 0})
    asked = (point.snapshot or {}).get("asked")
    return step if asked is None else replace(step, parts=[_asked(part, asked) for part in step.parts])


def _asked(part: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a snapshot that a signal asked for, with the statements that read its tables instead of themselves."""
    its = {table: text for table, text in asked["statements"].items() if table in part["keys"]}
    return {**part, "asked": {**asked, "statements": its}}


def require_log(session: Connection, server: Server, settings: MySqlSettings, point: RestartPosition) -> None:
    """Raise `PositionLostError` when the log does not reach back to P, from where it is read when the snapshot is done."""
    try:
        catalog.require_available(session, server, point, wanted_sources(settings))
    except PositionLostError as error:
        raise lost(point, error) from error


def lost(point: RestartPosition, error: PositionLostError) -> PositionLostError:
    """An error of the log, told of a snapshot."""
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
    """How many bytes of the log were written since P; 0 where P is another server's."""
    files = catalog.files(session)
    if point.server_uuid != server.uuid or point.file not in files:
        return 0
    names = list(files)
    return sum(files[name] for name in names[names.index(point.file) :]) - point.pos


class _Step:
    """One step: how far it has come is how many tables are in parts, and a key where the next one is cut."""

    def __init__(self, session: Connection, server: Server, limits: Limits) -> None:
        self._session = session
        self._server = server
        self._limits = limits
        self._parts = Parts(limits)

    def made(self, tables: Sequence[Sequence[Any]], reached: Mapping[str, Any]) -> SnapshotStep:
        """Parts of these tables, from where the last step ended."""
        done, after = int(reached["tables"]), reached.get("after")
        window = tables[done : done + self._limits.parts * TABLES_OF_A_PART]
        sizes = estimated_sizes(self._session, self._server, [parse_id(name) for name, _ in window])
        for name, given in window:
            size, key = sizes[parse_id(name)], None if given is None else ChunkKey.from_dict(given)
            is_alone = self._is_alone(size, key, after)
            if not self._parts.makes_room(self._limits.share(size), is_alone=is_alone):
                break
            after = self._take(name, size, key, after)
            if after is not None:
                break
            done += 1
        self._parts.close()
        is_end = done == len(tables)
        place = {"tables": done} if after is None else {"tables": done, "after": after}
        return SnapshotStep(self._parts.done, None if is_end else place)

    def _is_alone(self, size: Size, key: ChunkKey | None, after: Bound | None) -> bool:
        """Whether a table shares no part with others: a large one, or one that can't be cut."""
        return key is None or after is not None or self._limits.share(size) >= IS_CUT

    def _take(self, name: str, size: Size, key: ChunkKey | None, after: Bound | None) -> Bound | None:
        """Put a table into parts, from a key on; where the next step goes on with it, None if it is in them."""
        if key is None:
            log.warning("%s has no key that its rows could be told apart by: one task reads it, at one go", name)
        if key is None or not self._is_alone(size, key, after):
            self._parts.gather(Segment(name), key, self._limits.share(size) if key else 1)
            return None
        of_rows = self._limits.rows_of(size)
        cuts = next_cuts(self._session, parse_id(name), key, after, of_rows=of_rows, most=self._parts.left)
        self._parts.add_ranges(name, key, [after, *cuts.points, *([None] if cuts.is_end else [])])
        return None if cuts.is_end else cuts.points[-1]
