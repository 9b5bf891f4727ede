"""Announced structures: the content of the schema history, and the schema-change events that extend it.

Change tables have their structure in the catalogue, so reading them does not need the history. It records which
structures were announced, and for which capture instance. A table that it lacks is new (CREATE). One whose rows come
from another instance with other columns has changed (ALTER). An instance keeps the structure with which it was
announced. A table that is no longer captured, whether it was dropped or not, is announced as dropped (DROP), and as new
when it comes back. Debezium sends neither of these two events, although its documentation says so of disabling. A
renamed table is dropped, and comes as a new one, with its instance.

Each lane keeps the same history; only the first one delivers the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.instances import Instance, identity, is_of
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import RestartPosition, beginning_of
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.source_blocks import source_times
from tailrace.errors import StructureError
from tailrace.events.schema_changes import SchemaChangeLayouts, SchemaChanges
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.event_shapes import SHAPE_1_4
from tailrace.schema.history import history_record, parse_id, table_of
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table, TableId

NO_DDL: Final = "N/A"  # Debezium's `ddl` of a change found in a change table; the documentation of 1.4 shows none
SNAPSHOT, LAST = "true", "last"  # values of source.snapshot
INSTANCE: Final = "capture_instance"
"""A table's attribute in the history: the capture instance whose rows have this structure."""
NO_INSTANCE: Final = ""  # the attribute of a table that is no longer captured


class AnnouncedStructures:
    """The announced structures of all tables, and of each announced capture instance.

    Attributes:
        version: how often they have changed.

    """

    def __init__(
        self,
        events: Events,
        history: Iterable[HistoryRecord],
        *,
        emits_events: bool = True,
        planned: Sequence[HistoryRecord] | None = None,
    ) -> None:
        """The structures in a history.

        Args:
            events: of the database.
            history: in order.
            emits_events: whether schema-change events are delivered, if the configuration includes them.
            planned: the structures with which instances are announced, and no others; None: with the current ones.

        """
        settings = events.settings
        self._events = events
        self._settings = settings
        self._emits_events = emits_events and settings.include_schema_changes
        self._ddl = "" if settings.tailrace_event_shape == SHAPE_1_4 else NO_DDL
        self.version = 0
        self._tables: dict[TableId, Table] = {}
        # By database too: databases that were created by the same script have the same instance names and object ids.
        self._instances: dict[tuple[str, str], Table] = {}
        self._announced_at: dict[tuple[str, str], Lsn] = {}
        self._new_history: list[HistoryRecord] = []
        self._layouts = SchemaChangeLayouts(settings, events.change_schema(), events.connector, events.context())
        for number, record in enumerate(history, 1):
            self._take(record, number)
        self._planned = None if planned is None else AnnouncedStructures(events, planned)

    def get(self, table: TableId) -> Table | None:
        """The structure that was announced last; None if none was."""
        return self._tables.get(table)

    def of_instance(self, instance: Instance) -> Table | None:
        """The structure with which an instance was announced; None if it was not, or only for a table of another name.

        With a plan it may be one that the instance had before it was altered: a range has the same columns whenever it is
        read.
        """
        announced = self._instances.get((instance.table.catalog, identity(instance))) or self._planned_before(instance)
        return announced if announced is not None and announced.id == instance.table else None

    def announced_at(self, instance: Instance) -> Lsn | None:
        """The commit LSN from which on an instance was announced as the source of its table's rows; None if it was not."""
        return self._announced_at.get((instance.table.catalog, identity(instance)))

    def planned(self, instance: Instance) -> Table | None:
        """The structure with which the plan announces an instance; None: there is no plan for it."""
        if self._planned is None:
            return None
        return self._planned.of_instance(instance) or self._planned.last_of(instance)

    def last_of(self, instance: Instance) -> Table | None:
        """The structure that was announced last for a table, if it was of this instance, maybe with other columns."""
        last, announced = self._tables.get(instance.table), self.announced_instance(instance.table)
        return last if announced and is_of(announced, instance) else None

    def _planned_before(self, instance: Instance) -> Table | None:
        """With a plan, and behind its announcements: the last structure of an instance."""
        if self._planned is None:
            return None
        last, planned = self.last_of(instance), self._planned.last_of(instance)
        return last if planned is None or planned == last else None

    @property
    def is_planned(self) -> bool:
        """Whether a plan determines what is announced."""
        return self._planned is not None

    def is_for(self, instance: Instance) -> bool:
        """Whether an instance is read; with a plan, only those that were known to it."""
        known = self.of_instance(instance) or self.planned(instance)
        return self._planned is None or known is not None

    def planned_since(self, database: str) -> dict[TableId, tuple[str, Lsn]]:
        """The tables of a database that the plan announces: the instance of each, and its LSN."""
        return {} if self._planned is None else self._planned.announced_since(database)

    def announced_since(self, database: str) -> dict[TableId, tuple[str, Lsn]]:
        """The captured tables of a database: the last announced instance of each, and its LSN."""
        names = {table: self.announced_instance(table) or "" for table in self.captured(database)}
        since = {table: (name, self._announced_at.get((database, name))) for table, name in names.items()}
        return {table: (name, lsn) for table, (name, lsn) in since.items() if lsn is not None}

    def is_removed(self, table: TableId) -> bool:
        """Whether a table was captured, and is not any more."""
        return self.announced_instance(table) == NO_INSTANCE

    def is_wanted(self, table: TableId) -> bool:
        """Whether the configured lists of tables take a table."""
        return self._settings.tables.matches(table)

    def is_planned_removal(self, table: TableId) -> bool:
        """Whether a table was not captured any more when its reading was planned."""
        return self._planned is not None and self._planned.is_removed(table)

    @property
    def tables(self) -> Mapping[TableId, Table]:
        """All structures by table; don't modify it."""
        return self._tables

    def captured(self, database: str) -> list[TableId]:
        """The tables of a database that were captured when they were last announced."""
        return [
            table for table in self._tables if table.catalog == database and not self.is_removed(table)
        ]

    def announced_instance(self, table: TableId) -> str | None:
        """The `identity` of the instance with which a table was last announced; None if that is unknown."""
        announced = self._tables.get(table)
        return None if announced is None else dict(announced.attributes).get(INSTANCE)

    def announce(self, table: Table, instance: Instance, lsn: Lsn, batch: Batch, *, mark: str | None = None) -> None:
        """Announce that a table's rows have this structure from an LSN on: a record, and an event if it is a new one.

        Args:
            table: the structure.
            instance: the source of the rows.
            lsn: the commit from which on it holds.
            batch: takes the event.
            mark: `source.snapshot`, during a snapshot.

        """
        # A table that was announced as dropped comes back as a new one.
        before = None if self.is_removed(table.id) else self._tables.get(table.id)
        # A plan's structure keeps its name, if the instance was altered since.
        planned = dict(table.attributes).get(INSTANCE, NO_INSTANCE)
        known = planned if is_of(planned, instance) else identity(instance)
        announced = replace(table, attributes=((INSTANCE, known),))
        self._put(announced, lsn)
        change = ChangeType.CREATE if before is None else ChangeType.ALTER
        event = self._event(change, announced, self._ddl)
        self._remember(event, lsn, batch.now_us)
        # Another instance with the same columns is recorded, but is no event: consumers see no difference.
        if before is None or not _same(before, table):
            self.add_events([event], lsn, batch, mark)

    def announce_removal(self, table: TableId, lsn: Lsn, batch: Batch) -> None:
        """Announce that a table is no longer captured: a record, and a DROP event if it is the server that dropped it.

        If it is captured again later, the changes in between are not missed: it is then a new table. No event comes if
        the configuration excludes the table. A planned range has the event only if the plan has it, because its events
        must be the same each time it is read. The next plan will notice.

        Args:
            table: the table.
            lsn: up to which it was read.
            batch: takes the event.

        """
        left = replace(self._tables[table], attributes=((INSTANCE, NO_INSTANCE),))
        self._put(left, lsn)
        self._remember(self._event(ChangeType.ALTER, left, NO_DDL), lsn, batch.now_us)
        is_fixed = self._planned is None or self._planned.is_removed(table)
        if is_fixed and self._settings.tables.matches(table):
            self.add_events([self._event(ChangeType.DROP, left, self._ddl)], lsn, batch)

    def announce_initial(self, restart: RestartPosition, batch: Batch) -> None:
        """Add the events of the initial structures if no rows follow; the last one is marked as the last."""
        announced = [(name, event) for name in restart for event in self.initial_events(name)]
        for i, (name, event) in enumerate(announced, 1):
            self.add_events([event], restart[name].lsn, batch, LAST if i == len(announced) else SNAPSHOT)

    def add_events(self, events: Sequence[SchemaEvent], lsn: Lsn, batch: Batch, mark: str | None = None) -> None:
        """Add schema-change events at an LSN; `mark`: `source.snapshot`, during a snapshot."""
        if not self._emits_events or not events:
            return
        times = source_times(batch.now_us)
        sources = [
            {**self._events.constants(change.id), **times, **self._events.source_at(lsn), "snapshot": mark}
            for event in events
            for change in event.changes
            if change.id is not None
        ]
        positions = [str(beginning_of(lsn))] * len(events)
        batch.add(SchemaChanges(self._layouts, events, sources, positions, batch.rank << 32, batch.now_us))
        batch.rank += len(events)

    def initial_events(self, database: str) -> list[SchemaEvent]:
        """The CREATE events of all tables of a database, for a connector that begins with them."""
        return [
            self._event(ChangeType.CREATE, table)
            for table_id, table in sorted(self._tables.items())
            if table_id.catalog.lower() == database.lower()
        ]

    def take_history(self) -> list[HistoryRecord]:
        """The new records of the schema history since the last call."""
        taken, self._new_history = self._new_history, []
        return taken

    def _put(self, table: Table, lsn: Lsn | None) -> None:
        self.version += 1
        self._tables[table.id] = table
        of_instance = dict(table.attributes).get(INSTANCE)
        if of_instance:
            self._instances[table.id.catalog, of_instance] = table
            if lsn is not None:
                self._announced_at[table.id.catalog, of_instance] = lsn

    def _take(self, record: HistoryRecord, number: int) -> None:
        try:
            commit = record["position"].get("commit_lsn")
            lsn = self._events.lsns.parse(str(commit)) if commit else None
            for change in record.get("tableChanges") or ():
                table_id = self._identified(record, change["id"])
                if change["type"] == ChangeType.DROP:
                    self._tables.pop(table_id, None)
                else:
                    self._put(table_of(table_id, change["table"], change.get("comment")), lsn)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StructureError(f"record {number} of the schema history is damaged: {error!r}") from error

    def _event(self, type_: ChangeType, table: Table, ddl: str = "") -> SchemaEvent:
        return _event(self._events, type_, table, ddl)

    def _identified(self, record: HistoryRecord, text: str) -> TableId:
        """The table of an id in a record, which may lack the database."""
        found = parse_id(text)
        if not self._events.omits_database or found.schema:
            return found
        return TableId(str(record["databaseName"]), found.catalog, found.name)

    def _remember(self, event: SchemaEvent, lsn: Lsn, now_us: int) -> None:
        self._new_history.append(recorded(self._events, event, lsn, now_us))


def recorded(events: Events, event: SchemaEvent, lsn: Lsn, now_us: int, **more: Any) -> dict[str, Any]:
    """An event as a record of the schema history, with a position like Debezium's; `more` extends the position."""
    source = {"server": events.settings.topic_prefix, "database": event.database}
    position = {**events.history_position(lsn), **more}
    return history_record(source, position, now_us // 1000, event)


def first_history(
    events: Events, found: Sequence[tuple[Table, Instance]], lsn: Lsn, now_us: int
) -> list[HistoryRecord]:
    """The records of the initial structures, in the order of the tables' names."""
    announced = [replace(table, attributes=((INSTANCE, identity(instance)),)) for table, instance in found]
    return [
        recorded(events, _event(events, ChangeType.CREATE, table), lsn, now_us, snapshot=True)
        for table in sorted(announced, key=lambda each: each.id)
    ]


def is_announced_up_to(record: HistoryRecord, lsns: Mapping[str, Lsn], events: Events) -> bool:
    """Whether a record belongs to one of these databases (in lower case) and to a position up to these LSNs.

    Several connectors may share one history topic or file: a record belongs to the one with its topic prefix.
    """
    end, commit = lsns.get(str(record["databaseName"]).lower()), record["position"].get("commit_lsn")
    if record["source"].get("server") != events.settings.topic_prefix or end is None:
        return False
    return not commit or events.lsns.parse(str(commit)) <= end.next()


def _event(events: Events, type_: ChangeType, table: Table, ddl: str = "") -> SchemaEvent:
    database = table.id.catalog
    held = None if type_ is ChangeType.DROP else table
    change = TableChange(type_, database, ddl, table.id, table=held, omits_database=events.omits_database)
    return SchemaEvent(database, ddl, (change,), table.id.name, schema=table.id.schema)


def _same(one: Table, other: Table) -> bool:
    return (one.columns, one.primary_key) == (other.columns, other.primary_key)
