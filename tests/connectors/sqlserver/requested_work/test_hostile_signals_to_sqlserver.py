"""SQL in signals selects rows and does nothing else, whatever the connector's login may do."""

import pytest
from tests.connectors.sqlserver.requested_work.signalling import execute, filled, ids, read_captured, signal

from support.signalling import begin
from support.sqlserver_reading import settings_of
from tailrace.connectors.findings import Level
from tailrace.connectors.sqlserver.checks import check
from tailrace.connectors.sqlserver.connection import connect
from tailrace.errors import SourceSetupError

CONDITIONS = [
    "1=0); DROP TABLE dbo.victim; SELECT (1",
    "1=1) DROP TABLE dbo.victim SELECT 1 WHERE (1=1",
    "1=1) UNION SELECT id FROM dbo.victim WHERE (1=1",
    "1=1) -- ",
    "id IN (SELECT * FROM OPENQUERY(other, 'DROP TABLE dbo.victim'))",
    "id = ?",
]
STATEMENTS = [
    "SELECT * FROM dbo.t; DROP TABLE dbo.victim",
    "SELECT * FROM dbo.t) AS c DROP TABLE dbo.victim SELECT * FROM (SELECT 1 AS id",
    "SELECT * INTO dbo.copied FROM dbo.t",
    "DROP TABLE dbo.victim",
]


@pytest.fixture
def topic(sqlserver):
    filled(sqlserver, "t", "victim", rows=2)
    return f"s.{sqlserver.name}.dbo.t"


def assert_nothing_was_done(database, followed, topic):
    """The victim is there, nothing was made, and the stream goes on."""
    [(count,)] = database.sql("SELECT COUNT(*) FROM dbo.victim")
    assert count == 2
    [(made,)] = database.sql("SELECT COUNT(*) FROM sys.tables WHERE name = 'copied'")
    assert made == 0
    database.sql("INSERT dbo.t VALUES (77)")
    read_captured(followed, database)
    assert ids(followed, topic) == [77]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_chooses_rows_and_no_more(sqlserver, settings, topic, caplog, condition):
    followed = begin(settings)
    conditions = [{"data-collection": f"{sqlserver.name}.dbo.t", "filter": condition}]
    execute(sqlserver, "t", **{"additional-conditions": conditions})
    read_captured(followed, sqlserver)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "additional-conditions are refused" in caplog.text
    assert_nothing_was_done(sqlserver, followed, topic)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_blocking_snapshot_reads_one_select(sqlserver, settings, topic, caplog, statement):
    followed, name = begin(settings), f"{sqlserver.name}.dbo.t"
    conditions = [{"data-collection": name, "filter": statement}]
    data = {"data-collections": [name], "type": "blocking", "additional-conditions": conditions}
    signal(sqlserver, "one", "execute-snapshot", **data)
    read_captured(followed, sqlserver)
    assert "ABORTED" in [value["type"] for value in followed.payloads("notices")]
    assert "additional-conditions are refused" in caplog.text
    assert_nothing_was_done(sqlserver, followed, topic)


def test_none_is_taken_where_none_is_allowed(sqlserver, given, settings, topic, caplog):
    followed = begin(settings_of(sqlserver, **given, tailrace_signal_conditions=False))
    execute(sqlserver, "t", **{"additional-condition": "id = 1"})
    read_captured(followed, sqlserver)
    assert topic not in followed.topics
    assert "tailrace.signal.conditions is false" in caplog.text
    assert settings.tailrace_signal_conditions


@pytest.mark.parametrize("name", ["no_such_column", "id] DESC; DROP TABLE dbo.victim -- ", "[id]"])
def test_a_surrogate_key_is_a_column_of_the_table(sqlserver, settings, topic, caplog, name):
    followed = begin(settings)
    execute(sqlserver, "t", **{"surrogate-key": name})
    read_captured(followed, sqlserver)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "NO_PRIMARY_KEY"
    assert f"it has no column {name}" in caplog.text
    assert_nothing_was_done(sqlserver, followed, topic)


def test_of_a_transaction_that_is_rolled_back_nothing_stays(sqlserver, settings, topic):
    with connect(settings) as session:
        with session.rolled_back():
            session.execute("DELETE dbo.victim")
        with pytest.raises(SourceSetupError, match="nothing"), session.rolled_back():
            session.execute("DELETE dbo.victim; SELECT nothing FROM dbo.victim")
        assert session.one("SELECT COUNT(*) FROM dbo.victim") == 2
        session.execute("BEGIN TRANSACTION")
        session.execute("DELETE dbo.victim WHERE id = 0")
        with session.rolled_back():
            assert session.one("SELECT COUNT(*) FROM dbo.victim") == 1
        assert session.one("SELECT @@TRANCOUNT") == 1, "one that was open goes on"
        session.execute("ROLLBACK TRANSACTION")
    assert topic


@pytest.mark.drivers
def test_a_login_that_can_write_is_warned_of(sqlserver, given, settings, topic, reader, login):
    """GIVEN signals, THEN `check` warns of an owner, and of who may write to other tables than those of signals."""

    def warnings(**login):
        found = check(settings_of(sqlserver, **given, **login))
        return [str(each) for each in found if "may signal" in each.what and each.level is Level.WARNING]

    [owner] = warnings()
    assert "owns the database" in owner
    assert "tailrace.signal.conditions=false" in owner
    given["tailrace_signal_conditions"] = False
    assert warnings() == []
    given["tailrace_signal_conditions"] = True
    assert topic
    assert settings
    sqlserver.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON SCHEMA::dbo TO [{reader}]")
    assert warnings(**login) == []
    sqlserver.sql(f"GRANT INSERT ON dbo.signals TO [{reader}]")
    assert warnings(**login) == []
    sqlserver.sql(f"GRANT UPDATE ON dbo.victim TO [{reader}]")
    [writer] = warnings(**login)
    assert f"the user {reader} may write to dbo.victim" in writer
