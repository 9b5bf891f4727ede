"""Statements in the log: their effect on structures, and their events.

A DDL statement changes the structures for the rows after it, gets a record in the schema history, and
makes schema change events. TRUNCATE is a change of data: an event of the table itself. A statement that changed rows
(statement-based logging) can't become events: `statement_effects` says whether it stops the connector.

Every lane does all of this, except for schema change events, which only the first lane delivers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.image_layout import charset_of_collation
from tailrace.connectors.mysql.initial_structures import first_events
from tailrace.connectors.mysql.log import Query, QueryKind
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.rebuilt_structures import rebuild
from tailrace.connectors.mysql.schema_records import SchemaEventRecords, source_of
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.statement_effects import StatementEffects
from tailrace.connectors.mysql.statement_events import Scope, schema_events
from tailrace.connectors.mysql.structures import SqlMode, Structures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.source_blocks import source_times
from tailrace.schema.changes_topic import SchemaEvent, announced_changes
from tailrace.schema.history import CHARSET, GTID, history_record, parse_id
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table, TableId


class Definitions:
    """The structures at the current reading position."""

    def __init__(
        self, settings: MySqlSettings, history: Sequence[HistoryRecord], *, lower_names: bool, emits_events: bool = True
    ) -> None:
        """`emits_events`: whether this lane delivers schema change events, if the configuration has them on."""
        self._settings = settings
        self._emits_events = emits_events
        self.structures = Structures(
            lower_names=lower_names, skip_unparseable=settings.schema_history_internal_skip_unparseable_ddl
        )
        rebuild(history, self.structures)
        self._initial = history
        self._new_history: list[HistoryRecord] = []
        self._scope = Scope(
            settings.schema_history_internal_store_only_captured_tables_ddl,
            settings.schema_history_internal_store_only_captured_databases_ddl,
            settings.tables.matches,
            settings.tables.matches_database,
        )
        self._events = SchemaEventRecords(settings)
        self._effects = StatementEffects(settings, lower_names=lower_names)
        self.truncated: list[TableId] = []
        self.renamed: list[TableId] = []
        self.altered: set[TableId] = set()

    def add_initial_events(self, restart: RestartPosition, batch: Batch) -> int:
        """Add the events of the initial structures, when no rows follow; return their number.

        All lanes count them, whoever delivers them.
        """
        self.add_first_events(restart, batch)
        return self.add_last_event(restart, batch, "last")

    def add_first_events(self, restart: RestartPosition, batch: Batch) -> None:
        """Add them except for the last one, whose mark depends on whether rows follow."""
        self.add_events_at(self._initial_events()[:-1], 0, "true", restart, batch)

    def add_last_event(self, restart: RestartPosition, batch: Batch, mark: str) -> int:
        """Add the last one of them; return how many they are together."""
        events = self._initial_events()
        self.add_events_at(events[-1:], len(events) - 1, mark, restart, batch)
        return len(events)

    def add_events_at(
        self, events: Sequence[SchemaEvent], number: int, mark: str | None, restart: RestartPosition, batch: Batch
    ) -> None:
        """Add events of a restart position, the first of which has this number; `mark`: of a snapshot."""
        place = {"gtid": None, "file": restart.file, "pos": restart.pos, "server_id": 0}
        at = restart.position
        first = BinlogPosition(at.era, at.file, at.pos, number)
        self._emit(events, {**place, **source_times(batch.now_us), "snapshot": mark}, first, batch)

    def apply(self, query: Query, era: int, gtids: str | None, batch: Batch) -> None:
        """Apply a statement, and add its schema change events.

        Sets `truncated` to the tables that it emptied, `renamed` to the names that it gave to other tables, and `altered` to
        those that it named to make, alter or drop, even if no structure is another one now.
        """
        self.truncated, self.renamed, self.altered = [], [], set()
        if query.kind is QueryKind.DATA:
            self._effects.take(query)
            return
        if _changed_nothing(query):
            return
        known, unknown = self.structures.tables, self.structures.unknown
        self._effects.take_definition(query)
        changes = self._apply(query)
        self.truncated = [c.id for c in changes if c.type is ChangeType.TRUNCATE and c.id is not None]
        self.renamed = [c.id for c in changes if c.previous_id is not None and c.id is not None]
        defining = [c for c in changes if c.type is not ChangeType.TRUNCATE]
        self.altered = {each for c in defining for each in (c.id, c.previous_id) if each is not None}
        events = schema_events(query.database, query.sql, changes, self._scope)
        left_out = self._history_only_events(known, unknown, events)
        self._record(query, [*events, *left_out], gtids, batch.now_us)
        self._emit(events, source_of(query), BinlogPosition(era, file_number(query.file), query.start), batch)

    def repeat(self, query: Query) -> None:
        """Apply a statement that is already delivered and recorded."""
        if query.kind is not QueryKind.DATA and not _changed_nothing(query):
            self._apply(query)

    def put(self, table: Table, position: Mapping[str, Any], now_us: int) -> None:
        """Use a structure from the log itself; the history records it as if the table had just been created."""
        self.structures.put(table)
        change = TableChange(ChangeType.CREATE, table.id.catalog, "", table.id, table=table)
        event = SchemaEvent(table.id.catalog, "", (change,), table.id.name)
        self._remember([event], position, now_us)

    def take(self, database: str, change: Mapping[str, Any], restart: RestartPosition, batch: Batch) -> None:
        """Apply a structure change from a signal, in the form of `tableChanges`, and add its event.

        Raises:
            StructureError: it can't be parsed.

        """
        rebuild([{"tableChanges": [change], "source": {}, "position": {}}], self.structures)
        table_id = parse_id(change["id"])
        changed = TableChange(ChangeType(change["type"]), database, "", table_id, table=self.structures.get(table_id))
        event = SchemaEvent(database, "", (changed,), table_id.name)
        position: dict[str, Any] = {"file": restart.file, "pos": restart.pos}
        if restart.gtids is not None:
            position["gtids"] = restart.gtids
        self._remember([event], position, batch.now_us)
        self.add_events_at([event], 0, None, restart, batch)

    def take_history(self) -> list[HistoryRecord]:
        """The new records of the schema history since the last call."""
        taken, self._new_history = self._new_history, []
        return taken

    def _apply(self, query: Query) -> list[TableChange]:
        at, mode = f"{query.file}:{query.start}", SqlMode.from_bits(query.sql_mode)
        return self.structures.apply(query.database, query.sql, at=at, mode=mode, charset=_charset(query))

    def _emit(
        self, events: Sequence[SchemaEvent], source: dict[str, Any], position: BinlogPosition, batch: Batch
    ) -> None:
        if events and self._emits_events and self._settings.include_schema_changes:
            batch.add(self._events.records(events, source, position, batch))

    def _initial_events(self) -> list[SchemaEvent]:
        if not self._settings.include_schema_changes:
            return []
        return first_events(self._initial)

    def _history_only_events(
        self, known: Collection[TableId], unknown: Collection[TableId], events: Sequence[SchemaEvent]
    ) -> list[SchemaEvent]:
        """Additional history records about captured names, if the history does not get every statement.

        A captured table that was renamed to an uncaptured name is gone; a captured name that now belongs to a table
        with an unknown structure no longer has the structure in the history.
        """
        if not (self._scope.only_captured_tables or self._scope.only_captured_databases):
            return []
        new = {*self.structures.unknown}.difference(unknown)
        gone = {*known}.difference(self.structures, self.structures.unknown, _dropped_names(events))
        return [_gone(each, is_unknown=each in new) for each in sorted(new | gone) if self._settings.tables.matches(each)]

    def _record(self, query: Query, events: Sequence[SchemaEvent], gtids: str | None, now_us: int) -> None:
        position: dict[str, Any] = {"ts_sec": query.timestamp, "file": query.file, "pos": query.position}
        if gtids is not None:
            position["gtids"] = gtids
        position["server_id"] = query.server_id
        if query.transaction.gtid is not None:
            position[GTID] = query.transaction.gtid
        if _charset(query) not in {None, self.structures.server_charset}:
            position[CHARSET] = _charset(query)
        self._remember([event for event in events if event.recorded], position, now_us)

    def _remember(self, events: Sequence[SchemaEvent], position: Mapping[str, Any], now_us: int) -> None:
        source = {"server": self._settings.topic_prefix}
        comments = self._settings.include_schema_comments
        self._new_history += [
            history_record(source, position, now_us // 1000, event, comments=comments) for event in events
        ]


def _charset(query: Query) -> str | None:
    """character_set_server of the session: what a new database gets."""
    return charset_of_collation(query.collation_server)


def _changed_nothing(query: Query) -> bool:
    """Whether a statement failed as a whole; a DROP that failed may have dropped some of its tables."""
    return query.error_code != 0 and query.kind is QueryKind.OTHER


def _dropped_names(events: Sequence[SchemaEvent]) -> set[TableId]:
    """The names that are gone according to these events."""
    changes = [change for event in events if event.recorded for change in announced_changes(event)]
    names = (change.id if change.table is None else change.previous_id for change in changes)
    return {name for name in names if name is not None}


def _gone(table: TableId, *, is_unknown: bool) -> SchemaEvent:
    change = TableChange(ChangeType.DROP, table.catalog, "", table, is_unknown=is_unknown)
    return SchemaEvent(table.catalog, "", (change,), table.name)
