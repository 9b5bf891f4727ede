"""Compiles functions whose result or form depends on the types of their arguments.

Source: "What are the SQL database functions?", https://learn.microsoft.com/sql/t-sql/functions/functions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import tree, type_rules, types
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.functions import dates
from tailrace_standins.sqlserver.engine.functions.registry import TEXT
from tailrace_standins.sqlserver.engine.scope import Scope, Typed
from tailrace_standins.sqlserver.engine.types import (
    BIGINT,
    DATE,
    DATETIME,
    DATETIME2,
    DATETIMEOFFSET,
    FLOAT,
    INT,
    family,
)
from tailrace_standins.sqlserver.values import MAX, SqlType

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.compiling.calls import CallCompiler


def _isnull(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    first, second = (compiler.value(a, scope) for a in node.arguments)
    of = second.type if first.type.name == "null" else first.type
    return Typed(f"IFNULL({first.sql},{compiler.converted(second, of).sql})", of, first.nullable and second.nullable)


def _coalesce(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    values = [compiler.value(a, scope) for a in node.arguments]
    of = compiler.united(values)
    return Typed(
        f"COALESCE({','.join(compiler.converted(v, of).sql for v in values)})", of, all(v.nullable for v in values)
    )


def _nullif(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    first, second = (compiler.value(a, scope) for a in node.arguments)
    return Typed(f"CASE WHEN {compiler.compared('=', first, second)} THEN NULL ELSE {first.sql} END", first.type)


def _iif(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    condition, yes, no = node.arguments
    return compiler.value(tree.Case(None, [(condition, yes)], no), scope)


def _choose(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    branches: list[tuple[tree.Expression, tree.Expression]] = [
        (tree.Literal(i, INT), value) for i, value in enumerate(node.arguments[1:], 1)
    ]
    return compiler.value(tree.Case(node.arguments[0], branches, None), scope)


def _concat(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    values = [compiler.value(a, scope) for a in node.arguments]
    texts = [v if types.is_text(v.type) else compiler.converted(v, TEXT) for v in values]
    of = types.text("varchar", 0)
    for value in values:
        of = type_rules.concatenated(of, value.type if types.is_text(value.type) else types.text("varchar", 40))
    if node.names[-1].upper() == "CONCAT_WS":
        return Typed(f"concat_ws({','.join(t.sql for t in texts)})", of, nullable=False)
    return Typed("(" + " || ".join(f"IFNULL({t.sql},'')" for t in texts) + ")", of, nullable=False)


def _datalength(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    value = compiler.value(node.arguments[0], scope)
    of = BIGINT if value.type.length == MAX else INT
    return Typed(
        f"datalength({value.sql},'{value.type.name}',{value.type.precision},{value.type.scale})", of, value.nullable
    )


def _part(node: tree.Call) -> str:
    first = node.arguments[0] if node.arguments else None
    if not isinstance(first, tree.Column):
        raise error(174, node.names[-1].lower(), 2)
    return dates.part_named(first.names[-1], node.names[-1])


def _moment(compiler: CallCompiler, node: tree.Expression, scope: Scope, otherwise: SqlType = DATETIME2) -> Typed:
    value = compiler.value(node, scope)
    if family(value.type) in {"datetime", "date", "time", "offset"}:
        return value
    return compiler.converted(value, DATETIME if family(value.type) in {"int", "float"} else otherwise)


def _dateadd(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    part = _part(node)
    number, moment = (
        compiler.converted(compiler.value(node.arguments[1], scope), INT),
        _moment(compiler, node.arguments[2], scope, DATETIME),
    )
    return Typed(
        f"dateadd('{part}',{number.sql},{moment.sql},'{moment.type.name}')",
        moment.type,
        number.nullable or moment.nullable,
    )


def _datediff(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    part, is_big = _part(node), node.names[-1].upper() == "DATEDIFF_BIG"
    start, end = (_moment(compiler, a, scope) for a in node.arguments[1:])
    return Typed(
        f"datediff('{part}',{start.sql},{end.sql},{int(is_big)})",
        BIGINT if is_big else INT,
        start.nullable or end.nullable,
    )


def _datepart(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    part, moment = _part(node), _moment(compiler, node.arguments[1], scope)
    if node.names[-1].upper() == "DATENAME":
        return Typed(f"datename('{part}',{moment.sql})", types.text("nvarchar", 30), moment.nullable)
    return Typed(f"datepart('{part}',{moment.sql})", INT, moment.nullable)


def _single_part(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    moment = _moment(compiler, node.arguments[0], scope)
    return Typed(f"datepart('{node.names[-1].lower()}',{moment.sql})", INT, moment.nullable)


def _fromparts(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    values = [compiler.converted(compiler.value(a, scope), INT).sql for a in node.arguments]
    if (len(values) == 3) != (node.names[-1].upper() == "DATEFROMPARTS"):
        raise error(174, node.names[-1].lower(), 3)
    return Typed(f"datefromparts({','.join(values)})", DATE if len(values) == 3 else DATETIME)


def _eomonth(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    sides = [
        _moment(compiler, node.arguments[0], scope).sql,
        *(compiler.converted(compiler.value(a, scope), INT).sql for a in node.arguments[1:]),
    ]
    return Typed(f"eomonth({','.join(sides)})", DATE)


def _offset(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    name = node.names[-1].lower()
    if len(node.arguments) != 2:
        raise error(174, name, 2)
    moment = _moment(compiler, node.arguments[0], scope, DATETIMEOFFSET if name == "switchoffset" else DATETIME2)
    if name == "switchoffset" and family(moment.type) != "offset":
        moment = compiler.converted(moment, DATETIMEOFFSET)
    scale = 3 if moment.type.name == "datetime" else moment.type.scale
    offset = compiler.value(node.arguments[1], scope)
    return Typed(
        f"{name}({moment.sql},{offset.sql})", SqlType("datetimeoffset", scale=scale), moment.nullable or offset.nullable
    )


def _isdate(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    return Typed(
        f"isdate({compiler.converted(compiler.value(node.arguments[0], scope), TEXT).sql})", INT, nullable=False
    )


def _format(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    value, pattern = compiler.value(node.arguments[0], scope), compiler.value(node.arguments[1], scope)
    kind = "date" if family(value.type) in {"datetime", "date", "time", "offset"} else "number"
    if family(value.type) == "decimal":
        value = compiler.converted(value, FLOAT)
    return Typed(f"formatted({value.sql},{pattern.sql},'{kind}')", types.text("nvarchar", 4000))


def _rounded(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    name = node.names[-1].lower()
    value = compiler.value(node.arguments[0], scope)
    if not types.is_number(value.type):
        value = compiler.converted(value, FLOAT)
    digits = compiler.converted(compiler.value(node.arguments[1], scope), INT).sql if len(node.arguments) > 1 else "0"
    cut = compiler.converted(compiler.value(node.arguments[2], scope), INT).sql if len(node.arguments) > 2 else "0"
    of = value.type
    if name != "round" and family(of) == "decimal" and "money" not in of.name:
        of = types.decimal(of.precision, 0, of.name)
    return Typed(f"rounded('{name}',{value.sql},{digits},{cut},'{family(value.type)}')", of, value.nullable)


def _abs(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    value = compiler.value(node.arguments[0], scope)
    if family(value.type) == "decimal":
        return Typed(f"rounded('abs',{value.sql},0,0,'decimal')", value.type, value.nullable)
    if not types.is_number(value.type):
        value = compiler.converted(value, FLOAT)
    return Typed(f"abs({value.sql})", value.type, value.nullable)


def _refused(_compiler: CallCompiler, node: tree.Call, _scope: Scope) -> Typed:
    raise unsupported(node.names[-1].upper())


def _variant_property(compiler: CallCompiler, node: tree.Call, scope: Scope) -> Typed:
    value = compiler.converted(compiler.value(node.arguments[0], scope), types.VARIANT)
    what = compiler.value(node.arguments[1], scope)
    return Typed(f"variant_property({value.sql},{what.sql})", types.VARIANT)


REFUSED: Final = ("CHECKSUM", "BINARY_CHECKSUM")
SPECIAL: Final[dict[str, Callable[[CallCompiler, tree.Call, Scope], Typed]]] = {
    "ISNULL": _isnull,
    "COALESCE": _coalesce,
    "NULLIF": _nullif,
    "IIF": _iif,
    "CHOOSE": _choose,
    "CONCAT": _concat,
    "CONCAT_WS": _concat,
    "DATALENGTH": _datalength,
    "DATEADD": _dateadd,
    "DATEDIFF": _datediff,
    "DATEDIFF_BIG": _datediff,
    "DATEPART": _datepart,
    "DATENAME": _datepart,
    "YEAR": _single_part,
    "MONTH": _single_part,
    "DAY": _single_part,
    "DATEFROMPARTS": _fromparts,
    "EOMONTH": _eomonth,
    "TODATETIMEOFFSET": _offset,
    "SWITCHOFFSET": _offset,
    "ISDATE": _isdate,
    "FORMAT": _format,
    "ROUND": _rounded,
    "FLOOR": _rounded,
    "CEILING": _rounded,
    "ABS": _abs,
    **dict.fromkeys(REFUSED, _refused),
    "SQL_VARIANT_PROPERTY": _variant_property,
}
