"""What a database consists of.

Definitions are values: DDL replaces a table's by another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from tailrace_standins.db2.engine.rights import Grant
from tailrace_standins.db2.engine.tree import Identity
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType

SPACE: Final = 2  # USERSPACE1, the table space of all
LUW, ZOS = "LUW", "ZOS"  # platforms
OWNER: Final = "DB2INST1"  # of the instance, and so of what the server makes by itself


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `default` is its text, None without one, empty for the type's own."""

    id: int
    name: str
    type: SqlType
    nullable: bool = True
    default: str | None = None
    identity: Identity | None = None
    generated: str = ""
    remarks: str | None = None

    @property
    def slot(self) -> str:
        """Its name in SQLite."""
        return f"c{self.id}"


@dataclass(frozen=True, slots=True)
class Index:
    """An index, by numbers of columns; `kind` is P (primary key), U (unique) or D (with duplicates).

    Attributes:
        constraint: the constraint that it enforces; empty: none.
        reverts: its kind before it was taken for the constraint, which it has again without that; empty: it was made for it.

    """

    schema: str
    name: str
    kind: str
    columns: tuple[tuple[int, bool], ...]
    constraint: str = ""
    id: int = 1
    created: str = ""
    reverts: str = ""

    @property
    def is_constraint(self) -> bool:
        """Whether it enforces a constraint."""
        return bool(self.constraint)


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    id: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...] = ()
    captured: bool = False
    created: str = ""
    altered: str = ""
    remarks: str | None = None
    last_column: int = 0
    is_temporary: bool = False
    owner: str = ""
    is_volatile: bool = False

    @property
    def storage(self) -> str:
        """Its name in SQLite."""
        return f"t{self.id}"

    @property
    def stored(self) -> tuple[Column, ...]:
        """Its columns in SQLite."""
        return self.columns

    def column(self, name: str) -> Column:
        """A column by name; raises `SqlError` -205."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SqlError(-205, "42703", name, f"{self.schema}.{self.name}")

    def with_column(self, column: Column) -> Table:
        """The table with a column replaced."""
        return replace(self, columns=tuple(column if each.id == column.id else each for each in self.columns))

    def by_id(self, number: int) -> Column:
        """A column by number."""
        return next(column for column in self.columns if column.id == number)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What RUNSTATS collected: rows, pages of 4 KB, bytes of a row, bytes of each column by number; -1 before it."""

    rows: int = -1
    pages: int = -1
    width: int = -1
    widths: dict[int, int] = field(default_factory=dict)
    time: str | None = None


NO_STATISTICS: Final = Statistics()


def _configured() -> dict[str, str]:
    return {
        "logarchmeth1": "LOGRETAIN", "logarchmeth2": "OFF", "codepage": "1208", "codeset": "UTF-8", "territory": "US",
        "collate_info": "IDENTITY", "cur_commit": "ON", "locktimeout": "-1", "pagesize": "4096", "restrict_access": "NO",
    }  # fmt: skip


@dataclass(slots=True)
class Database:
    """The tables of a database, and what else its catalogue tells.

    Attributes:
        platform: LUW or ZOS.
        version: grows with each change of a definition, of rights, of statistics.
        identities: the last value of identity columns, by table and column.
        administrators: users that may do all, in capitals.
        grants: privileges of the others.
        configuration: as SYSIBMADM.DBCFG shows it.
        statistics: by table.
        functions: of the stand-in's own, by schema and name; they get the session and texts.
        procedures: likewise, for CALL.

    """

    name: str
    platform: str = LUW
    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    schemas: set[str] = field(default_factory=set)
    version: int = 0
    identities: dict[tuple[int, int], int] = field(default_factory=dict)
    administrators: set[str] = field(default_factory=lambda: {OWNER})
    grants: dict[Grant, frozenset[str]] = field(default_factory=dict)
    configuration: dict[str, str] = field(default_factory=_configured)
    statistics: dict[int, Statistics] = field(default_factory=dict)
    functions: dict[tuple[str, str], Any] = field(default_factory=dict)
    procedures: dict[tuple[str, str], Any] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(4))

    def new_id(self) -> int:
        """The next TABLEID."""
        return next(self._numbers)

    def find(self, schema: str, name: str) -> Table:
        """A table; raises `SqlError` -204."""
        found = self.tables.get((schema, name))
        if found is None:
            raise SqlError(-204, "42704", f"{schema}.{name}")
        return found

    def put(self, old: Table | None, new: Table | None) -> None:
        """Replace a definition; None for what is not there."""
        if old is not None:
            self.tables.pop((old.schema, old.name), None)
        if new is not None:
            self.tables[new.schema, new.name] = new
            self.schemas.add(new.schema)
        self.version += 1
