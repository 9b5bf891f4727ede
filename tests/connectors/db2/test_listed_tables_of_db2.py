"""The configuration's lists and the tables of a Db2: at a first start, at later ones, and for `check`."""

from __future__ import annotations

import pytest

from support.db2_reading import settings_of
from tailrace.connectors.base import Progress
from tailrace.connectors.db2 import listed_tables
from tailrace.connectors.db2.reader import Db2Connector
from tailrace.errors import ConfigError, SourceSetupError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.db2_server import Database, StandInServer

pytestmark = pytest.mark.drivers


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with two captured tables, one of which has a name in small letters, and one that is not captured."""
    db2.sql(
        'CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, "Größe" VARCHAR(20))',
        'CREATE TABLE S."other" (ID INTEGER NOT NULL PRIMARY KEY)',
        "CREATE TABLE S.ALONE (ID INTEGER NOT NULL PRIMARY KEY)",
    )
    db2.register("S.T", "S.other")
    db2.replication.step()
    return db2


@pytest.mark.parametrize("platform", ["LUW", "ZOS"])
def test_what_is_there_is_asked_of_the_catalogue(db2_server: StandInServer, platform: str) -> None:
    database = db2_server.create_database(platform=platform)
    database.sql(
        'CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, "Größe" VARCHAR(20))', "CREATE TABLE S.ALONE (ID INTEGER)"
    )
    database.register("S.T")
    found = listed_tables.existing(settings_of(database, db2_platform=platform, message_key_columns="S.T:ID"))
    assert found.databases == (database.database,)
    assert {table.name for table in found.tables} == {"T", "ALONE"}, "the control tables are not to be captured"
    captured = TableId(database.database, "S", "T")
    assert (found.captured, found.columns, found.schemas) == ([captured], {captured: ("ID", "Größe")}, ["S"])
    db2_server.drop_database(database)


def test_columns_are_asked_for_where_a_list_names_some(shop: Database) -> None:
    assert listed_tables.existing(settings_of(shop)).columns == {}


@pytest.mark.parametrize("lanes", [0, 1])
@pytest.mark.parametrize("written", ["{0}.S.T", "T", r"{0}\.S\.T", "S.t2"])
def test_a_first_start_with_a_list_that_matches_nothing_is_refused(shop: Database, written: str, lanes: int) -> None:
    settings = settings_of(shop, table_include_list=written.format(shop.database))
    with pytest.raises(ConfigError, match=r"no table \(schema.table\) matches .*S\.T\b"):
        Db2Connector(settings).start_point(lanes)


def test_a_list_of_tables_that_are_not_captured_is_refused(shop: Database) -> None:
    with pytest.raises(ConfigError, match=r"let through .*S\.ALONE, and of none the changes are captured"):
        Db2Connector(settings_of(shop, table_include_list="S.ALONE")).start_point()


def test_a_snapshot_list_may_have_the_database_in_front(shop: Database) -> None:
    for written in ("S.T", f"{shop.database}.S.T"):
        settings = settings_of(shop, snapshot_mode="initial", snapshot_include_collection_list=written)
        assert Db2Connector(settings).start_point(1).snapshot
    wrong = settings_of(shop, snapshot_mode="initial", snapshot_include_collection_list="T")
    with pytest.raises(ConfigError, match=r"snapshot\.include\.collection\.list: no captured table"):
        Db2Connector(wrong).start_point(1)


def test_tables_that_are_yet_to_be_made_are_waited_for(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(shop, table_include_list="S.LATER", tailrace_start_without_tables="true")
    assert Db2Connector(settings).start_point().restart
    assert "matches 'S.LATER'" in caplog.text


def test_a_later_start_and_another_snapshot_only_warn(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(shop, table_include_list="S.othr", snapshot_mode="always")
    Db2Connector(settings).warn_of_lists()
    assert "is S.other meant?" in caplog.text
    now = Db2Connector(settings).head()
    assert Db2Connector(settings).start_point(1, (Progress("", now),)).snapshot


def test_one_expression_of_several_is_a_warning_at_a_start(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    Db2Connector(settings_of(shop, table_include_list="S.T,S.othr", schema_include_list="S,SALES")).start_point()
    assert "is S.other meant?" in caplog.text
    assert "schema.include.list: no schema matches 'SALES'" in caplog.text


def test_without_control_tables_the_lists_are_not_looked_at(shop: Database) -> None:
    with pytest.raises(SourceSetupError, match=r"ELSEWHERE\.IBMSNAP_REGISTER"):
        Db2Connector(settings_of(shop, cdc_control_schema="ELSEWHERE")).start_point()
