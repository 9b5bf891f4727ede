"""Whether a record of the schema history applies at a position of the log.

Files and offsets order what one server wrote; on another server they restart. GTIDs decide if both have them:

- the record of a statement has the statement's own GTID, and applies where that was executed;
- Debezium's records, and those of earlier versions, have only the set from before the statement: it is smaller than
  that of any position after the statement. If the sets are equal, file and offset decide;
- a structure without a statement (an initial one, from a table map, from a signal) applies where its set was executed.

Without GTIDs there is one server, and file and offset decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql.gtid import GtidSet, wanted_sources
from tailrace.connectors.mysql.rebuilt_structures import at_or_before
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.schema.history import GTID, NO_STATEMENT

Holds = Callable[[HistoryRecord], bool]


def holds_for(settings: MySqlSettings, place: Mapping[str, Any]) -> Holds:
    """The same as `holds_at`, with the configured GTID sources."""
    known = {**place, "gtids": None} if settings.gtid_ignore_on_recovery else place
    return holds_at(known, wanted_sources(settings))


def holds_at(place: Mapping[str, Any], wanted: Callable[[str], bool] = lambda _source_uuid: True) -> Holds:
    """A predicate: whether a record applies at a position, given as a restart position or as Debezium's offset.

    `wanted` are the sources whose transactions count, by UUID: a server may lack those of others.
    """
    by_place = at_or_before(place)
    if place.get("gtids") is None:
        return lambda record: by_place(record["position"])
    executed = GtidSet.parse(place["gtids"])
    counted = executed.filtered(wanted)

    @cache
    def before(gtids: str) -> GtidSet:
        return GtidSet.parse(gtids).filtered(wanted)

    def holds(record: HistoryRecord) -> bool:
        position = record["position"]
        if position.get(GTID) is not None:
            return executed.contains(position[GTID])
        then = before(position.get("gtids") or "")
        if then == counted and not _is_structure(record):
            return by_place(position)
        return then.is_subset(counted)

    return holds


def _is_structure(record: HistoryRecord) -> bool:
    return bool(record["position"].get("snapshot")) or record.get("ddl") in NO_STATEMENT
