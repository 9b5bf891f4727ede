"""Keys, constraints and other things between the parentheses that are not columns.

Source: MySQL Reference Manual, "CREATE TABLE Statement", `create_definition`.
"""

from __future__ import annotations

from tailrace.connectors.mysql.ddl.editor import TableEditor
from tailrace.connectors.mysql.ddl.reader import Reader

_STARTS = ("PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK")


def is_key(reader: Reader) -> bool:
    """Whether a key or a constraint comes next; none of these words can be a bare column name."""
    return reader.peek().upper in _STARTS


def read_key(reader: Reader, editor: TableEditor) -> None:
    """A key or a constraint; those that identify rows are noted in the table."""
    if reader.accept("CONSTRAINT") and reader.peek().upper not in _STARTS:
        reader.name()
    if reader.accept("PRIMARY", "KEY"):
        names = _read_parts(reader)
        editor.set_primary_key([name for name in names if name])
    elif reader.accept("UNIQUE"):
        reader.accept_any("KEY", "INDEX")
        _offer(editor, _read_parts(reader))
    else:
        reader.next()
    reader.skip_list()


def drops_primary_key(reader: Reader) -> bool:
    """Behind DROP: whether the index or constraint that is dropped is the primary key, whose name is PRIMARY."""
    return bool(reader.accept_any("INDEX", "KEY", "CONSTRAINT")) and reader.name().upper() == "PRIMARY"


def offer_unique_index(reader: Reader, editor: TableEditor) -> None:
    """The (…) of CREATE UNIQUE INDEX."""
    _offer(editor, _read_parts(reader))


def _offer(editor: TableEditor, names: list[str | None]) -> None:
    plain = [name for name in names if name]
    editor.offer_unique_key(plain if len(plain) == len(names) else None)


def _read_parts(reader: Reader) -> list[str | None]:
    """The columns of a key, None for each expression; a name and USING BTREE may come before."""
    while not reader.is_("("):
        reader.next()
    reader.expect("(")
    names: list[str | None] = []
    while True:
        names.append(None if reader.is_("(") else reader.column_name())
        reader.skip_list()  # a prefix length, ASC, DESC, an expression
        if not reader.accept(","):
            break
    reader.expect(")")
    return names
