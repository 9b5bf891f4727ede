"""Lists of a configuration beside the tables of a real MySQL server: at a first start, at later ones, and for `check`."""

import logging
from contextlib import closing

import pytest

from support.mysql_frames import parse_options
from support.mysql_settings import settings_for, stream_options
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql import listed_tables
from tailrace.connectors.mysql.checks import Level, check
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId
from tailrace.source.cdc_source import INITIAL, CdcReader

pytestmark = pytest.mark.mysql


@pytest.fixture
def shop(mysql_server, database):
    """Two tables."""
    mysql_server.sql("CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(9)); CREATE TABLE items (id INT)", database)
    return database


def test_what_is_there_is_asked_of_the_server(mysql_server, shop):
    settings = settings_for(mysql_server, table_include_list=f"{shop}.orders", message_key_columns=f"{shop}.orders:id")
    with closing(connect(settings)) as connection:
        found = listed_tables.existing(connection, settings)
    assert shop in found.databases
    assert TableId(shop, "", "items") in found.tables
    assert found.columns == {TableId(shop, "", "orders"): ["id", "name"]}
    assert not [table for table in found.tables if table.catalog == "mysql"]


@pytest.mark.parametrize("lanes", [0, 1])
def test_a_first_start_with_a_list_that_matches_nothing_is_refused(mysql_server, shop, lanes):
    mode = "initial" if lanes else "no_data"
    settings = settings_for(mysql_server, table_include_list="orders", database_include_list=shop, snapshot_mode=mode)
    with pytest.raises(ConfigError, match=rf"no table \(database.table\) matches 'orders' \(the list wants .*{shop}.orders"):
        MySqlConnector(settings).start_point(lanes)


def test_a_snapshot_of_no_table_is_refused(mysql_server, shop):
    listed = {"table_include_list": f"{shop}.orders", "snapshot_include_collection_list": f"{shop}.items"}
    settings = settings_for(mysql_server, snapshot_mode="initial", **listed)
    with pytest.raises(ConfigError, match=r"snapshot.include.collection.list: no captured table"):
        MySqlConnector(settings).start_point(1)


def test_tables_that_are_yet_to_be_made_are_waited_for(mysql_server, shop, caplog):
    settings = settings_for(mysql_server, table_include_list=f"{shop}.later", tailrace_start_without_tables=True)
    with caplog.at_level(logging.WARNING):
        point = MySqlConnector(settings).start_point()
    assert point.restart["file"]
    assert f"matches '{shop}.later'" in caplog.text


def test_a_later_start_and_another_snapshot_only_warn(mysql_server, shop, caplog):
    settings = settings_for(mysql_server, table_include_list=f"{shop}.oders", snapshot_mode="always")
    MySqlConnector(settings).warn_of_lists()
    assert f"is {shop}.orders meant?" in caplog.text
    now = MySqlConnector(settings).head()
    assert MySqlConnector(settings).start_point(1, (Progress("", now),)).snapshot


def test_one_expression_of_several_is_a_warning_at_a_start(mysql_server, shop, caplog):
    MySqlConnector(settings_for(mysql_server, table_include_list=f"{shop}.orders,{shop}.itmes")).start_point()
    assert f"is {shop}.items meant?" in caplog.text


def test_check_tells_of_it_as_a_start_does(mysql_server, shop):
    def wrong(**properties):
        found = check(settings_for(mysql_server, **properties))
        return [finding for finding in found if "table.include.list: no table" in finding.what]

    (error,) = wrong(table_include_list=f"`{shop}`.`orders`")
    assert error.level is Level.ERROR
    assert f"names stand without brackets and quotes: write {shop}.orders" in error.what
    (warning,) = wrong(table_include_list=f"{shop}.later", tailrace_start_without_tables=True)
    assert warning.level is Level.WARNING
    assert not wrong(table_include_list=f"{shop}[.]ORD.*")


def test_the_first_batch_of_a_frame_is_refused(mysql_server, shop):
    options = stream_options(mysql_server, shop, **{"table.include.list": "orders", "snapshot.mode": "no_data"})
    reader = CdcReader(parse_options(options))
    with pytest.raises(ConfigError, match="the list wants"):
        reader.latestOffset(INITIAL, reader.getDefaultReadLimit())
