"""Statements that changed rows and are in the log as text: which tables they change, which functions they call.

The text says no more. Triggers, views and foreign keys that propagate a change to other tables are not in it.

Source: MySQL Reference Manual, "Data Manipulation Statements".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.tokens import SqlMode, blank_comments
from tailrace.errors import StructureError
from tailrace.schema.tables import TableId

_NAME: Final = r"`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|[\w$\u0080-\uffff]+"
_QUALIFIED: Final = rf"\s*\.?\s*({_NAME})(?:\s*\.\s*({_NAME}))?"
_INSERT: Final = re.compile(
    rf"[\s(]*(?:INSERT|REPLACE)\b(?:\s*\b(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|INTO)\b)*{_QUALIFIED}", re.IGNORECASE
)
_LOAD: Final = re.compile(rf"[\s(]*LOAD\b.*?\bINTO\s+TABLE\b{_QUALIFIED}", re.IGNORECASE | re.DOTALL)
_CALL: Final = re.compile(rf"(?:({_NAME})\s*\.\s*)?({_NAME})\s*\(")
_VERB: Final = re.compile(r"[\s(]*(\w+)")
_ESCAPING: Final = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", re.DOTALL)
_PLAIN: Final = re.compile(r"`(?:[^`]|``)*`|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", re.DOTALL)
_CHANGES_KEYS: Final = re.compile(r"\b(?:REPLACE|DUPLICATE|UPDATE|DELETE)\b", re.IGNORECASE)

_READS: Final = re.compile(r"(?<![`\"])\b(?:SELECT|TABLE)\b", re.IGNORECASE)
_READS_OTHERS: Final = re.compile(r"(?<![`\"])\b(?:SELECT|TABLE|JOIN|USING)\b|,", re.IGNORECASE)

_BEFORE_BRACKETS: Final = re.compile(
    r"values?|row|in|and|or|not|xor|on|using|select|where|having|by|as|from|join|exists|any|all|some|partition|set|into|table"
    r"|over|with|case|when|then|else|end|between|like|div|mod|is|straight_join|lateral|union|except|intersect|\d+"
)  # words before a bracket that are not calls
_BEHIND_A_TABLE: Final = frozenset(
    {"JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN", "ON", "USING", "SET", "WHERE", "ORDER", "LIMIT"}
    | {"USE", "FORCE", "IGNORE", "PARTITION"}
)  # words that are not an alias
_SUBQUERY: Final = ("SELECT", "WITH", "TABLE", "VALUES")


@dataclass(frozen=True, slots=True)
class DataStatement:
    """What a statement's text says about its effect.

    Attributes:
        verb: its first word, in upper case; after WITH that of the statement itself.
        targets: the tables or views that it changes; None if the text does not say.
        calls: functions that it may call, each with its database, names in lower case; includes MySQL's own.
        changes_keys: whether rows may be deleted, or get other keys, so that foreign keys cascade.
        reads: names in it, which include those of the tables and views that it reads; none if it reads no other.

    """

    verb: str
    targets: tuple[TableId, ...] | None
    calls: frozenset[tuple[str, str]]
    changes_keys: bool
    reads: frozenset[str] = frozenset()


def read_data_statement(
    sql: str, database: str, mode: SqlMode = SqlMode(), *, lower_names: bool = False  # noqa: B008 -- immutable
) -> DataStatement:
    """Parse a statement; `database` is the session's."""
    text = _without_literals(blank_comments(sql, mode), mode)
    reader = _Names(database, lower_names=lower_names)
    found = _INSERT.match(text) or _LOAD.match(text)
    if found:
        targets, rest = (reader.table(found[1], found[2]),), text[found.end() :]
        calls, reads = reader.calls(rest), _names(rest, _READS)
        return DataStatement(_verb(text), targets, calls, bool(_CHANGES_KEYS.search(text)), reads)
    verb, several = _changed(text, database, mode, lower_names=lower_names)
    return DataStatement(verb, several, reader.calls(text), changes_keys=True, reads=_names(text, _READS_OTHERS))


def unquoted(name: str) -> str:
    """The name that a bare or quoted word stands for."""
    return name[1:-1].replace(name[0] * 2, name[0]) if name[0] in '`"' else name


class _Names:
    """Names as the server keeps them; those without a database are in the session's."""

    def __init__(self, database: str, *, lower_names: bool) -> None:
        self._database = database
        self._lower = lower_names

    def table(self, first: str, second: str | None) -> TableId:
        database, table = (unquoted(first), unquoted(second)) if second else (self._database, unquoted(first))
        return TableId(database.lower(), "", table.lower()) if self._lower else TableId(database, "", table)

    def calls(self, text: str) -> frozenset[tuple[str, str]]:
        return frozenset(self._calls(text))

    def _calls(self, text: str) -> Iterator[tuple[str, str]]:
        for first, second in set(_CALL.findall(text)):
            if first:
                yield unquoted(first).lower(), unquoted(second).lower()
            elif not _BEFORE_BRACKETS.fullmatch(second.lower()):
                yield self._database.lower(), unquoted(second).lower()


def _names(text: str, where: re.Pattern[str]) -> frozenset[str]:
    """All names in the text, in lower case, if it has a word that other tables may follow."""
    if not where.search(text):
        return frozenset()
    return frozenset(unquoted(name).lower() for name in re.findall(_NAME, text) if not name.isdigit())


def _verb(text: str) -> str:
    found = _VERB.match(text)
    return found[1].upper() if found else ""


def _without_literals(text: str, mode: SqlMode) -> str:
    """The text with empty string literals; quoted names stay."""

    def blanked(match: re.Match[str]) -> str:
        is_name = match[0][0] == "`" or (match[0][0] == '"' and mode.ansi_quotes)
        return match[0] if is_name else "''"

    return (_PLAIN if mode.no_backslash_escapes else _ESCAPING).sub(blanked, text)


def _changed(text: str, database: str, mode: SqlMode, *, lower_names: bool) -> tuple[str, tuple[TableId, ...] | None]:
    """Verb and targets of UPDATE and DELETE; no targets for any other statement."""
    if _verb(text) not in {"UPDATE", "DELETE", "WITH"}:
        return _verb(text), None
    try:
        reader = Reader(text, database, mode, lower_names=lower_names)
        given = _skip_with(reader)
        verb = reader.peek().upper
        if reader.accept("UPDATE"):
            return verb, _updated(reader, given)
        if reader.accept("DELETE"):
            return verb, _deleted(reader, given)
    except StructureError:
        return _verb(text), None
    return verb, None


def _skip_with(reader: Reader) -> set[str]:
    """The names that WITH gives to subqueries."""
    given: set[str] = set()
    if not reader.accept("WITH"):
        return given
    reader.accept("RECURSIVE")
    while True:
        given.add(reader.name())
        if reader.is_("("):
            reader.skip_parens()
        reader.expect("AS")
        reader.skip_parens()
        if not reader.accept(","):
            return given


def _updated(reader: Reader, given: Collection[str]) -> tuple[TableId, ...]:
    """The targets of UPDATE; of several tables, any may be the one whose columns are set."""
    _skip_words(reader, "LOW_PRIORITY", "IGNORE")
    return tuple(dict.fromkeys(table for _, table in _references(reader, given)))


def _deleted(reader: Reader, given: Collection[str]) -> tuple[TableId, ...]:
    _skip_words(reader, "LOW_PRIORITY", "QUICK", "IGNORE")
    is_from_first = reader.accept("FROM")
    named = _named(reader)
    if is_from_first and not reader.accept("USING"):
        return tuple(table for _, table in named)
    if not is_from_first:
        reader.expect("FROM")
    references = _references(reader, given)
    return tuple(dict.fromkeys(table for name in named for table in _meant(name, references)))


def _meant(name: tuple[str | None, TableId], references: list[tuple[str, TableId]]) -> list[TableId]:
    """The tables that a name in a multi-table DELETE may mean: it may be an alias."""
    alias, table = name
    found = [each for known, each in references if alias is not None and known.lower() == alias.lower()]
    return found or [table]


def _named(reader: Reader) -> list[tuple[str | None, TableId]]:
    """Names of tables or aliases: `a`, `d.b`, `c.*`; a name with a database is not an alias."""
    found: list[tuple[str | None, TableId]] = []
    while True:
        parts = [reader.name()]
        while reader.accept("."):
            if reader.accept("*"):
                break
            parts.append(reader.name())
        alias = parts[0] if len(parts) == 1 else None
        found.append((alias, reader.id_of(reader.database if alias else parts[0], parts[-1])))
        if not reader.accept(","):
            return found


def _references(reader: Reader, given: Collection[str]) -> list[tuple[str, TableId]]:
    """The tables of a list of joins, each with its name or alias there."""
    found: list[tuple[str, TableId]] = []
    awaits = True
    while not reader.done and not reader.is_("SET") and not reader.is_("WHERE"):
        if awaits and reader.is_("("):
            if reader.peek(1).upper in _SUBQUERY:
                reader.skip_parens()
                awaits = False
            else:
                reader.next()
        elif awaits:
            found += _table(reader, given)
            awaits = False
        elif reader.is_("("):
            reader.skip_parens()
        else:
            awaits = reader.next().raw.upper() in {",", "JOIN", "STRAIGHT_JOIN"}
    if awaits:
        reader.fail("a table is expected")
    return found


def _table(reader: Reader, given: Collection[str]) -> list[tuple[str, TableId]]:
    if reader.accept("LATERAL") or (reader.is_("JSON_TABLE", "(") and reader.next()):
        reader.skip_parens()
        return []
    is_given = reader.peek(1).raw != "." and reader.peek().raw.strip('`"') in given
    table = reader.table_id()
    if reader.accept("PARTITION"):
        reader.skip_parens()
    is_renamed = reader.accept("AS") or (reader.is_name() and reader.peek().upper not in _BEHIND_A_TABLE)
    alias = reader.name() if is_renamed else table.name
    return [] if is_given else [(alias, table)]


def _skip_words(reader: Reader, *words: str) -> None:
    while reader.accept_any(*words):
        pass
