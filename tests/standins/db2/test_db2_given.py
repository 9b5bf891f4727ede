"""A Db2 that is given to the tests: emptied between them, waited for, and never one that may be somebody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tailrace_standins.servers.db2_server import GivenServer, StandInOnly, StandInServer

pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
pytestmark = pytest.mark.drivers
TABLES = "SELECT COUNT(*) FROM SYSCAT.TABLES WHERE TABSCHEMA <> 'ASNCDC' OR TABNAME NOT LIKE 'IBM%'"
KEPT = "SELECT RETENTION_LIMIT, AUTOPRUNE FROM ASNCDC.IBMSNAP_CAPPARMS"


def given_by(server: StandInServer) -> GivenServer:
    return GivenServer(f"db2://{server.user}:{server.password}@{server.host}:{server.port}/{server.database.lower()}")


@pytest.fixture(scope="module")
def given() -> Iterator[GivenServer]:
    """A server whose Capture program works by itself, as tests know it that have its URL alone."""
    with StandInServer() as server:
        server.replication.start(0.02)
        yield given_by(server)


def test_what_a_test_left_behind_is_gone_for_the_next(given: GivenServer) -> None:
    db2 = given.create_database()
    found = db2.sql(KEPT)
    for _ in range(2):
        assert (db2.value(TABLES), db2.sql(KEPT)) == (0, found)
        db2.sql(
            "CREATE SCHEMA CHANGES", "CREATE TABLE CHANGES.T (ID INTEGER)", 'CREATE TABLE S."it\'s ""ä" (ID INTEGER)',
            "CREATE TABLE S.T (ID INTEGER)", "CREATE TABLE S.GONE (ID INTEGER)",
            "UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 5, AUTOPRUNE = 'N'",
        )  # fmt: skip
        db2.register("S.T", "S.GONE")
        db2.sql("INSERT INTO S.T VALUES 1", "DROP TABLE ASNCDC.CDC_S_GONE")
        db2.replication.step()  # the program may have captured before that
        assert db2.value("SELECT COUNT(*) FROM ASNCDC.CDC_S_T") == 1
        given.drop_database(db2)
        assert given.create_database() is db2
        assert db2.value("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_REGISTER WHERE SOURCE_OWNER <> ''") == 0
        assert db2.value("SELECT COUNT(*) FROM ASNCDC.IBMSNAP_UOW") == 0


def test_a_registration_is_taken_back_while_the_program_works(given: GivenServer) -> None:
    db2 = given.create_database()
    db2.sql("CREATE TABLE S.T (ID INTEGER)")
    db2.register("S.T")
    db2.unregister("S.T")
    db2.sql("INSERT INTO S.T VALUES 1")
    assert db2.replication.step() == 0
    assert db2.value(TABLES) == 1


def test_a_database_that_may_be_somebodys_is_left_alone() -> None:
    with StandInServer("SHOP") as server:
        server.sql("CREATE TABLE S.T (ID INTEGER)", "INSERT INTO S.T VALUES 1")
        with pytest.raises(ValueError, match="has to begin with TEST, and that of SHOP does not"):
            given_by(server).create_database()
        assert server.value("SELECT COUNT(*) FROM S.T") == 1


@pytest.mark.parametrize(
    "asked",
    [
        lambda given: given.create_database(platform="ZOS"),
        lambda given: given.create_database(schema="OTHER"),
        lambda given: given.add_user("LENA", "for-a-test-1"),
        lambda given: given.command("clock", given.database, None),
        lambda given: given.replication.capture(),
        lambda given: given.replication.advance(),
        lambda given: given.replication.suspend(),
        lambda given: given.replication.prune(),
    ],
)
def test_what_only_the_stand_in_can_do_is_said(given: GivenServer, asked: Callable[[GivenServer], object]) -> None:
    with pytest.raises(StandInOnly):
        asked(given)
