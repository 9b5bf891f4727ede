"""The demo's shop on the stand-in for Db2, which needs no installation but that of the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self

from tailrace.connectors.demo import COMMON, PREFIX, Shop, Statements
from tailrace.errors import ConfigError
from tailrace_standins.servers.db2_server import StandInServer, Unavailable

DATABASE: Final = "INVENTRY"
"""The name of a Db2 database has eight characters at most."""
_STATEMENTS: Final = Statements(
    order="INSERT INTO ORDERS (ORDER_DATE, PURCHASER, QUANTITY, PRODUCT_ID) VALUES (CURRENT DATE, ?, ?, ?)",
    sale="UPDATE PRODUCTS_ON_HAND SET QUANTITY = QUANTITY - ? WHERE PRODUCT_ID = ?",
    customer="INSERT INTO CUSTOMERS (FIRST_NAME, LAST_NAME, EMAIL) VALUES (?, ?, ?)",
    move="UPDATE CUSTOMERS SET EMAIL = ? WHERE ID = ?",
    moved=("customers", "id", "box.{}@example.com"),
    restock="UPDATE PRODUCTS_ON_HAND SET QUANTITY = QUANTITY + 25 WHERE QUANTITY < 30",
    cancel="DELETE FROM ORDERS WHERE ID = ?",
    number="id",
)


@contextmanager
def opened(notice: Callable[[str], None]) -> Iterator[Shop]:
    """A shop on its own server, which is stopped at the end; raises `ConfigError` if it can't be started."""
    notice("starting the stand-in for Db2")
    try:
        with StandInServer(DATABASE) as server:
            yield _shop(server)
    except Unavailable as error:
        raise ConfigError(f"the demo needs a driver for Db2, or --source mysql: {error}") from error


def _shop(server: StandInServer) -> Shop:
    server.fill_inventory()
    server.replication.start()
    config = {**server.properties(), **COMMON, "topic.prefix": PREFIX}
    place = f"the stand-in for Db2 is at {server.host}:{server.port}"
    return Shop(place, DATABASE, config, lambda: WriterConnection(server.connect()), _STATEMENTS)


class WriterConnection:
    """A connection for the shop's writer: the driver counts changed rows only where parameters come as a batch of rows."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def cursor(self) -> _Cursor:
        """A cursor for one statement."""
        return _Cursor(self._connection.cursor())

    def commit(self) -> None:
        """End the transaction."""
        self._connection.commit()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Cursor:
    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cursor.close()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        if parameters:
            self._cursor.executemany(sql, [parameters])
        else:
            self._cursor.execute(sql)

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._cursor.fetchall())

    @property
    def rowcount(self) -> int:
        return int(self._cursor.rowcount)
