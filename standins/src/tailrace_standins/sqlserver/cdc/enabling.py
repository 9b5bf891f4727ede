"""sp_cdc_enable_db and sp_cdc_enable_table.

Sources: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-enable-db-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-enable-table-transact-sql
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import rows, shapes
from tailrace_standins.sqlserver.cdc.instances import Captured, Instance, Instances
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.system_rows import ChangeTable
from tailrace_standins.sqlserver.engine import security
from tailrace_standins.sqlserver.engine.alter import forget_schema, lock_schema
from tailrace_standins.sqlserver.engine.catalog import Column, Database, Index, Table
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.storage.transactions import Undo, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_MOST_COLUMNS: Final = 1018  # 1,024 less the change table's own columns
_LONGEST_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """The arguments of sp_cdc_enable_table; None for absent ones."""

    schema: str
    name: str
    instance: str | None
    supports_net_changes: bool | None
    role: str | None
    index: str | None
    columns: str | None
    filegroup: str | None


def enable_db(session: EngineSession, database: Database) -> None:
    """Create the schema cdc with its tables; raises 22989, 22906."""
    if database.is_system:
        raise failure(22989, database.name)
    if "cdc" in database.schemas:
        raise failure(22906, database.name)
    number = max(number for number, _ in database.schemas.values() if number < 16384) + 1
    now = session.engine.now()[:23]

    def work(transaction: Transaction) -> None:
        database.schemas["cdc"] = (number, "cdc")
        database.is_cdc_enabled = True
        transaction.undo.append(Undo(action=lambda _c: _not_enabled(session, database)))
        for name, columns, clustered, others in shapes.SYSTEM_TABLES:
            made = shapes.system_table(session.engine.catalog, "cdc", name, columns, clustered, others, created=now)
            rows.create(session, transaction, database, made)

    write(session, work)


def _not_enabled(session: EngineSession, database: Database) -> None:
    database.is_cdc_enabled = False
    forget_schema(session, database, "cdc")


def enable_table(session: EngineSession, database: Database, instances: Instances, wish: Wish) -> Instance:
    """Create a capture instance; raises 22901, 22931, 22974 and the other errors of the procedure's page."""
    change_tables = rows.table(database, "change_tables")
    source = database.table(wish.schema, wish.name)
    if wish.schema.lower() == "cdc":
        raise failure(22974)
    if source is None or source.is_shipped:
        raise failure(22931, wish.schema, wish.name)
    name = _instance_name(session, database, source, wish)
    index = _identifying(source, wish)
    captured = _captured(source, wish, name)
    key = [source.by_id[column] for column, _ in index.columns] if index else []
    if any(column not in captured for column in key):
        raise failure(22943)
    net = wish.supports_net_changes if wish.supports_net_changes is not None else index is not None
    if net and index is None:
        raise failure(22939)
    if wish.filegroup and not database.has_filegroup(wish.filegroup):
        raise failure(22973, wish.filegroup, database.name)
    lock_schema(session, source)
    now = session.engine.now()
    made = shapes.change_table(
        session.engine.catalog, name, captured, [c.name for c in key] if net else [], created=now[:23]
    )
    listed = tuple(Captured(c.name, c.id, place, bool(c.computed)) for place, c in enumerate(captured, 1))
    role = wish.role.rstrip() if wish.role else None
    key_ids, index_name = tuple(c.id for c in key), index.name if index else None
    instance = Instance(database.id, made.id, source.id, name, listed, key_ids, index_name, net, role)
    filegroup = wish.filegroup or None

    def work(transaction: Transaction) -> None:
        rows.create(session, transaction, database, made)
        if role is not None and role.lower() not in database.principals.roles:
            security.put(session, transaction, database, security.with_new_role(database.principals, role))
        row = [
            made.id,
            0,
            source.id,
            name,
            None,
            None,
            int(net),
            0,
            role,
            instance.index_name,
            filegroup,
            rows.datetime_stored(now),
            1,
        ]
        rows.add(session, transaction, change_tables, [row])
        columns = [
            [made.id, c.name, c.id, c.type.name, place, int(bool(c.computed))] for place, c in enumerate(captured, 1)
        ]
        rows.add(session, transaction, rows.table(database, "captured_columns"), columns)
        keys = [[made.id, c.name, place, c.id] for place, c in enumerate(key, 1)]
        rows.add(session, transaction, rows.table(database, "index_columns"), keys)

    instances.proposed[made.id] = instance
    write(session, work)
    return instance


def _instance_name(session: EngineSession, database: Database, source: Table, wish: Wish) -> str:
    name = (wish.instance if wish.instance is not None else f"{source.schema}_{source.name}").rstrip()
    if not name:
        raise failure(22932, name)
    if len(name) > _LONGEST_NAME:
        raise failure(22927, name)
    wanted = "(source_object_id=?1 OR capture_instance=?2 COLLATE NOCASE)"
    found = rows.listed(session, database, ChangeTable, wanted, [source.id, name])
    if any(row.is_named(name) for row in found):
        raise failure(22926, name)
    if sum(row.source_object_id == source.id for row in found) >= 2:
        raise failure(22962, source.schema, source.name)
    return name


def _identifying(source: Table, wish: Wish) -> Index | None:
    """The index that identifies rows: the named one, or the primary key; raises 22928, 22929, 22838."""
    if not wish.index:
        return source.primary_key
    index = next((i for i in source.indexes if i.name.lower() == wish.index.lower()), None)
    if index is None:
        raise failure(22928, wish.index, source.schema, source.name)
    if not index.unique:
        raise failure(22929, index.name, source.schema, source.name)
    if any(source.by_id[column].nullable for column, _ in index.columns):
        raise failure(22838, index.name, source.schema, source.name)
    return index


def _captured(source: Table, wish: Wish, instance: str) -> list[Column]:
    """The captured columns, in the source's order; raises 22930, 22975, 22925."""
    if wish.columns is None:
        captured = list(source.columns)
    else:
        names = {name.lower() for name in column_names(wish.columns)}
        for name in column_names(wish.columns):
            if name.lower() not in source.by_name:
                raise failure(22930, name, source.schema, source.name)
        captured = [column for column in source.columns if column.name.lower() in names]
    if any(column.name in shapes.RESERVED for column in captured):
        raise failure(22975, f"{source.schema}.{source.name}")
    if len(captured) > _MOST_COLUMNS:
        raise failure(22925, instance, _MOST_COLUMNS)
    return captured


def column_names(text: str) -> Sequence[str]:
    """Parse a list of names, such as `a, [b, c], "d"`; raises 22965 if a quote is not closed."""
    names, rest = [], text.strip()
    while rest:
        if rest[0] in '["':
            name, rest = _quoted(rest)
        else:
            name, _, after = rest.partition(",")
            name, rest = name.strip(), "," + after if after else ""
        names.append(name)
        rest = rest.strip().removeprefix(",").strip()
    return names


def _quoted(text: str) -> tuple[str, str]:
    close = "]" if text[0] == "[" else '"'
    name, place = "", 1
    while place < len(text):
        if text[place] != close:
            name += text[place]
        elif text[place + 1 : place + 2] == close:
            name += close
            place += 1
        else:
            return name, text[place + 1 :]
        place += 1
    raise failure(22965)
