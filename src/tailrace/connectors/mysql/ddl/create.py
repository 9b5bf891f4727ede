"""CREATE TABLE, LIKE and AS SELECT included.

In a row-based log CREATE TABLE … AS SELECT has its columns written out and ends with START TRANSACTION.

Source: MySQL Reference Manual, "CREATE TABLE Statement".
"""

from __future__ import annotations

from dataclasses import replace

from tailrace.connectors.mysql.ddl.charsets import charset_of, read_charset, read_collation
from tailrace.connectors.mysql.ddl.columns import ColumnDefinition, read_column
from tailrace.connectors.mysql.ddl.editor import TableEditor
from tailrace.connectors.mysql.ddl.keys import is_key, read_key
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.state import State
from tailrace.errors import StructureError
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table, TableId

_NOT_ROW_BASED = (
    "the columns of {} are not all in the statement: CREATE TABLE … SELECT of a log that is not row-based "
    "(set binlog_format=ROW)"
)


def create_table(reader: Reader, state: State) -> list[TableChange]:
    """Behind CREATE TABLE."""
    if_not_exists = reader.accept("IF", "NOT", "EXISTS")
    table_id = reader.table_id()
    if if_not_exists and (table_id in state.tables or table_id in state.unknown):  # the server logs it, and changes nothing
        return []
    table = _like(reader, state, table_id) or _defined(reader, state, table_id)
    if table is None:
        state.forget(table_id)
        return []
    state.put(table)
    return [TableChange(ChangeType.CREATE, table_id.catalog, reader.text(), table_id, table=table)]


def read_table_option(reader: Reader, editor: TableEditor) -> bool:
    """A table option that matters here: default character set or comment; False where none comes next."""
    before = reader.at
    reader.accept("DEFAULT")
    if charset := read_charset(reader) or _collation_charset(reader):
        editor.charset = charset
    elif reader.accept("COMMENT"):
        reader.accept("=")
        editor.comment = reader.raw_string()
    else:
        reader.at = before
        return False
    return True


def _like(reader: Reader, state: State, table_id: TableId) -> Table | None:
    before = reader.at
    in_parens = reader.accept("(")
    if not reader.accept("LIKE"):
        reader.at = before
        return None
    original = state.tables.get(reader.table_id())
    if in_parens:
        reader.expect(")")
    reader.at = len(reader.tokens)
    # No comment comes along, as in Debezium.
    return replace(original, id=table_id, comment=None) if original else None


def _defined(reader: Reader, state: State, table_id: TableId) -> Table | None:
    if reader.done:  # LIKE a table that is not known
        return None
    if not reader.is_("("):
        raise StructureError(_NOT_ROW_BASED.format(table_id))
    editor = TableEditor(Table(table_id, (), default_charset=None))
    definitions, keys = _read_elements(reader)
    _read_options(reader, editor)
    if editor.charset in {None, "default"}:
        editor.charset = state.charset_of(table_id.catalog)
    _build(reader, editor, definitions, keys)
    return editor.table()


def _read_elements(reader: Reader) -> tuple[list[ColumnDefinition | int], int]:
    """Columns in their order, and in between where each key's tokens begin; and where reading ended."""
    reader.expect("(")
    elements: list[ColumnDefinition | int] = []
    while True:
        if is_key(reader):
            elements.append(reader.at)
            reader.skip_list()
        else:
            elements.append(read_column(reader, reader.column_name()))
        if not reader.accept(","):
            break
    reader.expect(")")
    return elements, reader.at


def _build(reader: Reader, editor: TableEditor, elements: list[ColumnDefinition | int], end: int) -> None:
    """Columns first, since the character set is known only now and a key may stand before its columns."""
    for element in elements:
        if isinstance(element, ColumnDefinition):
            editor.columns.append(element.column(editor.charset))
    for element in elements:
        if isinstance(element, ColumnDefinition):
            editor.take_inline_key(element)
        else:
            reader.at = element
            read_key(reader, editor)
    reader.at = end


def _read_options(reader: Reader, editor: TableEditor) -> None:
    while not reader.done:
        if reader.peek().upper in {"SELECT", "AS", "IGNORE", "REPLACE", "TABLE", "VALUES", "WITH"}:
            raise StructureError(_NOT_ROW_BASED.format(editor.id))
        if not read_table_option(reader, editor):
            reader.skip_one()


def _collation_charset(reader: Reader) -> str | None:
    collation = read_collation(reader)
    if collation is None:
        return None
    return "default" if collation == "default" else charset_of(collation)
