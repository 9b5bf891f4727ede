"""ALTER TABLE, with any number of actions.

The server takes all actions together, not one after the other: actions on columns use the names that the
columns had before, so that two columns can swap names; then columns are added and moved, behind columns by
their new names; keys come last. So the actions are read into an `_Alteration` first. What changes no column,
key, character set or name is stepped over.

Source: MySQL Reference Manual, "ALTER TABLE Statement"; `mysql_prepare_alter_table` in MySQL's sql_table.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tailrace.connectors.mysql.ddl.charsets import charset_of, read_charset, read_collation
from tailrace.connectors.mysql.ddl.columns import ColumnDefinition, read_column
from tailrace.connectors.mysql.ddl.create import read_table_option
from tailrace.connectors.mysql.ddl.defaults import read_default
from tailrace.connectors.mysql.ddl.editor import TableEditor
from tailrace.connectors.mysql.ddl.keys import drops_primary_key, is_key, read_key
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.state import State
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Column, TableId

_RENAMED_PARTS = ("COLUMN", "INDEX", "KEY")
_NOT_COLUMNS = ("INDEX", "KEY", "FOREIGN", "CHECK", "CONSTRAINT", "PARTITION")

Edit = Callable[[TableEditor, Column], Column | None]


@dataclass(slots=True)
class _Alteration:
    """What a statement asks for.

    Attributes:
        edits: by a column's old name in lower case: what becomes of it; None when it is dropped.
        renamed: by a column's old name in lower case: its new one.
        placed: columns to add, and new names of columns to move.
        keys: where in the tokens a new key begins, or a definition that may make its column a key.

    """

    edits: dict[str, Edit] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    placed: list[_Placed] = field(default_factory=list)
    keys: list[int | ColumnDefinition] = field(default_factory=list)
    drops_primary_key: bool = False
    converts_to: str | None = None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A new column (with its definition) or a moved one; `after` is the column before it, "" for FIRST."""

    name: str
    definition: ColumnDefinition | None
    after: str | None


def alter_table(reader: Reader, state: State) -> list[TableChange]:
    """Behind ALTER TABLE; of a table that is not known only a new name matters."""
    old_id = reader.table_id()
    table = state.tables.get(old_id)
    if table is None:
        _rename_unknown(reader, state, old_id)
        return []
    editor, wanted = TableEditor(table), _Alteration()
    while not reader.done:
        _read_action(reader, editor, wanted, state)
        if not reader.accept(",") and not reader.done and not _is_of_partitions(reader):
            reader.fail("the next action is expected")
    _edit_columns(editor, wanted)
    _place_columns(editor, wanted)
    _keep_key(editor, wanted)
    _add_keys(reader, editor, wanted)
    if wanted.converts_to:
        editor.convert(wanted.converts_to)
    altered = editor.table()
    state.drop(old_id)
    state.put(altered)
    previous = old_id if editor.id != old_id else None
    change = TableChange(ChangeType.ALTER, editor.id.catalog, reader.text(), editor.id, previous, altered)
    return [change]


def _is_of_partitions(reader: Reader) -> bool:
    """Whether a clause comes that stands behind the actions without a comma."""
    return reader.is_("PARTITION", "BY") or reader.is_("REMOVE", "PARTITIONING")


def _rename_unknown(reader: Reader, state: State, old_id: TableId) -> None:
    """Step over all actions but RENAME TO, which the name that it gives is concerned by."""
    while not reader.done:
        if not reader.accept("RENAME"):
            reader.skip_one()
        elif reader.peek().upper not in _RENAMED_PARTS:
            state.move(old_id, _new_name(reader))


def _new_name(reader: Reader) -> TableId:
    """Behind RENAME."""
    if not reader.accept_any("TO", "AS"):
        reader.accept("=")
    return reader.table_id()


def _edit_columns(editor: TableEditor, wanted: _Alteration) -> None:
    for name in wanted.edits:
        editor.find(name)
    if wanted.drops_primary_key:
        editor.key = []
    kept: list[Column] = []
    for column in editor.columns:
        edit = wanted.edits.get(column.name.lower())
        edited = edit(editor, column) if edit else column
        if edited is not None:
            kept.append(edited)
    editor.columns = kept


def _place_columns(editor: TableEditor, wanted: _Alteration) -> None:
    for placed in wanted.placed:
        if placed.definition:
            editor.columns.append(placed.definition.column(editor.charset))
        if placed.after is not None:
            editor.move(placed.name, placed.after or None)


def _keep_key(editor: TableEditor, wanted: _Alteration) -> None:
    """Find the columns of the key again: each is the first column that had its name, or is new and has it now.

    So a column that is dropped and added again stays in the key, and one that is renamed leaves it to a new column of its old
    name that stands before it.
    """
    before = {new.lower(): old for old, new in wanted.renamed.items()}
    found = {before.get(column.name.lower(), column.name.lower()): column.name for column in reversed(editor.columns)}
    editor.keep_key([found[name.lower()] for name in editor.key if name.lower() in found])


def _add_keys(reader: Reader, editor: TableEditor, wanted: _Alteration) -> None:
    end = reader.at
    for key in wanted.keys:
        if isinstance(key, ColumnDefinition):
            editor.take_inline_key(key)
        else:
            reader.at = key
            read_key(reader, editor)
    reader.at = end


def _read_action(reader: Reader, editor: TableEditor, wanted: _Alteration, state: State) -> None:
    before = reader.at
    action = _ACTIONS.get(reader.next().upper)
    if action and action(reader, editor, wanted):
        return
    reader.at = before
    if reader.accept("CONVERT", "TO"):
        _convert(reader, editor, wanted, state)
    else:
        _options(reader, editor, state)


def _add(reader: Reader, _editor: TableEditor, wanted: _Alteration) -> bool:
    reader.accept("COLUMN")
    if reader.is_("PARTITION"):
        return False
    if reader.accept("("):
        _add_element(reader, wanted)
        while reader.accept(","):
            _add_element(reader, wanted)
        reader.expect(")")
    else:
        _add_element(reader, wanted)
    return True


def _add_element(reader: Reader, wanted: _Alteration) -> None:
    if is_key(reader):
        wanted.keys.append(reader.at)
        reader.skip_list()  # read when the columns are there
        return
    reader.accept("IF", "NOT", "EXISTS")
    definition = read_column(reader, reader.column_name())
    wanted.placed.append(_Placed(definition.name, definition, _read_place(reader)))
    wanted.keys.append(definition)


def _modify(reader: Reader, _editor: TableEditor, wanted: _Alteration) -> bool:
    reader.accept("COLUMN")
    reader.accept("IF", "EXISTS")
    name = reader.column_name()
    definition = read_column(reader, name)
    wanted.edits[name.lower()] = lambda editor, _old: definition.column(editor.charset)  # with its spelling of the name
    return _redefined(reader, wanted, definition)


def _change(reader: Reader, _editor: TableEditor, wanted: _Alteration) -> bool:
    reader.accept("COLUMN")
    reader.accept("IF", "EXISTS")
    name = reader.column_name()
    definition = read_column(reader, reader.column_name())
    wanted.edits[name.lower()] = lambda editor, _old: definition.column(editor.charset)
    wanted.renamed[name.lower()] = definition.name
    return _redefined(reader, wanted, definition)


def _redefined(reader: Reader, wanted: _Alteration, definition: ColumnDefinition) -> bool:
    wanted.keys.append(definition)
    after = _read_place(reader)
    if after is not None:
        wanted.placed.append(_Placed(definition.name, None, after))
    return True


def _read_place(reader: Reader) -> str | None:
    if reader.accept("FIRST"):
        return ""
    return reader.column_name() if reader.accept("AFTER") else None


def _drop(reader: Reader, _editor: TableEditor, wanted: _Alteration) -> bool:
    if reader.accept("PRIMARY", "KEY"):
        wanted.drops_primary_key = True
        return True
    if not reader.accept("COLUMN") and reader.peek().upper in _NOT_COLUMNS:
        wanted.drops_primary_key |= drops_primary_key(reader)
        return False
    reader.accept("IF", "EXISTS")
    wanted.edits[reader.column_name().lower()] = lambda _editor, _old: None
    reader.accept_any("RESTRICT", "CASCADE")
    return True


def _rename(reader: Reader, editor: TableEditor, wanted: _Alteration) -> bool:
    if reader.accept("COLUMN"):
        old_name = reader.column_name()
        reader.expect("TO")
        name = reader.column_name()
        wanted.renamed[old_name.lower()] = name
        wanted.edits[old_name.lower()] = lambda _editor, old: replace(old, name=name)
        return True
    if reader.peek().upper in _RENAMED_PARTS:
        return False
    editor.id = _new_name(reader)
    return True


def _alter(reader: Reader, _editor: TableEditor, wanted: _Alteration) -> bool:
    if not reader.accept("COLUMN") and reader.peek().upper in _NOT_COLUMNS:
        return False
    name = reader.column_name()
    wanted.edits[name.lower()] = _read_column_option(reader)
    return True


def _read_column_option(reader: Reader) -> Edit:
    if reader.accept("SET", "DEFAULT"):
        default = read_default(reader)
        return lambda _editor, old: replace(old, has_default=True, default=default)
    if reader.accept("DROP", "DEFAULT"):
        return lambda _editor, old: replace(old, has_default=False, default=None)
    reader.expect("SET")
    visible = reader.next().upper == "VISIBLE"
    return lambda _editor, old: replace(old, visible=visible)


def _convert(reader: Reader, editor: TableEditor, wanted: _Alteration, state: State) -> None:
    charset = read_charset(reader)
    collation = read_collation(reader)
    if charset == "default":
        charset = charset_of(collation) if collation else state.charset_of(editor.id.catalog)
    wanted.converts_to = charset
    editor.charset = charset


def _options(reader: Reader, editor: TableEditor, state: State) -> None:
    """Table options, which need no comma between them."""
    while not reader.done and not reader.is_(","):
        if not read_table_option(reader, editor):
            reader.skip_one()
    if editor.charset == "default":
        editor.charset = state.charset_of(editor.id.catalog)


_ACTIONS: dict[str, Callable[[Reader, TableEditor, _Alteration], bool]] = {
    "ADD": _add,
    "MODIFY": _modify,
    "CHANGE": _change,
    "DROP": _drop,
    "RENAME": _rename,
    "ALTER": _alter,
}
