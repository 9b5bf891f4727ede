"""Entries of the configuration's lists that match nothing: most often a misspelt name.

A table list that matches no table, a `snapshot.include.collection.list` without a captured table, or
`message.key.columns` without an existing column would be noticed only when rows are missing or have the wrong key. So a
connector that begins refuses them, unless `tailrace.start.without.tables` says that the tables will be created later.
An entry without a match beside others that match is a warning. When a connector resumes, all of it is only a warning: a
table may have been dropped meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from tailrace.config.filters import NameFilter, Naming, TableNames
from tailrace.config.near_misses import Candidate, near_miss
from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.config.settings import Settings
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId

ALLOWED: Final = "tailrace.start.without.tables"
MOST: Final = 5  # expressions of a list that are named one by one
_YET_TO_COME: Final = f"for tables that are yet to be made set {ALLOWED}=true"

log = logging.getLogger(__name__)


@frozen
class Existing:
    """What the server has, as far as the user may see it.

    Attributes:
        databases: their names.
        tables: all except the server's own.
        captured: those whose changes are delivered.
        columns: of captured tables; empty if no list names columns.
        schemas: the names of all schemas; empty if the database has none.
        doubts: what else the catalogue says about captured tables that a user should know.

    """

    databases: Sequence[str]
    tables: Sequence[TableId]
    captured: Sequence[TableId]
    columns: Mapping[TableId, Sequence[str]] = field(factory=dict)
    schemas: Sequence[str] = ()
    doubts: Sequence[Finding] = ()


_Matcher = Callable[[Candidate], bool]


def _of_name(expression: str) -> _Matcher:
    matches = NameFilter((expression,)).matches
    return lambda thing: matches(thing.name)


@frozen
class _List:
    """A list of the configuration, and the names that it is matched against.

    `matcher` compiles one expression, which is then applied to many names.
    """

    name: str
    what: str
    expressions: Sequence[str]
    things: Sequence[Candidate]
    is_required: bool = False
    matcher: Callable[[str], _Matcher] = _of_name


def wants_columns(settings: Settings) -> bool:
    """Whether a list names columns; only then are columns selected from the catalogue, which is slow for many tables."""
    return bool(settings.column_include_list or settings.column_exclude_list or settings.message_keys)


def findings(settings: Settings, existing: Existing) -> list[Finding]:
    """The findings; an error if a connector would not begin with it."""
    level = Level.WARNING if settings.tailrace_start_without_tables else Level.ERROR
    empty, some = _found(settings, existing)
    unmatched = [*(Finding(level, each, _YET_TO_COME) for each in empty), *(Finding(Level.WARNING, each) for each in some)]
    return [*unmatched, *existing.doubts]


def require(settings: Settings, existing: Existing) -> None:
    """Check the lists of a connector that begins: raise `ConfigError`, or warn."""
    found = findings(settings, existing)
    if errors := [each.what for each in found if each.level is Level.ERROR]:
        raise ConfigError(f"{'; '.join(errors)}; {_YET_TO_COME}")
    warn(settings, existing)


def warn(settings: Settings, existing: Existing) -> None:
    """Check the lists of a connector that resumes: warn."""
    empty, some = _found(settings, existing)
    for each in (*empty, *some, *existing.doubts):
        log.warning("%s", each)


def _found(settings: Settings, existing: Existing) -> tuple[list[str], list[str]]:
    """The texts that are an error for a new connector, and those that are a warning."""
    empty: list[str] = []
    some: list[str] = []
    for each in _lists(settings, existing):
        unmatched = _unmatched(each)
        whole = len(unmatched) == len(each.expressions)
        sentences = [_sentence(each, expression) for expression in unmatched[:MOST]]  # a near miss takes long to find
        # If one entry matches, the list is meant for this server, and the others are only warnings.
        (empty if sentences and whole and each.is_required else some).extend(sentences)
        if len(unmatched) > MOST:
            some.append(f"{each.name}: {len(unmatched) - MOST} expressions more match nothing")
    if not existing.captured and not empty and (reason := _nothing_is_left(settings, existing)):
        empty.append(reason)
    return empty, some


def _unmatched(given: _List) -> list[str]:
    """The expressions without a match."""
    return [each for each in given.expressions if not any(map(given.matcher(each), given.things))]


def _sentence(given: _List, expression: str) -> str:
    miss = near_miss(expression, given.things)
    return f"{given.name}: no {given.what} matches {expression!r}{f' ({miss})' if miss else ''}"


def _lists(settings: Settings, existing: Existing) -> Iterator[_List]:
    naming = settings.tables.naming
    tables = [_named(table, naming) for table in existing.tables]
    databases = [Candidate(name) for name in existing.databases]
    schemas = [Candidate(name) for name in existing.schemas]
    yield _List("database.include.list", "database", settings.database_include_list, databases)
    yield _List("schema.include.list", "schema", getattr(settings, "schema_include_list", ()), schemas)
    kind = f"table ({naming.value})"
    yield _List("table.include.list", kind, settings.table_include_list, tables, is_required=True)
    if existing.captured and settings.snapshot_mode in WITH_ROWS:
        yield _of_snapshots(settings, existing.captured)
    if existing.columns:
        yield from _of_columns(settings, existing.columns)


def _of_snapshots(settings: Settings, captured: Sequence[TableId]) -> _List:
    naming = settings.tables.naming
    by_name = {str(table): table for table in captured}

    def of_either_name(expression: str) -> _Matcher:
        matches = TableNames((expression,), naming).matches
        return lambda thing: matches(by_name[thing.name])

    things = [Candidate(str(table), tuple({table.name, f"{table.schema}.{table.name}"})) for table in captured]
    return _List(
        "snapshot.include.collection.list",
        f"captured table ({naming.either})",
        settings.snapshot_include_collection_list,
        things,
        is_required=True,
        matcher=of_either_name,
    )


def _of_columns(settings: Settings, columns: Mapping[TableId, Sequence[str]]) -> Iterator[_List]:
    naming = settings.tables.naming
    things = [_column(table, column, naming) for table, names in columns.items() for column in names]
    what = f"column of a captured table ({naming.value}.column)"
    yield _List("column.include.list", what, settings.column_include_list, things)
    yield _List("column.exclude.list", what, settings.column_exclude_list, things)
    any_name = {
        each.name: tuple(f"{name}.{column}" for name in naming.all_of(table))
        for table, names in columns.items()
        for column in names
        for each in (_column(table, column, naming),)
    }

    def of_any_name(expression: str) -> _Matcher:
        matches = NameFilter((expression,)).matches
        return lambda thing: any(map(matches, any_name[thing.name]))

    yield _List(
        "message.key.columns",
        "column of a captured table",
        [pattern.pattern for pattern in settings.message_keys.patterns],
        things,
        is_required=True,
        matcher=of_any_name,
    )


def _named(table: TableId, naming: Naming) -> Candidate:
    """A table by the name in lists, with other spellings of it, which help to find a near miss."""
    name = naming.of(table)
    others = {table.name, str(table), f"{table.schema}.{table.name}", f"{table.catalog}.{table.name}"}
    return Candidate(name, tuple(sorted(others - {name})))


def _column(table: TableId, column: str, naming: Naming) -> Candidate:
    of_table = _named(table, naming)
    return Candidate(f"{of_table.name}.{column}", (column, *(f"{other}.{column}" for other in of_table.others)))


def _nothing_is_left(settings: Settings, existing: Existing) -> str:
    """Why nothing is captured although expressions match; "" if no list of tables is set, or no table exists."""
    filters = settings.tables
    if not existing.tables or not (settings.table_include_list or settings.table_exclude_list):
        return ""
    named = [table for table in existing.tables if filters.tables.matches(filters.naming.of(table))]
    if not named:
        return f"table.exclude.list leaves out every table that exists: {_some(existing.tables)}"
    left = [table for table in named if filters.matches(table)]
    if left:
        return f"the lists let through {_some(left)}, and of none the changes are captured: see tailrace check"
    return f"the lists of databases and schemas leave out every table that the lists of tables let through: {_some(named)}"


def _some(tables: Sequence[TableId]) -> str:
    return listed(tables)
