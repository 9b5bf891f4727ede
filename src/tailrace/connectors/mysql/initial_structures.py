"""The initial structures of a connector, as the first records of a schema history, and as events.

The history has the server's character set, then the databases, then the tables. The events have more, as in Debezium:
a DROP of each table, and a DROP and CREATE of each database before its tables, so that whoever runs them has
these tables and no others, whatever existed before. The events follow from the history alone, since a task has nothing
else.

Tables that are not captured are included, unless the configuration says otherwise
(`schema.history.internal.store.only.captured.tables.ddl`, `….databases.ddl`): later DDL on them comes with the
resulting structure, and a table that is captured later is known.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server, Wanted, quoted
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.server_structures import ServerStructures, structures
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.statement_events import schema_events
from tailrace.connectors.mysql.structures import Structures
from tailrace.connectors.shared.snapshots import planning
from tailrace.errors import StructureError
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import history_record, parse_id, table_of
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table, TableId

AT = "the server's catalog"
MANY: Final = 2_000  # uncaptured tables; each costs some milliseconds once, and some kilobytes of the history

log = logging.getLogger(__name__)


def structures_now(connection: Connection, server: Server, settings: MySqlSettings) -> ServerStructures:
    """The current initial structures of a connector with these settings, captured or not."""
    locking = settings.snapshot_locking_mode != "none"
    return structures(connection, server, settings.tables.matches, included_uncaptured(settings), locking=locking)


def included_uncaptured(settings: MySqlSettings) -> Wanted:
    """A predicate: whether an uncaptured table is included."""
    if settings.schema_history_internal_store_only_captured_tables_ddl:
        return lambda _table: False
    if settings.schema_history_internal_store_only_captured_databases_ddl:
        return lambda table: settings.tables.matches_database(table.catalog)
    return lambda table: not settings.tables.system.has(table)


def in_order(settings: MySqlSettings, tables: Sequence[TableId]) -> list[TableId]:
    """Tables in Debezium's order: by the patterns of `table.include.list`, those of one pattern by name."""
    return planning.in_order(settings, sorted(tables, key=catalog.in_name_order))


def first_history(
    settings: MySqlSettings, server: Server, restart: RestartPosition, found: ServerStructures
) -> list[HistoryRecord]:
    """The structures found, as history records at a connector's restart position."""
    position: dict[str, Any] = {"file": restart.file, "pos": restart.pos, "snapshot": True}
    if restart.gtids is not None:
        position["gtids"] = restart.gtids
    source, now_ms = {"server": settings.topic_prefix}, epoch.now_ms()
    return [
        history_record(source, position, now_ms, event, comments=settings.include_schema_comments)
        for event in _made(settings, server, found)
    ]


def first_events(history: Sequence[HistoryRecord]) -> list[SchemaEvent]:
    """The initial events, from a history by `first_history`."""
    made = [each for record in history for each in _tables(record)]
    creates = {record["databaseName"]: record["ddl"] for record in history if not record.get("tableChanges")}
    events = [SchemaEvent("", creates[""], (), None)] if "" in creates else []
    created: dict[str, list[SchemaEvent]] = {}
    for table, ddl in made:
        events.append(_dropped(table.id))
        created.setdefault(table.id.catalog, []).append(create_event(table, ddl))
    for database, its_tables in created.items():
        statements = (f"DROP DATABASE IF EXISTS {quoted(database)}", creates.get(database), f"USE {quoted(database)}")
        events += [SchemaEvent(database, ddl, (), None) for ddl in statements if ddl]
        events += its_tables
    return events


def _made(settings: MySqlSettings, server: Server, found: ServerStructures) -> Iterator[SchemaEvent]:
    """The events that create the structures, each table after its database."""
    structures = Structures(lower_names=server.lower_names)
    charset, collation = server["character_set_server"], server["collation_server"]
    yield from _applied(structures, "", f"SET character_set_server={charset}, collation_server={collation}")
    for database, ddl in found.databases.items():
        yield from _applied(structures, database, ddl)
    captured = in_order(settings, list(found.tables))
    told = {**{table: found.tables[table] for table in captured}, **found.others}
    if len(found.others) > MANY:
        log.warning(
            "%s tables that are not captured are told and remembered as well: "
            "schema.history.internal.store.only.captured.tables.ddl=true leaves them out",
            len(found.others),
        )
    only_captured = settings.schema_history_internal_store_only_captured_tables_ddl
    for table in told if only_captured else sorted(told, key=catalog.in_name_order):
        try:
            yield from _applied(structures, table.catalog, told[table])
        except StructureError as error:
            if table not in found.others:
                raise
            log.warning("%s is not captured, and its structure is not told: %s", table, error)
        structures.remove(structures.id(table.catalog, table.name))  # each statement would copy all known structures


def _applied(structures: Structures, database: str, ddl: str) -> list[SchemaEvent]:
    return schema_events(database, ddl, structures.apply(database, ddl, at=AT))


def _tables(record: HistoryRecord) -> Iterator[tuple[Table, str]]:
    """The tables that a record creates, with their statements."""
    changes: Sequence[Mapping[str, Any]] = record.get("tableChanges") or ()
    for change in changes:
        yield table_of(parse_id(change["id"]), change["table"], change.get("comment")), record["ddl"]


def recreate_events(tables: Sequence[tuple[Table, str]]) -> list[SchemaEvent]:
    """A DROP event for each table, then a CREATE event with its statement for each."""
    return [*(_dropped(table.id) for table, _ in tables), *(create_event(table, ddl) for table, ddl in tables)]


def _dropped(table_id: TableId) -> SchemaEvent:
    """A `DROP TABLE IF EXISTS` event."""
    ddl = f"DROP TABLE IF EXISTS {quoted(table_id.catalog)}.{quoted(table_id.name)}"
    return _event(ChangeType.DROP, table_id, ddl)


def create_event(table: Table, ddl: str) -> SchemaEvent:
    """A CREATE event with this statement."""
    return _event(ChangeType.CREATE, table.id, ddl, table)


def _event(type_: ChangeType, table_id: TableId, ddl: str, table: Table | None = None) -> SchemaEvent:
    database = table_id.catalog
    return SchemaEvent(database, ddl, (TableChange(type_, database, ddl, table_id, table=table),), table_id.name)
