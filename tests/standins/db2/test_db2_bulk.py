"""Rows and captured changes that are loaded past SQL are what SQL and the Capture program would have made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tailrace_standins.db2 import bulk
from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.servers.db2_server import StandInServer

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.long
TABLE = """CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, N VARCHAR(20), D DECIMAL(7,2), TS TIMESTAMP(3), T9 TIMESTAMP(9), DA DATE, C CHAR(4),
 B VARBINARY(5), O BOOLEAN, F DOUBLE)"""
AT = dt.datetime(2026, 1, 2, 3, 4, 5, 678000)  # noqa: DTZ001 -- the type has no zone
CHANGES = "SELECT IBMSNAP_OPERATION, ID, N FROM ASNCDC.CDC_S_T ORDER BY IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"


def rows(first: int, last: int, name: str = "a") -> Any:
    ids = list(range(first, last + 1))
    count = len(ids)
    return pa.table(
        {
            "ID": ids, "N": [name if number % 2 else None for number in ids], "D": [Decimal("1.50")] * count, "TS": [AT] * count,
            "T9": ["2026-01-02 03:04:05.123456789"] * count, "DA": [AT.date()] * count, "C": ["x"] * count, "B": [b"\0\1"] * count,
            "O": [True] * count, "F": [0.5] * count,
        }
    )  # fmt: skip


@pytest.fixture
def session(engine: Engine) -> EngineSession:
    made = engine.session()
    made.run(TABLE)
    made.commit()
    return made


def test_loaded_rows_are_as_if_inserted(engine: Engine, session: EngineSession) -> None:
    assert bulk.load(engine, ("S", "T"), rows(1, 2)) == 2
    session.run("INSERT INTO S.T VALUES (11, 'a', 1.5, ?, '2026-01-02 03:04:05.123456789', '2026-01-02', 'x', BINARY(X'0001'), TRUE, 0.5)", str(AT))
    session.run("INSERT INTO S.T SELECT ID + 1, NULL, D, TS, T9, DA, C, B, O, F FROM S.T WHERE ID = 11")
    first, second, *others = session.run("SELECT * FROM S.T ORDER BY ID")
    assert [first[1:], second[1:]] == [row[1:] for row in others]
    assert session.run("SELECT CARD FROM SYSCAT.TABLES WHERE TABNAME = 'T'") == [(2,)]


@pytest.fixture
def changes(engine: Engine, session: EngineSession, replication: Replication) -> Iterator[bulk.Changes]:
    session.run("CALL ASNCDC.ADDTABLE('S', 'T')")
    session.commit()
    replication.capture.reinit()
    return bulk.Changes(engine, replication)


def test_changes_are_as_if_captured(session: EngineSession, replication: Replication, changes: bulk.Changes) -> None:
    session.run("INSERT INTO S.T (ID, N) VALUES (1, 'by SQL')")
    session.commit()
    assert changes.write(("S", "T"), bulk.INSERT, rows(2, 6), 2) == 5
    assert changes.write(("S", "T"), bulk.UPDATE, rows(1, 3, "new"), 1000) == 6
    assert changes.write(("S", "T"), bulk.DELETE, pa.table({"ID": [4]}), 1000) == 1
    session.run("DELETE FROM S.T WHERE ID = 6")
    session.commit()
    replication.capture.step()
    assert session.run(CHANGES) == [
        ("I", 1, "by SQL"), ("I", 2, None), ("I", 3, "a"), ("I", 4, None), ("I", 5, "a"), ("I", 6, None),
        ("D", 1, "by SQL"), ("I", 1, "new"), ("D", 2, None), ("I", 2, None), ("D", 3, "a"), ("I", 3, "new"), ("D", 4, None), ("D", 6, None),
    ]  # fmt: skip
    assert session.run("SELECT ID, N FROM S.T ORDER BY ID") == [(1, "new"), (2, None), (3, "new"), (5, "a")]
    units = session.run("SELECT IBMSNAP_COMMITSEQ FROM ASNCDC.IBMSNAP_UOW ORDER BY IBMSNAP_COMMITSEQ")
    assert units == session.run("SELECT DISTINCT IBMSNAP_COMMITSEQ FROM ASNCDC.CDC_S_T ORDER BY 1")
    assert len(units) == 1 + 3 + 1 + 1 + 1
    newest, own = session.run("SELECT MAX(SYNCHPOINT), MAX(CD_NEW_SYNCHPOINT) FROM ASNCDC.IBMSNAP_REGISTER")[0]
    assert units[-1][0] == own
    assert bytes(newest) > bytes(own)  # type: ignore[arg-type]


def test_over_the_server() -> None:
    pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
    with StandInServer() as db2:
        db2.sql(TABLE)
        db2.load("S.T", rows(1, 10))
        db2.register("S.T")
        assert db2.change("S.T", "update", rows(1, 3)) == 6
        assert db2.sql("SELECT COUNT(*) FROM S.T") == [(10,)]
        assert db2.sql("SELECT COUNT(*), MIN(IBMSNAP_OPERATION) FROM ASNCDC.CDC_S_T") == [(6, "D")]
