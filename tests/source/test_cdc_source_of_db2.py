"""What is Db2's own of a DataFrame, without Spark: change tables that are altered, registrations made anew, a log that never rests."""

from __future__ import annotations

from typing import Any

import pytest

from support.change_table_reading import PLAIN
from support.frame_rows import begun, ids, structures, values
from support.streaming_frames import batches, job_of, next_batch, read
from tailrace.connectors.change_tables import ranges
from tailrace.errors import PositionLostError, StructureError
from tailrace.source.cdc_source import CdcReader
from tailrace.source.frame_reading import row_reading, spark_schema
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with one captured table, and one that is only there to make transactions."""
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))")
    db2.sql("CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.T", "S.OTHER")
    db2.replication.step()
    return db2


def write(database: Database, *statements: str) -> None:
    database.sql(*statements)
    database.replication.step()


def options_of(database: Database, **more: str) -> dict[str, str]:
    return database.properties(**{**PLAIN, **more})


def add_column(database: Database, name: str = "B") -> None:
    """As IBM's page says it: the table, its change table, and the program reads the register anew."""
    database.sql(*(f"ALTER TABLE {table} ADD COLUMN {name} INTEGER" for table in ("S.T", 'ASNCDC."CDC_S_T"')))
    database.replication.reinit()


def test_a_log_in_which_only_the_capture_program_writes_gives_a_batch_now_and_then(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = options_of(shop)
    start = begun(options)
    for _ in range(2):
        shop.replication.step()
        assert next_batch(options, start) == start
    monkeypatch.setattr(ranges, "REST_US", 0)
    end = next_batch(options, start)
    assert end["position"][shop.database]["lsn"] > start["position"][shop.database]["lsn"]
    assert read(options, start, end) == []


def test_a_column_that_is_added_online_is_there_from_the_batch_on_that_was_planned_behind_it(shop: Database) -> None:
    options = options_of(shop)
    start = begun(options)
    write(shop, "INSERT INTO S.T VALUES (1, 'old')")
    ((_, end),) = batches(options, start)
    rows = read(options, start, end)
    add_column(shop)
    write(shop, "INSERT INTO S.T VALUES (2, 'new', 2)")
    ((_, last),) = batches(options, end)
    later = read(options, end, last)
    assert [value["after"] for value in values(later, ".T")] == [{"ID": 2, "A": "new", "B": 2}]
    assert structures(later) == [("ALTER", ["ID", "A", "B"])]
    add_column(shop, "C")
    assert read(options, start, end) == rows
    assert read(options, end, last) == later


def test_typed_rows_with_a_column_that_comes_stop_the_query_which_has_it_when_it_is_started_again(
    shop: Database,
) -> None:
    options = options_of(shop, output="rows", table_include_list="S[.]T")
    start = begun(options)
    running = CdcReader(job_of(options), row_reading(job_of(options), spark_schema(job_of(options))))
    write(shop, "INSERT INTO S.T VALUES (1, 'old')")
    add_column(shop)
    write(shop, "INSERT INTO S.T VALUES (2, 'new', 2)")
    end = next_batch(options, start)
    with pytest.raises(StructureError, match="columns now that the DataFrame does not have: B"):
        list(running.read(running.partitions(start, end)[0]))
    assert [(row["ID"], row["B"]) for row in read(options, start, end)] == [(1, None), (2, 2)]


@pytest.mark.parametrize("accepts", [False, True])
def test_a_table_that_was_registered_anew_among_changes_of_others_stops_the_query_unless_it_is_accepted(
    shop: Database, accepts: bool
) -> None:
    more: dict[str, Any] = {"tailrace_registered_anew": "accept"} if accepts else {}
    options = options_of(shop, **more)
    start = begun(options)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    shop.unregister("S.T")
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (2, 'y')", "INSERT INTO S.OTHER VALUES (2)")
    if not accepts:
        with pytest.raises(PositionLostError, match=r"ASNCDC\.CDC_S_T was dropped before it was read to its end"):
            read(options, start, next_batch(options, start))
        return
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert (ids(rows), ids(rows, ".OTHER")) == ([2], [2])
    assert read(options, start, end) == rows
