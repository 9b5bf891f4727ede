# ruff: noqa: DTZ001 -- SQL Server's datetimes have no zone
"""A value of every type, the way the engine has it, and what drivers make of it.

`drivers` is what mssql-python gives; `text` what JDBC's getString does, where the test looks at it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from tailrace_standins.sqlserver.values import MAX, SqlType, Value, Variant

UTF8 = "Latin1_General_100_CI_AS_SC_UTF8"
GUID = UUID("12345678-9abc-def0-1234-56789abcdef0")
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))


@dataclass(frozen=True)
class Sample:
    """A type, a value of it, what a Python driver gives for it, and what JDBC gives as text."""

    name: str
    type: SqlType
    value: Value
    python: Any
    java: str


def _sample(name: str, type_: SqlType, value: Value, python: Any = None, java: str | None = None) -> Sample:
    return Sample(name, type_, value, value if python is None else python, str(value) if java is None else java)


LONG = "x" * 9000 + "ž"
SAMPLES = (
    _sample("bit", SqlType("bit"), 1, True),
    _sample("tinyint", SqlType("tinyint"), 255),
    _sample("smallint", SqlType("smallint"), -32768),
    _sample("int", SqlType("int"), -2147483648),
    _sample("bigint", SqlType("bigint"), 2**63 - 1),
    _sample("real", SqlType("real"), 1.5),
    _sample("float", SqlType("float"), 0.1),
    _sample("decimal5", SqlType("decimal", precision=5, scale=2), Decimal("-123.45")),
    _sample("decimal18", SqlType("decimal", precision=18, scale=4), Decimal("-12345678901234.5678")),
    _sample("decimal28", SqlType("decimal", precision=28, scale=0), Decimal(-1234567890123456789012345678)),
    _sample(
        "numeric38", SqlType("numeric", precision=38, scale=10), Decimal("1234567890123456789012345678.0123456789")
    ),
    _sample("money", SqlType("money"), Decimal("-922337203685477.5808")),
    _sample("smallmoney", SqlType("smallmoney"), Decimal("214748.3647")),
    _sample("char", SqlType("char", 5), "ab€  "),
    _sample("varchar", SqlType("varchar", 20), "naïve €"),
    _sample("varchar_utf8", SqlType("varchar", 40, collation=UTF8), "žluť 😀"),
    _sample("varchar_max", SqlType("varchar", MAX), "y" * 10000 + "é"),
    _sample("varchar_max_utf8", SqlType("varchar", MAX, collation=UTF8), LONG),
    _sample("nchar", SqlType("nchar", 4), "žž  "),
    _sample("nvarchar", SqlType("nvarchar", 50), "žluť 😀"),
    _sample("nvarchar_max", SqlType("nvarchar", MAX), LONG),
    _sample("empty_max", SqlType("nvarchar", MAX), "", "", ""),
    _sample("empty", SqlType("nvarchar", 10), "", "", ""),
    _sample("sysname", SqlType("sysname"), "dbo"),
    _sample("text", SqlType("text"), "old é"),
    _sample("ntext", SqlType("ntext"), "old ž"),
    _sample("xml", SqlType("xml"), "<a>ž</a>"),
    _sample("binary", SqlType("binary", 4), b"\x00\x01\xfe\xff", java="0001FEFF"),
    _sample("varbinary", SqlType("varbinary", 10), b"\x00\xff", java="00FF"),
    _sample(
        "varbinary_max", SqlType("varbinary", MAX), bytes(range(256)) * 40, java=(bytes(range(256)) * 40).hex().upper()
    ),
    _sample("image", SqlType("image"), b"\x89PNG", java="89504E47"),
    _sample("rowversion", SqlType("timestamp"), bytes.fromhex("00000000000007d1"), java="00000000000007D1"),
    _sample("guid", SqlType("uniqueidentifier"), GUID, java=str(GUID).upper()),
    _sample("date", SqlType("date"), "2024-02-29", dt.date(2024, 2, 29)),
    _sample("date_first", SqlType("date"), "0001-01-01", dt.date(1, 1, 1)),
    _sample("time0", SqlType("time", scale=0), "23:59:59", dt.time(23, 59, 59), "23:59:59"),
    _sample("time7", SqlType("time", scale=7), "01:02:03.1234567", dt.time(1, 2, 3, 123456), "01:02:03.1234567"),
    _sample("smalldatetime", SqlType("smalldatetime"), "2024-02-29 12:34:00", dt.datetime(2024, 2, 29, 12, 34)),
    _sample("datetime", SqlType("datetime"), "1753-01-01 23:59:59.997", dt.datetime(1753, 1, 1, 23, 59, 59, 997000)),
    _sample(
        "datetime2_3",
        SqlType("datetime2", scale=3),
        "2024-02-29 12:34:56.789",
        dt.datetime(2024, 2, 29, 12, 34, 56, 789000),
    ),
    _sample(
        "datetime2_7",
        SqlType("datetime2", scale=7),
        "9999-12-31 23:59:59.9999999",
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
    ),
    _sample(
        "datetimeoffset7",
        SqlType("datetimeoffset", scale=7),
        "2024-02-29 02:34:56.1234567 +05:30",
        dt.datetime(2024, 2, 29, 2, 34, 56, 123456, EAST),
    ),
    _sample("variant_int", SqlType("sql_variant"), Variant(SqlType("int"), 42), 42, "42"),
    _sample("variant_text", SqlType("sql_variant"), Variant(SqlType("nvarchar", 10), "ž"), "ž", "ž"),
    _sample(
        "variant_decimal",
        SqlType("sql_variant"),
        Variant(SqlType("decimal", precision=10, scale=2), Decimal("12.34")),
        Decimal("12.34"),
        "12.34",
    ),
)
