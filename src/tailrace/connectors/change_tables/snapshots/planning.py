"""The plan of a snapshot, as far as it depends on P: the structures, P itself, and whether P may follow an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import Positions, RestartPosition
from tailrace.connectors.change_tables.snapshots.point import Point
from tailrace.connectors.change_tables.snapshots.source import LSN
from tailrace.connectors.change_tables.told_structures import first_history
from tailrace.errors import PositionLostError


def history_of(events: Events, points: Iterable[Point]) -> list[HistoryRecord]:
    """The structures at P, as the first records of a schema history."""
    now_us = epoch.now_us()
    found: list[HistoryRecord] = []
    for each in points:
        found += first_history(events, list(each.tables.values()), each.lsn, now_us)
    return found


def place_of(restart: RestartPosition) -> dict[str, Any]:
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
