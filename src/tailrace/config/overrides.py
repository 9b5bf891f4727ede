"""Custom SELECT statements with which a snapshot reads tables.

`snapshot.select.statement.overrides` lists the tables; a property for each of them has its SELECT.

Tables are named `database.table`, or `schema.table` or `database.schema.table`. A part with dots or spaces is in quotes.
These are names, not regular expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.entries import Entry, is_given
from tailrace.config.filters import Naming, TableFilter
from tailrace.config.problems import Problems
from tailrace.config.values import Value
from tailrace.schema.table_names import table_id
from tailrace.schema.tables import TableId

LIST: Final = "snapshot.select.statement.overrides"
PREFIX: Final = f"{LIST}."
REMEDY: Final = "it must be {}, a part with dots or blanks in double quotes"


@frozen
class SelectOverride:
    """A table's custom statement.

    Attributes:
        table: without a database (catalog) it means the table of that name in every database.
        statement: the SELECT.
        given_as: the property that has it, for messages.

    """

    table: TableId
    statement: str
    given_as: str


@frozen
class SelectOverrides:
    """All custom statements; the first for a table counts."""

    given: tuple[SelectOverride, ...] = ()

    def of(self, table: TableId, *, lower_names: bool = False) -> SelectOverride | None:
        """The statement of a table. With `lower_names` case is ignored, because the server stores names in lower case."""
        return next((each for each in self.given if _is(each.table, table, lower_names=lower_names)), None)

    def with_statements(self, statements: Mapping[TableId, str], given_as: str) -> SelectOverrides:
        """These statements after `statements`, which win; `given_as` says where those come from."""
        others = (SelectOverride(table, statement, given_as) for table, statement in statements.items())
        return SelectOverrides((*others, *self.given))


def read_overrides(names: Value, entries: Mapping[str, Entry], naming: Naming, problems: Problems) -> SelectOverrides:
    """The statements of a configuration; `names` is the list of tables."""
    listed = names if isinstance(names, tuple) else ()
    statements = dict(_statements(entries, naming, problems))
    found: dict[TableId, SelectOverride] = {}
    for name in listed:
        table = _table(name, naming)
        if table is None:
            problems.add(f"{LIST}: {name!r} is no name of a table: {_remedy(naming)}")
        elif table not in statements:
            problems.add(
                f"{LIST} names {name}, and {PREFIX}{name} is missing: give its SELECT there, or take the name out"
            )
        else:
            entry = statements[table]
            found[table] = SelectOverride(table, entry.text, entry.given_name)
    for table, entry in statements.items():  # a statement that is silently not used would be taken for one that is
        if table not in found:
            problems.warn(f"{entry.given_name} has no effect: {LIST} does not name its table")
    return SelectOverrides(tuple(found.values()))


def _statements(entries: Mapping[str, Entry], naming: Naming, problems: Problems) -> Iterator[tuple[TableId, Entry]]:
    for name, entry in entries.items():
        if not name.startswith(PREFIX) or not is_given(entries, name):
            continue
        table = _table(name.removeprefix(PREFIX), naming)
        if table is None:
            remedy = _remedy(naming)
            problems.warn(f"{entry.given_name} has no effect: its name does not end with that of a table: {remedy}")
        else:
            yield table, entry


def _remedy(naming: Naming) -> str:
    return REMEDY.format(naming.either)


def _table(name: str, naming: Naming) -> TableId | None:
    try:
        table = table_id(name, brackets=naming is Naming.SCHEMA_TABLE)
    except ValueError:
        return None
    # `table_id` takes the first of two parts for the catalog, as MySQL has it
    if naming is Naming.SCHEMA_TABLE and table.catalog and not table.schema:
        return TableId("", table.catalog, table.name)
    return table if naming.is_full(table) else None


def _is(given: TableId, table: TableId, *, lower_names: bool) -> bool:
    if not given.catalog:
        table = TableId("", table.schema, table.name)
    return (TableFilter.lower(given) == TableFilter.lower(table)) if lower_names else given == table
