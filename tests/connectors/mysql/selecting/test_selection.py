"""Selections on real servers: blocks, parameters, errors, and what becomes of the connection."""

import hashlib
import json
import threading
import time

import pytest
from same_rows import Database, rows_of

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.selecting import Selection, plan_selection
from tailrace.connectors.mysql.selecting.transcoding import LONGEST
from tailrace.errors import RetriableError, SourceSetupError, StructureError, UnsupportedError
from tailrace.schema.tables import Column, Table, TableId
from tailrace.snapshot.key_bytes import key_bytes

pytestmark = pytest.mark.mysql
NUMBERED = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(300));"
TEN_THOUSAND = (
    "SET cte_max_recursion_depth = 100000; INSERT INTO t WITH RECURSIVE n (i) AS "
    "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i, REPEAT('x', i % 300) FROM n;"
)


@pytest.fixture
def own(mysql_server, database):
    return Database(mysql_server, database)


@pytest.fixture
def session(mysql_server):
    connection = mysql.connect(settings_for(mysql_server))
    yield connection
    connection._force_close()


def plans_of(own, table="t", **options):
    return plan_selection(own.structure(table), settings_for(own.server), **options)


def select(own, session, plans, rest="", parameters=(), **options):
    sql = f"SELECT {plans.select_list} FROM `{own.name}`.`{plans.table.id.name}` {rest}"
    return Selection(session, sql, parameters, plans, **options)


def all_rows(selection):
    return [row for block in selection.images() for row in rows_of(block.images)]


@pytest.fixture
def numbered(own):
    own.run(NUMBERED + TEN_THOUSAND)
    return own


def test_all_rows_come_in_order_in_blocks_of_the_limit(numbered, session):
    selection = select(numbered, session, plans_of(numbered, key=[0]), "ORDER BY id", limit=1000)
    blocks = [(len(block), rows_of(block.images), key_bytes(block.keys)) for block in selection.images()]
    assert [size for size, _, _ in blocks] == [1000] * 10
    rows = [row for _, found, _ in blocks for row in found]
    assert rows == [(i, "x" * (i % 300)) for i in range(1, 10_001)]
    assert blocks[3][2][7] == b"\x08\0\0\0" + (3008).to_bytes(8, "little")


def test_a_blocks_values_stay_when_the_next_block_comes(numbered, session):
    selection = select(numbered, session, plans_of(numbered), "ORDER BY id", limit=500)
    kept = [block.images for block in selection.images()]
    assert [row for images in kept for row in rows_of(images)] == [(i, "x" * (i % 300)) for i in range(1, 10_001)]


def test_rows_look_like_inserts(numbered, session):
    (block,) = select(numbered, session, plans_of(numbered), "WHERE id <= 3").images()
    assert block.images.op.tobytes() == b"ccc"
    assert block.images.before.tolist() == [-1, -1, -1]
    assert block.images.after.tolist() == [0, 1, 2]
    assert not block.images.partial


def test_the_connection_serves_other_statements_afterwards(numbered, session):
    for _ in range(3):
        assert len(all_rows(select(numbered, session, plans_of(numbered), "LIMIT 5"))) == 5
        assert mysql.rows(session, "SELECT 'é', @@character_set_results") == [("é", "utf8mb4")]
    assert mysql.rows(session, "SHOW SESSION STATUS LIKE 'Prepared_stmt_count'")[0][1] == "0"


def test_no_rows_are_no_blocks(numbered, session):
    assert all_rows(select(numbered, session, plans_of(numbered), "WHERE id < 0")) == []
    assert mysql.rows(session, "SELECT 1") == [(1,)]


@pytest.mark.parametrize(
    ("condition", "parameters", "expected"),
    [
        ("id = ?", [7], [7]),
        ("id = ? OR id = ?", [None, 9], [9]),
        ("id > ? AND id < ?", [-1, 3], [1, 2]),
        ("? = 18446744073709551615 AND id = 4", [2**64 - 1], [4]),
        ("v = ? AND id < 300", ["x" * 12], [12]),
        ("v = ? AND id < 300", [b"x" * 251], [251]),
        ("LENGTH(?) = 100000 AND id = 5", [b"z" * 100_000], [5]),
        ("LENGTH(?) = 17000000 AND id = 5", [b"z" * 17_000_000], [5]),
        ("CHAR_LENGTH(?) = 2 AND id = 6", ["é😀"], [6]),
        ("id < ?", [2.5], [1, 2]),
    ],
)
def test_parameters_are_bound(numbered, session, condition, parameters, expected):
    selection = select(numbered, session, plans_of(numbered), f"WHERE {condition} ORDER BY id", parameters)
    assert [row[0] for row in all_rows(selection)] == expected


def test_columns_that_are_not_wanted_are_not_selected_but_for_the_key(own, session):
    own.run(
        "CREATE TABLE t (a BLOB, id INT, b INT, c VARCHAR(9), PRIMARY KEY (id, c)); INSERT INTO t VALUES ('a', 1, 2, 'c')"
    )
    plans = plans_of(own, wanted=[2, 3], key=[1, 3])
    assert plans.select_list == "`id`, `b`, `c`"
    (block,) = select(own, session, plans).images()
    assert [v and v.to_arrow().to_pylist() for v in block.images.vectors] == [None, None, [2], ["c"]]
    assert key_bytes(block.keys)[0] == b"\x08\0\0\0\x01" + bytes(7) + b"\x01\0\0\0c"


@pytest.mark.parametrize("size", [LONGEST - 8, LONGEST - 7, LONGEST - 6, LONGEST - 5, LONGEST, 2 * LONGEST, 40 << 20])
def test_a_row_of_more_than_a_packet(own, session, size):
    """The row's packets hold 6 bytes more than its one value, or 11 above 16 MB."""
    own.run("SET SESSION sql_log_bin = 0; CREATE TABLE t (b LONGBLOB); INSERT INTO t VALUES ('before')")
    own.run(
        f"SET SESSION sql_log_bin = 0; INSERT INTO t VALUES (CONCAT(REPEAT('0123456789a', {size // 11}), REPEAT('z', {size % 11})))"
    )
    own.run("SET SESSION sql_log_bin = 0; INSERT INTO t VALUES (NULL), ('after')")
    digest = own.server.sql("SELECT SHA2(b, 256) FROM t WHERE LENGTH(b) > 9", own.name)[0][0]
    found = [value for (value,) in all_rows(select(own, session, plans_of(own)))]
    assert [found[0], *found[2:]] == [b"before", None, b"after"]
    assert len(found[1]) == size
    assert hashlib.sha256(found[1]).hexdigest() == digest
    assert mysql.rows(session, "SELECT 1") == [(1,)]


def test_many_rows_of_twenty_megabytes_are_blocks_of_their_own(own, session):
    own.run("CREATE TABLE t (id INT PRIMARY KEY, b LONGBLOB)")
    for number in range(3):
        own.run(f"SET SESSION sql_log_bin = 0; INSERT INTO t VALUES ({number}, REPEAT('{number}', {20 << 20}))")
    sizes = []
    for block in select(own, session, plans_of(own, key=[0]), "ORDER BY id").images():
        for number, value in rows_of(block.images):
            assert value == str(number).encode() * (20 << 20)
        sizes.append(len(block))
    assert sizes == [1, 1, 1]


def test_json_is_the_servers_text(own, session):
    own.run("CREATE TABLE t (j JSON)")
    own.run("""INSERT INTO t VALUES ('{"b": [1, 2.50], "a": "é😀"}'), (NULL), (JSON_ARRAY(CAST('12:34:56' AS TIME)))""")
    texts = [text for (text,) in own.server.sql("SELECT j FROM t", own.name)]
    assert [text for (text,) in all_rows(select(own, session, plans_of(own)))] == texts
    assert json.loads(texts[0]) == {"a": "é😀", "b": [1, 2.5]}


@pytest.mark.parametrize("mode", ["disabled", "required"])
def test_with_and_without_tls(numbered, mode):
    with mysql.connect(settings_for(numbered.server, database_ssl_mode=mode)) as session:
        assert mysql.is_encrypted(session) == (mode == "required")
        assert len(all_rows(select(numbered, session, plans_of(numbered)))) == 10_000


def test_a_table_that_is_gone_is_told_and_the_connection_stays(numbered, session):
    plans = plans_of(numbered)
    numbered.run("DROP TABLE t")
    with pytest.raises(SourceSetupError, match="doesn't exist") as caught:
        select(numbered, session, plans)
    assert caught.value.__cause__.args[0] == 1146
    assert mysql.rows(session, "SELECT @@character_set_results") == [("utf8mb4",)]


def test_an_error_among_the_rows_is_told_and_the_connection_stays(numbered, session):
    numbered.run("INSERT INTO t VALUES (20000, 'not a date')")
    condition = "WHERE id < 20000 OR IF(id < 20000, 1, (SELECT 1 UNION SELECT 2))"
    with pytest.raises(SourceSetupError, match="more than 1 row"):
        all_rows(select(numbered, session, plans_of(numbered), condition))
    assert mysql.rows(session, "SELECT 1") == [(1,)]


def test_closing_midway_closes_the_connection(numbered, session):
    with select(numbered, session, plans_of(numbered), limit=10) as selection:
        assert len(next(selection.images())) == 10
    assert not session.open
    with pytest.raises(RetriableError):
        mysql.rows(session, "SELECT 1")


def test_a_generator_that_is_dropped_closes_the_connection(numbered, session):
    blocks = select(numbered, session, plans_of(numbered), limit=10).images()
    next(blocks)
    blocks.close()
    assert not session.open


def test_a_killed_connection_is_worth_another_attempt(numbered, session):
    number = session.thread_id()
    killer = threading.Timer(0.5, lambda: numbered.server.sql(f"KILL {number}"))
    killer.start()
    with pytest.raises(RetriableError):
        all_rows(select(numbered, session, plans_of(numbered), "WHERE SLEEP(0.01) = 0"))
    killer.join()
    with pytest.raises(RetriableError):
        select(numbered, session, plans_of(numbered))


def test_a_silent_server_is_given_up_after_the_query_timeout(numbered):
    with mysql.connect(settings_for(numbered.server, database_query_timeout_ms=300)) as session:
        began = time.monotonic()
        with pytest.raises(RetriableError, match="timed out"):
            all_rows(select(numbered, session, plans_of(numbered), "WHERE id = 1 AND SLEEP(3) = 0"))
        assert time.monotonic() - began < 3
        assert not session.open


@pytest.mark.parametrize(
    "change",
    [
        "MODIFY v INT", "MODIFY v TEXT CHARACTER SET binary", "MODIFY n BIGINT", "MODIFY n INT UNSIGNED", "MODIFY d DECIMAL(7,2)",
        "MODIFY d DECIMAL(5,1)", "MODIFY m DATETIME(3)", "MODIFY m TIMESTAMP(2) NULL", "MODIFY b BIT(9)", "MODIFY j TEXT",
        "MODIFY e VARCHAR(5)", "MODIFY f DOUBLE", "MODIFY y SMALLINT",
    ],
)  # fmt: skip
def test_a_structure_that_is_not_the_tables_is_refused(own, session, change):
    own.run(
        "CREATE TABLE t (v VARCHAR(5), n INT, d DECIMAL(5,2), m DATETIME(2), b BIT(8), j JSON, e ENUM('1'), f FLOAT, y YEAR)"
    )
    plans = plans_of(own)
    assert all_rows(select(own, session, plans)) == []
    own.run(f"ALTER TABLE t {change}")
    if change == "MODIFY e VARCHAR(5)":  # its number can be asked for all the same
        assert all_rows(select(own, session, plans)) == []
        return
    with pytest.raises(StructureError, match=r"the column \w of \w+\.t is \w+"):
        select(own, session, plans)
    assert mysql.rows(session, "SELECT 1") == [(1,)]


def test_a_label_that_is_not_known_yet_is_refused(own, session):
    own.run("CREATE TABLE t (e ENUM('a'))")
    plans = plans_of(own)
    own.run("ALTER TABLE t MODIFY e ENUM('a', 'b'); INSERT INTO t VALUES ('b')")
    with pytest.raises(StructureError, match=r"\.t: a selected row does not fit"):
        all_rows(select(own, session, plans))


def test_the_servers_word_for_a_character_set_counts(own, session):
    own.run("CREATE TABLE t (v VARCHAR(5)) CHARACTER SET latin1; INSERT INTO t VALUES ('é')")
    plans = plans_of(own)
    own.run("ALTER TABLE t MODIFY v VARCHAR(5) CHARACTER SET utf8mb4")
    assert all_rows(select(own, session, plans)) == [("é",)]


def test_the_limit_of_a_statement_is_the_callers(numbered, session):
    plans = plans_of(numbered)
    with pytest.raises(ValueError, match="takes 1 parameters, and 0 are given"):
        select(numbered, session, plans, "WHERE id = ?")


def test_a_type_that_is_not_known_names_table_and_column(mysql_server):
    table = Table(TableId("d", "", "t"), (Column("id", "INT", "INT", 4), Column("odd", "WIDGET", "WIDGET", 1111)))
    with pytest.raises(UnsupportedError, match=r"d\.t: the type WIDGET of column odd"):
        plan_selection(table, settings_for(mysql_server))


def test_a_json_column_is_no_key(own):
    own.run("CREATE TABLE t (j JSON)")
    with pytest.raises(UnsupportedError, match=r"the column j of \w+\.t: "):
        plans_of(own, key=[0])
