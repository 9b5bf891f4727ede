"""Nodes of the syntax tree: queries, DML and control flow."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace_standins.sqlserver.engine.definition_nodes import CreateTable
from tailrace_standins.sqlserver.engine.nodes import Common, Expression, Item, Names, Query, Source, Table
from tailrace_standins.sqlserver.engine.statement_base import Statement
from tailrace_standins.sqlserver.values import SqlType


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
