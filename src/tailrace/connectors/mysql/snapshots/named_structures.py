"""The schema-change events of tables that a signal names, which precede their rows.

As in Debezium, DROP events of all tables come first, then CREATE events. The structures are those at the snapshot's
position, from the history. The CREATE statement is the server's current one, if it makes the same structure. If not,
the table was altered after the position, or a signal brought its structure; then the event has no statement.

If one lane reads the whole snapshot, the last event waits until it is known whether a row follows, because its mark
says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import GONE, Server, quoted
from tailrace.connectors.mysql.connection import Connection, connect, error_number, rows
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.initial_structures import AT, create_event, recreate_events
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.structures import Structures
from tailrace.connectors.shared.batches import Batch
from tailrace.errors import SourceSetupError, StructureError
from tailrace.schema.changes_topic import SchemaEvent, schema_change_value
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.source import Mark


class NamedStructures:
    """The schema-change events of some tables as of a position."""

    def __init__(
        self,
        settings: MySqlSettings,
        history: Sequence[HistoryRecord],
        position: RestartPosition,
        tables: Collection[TableId],
    ) -> None:
        """`history`: up to the position; `tables`: in any order."""
        self._settings = settings
        self._history = history
        self._position = position
        self._tables = sorted(tables, key=catalog.in_name_order) if settings.include_schema_changes else []

    @property
    def has_any(self) -> bool:
        """Whether there are any."""
        return bool(self._tables)

    def add_all(self, batch: Batch) -> None:
        """Add all of them, with marks that do not depend on the rows that follow."""
        self.add_first(batch)
        self.add_last(batch, Mark.TRUE)

    def add_first(self, batch: Batch) -> None:
        """Add all but the last one."""
        if not self.has_any:
            return
        definitions, events = self._opened
        definitions.add_events_at(events[:-1], 0, Mark.TRUE.value, self._position, batch)

    def add_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last one, with its mark."""
        if not self.has_any:
            return
        definitions, events = self._opened
        definitions.add_events_at(events[-1:], len(events) - 1, mark.value, self._position, batch)

    @cached_property
    def _opened(self) -> tuple[Definitions, list[SchemaEvent]]:
        with connect(self._settings) as session:
            server = catalog.server(session)
            definitions = Definitions(self._settings, self._history, lower_names=server.lower_names)
            known = filter(None, map(definitions.structures.get, self._tables))
            return definitions, recreate_events([(table, _statement(session, server, table)) for table in known])


def _statement(connection: Connection, server: Server, table: Table) -> str:
    """The server's CREATE statement of a table; "" if it makes another structure, or there is none."""
    ddl = _shown(connection, table.id)
    if ddl is None:
        return ""
    structures = Structures(lower_names=server.lower_names)
    try:
        structures.apply(table.id.catalog, ddl, at=AT)
    except StructureError:
        return ""  # it was reported when the table was created or altered
    made = structures.get(table.id)
    return ddl if made is not None and _without_unused(made) == _without_unused(table) else ""


def _shown(connection: Connection, table: TableId) -> str | None:
    """The result of SHOW CREATE TABLE; None if the table is gone."""
    try:
        return str(rows(connection, f"SHOW CREATE TABLE {quoted(table.catalog)}.{quoted(table.name)}")[0][1])
    except SourceSetupError as error:
        if error_number(error) in GONE:
            return None
        raise


def _without_unused(table: Table) -> Any:
    """A structure as it is in events."""
    return schema_change_value({}, 0, create_event(table, ""))["tableChanges"]
