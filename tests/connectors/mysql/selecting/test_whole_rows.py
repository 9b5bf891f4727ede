"""A whole row has the same digest whether it is selected or read from the log."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from same_rows import Database

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.selecting import Selection, json_form, plan_selection, raw_row_plans
from tailrace.connectors.mysql.selecting.whole_rows import raw_row_plan
from tailrace.connectors.mysql.snapshots.row_digests import RowDigests
from tailrace.connectors.mysql.types import column_type
from tailrace.errors import UnsupportedError

TYPES = Path(__file__).parents[3] / "differential" / "cases" / "types.sql"


def digests_of_both(database, table, log):
    """How often each digest is there: of the rows as they are selected, and as the log's changes leave them."""
    settings = settings_for(database.server)
    structure = database.structure(table)
    columns = tuple(range(len(structure.columns)))
    digests = RowDigests()
    logged = Counter()
    found = database.logged(table, log)
    if found.places:
        types = [
            column_type(structure.id, column, seen, settings)
            for column, seen in zip(structure.columns, found.table_map.columns, strict=True)
        ]
        images = found.images(raw_row_plans([type_.plan for type_ in types], columns))
        of_images = texts(digests.of_images(structure, columns, images.vectors))
        for places, sign in ((images.before, -1), (images.after, 1)):
            for place in places[places >= 0]:
                logged[of_images[place]] += sign
    selected = Counter()
    plans = plan_selection(structure, settings, wanted=(), key=columns, whole=True)
    sql = f"SELECT {plans.select_list} FROM `{structure.id.catalog}`.`{structure.id.name}`"
    with mysql.connect(settings) as session, Selection(session, sql, (), plans) as selection:
        for block in selection.images():
            selected.update(texts(digests.of_selected(structure, columns, block.keys)))
    return selected, +logged


def texts(digests):
    return [digest.tobytes() for digest in digests]


def assert_same(database, table, log, rows=None):
    selected, logged = digests_of_both(database, table, log)
    assert selected == logged, table
    assert rows is None or selected.total() == rows


@pytest.mark.mysql
def test_rows_of_every_type_with_its_edges(mysql_server):
    name = "whole_types"
    mysql_server.sql(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4")
    database = Database(mysql_server, name)
    mysql_server.sql(re.sub(r"CREATE DATABASE \w+[^;]*;|USE \w+;", "", TYPES.read_text()), name)
    log = database.log()
    for table in database.tables():
        assert_same(database, table, log)
    mysql_server.sql(f"DROP DATABASE {name}")


DOCUMENTS = [
    "NULL", "'null'", "'true'", "'\"\"'", "'[]'", "'{}'", "'0'", "'-1'", "'1.0'", "'1.5e300'", "'123456789012345678'",
    "'18446744073709551615'", "'0.1'", "'1e22'", "'123456789012345680000'", "'2.2250738585072014e-308'",
    "'[1, 2, [3, {\"b\": null, \"aa\": [false]}]]'", "'{\"\\\\u0007\": \"\\\\\\\\ \\\\\" / \\\\n é 😀\"}'",
    "JSON_OBJECT('d', CAST('12.500' AS DECIMAL(20,3)), 'n', CAST('-99999999999999999999.5' AS DECIMAL(30,1)))",
    "JSON_ARRAY(CAST('2024-02-29' AS DATE), CAST('2024-02-29 01:02:03.45' AS DATETIME(6)), CAST('-01:02:03' AS TIME))",
    "JSON_ARRAY(CAST('2024-02-29 01:02:03' AS DATETIME), CAST('23:59:59.5' AS TIME(3)), TIMESTAMP('2024-01-01'))",
    "JSON_ARRAY(CAST(x'00ff10' AS BINARY), b'101', x'ff', CAST('binary' AS BINARY))",
    "JSON_OBJECT('a', REPEAT('x', 70000), 'b', JSON_ARRAY('y', REPEAT('z', 300)))",
    "'\"2024-01-01 00:00:00.000000\"'", "'\"base64:type15:AP8Q\"'",
]  # fmt: skip


@pytest.mark.mysql
def test_rows_with_documents_of_all_kinds(mysql_server, database):
    own = Database(mysql_server, database)
    own.run("CREATE TABLE t (a INT, j JSON, k JSON); CREATE TABLE o (j JSON)")
    values = ", ".join(f"(7, {document}, {document})" for document in DOCUMENTS)
    own.run(f"INSERT INTO t VALUES {values}; INSERT INTO t VALUES {values}; DELETE FROM t LIMIT 5; UPDATE t SET k = NULL LIMIT 9")
    own.run(f"INSERT INTO o VALUES {', '.join(f'({document})' for document in DOCUMENTS)}")
    log = own.log()
    assert_same(own, "t", log, 2 * len(DOCUMENTS) - 5)
    assert_same(own, "o", log, len(DOCUMENTS))


@pytest.mark.mysql
def test_documents_that_were_changed_in_part(mysql_server, database):
    own = Database(mysql_server, database)
    own.run("CREATE TABLE t (a INT, j JSON); SET binlog_row_value_options = PARTIAL_JSON; "
            "INSERT INTO t VALUES (1, '{\"b\": 1, \"long\": \"x\", \"c\": [1, 2]}'), (2, '[1]'); "
            "UPDATE t SET j = JSON_SET(j, '$.b', 2.5, '$.c[1]', 'new', '$.zz', 1) WHERE a = 1; "
            "UPDATE t SET j = JSON_REMOVE(j, '$.long') WHERE a = 1; UPDATE t SET j = JSON_REPLACE(j, '$[0]', 5) WHERE a = 2")  # fmt: skip
    assert_same(own, "t", own.log(), 2)


@pytest.mark.mysql
def test_rows_with_columns_that_are_generated_or_hidden(mysql_server, database):
    own = Database(mysql_server, database)
    own.run(
        "CREATE TABLE t (a INT, s VARCHAR(20) AS (CONCAT('s', a)) STORED, v BIGINT AS (a * 2) VIRTUAL, "
        "h INT INVISIBLE DEFAULT 7, `odd ``name` TINYINT UNSIGNED, j JSON AS (JSON_OBJECT('a', a)) VIRTUAL)"
    )
    own.run("INSERT INTO t (a, h, `odd ``name`) VALUES (1, 2, 4), (1, 2, 4), (NULL, NULL, NULL)")
    own.run("UPDATE t SET a = 5 WHERE a = 1 LIMIT 1; DELETE FROM t WHERE a IS NULL")
    assert_same(own, "t", own.log(), 2)


@pytest.mark.mysql
def test_a_document_of_no_bytes(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)", database)
    mysql_server.sql("ALTER TABLE t ADD COLUMN j JSON NOT NULL", database)
    own = Database(mysql_server, database)
    own.run("UPDATE t SET a = 2")
    assert_same(own, "t", own.log(), 1)


@pytest.mark.mysql
def test_rows_of_other_columns_are_never_equal(mysql_server, database):
    own = Database(mysql_server, database)
    own.run("CREATE TABLE a (x INT, y INT); CREATE TABLE b (x INT, z INT); INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (1, 2)")
    log = own.log()
    first, second = (digests_of_both(own, table, log)[0] for table in "ab")
    assert first.keys().isdisjoint(second.keys())


@pytest.mark.parametrize(
    ("selected", "logged"),
    [
        ('{"a": 1.0, "b": [1e3, "x"]}', '{"b":[1000.0,"x"],"a":1}'),
        ('"01:02:03.000000"', '"01:02:03"'),
        ('"-01:02:03.450000"', '"-01:02:03.45"'),
        ('"base64:type16:AQI="', '"AQI="'),
        ('"\\u0007é"', '"\\u0007\\u00e9"'),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ],
)
def test_a_document_has_one_form(selected, logged):
    assert json_form(selected.encode()) == json_form(logged.encode())


@pytest.mark.parametrize(("one", "other"), [("1", "1.5"), ("null", '"null"'), ("[1,2]", "[2,1]"), ('{"a":1}', '{"a":null}')])
def test_other_documents_have_other_forms(one, other):
    assert json_form(one.encode()) != json_form(other.encode())
    assert json.loads(json_form(one.encode())) == json.loads(one)


def test_only_the_columns_that_count_are_read_from_the_log():
    raw = raw_row_plans([ColumnPlan(Storage.JSON, 4, Out.TEXT), ColumnPlan(Storage.GEOMETRY, 4, Out.POINT)], [1])
    assert raw == [ColumnPlan(Storage.JSON, 4, Out.TEXT, emit=False), ColumnPlan(Storage.STRING, 4, Out.BYTES)]


def test_times_from_before_mysql_5_6_4_can_not_be_compared():
    with pytest.raises(UnsupportedError, match="OLD_DATETIME"):
        raw_row_plan(ColumnPlan(Storage.OLD_DATETIME, 8, Out.MICROS))
