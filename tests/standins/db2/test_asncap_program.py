"""The Capture program over time: activations, errors, messages, pruning by the clock, numbers of other levels, backups."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.session import SqlError

CHANGES = "SELECT IBMSNAP_OPERATION, ID FROM ASNCDC.CDC_S_T ORDER BY IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"
STATE = "UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = '{}' WHERE SOURCE_TABLE = 'T'"
TABLE = "CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20))"
HEAD = "SELECT MAX(t.S) FROM (SELECT CD_NEW_SYNCHPOINT AS S FROM ASNCDC.IBMSNAP_REGISTER UNION ALL SELECT SYNCHPOINT AS S FROM ASNCDC.IBMSNAP_REGISTER) t"
ZOS_CHANGES = """WITH tmp AS (SELECT cdc.IBMSNAP_OPERATION, cdc.IBMSNAP_COMMITSEQ, cdc.IBMSNAP_INTENTSEQ,
 ROW_NUMBER() OVER (PARTITION BY cdc.IBMSNAP_COMMITSEQ ORDER BY cdc.IBMSNAP_INTENTSEQ) rn FROM ASNCDC.CDC_S_T cdc
 WHERE cdc.IBMSNAP_COMMITSEQ >= ? AND cdc.IBMSNAP_COMMITSEQ <= ? order by IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ),
 tmp2 AS (SELECT CASE WHEN cdc.IBMSNAP_OPERATION = 'U' THEN 5 WHEN cdc.IBMSNAP_OPERATION = 'D' AND cdc2.IBMSNAP_OPERATION ='I' THEN 3
 WHEN cdc.IBMSNAP_OPERATION = 'I' AND cdc2.IBMSNAP_OPERATION ='D' THEN 4 WHEN cdc.IBMSNAP_OPERATION = 'D' THEN 1
 WHEN cdc.IBMSNAP_OPERATION = 'I' THEN 2 END OPCODE, cdc.IBMSNAP_COMMITSEQ, cdc.IBMSNAP_INTENTSEQ, cdc.IBMSNAP_OPERATION
 FROM tmp cdc left JOIN tmp cdc2 ON cdc.IBMSNAP_COMMITSEQ = cdc2.IBMSNAP_COMMITSEQ AND ((cdc.IBMSNAP_OPERATION = 'D' AND cdc.rn = cdc2.rn - 1)
 OR (cdc.IBMSNAP_OPERATION = 'I' AND cdc.rn = cdc2.rn + 1))) select res.OPCODE, cdc.* from ASNCDC.CDC_S_T cdc
 inner join tmp2 res on cdc.IBMSNAP_COMMITSEQ=res.IBMSNAP_COMMITSEQ and cdc.IBMSNAP_INTENTSEQ=res.IBMSNAP_INTENTSEQ
 order by IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"""


class Bed:
    """An engine with a table that is captured, and a clock that stands still."""

    def __init__(self, platform: str = "LUW", lsn_size: int = 0) -> None:
        self.time = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)
        self.engine = Engine(clock=lambda: self.time, platform=platform)
        self.replication = Replication(self.engine, lsn_size=lsn_size)
        self.capture = self.replication.capture
        self.session = self.engine.session()
        self.did(TABLE, "CALL ASNCDC.ADDTABLE('S', 'T')")
        self.capture.reinit()

    def did(self, *statements: str) -> None:
        for sql in statements:
            self.session.run(sql)
        self.session.commit()

    def saw(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        found = self.session.run(sql, *parameters)
        self.session.commit()
        return found

    def messages(self) -> str:
        return "\n".join(str(text) for (text,) in self.saw("SELECT DESCRIPTION FROM ASNCDC.IBMSNAP_CAPTRACE"))

    def later(self, **span: float) -> None:
        self.time += dt.timedelta(**span)


@pytest.fixture
def made() -> Iterator[Callable[..., Bed]]:
    beds: list[Bed] = []

    def make(*arguments: Any) -> Bed:
        beds.append(Bed(*arguments))
        return beds[-1]

    yield make
    for bed in beds:
        bed.replication.close()
        bed.engine.close()


@pytest.fixture
def bed(made: Callable[..., Bed]) -> Bed:
    return made()


def test_an_inactive_table_misses_its_changes_and_keeps_its_change_table(bed: Bed) -> None:
    bed.did("INSERT INTO S.T VALUES (1, 'captured')")  # before the register is read again: it still belongs to it
    bed.did(STATE.format("I"))
    bed.capture.reinit()
    bed.did("INSERT INTO S.T VALUES (2, 'missed')")
    bed.capture.step()
    bed.did("INSERT INTO S.T VALUES (3, 'missed')", STATE.format("A"))
    bed.capture.reinit()
    bed.did("INSERT INTO S.T VALUES (4, 'captured')")
    bed.capture.step()
    assert bed.saw(CHANGES) == [("I", 1), ("I", 4)]
    told = bed.messages()
    assert told.count("ASN0104I") == 2
    assert told.count("ASN0108I") == 1


def test_the_synchpoint_of_a_table_is_its_newest_commit(bed: Bed) -> None:
    bed.did("INSERT INTO S.T VALUES (1, 'a')")
    bed.capture.step()
    newest = bed.saw("SELECT MAX(IBMSNAP_COMMITSEQ) FROM ASNCDC.CDC_S_T")
    own = "SELECT CD_NEW_SYNCHPOINT FROM ASNCDC.IBMSNAP_REGISTER WHERE SOURCE_TABLE = 'T'"
    assert bed.saw(own) == newest
    bed.did("CREATE TABLE S.U (A INTEGER)")
    bed.capture.step()
    assert bed.saw(own) == newest
    assert bed.saw(HEAD)[0][0] > newest[0][0]


@pytest.mark.parametrize("stops", ["Y", "N"])
def test_a_row_that_does_not_fit(bed: Bed, stops: str) -> None:
    bed.did(f"UPDATE ASNCDC.IBMSNAP_REGISTER SET STOP_ON_ERROR = '{stops}', STATE = 'I' WHERE SOURCE_TABLE = 'T'")
    bed.capture.reinit()
    bed.did(STATE.format("A"), "ALTER TABLE S.T ALTER COLUMN NAME SET DATA TYPE VARCHAR(50)")
    bed.capture.reinit()
    bed.did(f"INSERT INTO S.T VALUES (1, '{'x' * 40}')")
    if stops == "Y":
        bed.capture.start(0.001)
        while bed.capture.error is None:
            time.sleep(0.001)
        assert not bed.capture.is_running or bed.capture.error.code == -433
    else:
        bed.capture.step()
        assert bed.saw("SELECT STATE FROM ASNCDC.IBMSNAP_REGISTER WHERE SOURCE_TABLE = 'T'") == [("S",)]
    assert "ASN0552E" in bed.messages()
    assert bed.saw(CHANGES) == []


def test_rows_without_their_synchpoint(bed: Bed) -> None:
    bed.capture.step()
    before = bed.saw(HEAD)
    bed.capture.advances = False
    bed.did("INSERT INTO S.T VALUES (1, 'a')")
    bed.capture.step()
    assert (bed.saw(CHANGES), bed.saw(HEAD)) == ([("I", 1)], before)
    bed.capture.advances = True
    bed.capture.step()
    assert bed.saw(HEAD) > before


def test_a_commit_while_rows_are_captured_comes_later(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    other = bed.engine.session()
    other.run("INSERT INTO S.T VALUES (2, 'late')")
    bed.did("INSERT INTO S.T VALUES (1, 'a')")
    insert = bed.capture._insert

    def committing(*arguments: Any) -> None:
        other.commit()
        insert(*arguments)

    monkeypatch.setattr(bed.capture, "_insert", committing)
    bed.capture.step()
    head = bed.saw(HEAD)[0][0]
    assert bed.saw(CHANGES) == [("I", 1)]
    bed.capture.step()
    assert bed.saw("SELECT ID FROM ASNCDC.CDC_S_T WHERE IBMSNAP_COMMITSEQ > ?", head) == [(2,)]


def test_house_is_kept_by_the_servers_clock(bed: Bed) -> None:
    bed.did("INSERT INTO S.T VALUES (1, 'old')")
    bed.capture.step()
    bed.capture.keep_house()
    assert bed.saw("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_CAPMON") == [(0,)]
    bed.later(days=8)
    bed.did("INSERT INTO S.T VALUES (2, 'new')")
    bed.capture.step()
    bed.capture.keep_house()
    assert bed.saw(CHANGES) == [("I", 2)]
    assert bed.saw("SELECT CD_ROWS_INSERTED, TRANS_PROCESSED > 1 FROM ASNCDC.IBMSNAP_CAPMON") == [(2, True)]
    bed.did("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET AUTOPRUNE = 'N'")
    bed.later(days=8)
    bed.capture.step()
    bed.capture.keep_house()
    assert bed.saw(CHANGES) == [("I", 2)]
    assert bed.saw("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_CAPMON") == [(2,)]


def test_a_program_started_by_sql_obeys_its_parameters(bed: Bed) -> None:
    bed.did("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET COMMIT_INTERVAL = 0, SLEEP_INTERVAL = 0")
    bed.saw("VALUES ASNCDC.ASNCDCSERVICES('start', 'asncdc')")
    bed.did("INSERT INTO S.T VALUES (1, 'a')")
    while bed.saw(CHANGES) != [("I", 1)]:
        time.sleep(0.001)
    bed.saw("VALUES ASNCDC.ASNCDCSERVICES('stop', 'asncdc')")
    for code in ("ASN0100I", "ASN0109I", "ASN0123I", "ASN0572I"):
        assert code in bed.messages()


def test_commit_times_are_the_servers_local_ones(bed: Bed) -> None:
    bed.engine.zone = ZoneInfo("Asia/Tokyo")
    bed.did("INSERT INTO S.T VALUES (1, 'a')")
    bed.capture.step()
    utc = "SELECT IBMSNAP_LOGMARKER - CURRENT TIMEZONE, CURRENT TIMEZONE FROM ASNCDC.IBMSNAP_UOW"
    assert bed.saw(utc) == [("2026-05-01 12:00:00.000000", 90000)]


def test_numbers_of_ten_bytes(made: Callable[..., Bed]) -> None:
    bed = made("LUW", 10)
    bed.did("INSERT INTO S.T VALUES (1, 'a')", "UPDATE S.T SET ID = 2")
    bed.capture.step()
    found = bed.saw("SELECT IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ, IBMSNAP_OPERATION FROM ASNCDC.CDC_S_T ORDER BY 2")
    assert [row[2] for row in found] == ["I", "D", "I"]
    assert {len(number) for row in found for number in row[:2]} == {10}
    assert bed.saw(HEAD)[0][0] > found[0][0] > found[-1][1]


def test_zos(made: Callable[..., Bed]) -> None:
    bed = made("ZOS")
    with pytest.raises(SqlError, match="-204"):
        bed.saw("SELECT * FROM SYSCAT.TABLES")
    listed = bed.saw(
        "select r.SOURCE_OWNER, r.SOURCE_TABLE, r.CD_TABLE, CAST((t.DBID * 65536 +  t.OBID )AS INTEGER )from ASNCDC.IBMSNAP_REGISTER r "
        "left JOIN SYSIBM.SYSTABLES t ON r.SOURCE_OWNER  = t.CREATOR AND r.SOURCE_TABLE = t.NAME  WHERE r.SOURCE_OWNER <> '' for read only with ur"
    )
    assert [row[:3] for row in listed] == [("S", "T", "CDC_S_T")]
    bed.did("INSERT INTO S.T VALUES (1, 'a')", "UPDATE S.T SET NAME = 'b'", "DELETE FROM S.T")
    bed.capture.step()
    found = bed.saw(ZOS_CHANGES, b"\0" * 10, b"\xff" * 10)
    assert [(row[0], row[3], row[4], row[5]) for row in found] == [(2, "I", 1, "a"), (5, "U", 1, "b"), (1, "D", 1, "b")]
    keys = "SELECT i.UNIQUERULE, k.COLNAME, k.ORDERING FROM SYSIBM.SYSINDEXES i JOIN SYSIBM.SYSKEYS k ON k.IXNAME = i.NAME WHERE i.TBNAME = 'T'"
    assert bed.saw(keys) == [("P", "ID", "A")]
    assert bed.saw("SELECT COLTYPE, LENGTH, KEYSEQ FROM SYSIBM.SYSCOLUMNS WHERE TBNAME = 'T' AND COLNO = 2") == [("VARCHAR", 20, 0)]
    assert str(bed.saw("SELECT GETVARIABLE('SYSIBM.VERSION') FROM SYSIBM.SYSDUMMY1")[0][0]).startswith("DSN13")


def test_a_restored_database_goes_on_with_the_numbers_of_its_backup(bed: Bed) -> None:
    bed.did("INSERT INTO S.T VALUES (1, 'kept')")
    backup = bed.replication.backup()
    head, rows = bed.saw(HEAD)[0][0], bed.saw(CHANGES)
    bed.did("INSERT INTO S.T VALUES (2, 'lost')", "ALTER TABLE S.T ADD COLUMN X INTEGER", "CREATE TABLE S.U (A INTEGER)")
    bed.capture.step()
    lost = bed.saw(HEAD)[0][0]
    bed.replication.restore(backup)
    assert (bed.saw(HEAD)[0][0], bed.saw(CHANGES), bed.saw("SELECT * FROM S.T")) == (head, rows, [(1, "kept")])
    bed.did("INSERT INTO S.T VALUES (3, 'new')")
    bed.capture.step()
    assert bed.saw(CHANGES) == [("I", 1), ("I", 3)]
    newest = bed.saw("SELECT MAX(IBMSNAP_COMMITSEQ) FROM ASNCDC.CDC_S_T")[0][0]
    assert head < newest < lost
    with pytest.raises(SqlError, match="-204"):
        bed.saw("SELECT * FROM S.U")


def test_no_capture_table_is_asked_for_an_idle_program(made: Callable[..., Bed], monkeypatch: pytest.MonkeyPatch) -> None:
    """A step without changes is one statement, however many tables are registered."""
    bed = made()
    for number in range(5):
        bed.did(f"CREATE TABLE S.T{number} (ID INTEGER NOT NULL PRIMARY KEY)", f"CALL ASNCDC.ADDTABLE('S', 'T{number}')")
    bed.capture.reinit()
    bed.capture.step()
    statements: list[str] = []
    run = EngineSession.run

    def noting(self: EngineSession, sql: str, *parameters: Any) -> Any:
        statements.append(sql)
        return run(self, sql, *parameters)

    monkeypatch.setattr(EngineSession, "run", noting)
    bed.capture.step()
    assert len(statements) == 1
