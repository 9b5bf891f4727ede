"""Reading and writing rows of the tables of `shapes.py`, as versions of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tailrace.standin.sqlserver.cdc.messages import failure
from tailrace.standin.sqlserver.engine import definitions, moments, versions
from tailrace.standin.sqlserver.engine.alter import changing
from tailrace.standin.sqlserver.engine.catalog import Database, Table
from tailrace.standin.sqlserver.engine.log import Operation
from tailrace.standin.sqlserver.engine.reading_locks import view_of
from tailrace.standin.sqlserver.engine.stored import Stored
from tailrace.standin.sqlserver.engine.transactions import Transaction
from tailrace.standin.sqlserver.engine.visibility import VISIBLE

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

Version = tuple[Stored, ...]  # rid, row, end, then the stored values


def table(database: Database, name: str) -> Table:
    """A table of the schema cdc; raises 22901 where the database has none."""
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

    `condition` and `order` are SQLite's over slots (`c1` is the first column), with ?1, ?2… for `values`.
    """
    seen, mark = view_of(session)
    slots = ",".join(column.slot for column in of.stored)
    where = VISIBLE.replace(":s", "?98").replace(":t", "?99") + (f" AND {condition}" if condition else "")
    given = {str(place): value for place, value in enumerate(values, 1)} | {"98": seen, "99": mark}
    sql = f"SELECT rid,r,e,{slots} FROM {of.storage} WHERE {where} ORDER BY {order} LIMIT {limit}"  # noqa: S608
    return session.connection.rows(_named(sql), {f"p{key}": value for key, value in given.items()})


def _named(sql: str) -> str:
    return sql.replace("?", ":p")


def slot(of: Table, name: str) -> str:
    """A column's name in SQLite."""
    return of.column(name).slot


def add(session: EngineSession, transaction: Transaction, to: Table, rows: Sequence[Sequence[Stored]]) -> None:
    """New rows."""
    versions.make(session, transaction, to, rows)


def remove(
    session: EngineSession, transaction: Transaction, database: Database, of: Table, found: Sequence[Version]
) -> None:
    """Rows that `read` found go."""
    versions.end(session, transaction, database, of, [(row[0], row[1], row[2]) for row in found])


def change(
    session: EngineSession, transaction: Transaction, database: Database, of: Table, found: Version, **values: Stored
) -> None:
    """A row that `read` found gets other values."""
    new = list(found[3:])
    names = [column.name for column in of.stored]
    for name, value in values.items():
        new[names.index(name)] = value
    remove(session, transaction, database, of, [found])
    versions.make(session, transaction, of, [new], [found[1]])


def create(session: EngineSession, transaction: Transaction, database: Database, made: Table) -> None:
    """A table comes to be."""
    for sql in definitions.storage_statements(made):
        session.connection.execute(sql)
    changing(session, transaction, database, None, made, Operation.CREATE_TABLE, drop_on_undo=True)


def drop(session: EngineSession, transaction: Transaction, database: Database, of: Table) -> None:
    """A table goes, its rows with the commit."""
    changing(session, transaction, database, of, None, Operation.DROP_TABLE)
    transaction.storages.discard(of.storage)
    session.engine.littered.discard(of.storage)
    transaction.after.append(f"DROP TABLE {of.storage}")


def datetime_stored(moment: str) -> str:
    """A datetime2(7) as it is stored, rounded as datetime is."""
    return moments.text(moments.as_datetime(moments.moment(moment)))


@contextmanager
def inside(session: EngineSession, database: Database) -> Iterator[None]:
    """The session works in a database for a while (`EXEC db.sys.sp_cdc_…`)."""
    before = session.database
    list(session.use(database.name))
    try:
        yield
    finally:
        list(session.use(before))
