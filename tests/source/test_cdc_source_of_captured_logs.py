"""Captured logs as a DataFrame, without Spark: plans of windows that give the same whenever they are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxBytes

from support.captured_shops import KINDS, Db2Shop, Shop, SqlServerShop, plain_properties, shop_of
from support.frame_rows import begun, ids, structures
from support.streaming_frames import ALL, batches, job_of, next_batch, read
from tailrace.connectors.change_tables import window_tables
from tailrace.connectors.db2.captured import CapturedRows
from tailrace.connectors.sqlserver import captured
from tailrace.errors import PositionLostError, ProgressError, RetriableError
from tailrace.source.cdc_source import INITIAL, CdcReader

pytestmark = pytest.mark.drivers
READS = {SqlServerShop: (captured, "rows_of"), Db2Shop: (CapturedRows, "read")}
"""What gives the rows of a change table."""
IN_EACH_MODE = pytest.mark.parametrize("shop", [*KINDS, "sqlserver function"], indirect=True)


@pytest.fixture(params=KINDS)
def shop(request: pytest.FixtureRequest) -> Shop:
    """A database with one captured table, and one that is only there to make transactions."""
    made = shop_of(request)
    made.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))")
    made.sql("CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)")
    made.capture("T", "OTHER")
    return made


def test_a_stream_begins_with_the_structures_and_has_each_change_once(shop: Shop) -> None:
    options = plain_properties(shop)
    shop.sql("INSERT INTO S.T VALUES (0, 'before')")
    shop.capture_all()
    first = begun(options)
    assert structures(read(options, INITIAL, first)) == [("CREATE", ["ID"]), ("CREATE", ["ID", "A"])]
    start, seen = first, []
    for number in (1, 2):
        shop.sql(f"INSERT INTO S.T VALUES ({number}, 'x')", f"INSERT INTO S.OTHER VALUES ({number})")
        shop.capture_all()
        ((_, end),) = batches(options, start)
        rows = read(options, start, end)
        seen.append((ids(rows), ids(rows, ".OTHER"), structures(rows)))
        start = end
    assert seen == [([1], [1], []), ([2], [2], [])]


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_what_nobody_captured_yet_is_no_batch_and_is_looked_for_again_after_a_pause(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    options = plain_properties(shop, poll_interval_ms="70")
    start = begun(options)
    shop.sql("INSERT INTO S.T VALUES (1, 'x')")
    # Not `time.sleep` itself: a thread that another test left in a loop of pauses would fill the list, and then the memory.
    monkeypatch.setattr("tailrace.source.cdc_source.time", SimpleNamespace(sleep=pauses.append))
    assert next_batch(options, start) == start
    assert pauses == [0.07]
    reader = CdcReader(job_of(options))
    reader.prepareForTriggerAvailableNow()
    assert reader.latestOffset(start, ALL) is start
    assert pauses == [0.07], "a run that ends has nothing to wait for"


def test_a_file_keeps_the_structures_where_one_is_named(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = {
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": str(file),
    }
    options = {**plain_properties(shop), **history}
    start = begun(options)
    assert "structures" not in start
    shop.sql("CREATE TABLE S.LATE (ID INTEGER NOT NULL PRIMARY KEY)")
    shop.capture("LATE")
    shop.sql("INSERT INTO S.LATE VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    first = read(options, start, end)
    assert (ids(first, ".LATE"), structures(first)) == ([1], [("CREATE", ["ID"])])
    assert read(options, start, end) == first, "what the first reading wrote into the file does not count"
    assert len(file.read_text().splitlines()) == 3
    shop.sql("INSERT INTO S.LATE VALUES (2)")
    shop.capture_all()
    with pytest.raises(
        ProgressError, match="begun with a file that keeps the structures of tables, and now none is named"
    ):
        next_batch(plain_properties(shop), end)
    last = next_batch(options, end)
    rows = read(options, end, last)
    assert (ids(rows, ".LATE"), structures(rows)) == ([2], [])


@IN_EACH_MODE
def test_a_limit_cuts_a_backlog_between_transactions(shop: Shop) -> None:
    options = plain_properties(shop)
    start = begun(options)
    for first in range(0, 150, 3):
        rows = ", ".join(f"({first + i}, '{'x' * 20}')" for i in range(3))
        shop.sql(f"INSERT INTO S.T VALUES {rows}")
    shop.capture_all()
    found = [ids(read(options, *each)) for each in batches(options, start, ReadMaxBytes(3000))]
    assert [number for each in found for number in each] == list(range(150))
    assert all(len(each) % 3 == 0 for each in found)
    assert 2 <= len(found) <= 10, "150 rows have some 85 bytes each"
    shop.sql("CREATE TABLE S.LATE (ID INTEGER NOT NULL PRIMARY KEY)")
    shop.capture("LATE")
    shop.sql("INSERT INTO S.LATE VALUES (1)")
    shop.capture_all()
    assert ids(read(options, start, next_batch(options, start, ReadMaxBytes(1)))) == [0, 1, 2]


def test_a_connection_that_is_lost_within_a_batch_loses_and_repeats_nothing_and_is_told_of(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 7)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 7)
    options = plain_properties(shop, provide_transaction_metadata="true", retriable_restart_connector_wait_ms="1")
    start = begun(options)
    for table in ("T (ID)", "OTHER"):
        shop.sql(f"INSERT INTO S.{table} VALUES {', '.join(f'({n})' for n in range(50))}")
    shop.capture_all()
    end = next_batch(options, start)
    whole = read(options, start, end)
    lost: list[int] = []
    owner, name = READS[type(shop)]
    rows_of = getattr(owner, name)

    def breaking(*given: Any) -> Iterator[Any]:
        for number, part in enumerate(rows_of(*given)):
            if number == 2 and len(lost) < 3:
                lost.append(number)
                raise RetriableError("the connection was dropped")
            yield part

    monkeypatch.setattr(owner, name, breaking)
    assert read(options, start, end) == whole
    assert len(lost) == 3
    assert caplog.text.count("the connection was dropped; trying again in 0.001 s") == 3
    assert ids(whole) == ids(whole, ".OTHER") == list(range(50))


def test_a_table_that_was_left_when_a_batch_was_planned_stays_out_of_it_when_it_is_captured_again(
    shop: Shop,
) -> None:
    options = plain_properties(shop)
    start = begun(options)
    shop.sql("INSERT INTO S.T VALUES (1, 'x')", "INSERT INTO S.OTHER VALUES (1)")
    shop.capture_all()
    shop.uncapture("T")
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert (ids(rows), ids(rows, ".OTHER"), structures(rows)) == ([], [1], [("DROP", [])])
    shop.capture("T")
    shop.sql("INSERT INTO S.T VALUES (2, 'y')")
    shop.capture_all()
    assert read(options, start, end) == rows
    last = next_batch(options, end)
    rows = read(options, end, last)
    assert (ids(rows), structures(rows)) == ([2], [("CREATE", ["ID", "A"])])


@pytest.mark.parametrize("late", [False, True], ids=["known before", "new in the batch"])
def test_what_was_planned_and_is_not_captured_any_more_is_not_passed_over(shop: Shop, late: bool) -> None:
    options = plain_properties(shop)
    start = begun(options)
    table = "LATE" if late else "T"
    if late:
        shop.sql("CREATE TABLE S.LATE (ID INTEGER NOT NULL PRIMARY KEY)")
        shop.capture("LATE")
    shop.sql(f"INSERT INTO S.{table} (ID) VALUES (1)", "INSERT INTO S.OTHER VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    assert ids(read(options, start, end), f".{table}") == [1]
    shop.uncapture(table)
    with pytest.raises(
        PositionLostError, match=f"{table} was captured when the reading of its log .* and is not any more"
    ):
        read(options, start, end)


@IN_EACH_MODE
def test_a_table_without_changes_in_a_batch_may_be_gone_when_it_is_read(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    options = plain_properties(shop)
    start = begun(options)
    shop.sql("INSERT INTO S.OTHER VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert end["position"][shop.database]["filled"] == ["S.OTHER"]
    shop.uncapture("T")
    assert read(options, start, end) == rows
    assert f"{shop.database}.S.T is not captured any more" in caplog.text
    shop.sql("INSERT INTO S.OTHER VALUES (2)")
    shop.capture_all()
    last = next_batch(options, end)
    assert ids(read(options, end, last), ".OTHER") == [2]
    shop.uncapture("OTHER")
    with pytest.raises(PositionLostError, match=r"OTHER was captured when the reading of its log"):
        read(options, end, last)


def test_a_table_that_a_plan_does_not_know_is_in_a_later_batch(shop: Shop) -> None:
    narrow, wide = plain_properties(shop, table_include_list="S[.]T"), plain_properties(shop)
    start = begun(narrow)
    shop.sql("INSERT INTO S.T VALUES (1, 'x')", "INSERT INTO S.OTHER VALUES (1)")
    shop.capture_all()
    end = next_batch(narrow, start)
    rows = read(narrow, start, end)
    assert read(wide, start, end) == rows
    shop.sql("INSERT INTO S.OTHER VALUES (2)")
    shop.capture_all()
    last = next_batch(wide, end)
    assert ids(read(wide, end, last), ".OTHER") == [2]
    assert structures(read(wide, end, last)) == [("CREATE", ["ID"])]
