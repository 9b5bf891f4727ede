"""The plan of a snapshot: P, the structures there, what each lane reads, and whether P may follow an earlier one."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace import epoch
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Progress, StartPoint
from tailrace.connectors.change_tables.announced_structures import first_history
from tailrace.connectors.change_tables.dialect import Dialect, Events, Session
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, RestartPosition
from tailrace.connectors.change_tables.snapshots import point
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.change_tables.snapshots.point import Point
from tailrace.connectors.change_tables.snapshots.sessions import Sessions
from tailrace.connectors.change_tables.snapshots.source import LSN
from tailrace.connectors.change_tables.snapshots.splitting import TableSplitter
from tailrace.connectors.shared.snapshots import planning
from tailrace.connectors.shared.snapshots.keys import NoKey, stored
from tailrace.connectors.shared.snapshots.overrides import overrides_of, warn_of_idle
from tailrace.errors import PositionLostError, RetriableError
from tailrace.schema.tables import TableId

ATTEMPTS: Final = 5

log = logging.getLogger(__name__)


def planned(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    lanes: int,
    after: Sequence[Progress] = (),
    *,
    is_exact: bool = True,
) -> StartPoint:
    """The current P with its structures, and a snapshot as of it for so many lanes, or for one if it is small.

    Args:
        dialect: of the database.
        tables: of the configuration.
        lanes: how many are wanted.
        after: the progress of lanes that the snapshot replaces.
        is_exact: whether tables are read as of P, for which a replica needs keys.

    Raises:
        RetriableError: P can't be taken now.
        UnsupportedError: a table can't be read as of P.
        PositionLostError: the log ends before what the lanes in `after` have delivered.

    """
    settings, positions = dialect.settings, Positions(dialect.lsns)
    with Sessions(dialect) as sessions:
        _wait_for(dialect, sessions, delivered(positions, after))
        points, keys, rows = _settled(dialect, tables, sessions, KeyProofs(dialect, tables) if is_exact else None)
        lsns = {name: each.lsn for name, each in points.items()}
        restart = RestartPosition(
            {
                name: DatabasePosition(each.lsn, as_of_us=each.as_of_us, landmark=each.landmark)
                for name, each in points.items()
            }
        )
        require_behind(lsns, delivered(positions, after))
        if is_exact:
            tables.require_keys(keys)
        check_overrides(settings, tables, sessions, points, keys)
        cutter = TableSplitter(tables, sessions.by_database, keys, rows)
        snapshot = planning.planned(settings, stored(keys), rows, lanes, position_of(restart), cutter)
    history = history_of(dialect, points.values())
    return StartPoint(restart.to_dict(), history, snapshot, restart.delivered if after else "")


def part_of(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    wanted: Sequence[TableId],
    place: Mapping[str, Any],
    proofs: KeyProofs[Session, KeyT],
    *,
    waits: bool = False,
) -> dict[str, Any] | None:
    """The initial state of a lane that reads the `wanted` tables, in their order, as of a position.

    None: a key may be younger than the position, and the log goes on until it is not.

    Args:
        dialect: of the database.
        tables: of the configuration.
        wanted: the tables.
        place: the position.
        proofs: the same ones until there is a state.
        waits: whether to wait for capture, as the log does not go on.

    Raises:
        UnsupportedError: a table can't be read as of it.
        ConfigError: a statement of the user can't be executed.
        RetriableError: capture does not come on while that is waited for.

    """
    with Sessions(dialect) as sessions:
        restart = Positions(dialect.lsns).restart(place, tuple(sessions.by_database))
        found = {
            name: point.at(dialect, session, wanted, restart[name].lsn)
            for name, session in sessions.by_database.items()
        }
        there = {table for each in found.values() for table in each.tables}
        for table in wanted:
            if table not in there:
                log.warning("%s is not captured, and therefore not in the blocking snapshot", table)
        read = [table for table in wanted if table in there]
        keys, rows = _keys_and_rows(tables, sessions, found, read)
        if waits and _waited(proofs, sessions, found, keys):
            keys, rows = _keys_and_rows(tables, sessions, found, read)
        if not _are_older(proofs, sessions, found, keys):
            return None
        tables.require_keys(keys)
        check_overrides(dialect.settings, tables, sessions, found, keys)
    return planning.whole_part(stored(keys), rows, position_of(restart))


def check_overrides(
    settings: Settings,
    tables: PlannedTables[Session, KeyT],
    sessions: Sessions[Session],
    points: Mapping[str, Point],
    keys: Mapping[TableId, KeyT | NoKey],
) -> None:
    """Check the user's statements without reading a row; raises `ConfigError` for one that can't be executed."""
    overrides = overrides_of(settings, keys, lower_names=tables.lower_names)
    for table, override in overrides.items():
        key, session = keys[table], sessions.by_database[table.catalog]
        begun = None if isinstance(key, NoKey) else key
        tables.require_readable(session, points[table.catalog].lsn, table, begun, override)
    warn_of_idle(settings, overrides.values())


def history_of(events: Events, points: Iterable[Point]) -> list[HistoryRecord]:
    """The structures at P, as the first records of a schema history."""
    now_us = epoch.now_us()
    found: list[HistoryRecord] = []
    for each in points:
        found += first_history(events, list(each.tables.values()), each.lsn, now_us)
    return found


def position_of(restart: RestartPosition) -> dict[str, Any]:
    """P, as in a lane's state."""
    return {LSN: {name: restart[name].lsn.text for name in restart}}


def delivered(positions: Positions, after: Sequence[Progress]) -> Iterator[tuple[str, Lsn]]:
    """The LSN up to which each lane delivered each database."""
    for progress in after:
        restart = positions.restart(progress.restart)
        yield from ((name, restart[name].lsn) for name in restart)


def require_behind(restart: Mapping[str, Lsn], already: Iterable[tuple[str, Lsn]]) -> None:
    """Raise `PositionLostError` if a log ends before what was delivered: it is another log."""
    for name, lsn in already:
        if name in restart and restart[name] < lsn:
            raise PositionLostError(
                f"the log of {name} ends at {restart[name]}, and was delivered up to {lsn}: the database was restored from "
                "a backup, or is another one. Take the snapshot into an empty target, with another topic.prefix or after the "
                "sink's progress is removed"
            )


def _wait_for(dialect: Dialect[Session], sessions: Sessions[Session], already: Iterable[tuple[str, Lsn]]) -> None:
    """Wait for replicas that are behind what was delivered from others."""
    for name, lsn in already:
        if name in sessions.by_database:
            dialect.wait_for(sessions.by_database[name], lsn)


def _settled(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    sessions: Sessions[Session],
    proofs: KeyProofs[Session, KeyT] | None,
) -> tuple[dict[str, Point], dict[TableId, KeyT | NoKey], dict[TableId, int]]:
    """The current P with the keys of the tables to read, which are no younger, and their estimated row counts.

    `proofs`: of the keys; None: they need none.

    Raises:
        RetriableError: tables are altered again and again.

    """
    for attempt in range(ATTEMPTS):
        warn = tables.warn_of_others if attempt == 0 else lambda *_: None  # once
        points = {
            name: point.take(dialect, session, tables.late_instances_error, warn)
            for name, session in sessions.by_database.items()
        }
        there = [table for each in points.values() for table in each.tables]
        keys, rows = _keys_and_rows(tables, sessions, points, planning.tables_to_read(dialect.settings, there))
        if proofs is None or not _waited(proofs, sessions, points, keys):
            return points, keys, rows
    raise RetriableError("tables, or their indexes, are altered again and again while a snapshot of them begins")


def _waited(
    proofs: KeyProofs[Session, KeyT],
    sessions: Sessions[Session],
    points: Mapping[str, Point],
    keys: Mapping[TableId, KeyT | NoKey],
) -> bool:
    """Whether keys may be younger than P; then capture has passed the time at which they were looked up."""
    young = {name: found for name, found in _young(proofs, sessions, points, keys).items() if found}
    for name, found in young.items():
        proofs.wait(sessions.by_database[name], found)
    return bool(young)


def _are_older(
    proofs: KeyProofs[Session, KeyT],
    sessions: Sessions[Session],
    points: Mapping[str, Point],
    keys: Mapping[TableId, KeyT | NoKey],
) -> bool:
    """Whether keys are no younger than P; waits for nothing."""
    young = _young(proofs, sessions, points, keys)
    # All are asked, so that the time that capture has to pass is noted everywhere now.
    passed = [proofs.have_passed(sessions.by_database[name], found) for name, found in young.items() if found]
    return not passed or (all(passed) and not any(_young(proofs, sessions, points, keys).values()))


def _young(
    proofs: KeyProofs[Session, KeyT],
    sessions: Sessions[Session],
    points: Mapping[str, Point],
    keys: Mapping[TableId, KeyT | NoKey],
) -> dict[str, list[TableId]]:
    """The tables of each database whose keys may be younger than P."""
    return {
        name: proofs.young(session, points[name].lsn, [each for each in points[name].instances if each.table in keys], keys)
        for name, session in sessions.by_database.items()
    }


def _keys_and_rows(
    tables: PlannedTables[Session, KeyT],
    sessions: Sessions[Session],
    points: Mapping[str, Point],
    read: Sequence[TableId],
) -> tuple[dict[TableId, KeyT | NoKey], dict[TableId, int]]:
    """The keys of the tables to read, in order, and their estimated row counts."""
    keys: dict[TableId, KeyT | NoKey] = {}
    rows: dict[TableId, int] = {}
    for name, session in sessions.by_database.items():
        instances = [points[name].tables[table][1] for table in read if table.catalog == name]
        keys |= tables.keys_of(session, instances)
        rows |= tables.estimated_rows(session, instances)
    return {table: keys[table] for table in read}, rows
