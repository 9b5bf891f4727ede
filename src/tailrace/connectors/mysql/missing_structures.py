"""Structures that neither the history nor the log has, read from the server.

The server has a table's current structure. It applies at an earlier position of the log if no statement since
then changed it; and a statement that changes a table names it. So the log from that position up to where the structure
was read is searched for DDL that names the table. With `snapshot.mode=recovery` the user says that there is none.
"""

from __future__ import annotations

import re
from typing import Any, Final

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head, Server
from tailrace.connectors.mysql.connection import Connection, connect
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.server_structures import ServerStructures, is_ddl, logged_since, structures
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.structures import Structures
from tailrace.errors import StructureError
from tailrace.schema.tables import Table, TableId

AT: Final = "the server's catalog"
USE: Final = re.compile(r"use `(?:[^`]|``)*`; ", re.IGNORECASE)  # the server writes this before a statement
PLAIN: Final = re.compile(r"[\w$]+")
HARMLESS: Final = re.compile(r"\s*(?:TRUNCATE|ANALYZE|GRANT|REVOKE)\b", re.IGNORECASE)  # name tables, and change none
RECOVERY: Final = "recovery"


def structure_at(settings: MySqlSettings, table: TableId, place: RestartPosition) -> Table:
    """A table's structure at a position of the server's log, where an event begins.

    Raises:
        StructureError: it is not proven to be the current one; the message says why.
        RetriableError: it is being changed.

    """
    with connect(settings) as session:
        here = catalog.server(session)
        if here.uuid != place.server_uuid:
            raise StructureError(f"{settings.database_hostname} leads to another server now ({here.uuid})")
        locking = settings.snapshot_locking_mode != "none"
        found = structures(session, here, lambda each: _same(here, each, table), locking=locking)
        if not found.tables:
            raise StructureError("there is no such table on the server now")
        if settings.snapshot_mode != RECOVERY:
            _require_unchanged(session, table, Head(place.file, place.pos, None), found.head)
    return _only_table(here, found)


def may_change(statement: str, table: TableId) -> bool:
    """Whether a statement of the log may change a table's structure: it names it, in any database."""
    name, text = table.name.lower(), USE.sub("", statement, count=1).lower()
    if HARMLESS.match(text):
        return False
    if PLAIN.fullmatch(name):
        return name in PLAIN.findall(text)
    return name in text or name.replace("`", "``") in text or name.replace('"', '""') in text


def _require_unchanged(session: Connection, table: TableId, start: Head, end: Head) -> None:
    if start.file not in catalog.files(session):
        raise StructureError(f"the server has purged {start.file}, which tells whether the table was changed since")
    for event in logged_since(session, start, end):
        if is_ddl(event) and may_change(event["Info"], table):
            raise StructureError(f"a statement behind it may have changed the table: {_shown(event)}")


def _shown(event: dict[str, Any]) -> str:
    statement = " ".join(str(event["Info"]).split())
    return f"{event['Log_name']}:{event['Pos']}: {statement[:200]}"


def _same(server: Server, one: TableId, other: TableId) -> bool:
    if server.lower_names:
        return (one.catalog.lower(), one.name.lower()) == (other.catalog.lower(), other.name.lower())
    return one == other


def _only_table(server: Server, found: ServerStructures) -> Table:
    known = Structures(lower_names=server.lower_names)
    ((table, ddl),) = found.tables.items()
    for database, statement in found.databases.items():
        known.apply(database, statement, at=AT)
    known.apply(table.catalog, ddl, at=AT)
    return known[known.id(table.catalog, table.name)]
