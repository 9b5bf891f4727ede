"""Capture instances that come, go and change while they are read, and what is lost noticed."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from support.sqlserver_reading import Read, batches, begin, read_on, settings_of, told
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import PositionLostError
from tailrace.testing.sqlserver_server import Database

pytestmark = pytest.mark.drivers

LATER = "WAITFOR DELAY '00:00:00.020'"  # a clean-up takes transactions of one time together


@pytest.fixture
def shop(sqlserver: Database) -> Database:
    """A database with one captured table, and one that is only there to make transactions."""
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, a nvarchar(20)); CREATE TABLE other (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.capture("other")
    return sqlserver


def structures(read: Read) -> list[tuple[str, list[str]]]:
    """The schema-change events: what happened, and the columns then."""
    changes = [
        record["value"]["tableChanges"][0] for record in read.records if "tableChanges" in (record["value"] or {})
    ]
    return [(change["type"], [column["name"] for column in change["table"]["columns"]]) for change in changes]


def afters(read: Read) -> list[Any]:
    return [after for _, _, after in told(read.of("dbo.t"))]


def started(settings: Any) -> Read:
    """A connector that has told the structures of its beginning."""
    return read_on(settings, begin(settings)).fresh()


def test_the_structures_of_the_beginning_are_told_once(shop: Database) -> None:
    settings = settings_of(shop)
    read = read_on(settings, begin(settings))
    assert structures(read) == [("CREATE", ["id"]), ("CREATE", ["id", "a"])]
    assert structures(read_on(settings, read.fresh())) == []


def test_a_table_goes_over_to_its_second_instance_where_that_starts(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'old')")
    shop.sql("ALTER TABLE t ADD b int")
    shop.sql("INSERT t VALUES (2, N'between', 2)")
    shop.capture_all()
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (3, N'new', 3)")
    shop.capture_all()
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "old"}, {"id": 2, "a": "between"}, {"id": 3, "a": "new", "b": 3}]
    assert structures(read) == [("ALTER", ["id", "a", "b"])]
    kinds = ["ddl" if "tableChanges" in record["value"] else record["value"]["after"]["id"] for record in read.records]
    assert kinds == [1, 2, "ddl", 3]


def test_a_second_instance_with_the_same_columns_is_no_change(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    read_on(settings, read)
    assert (afters(read), structures(read)) == ([{"id": 1, "a": "x"}], [])
    shop.uncapture("t", instance="dbo_t")
    shop.sql("INSERT t VALUES (2, N'y')")
    shop.capture_all()
    read_on(settings, read)
    assert len(afters(read)) == 2


def test_a_table_may_change_more_than_twice_in_a_row(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (0, N'x')")
    shop.capture_all()
    previous = "dbo_t"
    for number, column in enumerate(("b", "c", "d"), 1):
        shop.sql(f"ALTER TABLE t ADD {column} int")
        shop.capture_all()
        shop.capture("t", instance=f"t_{number}")
        shop.sql(f"INSERT t (id, a, {column}) VALUES ({number}, N'x', {number})")
        shop.capture_all()
        read_on(settings, read)
        shop.uncapture("t", instance=previous)
        previous = f"t_{number}"
    assert [sorted(after) for after in afters(read)] == [
        sorted(["id", "a", *columns]) for columns in ([], ["b"], ["b", "c"], ["b", "c", "d"])
    ]
    assert [columns[-1] for _, columns in structures(read)] == ["b", "c", "d"]


def test_lanes_change_over_alike(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture_all()
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (2, N'new', 2)")
    shop.capture_all()
    lanes = [read_on(settings, read.fresh(), Lane(number, 3)) for number in range(3)]
    assert [after for lane in lanes for after in afters(lane)] == [{"id": 1, "a": "old"}, {"id": 2, "a": "new", "b": 2}]
    assert [structures(lane) for lane in lanes] == [[("ALTER", ["id", "a", "b"])], [], []]
    for lane in lanes:
        assert lane.progress == lanes[0].progress
        assert [record["position"] for record in lane.history] == [record["position"] for record in lanes[0].history]


def test_a_column_that_no_instance_has_is_named(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("ALTER TABLE t ADD forgotten int; INSERT t VALUES (1, N'x', 2)")
    shop.capture_all()
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "not captured by the instance dbo_t: forgotten" in caplog.text
    assert afters(read) == [{"id": 1, "a": "x"}]


def test_a_table_that_is_captured_later_is_picked_up(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("CREATE TABLE late (id int PRIMARY KEY); INSERT late VALUES (1)")
    shop.capture("late")
    shop.sql("INSERT late VALUES (2); INSERT other VALUES (1)")
    shop.capture_all()
    read_on(settings, read)
    assert structures(read) == [("CREATE", ["id"])]
    assert [after for _, _, after in told(read.of("dbo.late"))] == [{"id": 2}]


def test_a_table_that_is_not_captured_any_more_is_left_out_with_a_warning(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'lost'); INSERT other VALUES (1)")
    shop.capture_all()
    shop.uncapture("t")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert f"{shop.name}.dbo.t is not captured any more" in caplog.text
    assert len(read.of("dbo.other")) == 1
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'again')")
    shop.capture_all()
    read_on(settings, read)
    assert afters(read) == [{"id": 2, "a": "again"}]
    assert structures(read) == [], "nothing has changed"


def test_an_instance_that_was_dropped_before_it_was_read_to_its_end_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'lost')")
    shop.capture_all()
    shop.uncapture("t")
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'x')")
    shop.capture_all()
    with pytest.raises(PositionLostError, match=r"dbo\.t: the capture instance dbo_t was dropped before it was read"):
        read_on(settings, read)


def test_an_instance_that_was_replaced_while_nothing_happened_is_no_loss(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    read_on(settings, read)
    shop.uncapture("t")
    shop.sql("ALTER TABLE t ADD b int")
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'y', 2)")
    shop.capture_all()
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "x"}, {"id": 2, "a": "y", "b": 2}]
    assert structures(read) == [("ALTER", ["id", "a", "b"])]


def test_a_table_that_was_altered_before_it_was_captured_anew_may_have_lost_changes(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("ALTER TABLE t ADD b int")
    shop.capture_all()
    shop.uncapture("t")
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'x', 2)")
    shop.capture_all()
    with pytest.raises(PositionLostError, match="snapshot"):
        read_on(settings, read)


def test_an_instance_that_was_made_anew_and_has_no_beginning_yet_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'lost')")
    shop.capture_all()
    shop.uncapture("t")
    shop.sql("EXEC sys.sp_cdc_enable_table 'dbo', 't', @role_name = NULL")
    with pytest.raises(PositionLostError, match=r"dbo\.t: .* was dropped .* where the capture job has not come to"):
        read_on(settings, read)


def test_an_instance_that_is_made_anew_while_a_window_is_read_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT other VALUES (1); INSERT t VALUES (1, N'lost')")
    shop.capture_all()
    reading = batches(settings, read)
    assert [records.topic for records in next(reading).records] == [f"{settings.topic_prefix}.{shop.name}.dbo.other"]
    shop.uncapture("t")
    shop.capture("t")
    with pytest.raises(PositionLostError, match=r"dbo\.t: .* dbo_t was dropped and made anew before it was read"):
        list(reading)


def test_what_is_lost_is_lost_to_the_lane_that_reads_it_alone(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'lost')")
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (2, N'new')")
    shop.capture_all()
    shop.uncapture("t", instance="dbo_t")
    lost = []
    for number in range(3):
        try:
            read_on(settings, read.fresh(), Lane(number, 3))
        except PositionLostError:
            lost.append(number)
    topic = f"{settings.topic_prefix}.{shop.name}.dbo.t"
    assert lost == [number for number in range(3) if Lane(number, 3).owns(topic)]


def test_what_the_clean_up_took_away_before_it_was_read_is_lost(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    for number in (1, 2, 3):
        shop.sql(f"INSERT t VALUES ({number}, N'x'); {LATER}")
    shop.capture_all()
    shop.clean_up("dbo_t", shop.max_lsn())
    with pytest.raises(PositionLostError, match=r"dbo\.t: changes are lost.*@retention"):
        read_on(settings, read)


def test_the_clean_up_of_what_was_read_is_no_loss(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    read_on(settings, read)
    shop.clean_up("dbo_t", shop.max_lsn())
    shop.sql("INSERT t VALUES (2, N'y')")
    shop.capture_all()
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "x"}, {"id": 2, "a": "y"}]


def test_a_progress_whose_changes_are_gone_is_out_of_reach(shop: Database) -> None:
    settings = settings_of(shop, table_include_list="dbo.t")
    read = started(settings)
    connector = SqlServerConnector(settings)
    connector.require_within_reach(read.progress)
    shop.sql(f"INSERT t VALUES (1, N'x'); {LATER}; INSERT t VALUES (2, N'x')")
    shop.capture_all()
    shop.clean_up("dbo_t", shop.max_lsn())
    with pytest.raises(PositionLostError, match="changes are lost"):
        connector.require_within_reach(read.progress)


def test_many_idle_instances_cost_little(sqlserver: Database) -> None:
    count = 300
    for number in range(count):
        sqlserver.sql(f"CREATE TABLE t{number} (id int PRIMARY KEY, v varchar(20))")
        sqlserver.sql(f"EXEC sys.sp_cdc_enable_table 'dbo', 't{number}', @role_name = NULL")
    sqlserver.pause()
    sqlserver.capture_all()
    settings = settings_of(sqlserver, include_schema_changes="false")
    read = begin(settings)
    sqlserver.sql("INSERT t7 VALUES (1, 'x'); INSERT t200 VALUES (2, 'y')")
    sqlserver.capture_all()
    read_on(settings, read)
    assert [len(read.of(f"dbo.{table}")) for table in ("t7", "t200")] == [1, 1]
    reader = SqlServerConnector(settings).read(LogRange(read.progress.restart), read.progress, read.history)
    next(reader)
    used, polls = time.process_time(), 20
    for _ in range(polls):
        assert next(reader).idle
    assert (time.process_time() - used) / polls < 0.02, "seconds of CPU time a poll"
    reader.close()
