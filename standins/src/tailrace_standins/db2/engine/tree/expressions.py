"""Expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tailrace_standins.db2.values import SqlType, Value

Names: TypeAlias = tuple[str, ...]

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.tree.queries import Query


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; the type of NULL is None."""

    value: Value
    type: SqlType | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter marker, counted from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name."""

    names: Names


@dataclass(frozen=True, slots=True)
class Star:
    """`*` or `t.*`."""

    names: Names = ()


@dataclass(frozen=True, slots=True)
class Special:
    """A special register, `CURRENT TIMESTAMP` without its first word; or DEFAULT where a value stands."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands: arithmetic, `||`, comparisons, AND, OR."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `+` or NOT."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Cast:
    """CAST."""

    operand: Expression
    type: SqlType


@dataclass(frozen=True, slots=True)
class Case:
    """CASE; `operand` where it is a simple one."""

    operand: Expression | None
    whens: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class Window:
    """OVER."""

    partition: tuple[Expression, ...]
    order: tuple[Order, ...]
    frame: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A function."""

    names: Names
    arguments: tuple[Expression, ...]
    distinct: bool = False
    star: bool = False
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class In:
    """IN, with a list or a query."""

    operand: Expression
    values: tuple[Expression, ...] | Query
    negated: bool


@dataclass(frozen=True, slots=True)
class Between:
    """BETWEEN."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Like:
    """LIKE."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool


@dataclass(frozen=True, slots=True)
class IsNull:
    """IS NULL."""

    operand: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Exists:
    """EXISTS."""

    query: Query


@dataclass(frozen=True, slots=True)
class Scalar:
    """A query as a value."""

    query: Query


@dataclass(frozen=True, slots=True)
class Duration:
    """A labelled duration, `5 SECONDS`; the unit in the singular."""

    amount: Expression
    unit: str


@dataclass(frozen=True, slots=True)
class RowValue:
    """`(a, b)`."""

    values: tuple[Expression, ...]


Expression: TypeAlias = (
    Literal | Parameter | Column | Star | Special | Binary | Unary | Cast | Case | Call | In | Between | Like | IsNull | Exists
    | Scalar | Duration | RowValue
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """An item of ORDER BY."""

    expression: Expression
    descending: bool = False
    nulls: str = ""  # FIRST or LAST where it is said
