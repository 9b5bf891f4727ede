"""T-SQL as a tree: expressions, queries, statements.

The reader is the engine's own, not sqlglot's: of 45 statements that drivers and Debezium send, sqlglot's tsql dialect
refused six and read three as something else without a word (`IF @@TRANCOUNT > 0 COMMIT TRAN` as an alias, DATEDIFF
over offsets, DATENAME).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tailrace.standin.sqlserver.engine.nodes import (
    AtTimeZone,
    Between,
    Binary,
    Call,
    Case,
    Cast,
    Collate,
    Column,
    Combined,
    Common,
    Derived,
    Exists,
    Expression,
    In,
    IsNull,
    Item,
    Join,
    Like,
    Literal,
    Names,
    Order,
    Query,
    Scalar,
    Select,
    Source,
    Star,
    Table,
    TableCall,
    Unary,
    Values,
    Variable,
    Window,
)
from tailrace.standin.sqlserver.values import SqlType

__all__ = [
    "AlterDatabase",
    "AlterTable",
    "Argument",
    "Assign",
    "AtTimeZone",
    "Between",
    "Binary",
    "Block",
    "Call",
    "Case",
    "Cast",
    "Collate",
    "Column",
    "ColumnDefinition",
    "Combined",
    "Common",
    "ConstraintDefinition",
    "CreateDatabase",
    "CreateIndex",
    "CreateSchema",
    "CreateTable",
    "Declare",
    "Declared",
    "Default",
    "Delete",
    "Derived",
    "Drop",
    "Execute",
    "Exists",
    "Expression",
    "If",
    "Ignored",
    "In",
    "Insert",
    "IsNull",
    "Item",
    "Join",
    "Leave",
    "Like",
    "Literal",
    "Names",
    "Order",
    "Print",
    "Query",
    "Raiserror",
    "Return",
    "Scalar",
    "Select",
    "SelectStatement",
    "SetOption",
    "Source",
    "Star",
    "Statement",
    "Table",
    "TableCall",
    "Throw",
    "Transaction",
    "Truncate",
    "Try",
    "Unary",
    "Update",
    "Use",
    "Values",
    "Variable",
    "WaitFor",
    "While",
    "Window",
]


@dataclass(slots=True, eq=False)
class Statement:
    """What all statements have: their line, and the plans made for them; ALTER TABLE its text too, for the log."""

    line: int = field(default=1, kw_only=True)
    text_in_log: str = field(default="", kw_only=True)
    plans: dict[Any, Any] = field(default_factory=dict, kw_only=True)


@dataclass(slots=True, eq=False)
class SelectStatement(Statement):
    """A query that answers with rows, or assigns to variables, or makes a table (INTO)."""

    query: Query


@dataclass(slots=True, eq=False)
class Default:
    """DEFAULT in a list of values."""


@dataclass(slots=True, eq=False)
class Insert(Statement):
    """INSERT; `source` None means DEFAULT VALUES."""

    target: Table
    columns: Names
    source: Query | Execute | None
    output: list[Item] = field(default_factory=list)
    output_into: Names = ()
    common: list[Common] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Update(Statement):
    """UPDATE; assignments as (column, variable, expression)."""

    target: Table
    assignments: list[tuple[str, str, Expression]]
    sources: list[Source] = field(default_factory=list)
    where: Expression | None = None
    top: Expression | None = None
    output: list[Item] = field(default_factory=list)
    output_into: Names = ()
    common: list[Common] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Delete(Statement):
    """DELETE."""

    target: Table
    sources: list[Source] = field(default_factory=list)
    where: Expression | None = None
    top: Expression | None = None
    output: list[Item] = field(default_factory=list)
    output_into: Names = ()
    common: list[Common] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Argument:
    """An argument of EXEC."""

    name: str
    value: Expression | Default
    is_output: bool = False


@dataclass(slots=True, eq=False)
class Execute(Statement):
    """EXEC procedure, or EXEC ('text')."""

    names: Names
    arguments: list[Argument]
    into: str = ""
    text: Expression | None = None
    name_variable: str = ""


@dataclass(slots=True, eq=False)
class Declared:
    """A variable in DECLARE; `table` where it is one."""

    name: str
    type: SqlType | None
    value: Expression | None = None
    table: CreateTable | None = None


@dataclass(slots=True, eq=False)
class Declare(Statement):
    """DECLARE."""

    variables: list[Declared]


@dataclass(slots=True, eq=False)
class Assign(Statement):
    """SET @x = …."""

    name: str
    value: Expression


@dataclass(slots=True, eq=False)
class SetOption(Statement):
    """SET option value; names in upper case, the value as its words."""

    name: str
    value: Names
    table: Names = ()
    expression: Expression | None = None


@dataclass(slots=True, eq=False)
class If(Statement):
    """IF … ELSE …."""

    condition: Expression
    then: list[Statement]
    otherwise: list[Statement]


@dataclass(slots=True, eq=False)
class While(Statement):
    """WHILE."""

    condition: Expression
    body: list[Statement]


@dataclass(slots=True, eq=False)
class Block(Statement):
    """BEGIN … END."""

    body: list[Statement]


@dataclass(slots=True, eq=False)
class Try(Statement):
    """BEGIN TRY … BEGIN CATCH …."""

    body: list[Statement]
    catch: list[Statement]


@dataclass(slots=True, eq=False)
class Throw(Statement):
    """THROW [number, message, state]."""

    arguments: list[Expression]


@dataclass(slots=True, eq=False)
class Raiserror(Statement):
    """RAISERROR (message, severity, state, arguments…) WITH options."""

    arguments: list[Expression]
    options: Names


@dataclass(slots=True, eq=False)
class Print(Statement):
    """PRINT."""

    value: Expression


@dataclass(slots=True, eq=False)
class Return(Statement):
    """RETURN [status]."""

    value: Expression | None


@dataclass(slots=True, eq=False)
class Leave(Statement):
    """BREAK or CONTINUE."""

    kind: str


@dataclass(slots=True, eq=False)
class Use(Statement):
    """USE."""

    database: str


@dataclass(slots=True, eq=False)
class WaitFor(Statement):
    """WAITFOR DELAY."""

    delay: Expression


@dataclass(slots=True, eq=False)
class Transaction(Statement):
    """BEGIN, COMMIT, ROLLBACK, SAVE; the name as written, or a variable's."""

    verb: str
    name: str = ""


@dataclass(slots=True, eq=False)
class Ignored(Statement):
    """A statement that changes nothing here: GRANT, DENY, UPDATE STATISTICS, CHECKPOINT…."""

    what: str


@dataclass(slots=True, eq=False)
class ColumnDefinition:
    """A column as CREATE TABLE and ALTER TABLE say it."""

    name: str
    type: SqlType | None = None
    nullable: bool | None = None
    identity: tuple[int, int] | None = None
    default: str = ""
    default_name: str = ""
    computed: str = ""
    persisted: bool = False
    constraints: list[ConstraintDefinition] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class ConstraintDefinition:
    """A constraint: kind PRIMARY KEY, UNIQUE, CHECK, FOREIGN KEY or DEFAULT; `text` is T-SQL of a check or default."""

    kind: str
    name: str = ""
    columns: list[tuple[str, bool]] = field(default_factory=list)
    clustered: bool | None = None
    text: str = ""
    references: Names = ()
    referenced_columns: Names = ()
    on_delete: str = ""
    on_update: str = ""


@dataclass(slots=True, eq=False)
class CreateTable(Statement):
    """CREATE TABLE."""

    names: Names
    columns: list[ColumnDefinition]
    constraints: list[ConstraintDefinition]


@dataclass(slots=True, eq=False)
class CreateIndex(Statement):
    """CREATE INDEX."""

    name: str
    table: Names
    columns: list[tuple[str, bool]]
    included: Names
    unique: bool
    clustered: bool
    filter: str = ""


@dataclass(slots=True, eq=False)
class CreateSchema(Statement):
    """CREATE SCHEMA."""

    name: str


@dataclass(slots=True, eq=False)
class CreateDatabase(Statement):
    """CREATE DATABASE."""

    name: str
    collation: str = ""


@dataclass(slots=True, eq=False)
class Drop(Statement):
    """DROP TABLE, INDEX, SCHEMA, DATABASE …; an index as (table names…, index)."""

    kind: str
    names: list[Names]
    if_exists: bool = False


@dataclass(slots=True, eq=False)
class AlterTable(Statement):
    """ALTER TABLE: one action with what it needs."""

    names: Names
    action: str
    columns: list[ColumnDefinition] = field(default_factory=list)
    constraints: list[ConstraintDefinition] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    if_exists: bool = False


@dataclass(slots=True, eq=False)
class AlterDatabase(Statement):
    """ALTER DATABASE … SET option value, or MODIFY NAME, or COLLATE."""

    name: str
    options: list[tuple[str, str]]
    new_name: str = ""


@dataclass(slots=True, eq=False)
class Truncate(Statement):
    """TRUNCATE TABLE."""

    names: Names
