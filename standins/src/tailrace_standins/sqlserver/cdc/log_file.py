"""The uncaptured log in the file of a server with a folder, so that committed changes survive a killed process.

An entry is written in the commit that it describes, and deleted in the commit that captures it. So each transaction is captured
exactly once, wherever the process is killed. A server in memory has no such file.
"""

# ruff: noqa: S608  # the texts are built of names and numbers of our own
from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from tailrace_standins.sqlserver.cdc import lsn
from tailrace_standins.sqlserver.cdc.transaction_log import Entry
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.catalog_file import table_of_body
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.log import Record
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.storage import log
from tailrace_standins.storage.log import Image, Operation

_LAYOUT: Final = (
    "CREATE TABLE IF NOT EXISTS cdc_log (database INTEGER, commit_lsn BLOB, body TEXT, PRIMARY KEY (database, commit_lsn))",
    "CREATE TABLE IF NOT EXISTS cdc_log_tables (digest TEXT PRIMARY KEY, body TEXT)",
)


def prepare(connection: Connection) -> None:
    """Create the tables if they are missing; delete definitions to which no entry refers."""
    for statement in _LAYOUT:
        connection.execute(statement)
    connection.execute("DELETE FROM cdc_log_tables WHERE NOT EXISTS (SELECT * FROM cdc_log)")


def write(connection: Connection, entries: Mapping[int, Entry], first_file: int) -> None:
    """Add a transaction's entries, by database, within the current commit."""
    tables: dict[str, str] = {}
    for database, entry in entries.items():
        for record in entry.records:
            tables.update({each.digest: each.body for each in (record.table, record.old) if each is not None})
        body = json.dumps(_entry_body(entry, first_file))
        connection.execute("INSERT INTO cdc_log VALUES (?,?,?)", (database, entry.commit_lsn, body))
    connection.many("INSERT OR IGNORE INTO cdc_log_tables VALUES (?,?)", list(tables.items()))


def captured(database: Database, up_to: bytes) -> str:
    """The statement that deletes captured entries: all up to a commit LSN."""
    return f"DELETE FROM cdc_log WHERE database={database.id} AND commit_lsn<=X'{up_to.hex()}'"


def disabled(database: Database) -> str:
    """The statement that deletes all entries of a database."""
    return f"DELETE FROM cdc_log WHERE database={database.id}"


def last_file(connection: Connection) -> int:
    """The last virtual log file of any entry; 0 without entries."""
    found = connection.rows("SELECT MAX(commit_lsn) FROM cdc_log")[0][0]
    return lsn.file_of(found) if found else 0


def read(
    connection: Connection, databases: Mapping[int, Database], first_file: int
) -> Iterator[tuple[Database, Entry]]:
    """The entries in commit order; positions of their records are in the log that begins with `first_file`."""
    tables = {
        digest: table_of_body(json.loads(body))
        for digest, body in connection.rows("SELECT digest, body FROM cdc_log_tables")
    }
    for number, body in connection.rows("SELECT database, body FROM cdc_log ORDER BY commit_lsn"):
        database = databases.get(number)
        if database is not None:
            yield database, _entry(json.loads(body), database, tables, first_file)


def _entry_body(entry: Entry, first_file: int) -> dict[str, Any]:
    return {
        "id": entry.id,
        "begin": entry.begin_lsn.hex(),
        "commit": entry.commit_lsn.hex(),
        "begun": entry.begun,
        "committed": entry.committed,
        "first_file": first_file,
        "records": [_record_body(record) for record in entry.records],
    }


def _record_body(record: Record) -> list[Any]:
    return [
        record.operation.value, record.table.digest, record.old.digest if record.old else None, _packed(record.before),
        _packed(record.after), record.statement, record.text, record.position,
    ]  # fmt: skip


def _entry(body: dict[str, Any], database: Database, tables: Mapping[str, Table], first_file: int) -> Entry:
    shift = lsn.positions(first_file - body["first_file"])
    records = tuple(_record(each, database, tables) for each in body["records"])
    moved = tuple(replace(record, position=record.position - shift) for record in records)
    begin, commit = bytes.fromhex(body["begin"]), bytes.fromhex(body["commit"])
    return Entry(body["id"], begin, commit, body["begun"], body["committed"], moved)


def _record(body: list[Any], database: Database, tables: Mapping[str, Table]) -> Record:
    operation, table, old, before, after, statement, text, position = body
    return log.Record(
        database, tables[table], Operation(operation), _unpacked(before), _unpacked(after), statement, text,
        tables[old] if old else None, position,
    )  # fmt: skip


def _packed(image: Image | None) -> list[Any] | None:
    """An image for JSON, which has no bytes: they become hexadecimal text within a list."""
    if image is None:
        return None
    return [[value.hex()] if isinstance(value, bytes) else value for value in image]


def _unpacked(image: list[Any] | None) -> tuple[Stored, ...] | None:
    if image is None:
        return None
    return tuple(bytes.fromhex(value[0]) if isinstance(value, list) else value for value in image)
