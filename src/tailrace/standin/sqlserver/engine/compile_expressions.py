"""Expressions of T-SQL as expressions of SQLite over stored values, each with its T-SQL type.

Source: "Expressions (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/language-elements/expressions-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from typing import Any, Final

from tailrace.standin.sqlserver.engine import collations, convert, stored, tree, types
from tailrace.standin.sqlserver.engine.catalog import Catalog, Database
from tailrace.standin.sqlserver.engine.errors import error, unsupported
from tailrace.standin.sqlserver.engine.scope import Plan, Scope, TableCheck, TableRead, Typed, ViewRead
from tailrace.standin.sqlserver.engine.system import SystemObjects
from tailrace.standin.sqlserver.engine.types import BOOLEAN, NULL, common, family
from tailrace.standin.sqlserver.values import SqlType

CONVERSIONS: Final[list[convert.Conversion]] = []
_NUMBERS: Final[dict[Any, int]] = {}
_COMPARISONS: Final = frozenset(("=", "<>", "<", "<=", ">", ">="))
GLOBALS: Final[dict[str, SqlType]] = {
    "@@version": types.text("nvarchar", 300),
    "@@spid": types.SMALLINT,
    "@@trancount": types.INT,
    "@@rowcount": types.INT,
    "@@error": types.INT,
    "@@identity": types.decimal(38, 0, "numeric"),
    "@@servername": types.SYSNAME,
    "@@servicename": types.SYSNAME,
    "@@language": types.SYSNAME,
    "@@options": types.INT,
    "@@lock_timeout": types.INT,
    "@@datefirst": types.TINYINT,
    "@@fetch_status": types.INT,
    "@@max_precision": types.TINYINT,
    "@@microsoftversion": types.INT,
    "@@nestlevel": types.INT,
    "@@procid": types.INT,
    "@@textsize": types.INT,
    "@@dbts": types.binary("varbinary", 8),
}


def conversion_number(
    source: SqlType, target: SqlType, style: int, column: tuple[str, str] | None, *, is_try: bool
) -> int | None:
    """The number under which SQLite calls a conversion (`conv(number, value)`), None where there is nothing to do."""
    key = (source, target, style, column, is_try)
    if key not in _NUMBERS:
        change = convert.conversion(source, target, style, column)
        if change is None:
            return None
        CONVERSIONS.append(convert.trying(change) if is_try else change)
        _NUMBERS[key] = len(CONVERSIONS) - 1
    return _NUMBERS[key]


def literal(value: stored.Stored) -> str:
    """A stored value in SQLite's text."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        if "\0" in value:
            return f"CAST(x'{value.encode().hex()}' AS TEXT)"
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


class ExpressionCompiler:
    """Compiles the expressions of one statement; gathers what it reads and which variables it uses."""

    def __init__(
        self, catalog: Catalog, system: SystemObjects, database: Database, variables: dict[str, SqlType]
    ) -> None:
        """`variables` are those declared, with their types."""
        self.catalog = catalog
        self.system = system
        self.database = database
        self.types = variables
        self.variables: dict[str, str] = {}
        self.reads: list[TableRead] = []
        self.views: list[ViewRead] = []
        self.checks: list[TableCheck] = []
        self.in_aggregate = 0

    def subquery(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """A query inside an expression, given by the compiler of queries."""
        raise NotImplementedError

    def call(self, node: tree.Call, scope: Scope) -> Typed:
        """A function, given by the compiler of calls."""
        raise NotImplementedError

    def value(self, node: tree.Expression, scope: Scope) -> Typed:
        """An expression; raises 207, 4104, 137 and so on."""
        return getattr(self, f"_{type(node).__name__.lower()}")(node, scope)  # type: ignore[no-any-return]

    def condition(self, node: tree.Expression, scope: Scope) -> str:
        """A condition."""
        found = self.value(node, scope)
        if found.type != BOOLEAN:
            raise error(102, "an expression of non-boolean type where a condition is expected")
        return found.sql

    def converted(
        self,
        value: Typed,
        target: SqlType,
        *,
        style: int = 0,
        is_try: bool = False,
        column: tuple[str, str] | None = None,
    ) -> Typed:
        """The value as one of another type."""
        if value.type == BOOLEAN:
            raise error(102, "a condition where a value is expected")
        number = conversion_number(value.type, target, style, column, is_try=is_try)
        sql = value.sql if number is None else f"conv({number},{value.sql})"
        return Typed(sql, target, value.nullable or is_try, value.name, is_constant=value.is_constant)

    def _literal(self, node: tree.Literal, _scope: Scope) -> Typed:
        sql = literal(stored.encoded(node.value, node.type))
        return Typed(sql, node.type, node.value is None, is_constant=True)

    def _variable(self, node: tree.Variable, _scope: Scope) -> Typed:
        if node.name.startswith("@@"):
            of = GLOBALS.get(node.name)
            if of is None:
                raise error(137, node.name)
            return Typed(f"sys_global('{node.name}')", of, is_constant=True)
        declared = self.types.get(node.name)
        if declared is None:
            raise error(137, node.name)
        parameter = self.variables.setdefault(node.name, f"p{len(self.variables)}")
        return Typed(f":{parameter}", declared, is_constant=True)

    def _column(self, node: tree.Column, scope: Scope) -> Typed:
        found = scope.find(node.names)
        if found is None:
            if len(node.names) > 1:
                raise error(4104, ".".join(node.names))
            raise error(207, node.names[-1])
        where, value = found
        if where.grouped is not None and not self.in_aggregate and value.sql not in where.grouped:
            raise error(8120, ".".join(node.names))
        return value

    def _star(self, _node: tree.Star, _scope: Scope) -> Typed:
        raise error(102, "*")

    def _call(self, node: tree.Call, scope: Scope) -> Typed:
        return self.call(node, scope)

    def _unary(self, node: tree.Unary, scope: Scope) -> Typed:
        if node.operator == "NOT":
            return Typed(f"(NOT {self.condition(node.operand, scope)})", BOOLEAN)
        operand = self.value(node.operand, scope)
        if node.operator == "~":
            return Typed(
                f"(~{operand.sql})" if operand.type.name != "bit" else f"(1-{operand.sql})",
                operand.type,
                operand.nullable,
            )
        if family(operand.type) == "decimal":
            return Typed(
                f"dec('-','p00',{operand.sql},{operand.type.precision},{operand.type.scale})",
                operand.type,
                operand.nullable,
            )
        return Typed(f"(-{operand.sql})", operand.type, operand.nullable)

    def _binary(self, node: tree.Binary, scope: Scope) -> Typed:
        if node.operator in {"AND", "OR"}:
            return Typed(
                f"({self.condition(node.left, scope)} {node.operator} {self.condition(node.right, scope)})", BOOLEAN
            )
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if node.operator in _COMPARISONS:
            return Typed(self.compared(node.operator, left, right), BOOLEAN)
        return self._computed(node.operator, left, right)

    def aligned(self, left: Typed, right: Typed) -> tuple[Typed, Typed]:
        """Both as values of the type that wins."""
        if left.type.name == "sql_variant" and right.type.name not in {"sql_variant", "null"}:
            return self.converted(left, right.type), right
        if right.type.name == "sql_variant" and left.type.name not in {"sql_variant", "null"}:
            return left, self.converted(right, left.type)
        of = common(left.type, right.type)
        if family(left.type) == family(right.type) == "binary":
            return self._padded(left, right)
        if family(of) == "text" and family(left.type) == family(right.type):
            return left, right
        return self._widened(left, of), self._widened(right, of)

    def _padded(self, left: Typed, right: Typed) -> tuple[Typed, Typed]:
        """Bytes compare as if the shorter ended in zeros: a literal is filled up, or both lose theirs."""
        for value, other in ((left, right), (right, left)):
            if not value.sql.startswith("x'"):
                continue
            if other.type.name == "binary" and value.type.length < other.type.length:
                filled = self.converted(value, other.type)
                return (filled, other) if value is left else (other, filled)
            if value.sql.endswith("00'"):
                stripped = [Typed(f"without_zeros({side.sql})", side.type, side.nullable) for side in (left, right)]
                return stripped[0], stripped[1]
        return left, right

    def _widened(self, value: Typed, of: SqlType) -> Typed:
        kind = family(value.type)
        if kind == family(of) and kind in {"int", "float", "decimal", "datetime", "offset", "time", "date", "guid"}:
            return value  # one form for all of the family
        return self.converted(value, of)

    def compared(self, operator: str, left: Typed, right: Typed) -> str:
        """A comparison under the collation of its operands."""
        a, b = self.aligned(left, right)
        return f"({a.sql}{self.collation(a, b)} {operator} {b.sql})"

    @staticmethod
    def collation(a: Typed, b: Typed) -> str:
        """` COLLATE …` for two values: a column's wins over a constant's."""
        chosen = b if a.is_constant and not b.is_constant else a
        return collations.suffix(chosen.type if chosen.type.name != "null" else (a if chosen is b else b).type)

    def _computed(self, operator: str, left: Typed, right: Typed) -> Typed:
        nullable = left.nullable or right.nullable
        kinds = {family(left.type), family(right.type)}
        if operator in {"&", "|", "^"}:
            of = common(left.type, right.type)
            a, b = self.converted(left, of), self.converted(right, of)
            sql = f"({a.sql} {operator} {b.sql})" if operator != "^" else f"(({a.sql} | {b.sql}) - ({a.sql} & {b.sql}))"
            return Typed(sql, of, nullable)
        if operator == "+" and kinds <= {"text", "null"}:
            return Typed(f"({left.sql} || {right.sql})", types.concatenated(left.type, right.type), nullable)
        if operator == "+" and kinds <= {"binary", "null"}:
            return Typed(
                f"CAST({left.sql} || {right.sql} AS BLOB)", types.concatenated(left.type, right.type), nullable
            )
        if kinds & {"datetime", "date", "offset", "time"}:
            return self._moved(operator, left, right, nullable=nullable)
        return self._number(operator, left, right, nullable=nullable)

    def _moved(self, operator: str, left: Typed, right: Typed, *, nullable: bool) -> Typed:
        if (
            left.type.name in {"datetime", "smalldatetime"}
            and right.type.name in {"int", "smallint", "tinyint", "bigint"}
            and operator in "+-"
        ):
            return Typed(
                f"dateadd('day',{'-' if operator == '-' else ''}{right.sql},{left.sql},'{left.type.name}')",
                left.type,
                nullable,
            )
        raise error(402, left.type.name, right.type.name, {"+": "add", "-": "subtract"}.get(operator, operator))

    def _number(self, operator: str, left: Typed, right: Typed, *, nullable: bool) -> Typed:
        of = common(left.type, right.type)
        if of.name == "null":
            of = types.INT
        if not types.is_number(of):
            raise error(
                402,
                left.type.name,
                right.type.name,
                {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}.get(operator, operator),
            )
        for side in (left, right):
            if side.type.name != "null" and not types.is_number(side.type) and not types.is_text(side.type):
                raise error(402, left.type.name, right.type.name, operator)
        left, right = (self.converted(side, of) if types.is_text(side.type) else side for side in (left, right))
        of = types.arithmetic(
            operator, left.type if left.type != NULL else of, right.type if right.type != NULL else of
        )
        if family(of) == "decimal":
            a, b = (
                side if family(side.type) in {"decimal", "null"} else self.converted(side, types.as_decimal(side.type))
                for side in (left, right)
            )
            return Typed(f"dec('{operator}',{a.sql},{b.sql},{of.precision},{of.scale})", of, nullable)
        if family(of) == "float":
            a, b = self.converted(left, of), self.converted(right, of)
            return Typed(
                f"flo('{operator}',{a.sql},{b.sql})" if operator in "/%" else f"({a.sql} {operator} {b.sql})",
                of,
                nullable,
            )
        return Typed(f"num('{operator}',{left.sql},{right.sql},'{of.name}')", of, nullable)

    def _isnull(self, node: tree.IsNull, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        return Typed(f"({operand.sql} IS {'NOT ' if node.negated else ''}NULL)", BOOLEAN, nullable=False)

    def _like(self, node: tree.Like, scope: Scope) -> Typed:
        operand, pattern = self.value(node.operand, scope), self.value(node.pattern, scope)
        exact = collations.name(operand.type.collation or "") in {"t_cs", "t_bin"}
        sides = [
            self.converted(side, types.text("nvarchar", -1)) if not types.is_text(side.type) else side
            for side in (operand, pattern)
        ]
        escape = self.value(node.escape, scope).sql if node.escape else "NULL"
        return Typed(
            f"({'NOT ' if node.negated else ''}lik({sides[0].sql},{sides[1].sql},{escape},{int(exact)}))", BOOLEAN
        )

    def _between(self, node: tree.Between, scope: Scope) -> Typed:
        operand, low, high = (self.value(side, scope) for side in (node.operand, node.low, node.high))
        sql = f"({self.compared('>=', operand, low)} AND {self.compared('<=', operand, high)})"
        return Typed(f"(NOT {sql})" if node.negated else sql, BOOLEAN)

    def _in(self, node: tree.In, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        word = "NOT IN" if node.negated else "IN"
        if not isinstance(node.among, list):
            sql, columns = self.subquery(node.among, scope)
            if len(columns) != 1:
                raise error(116)
            a, b = self.aligned(operand, Typed("c0", columns[0].type))
            if b.sql != "c0":
                sql = f"SELECT {b.sql} FROM ({sql})"
            return Typed(f"({a.sql}{self.collation(a, b)} {word} ({sql}))", BOOLEAN)
        sides = [self.aligned(operand, self.value(each, scope)) for each in node.among]
        if len({a.sql for a, _ in sides}) == 1:
            a = sides[0][0]
            return Typed(
                f"({a.sql}{self.collation(a, sides[0][1])} {word} ({','.join(b.sql for _, b in sides)}))", BOOLEAN
            )
        any_of = " OR ".join(f"{a.sql}{self.collation(a, b)} = {b.sql}" for a, b in sides)
        return Typed(f"({'NOT ' if node.negated else ''}({any_of}))", BOOLEAN)

    def _exists(self, node: tree.Exists, scope: Scope) -> Typed:
        sql, _ = self.subquery(node.query, scope)
        return Typed(f"EXISTS ({sql})", BOOLEAN, nullable=False)

    def _scalar(self, node: tree.Scalar, scope: Scope) -> Typed:
        sql, columns = self.subquery(node.query, scope)
        if len(columns) != 1:
            raise error(116)
        if not _is_single(node.query):
            sql = f"SELECT CASE WHEN COUNT(*) > 1 THEN raise_error(512) ELSE MAX(c0) END FROM (SELECT c0 FROM ({sql}) LIMIT 2)"
        return Typed(f"({sql})", columns[0].type)

    def _case(self, node: tree.Case, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope) if node.operand else None
        results = [self.value(result, scope) for _, result in node.branches]
        results.append(self.value(node.otherwise, scope) if node.otherwise else Typed("NULL", NULL))
        of = self.united(results)
        parts = []
        for (condition, _), result in zip(node.branches, results, strict=False):
            when = (
                self.compared("=", operand, self.value(condition, scope))
                if operand
                else self.condition(condition, scope)
            )
            parts.append(f"WHEN {when} THEN {self.converted(result, of).sql}")
        nullable = any(result.nullable for result in results)
        return Typed(f"CASE {' '.join(parts)} ELSE {self.converted(results[-1], of).sql} END", of, nullable)

    @staticmethod
    def united(values: list[Typed]) -> SqlType:
        """The type over all of them."""
        of = NULL
        for value in values:
            of = common(of, value.type)
        return of

    def _cast(self, node: tree.Cast, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        style = 0
        if node.style is not None:
            if not isinstance(node.style, tree.Literal) or not isinstance(node.style.value, int):
                raise unsupported("a style of CONVERT that is no constant")
            style = node.style.value
        return self.converted(operand, node.type, style=style, is_try=node.is_try)

    def _collate(self, node: tree.Collate, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        collation = operand.type.collation if node.collation.lower() == "database_default" else node.collation
        return Typed(
            operand.sql,
            SqlType(operand.type.name, operand.type.length, collation=collation),
            operand.nullable,
            operand.name,
        )

    def _attimezone(self, node: tree.AtTimeZone, scope: Scope) -> Typed:
        operand, zone = self.value(node.operand, scope), self.value(node.zone, scope)
        return Typed(
            f"at_time_zone({operand.sql},{zone.sql})",
            SqlType("datetimeoffset", scale=operand.type.scale),
            operand.nullable,
        )


def _is_single(query: tree.Query) -> bool:
    """Whether the query gives one row at most, by its form."""
    if not isinstance(query, tree.Select):
        return False
    if not query.sources and query.where is None:
        return True
    if isinstance(query.top, tree.Literal) and query.top.value == 1:
        return True
    names = {"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"}
    return not query.group and any(
        isinstance(i.expression, tree.Call) and i.expression.names[-1].upper() in names and not i.expression.window
        for i in query.items
    )


__all__ = ["CONVERSIONS", "GLOBALS", "ExpressionCompiler", "Plan", "conversion_number", "literal"]
