"""The type ids and sizes of catalog views.

Source: "sys.types", https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-types-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine.catalog import Column
from tailrace_standins.sqlserver.engine.types import INTEGER_DIGITS
from tailrace_standins.sqlserver.values import MAX, SqlType

# (system_type_id, user_type_id)
TYPE_IDS: Final[dict[str, tuple[int, int]]] = {
    name: (number, user)
    for name, number, user in [
        ("image", 34, 34), ("text", 35, 35), ("uniqueidentifier", 36, 36), ("date", 40, 40), ("time", 41, 41), ("datetime2", 42, 42),
        ("datetimeoffset", 43, 43), ("tinyint", 48, 48), ("smallint", 52, 52), ("int", 56, 56), ("smalldatetime", 58, 58), ("real", 59, 59),
        ("money", 60, 60), ("datetime", 61, 61), ("float", 62, 62), ("sql_variant", 98, 98), ("ntext", 99, 99), ("bit", 104, 104),
        ("decimal", 106, 106), ("numeric", 108, 108), ("smallmoney", 122, 122), ("bigint", 127, 127), ("varbinary", 165, 165),
        ("varchar", 167, 167), ("binary", 173, 173), ("char", 175, 175), ("timestamp", 189, 189), ("nvarchar", 231, 231),
        ("nchar", 239, 239), ("xml", 241, 241), ("sysname", 231, 256),
    ]
}  # fmt: skip
_SIZES: Final = {
    "image": 16, "text": 16, "ntext": 16, "uniqueidentifier": 16, "date": 3, "tinyint": 1, "smallint": 2, "int": 4, "smalldatetime": 4, "real": 4,
    "money": 8, "datetime": 8, "float": 8, "sql_variant": 8016, "bit": 1, "smallmoney": 4, "bigint": 8, "timestamp": 8, "xml": -1,
}  # fmt: skip
# ODBC's numbers, as sp_columns and sp_datatype_info give them.
ODBC_TYPES: Final = {
    "bit": -7, "tinyint": -6, "smallint": 5, "int": 4, "bigint": -5, "real": 7, "float": 6, "decimal": 3, "numeric": 2, "money": 3,
    "smallmoney": 3, "char": 1, "varchar": 12, "text": -1, "nchar": -8, "nvarchar": -9, "ntext": -10, "xml": -152, "binary": -2,
    "varbinary": -3, "image": -4, "timestamp": -2, "uniqueidentifier": -11, "date": -9, "time": -9, "datetime": 11, "smalldatetime": 11,
    "datetime2": -9, "datetimeoffset": -9, "sql_variant": -150,
}  # fmt: skip
ODBC_3_TYPES: Final = {
    **ODBC_TYPES,
    "date": 91,
    "time": -154,
    "datetime": 93,
    "smalldatetime": 93,
    "datetime2": 93,
    "datetimeoffset": -155,
}


def max_length(of: SqlType) -> int:
    """max_length of sys.columns, in bytes."""
    if of.name in _SIZES:
        return _SIZES[of.name]
    if of.name in {"decimal", "numeric"}:
        return 5 if of.precision < 10 else 9 if of.precision < 20 else 13 if of.precision < 29 else 17
    if of.name in {"time", "datetime2", "datetimeoffset"}:
        base = {"time": 3, "datetime2": 6, "datetimeoffset": 8}[of.name]
        return base + (0 if of.scale < 3 else 1 if of.scale < 5 else 2)
    return MAX if of.length == MAX else of.length * (2 if of.name[0] == "n" else 1)


def precision(of: SqlType) -> int:
    """Precision of sys.columns."""
    if of.name in INTEGER_DIGITS:
        return INTEGER_DIGITS[of.name]
    fixed = {"float": 53, "real": 24, "money": 19, "smallmoney": 10, "datetime": 23, "smalldatetime": 16, "date": 10}
    if of.name in {"time", "datetime2", "datetimeoffset"}:
        base = {"time": 8, "datetime2": 19, "datetimeoffset": 26}[of.name]
        return base + (of.scale + 1 if of.scale else 0)
    return fixed.get(of.name, of.precision if of.name in {"decimal", "numeric"} else 0)


def scale(of: SqlType) -> int:
    """Scale of sys.columns."""
    return of.scale


def type_ids(of: SqlType) -> tuple[int, int]:
    """system_type_id and user_type_id."""
    return TYPE_IDS[of.name]


def column_type_ids(column: Column) -> tuple[int, int]:
    """The same of a column, whose alias type counts as its own."""
    return TYPE_IDS[column.type.name][0], TYPE_IDS[column.alias or column.type.name][1]


def odbc_precision(of: SqlType) -> int:
    """PRECISION (COLUMN_SIZE) of sp_columns."""
    if of.name in {"text", "image"}:
        return 2147483647
    if of.name == "ntext":
        return 1073741823
    if of.name == "xml" or of.length == MAX:
        return 0
    if of.length:
        return of.length
    return {"uniqueidentifier": 36, "float": 53, "real": 24}.get(of.name, precision(of))


def odbc_length(of: SqlType) -> int:
    """LENGTH (BUFFER_LENGTH) of sp_columns, in bytes."""
    if of.name in {"text", "image", "ntext"}:
        return 2147483647 if of.name != "ntext" else 2147483646
    if of.name == "xml" or of.length == MAX:
        return 0
    fixed = {
        "date": 20,
        "time": 32,
        "datetime": 16,
        "smalldatetime": 16,
        "datetime2": 54,
        "datetimeoffset": 68,
        "money": 21,
        "smallmoney": 12,
    }
    if of.name in {"decimal", "numeric"}:
        return of.precision + 2
    return fixed.get(of.name, max_length(of))
