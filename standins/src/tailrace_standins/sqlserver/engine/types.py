"""T-SQL's types: names and facets.

Source: "Data types", https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.values import DEFAULT_COLLATION, MAX, SqlType

NULL: Final = SqlType("null")
BOOLEAN: Final = SqlType("boolean")
BIT: Final = SqlType("bit")
TINYINT: Final = SqlType("tinyint")
SMALLINT: Final = SqlType("smallint")
INT: Final = SqlType("int")
BIGINT: Final = SqlType("bigint")
FLOAT: Final = SqlType("float")
REAL: Final = SqlType("real")
MONEY: Final = SqlType("money", precision=19, scale=4)
DATE: Final = SqlType("date")
DATETIME: Final = SqlType("datetime", scale=3)
DATETIME2: Final = SqlType("datetime2", scale=7)
DATETIMEOFFSET: Final = SqlType("datetimeoffset", scale=7)
GUID: Final = SqlType("uniqueidentifier")
VARIANT: Final = SqlType("sql_variant")

FAMILY: Final[dict[str, str]] = {
    **dict.fromkeys(("bit", "tinyint", "smallint", "int", "bigint"), "int"),
    **dict.fromkeys(("float", "real"), "float"),
    **dict.fromkeys(("decimal", "numeric", "money", "smallmoney"), "decimal"),
    **dict.fromkeys(("char", "varchar", "text", "nchar", "nvarchar", "ntext", "xml"), "text"),
    **dict.fromkeys(("binary", "varbinary", "image", "timestamp"), "binary"),
    **dict.fromkeys(("smalldatetime", "datetime", "datetime2"), "datetime"),
    "uniqueidentifier": "guid",
    "date": "date",
    "time": "time",
    "datetimeoffset": "offset",
    "sql_variant": "variant",
    "null": "null",
    "boolean": "int",
}
_ALIASES: Final = {
    "integer": "int",
    "dec": "decimal",
    "rowversion": "timestamp",
    "character": "char",
    "double precision": "float",
    "national character": "nchar",
    "national char": "nchar",
    "national character varying": "nvarchar",
    "national char varying": "nvarchar",
    "char varying": "varchar",
    "character varying": "varchar",
    "binary varying": "varbinary",
}
INTEGER_DIGITS: Final = {"bit": 1, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
INTEGER_RANGE: Final = {
    "bit": (0, 1),
    "tinyint": (0, 255),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "bigint": (-(2**63), 2**63 - 1),
}
LIMITS: Final = {"char": 8000, "varchar": 8000, "nchar": 4000, "nvarchar": 4000, "binary": 8000, "varbinary": 8000}


def text(name: str, length: int, collation: str | None = None) -> SqlType:
    """A type of characters."""
    return SqlType(name, length=length, collation=collation or DEFAULT_COLLATION)


SYSNAME: Final = text("nvarchar", 128)


def decimal(precision: int, scale: int, name: str = "decimal") -> SqlType:
    """A decimal type of that precision and scale."""
    return SqlType(name, precision=precision, scale=scale)


def binary(name: str, length: int) -> SqlType:
    """A type of bytes."""
    return SqlType(name, length=length)


def named(name: str, facets: tuple[int, ...] = (), *, is_cast: bool = False, number: int = 1) -> SqlType:
    """The declared type; with `is_cast` a char type without a length has 30 instead of 1.

    Raises 2715, 2717.
    """
    name = _ALIASES.get(name.lower(), name.lower())
    first = facets[0] if facets else 0
    if name == "sysname":
        return SYSNAME
    if name in LIMITS:
        length = first if facets else (30 if is_cast else 1)
        if length > LIMITS[name] or (length < 1 and length != MAX):
            raise error(2717, length, "type", name, LIMITS[name])
        return text(name, length) if "char" in name else SqlType(name, length=length)
    if name in {"decimal", "numeric"}:
        precision = first if facets else 18
        if not 1 <= precision <= 38:
            raise error(2717, precision, "type", name, 38)
        return SqlType(name, precision=precision, scale=facets[1] if len(facets) > 1 else 0)
    if name in {"time", "datetime2", "datetimeoffset"}:
        return SqlType(name, scale=first if facets else 7)
    if name == "float":
        return REAL if facets and first <= 24 else FLOAT
    return _plain(name, facets, number)


def _plain(name: str, facets: tuple[int, ...], number: int) -> SqlType:
    if name in {"hierarchyid", "geometry", "geography", "cursor", "json", "vector"}:
        raise unsupported(f"the type {name}")
    if name not in FAMILY or name in {"null", "boolean"}:
        raise error(2715, number, name)
    if facets:
        raise error(2716, number, name)
    if name in {"text", "ntext", "xml"}:
        return text(name, MAX)
    if name == "image":
        return SqlType(name, length=MAX)
    if name == "timestamp":
        return SqlType(name, length=8)
    if name == "smallmoney":
        return SqlType(name, precision=10, scale=4)
    return {"money": MONEY, "datetime": DATETIME}.get(name, SqlType(name))


def family(of: SqlType) -> str:
    """How its values are stored and compared."""
    return FAMILY[of.name]


def is_text(of: SqlType) -> bool:
    """Characters."""
    return FAMILY[of.name] == "text"


def is_number(of: SqlType) -> bool:
    """Whole numbers, decimals, floats."""
    return FAMILY[of.name] in {"int", "decimal", "float"}


def displayed(of: SqlType) -> str:
    """As T-SQL writes it: `decimal(10,2)`."""
    if of.name in LIMITS:
        return f"{of.name}({'max' if of.length == MAX else of.length})"
    if of.name in {"decimal", "numeric"}:
        return f"{of.name}({of.precision},{of.scale})"
    if of.name in {"time", "datetime2", "datetimeoffset"}:
        return f"{of.name}({of.scale})"
    return of.name
