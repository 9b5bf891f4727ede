"""Identity, computed columns, defaults of each type."""

import uuid
from decimal import Decimal

import pytest
from tests.standins.sqlserver.engine.client import INT, Client

from tailrace_standins.sqlserver.values import Value, Variant

DEFAULTS: list[tuple[str, str, Value]] = [
    ("bit", "1", 1),
    ("tinyint", "255", 255),
    ("smallint", "-32768", -32768),
    ("int", "(2147483647)", 2147483647),
    ("bigint", "-9223372036854775808", -(2**63)),
    ("decimal(9, 3)", "-12.5", Decimal("-12.500")),
    ("numeric(38, 0)", "12345678901234567890123456789012345678", Decimal(12345678901234567890123456789012345678)),
    ("money", "$12.3456", Decimal("12.3456")),
    ("smallmoney", "-1.5", Decimal("-1.5000")),
    ("real", "1.5", 1.5),
    ("float", "1e-3", 0.001),
    ("char(5)", "'ab'", "ab   "),
    ("varchar(10)", "'x''y'", "x'y"),
    ("varchar(max)", "REPLICATE('a', 10)", "aaaaaaaaaa"),
    ("text", "'t'", "t"),
    ("nchar(3)", "N'ž'", "ž  "),
    ("nvarchar(10)", "N'žluť'", "žluť"),
    ("nvarchar(max)", "N'x'", "x"),
    ("ntext", "N'x'", "x"),
    ("xml", "'<a/>'", "<a/>"),
    ("sysname", "N'n'", "n"),
    ("binary(4)", "0x01", b"\x01\x00\x00\x00"),
    ("varbinary(4)", "0x0102", b"\x01\x02"),
    ("varbinary(max)", "0x", b""),
    ("image", "0x01", b"\x01"),
    ("uniqueidentifier", "'12345678-9ABC-DEF0-1234-56789ABCDEF0'", uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")),
    ("date", "'2024-02-29'", "2024-02-29"),
    ("time(3)", "'12:34:56.7891'", "12:34:56.789"),
    ("smalldatetime", "'2024-02-29 12:34:31'", "2024-02-29 12:35:00"),
    ("datetime", "'2024-02-29T12:34:56.788'", "2024-02-29 12:34:56.787"),
    ("datetime2(0)", "'2024-02-29 12:34:56.5'", "2024-02-29 12:34:57"),
    ("datetimeoffset(2)", "'2024-02-29 12:34:56.78 +02:00'", "2024-02-29 12:34:56.78 +02:00"),
    ("sql_variant", "5", Variant(INT, 5)),
]


@pytest.mark.parametrize(("declared", "default", "value"), DEFAULTS, ids=[row[0] for row in DEFAULTS])
def test_a_default_comes_into_new_rows_and_old_ones_of_each_type(
    a: Client, declared: str, default: str, value: Value
) -> None:
    a.run(
        f"CREATE TABLE t (id int, v {declared} DEFAULT {default}); INSERT t DEFAULT VALUES; INSERT t VALUES (1, DEFAULT)"
    )
    assert a.rows("SELECT v FROM t") == [(value,), (value,)]
    a.run(f"ALTER TABLE t ADD w {declared} NOT NULL DEFAULT {default}")
    assert a.rows("SELECT w FROM t") == [(value,), (value,)]


@pytest.mark.parametrize(("of", "limit"), [("money", "922337203685477.580"), ("smallmoney", "214748.364")])
def test_money_has_its_own_limits(a: Client, of: str, limit: str) -> None:
    assert a.value(f"SELECT CAST({limit}7 AS {of})") == Decimal(limit + "7")
    assert a.value(f"SELECT CAST(-{limit}8 AS {of})") == -Decimal(limit + "8")
    assert a.error(f"SELECT CAST({limit}8 AS {of})") == 8115
    assert a.error(f"SELECT CAST(-{limit}9 AS {of})") == 8115


def test_identity_goes_up_or_down_by_its_step_and_leaves_gaps(a: Client) -> None:
    a.run("CREATE TABLE t (id int IDENTITY(10, -5), v int UNIQUE)")
    a.run("INSERT t VALUES (1); BEGIN TRAN; INSERT t VALUES (2); ROLLBACK")
    assert a.error("INSERT t VALUES (1)") == 2627
    a.run("INSERT t VALUES (3)")
    assert a.rows("SELECT id FROM t ORDER BY v") == [(10,), (-5,)]
    assert a.rows("SELECT SCOPE_IDENTITY(), @@IDENTITY, IDENT_CURRENT('t'), IDENT_SEED('t'), IDENT_INCR('t')") == [
        (Decimal(-5), Decimal(-5), Decimal(-5), Decimal(10), Decimal(-5))
    ]


def test_identity_begins_anew_after_truncate_and_not_after_delete(a: Client) -> None:
    a.run("CREATE TABLE t (id int IDENTITY, v int); INSERT t VALUES (1), (2); DELETE t; INSERT t VALUES (3)")
    assert a.rows("SELECT id FROM t") == [(3,)]
    a.run("TRUNCATE TABLE t; INSERT t VALUES (4)")
    assert a.rows("SELECT id FROM t") == [(1,)]


def test_identity_insert_takes_values_and_goes_on_behind_the_highest(a: Client) -> None:
    a.run("CREATE TABLE t (id int IDENTITY, v int); CREATE TABLE u (id int IDENTITY)")
    assert a.error("INSERT t (id, v) VALUES (7, 1)") == 544
    a.run("SET IDENTITY_INSERT t ON; INSERT t (id, v) VALUES (7, 1), (3, 2)")
    assert a.error("INSERT t (v) VALUES (1)") == 545
    assert a.error("SET IDENTITY_INSERT u ON") == 8107
    a.run("SET IDENTITY_INSERT t OFF; INSERT t (v) VALUES (3)")
    assert a.rows("SELECT id FROM t ORDER BY id") == [(3,), (7,), (8,)]


def test_an_identity_that_is_used_up_is_an_overflow(a: Client) -> None:
    a.run("CREATE TABLE t (id tinyint IDENTITY(255, 1), v int); INSERT t VALUES (1)")
    assert a.error("INSERT t VALUES (2)") == 8115


def test_an_identity_of_decimals_counts_too(a: Client) -> None:
    a.run("CREATE TABLE t (id decimal(20, 0) IDENTITY(5, 2), v int); INSERT t VALUES (1), (2)")
    assert a.rows("SELECT id FROM t") == [(Decimal(5),), (Decimal(7),)]


def test_a_computed_column_follows_its_row_and_has_its_type(a: Client) -> None:
    a.run("CREATE TABLE t (a int, b nvarchar(5), c AS a * 2 PERSISTED, d AS b + N'!' , e AS ISNULL(a, 0))")
    a.run("INSERT t (a, b) VALUES (4, N'x'), (NULL, N'y')")
    assert a.rows("SELECT * FROM t ORDER BY c") == [(None, "y", None, "y!", 0), (4, "x", 8, "x!", 4)]
    assert [(of.name, of.length) for of in a.types("SELECT c, d FROM t")] == [("int", 0), ("nvarchar", 6)]
    a.run("UPDATE t SET a = 5 WHERE c = 8")
    assert a.rows("SELECT c FROM t WHERE d = N'x!'") == [(10,)]
    assert a.rows("SELECT name, is_computed FROM sys.columns WHERE is_computed = 1 ORDER BY column_id") == [
        ("c", 1),
        ("d", 1),
        ("e", 1),
    ]
    assert a.rows("DELETE t OUTPUT deleted.c WHERE a = 5") == [(10,)]


def test_a_computed_column_may_be_null_whatever_its_columns_are(a: Client) -> None:
    a.run(
        "CREATE TABLE t (m money NOT NULL, s smallmoney NULL, difference AS m - ISNULL(s, 0), same AS m, plus AS m + 1, "
        "inner_one AS ISNULL(s, 0) + 0, by_column AS ISNULL(s, m), kept AS m * 2 PERSISTED)"
    )
    found = a.rows("SELECT name, is_nullable FROM sys.columns WHERE is_computed = 1 ORDER BY column_id")
    names = ("difference", "same", "plus", "inner_one", "by_column", "kept")
    assert found == [(name, 1) for name in names]
    assert a.rows("SELECT COLUMNPROPERTY(OBJECT_ID('t'), 'difference', 'AllowsNull')") == [(1,)]


def test_isnull_around_all_of_it_and_not_null_of_a_persisted_one_make_it_hold_a_value(a: Client) -> None:
    a.run(
        "CREATE TABLE t (s smallmoney NULL, n int NULL, whole AS ISNULL(s * 2, 0), negative AS (ISNULL(s, -1)), "
        "none AS ISNULL(s, NULL), kept AS n + 1 PERSISTED NOT NULL)"
    )
    found = dict(a.rows("SELECT name, is_nullable FROM sys.columns WHERE is_computed = 1"))
    assert found == {"whole": 0, "negative": 0, "none": 1, "kept": 0}
    a.run("INSERT t (s, n) VALUES (NULL, 1)")
    assert a.rows("SELECT whole, negative, kept FROM t") == [(Decimal(0), Decimal(-1), 2)]
    assert a.error("INSERT t (s, n) VALUES (1, NULL)") == 515
    assert a.error("UPDATE t SET n = NULL") == 515
    assert a.rows("SELECT kept FROM t") == [(2,)]


def test_what_a_computed_column_needs_stays_as_it_is(a: Client) -> None:
    a.run("CREATE TABLE t (id int, n int, twice AS n * 2)")
    assert a.error("ALTER TABLE t DROP COLUMN n") == 5074
    assert a.error("ALTER TABLE t ALTER COLUMN n bigint") == 5074
    assert a.error("EXEC sp_rename 't.n', 'm', 'COLUMN'") == 15336
    a.run("ALTER TABLE t DROP COLUMN twice; ALTER TABLE t DROP COLUMN n")
    assert a.rows("SELECT name FROM sys.columns") == [("id",)]


def test_a_unique_index_over_a_computed_column_is_refused(a: Client) -> None:
    a.run("CREATE TABLE t (id int, twice AS id * 2)")
    assert a.error("CREATE UNIQUE INDEX i ON t (twice)") == 50900
    assert a.error("CREATE TABLE u (id int, twice AS id * 2 UNIQUE)") == 50900
    a.run("CREATE INDEX i ON t (twice)")


def test_a_rowversion_rises_with_each_change(a: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, v rowversion); INSERT t (id) VALUES (1), (2)")
    (first,), (second,) = a.rows("SELECT v FROM t")
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert (len(first), first < second) == (8, True)
    a.run("UPDATE t SET id = 3 WHERE id = 1")
    assert a.value("SELECT v FROM t WHERE id = 3") == a.value("SELECT MAX(v) FROM t") == a.value("SELECT @@DBTS")
    assert a.error("UPDATE t SET v = 0x01") == 272
