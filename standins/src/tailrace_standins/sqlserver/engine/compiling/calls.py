"""Compiles function calls: aggregates, window functions, functions of types, of the session, and those of `FUNCTIONS`.

Source: "What are the SQL database functions?", https://learn.microsoft.com/sql/t-sql/functions/functions
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import collations, tree, types
from tailrace_standins.sqlserver.engine.compiling.expressions import ExpressionCompiler
from tailrace_standins.sqlserver.engine.compiling.signatures import AGGREGATES, NEIGHBOURS, RANKS, SESSION_FUNCTIONS
from tailrace_standins.sqlserver.engine.compiling.special import SPECIAL
from tailrace_standins.sqlserver.engine.compiling.values import literal
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.functions.registry import FUNCTIONS, TEXT, Function
from tailrace_standins.sqlserver.engine.scope import Scope, Typed
from tailrace_standins.sqlserver.engine.system import SystemFunction
from tailrace_standins.sqlserver.engine.type_rules import common
from tailrace_standins.sqlserver.engine.types import BIGINT, FLOAT, INT, family
from tailrace_standins.sqlserver.values import MAX, SqlType


def is_aggregate(node: tree.Expression) -> bool:
    """Whether the expression is an aggregate over a group (not over a window)."""
    return (
        isinstance(node, tree.Call)
        and node.window is None
        and len(node.names) == 1
        and node.names[0].upper() in AGGREGATES
    )


class CallCompiler(ExpressionCompiler):
    """Compiles functions."""

    def call(self, node: tree.Call, scope: Scope) -> Typed:
        """A function call; raises 195 or 4121 for an unknown function, 174 for a wrong number of arguments."""
        name = node.names[-1].upper()
        if len(node.names) > 1:
            return self._qualified(node, scope)
        if name in AGGREGATES:
            return self._aggregate(name, node, scope)
        if name in RANKS or name in NEIGHBOURS:
            return self._windowed(name, node, scope)
        special = SPECIAL.get(name)
        if special is not None:
            return special(self, node, scope)
        if name in SESSION_FUNCTIONS:
            return self._of_session(name, node, scope)
        function = FUNCTIONS.get(name)
        if function is None:
            found = self.system.find(self.database, "sys", name)
            if isinstance(found, SystemFunction):
                return self._system(found, self.database.name, node, scope)
            raise error(195, node.names[-1])
        return self._plain(function, node, scope)

    def _qualified(self, node: tree.Call, scope: Scope) -> Typed:
        database, schema, name = self.catalog.find(node.names, self.database.name)
        found = self.system.find(database, schema, name)
        if not isinstance(found, SystemFunction):
            raise error(4121, node.names[0], ".".join(node.names))
        return self._system(found, database.name, node, scope)

    def _system(self, found: SystemFunction, database: str, node: tree.Call, scope: Scope) -> Typed:
        least = len(found.arguments) if found.least is None else found.least
        if not least <= len(node.arguments) <= len(found.arguments):
            raise error(8144, found.name) if len(node.arguments) > least else error(174, found.name, least)
        values = [
            self.converted(self.value(a, scope), of).sql for a, of in zip(node.arguments, found.arguments, strict=False)
        ]
        key = self.system_call(found)
        return Typed(
            f"sys_function({','.join([str(key), literal(database), *values])})", found.result, is_constant=not values
        )

    def system_call(self, found: SystemFunction) -> int:
        """The number under which SQLite calls a system function."""
        if found not in SYSTEM_CALLS:
            SYSTEM_CALLS.append(found)
        return SYSTEM_CALLS.index(found)

    def _plain(self, function: Function, node: tree.Call, scope: Scope) -> Typed:
        count = len(node.arguments)
        if not function.least <= count <= function.most:
            raise error(174, function.name.lower(), function.least)
        values = [self.value(argument, scope) for argument in node.arguments]
        sides = [self._argument(value, of) for value, of in zip(values, function.arguments, strict=False)]
        result = function.result if isinstance(function.result, SqlType) else function.result([v.type for v in values])
        sql = f"f_{function.name.lower()}({','.join(side.sql for side in sides)})"
        constant = function.is_stable and all(value.is_constant for value in values)
        return Typed(sql, result, any(value.nullable for value in values) or not values, is_constant=constant)

    def _argument(self, value: Typed, of: SqlType | None) -> Typed:
        if of is not None:
            return value if family(value.type) == family(of) == "text" else self.converted(value, of)
        if family(value.type) in {"decimal", "guid", "datetime", "date", "time", "offset", "variant"}:
            return self.converted(value, TEXT)
        return value

    def _of_session(self, name: str, node: tree.Call, scope: Scope) -> Typed:
        result, arguments, least = SESSION_FUNCTIONS[name]
        if not least <= len(node.arguments) <= len(arguments):
            raise error(174, name.lower(), least)
        values = [
            self.converted(self.value(a, scope), of).sql for a, of in zip(node.arguments, arguments, strict=False)
        ]
        return Typed(
            f"sys_session({','.join([literal(name), literal(self.database.name), *values])})",
            result,
            is_constant=not values,
        )

    def _over(self, node: tree.Call, scope: Scope) -> str:
        if node.window is None:
            return ""
        parts = []
        if node.window.partition:
            sides = [self.value(each, scope) for each in node.window.partition]
            parts.append("PARTITION BY " + ", ".join(side.sql + collations.suffix(side.type) for side in sides))
        if node.window.order:
            parts.append("ORDER BY " + self.order_sql(node.window.order, scope))
        return f" OVER ({' '.join([*parts, node.window.frame])})"

    def order_sql(self, order: list[tree.Order], scope: Scope) -> str:
        """ORDER BY's items, without aliases."""
        parts = []
        for item in order:
            side = self.value(item.expression, scope)
            parts.append(side.sql + collations.suffix(side.type) + (" DESC" if item.descending else ""))
        return ", ".join(parts)

    def _windowed(self, name: str, node: tree.Call, scope: Scope) -> Typed:
        if node.window is None:
            raise error(102, "OVER")
        values = [self.value(argument, scope) for argument in node.arguments]
        of = RANKS.get(name) or values[0].type
        if len(values) == 3:
            of = common(values[0].type, values[2].type)
            values = [self.converted(values[0], of), values[1], self.converted(values[2], of)]
        return Typed(f"{name}({','.join(v.sql for v in values)}){self._over(node, scope)}", of, name not in RANKS)

    def _aggregate(self, name: str, node: tree.Call, scope: Scope) -> Typed:
        over = self._over(node, scope)
        if name in {"COUNT", "COUNT_BIG"}:
            return self._count(name, node, scope, over)
        self.in_aggregate += not over
        values = [self.value(argument, scope) for argument in node.arguments]
        within = [(self.value(o.expression, scope), o.descending) for o in node.within]
        self.in_aggregate -= not over
        if name == "STRING_AGG":
            return self._string_agg(values, within)
        value, distinct = values[0], "DISTINCT " if node.distinct else ""
        if name in {"MIN", "MAX"}:
            return Typed(f"{name}({value.sql}{collations.suffix(value.type)}){over}", value.type)
        if name in {"SUM", "AVG"} and family(value.type) == "int":
            of = BIGINT if value.type.name == "bigint" else INT
            sql = f"SUM({distinct}{value.sql}){over}"
            if name == "AVG":
                sql = f"({sql} / COUNT({distinct}{value.sql}){over})"
            return Typed(f"num('+',{sql},0,'{of.name}')", of)
        if name in {"SUM", "AVG"} and family(value.type) == "decimal":
            return self._decimal_aggregate(name, value, distinct, over)
        if family(value.type) != "float" and name in {"SUM", "AVG"}:
            raise unsupported(f"{name} of {value.type.name}")
        return Typed(f"{name.lower()}({distinct}{self.converted(value, FLOAT).sql}){over}", FLOAT)

    def _decimal_aggregate(self, name: str, value: Typed, distinct: str, over: str) -> Typed:
        if distinct:
            raise unsupported(f"{name}(DISTINCT …) of decimals")
        money = "money" in value.type.name
        if name == "SUM":
            of = types.MONEY if money else types.decimal(38, value.type.scale)
        else:
            of = types.MONEY if money else types.decimal(38, max(6, value.type.scale))
        return Typed(f"{'dsum' if name == 'SUM' else 'davg'}({distinct}{value.sql},{of.scale}){over}", of)

    def _count(self, name: str, node: tree.Call, scope: Scope, over: str) -> Typed:
        of = INT if name == "COUNT" else BIGINT
        if not node.arguments or isinstance(node.arguments[0], tree.Star):
            return Typed(f"COUNT(*){over}", of, nullable=False)
        self.in_aggregate += not over
        value = self.value(node.arguments[0], scope)
        self.in_aggregate -= not over
        inner = f"DISTINCT {value.sql}{collations.suffix(value.type)}" if node.distinct else value.sql
        return Typed(f"COUNT({inner}){over}", of, nullable=False)

    def _string_agg(self, values: list[Typed], within: list[tuple[Typed, bool]]) -> Typed:
        if len(values) != 2 or len(within) > 1:
            raise unsupported("STRING_AGG with more than one order")
        value = values[0] if types.is_text(values[0].type) else self.converted(values[0], TEXT)
        order, descending = (within[0][0].sql, within[0][1]) if within else ("NULL", False)
        of = SqlType(
            "nvarchar" if value.type.name[0] == "n" else "varchar",
            MAX if value.type.length == MAX else 4000 if value.type.name[0] == "n" else 8000,
            collation=value.type.collation,
        )
        return Typed(f"string_agg({value.sql},{values[1].sql},{order},{int(descending)})", of)


SYSTEM_CALLS: Final[list[SystemFunction]] = []
