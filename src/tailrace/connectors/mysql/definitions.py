"""Statements in the log: what they do to structures, and what is told of it.

A DDL statement changes the structures that the rows after it are read with, gets a record in the schema history, and
makes schema-change events. TRUNCATE is a change of data: an event of the table itself. A statement that changed rows of
a captured table (statement-based logging) can't be turned into events, and stops the connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tailrace.changes.records import Binary, Records
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.log import Query, QueryKind
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.encoding.connect_json import message_json
from tailrace.errors import LogFormatError
from tailrace.schema.changes_topic import (
    SchemaEvent,
    Scope,
    schema_change_key,
    schema_change_schemas,
    schema_change_value,
    schema_events,
)
from tailrace.schema.history import history_record, parse_id, rebuild
from tailrace.schema.names import Names
from tailrace.schema.structures import ChangeType, Structures, TableChange
from tailrace.schema.tables import TableId

NO_SESSION_THREAD = None
WORD = re.compile(r"[\w$]+|`(?:[^`]|``)+`")


class Definitions:
    """The structures at the position that the log is read up to."""

    def __init__(self, settings: Settings, history: Sequence[HistoryRecord], *, lower_names: bool) -> None:
        self._settings = settings
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
        self._events = _EventWriter(settings)
        self.truncated: list[TableId] = []

    def initial_records(self, restart: RestartPosition) -> list[Records]:
        """Schema-change events for the structures that the connector begins with."""
        if not self._settings.include_schema_changes or not restart.file:
            return []
        created = [record for record in self._initial if record.get("tableChanges")]
        events = [event for record in created for event in self._created(record)]
        source = {"ts_ms": 0, "gtid": None, "file": restart.file, "pos": restart.pos, "server_id": 0, "snapshot": "true"}
        return self._events.records(events, source, restart.position, 0)

    def apply(self, query: Query, era: int, gtids: str | None, now_us: int) -> list[Records]:
        """Take in a statement; the schema-change events that it makes. Then see `truncated`."""
        at = f"{query.file}:{query.start}"
        self.truncated = []
        if query.kind is QueryKind.DATA:
            self._refuse_captured_data(query, at)
            return []
        if query.error_code and query.kind is QueryKind.OTHER:
            return []
        changes = self.structures.apply(query.database, query.sql, at=at)
        self.truncated = [c.id for c in changes if c.type is ChangeType.TRUNCATE and c.id is not None]
        events = schema_events(query.database, query.sql, changes, self._scope)
        self._record(query, events, gtids, now_us)
        if not self._settings.include_schema_changes:
            return []
        position = BinlogPosition(era, file_number(query.file), query.start)
        return self._events.records(events, source_of(query), position, now_us)

    def take_history(self) -> list[HistoryRecord]:
        """The records that the schema history gets since the last call."""
        taken, self._new_history = self._new_history, []
        return taken

    def _created(self, record: HistoryRecord) -> Iterator[SchemaEvent]:
        for change in record["tableChanges"]:
            table = self.structures.get(parse_id(change["id"]))
            if table is not None and self._settings.tables.matches(table.id.catalog, table.id.name):
                database = table.id.catalog
                created = TableChange(ChangeType.CREATE, database, record["ddl"], table.id, table=table)
                yield SchemaEvent(database, record["ddl"], (created,), table.id.name)

    def _record(self, query: Query, events: Sequence[SchemaEvent], gtids: str | None, now_us: int) -> None:
        position: dict[str, Any] = {"ts_sec": query.timestamp, "file": query.file, "pos": query.position}
        if gtids is not None:
            position["gtids"] = gtids
        position["server_id"] = query.server_id
        source = {"server": self._settings.topic_prefix}
        comments = self._settings.include_schema_comments
        self._new_history += [
            history_record(source, position, now_us // 1000, event, comments=comments)
            for event in events
            if event.recorded
        ]

    def _refuse_captured_data(self, query: Query, at: str) -> None:
        """Which tables a statement touches is not looked into: naming one that is captured is enough."""
        words = {word.strip("`").replace("``", "`").lower() for word in WORD.findall(query.sql)}
        for table in self.structures:
            if self._settings.tables.matches(table.catalog, table.name) and table.name.lower() in words:
                raise LogFormatError(
                    f"{at}: a statement that changes rows of {table} stands in the log instead of the rows: "
                    "binlog_format was not ROW in that session. SET PERSIST binlog_format = ROW; the changes of this "
                    "statement can't be read: take a new snapshot of the table, or set the position behind it "
                    "(tailrace offsets set)"
                )


def source_of(query: Query) -> dict[str, Any]:
    """The source block's fields that a statement gives; its time has milliseconds only, as in Debezium."""
    named_us = query.transaction.original_us if query.transaction.gtid else 0  # of an anonymous one Debezium sees seconds
    ts_ms = named_us // 1000 or query.timestamp * 1000
    return {
        "ts_ms": ts_ms,
        "gtid": query.transaction.gtid,
        "file": query.file,
        "pos": query.start,
        "server_id": query.server_id,
        "snapshot": None,
    }


class _EventWriter:
    """Schema-change events as records."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = Names(settings).schema_change_topic
        self._key, self._value = schema_change_schemas(source_block.schema(settings))

    def records(
        self, events: Sequence[SchemaEvent], source: dict[str, Any], position: BinlogPosition, now_us: int
    ) -> list[Records]:
        if not events:
            return []
        settings = self._settings
        keys = [schema_change_key(event) for event in events]
        values = [self._value_of(event, source, now_us) for event in events]
        texts = [str(BinlogPosition(position.era, position.file, position.pos, i)).encode() for i in range(len(events))]
        return [
            Records(
                topic=self._topic,
                keys=binary([message_json(self._key, k, with_schema=settings.key_converter_schemas_enable) for k in keys]),
                values=binary(
                    [message_json(self._value, v, with_schema=settings.value_converter_schemas_enable) for v in values]
                ),
                timestamps=np.full(len(events), now_us // 1000, np.int64),
                positions=binary(texts),
                log_order=np.zeros(len(events), np.int64),
                partition=0,
            )
        ]

    def _value_of(self, event: SchemaEvent, given: dict[str, Any], now_us: int) -> dict[str, Any]:
        constants = source_block.constants(self._settings, event.database, event.source_table)
        ts_ms = given["ts_ms"]
        times = {"ts_us": ts_ms * 1000, "ts_ns": ts_ms * 1_000_000}
        source = {**constants, **given, **times, "row": 0, "thread": NO_SESSION_THREAD, "query": None}
        comments = self._settings.include_schema_comments
        return schema_change_value(source, now_us // 1000, event, comments=comments)


def binary(texts: Sequence[bytes]) -> Binary:
    """A few byte strings as a column."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)
