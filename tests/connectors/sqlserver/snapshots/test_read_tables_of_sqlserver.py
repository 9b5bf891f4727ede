"""How the tables of a snapshot are read, and how changes of their structure are detected."""

import pytest

from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.snapshots.keys import keys_of
from tailrace.connectors.sqlserver.snapshots.read_tables import read_tables
from tailrace.schema.tables import TableId


@pytest.fixture
def session(sqlserver, settings_for):
    with connect(settings_for(), sqlserver.name) as opened:
        yield opened


@pytest.fixture
def table(sqlserver):
    sqlserver.sql("CREATE TABLE dbo.t (k int PRIMARY KEY, a int, b int)")
    sqlserver.capture("t")
    return TableId(sqlserver.name, "dbo", "t")


def tables_of(session, settings, table):
    instances = [each for each in catalog.instances(session) if each.table == table]
    return read_tables(settings, session, catalog.max_lsn(session), keys_of(session, instances))


def test_a_dropped_column_is_noticed_at_once_where_it_is_asked_for_and_once_told_when_it_is_captured(
    sqlserver, session, settings_for, table
):
    tables = tables_of(session, settings_for(), table)
    assert not tables.is_altered(table)
    assert tables.altered() == frozenset()
    sqlserver.sql("ALTER TABLE dbo.t DROP COLUMN a")
    assert tables.is_altered(table)
    assert [column.name for column in tables.of(table).table.columns] == ["k", "b"]
    sqlserver.capture_all()
    assert tables.altered() == frozenset({table})
    assert tables.altered() == frozenset()


def test_rows_of_a_structure_of_before_are_shown_as_they_were_also_when_the_table_is_gone(
    sqlserver, session, settings_for, table
):
    """GIVEN rows that the log told, and that are held, WHEN their table is altered, or dropped, THEN they keep their fields."""
    tables = tables_of(session, settings_for(), table)
    before = tables.of(table)
    assert tables.shape_of(before.table) is before.shape
    sqlserver.sql("ALTER TABLE dbo.t DROP COLUMN a")
    assert tables.is_altered(table)
    shape = tables.shape_of(before.table)
    assert shape is not tables.of(table).shape
    assert shape.schemas.columns == before.shape.schemas.columns
    sqlserver.uncapture("t")
    sqlserver.sql("DROP TABLE dbo.t")
    assert tables.have_changed()
    assert tables.of(table) is None
    assert tables.shape_of(before.table).schemas.columns == before.shape.schemas.columns
