"""What the text of a statement says of the tables that it changes: as MySQL reads it, and nothing where that is not sure."""

import pytest

from tailrace.connectors.mysql.data_statements import read_data_statement
from tailrace.connectors.mysql.structures import SqlMode
from tailrace.schema.tables import TableId

CHANGED = [
    ("INSERT INTO a VALUES (1)", {"d.a"}),
    ("insert low_priority ignore into `a b`.`c``d` (x) VALUES (1)", {"a b.c`d"}),
    ("INSERT a SET x = 1", {"d.a"}),
    ("INSERT INTO`a`(x) VALUES ('INTO b')", {"d.a"}),
    ("INSERT INTO e . a SELECT * FROM captured", {"e.a"}),
    ("/* INTO b */ INSERT /*!50000 INTO */ a VALUES (1)", {"d.a"}),
    ("REPLACE DELAYED INTO percona.checksums (db) SELECT 'x' FROM shop.orders FORCE INDEX (`PRIMARY`)", {"percona.checksums"}),
    ("REPLACE a PARTITION (p0) VALUES (1)", {"d.a"}),
    ("UPDATE a SET x = (SELECT 1 FROM b)", {"d.a"}),
    ("UPDATE LOW_PRIORITY IGNORE e.a PARTITION (p0, p1) AS t SET t.x = 1 WHERE y IN (SELECT z FROM c)", {"e.a"}),
    ("UPDATE a, e.b SET a.x = 1", {"d.a", "e.b"}),
    ("UPDATE a JOIN (e.b LEFT JOIN c USING (x, y)) ON a.f(1, 2) = b.y SET c.x = 1", {"d.a", "e.b", "d.c"}),
    ("UPDATE a USE INDEX (i, j) INNER JOIN (SELECT * FROM z, y) s ON a.x = s.x SET a.x = 1", {"d.a"}),
    ("UPDATE a STRAIGHT_JOIN b SET b.x = 1", {"d.a", "d.b"}),
    ("WITH c AS (SELECT 1 AS x), `e` (y) AS (SELECT 2) UPDATE a JOIN c JOIN e SET a.x = c.x", {"d.a"}),
    ("DELETE FROM a WHERE x IN (SELECT y FROM b)", {"d.a"}),
    ("DELETE QUICK FROM e.a AS t PARTITION (p0) ORDER BY x LIMIT 1", {"e.a"}),
    ("DELETE FROM `a`", {"d.a"}),
    ("DELETE a FROM a JOIN b ON a.x = b.x", {"d.a"}),
    ("DELETE t, s.* FROM e.a AS t JOIN b s JOIN c", {"e.a", "d.b"}),
    ("DELETE FROM t, e.b USING a t, e.b, c", {"d.a", "e.b"}),
    ("DELETE FROM T USING a AS t JOIN c", {"d.a"}),
    ("WITH RECURSIVE c AS (SELECT 1) DELETE FROM a WHERE x IN (SELECT * FROM c)", {"d.a"}),
    ("LOAD DATA LOCAL INFILE 'INTO TABLE b' REPLACE INTO TABLE `e`.`a` FIELDS TERMINATED BY ','", {"e.a"}),
    ("LOAD XML INFILE 'x' INTO TABLE a", {"d.a"}),
]
NOT_TOLD = [
    "SELECT f()",
    "(SELECT d.f())",
    "DO f()",
    "CALL p()",
    "VALUES ROW(f())",
    "TABLE a",
    "IMPORT TABLE FROM 'a.sdi'",
    "UPDATE SET",
    "DELETE a",
    "DELETE FROM a USING",
    "WITH c AS (SELECT 1) SELECT f()",
    "UPDATE a SET x = 'open",
    "",
]


@pytest.mark.parametrize(("sql", "tables"), CHANGED)
def test_the_tables_are_those_that_mysql_would_change(sql, tables):
    assert {str(f"{t.catalog}.{t.name}") for t in read_data_statement(sql, "d").targets} == tables


@pytest.mark.parametrize("sql", NOT_TOLD)
def test_where_the_text_does_not_tell_there_are_no_targets(sql):
    assert read_data_statement(sql, "d").targets is None


def test_names_follow_the_server_and_the_session():
    assert read_data_statement("INSERT INTO E.A VALUES (1)", "D", lower_names=True).targets == (TableId("e", "", "a"),)
    ansi = SqlMode(ansi_quotes=True)
    assert read_data_statement('UPDATE "a b" SET x = 1', "d", ansi).targets == (TableId("d", "", "a b"),)
    plain = SqlMode(no_backslash_escapes=True)
    assert read_data_statement(r"DELETE FROM a WHERE x = '\' AND y = 'z'", "d", plain).targets == (TableId("d", "", "a"),)


def test_calls_are_functions_and_neither_words_nor_texts_nor_lists_of_columns():
    sql = "INSERT INTO e.t (a, b) VALUES (F(1), `x`.`G h` ('k()')), (1, CONCAT(1, 2)) ON DUPLICATE KEY UPDATE a = VALUES (a)"
    assert read_data_statement(sql, "D").calls == {("d", "f"), ("x", "g h"), ("d", "concat")}
    assert read_data_statement("DO f () /* g() */", "d").calls == {("d", "f")}


@pytest.mark.parametrize(
    ("sql", "changes"),
    [
        ("INSERT INTO a VALUES (1)", False),
        ("INSERT INTO a VALUES (1) ON DUPLICATE KEY UPDATE x = 2", True),
        ("REPLACE INTO a VALUES (1)", True),
        ("LOAD DATA INFILE 'x' REPLACE INTO TABLE a", True),
        ("LOAD DATA INFILE 'replace' INTO TABLE a", False),
        ("UPDATE a SET x = 1", True),
        ("DELETE FROM a", True),
    ],
)
def test_foreign_keys_cascade_where_rows_go_or_get_other_keys(sql, changes):
    assert read_data_statement(sql, "d").changes_keys is changes


def test_the_verb_is_the_first_word_without_comments_and_brackets():
    assert read_data_statement("/* x */ ( select f())", "d").verb == "SELECT"
    assert read_data_statement("WITH c AS (SELECT 1) UPDATE a SET x = 1", "d").verb == "UPDATE"


