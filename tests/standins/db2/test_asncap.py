"""The Capture program: what it writes into change tables, when it says so, and what ends it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.session import SqlError

HEAD = """SELECT MAX(t.SYNCHPOINT) FROM (SELECT CD_NEW_SYNCHPOINT AS SYNCHPOINT FROM ASNCDC.IBMSNAP_REGISTER UNION ALL
 SELECT SYNCHPOINT AS SYNCHPOINT FROM ASNCDC.IBMSNAP_REGISTER) t"""
CHANGES = "SELECT IBMSNAP_OPERATION, ID, NAME FROM ASNCDC.CDC_S_T ORDER BY IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"


@pytest.fixture
def captured(session: EngineSession, replication: Replication) -> EngineSession:
    session.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20), C CLOB(1000))")
    session.run("INSERT INTO S.T VALUES (0, 'before', NULL)")
    session.run("CALL ASNCDC.ADDTABLE('S', 'T')")
    session.commit()
    replication.capture.reinit()
    return session


def committed(session: EngineSession, *statements: str) -> None:
    for sql in statements:
        session.run(sql)
    session.commit()


def test_updates_are_deletes_and_inserts_in_the_order_of_commits(
    engine: Engine, captured: EngineSession, replication: Replication
) -> None:
    other = engine.session()
    captured.run("INSERT INTO S.T VALUES (1, 'a', 'large')")
    committed(other, "INSERT INTO S.T VALUES (2, 'b', NULL)")
    committed(captured, "UPDATE S.T SET NAME = 'z' WHERE ID = 1", "DELETE FROM S.T WHERE ID = 0")
    replication.capture.step()
    assert captured.run(CHANGES) == [
        ("I", 2, "b"), ("I", 1, "a"), ("D", 1, "a"), ("I", 1, "z"), ("D", 0, "before"),
    ]  # fmt: skip
    assert captured.run("SELECT COUNT(C), COUNT(DISTINCT IBMSNAP_COMMITSEQ) FROM ASNCDC.CDC_S_T") == [(0, 2)]
    times = captured.run("SELECT IBMSNAP_LOGMARKER, IBMSNAP_AUTHID FROM ASNCDC.IBMSNAP_UOW ORDER BY IBMSNAP_COMMITSEQ")
    assert times == sorted(times)
    assert {user for _, user in times} == {"DB2INST1"}


def test_what_is_rolled_back_is_never_captured(captured: EngineSession, replication: Replication) -> None:
    captured.run("INSERT INTO S.T VALUES (1, 'a', NULL)")
    captured.run("SAVEPOINT A ON ROLLBACK RETAIN CURSORS")
    captured.run("INSERT INTO S.T VALUES (2, 'b', NULL)")
    captured.run("ROLLBACK TO SAVEPOINT A")
    captured.commit()
    captured.run("DELETE FROM S.T")
    captured.rollback()
    replication.capture.step()
    assert captured.run(CHANGES) == [("I", 1, "a")]


def test_rows_come_before_the_synchpoint_that_covers_them(captured: EngineSession, replication: Replication) -> None:
    replication.capture.step()
    before = captured.run(HEAD)[0][0]
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)")
    replication.capture.capture()
    row = captured.run("SELECT IBMSNAP_COMMITSEQ FROM ASNCDC.CDC_S_T")[0][0]
    assert captured.run(HEAD)[0][0] == before
    assert before < row
    replication.capture.advance()
    assert captured.run(HEAD)[0][0] >= row


def test_no_commit_is_passed_over(engine: Engine, captured: EngineSession, replication: Replication) -> None:
    """Commits of several sessions while the program runs: behind a synchpoint nothing appears any more."""

    def write(first: int) -> None:
        session = engine.session()
        for number in range(first, first + 50):
            committed(session, f"INSERT INTO S.T VALUES ({number}, 'n', NULL)")
        session.close()

    seen: dict[bytes, int] = {}
    with ThreadPoolExecutor(3) as pool:
        works = [pool.submit(write, first) for first in (1000, 2000, 3000)]
        while not all(work.done() for work in works):
            replication.capture.step()
            head = captured.run(HEAD)[0][0]
            assert isinstance(head, bytes)
            seen[head] = int(str(captured.run("SELECT COUNT(*) FROM ASNCDC.CDC_S_T WHERE IBMSNAP_COMMITSEQ <= ?", head)[0][0]))
            captured.commit()
        for work in works:
            work.result()
    replication.capture.step()
    for head, count in seen.items():
        assert captured.run("SELECT COUNT(*) FROM ASNCDC.CDC_S_T WHERE IBMSNAP_COMMITSEQ <= ?", head) == [(count,)]
    assert captured.run("SELECT COUNT(*) FROM ASNCDC.CDC_S_T") == [(150,)]


def test_settings_of_the_register(captured: EngineSession, replication: Replication) -> None:
    captured.run("ALTER TABLE ASNCDC.CDC_S_T ADD COLUMN XNAME VARCHAR(20)")
    committed(
        captured,
        "UPDATE ASNCDC.IBMSNAP_REGISTER SET CHG_UPD_TO_DEL_INS = 'N', CHGONLY = 'Y', BEFORE_IMG_PREFIX = 'X', STATE = 'I' "
        "WHERE SOURCE_TABLE = 'T'",
    )
    replication.capture.reinit()
    committed(captured, "INSERT INTO S.T VALUES (5, 'inactive', NULL)", "UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = 'A'")
    replication.capture.reinit()
    committed(captured, "UPDATE S.T SET NAME = 'new' WHERE ID = 0", "UPDATE S.T SET NAME = NAME, C = 'only a large one'")
    replication.capture.step()
    assert captured.run("SELECT IBMSNAP_OPERATION, ID, NAME, XNAME FROM ASNCDC.CDC_S_T") == [("U", 0, "new", "before")]


def test_pruning(captured: EngineSession, replication: Replication) -> None:
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)")
    replication.capture.step()
    units = "SELECT COUNT(*) FROM ASNCDC.IBMSNAP_UOW"
    for before in ("2000-01-01 00:00:00", None):  # None: a week ago, by IBMSNAP_CAPPARMS
        replication.capture.prune(before)
        assert captured.run(units) == [(1,)]
        captured.commit()
    committed(captured, "UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 0")
    replication.capture.prune()
    assert captured.run(units) == [(0,)]
    assert captured.run(CHANGES) == []


@pytest.mark.parametrize(("stops", "state"), [("Y", "A"), ("N", "S")])
def test_a_missing_change_table(captured: EngineSession, replication: Replication, stops: str, state: str) -> None:
    committed(captured, f"UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = 'I', STOP_ON_ERROR = '{stops}' WHERE SOURCE_TABLE = 'T'")
    replication.capture.reinit()
    committed(captured, "UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = 'A' WHERE SOURCE_TABLE = 'T'")
    replication.capture.reinit()
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)", "DROP TABLE ASNCDC.CDC_S_T")
    if stops == "Y":
        with pytest.raises(SqlError):
            replication.capture.capture()
    else:
        assert replication.capture.capture() > 0
    assert captured.run("SELECT STATE FROM ASNCDC.IBMSNAP_REGISTER WHERE SOURCE_TABLE = 'T'") == [(state,)]
    assert "CDC_S_T is missing" in str(captured.run("SELECT DESCRIPTION FROM ASNCDC.IBMSNAP_CAPTRACE"))


def test_a_stopped_program_goes_on_where_it_was(captured: EngineSession, replication: Replication) -> None:
    service = "VALUES ASNCDC.ASNCDCSERVICES('{}', 'asncdc')"
    assert captured.run(service.format("status")) == [("asncap is not running",)]
    replication.capture.start()
    assert captured.run(service.format("status")) == [("asncap is doing work",)]
    replication.capture.stop()
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)")
    replication.capture.reinit()
    replication.capture.step()
    assert captured.run(CHANGES) == [("I", 1, "a")]


def test_signals_get_the_lsn_of_their_commit(captured: EngineSession, replication: Replication) -> None:
    committed(captured, "INSERT INTO ASNCDC.IBMSNAP_SIGNAL (SIGNAL_TYPE, SIGNAL_STATE) VALUES ('USER', 'P')")
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)")
    replication.capture.step()
    row = captured.run("SELECT IBMSNAP_COMMITSEQ FROM ASNCDC.CDC_S_T")[0][0]
    state, lsn = captured.run("SELECT SIGNAL_STATE, SIGNAL_LSN FROM ASNCDC.IBMSNAP_SIGNAL")[0]
    assert state == "C"
    assert isinstance(lsn, bytes)
    assert lsn < row


def test_a_removed_table_is_gone(captured: EngineSession, replication: Replication) -> None:
    committed(captured, "CALL ASNCDC.REMOVETABLE('S', 'T')")
    replication.capture.reinit()
    committed(captured, "INSERT INTO S.T VALUES (1, 'a', NULL)")
    assert replication.capture.capture() > 0
    assert captured.run("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_REGISTER WHERE SOURCE_OWNER <> ''") == [(0,)]
    assert captured.run("SELECT COUNT(*) FROM SYSCAT.TABLES WHERE TABNAME = 'CDC_S_T'") == [(0,)]
