"""Structures of tables, and the log position where they apply, read without table locks.

DDL must not come between the two reads: LOCK INSTANCE FOR BACKUP blocks it (and lets rows change)
if the user has the privilege and `snapshot.locking.mode` is not `none`; otherwise the log is checked afterwards, and
everything is read again if it has DDL.

The server adds a transaction's GTID to its set after it wrote the transaction to the log, so that the set
lags behind file and offset by the transactions that are committing. Those that were logged shortly before the head, and
GTIDs that came to the set afterwards without having been logged since, belong before the head as well.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any

from pymysql.constants import ER

from tailrace.connectors.mysql.catalog import GONE, Head, Server, Wanted, files, head, quoted, table_ids
from tailrace.connectors.mysql.connection import (
    Connection,
    error_number,
    execute,
    mappings,
    rows,
    several_statements,
    translated,
)
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.positions import FIRST_OFFSET, file_number
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.tables import TableId

ATTEMPTS = 10
LOCK_WAIT_SECONDS = 10
SETTLING_SECONDS = 0.1  # longer than a commit takes from the log to the GTID set, unless it waits for replicas
STATEMENTS_AT_ONCE = 200
EVENTS_AT_ONCE = 10_000
MOST_EVENTS = 200_000
NOT_DDL = re.compile(r"\s*(?:use `.*?`; )?(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE SAVEPOINT|XA)\b", re.IGNORECASE)
GTID_NEXT = re.compile(r"GTID_NEXT= '([^']*:\d+)'")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerStructures:
    """DDL that creates the tables as they are at the head, in order of their names.

    Attributes:
        head: the log position where they apply.
        databases: of these tables.
        tables: the captured ones.
        others: the additional ones, if the server can show them.

    """

    head: Head
    databases: Mapping[str, str]
    tables: Mapping[TableId, str]
    others: Mapping[TableId, str] = field(default_factory=dict)


def structures(
    connection: Connection, of: Server, wanted: Wanted, others: Wanted | None = None, *, locking: bool = True
) -> ServerStructures:
    """The structures of the wanted tables, and of `others` if given; and the log head at which they apply."""
    with _ddl_lock(connection, allowed=locking) as locked:
        for _ in range(ATTEMPTS):
            found = _structures_once(connection, of, wanted, others, locked=locked)
            if found:
                return found
    raise RetriableError(
        f"structures of tables changed {ATTEMPTS} times while they were read; try again later, or let "
        "the user keep changes away meanwhile: GRANT BACKUP_ADMIN ON *.* TO its account"
    )


@contextlib.contextmanager
def _ddl_lock(connection: Connection, *, allowed: bool) -> Iterator[bool]:
    """Block DDL if that is allowed and privileges suffice; yields whether it is blocked."""
    locked = allowed and _try(connection, "LOCK INSTANCE FOR BACKUP")
    try:
        yield locked
    finally:
        if locked and connection.open:
            execute(connection, "UNLOCK INSTANCE")


def _structures_once(
    connection: Connection, of: Server, wanted: Wanted, others: Wanted | None, *, locked: bool
) -> ServerStructures | None:
    """The structures; None if DDL came in between, or that is unknown."""
    before = head(connection, of)
    execute(connection, f"DO SLEEP({SETTLING_SECONDS})")
    at = head(connection, of)  # transactions that are committing now were most likely logged after `before`
    found = _read_structures(connection, at, wanted, others)
    after = head(connection, of)
    if found is None:
        return None
    if locked:  # however long that log is: nothing but its GTIDs is kept
        return _found_at(found, after, _logged_between(connection, before, after))
    events = events_between(connection, before, after)
    if events is None or not _only_rows(events, _added(at, after)):
        return None
    return _found_at(found, after, events)


def _only_rows(events: Sequence[Mapping[str, Any]], came: GtidSet) -> bool:
    """Whether these events have no DDL, and include all transactions that came to the GTID set."""
    return not any(map(is_ddl, events)) and came.is_subset(_logged(events))


def _found_at(
    found: ServerStructures, after: Head, events: Iterable[Mapping[str, Any]] | None
) -> ServerStructures | None:
    """The structures, their head with the transactions that were logged before it and were not in the GTID set yet.

    `events` are those around the head, up to `after`; None: they are gone.
    """
    at = found.head
    if at.gtids is None:
        return found
    if events is None:
        return None
    earlier, came, left = GtidSet(), _added(at, after), iter(events)
    while page := list(islice(left, EVENTS_AT_ONCE)):
        before, since = map(_logged, split_at(page, at))
        earlier, came = earlier.union(before), came.subtract(since)
    return replace(found, head=replace(at, gtids=str(GtidSet.parse(at.gtids).union(earlier).union(came))))


def _try(connection: Connection, lock: str) -> bool:
    execute(connection, f"SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}")
    try:
        execute(connection, lock)
    except (SourceSetupError, RetriableError):
        if not connection.open:
            raise
        return False  # no privilege, no such statement, or a long query blocks it
    return True


def _read_structures(
    connection: Connection, at: Head, wanted: Wanted, others: Wanted | None
) -> ServerStructures | None:
    """The structures; None if something was dropped meanwhile."""
    tables = table_ids(connection, lambda table: wanted(table) or (others is not None and others(table)))
    first = [table for table in tables if wanted(table)]
    try:
        ddl = dict(zip(first, _show_create(connection, first), strict=True))
    except SourceSetupError as error:
        if error_number(error) in GONE:
            return None
        raise
    shown = _show_others(connection, [table for table in tables if table not in ddl])
    return ServerStructures(at, _databases(connection, {table.catalog for table in (*ddl, *shown)}), ddl, shown)


def _databases(connection: Connection, names: Collection[str]) -> dict[str, str]:
    """DDL that creates databases."""
    sql = "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA"
    return {
        name: f"CREATE DATABASE {quoted(name)} CHARSET {charset} COLLATE {collation}"
        for name, charset, collation in sorted(rows(connection, sql))
        if name in names
    }


def _show_others(connection: Connection, tables: Sequence[TableId]) -> dict[TableId, str]:
    """DDL that creates uncaptured tables; those that the server can't show are skipped with a warning."""
    found: dict[TableId, str] = {}
    for at in range(0, len(tables), STATEMENTS_AT_ONCE):
        some = tables[at : at + STATEMENTS_AT_ONCE]
        try:
            found |= zip(some, _show_create(connection, some), strict=True)
        except SourceSetupError as error:
            if not connection.open:
                raise
            if len(tables) > 1:
                for table in some:
                    found |= _show_others(connection, [table])
            else:
                log.warning("%s is not captured, and its structure is not told: %s", some[0], error)
    return found


def _show_create(connection: Connection, tables: Sequence[TableId]) -> list[str]:
    """Many SHOW CREATE TABLE in few round trips."""
    found: list[str] = []
    for at in range(0, len(tables), STATEMENTS_AT_ONCE):
        some = tables[at : at + STATEMENTS_AT_ONCE]
        statements = ";".join(f"SHOW CREATE TABLE {quoted(t.catalog)}.{quoted(t.name)}" for t in some)
        reading = translated("reading the structures of tables")
        with several_statements(connection), reading, connection.cursor() as cursor:
            cursor.execute(statements)
            found.append(cursor.fetchone()[1])
            while cursor.nextset():
                found.append(cursor.fetchone()[1])
    return found


def events_between(connection: Connection, start: Head, end: Head) -> list[dict[str, Any]] | None:
    """The log's events between two heads; None if they are too many or their files are gone."""
    logged = _logged_between(connection, start, end)
    if logged is None:
        return None
    events = list(islice(logged, MOST_EVENTS + 1))
    return None if len(events) > MOST_EVENTS else events


def _logged_between(connection: Connection, start: Head, end: Head) -> Iterator[dict[str, Any]] | None:
    """The same, however many; None if their files are gone."""
    names = list(files(connection))
    if start.file not in names or end.file not in names:
        return None
    place = _place(end.file, end.pos)
    return takewhile(lambda event: _place(event["Log_name"], event["Pos"]) < place, logged_since(connection, start, end))


def logged_since(connection: Connection, start: Head, end: Head) -> Iterator[dict[str, Any]]:
    """The log's events from the first position, where one begins, to the end of the other's file."""
    names = list(files(connection))
    for name in names[names.index(start.file) : names.index(end.file) + 1]:
        at, more = start.pos if name == start.file else FIRST_OFFSET, True
        while more:
            page = _events(connection, name, at)
            yield from page
            more = len(page) == EVENTS_AT_ONCE
            at = int(page[-1]["End_log_pos"]) if page else at


def split_at(events: Sequence[Mapping[str, Any]], at: Head) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Split events of `events_between`: those that begin before a head, and those from there on."""
    place = _place(at.file, at.pos)
    placed = [(_place(event["Log_name"], event["Pos"]), event) for event in events]
    return [event for begins, event in placed if begins < place], [event for begins, event in placed if begins >= place]


def _place(file: str, pos: int) -> tuple[int, int]:
    return file_number(file), int(pos)


def _events(connection: Connection, file: str, at: int) -> list[dict[str, Any]]:
    """A page of events; the server may find its newest event half written, and is asked again then."""
    sql = f"SHOW BINLOG EVENTS IN %s FROM {at} LIMIT {EVENTS_AT_ONCE}"
    for _ in range(ATTEMPTS - 1):
        try:
            return mappings(connection, sql, file)
        except SourceSetupError as error:
            if error_number(error) != ER.ERROR_WHEN_EXECUTING_COMMAND:
                raise
        time.sleep(SETTLING_SECONDS)
    return mappings(connection, sql, file)


def _added(start: Head, end: Head) -> GtidSet:
    return GtidSet.parse(end.gtids or "").subtract(GtidSet.parse(start.gtids or ""))


def _logged(events: Sequence[Mapping[str, Any]]) -> GtidSet:
    """The transactions that begin among these events."""
    named = filter(None, (GTID_NEXT.search(event["Info"]) for event in events))
    return GtidSet.parse(",".join(matched[1] for matched in named))


def is_ddl(event: Mapping[str, Any]) -> bool:
    """Whether an event of the log is a statement outside a transaction."""
    return event["Event_type"] == "Query" and not NOT_DDL.match(event["Info"])
