"""Statements as trees.

Names are tuples of their parts, folded as Db2 folds them: `("S", "T")`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tailrace_standins.db2.values import SqlType, Value

Names: TypeAlias = tuple[str, ...]


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
class Item:
    """An item of a select list."""

    expression: Expression
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """An item of ORDER BY."""

    expression: Expression
    descending: bool = False
    nulls: str = ""  # FIRST or LAST where it is said


@dataclass(frozen=True, slots=True)
class Table:
    """A table in FROM."""

    names: Names
    alias: str = ""
    columns: Names = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """A query in FROM."""

    query: Query
    alias: str = ""
    columns: Names = ()


@dataclass(frozen=True, slots=True)
class Join:
    """INNER, LEFT, RIGHT, FULL or CROSS."""

    kind: str
    left: Source
    right: Source
    on: Expression | None


Source: TypeAlias = Table | Derived | Join


@dataclass(frozen=True, slots=True)
class Select:
    """A subselect."""

    items: tuple[Item, ...]
    sources: tuple[Source, ...]
    distinct: bool = False
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    having: Expression | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """VALUES."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """UNION, EXCEPT, INTERSECT."""

    operator: str
    everything: bool
    left: Body
    right: Body


Body: TypeAlias = "Select | Values | Combined | Query"


@dataclass(frozen=True, slots=True)
class Common:
    """A common table expression."""

    name: str
    columns: Names
    query: Query


@dataclass(frozen=True, slots=True)
class Query:
    """A fullselect with what may stand around it."""

    body: Body
    common: tuple[Common, ...] = ()
    order: tuple[Order, ...] = ()
    offset: Expression | None = None
    fetch: Expression | None = None


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """A query as a statement; `isolation` is UR, CS, RS, RR or empty."""

    query: Query
    isolation: str = ""


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT; without `columns` all of them."""

    names: Names
    columns: Names
    query: Query


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE."""

    table: Table
    assignments: tuple[tuple[str, Expression], ...]
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE."""

    table: Table
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Identity:
    """GENERATED … AS IDENTITY."""

    always: bool
    start: int = 1
    step: int = 1


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column of CREATE or ALTER TABLE.

    `default` is the text of its value; None without one; empty for WITH DEFAULT alone, which means the type's.
    """

    name: str
    type: SqlType
    nullable: bool = True
    default: str | None = None
    identity: Identity | None = None
    generated: str = ""
    key: str = ""  # PRIMARY KEY or UNIQUE


@dataclass(frozen=True, slots=True)
class Key:
    """A PRIMARY KEY or UNIQUE constraint, or an index."""

    kind: str
    columns: tuple[tuple[str, bool], ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE, by columns, as the columns of a query, or like a table."""

    names: Names
    columns: tuple[ColumnDefinition, ...] = ()
    keys: tuple[Key, ...] = ()
    query: Query | None = None
    like: Names = ()
    captured: bool = False


@dataclass(frozen=True, slots=True)
class Alteration:
    """A clause of ALTER TABLE; what it needs of the rest."""

    action: str
    column: str = ""
    definition: ColumnDefinition | None = None
    key: Key | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE."""

    names: Names
    alterations: tuple[Alteration, ...]


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """CREATE INDEX."""

    names: Names
    table: Names
    key: Key


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP TABLE, INDEX, SCHEMA."""

    kind: str
    names: Names
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """RENAME TABLE."""

    names: Names
    new: str


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON; `column` is empty for a table's."""

    names: Names
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """CREATE SCHEMA."""

    name: str


@dataclass(frozen=True, slots=True)
class Truncate:
    """TRUNCATE."""

    names: Names


@dataclass(frozen=True, slots=True)
class LockTable:
    """LOCK TABLE; SHARE or EXCLUSIVE."""

    names: Names
    mode: str


@dataclass(frozen=True, slots=True)
class Set:
    """SET of a special register."""

    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Unit:
    """COMMIT, ROLLBACK, SAVEPOINT, RELEASE, ROLLBACK TO."""

    action: str
    savepoint: str = ""


@dataclass(frozen=True, slots=True)
class CallProcedure:
    """CALL."""

    names: Names
    arguments: tuple[Expression, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Nothing:
    """What has no effect here: GRANT, RUNSTATS and the like."""

    verb: str


Statement: TypeAlias = (
    SelectStatement | Insert | Update | Delete | CreateTable | AlterTable | CreateIndex | Drop | Rename | Comment | CreateSchema
    | Truncate | LockTable | Set | Unit | CallProcedure | Nothing
)  # fmt: skip
