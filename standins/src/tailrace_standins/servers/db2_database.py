"""A database on a Db2 for tests, and control over its Capture program (`db2_server.py` has the servers)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from tailrace_standins.db2 import inventory
from tailrace_standins.db2.inventory import CAPTURE_SCHEMA
from tailrace_standins.servers.ports import HOST

if TYPE_CHECKING:
    import pyarrow as pa



class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """No server is available here; the message says why."""


class CaptureProgram(Protocol):
    """The Capture program (`asncap`) of a database: it does nothing by itself before `start`."""

    def start(self, interval: float | None = 0.02) -> None:
        """Let it work by itself, every `interval` seconds; None: as IBMSNAP_CAPPARMS says."""

    def stop(self) -> None:
        """Stop it; what it has not captured stays in the log."""

    def capture(self) -> int:
        """Write the rows of committed transactions into change tables; how many transactions."""

    def advance(self) -> None:
        """Move the synchpoints over what was captured."""

    def step(self) -> int:
        """Both; how many transactions were captured."""

    def reinit(self) -> None:
        """Read the register anew: tables that became active are captured from here on."""

    def suspend(self) -> None:
        """Pause the program that was started."""

    def resume(self) -> None:
        """End the pause."""

    def prune(self, before: str | None = None) -> None:
        """Delete rows of transactions committed before a time of the server; None: RETENTION_LIMIT before now."""


class Database:
    """A database; all its methods commit, and none leaves a transaction open.

    Attributes:
        database: its name.
        replication: its Capture program.

    """

    def __init__(self, port: int, user: str, password: str, database: str, replication: CaptureProgram) -> None:
        self.host = HOST
        self.port = port
        self.user = user
        self.password = password
        self.database = database
        self.replication = replication
        self._connection: Any = None

    def connect(self, user: str | None = None, password: str | None = None) -> Any:
        """A connection of adbc-driver-db2, not in autocommit mode; the caller closes it."""
        return driver().connect(
            uri=f"db2://{self.host}:{self.port}/{self.database}",
            username=user or self.user,
            password=password or self.password,
            db_kwargs={"adbc.db2.tls": "false"},
            autocommit=False,
        )

    @property
    def connection(self) -> Any:
        """A connection that stays open, for what `sql` does."""
        if self._connection is None:
            self._connection = self.connect()
        return self._connection

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in one transaction; the last one's rows. With an error nothing of them stays.

        The driver reads text with few ASCII letters wrongly: select such a column FOR BIT DATA, and it comes as text.
        """
        found: list[tuple[Any, ...]] = []
        try:
            for statement in statements:
                with self.connection.cursor() as cursor:
                    cursor.execute(statement)
                    found = rows_of(cursor) if cursor.description else []
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise
        return found

    def many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement once for each row of parameters, in one transaction."""
        try:
            with self.connection.cursor() as cursor:
                cursor.executemany(statement, list(rows))
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def value(self, query: str) -> Any:
        """The single value of a query."""
        ((only,),) = self.sql(query)
        return only

    def register(self, *tables: str) -> None:
        """Register tables (`SCHEMA.TABLE`, spelled as in the catalogue); they are captured from here on."""
        self.sql(*(_call("ADDTABLE", table) for table in tables))
        self.replication.reinit()

    def unregister(self, *tables: str) -> None:
        """Take registrations back, with their change tables."""
        self.sql(*(_call("REMOVETABLE", table) for table in tables))
        self.replication.reinit()

    def fill_inventory(self) -> None:
        """Make the shop of the demo (`inventory.sql`) and register its tables."""
        self.sql(*inventory.statements())
        self.register(*inventory.TABLES)

    def properties(self, **more: str) -> dict[str, str]:
        """A connector's configuration for this database; in the names of `more` an underscore means a dot."""
        return {
            "connector.class": "io.debezium.connector.db2.Db2Connector",
            "topic.prefix": "s",
            "database.hostname": self.host,
            "database.port": str(self.port),
            "database.user": self.user,
            "database.password": self.password,
            "database.dbname": self.database,
            "snapshot.mode": "no_data",
            "poll.interval.ms": "20",
            **{name.replace("_", "."): value for name, value in more.items()},
        }

    def disconnect(self) -> None:
        """Close the connection of `sql`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def rows_of(cursor: Any) -> list[tuple[Any, ...]]:
    """All rows of a result; a string that is no UTF-8 is bytes FOR BIT DATA."""
    table = cursor.fetch_arrow_table()
    columns = [_values(column.combine_chunks()) for column in table.columns]
    return list(zip(*columns, strict=True)) if table.num_rows else []


def _values(array: pa.Array) -> list[Any]:
    import pyarrow as pa

    if not pa.types.is_string(array.type):
        return list(array.to_pylist())
    return [_text(value) for value in array.view(pa.binary()).to_pylist()]


def _text(value: bytes | None) -> str | bytes | None:
    try:
        text = None if value is None else value.decode()
    except UnicodeDecodeError:
        return value
    return value if text is not None and "\0" in text else text


def _call(procedure: str, table: str) -> str:
    schema, _, name = (part.replace("'", "''") for part in table.partition("."))
    return f"CALL {CAPTURE_SCHEMA}.{procedure}('{schema}', '{name}')"


@cache
def driver() -> Any:
    """The DBAPI module of adbc-driver-db2. Raises `Unavailable`, with what is missing."""
    try:
        import adbc_driver_db2.dbapi as module
    except ImportError as error:
        raise Unavailable(f"adbc-driver-db2 can't be imported: {error}") from error
    return module
