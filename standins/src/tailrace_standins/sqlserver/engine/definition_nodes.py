"""Nodes of the syntax tree: DDL statements."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace_standins.sqlserver.engine.nodes import Names
from tailrace_standins.sqlserver.engine.statement_base import Statement
from tailrace_standins.sqlserver.values import SqlType


@dataclass(slots=True, eq=False)
class ColumnDefinition:
    """A column as CREATE TABLE and ALTER TABLE say it."""

    name: str
    type: SqlType | None = None
    alias: str = ""  # sysname, where that is the type's name
    nullable: bool | None = None
    identity: tuple[int, int] | None = None
    default: str = ""
    default_name: str = ""
    computed: str = ""
    persisted: bool = False
    masked: str = ""  # the function of MASKED WITH
    fills_rows: bool = False  # WITH VALUES
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
    is_hypothetical: bool = False


@dataclass(slots=True, eq=False)
class AlterIndex(Statement):
    """ALTER INDEX … REBUILD or DISABLE; `name` is empty for ALL."""

    name: str
    table: Names
    action: str


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
    """ALTER TABLE: one action with its operands."""

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
