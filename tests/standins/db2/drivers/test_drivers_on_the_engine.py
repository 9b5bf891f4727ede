"""Each driver on the stand-in's own SQL: tables are made, filled, read, altered; errors arrive, transactions end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.standins.db2.drivers.children import DEBEZIUMS, TODAYS, Child, DriverError, adbc, ibm_db, jcc

from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn

pytestmark = pytest.mark.drivers
DRIVERS: dict[str, Callable[[], Child]] = {
    "adbc": adbc, "ibm_db": ibm_db, "jcc of Debezium": lambda: jcc(DEBEZIUMS), "jcc of today": lambda: jcc(TODAYS),
}  # fmt: skip
PASSWORD = "Tail-race#1"
TABLE = """CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20), AMT DECIMAL(10,2) DEFAULT 1.5,
 TS TIMESTAMP NOT NULL WITH DEFAULT, B VARCHAR(16) FOR BIT DATA) DATA CAPTURE CHANGES"""
ROWS = "INSERT INTO S.T (ID, NAME, AMT, B) VALUES (1, 'Ann', 12.50, X'00FF'), (2, 'Bob', DEFAULT, NULL), (3, NULL, NULL, X'20')"


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine(users={"app": PASSWORD})
    yield made
    made.close()


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest, engine: Engine) -> Iterator[Child]:
    with DRIVERS[request.param]() as child, StandIn(engine) as server:
        options = {"jcc of today": ":securityMechanism=3;"}.get(request.param, "")
        child.ask("connect", server.port, PASSWORD, "TESTDB", options)
        yield child


def run(child: Child, sql: str) -> None:
    """A statement without a result."""
    child.ask("update", sql)


def test_tables_are_made_filled_read_and_altered(driver: Child, engine: Engine) -> None:
    for sql in (TABLE, ROWS, "UPDATE S.T SET NAME = NAME CONCAT '!' WHERE ID <= 2", "ALTER TABLE S.T ADD COLUMN X INTEGER DEFAULT 5"):
        run(driver, sql)
    assert driver.ask("shape", "SELECT ID, t.* FROM S.T t WHERE AMT > 1 OR B >= X'20' ORDER BY ID WITH UR")[:2] == [3, 7]
    assert engine.session().run("SELECT COLNAME FROM SYSCAT.COLUMNS WHERE TABNAME = 'T' AND COLNO = 5") == [("X",)]
    run(driver, "DROP TABLE S.T")
    with pytest.raises(DriverError):
        driver.ask("shape", "SELECT * FROM S.T")


def test_errors_have_their_codes(driver: Child) -> None:
    run(driver, TABLE)
    run(driver, ROWS)
    for sql, code in (("DELETE FROM S.NO", -204), (ROWS, -803)):
        with pytest.raises(DriverError) as caught:
            run(driver, sql)
        assert str(code) in str(caught.value)
    assert driver.ask("shape", "SELECT ID FROM S.T")[0] == 3
