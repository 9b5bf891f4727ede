"""The catalog: databases, schemas, tables, columns, indexes, constraints.

A `Table` is immutable. DDL replaces it by another one, so that a rollback can restore the old one. Table data is in SQLite
under the name `t<object id>`, a column under its `slot`, which does not change when the column is renamed.

Source: "System catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import count
from typing import Final

from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.principals import Principals
from tailrace_standins.sqlserver.values import DEFAULT_COLLATION, SqlType

FIRST_OBJECT: Final = 885_578_193
SYSTEM_DATABASES: Final = 4
FIXED_SCHEMAS: Final = {"dbo": 1, "guest": 2, "INFORMATION_SCHEMA": 3, "sys": 4}


@dataclass(frozen=True, slots=True)
class Default:
    """A default with its name and normalised text (`((5))`)."""

    name: str
    text: str
    id: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        id: column_id, never given out twice in a table.
        slot: its name in SQLite.
        identity: seed and increment.
        computed: T-SQL text, empty where it is a plain column.
        alias: the alias type that it was declared with: sysname, or empty.
        masked: the function that masks it for who lacks UNMASK, or empty; values are shown all the same.

    """

    name: str
    type: SqlType
    nullable: bool
    id: int
    slot: str
    identity: tuple[int, int] | None = None
    default: Default | None = None
    computed: str = ""
    persisted: bool = False
    alias: str = ""
    masked: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """An index, or the index of a PRIMARY KEY or UNIQUE constraint (then with its object id).

    Attributes:
        columns: (column id, descending).
        tree: the number of its B-tree, never given out twice; 0 for an index of the server's own.
        is_hypothetical: whether it has statistics only.
        is_disabled: whether it has no B-tree until it is rebuilt.

    """

    name: str
    id: int
    columns: tuple[tuple[int, bool], ...]
    unique: bool = False
    primary: bool = False
    constraint_id: int = 0
    clustered: bool = False
    included: tuple[int, ...] = ()
    tree: int = 0
    is_hypothetical: bool = False
    is_disabled: bool = False

    @property
    def has_tree(self) -> bool:
        """Whether it has a B-tree."""
        return not self.is_hypothetical and not self.is_disabled

    @property
    def is_enforced(self) -> bool:
        """Whether it keeps equal keys out."""
        return self.unique and self.has_tree


@dataclass(frozen=True, slots=True)
class Check:
    """A CHECK constraint."""

    name: str
    id: int
    text: str


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A FOREIGN KEY constraint: column ids here and there."""

    name: str
    id: int
    columns: tuple[int, ...]
    table_id: int
    referenced: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """A user table (or one of a feature's own, `is_shipped`)."""

    id: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...] = ()
    checks: tuple[Check, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    created: str = ""
    modified: str = ""
    is_shipped: bool = False
    is_temporary: bool = False
    next_column: int = 1

    @cached_property
    def storage(self) -> str:
        """Its name in SQLite."""
        return f"{'temp.' if self.is_temporary else ''}t{self.id}"

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """Columns by name in lower case."""
        return {column.name.lower(): column for column in self.columns}

    @cached_property
    def by_id(self) -> dict[int, Column]:
        """Columns by id."""
        return {column.id: column for column in self.columns}

    @cached_property
    def stored(self) -> tuple[Column, ...]:
        """The columns that are stored in SQLite: all but computed ones."""
        return tuple(column for column in self.columns if not column.computed)

    @cached_property
    def identity(self) -> Column | None:
        """The identity column."""
        return next((column for column in self.columns if column.identity), None)

    @cached_property
    def primary_key(self) -> Index | None:
        """The primary key's index."""
        return next((index for index in self.indexes if index.primary), None)

    @cached_property
    def body(self) -> str:
        """It all as JSON."""
        return json.dumps(asdict(self))

    @cached_property
    def digest(self) -> str:
        """A key that is different for each definition."""
        return hashlib.sha256(self.body.encode()).hexdigest()

    def column(self, name: str) -> Column:
        """The column of that name; raises 207."""
        found = self.by_name.get(name.lower())
        if found is None:
            raise error(207, name)
        return found


@dataclass(slots=True)
class Database:
    """A database.

    Attributes:
        options: in upper case, with their values: ALLOW_SNAPSHOT_ISOLATION, READ_COMMITTED_SNAPSHOT, RECOVERY…;
            FILEGROUP and a name for a filegroup.
        is_cdc_enabled: as sys.databases shows it; kept by `cdc`.
        principals: its users and roles with their permissions; master has the server's logins too.

    """

    id: int
    name: str
    created: str
    collation: str = DEFAULT_COLLATION
    options: dict[str, str] = field(default_factory=dict)
    is_cdc_enabled: bool = False
    principals: Principals = field(default_factory=Principals)
    schemas: dict[str, tuple[int, str]] = field(default_factory=dict)
    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    by_id: dict[int, Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Every database has the fixed schemas."""
        for name, number in FIXED_SCHEMAS.items():
            self.schemas.setdefault(name.lower(), (number, name))

    @property
    def is_system(self) -> bool:
        """Whether it is master, tempdb, model or msdb."""
        return self.id <= SYSTEM_DATABASES

    def has_filegroup(self, name: str) -> bool:
        """Whether a filegroup exists; its content is not modelled."""
        return name.upper() == "PRIMARY" or self.options.get(f"FILEGROUP {name.upper()}") == "ON"

    def put(self, table: Table) -> None:
        """Add a table or replace the one of its id."""
        old = self.by_id.get(table.id)
        if old is not None:
            del self.tables[old.schema.lower(), old.name.lower()]
        self.by_id[table.id] = table
        self.tables[table.schema.lower(), table.name.lower()] = table

    def remove(self, table_id: int) -> None:
        """Forget a table."""
        table = self.by_id.pop(table_id)
        del self.tables[table.schema.lower(), table.name.lower()]

    def table(self, schema: str, name: str) -> Table | None:
        """The table of that name, or None."""
        return self.tables.get((schema.lower() or "dbo", name.lower()))

    def is_on(self, option: str) -> bool:
        """Whether an option is ON."""
        return self.options.get(option) == "ON"


class Catalog:
    """The server's databases; `version` grows with every change of a definition."""

    def __init__(self) -> None:
        self.databases: dict[str, Database] = {}
        self.version = 1
        self.objects = count(FIRST_OBJECT, 16)

    def database(self, name: str) -> Database:
        """The database of that name; raises 911."""
        found = self.databases.get(name.lower())
        if found is None:
            raise error(911, name)
        return found

    def find(self, names: tuple[str, ...], current: str) -> tuple[Database, str, str]:
        """The database, schema (empty where left out) and object that `[[server.]db.][schema.]object` names.

        Raises 208 and 911.
        """
        if len(names) > 3:
            raise error(208, ".".join(names))
        name = names[-1]
        schema = names[-2] if len(names) > 1 else ""
        database = names[-3] if len(names) > 2 and names[-3] else current
        found = self.databases.get(database.lower())
        if found is None:
            raise error(208, ".".join(names)) if len(names) > 2 else error(911, database)
        return found, schema, name

    def changed(self) -> None:
        """Note that a definition changed: cached plans become invalid."""
        self.version += 1

    def new_id(self) -> int:
        """An object id, never given out twice by this server."""
        return next(self.objects)
