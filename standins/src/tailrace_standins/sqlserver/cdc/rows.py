"""Reads and writes rows of the tables of `shapes.py`, as row versions of the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.system_rows import NAMES, Row
from tailrace_standins.sqlserver.engine import definitions, temporal
from tailrace_standins.sqlserver.engine.alter import changing
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.reading_locks import begin_snapshot
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.storage import versions
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.reading import view_of
from tailrace_standins.storage.transactions import drop_storage
from tailrace_standins.storage.visibility import VISIBLE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_NAME: Final = re.compile(r"[A-Za-z_][\w$]*")
Version = tuple[Stored, ...]  # rid, row, end, then the stored values


def table(database: Database, name: str) -> Table:
    """A table of the schema cdc; raises 22901 if change data capture is not enabled."""
    found = database.table("cdc", name)
    if found is None or not database.is_cdc_enabled:
        raise failure(22901, database.name)
    return found


def read(
    session: EngineSession,
    of: Table,
    condition: str = "",
    values: Sequence[Stored] = (),
    *,
    order: str = "rid",
    limit: int = -1,
) -> list[Version]:
    """The versions that the session sees: (rid, row, end, *values).

    `condition` and `order` are SQLite expressions over column names, with ?1, ?2… for `values`.
    """
    begin_snapshot(session)
    seen, mark = view_of(session)
    slots = ",".join(column.slot for column in of.stored)
    where = VISIBLE.replace(":s", "?98").replace(":t", "?99") + (f" AND {_in_slots(of, condition)}" if condition else "")
    given = {str(place): value for place, value in enumerate(values, 1)} | {"98": seen, "99": mark}
    sql = f"SELECT rid,r,e,{slots} FROM {of.storage} WHERE {where} ORDER BY {_in_slots(of, order)} LIMIT {limit}"  # noqa: S608
    return session.connection.rows(_named(sql), {f"p{key}": value for key, value in given.items()})


def listed(
    session: EngineSession,
    database: Database,
    kind: type[Row],
    condition: str = "",
    values: Sequence[Stored] = (),
    *,
    order: str = "rid",
    limit: int = -1,
) -> list[Row]:
    """Rows of a table in the schema cdc, with their columns by name; raises 22901."""
    found = read(session, table(database, NAMES[kind]), condition, values, order=order, limit=limit)
    return [kind._make(row) for row in found]


def _in_slots(of: Table, text: str) -> str:
    """An expression with column names replaced by their names in SQLite."""

    def slot(found: re.Match[str]) -> str:
        column = of.by_name.get(found.group().lower())
        return column.slot if column is not None else found.group()

    return _NAME.sub(slot, text)


def _named(sql: str) -> str:
    return sql.replace("?", ":p")


def add(session: EngineSession, transaction: Transaction, to: Table, rows: Sequence[Sequence[Stored]]) -> None:
    """Insert rows."""
    versions.make(session, transaction, to, rows)


def remove(
    session: EngineSession, transaction: Transaction, database: Database, of: Table, found: Sequence[Version]
) -> None:
    """Delete rows that `read` returned."""
    versions.end(session, transaction, database, of, [(row[0], row[1], row[2]) for row in found])


def change(
    session: EngineSession, transaction: Transaction, database: Database, of: Table, found: Version, **values: Stored
) -> None:
    """Update a row that `read` returned."""
    new = list(found[3:])
    names = [column.name for column in of.stored]
    for name, value in values.items():
        new[names.index(name)] = value
    remove(session, transaction, database, of, [found])
    versions.make(session, transaction, of, [new], [found[1]])


def create(session: EngineSession, transaction: Transaction, database: Database, made: Table) -> None:
    """Create a table."""
    for sql in definitions.storage_statements(made):
        session.connection.execute(sql)
    changing(session, transaction, database, None, made, Operation.CREATE_TABLE, drop_on_undo=True)


def drop(session: EngineSession, transaction: Transaction, database: Database, of: Table) -> None:
    """Drop a table; its rows are removed at the commit."""
    changing(session, transaction, database, of, None, Operation.DROP_TABLE)
    drop_storage(session, transaction, of.storage)


def datetime_stored(moment: str) -> str:
    """The stored form of a datetime2(7), rounded like datetime (to 1/300 second)."""
    return temporal.text(temporal.as_datetime(temporal.moment(moment)))


@contextmanager
def inside(session: EngineSession, database: Database) -> Iterator[None]:
    """A context in which the session uses another database (`EXEC db.sys.sp_cdc_…`)."""
    before = session.database
    list(session.use(database.name))
    try:
        yield
    finally:
        list(session.use(before))
