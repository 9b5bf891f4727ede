"""What a MySQL server says about itself: variables, log files, the log's head, names of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tailrace.connectors.mysql.connection import Connection, mappings, rows
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.received_transactions import missing_for_good
from tailrace.errors import PositionLostError, SourceSetupError, UnsupportedError
from tailrace.schema.tables import TableId

SYSTEM_DATABASES = ("information_schema", "mysql", "performance_schema", "sys")
OLDEST_VERSION = (5, 7)
VARIABLES = (
    "binlog_checksum",
    "binlog_expire_logs_seconds",
    "binlog_format",
    "binlog_row_image",
    "binlog_row_metadata",
    "binlog_row_value_options",
    "binlog_rows_query_log_events",
    "binlog_transaction_compression",
    "character_set_database",
    "character_set_server",
    "collation_database",
    "collation_server",
    "expire_logs_days",
    "gtid_mode",
    "innodb_native_foreign_keys",
    "log_bin",
    "lower_case_table_names",
    "server_id",
    "server_uuid",
    "system_time_zone",
    "time_zone",
    "version",
    "version_comment",
)
GONE = {1049, 1146}  # a database, a table
KEY_GONE = {1176, 1054}  # an index, a column
FIRST_EVENTS = 5  # of a log file: Previous_gtids is among them

Wanted = Callable[[TableId], bool]


@dataclass(frozen=True, slots=True)
class Server:
    """A server's version and its global variables; unknown ones are absent."""

    version: tuple[int, int, int]
    variables: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.variables.get(name, "")

    def is_on(self, name: str) -> bool:
        """Whether a switch is on."""
        return self[name].upper() in {"ON", "1"}

    @property
    def uuid(self) -> str:
        """The server's UUID."""
        return self["server_uuid"]

    @property
    def lower_names(self) -> bool:
        """Whether names of databases and tables are kept in lower case."""
        return self["lower_case_table_names"] not in {"", "0"}

    @property
    def has_gtids(self) -> bool:
        """Whether every transaction of the log has a GTID."""
        return self["gtid_mode"].upper() == "ON"


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the log: file, offset, and the GTID set executed (None where GTIDs are off)."""

    file: str
    pos: int
    gtids: str | None

    def restart(self, server: Server, era: int = 0) -> RestartPosition:
        """To begin reading here."""
        return RestartPosition(era=era, file=self.file, pos=self.pos, gtids=self.gtids, server_uuid=server.uuid)


def server(connection: Connection) -> Server:
    """The server of a connection; refuses an unsupported one."""
    names = ", ".join(f"'{name}'" for name in VARIABLES)
    return from_variables(dict(rows(connection, f"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({names})")))


def from_variables(found: Mapping[str, str]) -> Server:
    """The same, from its variables."""
    text = found.get("version", "")
    if "mariadb" in f"{text} {found.get('version_comment', '')}".lower():
        raise UnsupportedError(f"the server is MariaDB ({text}): only MySQL can be read so far")
    version = _version(text)
    if version < OLDEST_VERSION:
        oldest = ".".join(map(str, OLDEST_VERSION))
        raise UnsupportedError(f"the server is MySQL {text}: {oldest} or newer is needed")
    return Server(version, found)


def head(connection: Connection, of: Server) -> Head:
    """The end of the log now, at a transaction boundary."""
    statement = "SHOW BINARY LOG STATUS" if of.version >= (8, 2) else "SHOW MASTER STATUS"
    found = mappings(connection, statement)
    if not found:
        raise SourceSetupError("the server writes no binary log: start it with log-bin and a server_id")
    status = found[0]
    gtids = "".join(status["Executed_Gtid_Set"].split()) if of.has_gtids else None
    return Head(status["File"], int(status["Position"]), gtids)


def files(connection: Connection) -> dict[str, int]:
    """The log files that the server has, oldest first, with their sizes."""
    return {row[0]: int(row[1]) for row in rows(connection, "SHOW BINARY LOGS")}


def gtids(connection: Connection) -> tuple[GtidSet, GtidSet]:
    """The GTIDs executed, and those of them that were purged from the log."""
    ((executed, purged),) = rows(connection, "SELECT @@GLOBAL.gtid_executed, @@GLOBAL.gtid_purged")
    return GtidSet.parse(executed), GtidSet.parse(purged)


def gtids_before(connection: Connection, file: str) -> str:
    """The GTIDs of all transactions in the files before one, as text, from its second event; not those that no file has."""
    found = rows(connection, f"SHOW BINLOG EVENTS IN %s LIMIT {FIRST_EVENTS}", file)
    return next(("".join(str(row[5]).split()) for row in found if row[2] == "Previous_gtids"), "")


def require_available(
    connection: Connection, of: Server, restart: RestartPosition, wanted: Callable[[str], bool], *, is_there: bool = False
) -> None:
    """Require that the server can send everything from a restart position on.

    What was read of a log that the server has may not be in its GTID set yet: it sends a transaction before it commits it,
    and a semi-synchronous source (AFTER_SYNC) first waits for a replica.

    Args:
        connection: to the server.
        of: its version and variables.
        restart: the position.
        wanted: the filter of GTID sources: missing transactions of others do not matter.
        is_there: whether the server has the position with GTIDs in its own log.

    Raises:
        PositionLostError: it can't.
        RetriableError: it is a replica that has yet to apply what was read.
        SourceSetupError: its GTIDs are off, and the position has some.

    """
    if restart.gtids is None:
        _require_file(connection, of, restart)
        return
    if not of.has_gtids:
        raise SourceSetupError(
            "the progress was stored with GTIDs, and they are off on this server (gtid_mode is "
            f"{of['gtid_mode']}): SET PERSIST gtid_mode = ON, step by step as the manual says"
        )
    read = GtidSet.parse(restart.gtids)
    executed, purged = gtids(connection)
    missing = purged.subtract(read).filtered(wanted)
    if missing:
        raise PositionLostError(
            f"the server has purged the transactions {missing}, which were not read yet: take a new "
            "snapshot; or, if they do not matter, name their server in gtid.source.excludes or set a new "
            "position (tailrace offsets set)"
        )
    unknown = GtidSet() if is_there else _begun(restart, read).subtract(executed).filtered(wanted)
    if unknown:
        unknown = missing_for_good(connection, of.version, unknown)
    if unknown:
        raise PositionLostError(
            f"the transactions {unknown} were read, and this server ({of.uuid}) does not have them: it "
            "is not the same data. Connect to a server that has them, or take a new snapshot"
        )


def _begun(restart: RestartPosition, read: GtidSet) -> GtidSet:
    """What was read, with a transaction of which only a part is delivered."""
    parts = (restart.open_gtid, restart.open_rows), (restart.skip_gtid, restart.skip_rows)
    for gtid, rows_delivered in parts:
        read = read.add(gtid) if gtid is not None and rows_delivered else read
    return read


def table_ids(connection: Connection, wanted: Wanted | None = None) -> list[TableId]:
    """The base tables outside MySQL's own databases, in order of their names as `database.table`."""
    found = rows(
        connection,
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE'"
        " AND TABLE_SCHEMA NOT IN %s",
        SYSTEM_DATABASES,
    )
    tables = [each for each in (TableId(d, "", t) for d, t in found) if wanted is None or wanted(each)]
    return sorted(tables, key=in_name_order)


def in_name_order(table: TableId) -> bytes:
    """The sort key of tables: `database.table` by UTF-16 code units, as Java compares strings."""
    return f"{table.catalog}.{table.name}".encode("utf-16-be", "surrogatepass")


def quoted(name: str) -> str:
    """An identifier for SQL."""
    return "`" + name.replace("`", "``") + "`"


def _require_file(connection: Connection, of: Server, restart: RestartPosition) -> None:
    if restart.server_uuid not in {None, of.uuid}:
        raise PositionLostError(
            f"the progress is {restart.file}:{restart.pos} in the log of server {restart.server_uuid}, and "
            f"this is server {of.uuid}: without GTIDs one server's files say nothing about another's. "
            "Connect to the first, take a new snapshot, or set a new position (tailrace offsets set)"
        )
    if not restart.file:
        return
    have = files(connection)
    if restart.file not in have:
        first, last = next(iter(have), "none"), next(reversed(have), "none")
        raise PositionLostError(
            f"the server does not have the log file {restart.file} any more (it has {first} to {last}): "
            "take a new snapshot or set a new position (tailrace offsets set), and keep logs longer "
            "(binlog_expire_logs_seconds)"
        )
    if have[restart.file] < restart.pos:
        raise PositionLostError(
            f"the log file {restart.file} ends at {have[restart.file]}, before {restart.pos}, up to which it "
            "was read: the server lost the end of its log, or its log began again. Take a new snapshot"
        )


def _version(text: str) -> tuple[int, int, int]:
    matched = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if not matched:
        raise UnsupportedError(f"the server's version {text!r} is not one of MySQL's")
    return int(matched[1]), int(matched[2]), int(matched[3] or 0)
