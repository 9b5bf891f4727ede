"""Capture instances that are created, dropped and altered while they are read."""

from __future__ import annotations

import datetime as dt
import logging
import time
from itertools import pairwise
from typing import Any

import pytest

from support.sqlserver_reading import (
    Read,
    afters,
    batches,
    begin,
    read_on,
    settings_of,
    started,
    structures,
    told,
    write,
)
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers


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
    write(shop, "INSERT t VALUES (2, N'between', 2)")
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (3, N'new', 3)")
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "old"}, {"id": 2, "a": "between"}, {"id": 3, "a": "new", "b": 3}]
    assert structures(read) == [("ALTER", ["id", "a", "b"])]
    kinds = ["ddl" if "tableChanges" in record["value"] else record["value"]["after"]["id"] for record in read.records]
    assert kinds == [1, 2, "ddl", 3]


def test_a_switch_is_logged_once_by_the_lane_that_reads_the_table(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (2, N'new', 2)")
    assert "is read from the capture instance" not in caplog.text
    for number in range(2):
        read_on(settings, read_on(settings, read.fresh(), Lane(number, 2)), Lane(number, 2))
    start = Lsn(shop.value("SELECT start_lsn FROM cdc.change_tables WHERE capture_instance = 't_2'"))
    (told,) = (each for each in caplog.records if "is read from the capture instance" in each.message)
    assert told.levelno == logging.INFO
    assert told.message == (
        f"{shop.name}.dbo.t is read from the capture instance t_2 instead of dbo_t, from LSN {start} on"
    )


def test_a_second_instance_with_the_same_columns_is_no_change(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    assert (afters(read), structures(read)) == ([{"id": 1, "a": "x"}], [])
    shop.uncapture("t", instance="dbo_t")
    write(shop, "INSERT t VALUES (2, N'y')")
    read_on(settings, read)
    assert len(afters(read)) == 2


EARLIER = "UPDATE cdc.change_tables SET create_date = DATEADD(day, -1, create_date) WHERE capture_instance = 'dbo_t'"


def with_older_one_cleaned_up(shop: Database, settings: Any) -> Read:
    """A table that has gone over to its second instance, and of which the first one is cleaned up alone since."""
    shop.sql(EARLIER)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture("t", instance="t_2")
    for key in (2, 3):
        write(shop, f"INSERT t VALUES ({key}, N'new', {key}); WAITFOR DELAY '00:00:00.020'")
    read_on(settings, read)
    shop.clean_up("dbo_t", shop.max_lsn())
    return read


def test_an_older_instance_that_is_cleaned_up_behind_the_start_of_the_newer_one_is_not_gone_back_to(shop: Database) -> None:
    """The older one has the column b in no row."""
    settings = settings_of(shop)
    read = with_older_one_cleaned_up(shop, settings)
    write(shop, "INSERT t VALUES (4, N'newer', 4)")
    read_on(settings, read)
    assert [after.get("b") for after in afters(read)] == [None, 2, 3, 4]
    assert structures(read) == [("ALTER", ["id", "a", "b"])]
    SqlServerConnector(settings).require_retained(read.progress, lambda: read.history)
    SqlServerConnector(settings).require_retained(read.progress)
    shop.uncapture("t", instance="dbo_t")
    write(shop, "INSERT t VALUES (5, N'newest', 5)")
    read_on(settings, read)
    assert [after.get("b") for after in afters(read)] == [None, 2, 3, 4, 5]


@pytest.mark.parametrize("mode", ["no_data", "initial"])
def test_nor_does_a_connector_begin_with_it(shop: Database, mode: str) -> None:
    settings = settings_of(shop, snapshot_mode=mode)
    with_older_one_cleaned_up(shop, settings)
    point = SqlServerConnector(settings).start_point(int(mode == "initial"))
    (change,) = [
        change for record in point.history for change in record["tableChanges"] if change["id"].endswith('"t"')
    ]
    assert [column["name"] for column in change["table"]["columns"]] == ["id", "a", "b"]


def test_a_table_may_change_more_than_twice_in_a_row(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (0, N'x')")
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
    write(shop, "INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (2, N'new', 2)")
    lanes = [read_on(settings, read.fresh(), Lane(number, 3)) for number in range(3)]
    assert [after for lane in lanes for after in afters(lane)] == [{"id": 1, "a": "old"}, {"id": 2, "a": "new", "b": 2}]
    assert [structures(lane) for lane in lanes] == [[("ALTER", ["id", "a", "b"])], [], []]
    for lane in lanes:
        assert lane.progress == lanes[0].progress
        assert [record["position"] for record in lane.history] == [record["position"] for record in lanes[0].history]


def test_a_column_that_no_instance_has_is_named(shop: Database, caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "ALTER TABLE t ADD forgotten int; INSERT t VALUES (1, N'x', 2)")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "not captured by the instance dbo_t: forgotten" in caplog.text
    assert afters(read) == [{"id": 1, "a": "x"}]


def types(read: Read) -> list[str]:
    """The type of the column a in each schema-change event."""
    changes = [record["value"]["tableChanges"][0] for record in read.records if "tableChanges" in record["value"]]
    return [column["typeName"] for each in changes for column in each["table"]["columns"] if column["name"] == "a"]


@pytest.mark.parametrize("mode", ["direct", "function"])
def test_a_captured_column_that_gets_another_type_has_it_from_then_on(sqlserver: Database, mode: str) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL)")
    sqlserver.capture("t")
    settings = settings_of(sqlserver, data_query_mode=mode)
    read = started(settings)
    write(sqlserver, "INSERT t VALUES (1, 10)")
    read_on(settings, read)
    sqlserver.sql("ALTER TABLE t ALTER COLUMN a varchar(30) NULL")
    write(sqlserver, "INSERT t VALUES (2, 'ten'), (3, NULL)")
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": 10}, {"id": 2, "a": "ten"}, {"id": 3, "a": None}]
    assert types(read) == ["varchar"]
    again = read_on(settings, read.fresh())
    assert again.records == []


def test_a_type_that_the_source_table_alone_has_so_far_is_not_told(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, a int)")
    sqlserver.capture("t")
    settings = settings_of(sqlserver)
    read = started(settings)
    write(sqlserver, "INSERT t VALUES (1, 10)")
    sqlserver.sql("ALTER TABLE t ALTER COLUMN a varchar(30)")
    read_on(settings, read)
    assert (afters(read), types(read)) == ([{"id": 1, "a": 10}], [])
    write(sqlserver, "INSERT t VALUES (2, 'ten')")
    read_on(settings, read)
    assert (afters(read)[1:], types(read)) == ([{"id": 2, "a": "ten"}], ["varchar"])


def test_a_type_that_changes_while_a_window_is_read_is_noticed(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE other (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, a int)")
    for table in ("other", "t"):
        sqlserver.capture(table)
    settings = settings_of(sqlserver)
    read = started(settings)
    write(sqlserver, "INSERT other VALUES (1); INSERT t VALUES (1, 10)")
    for batch in batches(settings, read):
        read.take(batch)
        if len(read.of("dbo.other")) == 1 and not read.of("dbo.t"):
            write(sqlserver, "ALTER TABLE t ALTER COLUMN a datetime")
    ten_days = (dt.datetime(1900, 1, 11) - dt.datetime(1970, 1, 1)) // dt.timedelta(milliseconds=1)  # noqa: DTZ001
    assert (afters(read), types(read)) == ([{"id": 1, "a": ten_days}], ["datetime"])


def test_a_column_that_may_be_null_from_now_on_is_told_so(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL)")
    sqlserver.capture("t")
    settings = settings_of(sqlserver)
    read = started(settings)
    sqlserver.sql("ALTER TABLE t ALTER COLUMN a int NULL")
    write(sqlserver, "INSERT t VALUES (1, NULL)")
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": None}], "and no zero"
    assert structures(read) == [("ALTER", ["id", "a"])]


def test_a_table_that_is_captured_later_is_picked_up(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("CREATE TABLE late (id int PRIMARY KEY); INSERT late VALUES (1)")
    shop.capture("late")
    write(shop, "INSERT late VALUES (2); INSERT other VALUES (1)")
    read_on(settings, read)
    assert structures(read) == [("CREATE", ["id"])]
    assert [after for _, _, after in told(read.of("dbo.late"))] == [{"id": 2}]


def dropped(database: Database, table: str, ddl: str | None = "N/A") -> dict[str, Any]:
    """What is told of a table that went, but for its source block and time."""
    change = {"type": "DROP", "id": f'"{database.name}"."dbo"."{table}"', "table": None}
    return {"databaseName": database.name, "schemaName": "dbo", "ddl": ddl, "tableChanges": [change]}


@pytest.mark.parametrize("how", ["disabled", "dropped"])
def test_a_table_that_is_not_captured_any_more_is_told_as_one_that_went_once(shop: Database, how: str) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    if how == "disabled":
        shop.uncapture("t")
    else:
        shop.sql("DROP TABLE t")
    write(shop, "INSERT other VALUES (1)")
    *_, record, _row = read_on(settings, read).records
    source = record["value"]["source"]
    told_of = {name: record["value"][name] for name in ("databaseName", "schemaName", "ddl", "tableChanges")}
    assert (record["topic"], record["key"]["databaseName"], told_of) == ("s", shop.name, dropped(shop, "t"))
    assert (source["db"], source["schema"], source["table"], source["snapshot"]) == (shop.name, "dbo", "t", "false")
    assert source["commit_lsn"] is not None
    write(shop, "INSERT other VALUES (2)")
    assert structures(read_on(settings, read.fresh())) == []


@pytest.mark.parametrize("how", ["disabled", "dropped"])
def test_a_table_that_is_captured_again_is_told_as_a_new_one(shop: Database, how: str) -> None:
    settings = settings_of(shop)
    read = started(settings)
    if how == "disabled":
        shop.uncapture("t")
    else:
        shop.sql("DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, a nvarchar(20))")
    write(shop, "INSERT other VALUES (1)")
    read_on(settings, read)
    shop.capture("t")
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    assert structures(read) == [("DROP", []), ("CREATE", ["id", "a"])]
    assert afters(read) == [{"id": 1, "a": "x"}]
    assert structures(read_on(settings, read.fresh())) == []


def test_a_table_that_gets_another_name_goes_and_comes_with_that(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    for number, (old, new) in enumerate([("t", "renamed"), ("renamed", "t")], 2):
        shop.sql(f"EXEC sp_rename '{old}', '{new}'")
        write(shop, f"INSERT {new} VALUES ({number}, N'x')")
        read_on(settings, read)
    changes = [record["value"]["tableChanges"][0] for record in read.of("s")]
    assert [(each["type"], each["id"].split(".")[-1]) for each in changes] == [
        ("DROP", '"t"'), ("CREATE", '"renamed"'), ("DROP", '"renamed"'), ("CREATE", '"t"'),
    ]  # fmt: skip
    assert [after["id"] for after in afters(read, "dbo.t")] == [1, 3]
    assert [after["id"] for after in afters(read, "dbo.renamed")] == [2]


def test_what_changes_under_another_name_is_delivered_whichever_lane_has_that(shop: Database) -> None:
    settings = settings_of(shop)
    lanes = [started(settings) for _ in range(2)]
    names = ["t", *(f"renamed_{number}" for number in range(6))]
    for number, (old, new) in enumerate(pairwise(names)):
        shop.sql(f"EXEC sp_rename '{old}', '{new}'")
        write(shop, f"INSERT {new} VALUES ({number}, N'x')")
        for lane, read in enumerate(lanes):
            read_on(settings, read, Lane(lane, 2))
    found = [[after["id"] for read in lanes for after in afters(read, name)] for name in names]
    assert found == [[], *([number] for number in range(6))]


def test_a_table_that_went_is_told_once_whatever_lane_reads_and_wherever_it_is_stopped(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.uncapture("t")
    write(shop, "INSERT other VALUES (1), (2)")
    lanes = [read_on(settings, read.fresh(), Lane(number, 3)) for number in range(3)]
    assert [structures(lane) for lane in lanes] == [[("DROP", [])], [], []]
    again = read.fresh()
    for batch in batches(settings, again):
        again.take(batch)
        break  # the process ends behind the first commit
    assert structures(read_on(settings, again)) == [("DROP", [])]


def test_a_table_that_the_configuration_leaves_out_is_not_told_as_one_that_went(shop: Database) -> None:
    narrow, wide = settings_of(shop, table_exclude_list="dbo.t"), settings_of(shop)
    read = started(wide)
    write(shop, "INSERT t VALUES (1, N'x'); INSERT other VALUES (1)")
    read_on(narrow, read)
    assert (afters(read), structures(read)) == ([], [])
    write(shop, "INSERT t VALUES (2, N'y')")
    read_on(wide, read)
    assert (afters(read), structures(read)) == ([{"id": 2, "a": "y"}], [("CREATE", ["id", "a"])])
    shop.uncapture("t")
    write(shop, "INSERT other VALUES (2)")
    assert structures(read_on(wide, read.fresh())) == [("DROP", [])]


def test_the_shape_of_1_4_has_no_ddl_of_any_change(shop: Database) -> None:
    settings = settings_of(shop, tailrace_event_shape="1.4")
    read = started(settings)
    shop.sql("ALTER TABLE t ADD b int")
    shop.capture_all()
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (1, N'x', 2)")
    shop.uncapture("other")
    write(shop, "INSERT t VALUES (2, N'x', 2)")
    read_on(settings, read)
    events = [record["value"] for record in read.records if "tableChanges" in record["value"]]
    assert {event["tableChanges"][0]["type"]: event["ddl"] for event in events} == {"ALTER": None, "DROP": None}


def test_many_idle_instances_cost_little(sqlserver: Database) -> None:
    count = 300
    for number in range(count):
        sqlserver.sql(f"CREATE TABLE t{number} (id int PRIMARY KEY, v varchar(20))")
        sqlserver.sql(f"EXEC sys.sp_cdc_enable_table 'dbo', 't{number}', @role_name = NULL")
    sqlserver.pause()
    sqlserver.capture_all()
    settings = settings_of(sqlserver, include_schema_changes="false")
    read = begin(settings)
    write(sqlserver, "INSERT t7 VALUES (1, 'x'); INSERT t200 VALUES (2, 'y')")
    read_on(settings, read)
    assert [len(read.of(f"dbo.{table}")) for table in ("t7", "t200")] == [1, 1]
    reader = SqlServerConnector(settings).read(LogRange(read.progress.restart), read.progress, read.history)
    next(reader)
    used, polls = time.process_time(), 20
    for _ in range(polls):
        assert next(reader).idle
    assert (time.process_time() - used) / polls < 0.02, "seconds of CPU time a poll"
    reader.close()
