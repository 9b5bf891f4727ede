"""What a statement does to the unique indexes of a table, and which columns it drops or defines anew.

Structures have no indexes but the key, as in Debezium. A snapshot that reads a table along an index has to know whether the
log drops that index, or makes it: without it two rows may have had one key.

Statements are read no further than this needs. What can't be read is left to whoever applies the statement to structures.

Source: MySQL Reference Manual, "ALTER TABLE Statement", "CREATE INDEX Statement", "DROP INDEX Statement";
`make_unique_key_name` in MySQL's sql_table.cc.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tailrace.connectors.mysql.ddl.keys import is_key
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.tokens import DEFAULT_MODE, SqlMode, blank_comments
from tailrace.errors import StructureError
from tailrace.schema.tables import TableId

PRIMARY = "primary"
_STATEMENT = re.compile(
    r"\s*(?:(?P<altered>ALTER\s+(?:ONLINE\s+|IGNORE\s+)*TABLE)|(?P<created>CREATE\s+(?:ONLINE\s+|OFFLINE\s+)?UNIQUE\s+INDEX)"
    r"|(?P<dropped>DROP\s+(?:ONLINE\s+|OFFLINE\s+)?INDEX))\b",
    re.IGNORECASE,
)
_BEHIND_A_COLUMN = {"AFTER", "FIRST"}
_GENERATED = {"GENERATED", "AS"}
_NO_COLUMNS = {"FOREIGN", "CHECK", "PARTITION"}  # what else can be dropped


@dataclass(frozen=True, slots=True)
class NewIndex:
    """A unique index that a statement makes; names are in lower case.

    Attributes:
        name: of the index; None: the server names it after its first column.
        columns: in their order; None if they are not known, or an expression or a prefix of a column is among them.

    """

    name: str | None
    columns: tuple[str, ...] | None

    def may_be(self, index: str, columns: tuple[str, ...]) -> bool:
        """Whether it may be the index of this name and these columns."""
        if self.name is not None:
            return self.name == index
        return self.columns == columns and re.fullmatch(rf"{re.escape(columns[0])}(?:_\d+)?", index) is not None


@dataclass(frozen=True, slots=True)
class IndexChanges:
    """What a statement does to the unique indexes of a table; names are in lower case.

    Attributes:
        table: its id.
        gone: names of indexes that are dropped, or get another name.
        made: the new ones.
        dropped: names of columns that are dropped, perhaps to be added again, or get their values from an expression that is
            written anew.
        redefined: names of columns that are defined anew, or get another name; that as well.

    """

    table: TableId
    gone: frozenset[str] = frozenset()
    made: tuple[NewIndex, ...] = ()
    dropped: frozenset[str] = frozenset()
    redefined: frozenset[str] = frozenset()

    def leaves(self, index: str, columns: Sequence[str]) -> bool:
        """Whether an index of these columns is there before and after the statement, as far as that tells.

        One that a single statement drops and makes again is. `index` is "" if only the columns are known, in any order.
        """
        wanted = tuple(name.lower() for name in columns)
        if not index:
            return not any(each.columns is not None and {*each.columns} == {*wanted} for each in self.made)
        made = [each for each in self.made if each.may_be(index.lower(), wanted)]
        if index.lower() in self.gone:
            return any(each.columns == wanted for each in made)
        return not made


def index_changes(
    sql: str, database: str, mode: SqlMode = DEFAULT_MODE, *, lower_names: bool = False
) -> IndexChanges | None:
    """What a statement does to the indexes of a table; None if it is none of the kind, or can't be read.

    `database` is the session's; `lower_names` as in `Reader`.
    """
    found = _STATEMENT.match(blank_comments(sql, mode))
    if not found or not found.lastgroup:
        return None
    try:
        reader = Reader(sql, database, mode, lower_names=lower_names)
        reader.go_to(found.end())
        return _READERS[found.lastgroup](reader)
    except StructureError:  # who applies the statement to structures stops there, or warns
        return None


def _dropped(reader: Reader) -> IndexChanges:
    name = reader.name().lower()
    reader.expect("ON")
    return IndexChanges(reader.table_id(), gone=frozenset([name]))


def _created(reader: Reader) -> IndexChanges:
    name = reader.name().lower()
    while not reader.accept("ON"):
        reader.next()
    return IndexChanges(reader.table_id(), made=(NewIndex(name, _columns(reader)),))


def _altered(reader: Reader) -> IndexChanges:
    table, gone, made, dropped, redefined = reader.table_id(), set[str](), list[NewIndex](), set[str](), set[str]()
    while not reader.done:
        if reader.accept("DROP"):
            _drop(reader, gone, dropped)
        elif reader.accept("RENAME"):
            _rename(reader, gone, made, redefined)
        elif reader.accept("ADD"):
            made += _added(reader)
        elif reader.accept("MODIFY") or reader.is_("CHANGE"):
            made += _redefined(reader, redefined, dropped)
        reader.skip_list()
        if not reader.done:
            reader.next()
    return IndexChanges(table, frozenset(gone), tuple(made), frozenset(dropped), frozenset(redefined))


def _drop(reader: Reader, gone: set[str], dropped: set[str]) -> None:
    """Behind DROP."""
    if reader.accept("PRIMARY", "KEY"):
        gone.add(PRIMARY)
    elif reader.accept_any("INDEX", "KEY", "CONSTRAINT"):
        gone.add(reader.name().lower())
    elif reader.accept("COLUMN") or reader.peek().upper not in _NO_COLUMNS:
        reader.accept("IF", "EXISTS")
        dropped.add(reader.column_name().lower())


def _rename(reader: Reader, gone: set[str], made: list[NewIndex], redefined: set[str]) -> None:
    """Behind RENAME: the index of the new name has columns that the statement does not tell."""
    if reader.accept_any("INDEX", "KEY"):
        gone.add(reader.name().lower())
        reader.expect("TO")
        made.append(NewIndex(reader.name().lower(), None))
    elif reader.accept("COLUMN"):
        redefined.add(reader.column_name().lower())
        reader.expect("TO")
        redefined.add(reader.column_name().lower())


def _added(reader: Reader) -> Iterator[NewIndex]:
    """Behind ADD: one element, or several in parentheses."""
    reader.accept("COLUMN")
    if not reader.accept("("):
        yield from _element(reader)
        return
    while True:
        yield from _element(reader)
        reader.skip_list()
        if not reader.accept(","):
            break
    reader.expect(")")


def _element(reader: Reader) -> Iterator[NewIndex]:
    """A key, or a column whose definition may make one."""
    if is_key(reader):
        yield from _key(reader)
        return
    reader.accept("IF", "NOT", "EXISTS")
    name = reader.column_name()
    yield from _keys_of_column(_words_of_definition(reader), name)


def _redefined(reader: Reader, redefined: set[str], dropped: set[str]) -> Iterator[NewIndex]:
    """Behind MODIFY, or at CHANGE, which has the old name first."""
    is_renamed = reader.accept("CHANGE")
    reader.accept("COLUMN")
    reader.accept("IF", "EXISTS")
    name = reader.column_name()
    now = reader.column_name() if is_renamed else name
    redefined |= {name.lower(), now.lower()}
    words = _words_of_definition(reader)
    if words & _GENERATED:
        dropped.add(now.lower())
    yield from _keys_of_column(words, now)


def _key(reader: Reader) -> Iterator[NewIndex]:
    name = reader.name() if reader.accept("CONSTRAINT") and not is_key(reader) else None
    if reader.accept("PRIMARY", "KEY"):
        yield NewIndex(PRIMARY, _columns(reader))
    elif reader.accept("UNIQUE"):
        reader.accept_any("KEY", "INDEX")
        if not reader.is_("(") and not reader.is_("USING"):
            name = reader.name()  # it wins over the constraint's
        yield NewIndex(name and name.lower(), _columns(reader))


def _words_of_definition(reader: Reader) -> set[str]:
    """The words of a column's definition: those for keys are reserved, and stand for nothing else there."""
    words = set[str]()
    while not reader.done and reader.peek().raw not in {",", ")"} and reader.peek().upper not in _BEHIND_A_COLUMN:
        words.add(reader.peek().upper)
        reader.skip_one()
    return words


def _keys_of_column(words: set[str], name: str) -> Iterator[NewIndex]:
    """The keys that a column's own definition makes."""
    columns = (name.lower(),)
    if "PRIMARY" in words or ("KEY" in words and "UNIQUE" not in words):
        yield NewIndex(PRIMARY, columns)
    if words & {"UNIQUE", "SERIAL"}:
        yield NewIndex(None, columns)


def _columns(reader: Reader) -> tuple[str, ...] | None:
    """The columns of the key whose parentheses come next."""
    while not reader.is_("("):
        reader.next()
    reader.expect("(")
    names: list[str] = []
    is_whole = True
    while True:
        if reader.is_("("):
            is_whole = False
        else:
            names.append(reader.column_name().lower())
            is_whole = is_whole and not reader.is_("(")
        reader.skip_list()
        if not reader.accept(","):
            break
    reader.expect(")")
    return tuple(names) if is_whole else None


_READERS: dict[str, Callable[[Reader], IndexChanges]] = {
    "altered": _altered,
    "created": _created,
    "dropped": _dropped,
}
