"""Whether a MySQL server is set up for change data capture, and which statements fix it.

`check` connects and returns findings; `require` raises for those that make reading impossible or its result
wrong. The checks are those of Debezium's page "Setting up MySQL", and what else tailrace needs.
"""

from __future__ import annotations

from collections.abc import Iterator

from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.connectors.findings import SHOWN, Finding, Level, listed
from tailrace.connectors.mysql import catalog, listed_tables
from tailrace.connectors.mysql.cascades import cascades
from tailrace.connectors.mysql.connection import Connection, connect, is_encrypted, rows
from tailrace.connectors.mysql.privileges import EVERYTHING, account, privileges
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared import unmatched_lists
from tailrace.errors import SourceSetupError, TailraceError
from tailrace.schema.tables import TableId

SHORT_RETENTION_SECONDS = 24 * 3600


def check(settings: MySqlSettings) -> list[Finding]:
    """All findings; an unreachable server is an error among them."""
    try:
        connection = connect(settings)
    except TailraceError as error:
        return [Finding(Level.ERROR, str(error))]
    try:
        lists = listed_tables.existing(connection, settings)
        return [*findings(connection, settings), *unmatched_lists.findings(settings, lists)]
    except TailraceError as error:
        return [Finding(Level.ERROR, str(error))]
    finally:
        connection.close()


def require(connection: Connection, settings: MySqlSettings) -> list[Finding]:
    """Raise `SourceSetupError` with all errors; otherwise return the warnings."""
    found = list(findings(connection, settings))
    errors = [str(finding) for finding in found if finding.level is Level.ERROR]
    if errors:
        raise SourceSetupError("the MySQL server is not set up for change data capture: " + "; ".join(errors))
    return [finding for finding in found if finding.level is Level.WARNING]


def findings(connection: Connection, settings: MySqlSettings) -> Iterator[Finding]:
    """Check everything, most important first; what a snapshot needs last, if one is configured."""
    found = list(_of_the_log(connection, settings))
    yield from found
    if settings.snapshot_mode in WITH_ROWS:
        from tailrace.connectors.mysql.snapshots.conditions import conditions  # only with a snapshot

        tables = catalog.table_ids(connection, settings.tables.matches)
        yield from (finding for finding in conditions(connection, settings, tables) if finding not in found)


def _of_the_log(connection: Connection, settings: MySqlSettings) -> Iterator[Finding]:
    server = catalog.server(connection)
    encrypted = "with TLS" if is_encrypted(connection) else "without TLS"
    yield Finding(Level.OK, f"MySQL {server['version']} at {settings.database_hostname}, {encrypted}")
    yield from _privileges(connection)
    yield from _log(server)
    yield from _row_format(server)
    yield from _retention(server)
    if settings.include_query:
        yield _switch(server, "binlog_rows_query_log_events", "include.query needs the statements in the log")
    yield from _tables(connection, settings, server)
    if settings.signal_data_collection:
        from tailrace.connectors.mysql import signal_table  # only where signals come through a table

        yield from signal_table.findings(connection, settings)


def _privileges(connection: Connection) -> Iterator[Finding]:
    granted = privileges(connection)
    globally = {name for name, where in granted if where == "*.*"}
    user = account(connection)
    for name, why, others in (
        ("REPLICATION SLAVE", "the log can't be read without it", set()),
        ("REPLICATION CLIENT", "the log's files and its end can't be asked for without it", {"SUPER"}),
    ):
        yield _privilege(bool({name, EVERYTHING, *others} & globally), name, user, why)
    reads = any(name in {"SELECT", EVERYTHING} for name, _ in granted)
    yield _privilege(reads, "SELECT", user, "the structures of tables can't be read without it")


def _privilege(granted: bool, name: str, user: str, why: str) -> Finding:
    if granted:
        return Finding(Level.OK, f"the user has the privilege {name}")
    what = f"the user lacks the privilege {name}; {why}"
    return Finding(Level.ERROR, what, f"GRANT {name} ON *.* TO {user};")


def _log(server: catalog.Server) -> Iterator[Finding]:
    if not server.is_on("log_bin"):
        yield Finding(Level.ERROR, "the server writes no binary log", "start mysqld with --log-bin=mysql-bin")
    else:
        yield Finding(Level.OK, "the binary log is on")
    if server["server_id"] in {"", "0"}:
        yield Finding(Level.ERROR, "server_id is 0", "SET PERSIST server_id = 1;")
    if server.has_gtids:
        yield Finding(Level.OK, "GTIDs are on: reading survives a fail-over to another server")
    else:
        mode = server["gtid_mode"] or "OFF"
        what = f"gtid_mode is {mode}: after a fail-over to another server reading can't go on"
        yield Finding(Level.WARNING, what, "SET PERSIST gtid_mode = ON; step by step, as MySQL's manual says")


def _row_format(server: catalog.Server) -> Iterator[Finding]:
    yield _value(server, "binlog_format", "ROW", Level.ERROR, "changes are not in the log as rows")
    image = "updates and deletes may lack the columns that did not change"
    yield _value(server, "binlog_row_image", "FULL", Level.WARNING, image)
    metadata = "the log does not carry column names; structures are followed by the DDL in the log"
    if server.version >= (8, 0, 1):
        yield _value(server, "binlog_row_metadata", "FULL", Level.WARNING, metadata)
    if "PARTIAL_JSON" in server["binlog_row_value_options"].upper():
        what = "binlog_row_value_options is PARTIAL_JSON: an update logs only what changed of a JSON value"
        yield Finding(Level.ERROR, what, "SET PERSIST binlog_row_value_options = '';")


def _value(server: catalog.Server, name: str, wanted: str, level: Level, why: str) -> Finding:
    if server[name].upper() == wanted:
        return Finding(Level.OK, f"{name} is {wanted}")
    return Finding(level, f"{name} is {server[name]}: {why}", f"SET PERSIST {name} = {wanted};")


def _switch(server: catalog.Server, name: str, why: str) -> Finding:
    if server.is_on(name):
        return Finding(Level.OK, f"{name} is ON")
    return Finding(Level.WARNING, f"{name} is OFF: {why}", f"SET PERSIST {name} = ON;")


def _retention(server: catalog.Server) -> Iterator[Finding]:
    seconds = int(server["binlog_expire_logs_seconds"] or 0) or int(server["expire_logs_days"] or 0) * 86400
    if seconds == 0:
        yield Finding(Level.OK, "log files are kept until they are purged by hand")
    elif seconds < SHORT_RETENTION_SECONDS:
        what = f"log files are kept for {seconds / 3600:.1f} hours: after a longer pause reading can't go on"
        yield Finding(Level.WARNING, what, "SET PERSIST binlog_expire_logs_seconds = 604800;")
    else:
        yield Finding(Level.OK, f"log files are kept for {seconds / 86400:.0f} days")


def _tables(connection: Connection, settings: MySqlSettings, server: catalog.Server) -> Iterator[Finding]:
    captured = catalog.table_ids(connection, settings.tables.matches)
    if captured:
        yield Finding(Level.OK, f"{len(captured)} tables are captured")
    else:
        mend = "see database.include.list, table.include.list and the user's privileges"
        yield Finding(Level.WARNING, "no table that exists now is captured", mend)
    wanted = frozenset(captured).__contains__
    yield from _without_transactions(connection, wanted)
    yield from cascades(connection, server, wanted)


def _without_transactions(connection: Connection, wanted: catalog.Wanted) -> Iterator[Finding]:
    sql = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE ENGINE = 'MyISAM'"
    found = [table for d, t in rows(connection, sql) if wanted(table := TableId(d, "", t))]
    if found:
        names = [f"{catalog.quoted(table.catalog)}.{catalog.quoted(table.name)}" for table in found]
        mend = " ".join(f"ALTER TABLE {name} ENGINE = InnoDB;" for name in names[:SHOWN])
        what = f"MyISAM tables know no transactions, a snapshot of them is not exact: {listed(found)}"
        yield Finding(Level.WARNING, what, mend)
