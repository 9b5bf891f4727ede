"""What the catalogue tells, and who may do what."""

from __future__ import annotations

import pytest

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.engine.session import EngineSession
from tailrace_standins.db2.session import SqlError

TABLE = """CREATE TABLE S.T (ID INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY, NAME VARCHAR(20) DEFAULT 'x', AMT DECIMAL(10,2),
 B VARCHAR(16) FOR BIT DATA, G VARGRAPHIC(5), TS TIMESTAMP(12), N INTEGER GENERATED ALWAYS AS (ID + 1), PRIMARY KEY (ID))"""


@pytest.fixture
def made(session: EngineSession) -> EngineSession:
    for sql in (TABLE, "CREATE UNIQUE INDEX S.X ON S.T (NAME DESC, ID)", "INSERT INTO S.T (NAME, AMT) VALUES ('a', 1), ('abc', 2)"):
        session.run(sql)
    session.commit()
    return session


@pytest.fixture
def guest(engine: Engine) -> EngineSession:
    engine.users["guest"] = "any"
    return engine.session("guest")


def refused(session: EngineSession, *statements: str) -> None:
    for sql in statements:
        with pytest.raises(SqlError) as caught:
            session.run(sql)
        assert (caught.value.code, caught.value.state) == (-551, "42501"), sql


def test_a_table_and_its_statistics(made: EngineSession) -> None:
    sizes = "SELECT CARD, NPAGES, AVGROWSIZE, TYPE, DATACAPTURE, OWNER, KEYCOLUMNS FROM SYSCAT.TABLES WHERE TABSCHEMA = 'S'"
    assert made.run(sizes) == [(-1, -1, -1, "T", "N", "DB2INST1", 1)]
    made.run("CALL SYSPROC.ADMIN_CMD('RUNSTATS ON TABLE S.T WITH DISTRIBUTION')")
    made.run("ALTER TABLE S.T DATA CAPTURE CHANGES")
    ((rows, pages, width, *rest),) = made.run(sizes)
    assert (rows, pages, rest) == (2, 1, ["T", "Y", "DB2INST1", 1])
    assert isinstance(width, int)
    assert width > 10
    assert made.run("SELECT AVGCOLLEN FROM SYSCAT.COLUMNS WHERE TABNAME = 'T' AND COLNAME = 'NAME'") == [(2,)]
    ((created, altered),) = made.run("SELECT CREATE_TIME, ALTER_TIME FROM SYSCAT.TABLES WHERE TABNAME = 'T'")
    assert str(created) < str(altered)


def test_an_index_has_the_time_at_which_it_was_made_and_its_table_is_not_altered_by_that(made: EngineSession) -> None:
    altered, created = "SELECT ALTER_TIME FROM SYSCAT.TABLES WHERE TABNAME = 'T'", "SELECT CREATE_TIME FROM SYSCAT.INDEXES"
    before = made.run(altered)
    made.run("CREATE UNIQUE INDEX S.U ON S.T (NAME)")
    first = made.run(f"{created} WHERE INDNAME = 'U'")
    made.run("DROP INDEX S.U")
    made.run("CREATE UNIQUE INDEX S.U ON S.T (NAME)")
    again = made.run(f"{created} WHERE INDNAME = 'U'")
    assert str(before) < str(first) < str(again)
    assert made.run(altered) == before
    made.run("ALTER TABLE S.T ADD CONSTRAINT Q UNIQUE (ID)")
    assert made.run(altered) > before


@pytest.mark.parametrize(("unique", "reverts"), [("", "D"), ("UNIQUE ", "U")])
def test_a_constraint_takes_an_index_of_its_columns_and_gives_it_back(made: EngineSession, unique: str, reverts: str) -> None:
    found = "SELECT INDNAME, UNIQUERULE, MADE_UNIQUE, SYSTEM_REQUIRED FROM SYSCAT.INDEXES WHERE TABNAME = 'U'"
    made.run("CREATE TABLE S.U (A INTEGER NOT NULL, B INTEGER NOT NULL)")
    made.run(f"CREATE {unique}INDEX S.I ON S.U (B, A)")
    made.run("ALTER TABLE S.U ADD CONSTRAINT P PRIMARY KEY (A, B)")
    assert made.run(found) == [("I", "P", "N" if unique else "Y", 1)]
    assert made.run("SELECT CONSTNAME, TYPE FROM SYSCAT.TABCONST WHERE TABNAME = 'U'") == [("P", "P")]
    made.run("ALTER TABLE S.U DROP PRIMARY KEY")
    assert made.run(found) == [("I", reverts, "N", 0)]
    made.run("ALTER TABLE S.U ADD CONSTRAINT C UNIQUE (A, B)")
    made.run("ALTER TABLE S.U DROP CONSTRAINT C")
    assert made.run(found) == [("I", reverts, "N", 0)]


def test_columns(made: EngineSession) -> None:
    asked = "COLNAME, COLNO, TYPENAME, LENGTH, SCALE, CODEPAGE, NULLS, IDENTITY, GENERATED, DEFAULT, KEYSEQ"
    assert made.run(f"SELECT {asked} FROM SYSCAT.COLUMNS WHERE TABNAME = 'T' ORDER BY COLNO") == [
        ("ID", 0, "INTEGER", 4, 0, 0, "N", "Y", "A", None, 1), ("NAME", 1, "VARCHAR", 20, 0, 1208, "Y", "N", " ", "'x'", None),
        ("AMT", 2, "DECIMAL", 10, 2, 0, "Y", "N", " ", None, None), ("B", 3, "VARCHAR", 16, 0, 0, "Y", "N", " ", None, None),
        ("G", 4, "VARGRAPHIC", 5, 0, 1200, "Y", "N", " ", None, None), ("TS", 5, "TIMESTAMP", 13, 12, 0, "Y", "N", " ", None, None),
        ("N", 6, "INTEGER", 4, 0, 0, "Y", "N", "A", None, None),
    ]  # fmt: skip


def test_indexes(made: EngineSession) -> None:
    found = made.run("SELECT UNIQUERULE, COLNAMES, UNIQUE_COLCOUNT, NULLKEYS FROM SYSCAT.INDEXES WHERE TABNAME = 'T' ORDER BY IID")
    assert found == [("P", "+ID", 1, "Y"), ("U", "-NAME+ID", 2, "Y")]
    used = made.run("SELECT COLNAME, COLSEQ, COLORDER FROM SYSCAT.INDEXCOLUSE WHERE INDNAME = 'X' ORDER BY COLSEQ")
    assert used == [("NAME", 1, "D"), ("ID", 2, "A")]


def test_the_server_and_its_configuration(made: EngineSession, replication: Replication) -> None:
    level = "SELECT SUBSTR(SERVICE_LEVEL, 1, 6) FROM "
    assert made.run(f"{level} SYSIBMADM.ENV_INST_INFO") == made.run(f"{level} TABLE(SYSPROC.ENV_GET_INST_INFO()) AS I") == [("DB2 v1",)]
    archiving = "SELECT VALUE FROM SYSIBMADM.DBCFG WHERE NAME = 'logarchmeth1'"
    assert made.run(archiving) == [("LOGRETAIN",)]
    made.run("CALL SYSPROC.ADMIN_CMD('UPDATE DB CFG FOR TESTDB USING LOGARCHMETH1 OFF')")
    assert made.run(archiving) == [("OFF",)]
    routines = made.run("SELECT ROUTINENAME, ROUTINETYPE FROM SYSCAT.ROUTINES WHERE ROUTINESCHEMA = 'ASNCDC' ORDER BY 1")
    assert routines == [("ADDTABLE", "P"), ("ASNCDCSERVICES", "F"), ("REMOVETABLE", "P")]
    with pytest.raises(SqlError, match="-440"):
        made.run("SELECT * FROM TABLE(SYSPROC.NO_SUCH()) AS X")


@pytest.mark.parametrize(
    "grant",
    [
        "GRANT SELECT ON S.T TO USER GUEST", "GRANT CONTROL ON TABLE S.T TO GUEST", "GRANT ALL PRIVILEGES ON S.T TO PUBLIC",
        "GRANT SELECTIN ON SCHEMA S TO GUEST WITH GRANT OPTION", "GRANT DATAACCESS ON DATABASE TO USER GUEST",
        "GRANT DBADM ON DATABASE TO USER GUEST",
    ],
)  # fmt: skip
def test_a_user_reads_what_a_grant_allows(made: EngineSession, guest: EngineSession, grant: str) -> None:
    query = "SELECT COUNT(*) FROM S.T"
    assert guest.run("SELECT COUNT(*) FROM SYSCAT.TABLES WHERE TABNAME = 'T'") == [(1,)]
    refused(guest, query, "SELECT 1 FROM SYSIBM.SYSDUMMY1 WHERE EXISTS (SELECT 1 FROM S.T)")
    made.run(grant)
    assert guest.run(query) == [(2,)]
    made.rollback()
    refused(guest, query)
    made.run(grant)
    made.run(grant.replace("GRANT", "REVOKE", 1).replace(" TO ", " FROM ").replace(" WITH GRANT OPTION", ""))
    refused(guest, query)


def test_administrators_without_data(made: EngineSession, guest: EngineSession) -> None:
    made.run("GRANT DBADM WITHOUT DATAACCESS WITHOUT ACCESSCTRL ON DATABASE TO USER GUEST")
    refused(guest, "SELECT * FROM S.T", "DELETE FROM S.T")
    guest.run("ALTER TABLE S.T DATA CAPTURE CHANGES")
    assert made.run("SELECT DBADMAUTH, DATAACCESSAUTH, CONNECTAUTH FROM SYSCAT.DBAUTH WHERE GRANTEE = 'GUEST'") == [("Y", "N", "N")]


def test_what_is_not_granted_is_refused(made: EngineSession, guest: EngineSession) -> None:
    made.run("GRANT SELECT, INSERT ON S.T TO GUEST, OTHER")
    guest.run("INSERT INTO S.T (NAME) SELECT 'b' FROM S.T")
    changes = ("UPDATE S.T SET AMT = 1", "DELETE FROM S.T", "TRUNCATE TABLE S.T IMMEDIATE", "DROP TABLE S.T", "RENAME TABLE S.T TO U",
               "ALTER TABLE S.T ADD COLUMN X INTEGER", "GRANT SELECT ON S.T TO PUBLIC", "CREATE INDEX S.Y ON S.T (AMT)")  # fmt: skip
    refused(guest, *changes)
    rows = made.run("SELECT GRANTEE, CONTROLAUTH, SELECTAUTH, INSERTAUTH, DELETEAUTH FROM SYSCAT.TABAUTH WHERE TABNAME = 'T' ORDER BY 1")
    assert rows == [("DB2INST1", "Y", "G", "G", "G"), ("GUEST", "N", "Y", "Y", "N"), ("OTHER", "N", "Y", "Y", "N")]


def test_what_a_user_makes_is_his_own(made: EngineSession, guest: EngineSession) -> None:
    guest.run("CREATE TABLE OWN (A INTEGER)")
    guest.run("INSERT INTO GUEST.OWN VALUES (1)")
    assert made.run("SELECT OWNER FROM SYSCAT.TABLES WHERE TABNAME = 'OWN'") == [("GUEST",)]


def test_rights_of_other_kinds_are_read_and_forgotten(made: EngineSession) -> None:
    for sql in ("GRANT EXECUTE ON PROCEDURE S.P TO PUBLIC", "GRANT ROLE R TO USER GUEST", "GRANT USE OF TABLESPACE X TO PUBLIC"):
        made.run(sql)
