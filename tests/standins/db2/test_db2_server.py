"""A Db2 for tests in one line: its databases, its transactions, its Capture program's steps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tailrace_standins.servers.db2_server import Database, StandInServer

pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
pytestmark = pytest.mark.drivers
CHANGES = "SELECT IBMSNAP_OPERATION, ID, NAME FROM ASNCDC.CDC_S_T ORDER BY IBMSNAP_COMMITSEQ, IBMSNAP_INTENTSEQ"


@pytest.fixture(scope="module")
def server() -> Iterator[StandInServer]:
    with StandInServer() as started:
        yield started


@pytest.fixture
def db2(server: StandInServer) -> Iterator[Database]:
    made = server.create_database()
    made.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20))")
    yield made
    server.drop_database(made)


def test_nothing_is_captured_without_a_step(db2: Database) -> None:
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (1, 'one')", "UPDATE S.T SET NAME = 'uno'")
    assert db2.sql(CHANGES) == []
    assert db2.replication.step() > 0
    assert db2.sql(CHANGES) == [("I", 1, "one"), ("D", 1, "one"), ("I", 1, "uno")]
    assert db2.value("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_UOW") == 1


def test_a_started_program_follows(db2: Database) -> None:
    db2.register("S.T")
    db2.replication.start(0.001)
    db2.many("INSERT INTO S.T VALUES (?, ?)", [(n, "x") for n in range(100)])
    while db2.value("SELECT COUNT(*) FROM ASNCDC.CDC_S_T") < 100:
        pass
    db2.replication.stop()
    db2.unregister("S.T")
    assert db2.value("SELECT COUNT(*) FROM SYSCAT.TABLES WHERE TABNAME = 'CDC_S_T'") == 0


def test_an_error_leaves_nothing_of_its_transaction(db2: Database) -> None:
    with pytest.raises(Exception, match="-803"):
        db2.sql("INSERT INTO S.T VALUES (1, 'a')", "INSERT INTO S.T VALUES (1, 'b')")
    assert db2.sql("SELECT * FROM S.T") == []


def test_databases_know_nothing_of_each_other(server: StandInServer, db2: Database) -> None:
    db2.sql("INSERT INTO S.T VALUES (1, 'a')")
    with pytest.raises(Exception, match="-204"):
        server.sql("SELECT * FROM S.T")
    assert server.value("SELECT CURRENT SERVER FROM SYSIBM.SYSDUMMY1") == "TESTDB"


def test_the_shop(db2: Database) -> None:
    db2.fill_inventory()
    connection = db2.connect()
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO DB2INST1.CUSTOMERS (FIRST_NAME, LAST_NAME, EMAIL) VALUES (?, ?, ?)", [("Eva", "Horn", "e@x")])
    connection.commit()
    connection.close()
    assert db2.value("SELECT MAX(ID) FROM DB2INST1.CUSTOMERS") == 1004
    assert db2.sql("SELECT CAST(LAST_NAME AS VARCHAR(255) FOR BIT DATA) FROM DB2INST1.CUSTOMERS WHERE ID = 1002") == [("Žák",)]
    db2.replication.step()
    assert db2.value("SELECT COUNT(*) FROM ASNCDC.CDC_DB2INST1_CUSTOMERS") == 1


def test_time_stands_and_moves_as_it_is_told(server: StandInServer, db2: Database) -> None:
    server.command("clock", db2.database, "2026-03-04T05:06:07+00:00")
    server.command("zone", db2.database, "America/New_York")
    ((now, zone),) = db2.sql("SELECT CURRENT TIMESTAMP, CURRENT TIMEZONE FROM SYSIBM.SYSDUMMY1")
    assert (str(now)[:19], int(zone)) == ("2026-03-04 00:06:07", -50000)


def test_a_database_goes_back_to_its_backup(server: StandInServer, db2: Database) -> None:
    number = server.command("backup", db2.database)
    db2.sql("INSERT INTO S.T VALUES (1, 'a')")
    server.command("restore", db2.database, number)
    assert db2.sql("SELECT * FROM S.T") == []


def test_a_database_of_zos(server: StandInServer) -> None:
    db2 = server.create_database(platform="ZOS")
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20))")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (1, 'a')", "UPDATE S.T SET NAME = 'b'")
    db2.replication.step()
    assert db2.sql(CHANGES) == [("I", 1, "a"), ("U", 1, "b")]
    server.drop_database(db2)


def test_other_users_have_the_rights_that_they_were_given(server: StandInServer, db2: Database) -> None:
    server.add_user("cdc", "Other-1")
    connection = db2.connect("cdc", "Other-1")
    with pytest.raises(Exception, match="-551"), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM S.T")
    connection.rollback()
    db2.sql("GRANT SELECT ON S.T TO USER CDC")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM S.T")
        assert cursor.fetchall() == []
    connection.close()
