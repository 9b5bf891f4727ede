"""ALTER TABLE, with any number of actions.

Actions are applied from left to right; a column named behind AFTER is looked for when the action's turn
comes, as the server does. What does not change columns, keys, character sets or names is stepped over.

Source: MySQL Reference Manual, "ALTER TABLE Statement".
"""

from __future__ import annotations

from dataclasses import replace

from tailrace.schema.ddl.charsets import charset_of, read_charset, read_collation
from tailrace.schema.ddl.columns import ColumnDefinition, read_column
from tailrace.schema.ddl.create import read_table_option
from tailrace.schema.ddl.defaults import read_default
from tailrace.schema.ddl.editor import TableEditor
from tailrace.schema.ddl.keys import is_key, read_key
from tailrace.schema.ddl.reader import Reader
from tailrace.schema.ddl.state import ChangeType, State, TableChange

_NOT_COLUMNS = ("INDEX", "KEY", "FOREIGN", "CHECK", "CONSTRAINT", "PARTITION")


def alter_table(reader: Reader, state: State) -> list[TableChange]:
    """Behind ALTER TABLE; a table that is not known is left alone."""
    old_id = reader.table_id()
    table = state.tables.get(old_id)
    if table is None:
        return []
    editor = TableEditor(table)
    while not reader.done:
        if not _read_action(reader, editor, state):
            reader.skip_list()
        reader.accept(",")
    del state.tables[old_id]
    state.tables[editor.id] = altered = editor.table()
    previous = old_id if editor.id != old_id else None
    return [
        TableChange(
            ChangeType.ALTER, editor.id.catalog, reader.text(), editor.id, previous, altered,
            renamed_by_alter=previous is not None,
        )
    ]  # fmt: skip


def _read_action(reader: Reader, editor: TableEditor, state: State) -> bool:
    word = reader.peek().upper
    action = _ACTIONS.get(word)
    if action:
        before = reader.at
        reader.next()
        if action(reader, editor):
            return True
        reader.at = before
    if reader.accept("CONVERT", "TO"):
        return _convert(reader, editor, state)
    return _options(reader, editor, state)


def _add(reader: Reader, editor: TableEditor) -> bool:
    reader.accept("COLUMN")
    if reader.is_("("):
        return _add_list(reader, editor)
    if reader.is_("PARTITION"):
        reader.skip_list()
        return True
    if is_key(reader):
        read_key(reader, editor)
        return True
    _skip_if(reader, "NOT")
    name = reader.column_name()
    editor.add(read_column(reader, name))
    _place(reader, editor, name)
    return True


def _add_list(reader: Reader, editor: TableEditor) -> bool:
    reader.expect("(")
    while True:
        if is_key(reader):
            read_key(reader, editor)
        else:
            editor.add(read_column(reader, reader.column_name()))
        if not reader.accept(","):
            break
    reader.expect(")")
    return True


def _modify(reader: Reader, editor: TableEditor) -> bool:
    reader.accept("COLUMN")
    _skip_if(reader)
    name = reader.column_name()
    definition = read_column(reader, name)
    definition.name = editor.columns[editor.find(name)].name
    return _changed(reader, editor, name, definition)


def _change(reader: Reader, editor: TableEditor) -> bool:
    reader.accept("COLUMN")
    _skip_if(reader)
    name = reader.column_name()
    return _changed(reader, editor, name, read_column(reader, reader.column_name()))


def _changed(reader: Reader, editor: TableEditor, name: str, definition: ColumnDefinition) -> bool:
    editor.change(name, definition)
    _place(reader, editor, definition.name)
    return True


def _place(reader: Reader, editor: TableEditor, name: str) -> None:
    if reader.accept("FIRST"):
        editor.move(name, None)
    elif reader.accept("AFTER"):
        editor.move(name, reader.column_name())


def _drop(reader: Reader, editor: TableEditor) -> bool:
    if reader.accept("PRIMARY", "KEY"):
        editor.key = []
        return True
    if not reader.accept("COLUMN") and reader.peek().upper in _NOT_COLUMNS:
        return False
    _skip_if(reader)
    editor.drop(reader.column_name())
    reader.accept_any("RESTRICT", "CASCADE")
    return True


def _rename(reader: Reader, editor: TableEditor) -> bool:
    if reader.accept("COLUMN"):
        name = reader.column_name()
        reader.expect("TO")
        editor.rename(name, reader.column_name())
        return True
    if reader.peek().upper in {"INDEX", "KEY"}:
        return False
    reader.accept_any("TO", "AS") or reader.accept("=")
    editor.id = reader.table_id()
    return True


def _alter(reader: Reader, editor: TableEditor) -> bool:
    if not reader.accept("COLUMN") and reader.peek().upper in _NOT_COLUMNS:
        return False
    name = reader.column_name()
    column = editor.columns[editor.find(name)]
    if reader.accept("SET", "DEFAULT"):
        editor.replace(name, replace(column, has_default=True, default=read_default(reader)))
    elif reader.accept("DROP", "DEFAULT"):
        editor.replace(name, replace(column, has_default=False, default=None))
    elif reader.accept("SET"):
        editor.replace(name, replace(column, visible=reader.next().upper == "VISIBLE"))
    else:
        reader.fail("SET or DROP is expected")
    return True


def _convert(reader: Reader, editor: TableEditor, state: State) -> bool:
    charset = read_charset(reader)
    collation = read_collation(reader)
    if charset == "default":
        charset = charset_of(collation) if collation else state.charset_of(editor.id.catalog)
    if charset:
        editor.convert(charset)
    return True


def _options(reader: Reader, editor: TableEditor, state: State) -> bool:
    """Table options, which need no comma between them."""
    while not reader.done and not reader.is_(","):
        if read_table_option(reader, editor):
            continue
        if reader.is_("("):
            reader.skip_parens()
        else:
            reader.next()
    if editor.charset == "default":
        editor.charset = state.charset_of(editor.id.catalog)
    return True


def _skip_if(reader: Reader, *negation: str) -> None:
    """IF EXISTS and IF NOT EXISTS are MariaDB's."""
    reader.accept("IF", *negation, "EXISTS")


_ACTIONS = {
    "ADD": _add,
    "MODIFY": _modify,
    "CHANGE": _change,
    "DROP": _drop,
    "RENAME": _rename,
    "ALTER": _alter,
}
