"""The base of system views: column lists in a short text form, and the sources of their rows.

Source: "System catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
# ruff: noqa: E501  # texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import access, types
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.system import SystemView
from tailrace_standins.sqlserver.values import MAX, SqlType, Value
from tailrace_standins.storage.reading import view_of
from tailrace_standins.storage.visibility import VISIBLE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


ViewRows = Iterable[Sequence[Value]]
_SHORT: Final = {
    "i": types.INT, "b": types.BIT, "t": types.TINYINT, "s": types.SMALLINT, "l": types.BIGINT, "n": types.SYSNAME, "d": types.DATETIME,
    "x": types.text("nvarchar", 4000), "c": types.text("char", 2), "m": types.text("nvarchar", MAX), "v": types.VARIANT,
    "o": types.DATETIMEOFFSET, "y": types.binary("varbinary", 85), "g": types.GUID,
}  # fmt: skip


def columns(text: str) -> tuple[tuple[str, SqlType], ...]:
    """`name:n object_id:i` as columns with types."""
    return tuple((name, _SHORT[code]) for name, _, code in (part.partition(":") for part in text.split()))


def view(
    name: str,
    text: str,
    rows: Callable[[EngineSession, Database], ViewRows],
    *,
    is_live: bool = False,
    permission: str = "",
) -> SystemView:
    """A view of short column texts."""
    return SystemView(name, columns(text), rows, is_live, permission)


def tables_of(session: EngineSession, database: Database) -> list[Table]:
    """The tables of a database that the session may see, its own in tempdb too."""
    found = sorted((t for t in database.by_id.values() if access.sees(session, database, t)), key=lambda t: t.id)
    return found + list(session.temporary.values()) if database.name.lower() == "tempdb" else found


def schema_id(database: Database, table: Table) -> int:
    """The number of a table's schema."""
    return database.schemas[table.schema.lower()][0]


def row_count(session: EngineSession, table: Table) -> int:
    """Rows that the session sees of a table."""
    seen, mark = view_of(session)
    return int(
        session.connection.rows(f"SELECT COUNT(*) FROM {table.storage} WHERE {VISIBLE}", {"s": seen, "t": mark})[0][0]
    )


def no_rows(_session: EngineSession, _database: Database) -> ViewRows:
    """A view that is always empty."""
    return []


OBJECT: Final = (
    "name:n object_id:i schema_id:i parent_object_id:i type:c type_desc:n create_date:d modify_date:d is_ms_shipped:b"
)
