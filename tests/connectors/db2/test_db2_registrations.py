"""Tables that come, change and go: new registrations, CD tables that are altered, and registrations that are made anew."""

from __future__ import annotations

import logging
import re

import pytest

from support.change_table_reading import Read, afters, begin, read_on, started, structures
from support.db2_reading import settings_of, write
from tailrace.connectors import connector_for
from tailrace.connectors.db2 import catalog
from tailrace.connectors.db2.connection import connect
from tailrace.errors import PositionLostError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers
REGISTER = "ASNCDC.IBMSNAP_REGISTER"


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with a captured table, and another one that is only there to make transactions."""
    db2.sql(
        "CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))",
        "CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)",
    )
    db2.register("S.T", "S.OTHER")
    db2.replication.step()
    return db2


def deactivate(database: Database, state: str = "I") -> None:
    """Change the state of the table's registration, as Debezium's guide says."""
    database.sql(f"UPDATE {REGISTER} SET STATE = '{state}' WHERE SOURCE_OWNER = 'S' AND SOURCE_TABLE = 'T'")
    database.replication.reinit()


def rows(read: Read) -> list[object]:
    return afters(read, "S.T")


def test_a_table_that_is_registered_while_the_connector_runs_is_told_and_read(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("CREATE TABLE S.LATE (ID INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO S.LATE VALUES (0)")
    shop.register("S.LATE")
    write(shop, "INSERT INTO S.LATE VALUES (1)")
    read_on(settings, read)
    assert afters(read, "LATE") == [{"ID": 1}]
    assert structures(read) == [("CREATE", ["ID"])]


def test_a_table_that_is_not_registered_any_more_is_left_out_with_a_warning(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'lost')", "INSERT INTO S.OTHER VALUES (1)")
    shop.unregister("S.T")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert f"{shop.database}.S.T is not captured any more" in caplog.text
    assert len(read.of("OTHER")) == 1
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (2, 'again')")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "S.T is read again, from LSN" in caplog.text
    assert rows(read) == [{"ID": 2, "A": "again"}]
    assert structures(read) == [("DROP", []), ("CREATE", ["ID", "A"])]


def test_a_table_that_the_lists_leave_out_for_a_while_is_told_of_with_what_is_missing(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    read = started(settings_of(shop))
    without = settings_of(shop, table_exclude_list=r"S\.T")
    write(shop, "INSERT INTO S.T VALUES (1, 'left out')", "INSERT INTO S.OTHER VALUES (1)")
    with caplog.at_level(logging.WARNING):
        read_on(without, read)
    assert f"the lists of tables leave {shop.database}.S.T out now" in caplog.text
    assert "not captured any more" not in caplog.text
    write(shop, "INSERT INTO S.T VALUES (2, 'again')")
    with caplog.at_level(logging.WARNING):
        read_on(settings_of(shop), read)
    assert re.search(r"S\.T is read again, from LSN .* on; what changed in it before is not delivered", caplog.text)
    assert rows(read) == [{"ID": 2, "A": "again"}]


@pytest.mark.parametrize("sees_it_inactive", [False, True])
def test_a_column_that_is_added_online_comes_from_the_alter_on(shop: Database, sees_it_inactive: bool) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    shop.sql("LOCK TABLE S.T IN EXCLUSIVE MODE")
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER", 'ALTER TABLE ASNCDC."CDC_S_T" ADD COLUMN B INTEGER')
    deactivate(shop)
    if sees_it_inactive:
        write(shop, "INSERT INTO S.OTHER VALUES (5)")
        read_on(settings, read)
    deactivate(shop, "A")
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 3)")
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y", "B": 3}]
    assert structures(read) == [("ALTER", ["ID", "A", "B"])]


def test_rows_of_before_a_column_was_added_are_told_with_it_when_they_are_read_later(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER", 'ALTER TABLE ASNCDC."CDC_S_T" ADD COLUMN B INTEGER')
    shop.replication.reinit()
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 3)")
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x", "B": None}, {"ID": 2, "A": "y", "B": 3}]


def test_a_column_that_only_the_source_has_is_warned_of(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER")
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 3)")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert rows(read) == [{"ID": 2, "A": "y"}]
    assert "not captured by the instance ASNCDC.CDC_S_T: B" in caplog.text


def test_a_column_that_becomes_longer_is_told_when_its_change_table_has_it(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("ALTER TABLE S.T ALTER COLUMN A SET DATA TYPE VARCHAR(40)")
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    assert structures(read) == []
    shop.sql('ALTER TABLE ASNCDC."CDC_S_T" ALTER COLUMN A SET DATA TYPE VARCHAR(40)')
    write(shop, f"INSERT INTO S.T VALUES (2, '{'y' * 40}')")
    read_on(settings, read)
    assert [row["A"] for row in rows(read)] == ["x", "y" * 40]
    (changed,) = [each["value"]["tableChanges"][0] for each in read.records if "tableChanges" in (each["value"] or {})]
    assert changed["table"]["columns"][1]["length"] == 40


def test_the_offline_way_to_alter_a_table_loses_nothing(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    deactivate(shop)
    shop.unregister("S.T")
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER")
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 2)")
    write(shop, "INSERT INTO S.T VALUES (3, 'z', 2)")
    connector_for(settings).require_retained(read.progress, lambda: read.history)
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y", "B": 2}, {"ID": 3, "A": "z", "B": 2}]
    assert structures(read) == [("ALTER", ["ID", "A", "B"])]


def test_a_table_that_was_registered_anew_before_it_was_read_to_its_end_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'lost')")
    shop.unregister("S.T")
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (2, 'x')")
    with pytest.raises(PositionLostError, match=r"S\.T: the capture instance ASNCDC\.CDC_S_T was dropped before it was read"):
        read_on(settings, read)
    with pytest.raises(PositionLostError, match="was dropped before it was read"):
        connector_for(settings).require_retained(read.progress, lambda: read.history)


@pytest.mark.parametrize("accepts", [False, True])
def test_a_table_that_was_registered_anew_among_changes_of_others_is_gone_on_with_where_that_is_wanted(
    shop: Database, caplog: pytest.LogCaptureFixture, accepts: bool
) -> None:
    settings = settings_of(shop, tailrace_registered_anew="accept" if accepts else "fail")
    read = started(settings)
    shop.unregister("S.T")
    shop.register("S.T")
    write(shop, "INSERT INTO S.OTHER VALUES (1)")
    write(shop, "INSERT INTO S.T VALUES (2, 'x')")
    if not accepts:
        with pytest.raises(PositionLostError, match=r"tailrace\.registered\.anew=accept if nobody changed"):
            read_on(settings, read)
        return
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "S.T was registered anew" in caplog.text
    assert rows(read) == [{"ID": 2, "A": "x"}]


def test_a_registration_that_was_stopped_is_told_and_what_it_has_is_read(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'kept')")
    deactivate(shop, "S")
    write(shop, "INSERT INTO S.T VALUES (2, 'not captured')", "INSERT INTO S.OTHER VALUES (1)")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "kept"}]
    assert "S.T is registered, and not captured now (STATE S)" in caplog.text
    deactivate(shop, "A")
    write(shop, "INSERT INTO S.T VALUES (3, 'again')")
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert rows(read)[1:] == [{"ID": 3, "A": "again"}]
    assert "S.T is captured again" in caplog.text
    assert "incremental snapshot" in caplog.text


def test_one_that_is_stopped_while_another_is_activated_is_seen_among_others_that_are_stopped(shop: Database) -> None:
    """As many are stopped as before, and the first and the last of them by name are the same."""
    names = ["S.A", "S.M", "S.Z"]
    shop.sql(*(f"CREATE TABLE {name} (ID INTEGER NOT NULL PRIMARY KEY)" for name in names))
    shop.register(*names)
    shop.replication.step()
    state = f"UPDATE {REGISTER} SET STATE = '{{}}' WHERE SOURCE_TABLE IN ({{}})"
    shop.sql(state.format("I", "'A', 'M', 'Z'"))
    settings = settings_of(shop)
    with connect(settings) as session:
        before = catalog.stamp(session, settings)
        session.commit()
        assert catalog.stamp(session, settings) == before
        session.commit()
        shop.sql(state.format("A", "'M'"), state.format("I", "'T'"))
        assert catalog.stamp(session, settings) != before


def test_a_registration_that_was_activated_anew_while_nobody_read_is_told(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(shop)
    read = started(settings)
    deactivate(shop)
    write(shop, "INSERT INTO S.T VALUES (2, 'not captured')")
    deactivate(shop, "A")
    write(shop, "INSERT INTO S.OTHER VALUES (1)")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "S.T was activated anew" in caplog.text
    caplog.clear()
    write(shop, "INSERT INTO S.T VALUES (3, 'again')")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert caplog.text == ""
    assert rows(read) == [{"ID": 3, "A": "again"}]


def test_a_connector_begins_with_the_tables_that_are_captured(shop: Database) -> None:
    shop.sql("CREATE TABLE S.PLAIN (ID INTEGER NOT NULL PRIMARY KEY)")
    settings = settings_of(shop)
    read = read_on(settings, begin(settings))
    assert structures(read) == [("CREATE", ["ID"]), ("CREATE", ["ID", "A"])]
    ids = [each["value"]["tableChanges"][0]["id"] for each in read.records]
    assert ids == ['"S"."OTHER"', '"S"."T"']
    assert [each["value"]["databaseName"] for each in read.records] == [shop.database] * 2


def test_tables_may_have_their_change_tables_in_any_schema(shop: Database) -> None:
    shop.sql(
        "CREATE TABLE S.ELSE (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER)", "ALTER TABLE S.ELSE DATA CAPTURE CHANGES",
        "CREATE SCHEMA CHANGES",
        "CREATE TABLE CHANGES.\"any name\" AS (SELECT CAST('' AS VARCHAR(16) FOR BIT DATA) AS IBMSNAP_COMMITSEQ, CAST('' AS "
        "VARCHAR(16) FOR BIT DATA) AS IBMSNAP_INTENTSEQ, CAST('' AS CHAR(1)) AS IBMSNAP_OPERATION, t.* FROM S.ELSE AS t) "
        "WITH NO DATA",
        f"INSERT INTO {REGISTER} (SOURCE_OWNER, SOURCE_TABLE, SOURCE_VIEW_QUAL, GLOBAL_RECORD, SOURCE_STRUCTURE, "
        "SOURCE_CONDENSED, SOURCE_COMPLETE, CD_OWNER, CD_TABLE, DISABLE_REFRESH, ARCH_LEVEL, OPTION_FLAGS, STATE, "
        "CHG_UPD_TO_DEL_INS) VALUES ('S', 'ELSE', 0, 'N', 1, 'Y', 'Y', 'CHANGES', 'any name', 0, '0801', 'NNNN', 'A', 'N')",
    )  # fmt: skip
    shop.replication.reinit()
    shop.replication.step()
    settings = settings_of(shop, cdc_change_tables_schema="CHANGES")
    read = started(settings)
    write(shop, "INSERT INTO S.ELSE VALUES (1, 1)", "INSERT INTO S.T VALUES (1, 'x')", "UPDATE S.ELSE SET V = 2")
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}]
    found = [(each["value"]["op"], each["value"]["before"], each["value"]["after"]) for each in read.of("ELSE")]
    assert found == [("c", None, {"ID": 1, "V": 1}), ("u", None, {"ID": 1, "V": 2})]
