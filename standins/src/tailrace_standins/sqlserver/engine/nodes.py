"""Nodes of the syntax tree: expressions and queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tailrace_standins.sqlserver.values import SqlType, Value

Names: TypeAlias = tuple[str, ...]


@dataclass(slots=True, eq=False)
class Literal:
    """A constant; NULL has the type `null`."""

    value: Value
    type: SqlType


@dataclass(slots=True, eq=False)
class Column:
    """A reference to a column, with its qualifiers."""

    names: Names


@dataclass(slots=True, eq=False)
class Star:
    """`*` or `t.*`."""

    names: Names = ()


@dataclass(slots=True, eq=False)
class Variable:
    """@name or @@name, in lower case."""

    name: str


@dataclass(slots=True, eq=False)
class Window:
    """OVER (…); `frame` is the text of ROWS or RANGE."""

    partition: list[Expression]
    order: list[Order]
    frame: str


@dataclass(slots=True, eq=False)
class Call:
    """A function; names as written, the last one decides."""

    names: Names
    arguments: list[Expression]
    distinct: bool = False
    window: Window | None = None
    within: list[Order] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Unary:
    """-x, +x, ~x, NOT x."""

    operator: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary:
    """Arithmetic, comparison, AND, OR; `quantifier` is ALL or ANY before a subquery."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class IsNull:
    """x IS [NOT] NULL."""

    operand: Expression
    negated: bool


@dataclass(slots=True, eq=False)
class Like:
    """x [NOT] LIKE pattern [ESCAPE e]."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool


@dataclass(slots=True, eq=False)
class Between:
    """x [NOT] BETWEEN low AND high."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool


@dataclass(slots=True, eq=False)
class In:
    """x [NOT] IN (…)."""

    operand: Expression
    among: list[Expression] | Query
    negated: bool


@dataclass(slots=True, eq=False)
class Exists:
    """EXISTS (query)."""

    query: Query


@dataclass(slots=True, eq=False)
class Case:
    """CASE [operand] WHEN … THEN … [ELSE …] END."""

    operand: Expression | None
    branches: list[tuple[Expression, Expression]]
    otherwise: Expression | None


@dataclass(slots=True, eq=False)
class Cast:
    """CAST, CONVERT, PARSE and their TRY_ forms."""

    operand: Expression
    type: SqlType
    style: Expression | None = None
    is_try: bool = False


@dataclass(slots=True, eq=False)
class Collate:
    """x COLLATE name."""

    operand: Expression
    collation: str


@dataclass(slots=True, eq=False)
class AtTimeZone:
    """x AT TIME ZONE zone."""

    operand: Expression
    zone: Expression


@dataclass(slots=True, eq=False)
class Scalar:
    """A subquery as a value."""

    query: Query


Expression: TypeAlias = (
    Literal
    | Column
    | Star
    | Variable
    | Call
    | Unary
    | Binary
    | IsNull
    | Like
    | Between
    | In
    | Exists
    | Case
    | Cast
    | Collate
    | AtTimeZone
    | Scalar
)


@dataclass(slots=True, eq=False)
class Order:
    """An item of ORDER BY."""

    expression: Expression
    descending: bool = False


@dataclass(slots=True, eq=False)
class Item:
    """An item of a select list; `variable` where it assigns to one."""

    expression: Expression
    alias: str = ""
    variable: str = ""


@dataclass(slots=True, eq=False)
class Table:
    """A table or view in FROM, with its hints in upper case."""

    names: Names
    alias: str = ""
    hints: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Derived:
    """A query in FROM."""

    query: Query
    alias: str
    columns: Names = ()


@dataclass(slots=True, eq=False)
class TableCall:
    """A table-valued function in FROM."""

    call: Call
    alias: str = ""
    columns: Names = ()


@dataclass(slots=True, eq=False)
class Join:
    """INNER, LEFT, RIGHT, FULL, CROSS."""

    kind: str
    left: Source
    right: Source
    condition: Expression | None


Source: TypeAlias = Table | Derived | TableCall | Join


@dataclass(slots=True, eq=False)
class Common:
    """A common table expression."""

    name: str
    columns: Names
    query: Query


@dataclass(slots=True, eq=False)
class Select:
    """One SELECT; `sources` are those between commas."""

    items: list[Item]
    sources: list[Source] = field(default_factory=list)
    where: Expression | None = None
    group: list[Expression] = field(default_factory=list)
    having: Expression | None = None
    distinct: bool = False
    top: Expression | None = None
    into: Names = ()
    order: list[Order] = field(default_factory=list)
    offset: Expression | None = None
    fetch: Expression | None = None
    common: list[Common] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Values:
    """VALUES (…), (…)."""

    rows: list[list[Expression]]


@dataclass(slots=True, eq=False)
class Combined:
    """UNION, UNION ALL, EXCEPT, INTERSECT."""

    operator: str
    left: Query
    right: Query
    order: list[Order] = field(default_factory=list)
    offset: Expression | None = None
    fetch: Expression | None = None
    common: list[Common] = field(default_factory=list)


Query: TypeAlias = Select | Values | Combined
