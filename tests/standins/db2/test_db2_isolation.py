"""Whom a reader waits for, and what it sees meanwhile: over the wire with adbc-driver-db2, and on the engine by itself."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from typing import Any

import pytest

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import SqlError

WAITS = "SELECT NAME FROM S.T WHERE ID = 1 WITH CS WAIT FOR OUTCOME"


@pytest.fixture
def reader(session: EngineSession) -> EngineSession:
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20))")
    session.run("INSERT INTO S.T VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    session.commit()
    return session


@pytest.fixture
def writer(engine: Engine, reader: EngineSession) -> EngineSession:
    made = engine.session()
    made.run("UPDATE S.T SET NAME = 'new' WHERE ID = 1")
    made.run("INSERT INTO S.T VALUES (4, 'd')")
    return made


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_reader_waits_for_the_outcome(reader: EngineSession, writer: EngineSession, end: str) -> None:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(reader.run(WAITS)))
    thread.start()
    while not reader.store.locks.waiting():
        time.sleep(0.001)
    getattr(writer, end)()
    thread.join(20)
    assert found == [[("new" if end == "commit" else "a",)]]


@pytest.mark.parametrize("range_", ["ID > 1 AND ID < 4", "ID = 9"])
def test_a_reader_waits_only_for_rows_of_its_result(reader: EngineSession, writer: EngineSession, range_: str) -> None:
    reader.run("SET CURRENT LOCK TIMEOUT NOT WAIT")
    reader.run(f"SELECT NAME FROM S.T WHERE {range_} ORDER BY ID FETCH FIRST 5 ROWS ONLY WITH CS WAIT FOR OUTCOME")
    reader.run("SELECT COUNT(*) FROM S.T WITH CS")
    for other in ("SELECT COUNT(*) FROM S.T WAIT FOR OUTCOME", "SELECT * FROM S.T a, S.T b WAIT FOR OUTCOME", WAITS):
        with pytest.raises(SqlError) as caught:
            reader.run(other)
        assert (caught.value.code, caught.value.tokens) == (-911, ("68",))
        assert reader.transaction is None  # the error rolled back


def test_what_was_waited_for_is_not_locked(reader: EngineSession, writer: EngineSession) -> None:
    writer.commit()
    reader.run(WAITS)
    writer.run("SET CURRENT LOCK TIMEOUT 0")
    writer.run("UPDATE S.T SET NAME = 'newer' WHERE ID = 1")


def test_others_resolutions(reader: EngineSession, writer: EngineSession) -> None:
    everything = "SELECT ID, NAME FROM S.T ORDER BY ID "
    assert reader.run(everything + "WITH CS USE CURRENTLY COMMITTED") == [(1, "a"), (2, "b"), (3, "c")]
    assert reader.run(everything + "SKIP LOCKED DATA") == [(2, "b"), (3, "c")]
    assert writer.run(everything + "SKIP LOCKED DATA") == [(1, "new"), (2, "b"), (3, "c"), (4, "d")]
    assert reader.run(everything + "WITH UR WAIT FOR OUTCOME") == [(1, "new"), (2, "b"), (3, "c"), (4, "d")]


def test_a_transaction_waits_for_nothing_of_its_own(reader: EngineSession) -> None:
    reader.run("UPDATE S.T SET NAME = 'mine'")
    assert reader.run(WAITS) == [("mine",)]


def test_registers_of_a_session(reader: EngineSession, engine: Engine) -> None:
    engine.lock_timeout = 3000
    seen = []
    for clause in ("5", "= 6", "WAIT 7", "WAIT", "NOT WAIT", "NULL"):
        reader.run(f"SET CURRENT LOCK TIMEOUT {clause}")
        seen += reader.run("VALUES CURRENT LOCK TIMEOUT")
    assert seen == [(5,), (6,), (7,), (-1,), (0,), (3,)]
    for given, shown in (("= UR", "UR"), ("RS", "RS"), ("RESET", "  ")):
        reader.run(f"SET CURRENT ISOLATION {given}")
        assert str(reader.run("VALUES CURRENT ISOLATION")[0][0]).ljust(2) == shown
    for given, shown in (("S", "S"), ('"q s"', "q s"), ("= 'X'", "X"), ("USER", "DB2INST1")):
        reader.run(f"SET SCHEMA {given}")
        assert reader.run("VALUES CURRENT SCHEMA") == [(shown,)]


def test_over_the_wire(engine: Engine, writer: EngineSession) -> None:
    adbc = pytest.importorskip("adbc_driver_db2.dbapi", reason="adbc-driver-db2 is not installed")
    with StandIn(engine) as server:
        uri = f"db2://127.0.0.1:{server.port}/TESTDB"
        options = {"uri": uri, "username": "db2inst1", "password": "Tailrace-1", "db_kwargs": {"adbc.db2.tls": "false"}}
        with contextlib.closing(adbc.connect(**options)) as connection, connection.cursor() as cursor:
            cursor.execute("SET CURRENT LOCK TIMEOUT 1")
            cursor.execute("SELECT ID FROM S.T WITH CS")
            assert cursor.fetchall() == [(1,), (2,), (3,)]
            with pytest.raises(adbc.Error, match=r"-911.*68"):
                cursor.execute(WAITS)
            cursor.execute("SELECT CURRENT TIMEZONE, CURRENT LOCK TIMEOUT FROM SYSIBM.SYSDUMMY1")
            assert [int(each) for each in cursor.fetchall()[0]] == [0, 1]
            cursor.execute("SELECT CURRENT TIMESTAMP - CURRENT TIMEZONE FROM SYSIBM.SYSDUMMY1")
            assert cursor.fetchall()[0][0] is not None


def test_a_share_lock_holds_writers_up(engine: Engine, reader: EngineSession) -> None:
    reader.run("LOCK TABLE S.T IN SHARE MODE")
    other = engine.session()
    other.run("SET CURRENT LOCK TIMEOUT 0")
    assert other.run("SELECT COUNT(*) FROM S.T WITH CS") == [(3,)]
    with pytest.raises(SqlError, match="-911"):
        other.run("DELETE FROM S.T")
    reader.commit()
    other.run("DELETE FROM S.T")


@pytest.mark.parametrize("seed", range(3))
def test_durations_take_back_what_they_gave(session: EngineSession, seed: int) -> None:
    """A difference added to the earlier moment gives the later one, where no day is borrowed."""
    chance = random.Random(seed)
    for _ in range(50):
        day = f"{chance.randint(1, 12):02}-{chance.randint(10, 28):02}"
        a, b = (
            f"{year}-{day} {chance.randint(0, 23):02}:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}.{chance.randint(0, 999999):06}"
            for year, day in ((chance.randint(1990, 2009), "03-09"), (chance.randint(2010, 2030), day))
        )
        duration, back = session.run("VALUES (TIMESTAMP(?) - TIMESTAMP(?), TIMESTAMP(?) + (TIMESTAMP(?) - TIMESTAMP(?)))", b, a, a, b, a)[0]
        assert back == b, (seed, a, b, duration)
        assert session.run("VALUES TIMESTAMP(?) - TIMESTAMP(?)", a, b)[0][0] == -duration  # type: ignore[operator]
    rules = "VALUES (DATE('2026-03-01') - DATE('2026-01-30'), TIME('10:00:01') - TIME('09:30:02'), DATE('2026-01-31') + 1 MONTH)"
    assert session.run(rules) == [(102, 2959, "2026-02-28")]


def test_a_commit_may_be_in_the_log_before_readers_see_it(engine: Engine, reader: EngineSession, replication: Replication) -> None:
    reader.run("CALL ASNCDC.ADDTABLE('S', 'T')")
    reader.commit()
    replication.capture.reinit()
    writer = engine.session()
    writer.run("UPDATE S.T SET NAME = 'new' WHERE ID = 1")
    engine.commits.hold()
    committing = threading.Thread(target=writer.commit)
    committing.start()
    while not engine.commits.held:
        time.sleep(0.001)
    replication.capture.step()
    captured = "SELECT NAME FROM ASNCDC.CDC_S_T WHERE IBMSNAP_OPERATION = 'I'"
    assert reader.run(captured) == [("new",)]
    assert reader.run("SELECT NAME FROM S.T WHERE ID = 1 WITH CS") == [("a",)]
    reader.run("SET CURRENT LOCK TIMEOUT 0")
    with pytest.raises(SqlError, match="-911"):
        reader.run(WAITS)
    engine.commits.release()
    committing.join(20)
    assert reader.run(WAITS) == [("new",)]
    assert replication.capture.capture() == 0 or reader.run(captured) == [("new",)]
