r"""The tables that the names in a signal match.

A name in `data-collections` is an expression for whole names (`db1\..*`), or a name with quoted parts, which may
contain dots (`db1."My.Table"`). It is tried as an expression first; if that matches nothing, literally. Debezium's
comparison is case-sensitive for an incremental snapshot and case-insensitive for a blocking one. Here case decides if
it can (`t` and `T` may both exist), and is ignored if a name would else match nothing. If still nothing matches, names
without the database (`dbo.orders`) are tried, if tables have a schema: people name them so in lists, and Debezium did
so once.

Source: Debezium documentation, "Sending signals to a Debezium connector", and the behaviour of 3.6.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.config.near_misses import Candidate, near_miss
from tailrace.java_patterns import PatternError, compile_java
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.table_names import QUOTES, table_id
from tailrace.schema.tables import TableId
from tailrace.signals.model import Condition, ExecuteSnapshot, SnapshotKind, StopSnapshot

EVERYTHING: Final = ".*"
HINTS: Final = 5  # names that get one: each may take a second to find


@dataclass(frozen=True, slots=True)
class Collection:
    """A table that a signal names.

    Attributes:
        table: its id; if it is not known, parsed from the name.
        known: whether there is such a table.
        condition: its filter.

    """

    table: TableId
    known: bool = True
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The spellings of a table's name.

    Attributes:
        table: its id.
        id: the same, or the id without its database.
        texts: the id as a name, without quotes and with them.
        folded: the id in one case.

    """

    table: TableId
    id: TableId
    texts: tuple[str, str]
    folded: TableId


_Spellings = Sequence[Sequence[_Spelling]]
"""All tables with their databases, then those with a schema without; made once for all names of a signal."""


def check_expression(name: str) -> None:
    """Raise `PatternError` for an invalid expression; a quoted name need not be one."""
    try:
        compile_java(name)
    except PatternError:
        if _literal(name) is None or not any(quote in name for quote in QUOTES.values()):
            raise


def collections_of(signal: ExecuteSnapshot, tables: Iterable[TableId]) -> tuple[Collection, ...]:
    """The tables to read, in the order of the signal's list, each once; also those that are not among `tables`."""
    there, found = _spelled(tables), dict[TableId, Collection]()
    for name in signal.collections:
        named = _named(name, there, signal.kind)
        for table in named or _as_written(name):
            condition = _condition(signal, table)
            found.setdefault(table, Collection(table, known=bool(named), condition=condition))
    return tuple(found.values())


def stopped_by(signal: StopSnapshot, tables: Iterable[TableId]) -> tuple[TableId, ...]:
    """The tables of a running snapshot that the signal stops; all if it names none."""
    there = _spelled(tables)
    named = (table for name in signal.collections or (EVERYTHING,) for table in _named(name, there, signal.kind))
    return tuple(dict.fromkeys(named))


def unmatched(signal: ExecuteSnapshot | StopSnapshot, tables: Iterable[TableId]) -> dict[str, str]:
    """The names in a signal that match no table, each with a suggestion; "" if nothing is similar."""
    there = _spelled(tables)
    names = [name for name in dict.fromkeys(signal.collections) if not _named(name, there, signal.kind)]
    things = [_thing(each.table) for each in there[0]] if names else []
    return {name: near_miss(name, things) if number < HINTS else "" for number, name in enumerate(names)}


def is_name(name: str) -> bool:
    """Whether this could be the name of a future table."""
    return _literal(name) is not None


def _thing(table: TableId) -> Candidate:
    return Candidate(str(table), tuple({table.name, f"{table.schema}.{table.name}"}))


def _spelled(tables: Iterable[TableId]) -> _Spellings:
    there = tuple(tables)
    whole = [_spelling(table, table) for table in there]
    return whole, [_spelling(table, _without_database(table)) for table in there if table.schema]


def _spelling(table: TableId, id_: TableId) -> _Spelling:
    return _Spelling(table, id_, _texts(id_), _folded(id_))


def _texts(id_: TableId) -> tuple[str, str]:
    return str(id_), quoted_id(id_)


def _named(name: str, spelled: _Spellings, kind: SnapshotKind) -> list[TableId]:
    """The tables that a name matches."""
    for spellings in spelled:
        for ignore_case in (True,) if kind is SnapshotKind.BLOCKING else (False, True):
            found = _matching(name, spellings, ignore_case=ignore_case) or _equal(
                name, spellings, ignore_case=ignore_case
            )
            if found:
                return found
    return []


def _matching(name: str, spellings: Iterable[_Spelling], *, ignore_case: bool) -> list[TableId]:
    try:
        matches = compile_java(name, ignore_case=ignore_case).fullmatch
    except PatternError:
        return []  # a quoted name need not be an expression
    return [each.table for each in spellings if matches(each.texts[0]) or matches(each.texts[1])]


def _equal(name: str, spellings: Iterable[_Spelling], *, ignore_case: bool) -> list[TableId]:
    wanted = _literal(name)
    if wanted is None or not ignore_case:
        return [each.table for each in spellings if each.id == wanted]
    folded = _folded(wanted)
    return [each.table for each in spellings if each.folded == folded]


def _as_written(name: str) -> list[TableId]:
    wanted = _literal(name)
    return [] if wanted is None else [wanted]


def _without_database(table: TableId) -> TableId:
    return TableId(table.schema, "", table.name)


def _condition(signal: ExecuteSnapshot, table: TableId) -> str | None:
    """The filter of the first condition that is for the table."""
    fits = (c.filter for c in signal.conditions if _is_for(c, table, signal.kind))
    return next(fits, None)


def _is_for(condition: Condition, table: TableId, kind: SnapshotKind) -> bool:
    """Whether a condition is for a table; a blocking snapshot's is one table's statement, so its name is literal."""
    ids = (table, _without_database(table)) if table.schema else (table,)
    if _literal(condition.collection) in ids:
        return True
    if kind is SnapshotKind.BLOCKING:
        return False
    try:
        pattern = compile_java(condition.collection)
    except PatternError:
        return False
    return any(pattern.fullmatch(text) for id_ in ids for text in _texts(id_))


def _literal(name: str) -> TableId | None:
    try:
        return table_id(name)
    except ValueError:
        return None


def _folded(table: TableId) -> TableId:
    return TableId(table.catalog.casefold(), table.schema.casefold(), table.name.casefold())
