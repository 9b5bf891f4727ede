"""Changes that can't be converted: `event.processing.failure.handling.mode` stops the connector, or leaves them out."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from support.snapshotting import begun, taken
from support.sqlserver_reading import Read, afters, read_on, settings_of, started, write
from tailrace.connectors.base import Lane
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import StructureError
from tailrace_standins.servers.sqlserver_server import Database

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


def test_it_stops_at_the_first_one_and_what_comes_before_is_delivered_once(dated: Database) -> None:
    settings, read = after_work(dated)
    with pytest.raises(StructureError, match=rf"{dated.name}\.dbo\.t: the change at \S+: column at .*mode=warn"):
        read_on(settings, read)
    assert [after["id"] for after in afters(read)] == [0, 1]
    again = read.fresh()
    with pytest.raises(StructureError, match="column at"):
        read_on(settings, again)
    assert again.records == []
    tolerant = settings_of(dated, time_precision_mode="nanoseconds", event_processing_failure_handling_mode="warn")
    assert [after["id"] for after in afters(read_on(tolerant, again))] == [3, 4, 5, 6, 0]


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
    counted = [(r["value"]["after"]["id"], r["value"]["transaction"]["total_order"]) for r in read.of("dbo.t")]
    assert counted == [(0, 1), (1, 1)]


@pytest.fixture
def full(dated: Database) -> Database:
    """Rows before the connector begins, two of which can't be shown, in a table with a key and in one without."""
    dated.sql("CREATE TABLE u (id int, at datetime2 NOT NULL)")
    dated.capture("u")
    for key in range(8):
        for table in "tu":
            dated.sql(f"INSERT {table} VALUES ({key}, '{1600 if key in (2, 7) else 2000}-01-01')")
    dated.capture_all()
    return dated


def with_snapshot(database: Database, **properties: str) -> Any:
    return settings_of(database, snapshot_mode="initial", time_precision_mode="nanoseconds", **properties)


def test_a_snapshot_stops_at_the_row_and_names_its_key(full: Database) -> None:
    settings = with_snapshot(full, table_include_list=r"dbo\.t")
    with pytest.raises(StructureError, match=rf"{full.name}\.dbo\.t: the row with the key id = 2: column at"):
        taken(settings, between=full.step)


@pytest.mark.parametrize("isolation", [None, "snapshot"])
@pytest.mark.parametrize(("mode", "level"), [("warn", logging.WARNING), ("skip", logging.DEBUG)])
def test_a_snapshot_leaves_out_what_can_not_be_shown_and_nothing_else(
    full: Database, caplog: pytest.LogCaptureFixture, mode: str, level: int, isolation: str | None
) -> None:
    more = {} if isolation is None else {"snapshot_isolation_mode": isolation}
    full.sql(f"ALTER DATABASE [{full.name}] SET ALLOW_SNAPSHOT_ISOLATION ON")
    settings = with_snapshot(full, event_processing_failure_handling_mode=mode, **more)
    with caplog.at_level(logging.DEBUG):
        snapshot = taken(settings, between=full.step)
    for table in "tu":
        assert sorted(row["id"] for row in snapshot.rows(f"s.{full.name}.dbo.{table}")) == [0, 1, 3, 4, 5, 6]
    told = [record for record in caplog.records if "left out, as the configuration wants" in record.message]
    assert {record.levelno for record in told} == {level}
    assert any("dbo.t: the row with the key id = 7: column at" in record.message for record in told)


def test_rows_that_change_while_the_snapshot_reads_are_left_out_all_the_same(full: Database) -> None:
    settings = with_snapshot(full, event_processing_failure_handling_mode="warn")
    snapshot = begun(settings, 1)
    for table in "tu":
        full.sql(f"UPDATE {table} SET at = '2001-01-01' WHERE id = 2; DELETE {table} WHERE id = 7")
        full.sql(f"UPDATE {table} SET at = '1600-01-01' WHERE id = 0")
    full.capture_all()
    reader = SqlServerConnector(settings).snapshot(Lane(), snapshot.progress, snapshot.history)
    read = Read(snapshot.progress, list(snapshot.history))
    for batch in reader:
        read.take(batch)
        full.step()
    for table in "tu":
        seen = [(r["value"]["after"]["id"], r["value"]["after"]["at"]) for r in read.of(f"dbo.{table}")]
        assert sorted(key for key, _ in seen) == [0, 1, 3, 4, 5, 6]
        assert len({at for _, at in seen}) == 1, "all of them as they were at the snapshot's position"
