"""Statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tailrace_standins.db2.engine.tree.expressions import Expression, Names
from tailrace_standins.db2.engine.tree.queries import Query, Table
from tailrace_standins.db2.values import SqlType


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """A query as a statement; `isolation` is UR, CS, RS, RR or empty, `resolution` WAIT FOR OUTCOME and the like or empty."""

    query: Query
    isolation: str = ""
    resolution: str = ""


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
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Rights:
    """GRANT or, not `gives`, REVOKE of privileges on a TABLE, a SCHEMA or the DATABASE."""

    gives: bool
    privileges: tuple[str, ...]
    kind: str
    names: Names
    grantees: Names


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """RUNSTATS ON TABLE."""

    names: Names


@dataclass(frozen=True, slots=True)
class Nothing:
    """What has no effect here: GRANT of roles and the like."""

    verb: str


Statement: TypeAlias = (
    SelectStatement | Insert | Update | Delete | CreateTable | AlterTable | CreateIndex | Drop | Rename | Comment | CreateSchema
    | Truncate | LockTable | Set | Unit | CallProcedure | Rights | RunStatistics | Nothing
)  # fmt: skip
