"""Ranges of MySQL's log, planned without decoding it: between heads, ends of files and transaction boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.common_boundary import common_boundary
from tailrace.connectors.mysql.history_positions import holds_for
from tailrace.connectors.mysql.log_file_identity import restart_after, restart_at
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.schema.routing import Routing


class Ranges:
    """The planning part of the connector: which ranges, up to where, under which topic names."""

    def __init__(self, settings: MySqlSettings) -> None:
        self.settings = settings

    def routed(self, routing: Mapping[str, Any]) -> Self:
        """The same under a stored routing."""
        return type(self)(evolve(self.settings, routing=Routing.from_dict(routing)))

    def can_change_lanes(self, progress: Progress) -> bool:
        """Not within a partly delivered transaction: after a fail-over each lane skips its own count of rows."""
        restart = RestartPosition.from_dict(progress.restart)
        return not restart.open_rows and restart.skip_gtid is None

    def common_boundary(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest boundary that all of these lanes can read up to."""
        return common_boundary(lanes, partial(self.head_after, max_bytes=1))

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The newest position, in `start`'s count of eras; with a limit, about `max_bytes` after `start`."""
        newest = self._head_after(start, max_bytes)
        return newest if at_most is None else min(newest, at_most, key=_place)

    def _head_after(self, start: Mapping[str, Any] | None, max_bytes: int | None) -> Mapping[str, Any]:
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            head = catalog.head(session, server)
            if start is None:
                return restart_at(self.settings, server, head).to_dict()
            begin = RestartPosition.from_dict(start)
            newest = restart_after(self.settings, server, catalog.files(session), begin, head).to_dict()
        return newest if max_bytes is None else self.range_end(start, newest, max_bytes)

    def range_end(self, start: Mapping[str, Any], head: Mapping[str, Any], limit_bytes: int) -> Mapping[str, Any]:
        """A transaction boundary about `limit_bytes` of the log after `start`; `head` at most."""
        from tailrace.connectors.mysql.splitting import (
            range_end,  # imports the decoder: `tailrace run` has no use for it
        )

        begin, end = RestartPosition.from_dict(start), RestartPosition.from_dict(head)
        return range_end(self.settings, begin, end, limit_bytes).to_dict()

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress after everything before a position was delivered."""
        return Progress(_place(position), position)

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history that lie before a position."""
        holds = holds_for(self.settings, position)
        return [record for record in history if holds(record)]

    def history_after(
        self,
        history: Sequence[HistoryRecord],  # noqa: ARG002
        start: Mapping[str, Any],  # noqa: ARG002
        end: Mapping[str, Any],  # noqa: ARG002
        now_us: int,  # noqa: ARG002
    ) -> Sequence[HistoryRecord] | None:
        """None: the structures are in the log, which only a reader decodes."""
        return None


def _place(position: Mapping[str, Any]) -> str:
    return str(RestartPosition.from_dict(position).position)
