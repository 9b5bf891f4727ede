"""Connections to a MySQL server, and what its errors mean.

`connect` is the only place that opens a connection, for the catalog and for the log alike. A session accepts one
statement at a time, so that text within a statement can't inject another; `several_statements` is the exception. An
error of the driver or the server becomes one of tailrace's own: a retriable one (`RetriableError`), the server's
set-up (`SourceSetupError`) or the configuration (`ConfigError`). Numbers: MySQL Error Message Reference.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import pymysql
from pymysql.connections import Connection as Connection  # noqa: PLC0414 -- for those who use this module
from pymysql.constants import COMMAND, CR
from pymysql.cursors import DictCursor

from tailrace.config.secret import Secret
from tailrace.connectors.mysql import authentication, tls
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.configured_sql import UNTOLD, ConfiguredSql, is_filled, may_tell, running
from tailrace.errors import (
    ConfigError,
    MachineRefusedError,
    NoSuchHostError,
    RetriableError,
    SourceSetupError,
    TailraceError,
)

MAX_PACKET = 1 << 30
LOST = {
    2006,
    2013,
    2055,
    1040,
    1053,
    1158,
    1159,
    1160,
    1161,
    1203,
    1205,
    1213,
    1226,
    1317,
    1927,
    3024,
    3169,
    4031,
}
OF_THIS_MACHINE = {1129, 1130}
DENIED = {1044, 1045, 1142, 1143, 1227, 1370, 1698, 1820, 1862, 3118, 3879}
NO_TLS_ON_SERVER = 2026
TOO_LONG = 3024
SERVER_WANTS_TLS = 3159
_INITIAL = "database.initial.statements"
_MEANINGS = {
    1045: "access denied",
    1046: "no database is selected",
    1049: "there is no such database",
    1054: "there is no such column",
    1062: "a duplicate key",
    1064: "a syntax error",
    1142: "access denied",
    1146: "there is no such table",
    1193: "there is no such system variable",
    1227: "access denied",
    1231: "a variable can't have that value",
    1290: "the server may not run it as it is set up",
    1305: "there is no such function or procedure",
}
_OF_CLIENT = range(2000, 3000)  # numbers of errors whose text is the driver's own
_GARBLED = (struct.error, ValueError, IndexError, ArithmeticError, AssertionError)  # the driver's, for garbled packets
_SEVERAL_ON, _SEVERAL_OFF = 0, 1  # MYSQL_OPTION_MULTI_STATEMENTS_ON and _OFF


def connect(settings: MySqlSettings, *, for_log: bool = False) -> Connection:
    """An open connection in autocommit mode; its session speaks utf8mb4, in UTC, in MySQL's own SQL dialect.

    Each answer of the login comes within `connect.timeout.ms`, or it has failed: a server that hangs accepts connections, too.
    A connection for the log runs no initial statements, and keeps that limit: what is asked before the log is answered at once.
    """
    where = f"{settings.database_hostname}:{settings.database_port}"
    doing = f"connecting to MySQL at {where} as {settings.database_user!r}"
    try:
        with translated(doing):
            connection = _open(settings)
    except _GARBLED as error:
        raise SourceSetupError(
            f"{doing}: what answers there does not speak MySQL's protocol ({error}); see database.port: that of MySQL's X "
            "protocol (33060) is another one"
        ) from error
    if settings.database_ssl_mode not in {"disabled", "preferred"} and not is_encrypted(connection):
        connection.close()
        raise SourceSetupError(f"MySQL at {where} has no TLS, and database.ssl.mode asks for it")
    if not for_log:
        connection._read_timeout = settings.database_query_timeout_ms / 1000 or None  # noqa: SLF001 -- read with each answer
        for statement in _initial_statements(settings):
            execute(connection, statement)
    return connection


def try_login(settings: MySqlSettings) -> None:
    """Connect and disconnect; raises the error of a failed login."""
    connect(settings).close()


def rows(connection: Connection, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with translated(running(sql, _shortened(sql)), tells=may_tell(sql)), connection.cursor() as cursor:
        cursor.execute(str(sql), arguments or None)
        return list(cursor.fetchall())


def mappings(connection: Connection, sql: str, *arguments: Any) -> list[dict[str, Any]]:
    """The rows of a query, each by the names of its columns."""
    with translated(f"running {_shortened(sql)!r}"), connection.cursor(DictCursor) as cursor:
        cursor.execute(sql, arguments or None)
        return list(cursor.fetchall())


def execute(connection: Connection, sql: str, *arguments: Any) -> None:
    """Run a statement that gives no rows."""
    rows(connection, sql, *arguments)


@contextlib.contextmanager
def several_statements(connection: Connection) -> Iterator[None]:
    """Allow several statements in one text within the block; only for our own or the configuration's texts."""
    _set_option(connection, _SEVERAL_ON)
    try:
        yield
    finally:
        if connection.open:
            _set_option(connection, _SEVERAL_OFF)


@contextlib.contextmanager
def read_only(connection: Connection) -> Iterator[None]:
    """Prevent writes within the block, whatever a statement calls; no lock remains, not even one of GET_LOCK.

    Rows are not locked either: with a server default of SERIALIZABLE, a SELECT within a transaction would lock them.
    """
    execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    execute(connection, "START TRANSACTION READ ONLY")
    try:
        yield
    finally:
        if connection.open:
            execute(connection, "ROLLBACK")
            execute(connection, "DO RELEASE_ALL_LOCKS()")


@contextlib.contextmanager
def in_time(connection: Connection, settings: MySqlSettings) -> Iterator[None]:
    """Have the server end a SELECT within the block shortly before `database.query.timeout.ms` ends it here.

    If only the client gave up, the query would continue on the server, and run again beside itself.

    Raises:
        SourceSetupError: a query took that long, and would do so again.

    """
    limit = settings.database_query_timeout_ms
    if limit:
        execute(connection, f"SET SESSION max_execution_time = {max(limit * 9 // 10, 1)}")
    try:
        yield
    except RetriableError as error:
        if error_number(error) != TOO_LONG:
            raise
        raise SourceSetupError(
            f"{error}: it takes longer than database.query.timeout.ms={limit} allows; an index for the condition may help"
        ) from error
    finally:
        if limit and connection.open:
            execute(connection, "SET SESSION max_execution_time = DEFAULT")


def is_encrypted(connection: Connection) -> bool:
    """Whether the connection uses TLS."""
    return isinstance(connection._sock, ssl.SSLSocket)  # noqa: SLF001 -- the driver has no public way to ask


def initial_statements(text: str | None) -> list[str]:
    """The statements of `database.initial.statements`: separated by semicolons, where two stand for one."""
    pieces = (piece.replace("\0", ";").strip() for piece in (text or "").replace(";;", "\0").split(";"))
    return [piece for piece in pieces if piece]


def _initial_statements(settings: MySqlSettings) -> list[ConfiguredSql]:
    text = settings.database_initial_statements or ""
    filled = is_filled(settings, _INITIAL, text)
    pieces = enumerate(initial_statements(text), 1)
    return [ConfiguredSql(each, name=f"statement {i} of {_INITIAL}", is_filled=filled) for i, each in pieces]


def error_number(error: Exception) -> int:
    """The server's number of an error that `translated` made; 0 for none."""
    return _number(error.__cause__)


@contextlib.contextmanager
def translated(doing: str, *, tells: bool = True) -> Iterator[None]:
    """Turn the driver's errors into tailrace's; the message begins with `doing`, and has the server's text if it `tells`."""
    try:
        yield
    except pymysql.err.Error as error:
        if not tells:  # `from None`: Spark shows an error with all those that it came from
            raise of_driver(_without_text(error), doing) from None
        raise of_driver(error, doing) from error
    except (ConnectionError, TimeoutError) as error:
        raise RetriableError(f"{doing}: {error}") from error
    except RuntimeError as error:  # the driver refuses a server's request: to send it a file, to answer a plugin
        raise SourceSetupError(f"{doing}: what the server asks for is refused: {error}") from error


def of_driver(error: pymysql.err.Error, doing: str) -> TailraceError:
    """What an error of PyMySQL means."""
    original = getattr(error, "original_exception", None)
    if isinstance(original, OSError):
        return _of_network(original, doing)
    number, text = _number_and_text(error)
    return of_server(number, text, doing)


def of_server(number: int, text: str, doing: str) -> TailraceError:
    """What an error number of the server (or of the client library) means."""
    if number in LOST:
        return RetriableError(f"{doing}: {text} (error {number})")
    if number in OF_THIS_MACHINE:
        return MachineRefusedError(f"{doing}: {text} (error {number}); the server refuses this machine, whatever the password")
    if number in DENIED:
        return SourceSetupError(
            f"{doing}: {text} (error {number}); check the user, its password and its privileges (SHOW GRANTS)"
        )
    if number == SERVER_WANTS_TLS:
        return ConfigError(f"{doing}: {text}; set database.ssl.mode to required or stronger")
    if number == NO_TLS_ON_SERVER:
        return SourceSetupError(
            f"{doing}: {text}; give the server TLS, or set database.ssl.mode to preferred"
        )
    return SourceSetupError(f"{doing}: {text} (error {number})")


def _open(settings: MySqlSettings) -> Connection:
    context = tls.context(
        settings.database_ssl_mode,
        settings.database_ssl_truststore,
        _revealed(settings.database_ssl_truststore_password),
        settings.database_ssl_keystore,
        _revealed(settings.database_ssl_keystore_password),
    )
    options = _options(settings)
    if context is None:
        return pymysql.connect(**options, ssl_disabled=True)
    try:
        return pymysql.connect(**options, ssl=context)
    except pymysql.err.OperationalError as error:
        if settings.database_ssl_mode != "preferred" or error.args[0] != CR.CR_SSL_CONNECTION_ERROR:
            raise
        return pymysql.connect(**options, ssl_disabled=True)


def _options(settings: MySqlSettings) -> Mapping[str, Any]:
    timeout = max(settings.connect_timeout_ms / 1000, 0.001)
    return {
        "host": settings.database_hostname,
        "port": settings.database_port,
        "user": settings.database_user,
        "password": (_revealed(settings.database_password) or "").encode(),  # the driver would encode text as latin1
        "connect_timeout": timeout,
        "read_timeout": timeout,
        "charset": "utf8mb4",
        "autocommit": True,
        "max_allowed_packet": MAX_PACKET,
        "auth_plugin_map": authentication.plugins(settings),
        "local_infile": False,
        # Columns that the server adds as a table's primary key are in the log, even where it hides them otherwise.
        "init_command": "SET time_zone = '+00:00', sql_mode = ''"
        " /*!80030 , show_gipk_in_create_table_and_information_schema = ON */",
        "program_name": "tailrace",
    }


def _set_option(connection: Connection, option: int) -> None:
    """COM_SET_OPTION, for which the driver has no method."""
    with translated("setting an option of the session"):
        connection._execute_command(COMMAND.COM_SET_OPTION, struct.pack("<H", option))  # noqa: SLF001 -- as above
        connection._read_packet()  # noqa: SLF001 -- an error is raised


def _revealed(secret: Secret | None) -> str | None:
    return secret.reveal() if secret else None


def _of_network(error: OSError, doing: str) -> TailraceError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ConfigError(
            f"{doing}: the server's certificate is not accepted: {error.verify_message}; name its "
            "certificate authority in database.ssl.truststore, or choose another database.ssl.mode"
        )
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return ConfigError(f"{doing}: TLS failed: {error.reason or error}; see database.ssl.mode")
    if isinstance(error, socket.gaierror) and error.errno != socket.EAI_AGAIN:
        return NoSuchHostError(f"{doing}: there is no such host: {error.strerror}; see database.hostname")
    return RetriableError(f"{doing}: {error}")


def _number_and_text(error: pymysql.err.Error) -> tuple[int, str]:
    number = _number(error)
    if number == 0:  # the driver raises some without a number once the connection is closed
        return CR.CR_SERVER_LOST, str(error) or "the connection is closed"
    return number, str(error.args[1]) if len(error.args) > 1 else ""


def _without_text(error: pymysql.err.Error) -> pymysql.err.Error:
    """An error of the server without its text, which may repeat the statement; one of the driver as it is."""
    number = _number(error)
    if number == 0 or number in _OF_CLIENT:
        return error
    meaning = _MEANINGS.get(number, "the server refuses it")
    return pymysql.err.OperationalError(number, f"{meaning}; {UNTOLD}")


def _number(error: BaseException | None) -> int:
    return error.args[0] if error is not None and error.args and isinstance(error.args[0], int) else 0


def _shortened(sql: str) -> str:
    return sql if len(sql) <= 80 else sql[:77] + "..."
