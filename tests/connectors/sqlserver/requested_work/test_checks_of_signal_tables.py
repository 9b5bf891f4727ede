"""What `tailrace check` says of signal tables of a SQL Server."""

import re

import pytest
from tests.connectors.sqlserver.requested_work.signalling import signal_table

from support.signalling import begin
from support.sqlserver_reading import settings_of
from tailrace.connectors.change_tables.signal_tables import is_captured
from tailrace.connectors.findings import Level
from tailrace.connectors.sqlserver.checks import check
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.schema.tables import TableId


@pytest.fixture
def finding(sqlserver, given):
    def only():
        [found] = [each for each in check(settings_of(sqlserver, **given)) if "signal table" in each.what]
        return found

    return only


def test_a_signal_table_has_to_be_there_with_three_columns_of_text_and_captured(sqlserver, finding, given):
    assert "CREATE TABLE [dbo].[signals]" in str(finding())
    sqlserver.sql("CREATE TABLE dbo.signals (id varchar(42) PRIMARY KEY, type varchar(32))")
    assert "has 2 columns instead of three" in finding().what
    sqlserver.sql("ALTER TABLE dbo.signals ADD data int")
    assert "has columns that are no text: data" in finding().what
    sqlserver.sql(
        "DROP TABLE dbo.signals; CREATE TABLE dbo.signals (id varchar(42) PRIMARY KEY, type varchar(32), data varchar(2048))"
    )
    assert "sp_cdc_enable_table" in str(finding())
    sqlserver.capture("signals", instance="two", columns="id, type")
    assert "these are captured: id, type" in finding().what
    sqlserver.uncapture("signals")
    sqlserver.capture("signals")
    assert finding().level is Level.OK
    given["column_include_list"] = r"dbo[.]t[.].*"
    assert "these are captured: none" in finding().what


def test_signal_tables_are_not_to_be_asked_for_whatever_their_case(sqlserver, given):
    signal_table(sqlserver)
    dialect = SqlServerDialect(settings_of(sqlserver, **given))
    tables = [TableId(sqlserver.name, "dbo", name) for name in ("SIGNALS", "signals", "t")]
    assert [is_captured(dialect, table) for table in tables] == [False, False, True]


@pytest.mark.parametrize(
    ("captured", "says"),
    [(None, "not captured, so nobody hears.*sp_cdc_enable_table"), ("id, type", "these are captured: id, type")],
)
def test_a_reader_says_once_what_it_does_not_hear(sqlserver, given, caplog, captured, says):
    sqlserver.sql("CREATE TABLE dbo.signals (id varchar(42) PRIMARY KEY, type varchar(32), data varchar(2048))")
    if captured is not None:
        sqlserver.capture("signals", columns=captured)
    followed = begin(settings_of(sqlserver, **given))
    followed.until(lambda: followed.batches > 5)
    assert len(re.findall(says, caplog.text)) == 1
