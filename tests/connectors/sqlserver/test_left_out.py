"""Changes that can't be shown: it stops, or leaves them out, as `event.processing.failure.handling.mode` says."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from support.sqlserver_reading import Read, afters, read_on, settings_of, started, write
from tailrace.errors import StructureError
from tailrace.testing.sqlserver_server import Database

pytestmark = pytest.mark.drivers

@pytest.fixture
def dated(sqlserver: Database) -> Database:
    """A table with moments, of which Debezium's nanoseconds reach from 1677 to 2262."""
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, at datetime2 NOT NULL)")
    sqlserver.capture("t")
    return sqlserver


def after_work(dated: Database, **properties: str) -> tuple[Any, Read]:
    """A connector behind whose place ten changes wait, three of which can't be shown."""
    settings = settings_of(dated, time_precision_mode="nanoseconds", **properties)
    read = started(settings)
    for key in range(8):
        year = 1600 if key in (2, 7) else 2000
        dated.sql(f"INSERT t VALUES ({key}, '{year}-01-01')")
    dated.sql("UPDATE t SET at = '2001-01-01' WHERE id = 0")
    write(dated, "UPDATE t SET at = '9999-01-01' WHERE id = 1")
    return settings, read


def test_it_stops_unless_told_otherwise(dated: Database) -> None:
    settings, read = after_work(dated)
    with pytest.raises(StructureError, match="column at"):
        read_on(settings, read)


@pytest.mark.parametrize(("mode", "level"), [("warn", logging.WARNING), ("skip", logging.DEBUG)])
def test_what_can_not_be_shown_is_left_out_and_nothing_else(
    dated: Database, caplog: pytest.LogCaptureFixture, mode: str, level: int
) -> None:
    settings, read = after_work(dated, event_processing_failure_handling_mode=mode)
    with caplog.at_level(logging.DEBUG):
        read_on(settings, read)
    assert [after["id"] for after in afters(read)] == [0, 1, 3, 4, 5, 6, 0]
    told = [record for record in caplog.records if "left out, as the configuration wants" in record.message]
    assert [record.levelno for record in told] == [level] * 3
    assert read_on(settings, read.fresh()).records == []


def test_numbers_of_transactions_allow_no_gap(dated: Database) -> None:
    settings, read = after_work(
        dated, event_processing_failure_handling_mode="skip", provide_transaction_metadata="true"
    )
    with pytest.raises(StructureError, match="column at"):
        read_on(settings, read)
