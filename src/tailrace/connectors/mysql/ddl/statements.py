"""One statement of the log, whatever it is: what it changes is changed, anything else is left alone.

Source: MySQL Reference Manual, "Data Definition Statements".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tailrace.connectors.mysql.ddl.alter import alter_table
from tailrace.connectors.mysql.ddl.charsets import read_default_charset
from tailrace.connectors.mysql.ddl.create import create_table
from tailrace.connectors.mysql.ddl.editor import TableEditor
from tailrace.connectors.mysql.ddl.keys import drops_primary_key, offer_unique_index
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.state import State
from tailrace.connectors.mysql.ddl.tokens import DEFAULT_MODE, SqlMode, blank_comments
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import TableId

_DDL = re.compile(r"\s*(?:CREATE|ALTER|DROP|RENAME|TRUNCATE|SET)\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"\s*(?:(?P<create_table>CREATE\s+(?:OR\s+REPLACE\s+)?TABLE)|(?P<alter_table>ALTER\s+(?:ONLINE\s+|IGNORE\s+)*TABLE)"
    r"|(?P<drop_table>DROP\s+TABLES?)|(?P<rename_table>RENAME\s+TABLES?)|(?P<truncate>TRUNCATE(?:\s+TABLE)?)"
    r"|(?P<create_database>CREATE\s+(?:DATABASE|SCHEMA))|(?P<alter_database>ALTER\s+(?:DATABASE|SCHEMA))"
    r"|(?P<drop_database>DROP\s+(?:DATABASE|SCHEMA))"
    r"|(?P<unique_index>CREATE\s+(?:ONLINE\s+|OFFLINE\s+)?UNIQUE\s+INDEX)|(?P<drop_index>DROP(?=\s+INDEX\b))|(?P<set>SET))\b",
    re.IGNORECASE,
)
_DATABASE_OPTIONS = {"DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "READ", "ENCRYPTION"}


def apply_statement(
    sql: str,
    database: str,
    state: State,
    mode: SqlMode = DEFAULT_MODE,
    *,
    charset: str | None = None,
    lower_names: bool = False,
) -> list[TableChange]:
    """Changes `state` as the statement changed the server, and says what it did.

    `database` and `charset` are the session's: character_set_server, None where that is not known.

    Raises:
        StructureError: the statement can't be understood, or names a column that is not known; `state` may then be half
            changed.

    """
    blanked = blank_comments(sql, mode)
    if not _DDL.match(blanked):
        return []
    found = _STATEMENT.match(blanked)
    if not found or not found.lastgroup:
        return []
    reader = Reader(sql, database, mode, charset=charset, lower_names=lower_names)
    reader.go_to(found.end())
    return _READERS[found.lastgroup](reader, state)


def _drop_table(reader: Reader, state: State) -> list[TableChange]:
    reader.accept("IF", "EXISTS")
    prefix = reader.sql[reader.tokens[0].start : reader.peek().start]
    ids = [reader.table_id()]
    while reader.accept(","):
        ids.append(reader.table_id())
    suffix = reader.accept_any("RESTRICT", "CASCADE")
    for table_id in ids:
        state.drop(table_id)
    end = f" {suffix}" if suffix else ""
    return [
        TableChange(ChangeType.DROP, i.catalog, prefix + _quoted(i) + end, i)
        for i in ids
    ]  # fmt: skip


def _rename_table(reader: Reader, state: State) -> list[TableChange]:
    prefix = reader.sql[reader.tokens[0].start : reader.peek().start]
    pairs = []
    while True:
        first = reader.at
        old = reader.table_id()
        reader.expect("TO")
        pairs.append((old, reader.table_id(), prefix + reader.text(first, reader.at - 1)))
        if not reader.accept(","):
            break
    for old, new, _ in pairs:
        state.move(old, new)
    return [
        TableChange(ChangeType.ALTER, new.catalog, ddl, new, old, state.tables.get(new))
        for old, new, ddl in pairs
    ]  # fmt: skip


def _truncate(reader: Reader, state: State) -> list[TableChange]:
    table_id = reader.table_id()
    table = state.tables.get(table_id)
    return [TableChange(ChangeType.TRUNCATE, table_id.catalog, reader.text(), table_id, table=table)]


def _create_database(reader: Reader, state: State) -> list[TableChange]:
    if_not_exists = reader.accept("IF", "NOT", "EXISTS")
    name = reader.database_name(reader.name())
    if not (if_not_exists and state.knows_database(name)):  # the server logs it, and changes nothing
        _note_charset(reader, state, name, read_default_charset(reader) or "default")
    return [TableChange(ChangeType.DATABASE, name, reader.text())]


def _alter_database(reader: Reader, state: State) -> list[TableChange]:
    """No change is told: Debezium hands the statement on as it is."""
    named = reader.is_name() and reader.peek().upper not in _DATABASE_OPTIONS
    name = reader.name() if named else reader.database
    _note_charset(reader, state, reader.database_name(name), read_default_charset(reader))
    return []


def _drop_database(reader: Reader, state: State) -> list[TableChange]:
    reader.accept("IF", "EXISTS")
    name = reader.database_name(reader.name())
    state.tables = {i: table for i, table in state.tables.items() if i.catalog != name}
    state.unknown = {i for i in state.unknown if i.catalog != name}
    state.database_charsets.pop(name, None)
    return [TableChange(ChangeType.DATABASE, name, reader.text())]


def _note_charset(reader: Reader, state: State, name: str, charset: str | None) -> None:
    if charset == "default":
        charset = reader.charset or state.server_charset
    if charset:
        state.database_charsets[name] = charset


def _unique_index(reader: Reader, state: State) -> list[TableChange]:
    """CREATE UNIQUE INDEX: a change only if it gives the table its key; Debezium leaves CREATE out."""
    while not reader.accept("ON"):
        reader.next()
    table_id = reader.table_id()
    table = state.tables.get(table_id)
    if table is None:
        return []
    editor = TableEditor(table)
    offer_unique_index(reader, editor)
    if editor.key == list(table.primary_key):
        return []
    return _with_other_key(state, editor, reader.text(1))


def _drop_index(reader: Reader, state: State) -> list[TableChange]:
    """DROP INDEX: a change only if it takes the primary key; the key stays when another unique index goes, as in Debezium."""
    if not drops_primary_key(reader):
        return []
    reader.expect("ON")
    table = state.tables.get(reader.table_id())
    if table is None:
        return []
    editor = TableEditor(table)
    editor.key = []
    return _with_other_key(state, editor, reader.text())


def _with_other_key(state: State, editor: TableEditor, ddl: str) -> list[TableChange]:
    altered = state.tables[editor.id] = editor.table()
    return [TableChange(ChangeType.ALTER, editor.id.catalog, ddl, editor.id, table=altered)]


def _set(reader: Reader, state: State) -> list[TableChange]:
    """SET character_set_server=…: how Debezium's history begins."""
    found = False
    while not reader.done:
        token = reader.next()
        if token.upper == "CHARACTER_SET_SERVER" and (reader.accept("=") or reader.accept(":", "=")):
            state.server_charset = reader.text_or_name().lower()
            found = True
    return [TableChange(ChangeType.DATABASE, "", reader.text())] if found else []


def _quoted(table_id: TableId) -> str:
    parts = (table_id.catalog, table_id.schema, table_id.name)
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts if part)


_READERS: dict[str, Callable[[Reader, State], list[TableChange]]] = {
    "create_table": create_table,
    "alter_table": alter_table,
    "drop_table": _drop_table,
    "rename_table": _rename_table,
    "truncate": _truncate,
    "create_database": _create_database,
    "alter_database": _alter_database,
    "drop_database": _drop_database,
    "unique_index": _unique_index,
    "drop_index": _drop_index,
    "set": _set,
}
