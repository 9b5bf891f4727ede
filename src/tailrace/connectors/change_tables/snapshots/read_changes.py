"""Read events of rows as they were at an LSN."""

from __future__ import annotations

from typing import Any

from tailrace.changes.model import Fact
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import beginning_of, position_facts
from tailrace.connectors.shared import source_blocks
from tailrace.connectors.shared.snapshots.read_records import ReadChanges, number_for_all, text_for_all
from tailrace.schema.connect import Schema, Type


def read_changes(events: Events, lsn: Lsn, *, is_behind: bool = False) -> ReadChanges:
    """The converter of rows as of an LSN of a database; `is_behind`: their position sorts after the LSN's changes."""
    schema = events.source_schema()
    source = {name: _for_all(schema.field(name).schema, value) for name, value in events.source_at(lsn).items()}
    position = position_facts(beginning_of(lsn.next() if is_behind else lsn))
    is_flag = schema.field("snapshot").schema.type is Type.BOOLEAN
    marks = source_blocks.MARKS[events.settings.tailrace_event_shape]
    return ReadChanges(source, position, events.constants, is_flag, marks)


def _for_all(schema: Schema, value: Any) -> Fact:
    return number_for_all(value) if schema.type is Type.INT64 else text_for_all(value)
