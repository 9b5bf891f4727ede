"""What a MySQL server says about itself: variables, log files, the log's head, structures of tables.

`structures` gives structures and the place in the log where they hold, without a lock on tables. DDL must not
fall between reading the one and the other: LOCK INSTANCE FOR BACKUP keeps it away (and lets rows change)
where the user may do that and `snapshot.locking.mode` is not `none`; otherwise the log itself is asked
afterwards, and all is read again if it holds DDL.

The server adds a transaction's GTID to its set after it wrote the transaction to the log, so that the set
lags behind file and offset by what is being committed. What was logged shortly before the head, and what came
to the set afterwards without having been logged since, belongs before the head as well.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.connectors.mysql.connection import Connection, execute, mappings, rows, translated
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.positions import FIRST_OFFSET, RestartPosition, file_number
from tailrace.errors import PositionLostError, RetriableError, SourceSetupError, UnsupportedError
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
ATTEMPTS = 10
LOCK_WAIT_SECONDS = 10
SETTLING_SECONDS = 0.1  # a commit takes less from the log to the GTID set, unless it waits for replicas
STATEMENTS_AT_ONCE = 200
EVENTS_AT_ONCE = 10_000
MOST_EVENTS = 200_000
NOT_DDL = re.compile(
    r"\s*(?:use `.*?`; )?(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE SAVEPOINT|XA)\b", re.IGNORECASE
)
GTID_NEXT = re.compile(r"GTID_NEXT= '([^']*:\d+)'")
GONE = {1049, 1146}  # a database, a table

Wanted = Callable[[str, str], bool]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Server:
    """A server's version and its global variables; one that it does not know is absent."""

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
        return RestartPosition(
            era=era, file=self.file, pos=self.pos, gtids=self.gtids, server_uuid=server.uuid
        )


@dataclass(frozen=True, slots=True)
class Structures:
    """DDL that makes the tables as they are at the head, in order of their names.

    Attributes:
        head: where in the log they hold.
        databases: of these tables.
        tables: the wanted ones.
        others: those that were asked for besides, as far as the server can show them.

    """

    head: Head
    databases: Mapping[str, str]
    tables: Mapping[TableId, str]
    others: Mapping[TableId, str] = field(default_factory=dict)


def server(connection: Connection) -> Server:
    """The server behind a connection; one that can't be read is refused."""
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
    """The GTIDs executed, and those of them that the log does not hold any more."""
    ((executed, purged),) = rows(connection, "SELECT @@GLOBAL.gtid_executed, @@GLOBAL.gtid_purged")
    return GtidSet.parse(executed), GtidSet.parse(purged)


def require_available(
    connection: Connection, of: Server, restart: RestartPosition, wanted: Callable[[str], bool]
) -> None:
    """Raise `PositionLostError` when the server can't send everything from a restart position on.

    `wanted` is the filter of GTID sources: what is missing of others does not matter.
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
    unknown = read.subtract(executed).filtered(wanted)
    if unknown:
        raise PositionLostError(
            f"the transactions {unknown} were read, and this server ({of.uuid}) does not have them: it "
            "is not the same data. Connect to a server that has them, or take a new snapshot"
        )


def table_ids(connection: Connection, wanted: Wanted | None = None) -> list[TableId]:
    """The base tables outside MySQL's own databases, in order of their names as `database.table`."""
    found = rows(
        connection,
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE'"
        " AND TABLE_SCHEMA NOT IN %s",
        SYSTEM_DATABASES,
    )
    tables = [TableId(d, "", t) for d, t in found if wanted is None or wanted(d, t)]
    return sorted(tables, key=in_name_order)


def in_name_order(table: TableId) -> bytes:
    """What tables are sorted by: `database.table` by UTF-16 code units, as Java compares strings."""
    return f"{table.catalog}.{table.name}".encode("utf-16-be", "surrogatepass")


def structures(
    connection: Connection, of: Server, wanted: Wanted, others: Wanted | None = None, *, locking: bool = True
) -> Structures:
    """The structures of the wanted tables, and of `others` if asked for; and the head of the log at which they hold."""
    with _ddl_lock(connection, allowed=locking) as locked:
        for _ in range(ATTEMPTS):
            found = _structures_once(connection, of, wanted, others, locked=locked)
            if found:
                return found
    raise RetriableError(
        f"structures of tables changed {ATTEMPTS} times while they were read; try again later, or let "
        "the user keep changes away meanwhile: GRANT BACKUP_ADMIN ON *.* TO its account"
    )


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


@contextlib.contextmanager
def _ddl_lock(connection: Connection, *, allowed: bool) -> Iterator[bool]:
    """Block DDL where that is allowed and privileges suffice; whether it is blocked."""
    locked = allowed and _try(connection, "LOCK INSTANCE FOR BACKUP")
    try:
        yield locked
    finally:
        if locked and connection.open:
            execute(connection, "UNLOCK INSTANCE")


def _structures_once(
    connection: Connection, of: Server, wanted: Wanted, others: Wanted | None, *, locked: bool
) -> Structures | None:
    """None when DDL came in between, or when it can't be told."""
    before = head(connection, of)
    execute(connection, f"DO SLEEP({SETTLING_SECONDS})")
    at = head(connection, of)  # what is being committed now was logged after `before`, most likely
    found = _read_structures(connection, at, wanted, others)
    after = head(connection, of)
    events = events_between(connection, before, after)
    if found is None or (events is None and locked):
        return found
    if events is None or not (locked or _only_rows(events, _added(at, after))):
        return None
    return replace(found, head=_with_in_flight(at, after, events))


def _only_rows(events: Sequence[Mapping[str, Any]], came: GtidSet) -> bool:
    """Whether these events hold no DDL, and all transactions that came to the GTID set are among them."""
    return not any(map(is_ddl, events)) and came.is_subset(_logged(events))


def _with_in_flight(at: Head, after: Head, events: Sequence[Mapping[str, Any]]) -> Head:
    """The head with the transactions that were logged before it and were not in the GTID set yet."""
    if at.gtids is None:
        return at
    place = _place(at.file, at.pos)
    earlier = _logged([event for event in events if _place(event["Log_name"], event["Pos"]) < place])
    later = _logged([event for event in events if _place(event["Log_name"], event["Pos"]) >= place])
    in_flight = earlier.union(_added(at, after).subtract(later))
    return replace(at, gtids=str(GtidSet.parse(at.gtids).union(in_flight)))


def _place(file: str, pos: int) -> tuple[int, int]:
    return file_number(file), int(pos)


def _try(connection: Connection, lock: str) -> bool:
    execute(connection, f"SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}")
    try:
        execute(connection, lock)
    except (SourceSetupError, RetriableError):
        if not connection.open:
            raise
        return False  # no privilege for it, no such statement, or somebody's long query is in the way
    return True


def _read_structures(connection: Connection, at: Head, wanted: Wanted, others: Wanted | None) -> Structures | None:
    """None when something went away while it was read."""
    tables = table_ids(connection, lambda d, t: wanted(d, t) or (others is not None and others(d, t)))
    first = [table for table in tables if wanted(table.catalog, table.name)]
    try:
        ddl = dict(zip(first, _show_create(connection, first), strict=True))
    except SourceSetupError as error:
        if error.__cause__ and error.__cause__.args[:1] and error.__cause__.args[0] in GONE:
            return None
        raise
    shown = _show_others(connection, [table for table in tables if table not in ddl])
    return Structures(at, _databases(connection, {table.catalog for table in (*ddl, *shown)}), ddl, shown)


def _databases(connection: Connection, names: Collection[str]) -> dict[str, str]:
    """DDL that makes databases."""
    sql = "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA"
    return {
        name: f"CREATE DATABASE {quoted(name)} CHARSET {charset} COLLATE {collation}"
        for name, charset, collation in sorted(rows(connection, sql))
        if name in names
    }


def _show_others(connection: Connection, tables: Sequence[TableId]) -> dict[TableId, str]:
    """DDL that makes tables that nobody reads: one that the server can't show is left out, and named."""
    found: dict[TableId, str] = {}
    for at in range(0, len(tables), STATEMENTS_AT_ONCE):
        some = tables[at : at + STATEMENTS_AT_ONCE]
        try:
            found |= zip(some, _show_create(connection, some), strict=True)
        except SourceSetupError as error:
            if not connection.open:
                raise
            if len(tables) > 1:
                for table in some:
                    found |= _show_others(connection, [table])
            else:
                log.warning("%s is not captured, and its structure is not told: %s", some[0], error)
    return found


def _show_create(connection: Connection, tables: Sequence[TableId]) -> list[str]:
    """Many SHOW CREATE TABLE in few round trips."""
    found: list[str] = []
    for at in range(0, len(tables), STATEMENTS_AT_ONCE):
        some = tables[at : at + STATEMENTS_AT_ONCE]
        statements = ";".join(f"SHOW CREATE TABLE {quoted(t.catalog)}.{quoted(t.name)}" for t in some)
        with translated("reading the structures of tables"), connection.cursor() as cursor:
            cursor.execute(statements)
            found.append(cursor.fetchone()[1])
            while cursor.nextset():
                found.append(cursor.fetchone()[1])
    return found


def events_between(connection: Connection, start: Head, end: Head) -> list[dict[str, Any]] | None:
    """The log's events since the first head; None when they are too many or their files are gone."""
    names = list(files(connection))
    if start.file not in names or end.file not in names:
        return None
    events: list[dict[str, Any]] = []
    for name in names[names.index(start.file) : names.index(end.file) + 1]:
        at, more = start.pos if name == start.file else FIRST_OFFSET, True
        while more:
            page = _events(connection, name, at)
            events += page
            more = len(page) == EVENTS_AT_ONCE
            at = int(page[-1]["End_log_pos"]) if page else at
            if len(events) > MOST_EVENTS:
                return None
    return events


def _events(connection: Connection, file: str, at: int) -> list[dict[str, Any]]:
    return mappings(connection, f"SHOW BINLOG EVENTS IN %s FROM {at} LIMIT {EVENTS_AT_ONCE}", file)


def _added(start: Head, end: Head) -> GtidSet:
    return GtidSet.parse(end.gtids or "").subtract(GtidSet.parse(start.gtids or ""))


def _logged(events: Sequence[Mapping[str, Any]]) -> GtidSet:
    """The transactions that begin among these events."""
    named = filter(None, (GTID_NEXT.search(event["Info"]) for event in events))
    return GtidSet.parse(",".join(matched[1] for matched in named))


def is_ddl(event: Mapping[str, Any]) -> bool:
    """Whether an event of the log is a statement that is no part of a transaction."""
    return event["Event_type"] == "Query" and not NOT_DDL.match(event["Info"])


def _version(text: str) -> tuple[int, int, int]:
    matched = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if not matched:
        raise UnsupportedError(f"the server's version {text!r} is not one of MySQL's")
    return int(matched[1]), int(matched[2]), int(matched[3] or 0)
