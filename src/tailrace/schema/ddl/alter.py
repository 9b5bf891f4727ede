"""ALTER TABLE, with any number of actions.

The server takes all actions together, not one after the other: actions on columns use the names that the columns had
before, so that two columns can swap names; then columns are added and moved, behind columns by their new names; keys
come last. So the actions are read into an `_Alteration` first. What changes no column, key, character set or name is
stepped over.

Source: MySQL Reference Manual, "ALTER TABLE Statement"; `mysql_prepare_alter_table` in MySQL's sql_table.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tailrace.errors import StructureError
from tailrace.schema.ddl.charsets import charset_of, read_charset, read_collation
from tailrace.schema.ddl.columns import ColumnDefinition, read_column
from tailrace.schema.ddl.create import read_table_option
from tailrace.schema.ddl.defaults import read_default
from tailrace.schema.ddl.editor import TableEditor
from tailrace.schema.ddl.keys import is_key, read_key
from tailrace.schema.ddl.reader import Reader
from tailrace.schema.ddl.state import ChangeType, State, TableChange
from tailrace.schema.tables import Column

_NOT_COLUMNS = ("INDEX", "KEY", "FOREIGN", "CHECK", "CONSTRAINT", "PARTITION")
_NOWHERE = ("", None)


@dataclass(slots=True)
class _Alteration:
    """What a statement asks for.

    Attributes:
        edits: for each column (its old name in lower case), what becomes of it; None for a dropped one.
        placed: columns to add, or the new names of columns to move, with FIRST or AFTER and the column behind which.
        keys: where in the tokens each new key begins, or a column with a key of its own.

    """

    edits: dict[str, Callable[[Column], Column | None]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    placed: list[tuple[ColumnDefinition | str, tuple[str, str | None]]] = field(default_factory=list)
    keys: list[int | ColumnDefinition] = field(default_factory=list)
    drops_primary_key: bool = False
    converts_to: str | None = None

    def defines(self, name: str, definition: ColumnDefinition, charset: Callable[[], str | None]) -> None:
        """MODIFY and CHANGE."""
        self.renamed[name.lower()] = definition.name
        self.edits[name.lower()] = lambda old: _still_in_key(old, definition, definition.column(charset()))
        self.keys.append(definition)


def alter_table(reader: Reader, state: State) -> list[TableChange]:
    """Behind ALTER TABLE; a table that is not known is left alone."""
    old_id = reader.table_id()
    table = state.tables.get(old_id)
    if table is None:
        return []
    editor, wanted = TableEditor(table), _Alteration()
    while not reader.done:
        if not _read_action(reader, editor, wanted, state):
            reader.skip_list()
        reader.accept(",")
    _alter_columns(editor, wanted)
    _place_columns(editor, wanted)
    _alter_keys(reader, editor, wanted)
    if wanted.converts_to:
        editor.convert(wanted.converts_to)
    return [_changed(reader, state, editor, old_id != editor.id)]


def _changed(reader: Reader, state: State, editor: TableEditor, renamed: bool) -> TableChange:  # noqa: FBT001
    reader.at = len(reader.tokens)
    altered = editor.table()
    del state.tables[editor.old_id]
    state.tables[editor.id] = altered
    previous = editor.old_id if renamed else None
    return TableChange(
        ChangeType.ALTER, editor.id.catalog, reader.text(), editor.id, previous, altered, renamed_by_alter=renamed
    )


def _alter_columns(editor: TableEditor, wanted: _Alteration) -> None:
    known = {column.name.lower() for column in editor.columns}
    for name in wanted.edits:
        if name not in known:
            raise StructureError(f"{editor.id} has no column {name} as far as it is known")
    if wanted.drops_primary_key:
        editor.key = []
    edited = ((column, wanted.edits.get(column.name.lower())) for column in editor.columns)
    after = [(column.name.lower(), edit(column) if edit else column) for column, edit in edited]
    editor.columns = [column for _, column in after if column is not None]
    dropped = {name for name, column in after if column is None}
    editor.key = [wanted.renamed.get(n.lower(), n) for n in editor.key if n.lower() not in dropped]


def _place_columns(editor: TableEditor, wanted: _Alteration) -> None:
    for column, (place, after) in wanted.placed:
        name = column if isinstance(column, str) else column.name
        if isinstance(column, ColumnDefinition):
            editor.columns.append(column.column(editor.charset))
            wanted.keys.append(column)
        if place:
            editor.move(name, after)


def _alter_keys(reader: Reader, editor: TableEditor, wanted: _Alteration) -> None:
    for key in wanted.keys:
        if isinstance(key, ColumnDefinition):
            editor.take_inline_key(key)
        else:
            reader.at = key
            read_key(reader, editor)


def _still_in_key(old: Column, definition: ColumnDefinition, new: Column) -> Column:
    """A column of the primary key stays NOT NULL when that is not said again: `settle_key` looks at it."""
    return new if old.optional or definition.nullable is not None else replace(new, optional=new.optional)


def _read_action(reader: Reader, editor: TableEditor, wanted: _Alteration, state: State) -> bool:
    action = _ACTIONS.get(reader.peek().upper)
    if action:
        before = reader.at
        reader.next()
        if action(reader, editor, wanted):
            return True
        reader.at = before
    if reader.accept("CONVERT", "TO"):
        return _convert(reader, editor, wanted, state)
    return _options(reader, editor, state)
