"""Before the log is read: whether the server has everything from a position on, and how to request it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.gtid import GtidSet, resumed, wanted_sources
from tailrace.connectors.mysql.initial_structures import first_history, structures_now
from tailrace.connectors.mysql.log_file_identity import server_file
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace.errors import PositionLostError


@dataclass(frozen=True, slots=True)
class DumpStart:
    """Where reading begins: the server, the dump request, the restart position on this server, and its files."""

    server: Server
    start: DumpPosition
    restart: RestartPosition
    files: Mapping[str, int]


def dump_start(settings: MySqlSettings, restart: RestartPosition) -> DumpStart:
    """How to read from a restart position on.

    Raises:
        PositionLostError: the server no longer has everything from there on.

    """
    wanted = wanted_sources(settings)
    gtids = None if settings.gtid_ignore_on_recovery else restart.gtids
    with connection.connect(settings) as session:
        server = catalog.server(session)
        catalog.require_available(session, server, replace(restart, gtids=gtids), wanted)
        files = catalog.files(session)
        there = server_file(settings, server, files, replace(restart, gtids=gtids))
        here = restart.on_server(server.uuid, files, file_created=there.created, is_other_file=there.is_other)
        _require_same(restart, here, server)
        if gtids is None or there.created is not None:
            return DumpStart(server, DumpPosition(restart.file or next(iter(files)), restart.pos), here, files)
        executed, _ = catalog.gtids(session)
        return DumpStart(server, DumpPosition(gtids=resumed(GtidSet.parse(gtids), executed, wanted)), here, files)


def _require_same(restart: RestartPosition, here: RestartPosition, server: Server) -> None:
    if restart.is_prepared and here.era != restart.era:
        raise PositionLostError(
            f"an XA transaction was prepared at {restart.file}:{restart.pos} of server {restart.server_uuid}, and others "
            f"behind it are delivered; which, this server ({server.uuid}) can't tell. Let the XA transaction end and be "
            "read on that server first, or set a new position (tailrace offsets set)"
        )


def rebuilt_history(settings: MySqlSettings, restart: RestartPosition) -> Sequence[HistoryRecord]:
    """The schema history from the current tables, which is right if no DDL was run on them since."""
    with connection.connect(settings) as session:
        server = catalog.server(session)
        found = structures_now(session, server, settings)
    return first_history(settings, server, restart, found)
