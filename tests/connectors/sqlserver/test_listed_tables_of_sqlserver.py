"""The configuration's lists and the tables of a SQL Server: at a first start, at later ones, and for `check`."""

import pytest

from support.sqlserver_reading import settings_of
from support.streaming_frames import next_batch, options_of
from tailrace.connectors.base import Progress
from tailrace.connectors.findings import Level
from tailrace.connectors.sqlserver import listed_tables
from tailrace.connectors.sqlserver.checks import check
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import ConfigError, TailraceError
from tailrace.schema.tables import TableId
from tailrace.source.cdc_source import INITIAL


def test_what_is_there_is_asked_of_all_databases(sqlserver_server, shop):
    another = sqlserver_server.create_database()
    try:
        another.sql("CREATE TABLE alone (id int)")
        found = listed_tables.existing(settings_of(shop, another, message_key_columns="dbo.t:id"))
    finally:
        another.drop()
    assert {table.name for table in found.tables} == {"t", "other", "alone"}
    assert {table.name for table in found.captured} == {"t", "other"}
    assert found.columns[TableId(shop.name, "dbo", "t")] == ("id", "a")
    assert found.schemas == ["dbo"]


@pytest.mark.parametrize("lanes", [0, 1])
@pytest.mark.parametrize("written", ["{0}.dbo.t", "[dbo].[t]", "t", r"{0}\.dbo\.t"])
def test_a_first_start_with_a_list_that_matches_nothing_is_refused(shop, written, lanes):
    settings = settings_of(shop, table_include_list=written.format(shop.name))
    with pytest.raises(ConfigError, match=r"no table \(schema.table\) matches .*dbo\.t\)"):
        SqlServerConnector(settings).start_point(lanes)


def test_a_list_of_tables_that_are_not_captured_is_refused(shop):
    shop.sql("CREATE TABLE quiet (id int)")
    with pytest.raises(ConfigError, match=r"let through .*dbo.quiet, and of none the changes are captured"):
        SqlServerConnector(settings_of(shop, table_include_list="dbo.quiet")).start_point()


def test_one_part_where_a_snapshot_list_wants_two_or_three(shop):
    settings = settings_of(shop, snapshot_mode="initial", snapshot_include_collection_list="dbo.tt,t")
    with pytest.raises(ConfigError, match=rf"matches 't' \(the list wants {shop.name}.dbo.t\)"):
        SqlServerConnector(settings).start_point(1)


def test_tables_that_are_yet_to_be_made_are_waited_for(shop, caplog):
    settings = settings_of(shop, table_include_list="dbo.later", tailrace_start_without_tables="true")
    assert SqlServerConnector(settings).start_point().restart[shop.name]["lsn"]
    assert "matches 'dbo.later'" in caplog.text


def test_a_later_start_and_another_snapshot_only_warn(shop, caplog):
    settings = settings_of(shop, table_include_list="dbo.oter", snapshot_mode="always")
    SqlServerConnector(settings).warn_of_lists()
    assert "is dbo.other meant?" in caplog.text
    now = SqlServerConnector(settings).head()
    assert SqlServerConnector(settings).start_point(1, (Progress("", now),)).snapshot


def test_columns_in_another_code_page_are_warned_of_at_each_start(shop, caplog):
    shop.sql("CREATE TABLE dbo.greek (id int PRIMARY KEY, a varchar(9) COLLATE Greek_CI_AS)")
    shop.capture("greek")
    connector = SqlServerConnector(settings_of(shop))
    for start in (connector.start_point, connector.warn_of_lists):
        caplog.clear()
        start()
        assert f"{shop.name}.dbo.greek: changes of a may have other characters than the table" in caplog.text


def test_one_expression_of_several_is_a_warning_at_a_start(shop, caplog):
    SqlServerConnector(settings_of(shop, table_include_list="dbo.t,dbo.oter", schema_include_list="dbo,slaes")).start_point()
    assert "is dbo.other meant?" in caplog.text
    assert "schema.include.list: no schema matches 'slaes'" in caplog.text


def test_check_tells_of_it_as_a_start_does(shop):
    found = check(settings_of(shop, table_include_list=f"{shop.name}.dbo.t"))
    (error,) = [finding for finding in found if "table.include.list: no table" in finding.what]
    assert (error.level, "the list wants dbo.t" in error.what) == (Level.ERROR, True)
    assert not [each for each in check(settings_of(shop, table_include_list="dbo.t")) if "no table" in each.what]


def test_a_database_that_is_not_there_is_named_with_one_that_is(shop):
    settings = settings_of(shop, database_names=f"{shop.name}x")
    with pytest.raises(TailraceError, match=f"is {shop.name} meant"):
        SqlServerConnector(settings).start_point()


def test_the_first_batch_of_a_frame_is_refused(shop):
    with pytest.raises(ConfigError, match=r"the list wants dbo\.t"):
        next_batch(options_of(shop, table_include_list="t"), INITIAL)
