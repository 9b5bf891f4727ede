"""The capture instances with which the structures of a snapshot's tables were told, as of its position P.

A table is known by its name, and another one may have got that name since. An instance is never that of another table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Events
from tailrace.schema.tables import TableId

Begun = Mapping[TableId, str]
"""The `identity` of the instance with which each table was told; a table may be missing."""


def begun_with(events: Events, history: Sequence[HistoryRecord], tables: Sequence[TableId]) -> Begun:
    """The instances with which a history tells tables."""
    announced = AnnouncedStructures(events, history)
    found = {table: announced.announced_instance(table) for table in tables}
    return {table: instance for table, instance in found.items() if instance}
