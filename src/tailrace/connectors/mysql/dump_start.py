"""Before the log is read: whether the server has everything from a position on, and how to request it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.gtid import GtidSet, resumed, wanted_sources
from tailrace.connectors.mysql.initial_structures import first_history, structures_now
from tailrace.connectors.mysql.log_file_identity import server_file
from tailrace.connectors.mysql.numbered_again import require_numbered_once
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace.errors import PositionLostError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DumpStart:
    """Where reading begins.

    Attributes:
        server: the server.
        start: the dump request.
        restart: the restart position on this server.
        files: its log files with their sizes, oldest first.
        purged: the GTIDs in none of them; None if the server's GTIDs are off.

    """

    server: Server
    start: DumpPosition
    restart: RestartPosition
    files: Mapping[str, int]
    purged: GtidSet | None


def dump_start(settings: MySqlSettings, restart: RestartPosition) -> DumpStart:
    """How to read from a restart position on.

    Raises:
        PositionLostError: the server no longer has everything from there on.
        RetriableError: it is a replica that has yet to apply what was read.

    """
    wanted = wanted_sources(settings)
    with connection.connect(settings) as session:
        server = catalog.server(session)
        restart = _without_gtids(restart, server)
        gtids = None if settings.gtid_ignore_on_recovery else restart.gtids
        asked = replace(restart, gtids=gtids)
        if gtids is None:
            catalog.require_available(session, server, asked, wanted)
        files = catalog.files(session)
        there = server_file(settings, server, files, asked)
        if gtids is not None:
            catalog.require_available(session, server, asked, wanted, is_there=there.created is not None)
        here = restart.on_server(server.uuid, files, file_created=there.created, is_other_file=there.is_other)
        _require_same(restart, here, server)
        executed, purged = catalog.gtids(session)
        if gtids is None or there.created is not None:
            start = DumpPosition(restart.file or next(iter(files)), restart.pos)
        else:
            require_numbered_once(settings, session, server, files, asked, purged, wanted)
            start = DumpPosition(gtids=resumed(GtidSet.parse(gtids), executed, wanted))
        _require_rising(session, files, start)
        return DumpStart(server, start, here, files, purged if server.has_gtids else None)


def _require_rising(session: Connection, files: Mapping[str, int], start: DumpPosition) -> None:
    """Require that no file to be read has a lower number than the one before: what is in it would count as delivered.

    A server makes such files where `log_bin` changes and `log_bin_index` stays.
    """
    names = list(files)
    restarts = [(earlier, later) for earlier, later in pairwise(names) if file_number(later) <= file_number(earlier)]
    if not restarts:
        return
    earlier, later = restarts[-1]
    if start.gtids is None:
        is_behind = names.index(start.file) >= names.index(later)
    else:
        is_behind = GtidSet.parse(catalog.gtids_before(session, later)).is_subset(start.gtids)
    if not is_behind:
        raise PositionLostError(
            f"the server's log goes on from {earlier} to {later}: its files got another name (log_bin), and their numbers "
            "no longer tell which of them is older. Take a new snapshot (snapshot.mode=when_needed), or set a new position "
            f"in {later} or behind it (tailrace offsets set)"
        )


def _without_gtids(restart: RestartPosition, server: Server) -> RestartPosition:
    """The position by file and offset only, if the server's GTIDs are off and it is the one with this file.

    The set can't be kept beside it: it would lack the transactions that have no GTID.
    """
    if restart.gtids is None or server.has_gtids or server.uuid != restart.server_uuid or restart.file_created is None:
        return restart
    log.warning(
        "gtid_mode is %s on this server: reading goes on by file and offset (%s:%s), without the progress's GTIDs",
        server["gtid_mode"],
        restart.file,
        restart.pos,
    )
    return replace(restart, gtids=None)


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
