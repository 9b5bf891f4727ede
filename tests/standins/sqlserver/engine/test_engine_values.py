import random
from decimal import Decimal
from uuid import UUID

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.stored import exact, packed
from tailrace_standins.sqlserver.values import SqlType, Value, Variant

_EVERYTHING = [
    ("bit", 1),
    ("tinyint", 255),
    ("smallint", -32768),
    ("int", -(2**31)),
    ("bigint", 2**63 - 1),
    ("real", 1.5),
    ("float", -1e300),
    ("decimal(38,10)", Decimal("-1234567890123456789012345678.0123456789")),
    ("numeric(5,2)", Decimal("1.50")),
    ("money", Decimal("-922337203685477.5808")),
    ("smallmoney", Decimal("1.2345")),
    ("varchar(9)", "a'b"),
    ("char(4)", "ab  "),
    ("nvarchar(max)", "žluť 😀" * 2000),
    ("nchar(3)", "ž  "),
    ("text", "t"),
    ("ntext", "ž"),
    ("xml", "<a>ž</a>"),
    ("varbinary(9)", b"\x00\xff"),
    ("binary(4)", b"\x01\x00\x00\x00"),
    ("image", b"\x00" * 9000),
    ("uniqueidentifier", UUID("12345678-1234-5678-1234-567812345678")),
    ("date", "2024-02-29"),
    ("time(7)", "23:59:59.9999999"),
    ("time(0)", "23:59:59"),
    ("smalldatetime", "2024-02-29 12:34:00"),
    ("datetime", "2024-02-29 12:34:56.997"),
    ("datetime2(7)", "0001-01-01 00:00:00.0000001"),
    ("datetime2(0)", "9999-12-31 23:59:59"),
    ("datetimeoffset(7)", "2024-02-29 12:34:56.1234567 -05:30"),
    ("sql_variant", Variant(SqlType("int"), 7)),
]


@pytest.mark.parametrize(("declared", "value"), _EVERYTHING, ids=[name for name, _ in _EVERYTHING])
def test_a_value_comes_back_as_it_went_in(a: Client, declared: str, value: Value) -> None:
    a.run(f"CREATE TABLE t (v {declared})")
    of = a.session.current.by_id[next(iter(a.session.current.by_id))].columns[0].type
    a.run("INSERT INTO t VALUES (@v), (NULL)", v=(of, value))
    assert a.rows("SELECT v FROM t ORDER BY CASE WHEN v IS NULL THEN 2 ELSE 1 END") == [(value,), (None,)]
    assert a.types("SELECT v FROM t") == [of]


def test_packed_decimals_sort_as_numbers() -> None:
    seed = random.randrange(10**6)
    dice = random.Random(seed)
    numbers = [Decimal(dice.randint(-(10**9), 10**9)).scaleb(-dice.randint(0, 9)) for _ in range(2000)]
    numbers += [Decimal(0), Decimal("0.05"), Decimal("-0.05"), Decimal(10**37), -Decimal(10**37)]
    assert [exact(text) for text in sorted(map(packed, numbers))] == sorted(numbers), f"seed {seed}"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("'a' = 'A  '", True),
        ("N'é' = N'e'", False),
        ("N'é' < N'f'", True),
        ("'a' = 'A' COLLATE Latin1_General_BIN2", False),
        ("CAST('2024-01-01T10:00:00+02:00' AS datetimeoffset) = CAST('2024-01-01T08:00:00Z' AS datetimeoffset)", True),
        ("CAST('2024-01-01 00:00:00' AS datetime) = CAST('2024-01-01' AS date)", True),
        ("CAST(1.50 AS decimal(9,2)) = CAST(1.5 AS decimal(38,20))", True),
        ("9 < 10.5", True),
        (
            "CAST('0000000a-0000-0000-0000-000000000001' AS uniqueidentifier) < CAST('00000001-0000-0000-0000-000000000002' AS uniqueidentifier)",
            True,
        ),
        ("'10' = 10", True),
        ("'abc' LIKE 'A[b-c]_'", True),
        ("'a%c' LIKE 'a!%c' ESCAPE '!'", True),
        ("NULL = NULL", False),
        ("CAST(0x01 AS binary(10)) = 0x01 AND CAST(0x00 AS varbinary(10)) = 0x0000", True),
        ("CAST(0x0100 AS varbinary(10)) <> 0x00", True),
        ("5 BETWEEN 1 AND 5 AND 3 IN (1, 2, 3.0)", True),
    ],
)
def test_values_compare_as_in_sql_server(a: Client, condition: str, holds: bool) -> None:
    assert a.value(f"SELECT CASE WHEN {condition} THEN 1 ELSE 0 END") == int(holds)


@pytest.mark.parametrize(
    ("expression", "value", "type_name"),
    [
        ("7 / 2", 3, "int"),
        ("-7 % 3", -1, "int"),
        ("1 + CAST(2 AS bigint)", 3, "bigint"),
        ("1.5 * 2", Decimal("3.0"), "decimal"),
        ("CAST(1 AS decimal(5,2)) / 3", Decimal("0.3333333333333"), "decimal"),
        ("$1.5 + 1", Decimal("2.5000"), "money"),
        ("1e0 / 4", 0.25, "float"),
        ("'a' + N'b'", "ab", "nvarchar"),
        ("'a\\\nb\\\r\nc\\ \n'", "abc\\ \n", "varchar"),
        ("N'a\\' + N'\nb'", "a\\\nb", "nvarchar"),
        ("0x0a\\\nff", b"\x0a\xff", "varbinary"),
        ("CAST('2024-01-01 00:00:00.004' AS datetime)", "2024-01-01 00:00:00.003", "datetime"),
        ("CAST('23:59:59.99999999' AS time(7))", "00:00:00.0000000", "time"),
        ("CONVERT(varchar(30), CAST('2024-02-29 12:34:56' AS datetime), 100)", "Feb 29 2024 12:34PM", "varchar"),
        ("CONVERT(char(8), CAST('2024-02-29' AS date), 112)", "20240229", "char"),
        ("CONVERT(varbinary(9), '0x0aff', 1)", b"\x0a\xff", "varbinary"),
        ("CONVERT(varchar(9), 0x0aff, 2)", "0AFF", "varchar"),
        ("CAST(256 AS varbinary(4))", b"\x00\x00\x01\x00", "varbinary"),
        ("TRY_CAST('x' AS int)", None, "int"),
        ("PARSE('2024-02-29' AS datetime2)", "2024-02-29 00:00:00.0000000", "datetime2"),
        ("ISNULL(CAST(NULL AS varchar(3)), 'abcdef')", "abc", "varchar"),
        ("COALESCE(NULL, 1, 2.5)", Decimal("1.0"), "numeric"),
        ("LEN('ab  ')", 2, "int"),
        ("DATALENGTH(N'ab ')", 6, "int"),
        ("SUBSTRING('abcdef', 2, 3)", "bcd", "varchar"),
        ("CHARINDEX('C', 'abc')", 3, "int"),
        ("HASHBYTES('MD5', 'a')", bytes.fromhex("0cc175b9c0f1b6a831c399e269772661"), "varbinary"),
        ("DATEADD(month, 1, CAST('2024-01-31' AS date))", "2024-02-29", "date"),
        ("DATEDIFF(day, '2024-02-28', '2024-03-01')", 2, "int"),
        ("DATEPART(TZOFFSET, CAST('2024-01-01T00:00:00+02:00' AS datetimeoffset))", 120, "int"),
        ("DATENAME(weekday, '2024-02-29')", "Thursday", "nvarchar"),
        (
            "TODATETIMEOFFSET(CAST('2024-01-01 10:00:00' AS datetime2(0)), 60)",
            "2024-01-01 10:00:00 +01:00",
            "datetimeoffset",
        ),
        (
            "SWITCHOFFSET(CAST('2024-01-01T10:00:00+02:00' AS datetimeoffset(0)), '+00:00')",
            "2024-01-01 08:00:00 +00:00",
            "datetimeoffset",
        ),
        ("FORMAT(1234.5, 'N1')", "1,234.5", "nvarchar"),
        ("ROUND(2.555, 2)", Decimal("2.560"), "numeric"),
        ("(SELECT MAX(x) FROM (VALUES (1), (3)) v(x))", 3, "int"),
        ("CONCAT('a', NULL, 1)", "a1", "varchar"),
    ],
)
def test_an_expression_has_sql_servers_value_and_type(a: Client, expression: str, value: Value, type_name: str) -> None:
    assert a.value(f"SELECT {expression}") == value
    assert a.types(f"SELECT {expression}")[0].name == type_name


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("1 / 0", 8134),
        ("2147483647 + 1", 8115),
        ("CAST('a' AS int)", 245),
        ("CAST('x' AS decimal(5,2))", 8114),
        ("CAST(1000 AS decimal(4,2))", 8115),
        ("CAST('nodate' AS date)", 241),
        ("CAST('x' AS uniqueidentifier)", 8169),
        ("CAST(GETDATE() AS uniqueidentifier)", 529),
        ("nosuch(1)", 195),
        ("LEN()", 174),
        ("@nope", 137),
        ("nope", 207),
        ("a.b", 4104),
        ("(SELECT 1 UNION ALL SELECT 2)", 512),
        ("(SELECT 1, 2)", 116),
        ("CHECKSUM(1)", 50900),
    ],
)
def test_an_expression_that_fails_has_sql_servers_number(a: Client, expression: str, number: int) -> None:
    assert a.error(f"SELECT {expression}") == number


def test_texts_sort_without_case_and_with_signs_first(a: Client) -> None:
    a.run("CREATE TABLE t (v varchar(9)); INSERT INTO t VALUES ('b'), ('A'), ('_x'), ('1'), ('B'), ('a')")
    assert [str(v).lower() for (v,) in a.rows("SELECT v FROM t ORDER BY v")] == ["_x", "1", "a", "a", "b", "b"]
    assert a.value("SELECT COUNT(DISTINCT v) FROM t") == 4
    assert len(a.rows("SELECT v FROM t GROUP BY v")) == 4


@pytest.mark.parametrize("digits", ["9" * 38, "9" * 29 + "." + "8" * 9])
def test_decimals_of_all_digits_keep_them_under_a_minus(a: Client, digits: str) -> None:
    scale = len(digits.partition(".")[2])
    a.run(f"CREATE TABLE wide (d decimal(38, {scale})); INSERT wide VALUES (-{digits}), ({digits})")
    asked = f"SELECT d FROM wide WHERE d IN (-{digits}, {digits}) ORDER BY d"
    assert [str(row[0]) for row in a.rows(asked)] == [f"-{digits}", digits]
    assert [str(row[0]) for row in a.rows("SELECT ABS(d) FROM wide")] == [digits, digits]
    assert [str(row[0]) for row in a.rows("SELECT -d FROM wide ORDER BY d DESC")] == [f"-{digits}", digits]
