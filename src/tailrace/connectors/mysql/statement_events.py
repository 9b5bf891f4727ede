"""The schema-change events of statements.

A statement makes one event for each table that it names; one that names none (or none that is known) makes
one event with the statement as it stands and no table changes. TRUNCATE makes none: it is a data change. The
scope says whose events are wanted (`schema.history.internal.store.only.captured.…`).

Source: Debezium documentation, MySQL connector, "Schema change topic".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import TableId

# Statements that Debezium neither records nor tells of.
_SET_STATEMENT = r"(?:SET\s+STATEMENT\s.*?FOR\s+)?"
_WITHOUT_EVENT = re.compile(
    rf"\s*(?:BEGIN|END|COMMIT|FLUSH\s+PRIVILEGES|XA\s.*|SAVEPOINT\s.*|FLUSH\s+RELAY\s+LOGS.*|#\s*Dummy\s+event.*"
    r"|DROP\s+TEMPORARY\s+TABLE\s+IF\s+EXISTS\s.+/\*\s*generated\s+by\s+server\s*\*/"
    rf"|{_SET_STATEMENT}(?:INSERT\s+INTO|DELETE\s+FROM)\s+(?:mysql\.)?rds_(?:heartbeat2|sysinfo|monitor)\b.*"
    rf"|{_SET_STATEMENT}(?:REPLACE\s+INTO|GRANT|REVOKE)\s.*"
    rf"|{_SET_STATEMENT}(?:ANALYZE|OPTIMIZE|REPAIR)\s+(?:NO_WRITE_TO_BINLOG\s+|LOCAL\s+)?TABLE\s.*"
    rf"|{_SET_STATEMENT}(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:USER|ROLE)\b.*"
    rf"|{_SET_STATEMENT}(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:ALGORITHM\s*=\s*\S+\s+)?(?:DEFINER\s*=\s*\S+\s+)?"
    r"(?:SQL\s+SECURITY\s+\S+\s+)?(?:VIEW|FUNCTION|PROCEDURE|TRIGGER)\s.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose schema changes are told and recorded; everybody's by default.

    Attributes:
        only_captured_tables: `schema.history.internal.store.only.captured.tables.ddl`.
        only_captured_databases: `schema.history.internal.store.only.captured.databases.ddl`.
        table: whether a table is captured.
        database: whether a database is captured.

    """

    only_captured_tables: bool = False
    only_captured_databases: bool = False
    table: Callable[[TableId], bool] = lambda _table: True
    database: Callable[[str], bool] = lambda _database: True

    def captures(self, change: TableChange) -> bool:
        """Whether a change concerns what is captured, or the server."""
        if change.id is None:
            return change.database == "" or self.database(change.database)
        return self.table(change.id)


def schema_events(
    database: str, ddl: str, changes: Sequence[TableChange], scope: Scope = Scope()
) -> list[SchemaEvent]:
    """The events of one statement, in order; `changes` is what `Structures.apply` said of it."""
    statement = ddl.strip()
    if any(change.type is ChangeType.TRUNCATE for change in changes) or _WITHOUT_EVENT.fullmatch(statement):
        return []
    is_set = not database and statement.upper().startswith("SET ")
    if scope.only_captured_tables and not is_set and not any(map(scope.captures, changes)):
        return []
    if not changes:
        events = [SchemaEvent(database, statement, (), "", recorded=not scope.only_captured_tables or is_set)]
    else:
        events = list(_events_of_changes(changes, scope))
    return [event for event in events if _in_scope(event, scope)]


def source_table(ids: Iterable[TableId]) -> str | None:
    """The source block's `table` for an event about these tables: names in the order of Java's HashSet."""
    names = {str(i): i.name for i in ids}
    return ",".join(names[key] for key in _hash_set_order(names)) if names else None


def _events_of_changes(changes: Sequence[TableChange], scope: Scope) -> Iterable[SchemaEvent]:
    for database, group in groupby(changes, key=lambda change: change.database):
        if scope.only_captured_tables and database and not scope.database(database):
            continue
        of_database = list(group)
        tables = source_table(change.id for change in of_database if change.id is not None)
        for change in of_database:
            yield SchemaEvent(
                database, change.ddl, () if change.id is None else (change,), tables, _recorded(change, scope)
            )


def _recorded(change: TableChange, scope: Scope) -> bool:
    if not scope.only_captured_tables:
        return True
    if change.id is None:
        return not change.database and change.ddl.upper().startswith("SET ")
    there = change.table is not None or change.type is ChangeType.DROP
    return there and scope.table(change.id)


def _in_scope(event: SchemaEvent, scope: Scope) -> bool:
    return not (scope.only_captured_databases and event.database and not scope.database(event.database))


def _hash_set_order(keys: Iterable[str]) -> list[str]:
    """A copy of a HashSet: capacity follows from size, buckets keep the order of the set copied from."""
    first = _bucketed(list(keys), _capacity_of_growing)
    return _bucketed(first, _capacity_of_copy)


def _bucketed(keys: list[str], capacity_of: Callable[[int], int]) -> list[str]:
    capacity = capacity_of(len(keys))
    return sorted(keys, key=lambda key: _spread(key) & (capacity - 1))


def _capacity_of_growing(size: int) -> int:
    capacity = 16
    while size > capacity * 3 // 4:
        capacity *= 2
    return capacity


def _capacity_of_copy(size: int) -> int:
    wanted = max(int(size / 0.75) + 1, 16)
    return 1 << (wanted - 1).bit_length()


def _spread(text: str) -> int:
    """Java's hash of a string, as its hash maps spread it."""
    found = 0
    units = text.encode("utf-16-be")
    for at in range(0, len(units), 2):
        found = (31 * found + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return found ^ (found >> 16)
