"""Sessions on a Db2: one connection to one database, over adbc-driver-db2, which speaks DRDA and needs no library of IBM.

Small results come as tuples, rows of tables as Arrow batches. Errors of the driver become tailrace's own
(`errors_of_driver.py`); none contains a password.

    with connect(Address("db.example", 50000, "SHOP", "cdc", password)) as session:
        session.one("SELECT CURRENT TIMESTAMP FROM SYSIBM.SYSDUMMY1")
        for batch in session.batches("SELECT ID FROM S.T"): ...

The driver has habits that this module is there for: it ends a result in silence when its connection is used for another
statement; it waits without end for a server that accepts a connection and says nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace.config.secret import Secret
from tailrace.connectors.db2.errors_of_driver import is_of_driver, of_driver
from tailrace.connectors.shared.driver_sessions import DriverSession, shortened
from tailrace.errors import RetriableError, SourceSetupError, TailraceError

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES_AT_ONCE: Final = 8 << 20
_PLAIN, _TLS = "false", "true"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is, and who logs in.

    Attributes:
        host: name or address.
        port: of the instance.
        database: its name or alias.
        user: who logs in.
        password: of the user.
        tls: whether the connection is encrypted.
        authorities: a PEM file of authorities for the server's certificate; None: the system's.
        application: the name that the server shows for the connection.
        patience: seconds to wait for the connection.

    """

    host: str
    port: int
    database: str
    user: str
    password: Secret
    tls: bool = False
    authorities: str | None = None
    application: str = "tailrace"
    patience: float = 30.0


class Session(DriverSession):
    """One connection, for one thread at a time, with at most one open result.

    Statements run in a transaction, which `commit` and `rollback` end.

    Attributes:
        database: the connected database, as the server spells it.

    """

    def __init__(self, connection: Any, where: str) -> None:
        super().__init__(connection)
        self._where = where
        self._open: str | None = None
        self.database = ""

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query; text columns must be selected FOR BIT DATA (`types.py`) unless they are known to be ASCII.

        Raises:
            TailraceError: the meaning of the driver's error.

        """
        with self._cursor(sql) as cursor:
            cursor.execute(sql, params or None)
            return [tuple(row) for row in cursor.fetchall()]

    def execute(self, sql: str, *params: Any) -> int:
        """Execute a statement without a result; returns the number of changed rows, or -1 if it has none."""
        with self._cursor(sql) as cursor:
            if params:  # the driver opens a cursor for a statement with parameters, unless they come as a batch
                cursor.executemany(sql, [params])
            else:
                cursor.execute(sql)
            return int(cursor.rowcount)

    def batches(self, sql: str, *params: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a query as the driver's Arrow batches, none of them empty. Close the iterator to end the query early."""
        with self._cursor(sql) as cursor:
            cursor.execute(sql, params or None)
            for batch in cursor.fetch_record_batch():
                if batch.num_rows:
                    yield batch

    def commit(self) -> None:
        """End the transaction."""
        with self.translated("committing"):
            self._connection.commit()

    def rollback(self) -> None:
        """End the transaction without its changes."""
        with self.translated("rolling back"):
            self._connection.rollback()

    @contextlib.contextmanager
    def _cursor(self, sql: str) -> Iterator[Any]:
        if self._open is not None:
            raise RuntimeError(f"{shortened(sql)!r} would end the open result of {self._open!r}: close that first")
        with self.translated(f"running {shortened(sql)!r} on {self._where}"):
            cursor = self._connection.cursor()
            self._open = shortened(sql)
            try:
                yield cursor
            finally:
                self._open = None
                cursor.close()

    def meaning(self, error: Exception, doing: str) -> TailraceError | None:
        """The meaning of the driver's errors (`errors_of_driver.py`)."""
        return of_driver(error, doing) if is_of_driver(error, driver()) else None


def driver() -> Any:
    """The driver's DBAPI module.

    Raises:
        SourceSetupError: it is not installed.

    """
    try:
        import adbc_driver_db2.dbapi as module
    except ImportError as error:
        raise SourceSetupError(
            f"Db2 is read with adbc-driver-db2, which can't be imported ({error}); install it: pip install adbc-driver-db2"
        ) from error
    return module


def connect(address: Address) -> Session:
    """Open a session.

    Raises:
        RetriableError: the server can't be reached now, or does not answer in time.
        SourceSetupError: the driver is not installed, or the login is refused.
        ConfigError: there is no such database, or TLS does not fit.

    """
    module = driver()
    where = f"Db2 at {address.host}:{address.port}"
    doing = f"connecting to {where} as {address.user!r}"
    session = Session(_connected(module, address, doing), where)
    session.database = str(session.one("SELECT CURRENT SERVER FROM SYSIBM.SYSDUMMY1")).rstrip()
    session.rollback()
    return session


def _connected(module: Any, address: Address, doing: str) -> Any:
    """The driver's connection, made by a thread: the driver itself never gives up on a server that is silent."""
    made: list[Any] = []
    given_up = threading.Event()

    def run() -> None:
        try:
            found = module.connect(
                uri=f"db2://{_bracketed(address.host)}:{address.port}/{address.database}",
                username=address.user,
                password=address.password.reveal(),
                db_kwargs=_options(address),
            )
        except Exception as error:  # noqa: BLE001 -- it is raised by the thread that waits
            made.append(error)
            return
        if given_up.is_set():
            found.close()
        made.append(found)

    thread = threading.Thread(target=run, name="connecting to Db2", daemon=True)
    thread.start()
    thread.join(address.patience)
    if not made:
        given_up.set()
        raise RetriableError(f"{doing}: no answer within {address.patience:g} s. Does a Db2 listen there?")
    if isinstance(made[0], Exception):
        if not is_of_driver(made[0], module):
            raise made[0]
        raise of_driver(made[0], doing) from None
    return made[0]


def _options(address: Address) -> dict[str, str]:
    given = {
        "adbc.db2.tls": _TLS if address.tls else _PLAIN,
        "adbc.db2.application_name": address.application,
        "adbc.db2.connect_timeout": f"{address.patience:g}s",
        "adbc.db2.batch_bytes": str(_BYTES_AT_ONCE),
    }
    if address.authorities is not None:
        given["adbc.db2.tls.ca_cert"] = address.authorities
    return given


def _bracketed(host: str) -> str:
    """The host in a URI: an address of IPv6 has brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
