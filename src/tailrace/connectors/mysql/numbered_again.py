"""Whether a server has given GTIDs again that it gave to other transactions before.

A GTID set tells what is missing only while a number means one transaction. After RESET BINARY LOGS AND GTIDS, with a data
directory that was restored to an earlier state, or after a crash that lost the end of the log, a server counts on from
a lower number: what was read under the numbers up to the old one seems to be there, and is something else.

The place where reading stopped decides. What was read of the server's own was logged before that place. If the server does not
have the place any more, those transactions are in none of its files, so all of them are in `gtid_purged`. If only the end
of that file was lost, they are there, or in the files before the next one, whose Previous_gtids event lists them. A number
that is in neither was given to a transaction that came later.

Numbers of other servers are not compared: a replica that is restored gets the same transactions once more. Nor are
those of a server that is not known to be the same: after a fail-over the GTID set is all there is.

Source: MySQL Reference Manual, "Global Transaction ID System Variables" (`gtid_purged`), "RESET BINARY LOGS AND GTIDS".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.log_file_identity import created_at
from tailrace.connectors.mysql.positions import FIRST_OFFSET, RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import DumpPosition
from tailrace.errors import PositionLostError


def require_numbered_once(
    settings: MySqlSettings,
    connection: Connection,
    server: Server,
    files: Mapping[str, int],
    restart: RestartPosition,
    purged: GtidSet,
    wanted: Callable[[str], bool],
) -> None:
    """Refuse a position with GTIDs, on the server that it is of, if that has given their numbers again.

    Args:
        settings: of the connector.
        connection: to the server.
        server: its version and variables.
        files: its log files with their sizes, oldest first.
        restart: a position that the server can't be asked for by file and offset.
        purged: the GTIDs in none of these files.
        wanted: the filter of GTID sources.

    Raises:
        PositionLostError: it has; changes may be missing.

    """
    if restart.gtids is None or restart.server_uuid != server.uuid:
        return
    own = GtidSet.parse(restart.gtids).filtered(lambda each: each == server.uuid.lower() and wanted(each))
    later = own.subtract(purged)
    if later and _is_same_file(settings, files, restart):
        if files[restart.file] >= restart.pos:
            return
        later = later.subtract(_logged_up_to(connection, files, restart.file))
    if later:
        raise PositionLostError(
            f"the transactions {later} of server {server.uuid} were read, up to {restart.file}:{restart.pos}, and the server "
            "has logged others with these numbers since: it began to count again (RESET BINARY LOGS AND GTIDS, RESET "
            "MASTER), its data was restored to an earlier state, or it lost the end of its log. What they changed was not "
            "read: take a new snapshot (snapshot.mode=when_needed), or accept the gap with a new position (tailrace offsets "
            "set)"
        )


def _is_same_file(settings: MySqlSettings, files: Mapping[str, int], restart: RestartPosition) -> bool:
    """Whether the file of that name is certainly the one that was read, whatever became of its end."""
    if restart.file_created is None or restart.file not in files:
        return False
    return created_at(settings, DumpPosition(restart.file, FIRST_OFFSET)) == restart.file_created


def _logged_up_to(connection: Connection, files: Mapping[str, int], file: str) -> GtidSet:
    """The transactions in a file and in those before it; none if it is the newest."""
    names = list(files)
    later = names[names.index(file) + 1 :]
    return GtidSet.parse(catalog.gtids_before(connection, later[0])) if later else GtidSet()
