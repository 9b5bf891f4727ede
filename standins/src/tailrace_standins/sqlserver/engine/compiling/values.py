"""Compiles constants, variables, columns and conversions to SQLite, over stored values and with their T-SQL types.

Source: "Data types (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql
"""

# the texts are built of names of our own
from __future__ import annotations

from typing import Any, Final

from tailrace_standins.sqlserver.engine import convert, stored, tree, types
from tailrace_standins.sqlserver.engine.catalog import Catalog, Database
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Scope, TableCheck, TableRead, Typed, ViewRead
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.engine.types import BOOLEAN
from tailrace_standins.sqlserver.values import SqlType
from tailrace_standins.storage.real_literals import real_literal

CONVERSIONS: Final[list[stored.Conversion]] = []
_NUMBERS: Final[dict[Any, int]] = {}
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
    """The number by which SQLite calls a conversion (`conv(number, value)`); None if none is necessary."""
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
    return real_literal(value) if isinstance(value, float) else repr(value)


class ValueCompiler:
    """Compiles values; collects the tables that a statement reads and the variables that it uses."""

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
