"""Sessions on a SQL Server: one connection to one database, in autocommit mode.

`connect` is the only place that opens a connection. Small results come as tuples, rows of tables as Arrow batches.
Errors of the driver become tailrace's own (`errors_of_driver.py`); none contains a password.

    with connect(settings, "inventory") as session:
        session.one("SELECT sys.fn_cdc_get_max_lsn()")
        for batch in session.batches("SELECT id, name FROM dbo.customers", rows=10_000): ...
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, Self

from tailrace.connectors.shared.configured_sql import running
from tailrace.connectors.shared.driver_sessions import DriverSession, shortened
from tailrace.connectors.sqlserver import driver
from tailrace.connectors.sqlserver.connection_string import connection_string
from tailrace.connectors.sqlserver.errors_of_driver import is_of_driver, of_driver, state_of
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.trusting import trusted
from tailrace.errors import RetriableError, TailraceError

if TYPE_CHECKING:
    import pyarrow as pa

SNAPSHOT: Final = "SNAPSHOT"
_DEFAULT_ISOLATION: Final = "READ COMMITTED"
_CONTINUED: Final = re.compile(r"(?<=\\)(?=[\r\n])")
_SHORT: Final = 2000  # characters, of which each may count twice in UTF-16


class Session(DriverSession):
    """One connection, for one thread at a time.

    Attributes:
        database: the connected database, as the server spells it.
        is_read_only: whether it reads a secondary replica, where every transaction has snapshot isolation.

    """

    def __init__(self, connection: Any, database: str, where: str, *, is_read_only: bool = False) -> None:
        super().__init__(connection)
        self._where = where
        self.database = database
        self.is_read_only = is_read_only

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query; bytes are passed as varbinary parameters.

        Raises:
            TailraceError: the meaning of the driver's error.

        """
        with self._cursor(sql, params) as cursor:
            return [tuple(row) for row in cursor.fetchall()] if cursor.description is not None else []

    def execute(self, sql: str, *params: Any) -> int:
        """Execute a statement; returns the number of changed rows, or -1 if it has none."""
        with self._cursor(sql, params) as cursor:
            count = int(cursor.rowcount)
            # Errors of later statements in a batch come with their own results.
            while cursor.nextset():
                pass
            return count

    def batches(self, sql: str, *params: Any, rows: int | Callable[[], int]) -> Iterator[pa.RecordBatch]:
        """The rows of a query in batches of `rows`, a number or a function that is called for each batch.

        Columns are in the order of the SELECT list; names may be duplicates. The query ends with the iterator: close it
        to cancel the query before its last row.
        """
        with self._cursor(sql, params) as cursor:
            while True:
                batch = cursor.arrow_batch(rows if isinstance(rows, int) else rows())
                if batch.num_rows == 0:
                    return
                yield batch

    @contextlib.contextmanager
    def transaction(self, isolation: str | None = None) -> Iterator[Self]:
        """A transaction that ends with the block; it is rolled back if the block raises.

        `isolation` is a level's name in T-SQL (`SNAPSHOT`, `REPEATABLE READ`). Afterwards the session has READ
        COMMITTED again.
        """
        if isolation is not None:
            self.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
        try:
            self.execute("BEGIN TRANSACTION")
            try:
                yield self
            except BaseException:
                self._give_up()
                raise
            self.execute("COMMIT TRANSACTION")
        finally:
            if isolation is not None:
                # The level belongs to the session, and outlasts the transaction.
                self._reset_isolation()

    @contextlib.contextmanager
    def rolled_back(self) -> Iterator[Self]:
        """A transaction that is rolled back; within an open transaction, which never commits, that one is used."""
        if self.one("SELECT @@TRANCOUNT"):
            yield self
            return
        self.execute("BEGIN TRANSACTION")
        try:
            yield self
        finally:
            self._give_up()

    @contextlib.contextmanager
    def _cursor(self, sql: str, params: tuple[Any, ...]) -> Iterator[Any]:
        with self.translated(f"{running(sql, shortened(sql))} on {self._where}", sql):
            cursor = self._connection.cursor()
            try:
                cursor.execute(str(sql), *params)
                yield cursor
            finally:
                cursor.close()

    def meaning(self, error: Exception, doing: str) -> TailraceError | None:
        """The meaning of the driver's errors (`errors_of_driver.py`)."""
        return of_driver(error, doing) if is_of_driver(error, driver.driver()) else None

    def code(self, error: Exception) -> str:
        """The SQLSTATE, in the driver's words: it has no numbers."""
        return state_of(error)

    def _give_up(self) -> None:
        """Roll back, unless the server has done so or is gone: then the original error says why."""
        with contextlib.suppress(TailraceError):
            self.execute("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION")

    def _reset_isolation(self) -> None:
        with contextlib.suppress(RetriableError):  # a lost connection needs no reset
            self.execute(f"SET TRANSACTION ISOLATION LEVEL {SNAPSHOT if self.is_read_only else _DEFAULT_ISOLATION}")


def connect(settings: SqlServerSettings, database: str | None = None) -> Session:
    """Open a session in a database (None: the first of `database.names`, or the user's default).

    Statements are cancelled after `database.query.timeout.ms`. With `applicationIntent=ReadOnly` the session has
    snapshot isolation.

    Raises:
        RetriableError: the server can't be reached now.
        SourceSetupError: the driver is not installed, or the login is refused.
        ConfigError: there is no such database, or a setting is wrong.

    """
    name = database if database is not None else _first_database(settings)
    module = driver.driver()
    where = f"SQL Server at {settings.database_hostname}"
    text = connection_string(settings, name)
    try:
        with trusted(settings):
            connection = driver.connection(text, settings.driver_applicationname, settings.driver_logintimeout)
    except Exception as error:
        if not is_of_driver(error, module):
            raise
        # `from None`: the driver's error may quote the connection string, which has the password.
        raise of_driver(error, f"connecting to {where} as {settings.database_user!r}") from None
    if settings.database_query_timeout_ms:
        # The driver takes whole seconds, and 0 for no limit.
        connection.timeout = max(1, settings.database_query_timeout_ms // 1000)
    session = Session(connection, "", where, is_read_only=settings.reads_replica)
    if session.is_read_only:
        session.execute(f"SET TRANSACTION ISOLATION LEVEL {SNAPSHOT}")
    session.execute("SET QUOTED_IDENTIFIER ON")  # `signal_sql.py` relies on it
    session.database = str(session.one("SELECT DB_NAME()"))
    return session


def try_login(settings: SqlServerSettings) -> None:
    """Connect and disconnect; raises as `connect` does."""
    connect(settings).close()


def quoted(*names: str) -> str:
    """A name in brackets, part by part: `[dbo].[orders]`."""
    return ".".join("[" + name.replace("]", "]]") + "]" for name in names)


def literal(text: str) -> str:
    """A text as a T-SQL expression.

    Within a constant a backslash before a line break continues the line, and the server drops both. A text with the two is
    therefore cut between them.

    Source: https://learn.microsoft.com/sql/t-sql/language-elements/sql-server-utilities-statements-backslash
    """
    first, *others = ("N'" + part.replace("'", "''") + "'" for part in _CONTINUED.split(text))
    if not others:
        return first
    if len(text) > _SHORT:  # a sum of constants is cut to 4,000 characters, unless one of them may be of any length
        first = f"CAST({first} AS nvarchar(max))"
    return f"({' + '.join([first, *others])})"


def _first_database(settings: SqlServerSettings) -> str | None:
    return settings.database_names[0] if settings.database_names else None
