"""Plans ranges of the logs without reading them: by commit LSNs, in each database.

The plan includes how far the server's clock is ahead of UTC, because the server has local times: a range then yields
the same times whenever it is read. It includes the structures that are new in the range, for the same reason. And it
includes the tables with changes in it: a table without changes may be gone when the range is read, and nothing is lost.

Some logs grow by the work of those who read them: Db2's Capture program writes what it has captured into the same database. A
range without a change is therefore planned only every `REST_US`, so that an idle DataFrame has no batch in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables.announced_structures import is_announced_up_to
from tailrace.connectors.change_tables.common_boundary import common_boundary
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, RestartPosition
from tailrace.connectors.change_tables.same_log import require_same_log
from tailrace.connectors.change_tables.tables_with_changes import tables_with_rows
from tailrace.connectors.change_tables.windows import Window

REST_US: Final = 60_000_000  # of the log's times, which must not fall behind what is cleaned up


class Ranges(Generic[Session]):
    """Plans the ranges of one connector."""

    def __init__(self, dialect: Dialect[Session]) -> None:
        self._dialect = dialect
        self._positions = Positions(dialect.lsns)

    def common_boundary(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest LSNs up to which all of these lanes can read."""
        return common_boundary(self._positions, lanes, self._dialect.databases).to_dict()

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """How far each log is captured now; with a limit, a position about so many bytes after `start` in total.

        The position is `start` where the logs know their times, and nothing was captured behind it within `REST_US`.

        Raises:
            PositionLostError: a log ends before `start`.

        """
        found = self.newest(start, max_bytes, at_most)
        return start if start is not None and at_most is None and self._rests(start, found) else found

    def newest(
        self, start: Mapping[str, Any] | None, max_bytes: int | None = None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The same, also where nothing was captured."""
        names = self._dialect.databases
        begin, limit = self._at(start), self._lsns(at_most)
        share = None if max_bytes is None else max(max_bytes // len(names), 1)
        return RestartPosition(
            {name: self._end(name, begin.get(name), share, limit.get(name)) for name in names}
        ).to_dict()

    def has_reached(self, position: Mapping[str, Any], end: Mapping[str, Any]) -> bool:
        """Whether a position is at an end of a range, or behind it."""
        names = self._dialect.databases
        here, there = self._positions.restart(position, names), self._positions.restart(end, names)
        return all(here[name].lsn >= there[name].lsn for name in names)

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of a reader that has everything up to a position."""
        names = self._dialect.databases
        at = self._positions.restart(position, names)
        reached = RestartPosition(
            {
                name: DatabasePosition(at[name].lsn, as_of_us=at[name].as_of_us, landmark=at[name].landmark)
                for name in names
            }
        )
        return Progress(reached.delivered, reached.to_dict())

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history up to a position."""
        lsns = {name.lower(): lsn for name, lsn in self._lsns(position).items()}
        return [record for record in history if is_announced_up_to(record, lsns, self._dialect)]

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """The records of the structures that are new between two positions."""
        from tailrace.connectors.change_tables.planned_structures import (
            new_structures,  # only the DataFrame way needs it
        )

        ends = self._lsns(end)
        begins = self._positions.restart(start, self._dialect.databases)
        windows = {name: Window(lsn, ends[name]) for name, lsn in self._lsns(start).items()}
        as_of_us = {name: begins[name].as_of_us for name in windows}
        return new_structures(self._dialect, history, windows, now_us, as_of_us)

    def _end(
        self, name: str, begin: DatabasePosition | None, max_bytes: int | None, at_most: Lsn | None
    ) -> DatabasePosition:
        with self._dialect.connect(name) as session:
            if begin is not None:
                self._dialect.wait_for(session, begin.lsn if at_most is None else max(begin.lsn, at_most))
            head = self._dialect.end_now(session)
            lsn, filled, kept = head.lsn if at_most is None else min(head.lsn, at_most), None, None
            if begin is not None:
                kept = require_same_log(self._dialect, session, name, begin, head.lsn)
                start, lsn = begin.lsn, max(lsn, begin.lsn)
                if max_bytes is not None and lsn > start:
                    from tailrace.connectors.change_tables.splitting import range_end  # only needed with a limit

                    lsn = range_end(self._dialect, session, Window(start, lsn), max_bytes)
                if lsn > start:
                    filled = tables_with_rows(self._dialect, session, Window(start, lsn))
            newest = self._dialect.landmark(session, lsn)
            if newest is None or newest.commit is None:
                newest = kept or newest  # the list was cleaned up, and the one of before still shows what log it is
        as_of_us = head.as_of_us if lsn == head.lsn else None
        return replace(head, lsn=lsn, filled=filled, as_of_us=as_of_us, landmark=newest)

    def _rests(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> bool:
        """Whether a range is young and without changes."""
        names = self._dialect.databases
        begins, ends = (self._positions.restart(each, names) for each in (start, end))
        return all(_is_young(begins[name], ends[name]) for name in names)

    def _lsns(self, position: Mapping[str, Any] | None) -> dict[str, Lsn]:
        """LSNs by database, in the configuration's order; empty without a position."""
        return {name: at.lsn for name, at in self._at(position).items()}

    def _at(self, position: Mapping[str, Any] | None) -> dict[str, DatabasePosition]:
        """Positions by database, likewise."""
        names = self._dialect.databases
        at = self._positions.restart(position, names) if position is not None else None
        return {} if at is None else {name: at[name] for name in names}


def _is_young(start: DatabasePosition, end: DatabasePosition) -> bool:
    if end.filled != () or start.as_of_us is None or end.as_of_us is None:
        return end.lsn == start.lsn
    return end.as_of_us < start.as_of_us + REST_US
