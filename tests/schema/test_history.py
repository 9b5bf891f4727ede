import errno
import fcntl
import json
import random
from dataclasses import replace

import pytest

from support.history_writers import written_in_turns
from support.tables_of_ddl import DATABASE, applied, names, table
from tailrace.connectors.mysql.rebuilt_structures import at_or_before, rebuild
from tailrace.connectors.mysql.statement_events import schema_events
from tailrace.connectors.mysql.structures import Structures
from tailrace.errors import RetriableError, StructureError
from tailrace.schema import history as histories
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import UNKNOWN, HistoryFile, history_record, parse_id, table_of
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import TableId

SOURCE = {"server": "dbz"}
DDL = [
    "CREATE DATABASE shop CHARACTER SET latin1",
    "CREATE TABLE a (id INT UNSIGNED PRIMARY KEY, e ENUM('x','it''s','b\\\\s') DEFAULT 'x', n DECIMAL(10,2) NOT NULL DEFAULT 1.5)",
    "CREATE TABLE b (v VARCHAR(9) DEFAULT '') COMMENT 'told'",
    "ALTER TABLE a ADD t TIMESTAMP(3) NULL DEFAULT CURRENT_TIMESTAMP(3), DROP n",
    "RENAME TABLE a TO tmp, b TO a, tmp TO b",
    "CREATE TABLE c LIKE b",
    "ALTER TABLE c RENAME TO d",
    "CREATE TABLE gone (id INT)",
    "DROP TABLE gone",
    "ALTER DATABASE shop CHARACTER SET koi8r",
    "CREATE TABLE other.x (id INT)",
    "DROP DATABASE other",
    "CREATE TABLE last (v TEXT)",
]


def records_of(statements, structures=None):
    structures = structures if structures is not None else Structures()
    found = []
    for number, ddl in enumerate(statements, 1):
        changes = structures.apply(DATABASE, ddl)
        position = {"ts_sec": number, "file": "mysql-bin.000002", "pos": number * 100, "server_id": 1}
        found += [
            history_record(SOURCE, position, number, event, comments=True)
            for event in schema_events(DATABASE, ddl, changes)
        ]
    return found


def test_structures_are_the_same_after_being_rebuilt_from_their_history():
    structures = Structures()
    records = records_of(DDL, structures)

    rebuilt = rebuild(json.loads(json.dumps(records)), Structures())

    assert dict(rebuilt.tables) == dict(structures.tables)
    assert rebuilt.database_charsets == structures.database_charsets
    assert sorted(i.name for i in rebuilt) == ["a", "b", "d", "last"]


@pytest.mark.parametrize("count", range(len(DDL) + 1))
def test_structures_can_be_rebuilt_at_every_position(count):
    desired = {"file": "mysql-bin.000002", "pos": count * 100}

    rebuilt = rebuild(records_of(DDL), Structures(), wanted=at_or_before(desired))

    expected = Structures()
    records_of(DDL[:count], expected)
    assert dict(rebuilt.tables) == dict(expected.tables)


def test_a_history_of_ddl_alone_is_enough():
    records = [{**record, "tableChanges": []} for record in records_of(DDL[:4])]

    rebuilt = rebuild(records, Structures())

    assert names(rebuilt, "a") == ["id", "e", "t"]


def test_names_in_double_quotes_are_names_in_a_history_of_ddl_alone():
    made = records_of(["CREATE TABLE _t (id INT)"])
    renamed = {**made[0], "ddl": 'RENAME TABLE "_t" TO "t"', "tableChanges": []}

    assert names(rebuild([*made, renamed], Structures()), "t") == ["id"]


def test_the_character_set_of_a_statements_session_is_in_its_position():
    (made,) = records_of(["CREATE DATABASE d"])
    (elsewhere,) = records_of(["CREATE DATABASE e"])
    elsewhere["position"]["character_set_server"] = "koi8r"
    structures = Structures()
    structures.server_charset = "latin1"

    assert rebuild([made, elsewhere], structures).database_charsets == {"d": "latin1", "e": "koi8r"}


def test_records_of_other_sources_do_not_count():
    records = records_of(["CREATE TABLE t (id INT)"])

    assert len(rebuild(records, Structures(), source={"server": "other"})) == 0
    assert len(rebuild(records, Structures(), source=SOURCE)) == 1


@pytest.mark.parametrize(
    ("position", "counts"),
    [
        ({"file": "bin.000002", "pos": 100}, True),
        ({"file": "bin.000002", "pos": 101}, False),
        ({"file": "bin.000001", "pos": 900}, True),
        ({"file": "bin.000010", "pos": 4}, False),
        ({"file": "bin.000002", "pos": 100, "event": 1}, False),
        ({"file": "renamed.000009", "pos": 900}, True),
    ],
)
def test_positions_are_compared_by_file_number_offset_and_event(position, counts):
    assert at_or_before({"file": "bin.000002", "pos": 100})(position) is counts


@pytest.mark.parametrize(
    ("text", "table_id"),
    [
        ('"d"."t"', TableId("d", "", "t")),
        ('"d.d"."t""t"', TableId("d.d", "", 't"t')),
        ('"c"."s"."t"', TableId("c", "s", "t")),
        ("d.t", TableId("d", "", "t")),
        ('"t"', TableId("", "", "t")),
    ],
)
def test_ids_are_read_as_they_are_written(text, table_id):
    assert parse_id(text) == table_id


def test_comments_are_recorded_only_when_asked_for():
    structures = applied()
    ddl = "CREATE TABLE t (id INT COMMENT 'c') COMMENT 'told'"
    [event] = schema_events(DATABASE, ddl, structures.apply(DATABASE, ddl))

    [with_comments] = history_record(SOURCE, {}, 0, event, comments=True)["tableChanges"]
    [without] = history_record(SOURCE, {}, 0, event)["tableChanges"]

    assert (with_comments["comment"], with_comments["table"]["columns"][0]["comment"]) == ("told", "c")
    assert (without["comment"], without["table"]["columns"][0]["comment"]) == (None, None)


def test_a_damaged_record_is_named():
    records = records_of(["CREATE TABLE t (id INT)"])
    del records[0]["tableChanges"][0]["table"]["columns"][0]["typeName"]

    with pytest.raises(StructureError, match=r"record 1 of the schema history is damaged.*typeName"):
        rebuild(records, Structures())


def test_ddl_that_can_not_be_applied_names_its_record():
    records = [{"source": SOURCE, "position": {}, "databaseName": "d", "ddl": "CREATE TABLE t (a NOTHING)"}]

    with pytest.raises(StructureError, match="record 1 of the schema history"):
        rebuild(records, Structures())


def test_old_records_without_newer_fields_are_read():
    document = {
        "defaultCharsetName": "utf8",
        "primaryKeyColumnNames": ["id"],
        "columns": [
            {
                "name": "b",
                "jdbcType": 12,
                "typeName": "VARCHAR",
                "position": 2,
                "optional": True,
                "autoIncremented": False,
                "generated": False,
            },
            {
                "name": "id",
                "jdbcType": 4,
                "typeName": "INT",
                "position": 1,
                "optional": False,
                "autoIncremented": False,
                "generated": False,
            },
        ],
    }

    found = table_of(TableId("d", "", "t"), document)

    assert [c.name for c in found.columns] == ["id", "b"]
    assert found.columns[1].type_expression == "VARCHAR"


def test_what_is_appended_is_loaded_again(tmp_path):
    path = tmp_path / "deep" / "history.jsonl"
    records = records_of(DDL)

    assert HistoryFile(path).append(records) == len(records)

    assert HistoryFile(path).load() == json.loads(json.dumps(records))
    assert len(path.read_bytes().splitlines()) == len(records)


def test_a_missing_file_is_an_empty_history(tmp_path):
    assert HistoryFile(tmp_path / "nothing").load() == []


def test_records_that_are_there_are_not_written_again(tmp_path):
    path = tmp_path / "history.jsonl"
    records = records_of(DDL)
    file = HistoryFile(path)
    file.append(records[:4])

    assert file.append(records[2:]) == len(records) - 4
    assert HistoryFile(path).append(records) == 0

    assert HistoryFile(path).load() == json.loads(json.dumps(records))


def test_what_could_not_be_written_is_written_by_the_next_attempt(tmp_path):
    in_the_way = tmp_path / "folder"
    in_the_way.write_text("a file")
    records, history = records_of(["CREATE TABLE a (id INT)"]), HistoryFile(in_the_way / "h")
    with pytest.raises(OSError, match="folder"):
        history.append(records)
    in_the_way.unlink()
    assert history.append(records) == len(records) == 1
    assert HistoryFile(in_the_way / "h").load() == json.loads(json.dumps(records))


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_last_line_that_was_cut_off_is_passed_over_and_taken_away(tmp_path, cut):
    path = tmp_path / "history.jsonl"
    records = records_of(DDL)
    HistoryFile(path).append(records)
    path.write_bytes(path.read_bytes()[: -cut - 1])

    file = HistoryFile(path)
    assert file.load() == json.loads(json.dumps(records))[:-1]
    assert file.append(records) == 1

    assert HistoryFile(path).load() == json.loads(json.dumps(records))


def test_a_last_line_that_only_lacks_its_end_counts(tmp_path):
    path = tmp_path / "history.jsonl"
    records = records_of(DDL)
    HistoryFile(path).append(records[:3])
    path.write_bytes(path.read_bytes()[:-1])

    file = HistoryFile(path)
    assert len(file.load()) == 3
    file.append(records[3:])

    assert HistoryFile(path).load() == json.loads(json.dumps(records))


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "history.jsonl"
    HistoryFile(path).append(records_of(DDL))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"oops\n", *lines[2:]]))

    with pytest.raises(StructureError, match=r"line 2 of the schema history .*history.jsonl"):
        HistoryFile(path).load()


def test_a_rename_by_alter_leaves_no_table_of_the_old_name_behind():
    rebuilt = rebuild(
        records_of(["CREATE TABLE a (id INT)", "ALTER TABLE a RENAME TO other.b"]), Structures()
    )

    assert [str(i) for i in rebuilt] == ["other.b"]
    assert table(rebuilt, "b", "other").columns[0].name == "id"


@pytest.mark.parametrize(
    "ddl", ["RENAME TABLE t TO _t_del, _t_gho TO t", "ALTER TABLE _t_gho RENAME TO t", "CREATE TABLE t LIKE _t_gho"]
)
def test_a_name_that_came_from_an_unknown_table_is_unknown_after_the_history_is_read_again(ddl):
    rebuilt = rebuild(json.loads(json.dumps(records_of(["CREATE TABLE t (id INT)", ddl]))), Structures())

    assert (TableId(DATABASE, "", "t") in rebuilt, set(rebuilt.unknown)) == (False, {TableId(DATABASE, "", "t")})


def test_a_table_that_is_there_and_not_known_is_a_dropped_one_to_debezium():
    table_id = TableId(DATABASE, "", "t")
    change = TableChange(ChangeType.DROP, DATABASE, "", table_id, is_unknown=True)
    record = history_record(SOURCE, {}, 0, SchemaEvent(DATABASE, "", (change,), "t"))
    dropped = history_record(SOURCE, {}, 0, SchemaEvent(DATABASE, "", (replace(change, is_unknown=False),), "t"))

    [told] = record["tableChanges"]
    assert told == {"type": "DROP", "id": '"shop"."t"', UNKNOWN: True}
    known = records_of(["CREATE TABLE t (id INT)"])
    assert set(rebuild([*known, record], Structures()).unknown) == {table_id}
    assert set(rebuild([*known, dropped], Structures()).unknown) == set()
    assert len(rebuild([*known, dropped], Structures())) == 0


def test_a_statement_with_a_gtid_is_the_same_one_in_another_servers_log(tmp_path):
    def record(**position):
        return {"source": SOURCE, "position": position, "databaseName": "d", "ddl": "DROP TABLE t"}

    first, other = record(file="a.000009", pos=9, gtid="u:5"), record(file="b.000001", pos=4, gtid="u:5")
    again = record(file="b.000001", pos=90, gtid="u:6")
    history = HistoryFile(tmp_path / "history")
    assert [history.append([each]) for each in (first, other, again)] == [1, 0, 1]
    assert HistoryFile(tmp_path / "history").append([other, again]) == 0


def test_a_record_of_an_earlier_version_is_not_written_again(tmp_path):
    old = {"source": SOURCE, "position": {"file": "a.000009", "pos": 9}, "databaseName": "d", "ddl": "DROP TABLE t"}
    HistoryFile(tmp_path / "history").append([old])
    new = {**old, "position": {**old["position"], "gtid": "u:5"}}
    assert HistoryFile(tmp_path / "history").append([new]) == 0


def loaded(path):
    return HistoryFile(path).load()


def as_json(records):
    return json.loads(json.dumps(records))


def test_a_writer_that_stood_still_cuts_nothing_off_and_repeats_nothing(tmp_path):
    path, records = tmp_path / "history", records_of(DDL)
    stood_still = HistoryFile(path)
    stood_still.append(records[:2])
    HistoryFile(path).append(records[2:6])
    assert stood_still.append(records[1:8]) == 2
    assert loaded(path) == as_json(records[:8])
    assert len(path.read_bytes().splitlines()) == 8


def test_a_writer_that_had_only_loaded_knows_what_was_appended_since(tmp_path):
    path, records = tmp_path / "history", records_of(DDL)
    stood_still = HistoryFile(path)
    assert stood_still.load() == []
    HistoryFile(path).append(records[:3])
    assert stood_still.append(records[:3]) == 0
    assert stood_still.append(records) == len(records) - 3
    assert loaded(path) == as_json(records)


@pytest.mark.parametrize("seed", range(20))
def test_writers_that_take_turns_leave_each_record_once_in_the_order_of_the_log(tmp_path, seed):
    path, records, chance = tmp_path / "history", records_of(DDL), random.Random(seed)
    written_in_turns(lambda: HistoryFile(path), records, chance)
    assert loaded(path) == as_json(records)
    assert len(path.read_bytes().splitlines()) == len(records)


def test_a_line_that_another_writer_left_cut_off_is_taken_away(tmp_path):
    path, records = tmp_path / "history", records_of(DDL)
    stood_still = HistoryFile(path)
    stood_still.append(records[:2])
    HistoryFile(path).append(records[2:4])
    path.write_bytes(path.read_bytes()[:-9])
    assert stood_still.append(records[2:6]) == 3
    assert loaded(path) == as_json(records[:6])


def test_a_line_that_took_the_place_of_a_cut_off_one_of_its_length_stays(tmp_path):
    path, other, records = tmp_path / "history", tmp_path / "other", records_of(DDL)
    HistoryFile(path).append(records[:2])
    HistoryFile(other).append(records[2:3])
    path.write_bytes(path.read_bytes() + b"x" * other.stat().st_size)
    size, stood_still = path.stat().st_size, HistoryFile(path)
    stood_still.load()
    HistoryFile(path).append(records[2:3])
    assert path.stat().st_size == size
    stood_still.append(records[3:4])
    assert loaded(path) == as_json(records[:4])


def test_another_file_in_its_place_gets_what_it_lacks(tmp_path):
    path, other, records = tmp_path / "history", tmp_path / "other", records_of(DDL)
    history = HistoryFile(path)
    history.append(records[:3])
    HistoryFile(other).append(records[:1])
    other.replace(path)
    assert history.append(records[:4]) == 3
    assert loaded(path) == as_json(records[:4])


def test_nothing_is_written_while_another_process_has_the_lock(tmp_path, monkeypatch):
    path, records = tmp_path / "history", records_of(DDL)
    HistoryFile(path).append(records[:1])
    monkeypatch.setattr(histories, "LOCK_SECONDS", 0.0)
    with path.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RetriableError, match="has been locked by another process"):
            HistoryFile(path).append(records)
    assert loaded(path) == as_json(records[:1])
    assert HistoryFile(path).append(records) == len(records) - 1


def test_a_file_system_without_locks_will_do(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    path, records = tmp_path / "history", records_of(DDL)
    stood_still = HistoryFile(path)
    stood_still.append(records[:2])
    HistoryFile(path).append(records[2:4])
    stood_still.append(records[4:])
    assert loaded(path) == as_json(records)


def test_of_equal_records_the_first_counts(tmp_path):
    path, records = tmp_path / "history", as_json(records_of(DDL[:4]))
    copies = [*records, {**records[1], "ts_ms": 99}, records[0]]
    path.write_text("".join(json.dumps(record) + "\n" for record in copies))
    assert loaded(path) == records


STATEMENT = {
    "source": SOURCE,
    "position": {"file": "b.000001", "pos": 9, "gtids": "u:1-4"},
    "databaseName": "d",
    "ddl": "ALTER TABLE t ADD c INT",
    "tableChanges": [],
}
TOLD = {**STATEMENT, "ddl": "", "tableChanges": [{"type": "DROP", "id": '"d"."t"'}]}


@pytest.mark.parametrize(
    ("record", "change"),
    [
        (STATEMENT, {"position": {"file": "b.000001", "pos": 10, "gtids": "u:1-4"}}),
        (STATEMENT, {"position": {"file": "b.000001", "pos": 9, "gtids": "u:1-5"}}),
        (STATEMENT, {"ddl": "ALTER TABLE u ADD c INT"}),
        (STATEMENT, {"databaseName": "e"}),
        (STATEMENT, {"source": {"server": "other"}}),
        ({**STATEMENT, "position": {"pos": 9, "gtid": "u:5"}}, {"position": {"pos": 9, "gtid": "u:6"}}),
        ({**STATEMENT, "position": {"pos": 9, "snapshot": True}}, {"ddl": "CREATE TABLE u (id INT)"}),
        (TOLD, {"position": {"file": "b.000001", "pos": 10, "gtids": "u:1-4"}}),
        (TOLD, {"tableChanges": [{"type": "DROP", "id": '"d"."u"'}]}),
        ({**TOLD, "position": {"commit_lsn": "1"}}, {"position": {"commit_lsn": "2"}}),
    ],
)
def test_records_that_differ_all_count(tmp_path, record, change):
    two = [record, {**record, **change}]
    assert HistoryFile(tmp_path / "history").append(two) == 2
    assert loaded(tmp_path / "history") == two


def test_a_structure_that_a_table_map_told_is_the_same_whatever_was_known_to_have_ended(tmp_path):
    again = {**TOLD, "position": {**TOLD["position"], "gtids": "u:1-6"}}
    assert HistoryFile(tmp_path / "history").append([TOLD]) == 1
    assert HistoryFile(tmp_path / "history").append([again]) == 0
