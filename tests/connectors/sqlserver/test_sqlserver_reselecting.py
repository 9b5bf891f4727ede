"""Post processors: what changes lack is read again from the table."""

from __future__ import annotations

import logging

import pytest

from support.sqlserver_reading import afters, begin, read_on, settings_of, write
from tailrace.errors import ReselectionError
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers

RESELECT = {
    "post.processors": "again",
    "post.processors.again.type": "io.debezium.processors.reselect.ReselectColumnsPostProcessor",
}
FAIL = {"post.processors.again.reselect.error.handling.mode": "FAIL"}
TABLE = (
    "CREATE TABLE t (id int, code varchar(10), made uniqueidentifier, born date, note nvarchar(max), price decimal(9, 2), "
    "raw varbinary(9), at datetime2(3), ok bit, x xml, PRIMARY KEY (id, code, made, born))"
)
MADE = "00000000-0000-4000-8000-00000000000"


@pytest.fixture
def table(sqlserver: Database) -> Database:
    """A database with a captured table that has columns of many types."""
    sqlserver.sql(TABLE)
    sqlserver.capture("t")
    return sqlserver


def insert(number: int, code: str = "a''b") -> str:
    return f"INSERT t (id, code, made, born) VALUES ({number}, '{code}', '{MADE}{number}', '2026-03-0{number}')"


def test_nulls_become_what_the_row_has_now(table: Database) -> None:
    settings = settings_of(table, **RESELECT)
    read = begin(settings)
    table.sql(f"{insert(1)}; {insert(2)}; {insert(3)}")
    write(table, "UPDATE t SET note = N'größe', price = -12.5, raw = 0x00ff, at = '2026-03-01 12:00:00.123', ok = 1 WHERE id < 3")
    read_on(settings, read)
    first, second, third, *updates = afters(read)
    assert (first, second) == tuple(updates)  # as if the rows had been whole from the beginning
    assert (first["note"], first["raw"], first["ok"], first["at"]) == ("größe", "AP8=", True, 1772366400123)
    assert [value for name, value in third.items() if name not in ("id", "code", "made", "born")] == [None] * 6


def test_large_values_that_capture_did_not_write_are_read_again(table: Database) -> None:
    nulls_stay = {"post.processors.again.reselect.null.values": "false"}
    settings = settings_of(table, **RESELECT, **nulls_stay)
    write(table, "INSERT t VALUES (1, 'a', NEWID(), '2026-01-01', N'large', 1, 0x01, NULL, 0, '<a/>')")
    read = begin(settings)
    write(table, "UPDATE t SET price = 2")
    read_on(settings, read)
    (row,) = afters(read)
    assert (row["x"], row["price"], row["at"]) == ("<a/>", "AMg=", None)


def test_a_row_that_is_gone_is_told_once_or_stops_the_connector(table: Database, caplog: pytest.LogCaptureFixture) -> None:
    read = begin(settings_of(table))
    table.sql(f"{insert(1)}; {insert(2)}")
    write(table, "DELETE t")
    with pytest.raises(ReselectionError, match=r"again: a row of .*dbo\.t is not there any more"):
        read_on(settings_of(table, **RESELECT, **FAIL), read.fresh())
    with caplog.at_level(logging.WARNING):
        found = read_on(settings_of(table, **RESELECT, **{"tombstones.on.delete": "false"}), read)
    assert [each and each["note"] for each in afters(found)] == [None] * 4
    assert caplog.text.count("is not there any more") == 1


def test_a_column_that_the_table_no_longer_has_is_told(table: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(table, **RESELECT)
    read = begin(settings)
    write(table, insert(1))
    table.sql("ALTER TABLE t DROP COLUMN note")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert afters(read)[0]["note"] is None
    assert "a row of" in caplog.text
    assert "can't be read again" in caplog.text


def test_rules_of_columns_are_for_what_is_read_again_too(table: Database) -> None:
    settings = settings_of(table, **RESELECT, **{"column.mask.with.3.chars": r"dbo\.t\.note"})
    read = begin(settings)
    table.sql(insert(1))
    write(table, "UPDATE t SET note = N'secret'")
    read_on(settings, read)
    assert [each["note"] for each in afters(read)] == ["***", "***"]
