"""Type rules: the precedence of types, and the result types of arithmetic.

Sources: "Data type precedence", https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql;
"Precision, scale, and length", https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine.types import INT, INTEGER_DIGITS, LIMITS, decimal, family
from tailrace_standins.sqlserver.values import MAX, SqlType

# From the strongest to the weakest.
_PRECEDENCE: Final = {
    name: rank
    for rank, name in enumerate(
        [
            "sql_variant",
            "xml",
            "datetimeoffset",
            "datetime2",
            "datetime",
            "smalldatetime",
            "date",
            "time",
            "float",
            "real",
            "decimal",
            "numeric",
            "money",
            "smallmoney",
            "bigint",
            "int",
            "smallint",
            "tinyint",
            "bit",
            "ntext",
            "text",
            "image",
            "timestamp",
            "uniqueidentifier",
            "nvarchar",
            "nchar",
            "varchar",
            "char",
            "varbinary",
            "binary",
            "null",
        ]
    )
}


def as_decimal(of: SqlType) -> SqlType:
    """The decimal type that holds a number of that type."""
    if of.name in INTEGER_DIGITS:
        return decimal(INTEGER_DIGITS[of.name], 0)
    return of


def common(left: SqlType, right: SqlType) -> SqlType:
    """The type of CASE, COALESCE, UNION over both."""
    if left == right or right.name == "null":
        return left
    if left.name == "null":
        return right
    strong, weak = (left, right) if _PRECEDENCE[left.name] <= _PRECEDENCE[right.name] else (right, left)
    if strong.name in {"decimal", "numeric"} and weak.name in {"decimal", "numeric", *INTEGER_DIGITS}:
        return _wider_decimal(as_decimal(strong), as_decimal(weak))
    if strong.name in LIMITS and weak.name in LIMITS:
        return _longer(strong, weak)
    if (
        family(strong) == family(weak)
        and strong.scale < weak.scale
        and strong.name in {"datetime2", "datetimeoffset", "time"}
    ):
        return SqlType(strong.name, scale=weak.scale)
    return strong


def _wider_decimal(left: SqlType, right: SqlType) -> SqlType:
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    precision = min(38, whole + scale)
    return SqlType(left.name, precision=precision, scale=min(scale, max(precision - whole, 0)))


def _longer(strong: SqlType, weak: SqlType) -> SqlType:
    length = MAX if MAX in {strong.length, weak.length} else max(strong.length, weak.length)
    name = (
        strong.name
        if "var" in strong.name or "var" not in weak.name
        else f"{'n' if strong.name[0] == 'n' else ''}var{strong.name.lstrip('n')}"
    )
    if length != MAX:
        length = min(length, LIMITS[name])
    return SqlType(name, length=length, collation=strong.collation or weak.collation)


def _fitted(precision: int, scale: int) -> SqlType:
    """With more than 38 digits the scale is reduced, down to 6."""
    if precision > 38:
        whole = precision - scale
        scale = min(scale, 38 - whole) if whole < 32 else min(scale, 6)
        precision = 38
    return decimal(precision, scale)


def arithmetic(operator: str, left: SqlType, right: SqlType) -> SqlType:
    """The type of `left operator right` over numbers."""
    strong = common(left, right)
    if strong.name not in {"decimal", "numeric"}:
        return INT if strong.name == "bit" else strong
    a, b = as_decimal(left), as_decimal(right)
    if operator in {"+", "-"}:
        scale = max(a.scale, b.scale)
        return _fitted(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)
    if operator == "*":
        return _fitted(a.precision + b.precision + 1, a.scale + b.scale)
    if operator == "/":
        scale = max(6, a.scale + b.precision + 1)
        return _fitted(a.precision - a.scale + b.scale + scale, scale)
    scale = max(a.scale, b.scale)
    return _fitted(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def concatenated(left: SqlType, right: SqlType) -> SqlType:
    """The type of `left + right` over characters or bytes."""
    if left.name == "null" or right.name == "null":
        return common(left, right)
    if family(left) == "binary":
        length = MAX if MAX in {left.length, right.length} else min(8000, left.length + right.length)
        return SqlType("varbinary", length=length)
    name = "nvarchar" if "n" in {left.name[0], right.name[0]} else "varchar"
    length = MAX if MAX in {left.length, right.length} else min(LIMITS[name], left.length + right.length)
    return SqlType(name, length=length, collation=left.collation or right.collation)
