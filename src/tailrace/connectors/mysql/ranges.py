"""Ranges of MySQL's log that can be planned without reading it: between heads, and at the ends of log files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.schema.history import at_or_before

PREVIOUS_GTIDS = "Previous_gtids"
EVENTS_BEFORE_PREVIOUS_GTIDS = 5


class Ranges:
    """The part of the connector that plans ranges."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def head_after(self, start: Mapping[str, Any] | None, max_bytes: int | None) -> Mapping[str, Any]:
        """The newest position, in `start`'s count of eras; with a limit, the first end of a file beyond it."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            files = catalog.files(session)
            head = catalog.head(session, server)
            if start is None:
                return head.restart(server).to_dict()
            begin = RestartPosition.from_dict(start).on_server(server.uuid, files)
            newest = head.restart(server, begin.era)
            file = None if max_bytes is None else file_after(files, begin, max_bytes)
            if file is None or file_number(file) > file_number(newest.file):
                return newest.to_dict()
            gtids = _gtids_before(session, file) if newest.gtids is not None else None
            return RestartPosition(era=begin.era, file=file, gtids=gtids, server_uuid=server.uuid).to_dict()

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of one who has everything before a position."""
        return Progress(str(RestartPosition.from_dict(position).position), position)

    def history_at(
        self, history: Sequence[HistoryRecord], position: Mapping[str, Any]
    ) -> Sequence[HistoryRecord]:
        """The records of a schema history that lie before a position."""
        is_before = at_or_before(position)
        return [record for record in history if is_before(record["position"])]


def file_after(files: Mapping[str, int], start: RestartPosition, max_bytes: int) -> str | None:
    """The file at whose beginning a range of about `max_bytes` ends: the first that lies so far behind `start`."""
    passed = -start.pos
    number = file_number(start.file) if start.file else 0
    for file, size in files.items():
        if passed >= max_bytes and file_number(file) > number:
            return file
        if file_number(file) >= number:
            passed += size
    return None


def _gtids_before(session: Connection, file: str) -> str:
    """The GTIDs executed before a file, which it tells in its second event."""
    found = rows(session, f"SHOW BINLOG EVENTS IN %s LIMIT {EVENTS_BEFORE_PREVIOUS_GTIDS}", file)
    return next(("".join(str(row[5]).split()) for row in found if row[2] == PREVIOUS_GTIDS), "")
