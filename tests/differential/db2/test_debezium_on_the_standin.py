"""Real Debezium reads the stand-in of Db2: snapshot, stream, restart, and a table that is registered anew."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.differential.db2.running import DebeziumSession, Stand
from tests.differential.jars import DB2, UnavailableError, debezium_jars
from tests.differential.snapshots.running import Captured

from support.every_scenario import only_with_all

pytestmark = [pytest.mark.debezium, only_with_all]  # test_debezium_again.py has it read the stand-in too


@pytest.fixture(scope="module")
def _jars() -> None:
    try:
        debezium_jars(DB2)
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def stand(_jars: None) -> Iterator[Stand]:
    made = Stand()
    yield made
    made.close()


def rows(records: Sequence[Captured]) -> list[tuple[object, ...]]:
    """Op and both images of the rows of T."""
    found = [each for each in records if each.op and each.value["source"]["table"] == "T"]
    return [(each.op, *(image and tuple(image.values()) for image in (each.value["before"], each.value["after"]))) for each in found]


def altered(records: Sequence[Captured]) -> list[list[str]]:
    """The columns of tables that are told as altered."""
    changes = [change for each in records if "tableChanges" in each.value for change in each.value["tableChanges"]]
    return [[column["name"] for column in change["table"]["columns"]] for change in changes if change["type"] == "ALTER"]


def test_snapshot_stream_restart_and_a_table_that_is_registered_anew(stand: Stand, tmp_path: Path) -> None:
    stand.sql("CREATE TABLE DB2INST1.T (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(20))",
              "INSERT INTO DB2INST1.T VALUES (1, 'a'), (2, 'b')")  # fmt: skip
    stand.register("T")
    given = {"table.include.list": "DB2INST1.T", "provide.transaction.metadata": "true"}
    with DebeziumSession(stand, tmp_path, given) as session:
        session.start()
        session.until(lambda records: len(rows(records)) == 2, "the snapshot")
        assert rows(session.records) == [("r", None, (1, "a")), ("r", None, (2, "b"))]

        stand.sql("UPDATE DB2INST1.T SET NAME = 'c' WHERE ID = 1", "DELETE FROM DB2INST1.T WHERE ID = 2")
        stand.sql("UPDATE DB2INST1.T SET ID = 7")
        changes = [("u", (1, "a"), (1, "c")), ("d", (2, "b"), None), ("d", (1, "c"), None), ("c", None, (7, "c"))]
        session.until(lambda records: len(rows(records)) == 6, "the changes")
        assert rows(session.records)[2:] == changes
        session.stop()

        stand.sql("INSERT INTO DB2INST1.T VALUES (8, 'while it was away')")
        session.start()
        session.until(lambda records: len(rows(records)) == 7, "what came while it was away")
        assert rows(session.records)[6:] == [("c", None, (8, "while it was away"))]

        session.stop()
        stand.sql("CALL ASNCDC.REMOVETABLE('DB2INST1', 'T')", "ALTER TABLE DB2INST1.T ADD COLUMN MORE INTEGER")
        stand.register("T")
        session.start()
        # Debezium reads the structure anew after the poll in which it noticed; a row of that poll would lack the column
        session.until(lambda records: ["ID", "NAME", "MORE"] in altered(records), "the new structure")
        stand.sql("INSERT INTO DB2INST1.T VALUES (9, 'new', 5)")
        session.until(lambda records: len(rows(records)) == 8, "a row with the new column")
        assert rows(session.records)[7:] == [("c", None, (9, "new", 5))]
        ends = [each.value for each in session.records if each.value.get("status") == "END"]
        assert [each["event_count"] for each in ends][:2] == [2, 2]
        session.stop()
