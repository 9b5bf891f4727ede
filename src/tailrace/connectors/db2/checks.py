"""Checks whether a Db2 is set up for change data capture by SQL Replication, and suggests the SQL for what is missing.

`check` connects, and returns findings about the server, the Capture program, and the tables that the configuration includes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.connectors.db2 import catalog, listed_tables, structures
from tailrace.connectors.db2.before_images import old_names
from tailrace.connectors.db2.checking import access, columns, program, server, signals, tables
from tailrace.connectors.db2.checking.access import Reader
from tailrace.connectors.db2.checking.registrations import registrations, services_of
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level
from tailrace.connectors.shared import unmatched_lists
from tailrace.errors import TailraceError
from tailrace.schema.tables import TableId


def check(settings: Db2Settings) -> list[Finding]:
    """All findings; a server that can't be reached is an error among them."""
    found: list[Finding] = []
    try:
        with connect(settings) as session:
            found.extend(_of_session(session, settings))
        # Lists can't be compared with tables that can't be read: that would only repeat the errors.
        if not any(each.level is Level.ERROR for each in found):
            found += unmatched_lists.findings(settings, listed_tables.existing(settings))
    except TailraceError as error:
        found.append(Finding(Level.ERROR, str(error)))
    return found


def _of_session(session: Session, settings: Db2Settings) -> Iterator[Finding]:
    yield server.found(session, settings)
    schema = settings.control_schema
    if (closed := access.catalogue(session, Services(session.database, schema, is_zos=settings.is_zos))) is not None:
        yield closed
        return
    services = services_of(session, schema, is_zos=settings.is_zos)
    yield from server.log_archive(session, services)
    if (unusable := server.control_tables(session, settings)) is not None:
        yield unusable
        return
    who = access.reader(session, services)
    yield from access.of_control_tables(services, who)
    if who.may_capture:
        yield from program.findings(session, services, who)
        yield from _of_tables(session, settings, services, who)


def _of_tables(session: Session, settings: Db2Settings, services: Services, who: Reader) -> Iterator[Finding]:
    wanted = structures.tables(session, session.database, settings.tables.matches, catalog.sql_of(settings))
    registered, instances = registrations(session, services), catalog.instances(session, settings)
    with_old = {each.table for each in instances if each.table in wanted and old_names(wanted[each.table], each)}
    yield from tables.findings(settings, services, list(wanted), registered, with_old)
    if who.may_read("IBMSNAP_PRUNCNTL", "IBMSNAP_PRUNE_SET"):
        yield from tables.subscribed(session, services, [table for table in wanted if table in registered])
    others, altered = catalog.other_types(session, settings), catalog.altered_since_registered(session, settings)
    yield from columns.findings(settings, services, wanted, instances, others, altered)
    yield from signals.findings(settings, services, wanted, instances)
    yield from signals.rights(session, settings, services, who)
    yield from _rights(session, settings, services, who, [table for table in wanted if table in registered])


def _rights(
    session: Session, settings: Db2Settings, services: Services, who: Reader, captured: list[TableId]
) -> Iterator[Finding]:
    changes = tables.change_tables(registrations(session, services), captured)
    yield from access.of_tables(session, services, who, changes, "where changes are")
    if settings.snapshot_mode in WITH_ROWS:
        rows = [(table.schema, table.name) for table in captured]
        yield from access.of_tables(session, services, who, rows, "so a snapshot can't")
