"""The catalog in the server's SQLite file: as JSON, one row a database.

And what a server finds out when it opens a folder.
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from tailrace.standin.sqlserver.engine.catalog import Check, Column, Database, Default, ForeignKey, Index, Table
from tailrace.standin.sqlserver.engine.compile_queries import LIVE
from tailrace.standin.sqlserver.engine.connection import Connection
from tailrace.standin.sqlserver.values import SqlType

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.server import Engine


def save(engine: Engine, connection: Connection) -> None:
    """Write every database down."""
    connection.execute("DELETE FROM catalog")
    rows = []
    for database in engine.catalog.databases.values():
        body = asdict(replace(database, tables={}, by_id={}))
        tables = ",".join(table.body for table in database.by_id.values())
        rows.append((database.name.lower(), json.dumps(body), f"[{tables}]"))
    connection.many("INSERT INTO catalog VALUES (?,?,?)", rows)


def load(engine: Engine, connection: Connection) -> None:
    """Read what `save` wrote; versions of transactions that were open when the server went down are taken back."""
    highest = 0
    for key, text, tables in connection.rows("SELECT database, body, tables FROM catalog"):
        body = json.loads(text)
        database = Database(
            body["id"], body["name"], body["created"], body["collation"], body["options"], body["is_cdc_enabled"]
        )
        database.schemas = {name: (number, shown) for name, (number, shown) in body["schemas"].items()}
        engine.catalog.databases[key] = database
        for each in json.loads(tables):
            table = _table(each)
            database.put(table)
            _recover(engine, connection, table)
            ids = [
                table.id,
                *(index.constraint_id for index in table.indexes),
                *(c.default.id for c in table.columns if c.default),
            ]
            highest = max(
                [highest, *ids, *(check.id for check in table.checks), *(key.id for key in table.foreign_keys)]
            )
    if highest:
        engine.catalog.objects = count(highest + 16, 16)


def _table(body: dict[str, Any]) -> Table:
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
    connection.execute(f"DELETE FROM {table.storage} WHERE b<0 OR (e>0 AND e<{LIVE})")
    connection.execute(f"UPDATE {table.storage} SET e={LIVE} WHERE e<0")
    last, number = connection.rows(f"SELECT MAX(rid), MAX(b) FROM {table.storage}")[0]
    engine.rows[table.id] = last or 0
    engine.sequence = max(engine.sequence, number or 0)
    if table.identity is not None and table.identity.identity is not None:
        ascending = table.identity.identity[1] > 0
        value = connection.rows(f"SELECT {'MAX' if ascending else 'MIN'}({table.identity.slot}) FROM {table.storage}")[
            0
        ][0]
        if isinstance(value, int):
            engine.identities[table.id] = value
