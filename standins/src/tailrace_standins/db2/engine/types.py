"""Types by their names in SQL, their families, and the types of results.

Source: IBM Db2 documentation, "CREATE TABLE", "Rules for result data types", "Arithmetic" (SQL reference)
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType

SMALLINT: Final = SqlType("smallint")
INTEGER: Final = SqlType("integer")
BIGINT: Final = SqlType("bigint")
REAL: Final = SqlType("real")
DOUBLE: Final = SqlType("double")
DECFLOAT: Final = SqlType("decfloat", precision=34)
BOOLEAN: Final = SqlType("boolean")
DATE: Final = SqlType("date")
TIME: Final = SqlType("time")
TIMESTAMP: Final = SqlType("timestamp", scale=6)

WHOLE: Final = ("smallint", "integer", "bigint")
FLOATS: Final = ("real", "double")
NUMBERS: Final = (*WHOLE, "decimal", *FLOATS, "decfloat")
TEXTS: Final = frozenset(
    {"char", "varchar", "long varchar", "clob", "graphic", "vargraphic", "long vargraphic", "dbclob", "xml"}
)
LARGE: Final = frozenset({"clob", "blob", "dbclob", "xml"})
_MEGA: Final = 1 << 20
_SYNONYMS: Final = {
    "INT": "integer", "DEC": "decimal", "NUMERIC": "decimal", "NUM": "decimal", "CHARACTER": "char",
    "CHARACTER VARYING": "varchar",
    "CHAR VARYING": "varchar", "NCHAR": "graphic", "NVARCHAR": "vargraphic", "NCHAR VARYING": "vargraphic", "NCLOB": "dbclob",
    "CHAR LARGE OBJECT": "clob", "CHARACTER LARGE OBJECT": "clob", "BINARY VARYING": "varbinary", "BINARY LARGE OBJECT": "blob",
    "INT2": "smallint", "INT4": "integer", "INT8": "bigint", "FLOAT4": "real", "FLOAT8": "double",
}  # fmt: skip
_KNOWN: Final = frozenset((*NUMBERS, *TEXTS, "boolean", "date", "time", "timestamp", "binary", "varbinary", "blob"))


def varchar(length: int) -> SqlType:
    """VARCHAR of that many bytes."""
    return SqlType("varchar", length=length)


def named(name: str, sizes: list[int], *, bit_data: bool) -> SqlType:
    """The type of a name with its sizes; raises `SqlError` -204."""
    base = _SYNONYMS.get(name, name.lower())
    size = sizes[0] if sizes else 0
    if base == "float":
        return REAL if 0 < size < 25 else DOUBLE
    if base not in _KNOWN:
        raise SqlError(-204, "42704", name)
    if base == "decimal":
        return SqlType(base, precision=size or 5, scale=sizes[1] if len(sizes) > 1 else 0)
    if base == "decfloat":
        return SqlType(base, precision=size or 34)
    if base == "timestamp":
        return SqlType(base, scale=size if sizes else 6)
    if base in {"char", "graphic", "binary"}:
        return SqlType(base, length=size or 1, bit_data=bit_data)
    if base in {"varchar", "vargraphic", "varbinary"}:
        if not sizes:
            raise SqlError(-104, "42601", name, "", "(")
        return SqlType(base, length=size, bit_data=bit_data)
    if base in {"long varchar", "long vargraphic"}:
        return SqlType(base, length=32700 if base == "long varchar" else 16350, bit_data=bit_data)
    if base in LARGE:
        return SqlType(base, length=size or _MEGA)
    return SqlType(base)


def shown(of: SqlType) -> str:
    """The type's name as the catalogue has it (TYPENAME)."""
    return {"char": "CHARACTER"}.get(of.name, of.name.upper())


def is_binary(of: SqlType | None) -> bool:
    """Whether its values are bytes."""
    return of is not None and (of.bit_data or of.name in {"binary", "varbinary", "blob"})


def is_text(of: SqlType | None) -> bool:
    """Whether its values are text."""
    return of is not None and of.name in TEXTS and not of.bit_data


def is_number(of: SqlType | None) -> bool:
    """Whether it is numeric."""
    return of is not None and of.name in NUMBERS


def is_exact(of: SqlType) -> bool:
    """Whether its values are stored as text with digits."""
    return of.name in {"decimal", "decfloat"}


def is_temporal(of: SqlType | None) -> bool:
    """Whether it is a date, a time or a timestamp."""
    return of is not None and of.name in {"date", "time", "timestamp"}


def as_decimal(of: SqlType) -> SqlType:
    """A whole number's type as DECIMAL."""
    digits = {"smallint": 5, "integer": 11, "bigint": 19}
    return SqlType("decimal", precision=digits[of.name]) if of.name in digits else of


def arithmetic(operator: str, left: SqlType, right: SqlType) -> SqlType:
    """The type of a sum, difference, product or quotient."""
    if left.name in WHOLE and right.name in WHOLE:
        return BIGINT if "bigint" in {left.name, right.name} else INTEGER
    if "decfloat" in {left.name, right.name}:
        return DECFLOAT
    if left.name in FLOATS or right.name in FLOATS:
        return DOUBLE
    a, b = as_decimal(left), as_decimal(right)
    if operator == "*":
        return SqlType("decimal", precision=min(31, a.precision + b.precision), scale=min(31, a.scale + b.scale))
    if operator == "/":
        return SqlType("decimal", precision=31, scale=max(31 - a.precision + a.scale - b.scale, 0))
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return SqlType("decimal", precision=min(31, whole + scale + 1), scale=scale)


def common(left: SqlType | None, right: SqlType | None) -> SqlType | None:
    """The type of both branches of a CASE, of COALESCE, UNION; raises `SqlError` -415 for types that have none."""
    if left is None or right is None or left == right:
        return left or right
    if left.name in NUMBERS and right.name in NUMBERS:
        if left.name in WHOLE and right.name in WHOLE:
            return max(left, right, key=lambda each: WHOLE.index(each.name))
        if "decfloat" in {left.name, right.name}:
            return DECFLOAT
        if left.name in FLOATS or right.name in FLOATS:
            return DOUBLE
        a, b = as_decimal(left), as_decimal(right)
        scale = max(a.scale, b.scale)
        return SqlType(
            "decimal", precision=min(31, max(a.precision - a.scale, b.precision - b.scale) + scale), scale=scale
        )
    if is_binary(left) and is_binary(right):
        name = (
            "blob"
            if "blob" in {left.name, right.name}
            else "varbinary"
            if not (left.bit_data and right.bit_data)
            else "varchar"
        )
        return SqlType(name, length=max(left.length, right.length), bit_data=name == "varchar")
    if (is_text(left) or left.bit_data) and (is_text(right) or right.bit_data):
        names = {left.name, right.name}
        wide = bool(names & {"graphic", "vargraphic", "long vargraphic", "dbclob"})
        name = ("dbclob" if wide else "clob") if names & LARGE else "vargraphic" if wide else "varchar"
        bit_data = (left.bit_data or right.bit_data) and name == "varchar"
        return SqlType(name, length=max(left.length, right.length), bit_data=bit_data)
    if left.name == right.name == "timestamp":
        return max(left, right, key=lambda each: each.scale)
    if is_temporal(left) and is_text(right):
        return left
    if is_temporal(right) and is_text(left):
        return right
    if {left.name, right.name} == {"date", "timestamp"}:
        return left if left.name == "timestamp" else right
    raise SqlError(-415, "42825")
