"""Stores the catalog in the server's SQLite file, as a row of JSON for each database and each table, and restores it."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.sqlserver.engine.catalog import Check, Column, Database, Default, ForeignKey, Index, Table
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.principals import Permission, Principals, Role, ServerLogin, User
from tailrace_standins.sqlserver.values import SqlType

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.server import Engine


_NUMBER: Final = re.compile(r"(?:\bt|_)(\d{9,})\b")  # of an object, in a table's or a column's name
LAYOUT: Final = (
    "CREATE TABLE IF NOT EXISTS catalog (database TEXT PRIMARY KEY, body TEXT)",
    "CREATE TABLE IF NOT EXISTS catalog_tables (id INTEGER PRIMARY KEY, database INTEGER, body TEXT)",
)


@dataclass(slots=True)
class Saved:
    """The content of the file, so that only changes are written: databases' texts by name, definitions by id."""

    databases: dict[str, str] = field(default_factory=dict)
    tables: dict[int, Table] = field(default_factory=dict)


def save(engine: Engine, connection: Connection, saved: Saved) -> None:
    """Write what has changed since the last time."""
    databases: dict[str, str] = {}
    kept: set[int] = set()
    for key, database in engine.catalog.databases.items():
        databases[key] = json.dumps(asdict(replace(database, tables={}, by_id={})))
        kept |= database.by_id.keys()
        changed = [table for table in database.by_id.values() if saved.tables.get(table.id) is not table]
        rows = [(table.id, database.id, table.body) for table in changed]
        connection.many("INSERT OR REPLACE INTO catalog_tables VALUES (?,?,?)", rows)
        saved.tables.update({table.id: table for table in changed})
    texts = [(key, text) for key, text in databases.items() if saved.databases.get(key) != text]
    connection.many("INSERT OR REPLACE INTO catalog VALUES (?,?)", texts)
    connection.many("DELETE FROM catalog WHERE database=?", [(key,) for key in saved.databases if key not in databases])
    saved.databases = databases
    gone = saved.tables.keys() - kept
    connection.many("DELETE FROM catalog_tables WHERE id=?", [(number,) for number in gone])
    for number in gone:
        del saved.tables[number]


def load(engine: Engine, connection: Connection) -> Saved:
    """Read what `save` wrote; row versions of transactions that were open when the server ended are undone."""
    saved = Saved()
    for key, text in connection.rows("SELECT database, body FROM catalog"):
        body = json.loads(text)
        database = Database(
            body["id"], body["name"], body["created"], body["collation"], body["options"], body["is_cdc_enabled"]
        )
        database.principals = _principals(body.get("principals"))
        database.schemas = {name: (number, shown) for name, (number, shown) in body["schemas"].items()}
        engine.catalog.databases[key] = database
        saved.databases[key] = text
    by_id = {database.id: database for database in engine.catalog.databases.values()}
    highest = _clear(connection)
    for number, owner, text in connection.rows("SELECT id, database, body FROM catalog_tables ORDER BY id"):
        table = saved.tables[number] = table_of_body(json.loads(text))
        by_id[owner].put(table)
        _recover(engine, connection, table)
        ids = [
            table.id,
            *(max(index.constraint_id, index.tree) for index in table.indexes),
            *(c.default.id for c in table.columns if c.default),
        ]
        highest = max([highest, *ids, *(check.id for check in table.checks), *(each.id for each in table.foreign_keys)])
    if highest:
        engine.catalog.objects = count(highest + 16, 16)
    return saved


def _clear(connection: Connection) -> int:
    """Drop tables of transactions that were open when the server ended; returns the highest number in the remaining names."""
    known = {number for (number,) in connection.rows("SELECT id FROM catalog_tables")}
    highest = 0
    for name, sql in connection.rows("SELECT name, sql FROM sqlite_schema WHERE type='table' AND name GLOB 't[0-9]*'"):
        highest = max([highest, *map(int, _NUMBER.findall(sql))])
        if int(name[1:]) not in known:
            connection.execute(f"DROP TABLE {name}")
    return highest


def _principals(body: dict[str, Any] | None) -> Principals:
    """Principals from JSON; older files have none."""
    if body is None:
        return Principals()
    permissions = tuple(Permission(**{**each, "target": tuple(each["target"])}) for each in body["permissions"])
    logins = {key: ServerLogin(**{**each, "roles": tuple(each["roles"])}) for key, each in body["logins"].items()}
    roles = {key: Role(**{**each, "members": tuple(each["members"])}) for key, each in body["roles"].items()}
    return Principals(logins, {key: User(**each) for key, each in body["users"].items()}, roles, permissions)


def table_of_body(body: dict[str, Any]) -> Table:
    """A table from the JSON of `Table.body`."""
    columns = tuple(_column(each) for each in body.pop("columns"))
    indexes = tuple(
        Index(**{**each, "columns": tuple(map(tuple, each["columns"])), "included": tuple(each["included"])})
        for each in body.pop("indexes")
    )
    checks = tuple(Check(**each) for each in body.pop("checks"))
    keys = tuple(
        ForeignKey(**{**each, "columns": tuple(each["columns"]), "referenced": tuple(each["referenced"])})
        for each in body.pop("foreign_keys")
    )
    return Table(**body, columns=columns, indexes=indexes, checks=checks, foreign_keys=keys)


def _column(body: dict[str, Any]) -> Column:
    default = body["default"] and Default(**body["default"])
    identity = body["identity"] and tuple(body["identity"])
    return Column(**{**body, "type": SqlType(**body["type"]), "default": default, "identity": identity})


def _recover(engine: Engine, connection: Connection, table: Table) -> None:
    engine.store.recover(connection, table)
    if table.identity is not None and table.identity.identity is not None:
        ascending = table.identity.identity[1] > 0
        value = connection.rows(f"SELECT {'MAX' if ascending else 'MIN'}({table.identity.slot}) FROM {table.storage}")[
            0
        ][0]
        if isinstance(value, int):
            engine.identities[table.id] = value
