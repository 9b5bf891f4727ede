"""Sample events that are of no row: what a chain of transforms gets besides the rows of tables, where a connector makes such.

A schema change of a table, the end of a transaction that changed it, and a heartbeat. They are made as real ones are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tailrace.changes.records import binary_of
from tailrace.changes.views import vector_of
from tailrace.config.settings import Settings
from tailrace.events.event import Event
from tailrace.events.heartbeats import HeartbeatLayouts
from tailrace.events.samples import NOW_US, TRANSACTION, SampledTable
from tailrace.events.schema_changes import SchemaChangeLayouts, SchemaChanges
from tailrace.events.transactions import Boundaries, Counts, TransactionLayouts
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.names import Names
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table


def other_events(settings: Settings, sampled: SampledTable, table: Table) -> Iterator[tuple[str, Event]]:
    """What each is, and the event: only those that the configuration asks for."""
    if settings.include_schema_changes:
        yield "a schema change (ALTER)", _schema_change(settings, sampled, table)
    if settings.provide_transaction_metadata:
        yield "the end of a transaction", _end(settings, table)
    if settings.heartbeat_interval_ms:
        yield "a heartbeat", HeartbeatLayouts(settings).heartbeat(NOW_US // 1000, "", 0)


def _schema_change(settings: Settings, sampled: SampledTable, table: Table) -> SchemaChanges:
    connector = str(sampled.constants["connector"])
    layouts = SchemaChangeLayouts(settings, sampled.source_schema, connector, sampled.settings.context_headers)
    id_ = table.id
    change = TableChange(ChangeType.ALTER, id_.catalog, "", id_, table=table)
    event = SchemaEvent(id_.catalog, "", (change,), id_.name, schema=id_.schema or None)
    return SchemaChanges(layouts, [event], [_source(sampled)], [""], 0, NOW_US)


def _source(sampled: SampledTable) -> dict[str, Any]:
    times = {"ts_ms": NOW_US // 1000, "ts_us": NOW_US, "ts_ns": NOW_US * 1000}
    given = {**sampled.source, **times, **sampled.constants}
    return {each.name: given.get(each.name) for each in sampled.source_schema.fields}


def _end(settings: Settings, table: Table) -> Boundaries:
    one = np.zeros(1, np.int64)
    return Boundaries(
        topic=Names(settings).transaction_topic,
        layouts=TransactionLayouts(settings.tailrace_event_shape),
        now_us=NOW_US,
        ids=vector_of([TRANSACTION]),
        transaction=one,
        end=one,
        counts=Counts(one, one, one + 1, [settings.told_name(table.id)]),
        ts_ms=one + NOW_US // 1000,
        positions=binary_of([b""]),
        log_order=one,
    )
