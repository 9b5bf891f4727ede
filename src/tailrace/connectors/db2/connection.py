"""Sessions on a Db2: one connection to one database, over adbc-driver-db2, which speaks DRDA and needs no library of IBM.

Small results come as tuples, rows of tables as Arrow batches. Errors of the driver become tailrace's own
(`errors_of_driver.py`); none contains a password.

    with connect(settings) as session:
        session.one("SELECT CURRENT TIMESTAMP FROM SYSIBM.SYSDUMMY1")
        for batch in session.batches("SELECT ID FROM S.T"): ...

The driver has habits that this module is there for: it ends a result in silence when its connection is used for another
statement; it waits without end for a server that says nothing, which goes on with a statement that was given up; and it hands
over all text as it came, so that LSNs are text for it, and text is decoded here.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tailrace.config.secret import Secret
from tailrace.connectors.db2 import go_runtime
from tailrace.connectors.db2.bit_data import as_bytes
from tailrace.connectors.db2.driver_calls import DriverCalls
from tailrace.connectors.db2.errors_of_driver import code_in_words, is_of_driver, of_driver
from tailrace.connectors.db2.own_sockets import connected_to
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.trusting import authorities
from tailrace.connectors.shared.configured_sql import running
from tailrace.connectors.shared.driver_sessions import DriverSession, shortened
from tailrace.errors import RetriableError, SourceSetupError, TailraceError

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES_AT_ONCE: Final = 4 << 20  # the driver holds several times that, row by row
_SHOWN_BYTES: Final = 64
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
        query_seconds: how long a statement may take until its first rows, and its next ones; None: without limit.
        schema: of names without one, in statements of the user; None: the user's.
        mechanism: how the password is sent, as in `driver.securityMechanism`; None: the best that the server has.

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
    query_seconds: float | None = None
    schema: str | None = None
    mechanism: str | None = None


class Session(DriverSession):
    """One connection, for one thread at a time, with at most one open result.

    Statements run in a transaction, which `commit` and `rollback` end.

    Attributes:
        database: the connected database, as the server spells it.

    """

    def __init__(
        self,
        connection: Any,
        where: str,
        query_seconds: float | None = None,
        cut: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(connection)
        self._where = where
        self._open: str | None = None
        self._calls = DriverCalls(query_seconds, cut)
        self.database = ""

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query; text, also FOR BIT DATA, is taken for UTF-8.

        Text that need not be ASCII must be selected FOR BIT DATA, or the driver misreads it (`types.py`).

        Raises:
            TailraceError: the meaning of the driver's error.

        """
        return [tuple(map(_decoded, row)) for row in self.raw_rows(sql, *params)]

    def raw_rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query with the bytes of its text columns, as the server sent them: for LSNs."""
        found: list[tuple[Any, ...]] = []
        for batch in self.batches(sql, *params):
            found += zip(*(as_bytes(column).to_pylist() for column in batch.columns), strict=True)
        return found

    def execute(self, sql: str, *params: Any) -> int:
        """Execute a statement without a result; returns the number of changed rows, or -1 if it has none."""
        with self._cursor(sql) as cursor:
            if params:  # the driver opens a cursor for a statement with parameters, unless they come as a batch
                self._calls.run(cursor, lambda: cursor.executemany(sql, [params]))
            else:
                self._calls.run(cursor, lambda: cursor.execute(str(sql)))
            return int(cursor.rowcount)

    def batches(self, sql: str, *params: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a query as the driver's Arrow batches, none of them empty. Close the iterator to end the query early."""
        with self._cursor(sql) as cursor:
            self._calls.run(cursor, lambda: cursor.execute(sql, params or None))
            found = cursor.fetch_record_batch()
            batch = self._calls.run(cursor, lambda: next(found, None))
            while batch is not None:
                # The driver takes as long for a batch as all the rest of the way does: it has the next one ready meanwhile.
                ahead = self._calls.start(lambda: next(found, None))
                try:
                    if batch.num_rows:
                        yield batch
                except BaseException:
                    self._calls.settle(cursor, ahead)
                    raise
                batch = self._calls.result(cursor, ahead)

    def commit(self) -> None:
        """End the transaction; the driver would end an open result with it, in silence."""
        self._require_closed("a commit")
        with self.translated("committing"):
            self._calls.run(None, self._connection.commit)

    def rollback(self) -> None:
        """End the transaction without its changes; the driver would end an open result with it, in silence."""
        self._require_closed("a rollback")
        with self.translated("rolling back"):
            self._calls.run(None, self._connection.rollback)

    def close(self) -> None:
        """Close the session; one that a statement still hangs in is closed when the driver gives it back."""
        self._calls.end(super().close)

    @contextlib.contextmanager
    def _cursor(self, sql: str) -> Iterator[Any]:
        self._require_closed(repr(shortened(sql)))
        with self.translated(f"{running(sql, shortened(sql))} on {self._where}", sql):
            cursor = self._connection.cursor()
            self._open = shortened(sql)
            try:
                yield cursor
            finally:
                self._open = None
                self._calls.close(cursor)

    def _require_closed(self, doing: str) -> None:
        if self._open is not None:
            raise RuntimeError(f"{doing} would end the open result of {self._open!r}: close that first")

    def meaning(self, error: Exception, doing: str) -> TailraceError | None:
        """The meaning of the driver's errors (`errors_of_driver.py`)."""
        return of_driver(error, doing) if is_of_driver(error, driver()) else None

    def code(self, error: Exception) -> str:
        """The SQLCODE."""
        return code_in_words(error)


def _decoded(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise SourceSetupError(
            f"a name or another text of the catalogue or of a control table is no UTF-8: {value[:_SHOWN_BYTES]!r}. Is the "
            "database one of code page 1208? tailrace check tells"
        ) from error


def driver() -> Any:
    """The driver's DBAPI module.

    Raises:
        SourceSetupError: it is not installed.

    """
    try:
        import adbc_driver_db2.dbapi as module
    except ImportError as error:
        raise SourceSetupError(
            f"Db2 is read with adbc-driver-db2, which can't be imported ({error}); install it: "
            "pip install 'tailrace[db2]'"
        ) from error
    return module


def connect(settings: Db2Settings) -> Session:
    """Open a session in the configured database.

    Raises:
        RetriableError: the server can't be reached now, or does not answer in time.
        SourceSetupError: the driver is not installed, or the login is refused.
        ConfigError: there is no such database, or TLS does not fit.

    """
    go_runtime.warn_if_lacking()
    with authorities(settings) as file:
        return connect_to(
            Address(
                settings.database_hostname,
                settings.database_port,
                settings.database_dbname,
                settings.database_user,
                settings.database_password or Secret(""),
                tls=settings.driver_sslconnection,
                authorities=file,
                application=settings.application,
                patience=settings.connect_seconds,
                query_seconds=settings.database_query_timeout_ms / 1000 or None,
                schema=settings.driver_currentschema,
                mechanism=settings.driver_securitymechanism,
            )
        )


def try_login(settings: Db2Settings) -> None:
    """Connect and disconnect; raises as `connect` does."""
    connect(settings).close()


def connect_to(address: Address) -> Session:
    """Open a session; raises as `connect` does."""
    module = driver()
    where = f"Db2 at {address.host}:{address.port}"
    doing = f"connecting to {where} as {address.user!r}"
    others = connected_to(address.port)
    connection = _connected(module, address, doing)
    mine = connected_to(address.port) - others
    # If another thread has connected at the same time, it is not known which is which.
    cut = mine.pop().shut_down if len(mine) == 1 else lambda: None
    session = Session(connection, where, address.query_seconds, cut)
    session.database = str(session.one("SELECT CURRENT SERVER FROM SYSIBM.SYSDUMMY1")).rstrip()
    if address.schema is not None:
        session.execute(f"SET CURRENT SCHEMA {literal(address.schema)}")
    session.commit()
    return session


def quoted(*names: str) -> str:
    """A name in double quotes, part by part: `"S"."ORDERS"`."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def literal(text: str) -> str:
    """A text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def _connected(module: Any, address: Address, doing: str) -> Any:
    """The driver's connection, made by a thread: the driver itself never gives up on a server that is silent."""
    made: list[Any] = []
    given_up = threading.Event()

    def run() -> None:
        try:
            found = module.connect(
                uri=f"db2://{_bracketed(address.host)}:{address.port}/{quote(address.database, safe='')}",
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
        told = of_driver(made[0], doing, by_tls=address.tls)
        if isinstance(told, SourceSetupError) and not _is_sendable(address.user + address.password.reveal()):
            told = SourceSetupError(
                f"{told}. The user or the password has characters that EBCDIC (code page 500) lacks, in which they are sent"
            )
        raise told from None
    return made[0]


def _is_sendable(text: str) -> bool:
    """Whether DRDA's code page for logins has all characters of a text."""
    try:
        text.encode("cp500")
    except UnicodeEncodeError:
        return False
    return True


def _options(address: Address) -> dict[str, str]:
    given = {
        "adbc.db2.tls": _TLS if address.tls else _PLAIN,
        "adbc.db2.application_name": address.application,
        "adbc.db2.connect_timeout": f"{address.patience:g}s",
        "adbc.db2.batch_bytes": str(_BYTES_AT_ONCE),
    }
    if address.authorities is not None:
        given["adbc.db2.tls.ca_cert"] = address.authorities
    if address.mechanism is not None:
        given["adbc.db2.security_mechanism"] = address.mechanism
    return given


def _bracketed(host: str) -> str:
    """The host in a URI: an address of IPv6 has brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
