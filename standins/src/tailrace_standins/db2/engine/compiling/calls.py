"""Compiles calls of functions.

Source: IBM Db2 documentation, "Built-in functions" (SQL reference)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.compiling.scope import Typed, collation, directed
from tailrace_standins.db2.engine.functions import key
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType

if TYPE_CHECKING:
    from tailrace_standins.db2.engine import tree
    from tailrace_standins.db2.engine.compiling.expressions import Expressions
    from tailrace_standins.db2.engine.compiling.scope import Scope

_LIKE_FIRST: Final = {"SUBSTR": "f_substr", "UPPER": "f_upper", "UCASE": "f_upper", "LOWER": "f_lower", "LCASE": "f_lower",
                      "LTRIM": "f_ltrim", "RTRIM": "f_rtrim", "TRIM": "f_trim", "STRIP": "f_trim", "REPLACE": "f_replace",
                      "REPEAT": "f_repeat"}  # fmt: skip
_WHOLE: Final = {"LENGTH": "f_length", "LOCATE": "f_locate", "POSSTR": "f_posstr"}
_CASTS: Final = {"INTEGER": types.INTEGER, "INT": types.INTEGER, "BIGINT": types.BIGINT, "SMALLINT": types.SMALLINT,
                 "DOUBLE": types.DOUBLE, "FLOAT": types.DOUBLE, "REAL": types.REAL, "DATE": types.DATE, "TIME": types.TIME,
                 "TIMESTAMP": types.TIMESTAMP, "DECFLOAT": types.DECFLOAT, "BOOLEAN": types.BOOLEAN}  # fmt: skip
_PARTS: Final = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"})
_RANKS: Final = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK"})
_SHIFTS: Final = frozenset({"LEAD", "LAG", "FIRST_VALUE", "LAST_VALUE"})
AGGREGATES: Final = frozenset({"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX"})


def called(compiler: Expressions, node: tree.Call, scope: Scope) -> Typed:
    """A call; raises `SqlError` -440 for a function that is not known."""
    name = node.names[-1]
    values = [compiler.value(each, scope) for each in node.arguments]
    over = _over(compiler, node, scope)
    if name in AGGREGATES and (len(values) == 1 or node.star):
        return _aggregate(node, name, values, over)
    if over and name in _RANKS:
        return Typed(f"{name.lower()}(){over}", types.BIGINT, nullable=False)
    if over and name in _SHIFTS:
        values = [*values[:2], *compiler.unified([values[0], *values[2:]])[1:]]
        return Typed(f"{name.lower()}({', '.join(each.sql for each in values)}){over}", values[0].type)
    if name in {"COALESCE", "VALUE", "IFNULL", "NVL"} and values:
        values = compiler.unified(values)
        return Typed(
            f"coalesce({', '.join(each.sql for each in values)})", values[0].type, all(each.nullable for each in values)
        )
    if name == "NULLIF" and len(values) == 2:
        return Typed(
            f"(CASE WHEN {compiler.compared('=', *values).sql} THEN NULL ELSE {values[0].sql} END)", values[0].type
        )
    if name == "CONCAT" and len(values) == 2:
        return compiler.concatenated(*values)
    if name == "GETVARIABLE" and values and values[0].sql == "'SYSIBM.VERSION'":
        return Typed("'DSN13015'", types.varchar(128))
    if name in _CASTS and values:
        return compiler.cast(values[0], _CASTS[name])
    if (
        name in {"VARCHAR", "CHAR", "DECIMAL", "DEC", "CLOB", "BLOB", "VARBINARY", "VARGRAPHIC", "GRAPHIC", "BINARY"}
        and values
    ):
        return compiler.cast(values[0], _sized(name, values[0].type, node))
    if name in _PARTS and len(values) == 1:
        value = compiler.typed(values[0], types.TIMESTAMP)
        return Typed(f"part({value.sql}, '{name}')", types.INTEGER, value.nullable)
    if name == "ABS" and len(values) == 1:
        value = compiler.typed(values[0], types.DOUBLE)
        return Typed(
            f"ltrim({value.sql}, '-')" if value.type and types.is_exact(value.type) else f"abs({value.sql})", value.type
        )
    if name == "MOD" and len(values) == 2:
        return Typed(f"({values[0].sql} % {values[1].sql})", types.common(values[0].type, values[1].type))
    if name == "HEX" and len(values) == 1:
        return Typed(
            f"f_hex({values[0].sql})", types.varchar(max(2 * (values[0].type.length if values[0].type else 16), 32))
        )
    listed = ", ".join(compiler.typed(each, types.varchar(4000)).sql for each in values)
    if name in _WHOLE:
        return Typed(f"{_WHOLE[name]}({listed})", types.INTEGER)
    if name in _LIKE_FIRST and values:
        more = types.INTEGER if name in {"SUBSTR", "REPEAT"} else types.varchar(4000)
        typed = [compiler.typed(each, more if place else types.varchar(4000)) for place, each in enumerate(values)]
        listed = ", ".join(each.sql for each in typed)
        of = typed[0].type or types.varchar(4000)
        return Typed(
            f"{_LIKE_FIRST[name]}({listed})",
            SqlType({"char": "varchar"}.get(of.name, of.name), of.length, bit_data=of.bit_data),
        )
    raise SqlError(-440, "42884", ".".join(node.names), "FUNCTION")


def _sized(name: str, source: SqlType | None, node: tree.Call) -> SqlType:
    sizes = [int(getattr(each, "value", 0)) for each in node.arguments[1:]]
    if not sizes and name in {"VARCHAR", "CHAR", "VARGRAPHIC", "GRAPHIC", "VARBINARY", "BINARY"}:
        sizes = [source.length if source is not None and source.length else 42]
    bit_data = bool(source and source.bit_data) and name in {"VARCHAR", "CHAR"}
    return types.named(
        "DECIMAL" if name == "DEC" else name, sizes or ([15] if name in {"DECIMAL", "DEC"} else []), bit_data=bit_data
    )


def _over(compiler: Expressions, node: tree.Call, scope: Scope) -> str:
    window = node.window
    if window is None:
        return ""
    parts = []
    if window.partition:
        parts.append("PARTITION BY " + ", ".join(compiler.value(each, scope).collated() for each in window.partition))
    if window.order:
        listed = (directed(compiler.value(each.expression, scope), each) for each in window.order)
        parts.append("ORDER BY " + ", ".join(listed))
    return f" OVER ({' '.join([*parts, window.frame]).strip()})"


def _aggregate(node: tree.Call, name: str, values: list[Typed], over: str) -> Typed:
    distinct = "DISTINCT " if node.distinct else ""
    if name in {"COUNT", "COUNT_BIG"}:
        inner = "*" if node.star else values[0].collated()
        of = types.INTEGER if name == "COUNT" else SqlType("decimal", precision=31)
        counted = f"count({distinct}{inner}){over}"
        return Typed(counted if name == "COUNT" else f"CAST({counted} AS TEXT)", of, nullable=False)
    value = values[0]
    of = value.type or types.INTEGER
    if name in {"MIN", "MAX"}:
        return Typed(f"{name.lower()}({value.sql}{collation(of)}){over}", of)
    if not types.is_number(of):
        raise SqlError(-402, "42819", name)
    if types.is_exact(of):
        result = SqlType("decimal", precision=31, scale=of.scale) if of.name == "decimal" else of
        return Typed(f"exact_{name.lower()}({distinct}{value.sql}, '{key(result)}'){over}", result)
    if name == "SUM":
        return Typed(f"sum({distinct}{value.sql}){over}", types.INTEGER if of.name == "smallint" else of)
    averaged = f"avg({distinct}{value.sql}){over}"
    return Typed(f"CAST({averaged} AS INTEGER)" if of.name in types.WHOLE else averaged, of)
