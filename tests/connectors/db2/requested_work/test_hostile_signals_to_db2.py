"""SQL in signals selects rows and does nothing else, whatever the connector's login may do."""

from __future__ import annotations

from typing import Any, Final

import pytest
from tests.connectors.db2.requested_work.db2_signalling import execute, filled, ids, read_captured, signal

from support.db2_reading import settings_of
from support.signalling import begin
from tailrace.connectors.db2.connection import connect
from tailrace.connectors.db2.snapshots.locks import released
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"
CONDITIONS: Final = [
    "1=0); DROP TABLE S.VICTIM; SELECT (1",
    "1=1) UNION SELECT ID FROM S.VICTIM WHERE (1=1",
    "1=1) -- ",
    "ID IN (SELECT ID FROM OLD TABLE (DELETE FROM S.VICTIM))",
    "ASNCDC.ASNCDCSERVICES('stop', 'asncdc') IS NOT NULL",
    '"ASNCDC"."ASNCDCSERVICES"(\'stop\', \'asncdc\') IS NOT NULL',
    "ID IN (SELECT ID FROM S.VICTIM WITH RS USE AND KEEP EXCLUSIVE LOCKS)",
    "ID = ?",
]
STATEMENTS: Final = [
    "SELECT * FROM S.T; DROP TABLE S.VICTIM",
    "SELECT * FROM S.T) AS c, (SELECT 1 AS ONE FROM S.VICTIM",
    "SELECT * FROM NEW TABLE (INSERT INTO S.VICTIM VALUES 9)",
    "DROP TABLE S.VICTIM",
]


@pytest.fixture(autouse=True)
def victim(db2: Database) -> None:
    filled(db2, "T", "VICTIM", rows=2)


def assert_nothing_was_done(database: Database, followed: Any) -> None:
    """The victim is there, and the stream goes on."""
    assert database.value("SELECT COUNT(*) FROM S.VICTIM") == 2
    database.sql("INSERT INTO S.T VALUES 77")
    read_captured(followed, database)
    assert ids(followed, T) == [77]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_chooses_rows_and_no_more(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture, condition: str
) -> None:
    followed = begin(settings)
    execute(db2, "T", **{"additional-conditions": [{"data-collection": "S.T", "filter": condition}]})
    read_captured(followed, db2)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "additional-conditions are refused" in caplog.text
    assert_nothing_was_done(db2, followed)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_blocking_snapshot_reads_one_select(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture, statement: str
) -> None:
    followed = begin(settings)
    conditions = [{"data-collection": "S.T", "filter": statement}]
    data = {"data-collections": ["S.T"], "type": "blocking", "additional-conditions": conditions}
    signal(db2, "one", "execute-snapshot", **data)
    read_captured(followed, db2)
    assert "ABORTED" in [value["type"] for value in followed.payloads("notices")]
    assert "additional-conditions are refused" in caplog.text
    assert_nothing_was_done(db2, followed)


def test_none_is_taken_where_none_is_allowed(
    db2: Database, settings: Any, given: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    followed = begin(settings_of(db2, **given, tailrace_signal_conditions="false"))
    execute(db2, "T", **{"additional-condition": "ID = 1"})
    read_captured(followed, db2)
    assert T not in followed.topics
    assert "tailrace.signal.conditions is false" in caplog.text
    assert settings.tailrace_signal_conditions


def test_of_a_transaction_that_only_reads_nothing_stays(db2: Database, settings: Any) -> None:
    with connect(settings) as session:
        with released(session):
            session.execute("DELETE FROM S.VICTIM")
        assert session.one("SELECT COUNT(*) FROM S.VICTIM") == 2
    assert db2.value("SELECT COUNT(*) FROM S.VICTIM") == 2
