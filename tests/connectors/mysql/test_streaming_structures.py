"""Each event has the structure of its moment, wherever the structures come from."""

import json

import pytest

from support.mysql_settings import settings_for
from support.reading import Read, batches, begin, fresh, read_on
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import StructureError
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "moments"
TOPIC = f"test.{DATABASE}.t"
ROWS = [
    {"id": 1, "v": "a"},
    {"id": 2, "v": "b", "w": 5},
    {"id": 3, "x": "c", "w": "6"},
    {"id": 4, "first": None, "x": "d"},
]


@pytest.fixture(scope="module", params=["FULL", "MINIMAL"])
def server(request):
    with MySqlServer(gtid=request.param == "FULL", row_metadata=request.param) as started:
        yield started


@pytest.fixture
def table(server):
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10)); CREATE TABLE hidden (n INT)", DATABASE)
    return server


def play(server, number):
    scripts = {
        1: "INSERT INTO t VALUES (1, 'a')",
        2: "ALTER TABLE t ADD COLUMN w INT; INSERT INTO t VALUES (2, 'b', 5)",
        3: "ALTER TABLE t CHANGE v x CHAR(3), MODIFY w VARCHAR(9); INSERT INTO t VALUES (3, 'c', '6')",
        4: "ALTER TABLE t ADD COLUMN first INT AFTER id, DROP COLUMN w; INSERT INTO t (id, x) VALUES (4, 'd')",
    }
    server.sql(scripts[number], DATABASE)


def in_file(path):
    return {"schema_history_internal": "file", "schema_history_internal_file_filename": path}


def after_images(read):
    return [value["after"] for value in read.payloads(TOPIC)]


@pytest.mark.mysql
def test_each_event_has_the_structure_of_its_moment_after_a_stop_with_ddl_in_between(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    play(table, 1)
    read_on(settings, read)
    for number in (2, 3, 4):
        play(table, number)
    read_on(settings, read)
    assert after_images(read) == ROWS


@pytest.mark.mysql
@pytest.mark.parametrize("comment", ["--\n-- swap\n--\n", "--\r\n", "--\x01\n", "/*! */"])
def test_columns_that_swap_their_names_behind_a_comment_have_each_the_name_of_its_moment(table, comment):
    table.sql("ALTER TABLE t ADD w VARCHAR(10)", DATABASE)
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.sql("INSERT INTO t VALUES (1, 'of v', 'of w')", DATABASE)
    table.sql(f"{comment}ALTER TABLE t RENAME COLUMN v TO w, RENAME COLUMN w TO v", DATABASE)
    table.sql("INSERT INTO t VALUES (2, 'of w', 'of v')", DATABASE)

    assert after_images(read_on(settings, read)) == [{"id": i, "v": "of v", "w": "of w"} for i in (1, 2)]


@pytest.mark.mysql
def test_a_database_has_the_character_set_of_the_session_that_made_it_also_after_a_restart(table):
    table.sql("DROP DATABASE IF EXISTS moments_2", DATABASE)
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.sql("SET collation_server = latin2_general_ci; CREATE DATABASE moments_2")
    read_on(settings, read)
    table.sql("CREATE DATABASE IF NOT EXISTS moments_2 CHARACTER SET koi8r; CREATE TABLE moments_2.t (v TEXT); DROP DATABASE moments_2")

    told = read_on(settings, read).payloads("test")

    (created,) = [event["tableChanges"][0]["table"] for event in told if event["ddl"] == "CREATE TABLE moments_2.t (v TEXT)"]
    assert created["defaultCharsetName"] == "latin2"


@pytest.mark.mysql
def test_a_column_that_is_not_null_without_being_told_so_is_warned_of(table, caplog):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.sql("SET explicit_defaults_for_timestamp = OFF; ALTER TABLE t ADD at TIMESTAMP; INSERT INTO t (id) VALUES (1)", DATABASE)

    read_on(settings, read)

    assert f"{DATABASE}.t: the log and the structure differ in whether NULL is allowed in: at" in caplog.messages


@pytest.mark.mysql
def test_reading_again_from_the_beginning_sees_the_structures_of_then(table):
    settings, start = begin(table, table_include_list=f"{DATABASE}.t")
    for number in (1, 2, 3, 4):
        play(table, number)
    assert after_images(read_on(settings, fresh(start))) == ROWS
    assert after_images(read_on(settings, fresh(start))) == ROWS


@pytest.mark.mysql
def test_without_a_history_full_metadata_is_enough_and_minimal_metadata_stops_with_a_remedy(table):
    settings, start = begin(table, table_include_list=f"{DATABASE}.t")
    lost = Read(Progress(str(position(start)), {k: v for k, v in start.progress.restart.items() if k != "initial"}), [])
    for number in (1, 2, 3, 4):
        play(table, number)
    if table.row_metadata == "FULL":
        read_on(settings, lost)
        assert after_images(lost) == ROWS
        again = read_on(settings, Read(lost.progress, lost.history))
        assert again.topics == {}
    else:
        with pytest.raises(StructureError, match=rf"mysql-bin\.\d+:\d+.*{DATABASE}\.t.*snapshot\.mode=recovery"):
            read_on(settings, lost)


def position(read):
    return RestartPosition.from_dict(read.progress.restart).position


@pytest.mark.mysql
def test_a_structure_that_only_the_log_knew_is_in_the_history_from_then_on(table):
    if table.row_metadata != "FULL":
        pytest.skip("minimal metadata tell no structure")
    settings, start = begin(table, table_include_list=f"{DATABASE}.t")
    lost = Read(Progress(str(position(start)), start.progress.restart), [])
    play(table, 1)
    read_on(settings, lost)
    assert [record["tableChanges"][0]["id"] for record in lost.history] == [f'"{DATABASE}"."t"']
    whole = Read(Progress(str(position(start)), start.progress.restart), [])
    play(table, 2)
    read_on(settings, lost)
    read_on(settings, whole)
    assert lost.topics == whole.topics


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["warn", "skip"])
def test_rows_of_an_unknown_table_are_left_out_where_that_is_wanted(table, mode, caplog):
    if table.row_metadata != "MINIMAL":
        pytest.skip("full metadata leave no table unknown")
    settings, start = begin(table, table_include_list=f"{DATABASE}.t", inconsistent_schema_handling_mode=mode)
    lost = Read(Progress(str(position(start)), start.progress.restart), [])
    play(table, 1)
    table.sql("DROP TABLE t", DATABASE)  # else the server would tell its structure
    read_on(settings, lost)
    assert TOPIC not in lost.topics
    assert any("left out" in record.message for record in caplog.records) == (mode == "warn")


@pytest.mark.mysql
@pytest.mark.parametrize("spelling", ["recovery", "schema_only_recovery"])
def test_recovery_builds_the_history_again_from_the_tables_as_they_are(table, spelling):
    _, start = begin(table, table_include_list=f"{DATABASE}.t")
    play(table, 1)
    settings = settings_for(table, table_include_list=f"{DATABASE}.t", snapshot_mode=spelling)
    lost = Read(Progress(str(position(start)), {k: v for k, v in start.progress.restart.items() if k != "initial"}), [])
    read_on(settings, lost)
    assert after_images(lost) == ROWS[:1]
    play(table, 2)
    read_on(settings, lost)
    assert after_images(lost) == ROWS[:2]
    assert [record["ddl"].split("(")[0].strip() for record in lost.history] == [
        "SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci",
        f"CREATE DATABASE `{DATABASE}` CHARSET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
        "CREATE TABLE `hidden`",
        "CREATE TABLE `t`",
        "ALTER TABLE t ADD COLUMN w INT",
    ]


@pytest.mark.mysql
def test_recovery_tells_the_structures_once_and_goes_on_from_where_it_was(table):
    _, start = begin(table, table_include_list=f"{DATABASE}.t")
    settings = settings_for(table, table_include_list=f"{DATABASE}.t", snapshot_mode="recovery")
    play(table, 1)
    restart = {k: v for k, v in start.progress.restart.items() if k != "initial"}
    first = next(batches(settings, Read(Progress(str(position(start)), restart), [])))
    assert (first.progress.delivered, first.progress.restart) == (str(position(start)), restart)
    told = [json.loads(value) for records in first.records for value in records.values]
    assert [value.get("payload", value)["source"]["snapshot"] for value in told] == ["true"] * 7 + ["last"]
    again = read_on(settings, Read(first.progress, list(first.history)))
    assert "test" not in again.topics
    assert after_images(again) == ROWS[:1]


@pytest.mark.mysql
def test_the_history_is_kept_in_the_file_too_and_read_from_there(table, tmp_path):
    file = tmp_path / "deep" / "history.jsonl"
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", **in_file(file))
    play(table, 1)
    play(table, 2)
    read_on(settings, read)
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert told == json.loads(json.dumps(read.history))
    read_on(settings, read)
    assert len(file.read_text().splitlines()) == len(told)
    without = Read(read.progress, [])
    play(table, 3)
    read_on(settings, without)
    assert after_images(without) == ROWS[2:3]
    assert [r["ddl"] for r in without.history[: len(told)]] == [r["ddl"] for r in told]


@pytest.mark.mysql
def test_what_a_history_file_has_behind_the_position_does_not_count(table, tmp_path):
    file = tmp_path / "history.jsonl"
    settings, start = begin(table, table_include_list=f"{DATABASE}.t", **in_file(file))
    play(table, 1)
    first = read_on(settings, fresh(start))
    play(table, 2)
    read_on(settings, fresh(first))
    crashed = read_on(settings, Read(first.progress, []))
    assert after_images(crashed) == ROWS[1:2]
    assert len(set(file.read_text().splitlines())) == len(file.read_text().splitlines())


@pytest.mark.mysql
def test_a_connector_begins_with_the_structures_of_all_tables(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    read_on(settings, read, now_us=1_700_000_000_123_456)
    told = read.payloads("test")
    assert [event["ddl"].split(" (")[0] for event in told] == [
        "SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci",
        f"DROP TABLE IF EXISTS `{DATABASE}`.`hidden`",
        f"DROP TABLE IF EXISTS `{DATABASE}`.`t`",
        f"DROP DATABASE IF EXISTS `{DATABASE}`",
        f"CREATE DATABASE `{DATABASE}` CHARSET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
        f"USE `{DATABASE}`",
        "CREATE TABLE `hidden`",
        "CREATE TABLE `t`",
    ]
    created, source = told[-1], told[-1]["source"]
    assert (source["snapshot"], source["ts_us"], source["db"], source["table"]) == ("last", 1_700_000_000_123_456, DATABASE, "t")
    assert created["tableChanges"][0]["type"] == "CREATE"
    assert (source["server_id"], source["pos"]) == (0, MySqlConnector(settings).head()["pos"])
    assert read_on(settings, fresh(read)).topics == {}


@pytest.mark.mysql
def test_in_the_shape_of_2_1_what_a_connector_begins_with_is_flagged(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", tailrace_event_shape="2.1")
    table.sql("ALTER TABLE t ADD COLUMN w INT", DATABASE)
    told = [event["source"]["snapshot"] for event in read_on(settings, read).payloads("test")]
    assert told == [True] * 8 + [False]


@pytest.mark.mysql
def test_only_captured_tables_are_told_where_no_others_are_wanted(table):
    only = {"schema_history_internal_store_only_captured_tables_ddl": True}
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", **only)
    assert ["hidden" in record["ddl"] for record in read.history] == [False, False, False]
    read_on(settings, read)
    assert len(read.payloads("test")) == 6
    table.sql("ALTER TABLE hidden ADD COLUMN m INT", DATABASE)
    assert len(read_on(settings, read).payloads("test")) == 6


@pytest.mark.mysql
def test_ddl_on_a_table_that_is_not_captured_is_told_with_its_structure(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.sql("ALTER TABLE hidden ADD COLUMN m INT", DATABASE)
    (change,) = read_on(settings, read).payloads("test")[-1]["tableChanges"]
    assert [column["name"] for column in change["table"]["columns"]] == ["n", "m"]


@pytest.mark.mysql
def test_a_history_file_of_debezium_is_read(table, tmp_path):
    """Its first records have the offset that it began with, later ones that behind the statement."""
    file = tmp_path / "history.jsonl"
    settings, start = begin(table, table_include_list=f"{DATABASE}.t", **in_file(file))
    place = {key: start.progress.restart[key] for key in ("file", "pos")}
    statements = [
        ("", "SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci"),
        (DATABASE, f"CREATE DATABASE `{DATABASE}` CHARSET utf8mb4 COLLATE utf8mb4_0900_ai_ci"),
        (DATABASE, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10))"),
    ]
    records = [{"source": {"server": "test"}, "position": place, "ts_ms": 0, "databaseName": d, "ddl": ddl, "tableChanges": []} for d, ddl in statements]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    play(table, 1)
    play(table, 2)
    read = read_on(settings, Read(Progress("", RestartPosition.from_debezium(place).to_dict()), []))
    assert after_images(read) == ROWS[:2]
    assert [record["ddl"] for record in read.history[:3]] == [ddl for _, ddl in statements]
    assert len(file.read_text().splitlines()) == 4


@pytest.mark.mysql
def test_reading_goes_on_by_file_and_offset_where_gtids_are_to_be_ignored(table):
    if not table.gtid:
        pytest.skip("no GTIDs")
    settings, start = begin(table, table_include_list=f"{DATABASE}.t", gtid_ignore_on_recovery=True)
    play(table, 1)
    odd = {**start.progress.restart, "gtids": "11111111-2222-3333-4444-555555555555:1-9"}
    assert after_images(read_on(settings, Read(Progress("", odd), start.history))) == ROWS[:1]
