"""Are two systems' snapshots of the same quiet server equal?

    differences = compare(of_debezium, of_tailrace, lanes=4)

Schema changes are compared in order. Rows are compared table by table, matched by their keys, or by their content where
there is none: in which order a table's rows come is nobody's business, and several lanes mix them. Markers are compared
only where one reader took table after table on both sides; `rules.broken` looks at them otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.differential.compare import MISSING, Difference, Mask, of_pair
from tests.differential.records import Record, by_topic
from tests.differential.snapshots.rules import of_snapshot, payload, rows

MASKED = (
    Mask(
        r"value(\.payload)?\.source\.ts_(ms|us|ns)", "when the table was read, by the server's clock and in its seconds"
    ),
    Mask(r"value(\.payload)?\.ts_(ms|us|ns)", "when the connector processed the row, by its own clock"),
)
MARK = r"value(\.payload)?\.source\.snapshot"


def compare(
    debezium: Sequence[Record], tailrace: Sequence[Record], *, lanes: int = 1, all_structures: bool = True
) -> list[Difference]:
    """All differences of two initial snapshots of the same server, neither of which was changed meanwhile.

    Args:
        debezium: Debezium's records, with or without what it streamed afterwards.
        tailrace: ours, likewise.
        lanes: how many lanes read ours; with more than one the markers are not compared.
        all_structures: Debezium tells of variables, databases and dropped tables too, and of tables that are not
            captured; without this, schema changes of Debezium that ours do not have are no difference.

    """
    theirs, ours = _schema_changes(debezium), _schema_changes(tailrace)
    if not all_structures:
        told = {_statement(record) for record in ours}
        theirs = [record for record in theirs if _statement(record) in told]
    found = [*_in_order(theirs, ours), *_rows(debezium, tailrace)]
    return [d for d in found if not _is_masked(d, marks=lanes == 1)]


def compare_values(debezium: Sequence[Record], tailrace: Sequence[Record]) -> list[Difference]:
    """The differences of keys and row images alone."""
    return [
        d for d in _rows(debezium, tailrace) if re.match(r"$|topic|key|value(\.payload)?\.(before|after|op)", d.path)
    ]


def compare_in_order(
    debezium: Sequence[Record], tailrace: Sequence[Record], *, marks: bool = True
) -> list[Difference]:
    """All differences of two snapshots, record by record: of one reader each, that takes table after table."""
    return [d for d in _in_order(debezium, tailrace) if not _is_masked(d, marks=marks)]


def _in_order(theirs: Sequence[Record], ours: Sequence[Record]) -> Iterator[Difference]:
    for index, (a, b) in enumerate(zip(theirs, ours, strict=False)):
        yield from of_pair(a.topic, index, a, b)
    yield from _leftover(theirs, ours)


def _statement(record: Record) -> tuple[str, str]:
    value = payload(record.value)
    return value["databaseName"], value["ddl"]


def _schema_changes(records: Sequence[Record]) -> list[Record]:
    return [record for record in of_snapshot(records) if "ddl" in payload(record.value)]


def _rows(debezium: Sequence[Record], tailrace: Sequence[Record]) -> Iterator[Difference]:
    theirs, ours = (by_topic(rows(records)) for records in (debezium, tailrace))
    for topic in sorted(theirs.keys() | ours.keys()):
        yield from _in_order(_sorted(theirs.get(topic, ())), _sorted(ours.get(topic, ())))


def _leftover(theirs: Sequence[Record], ours: Sequence[Record]) -> Iterator[Difference]:
    for index in range(len(ours), len(theirs)):
        yield Difference(theirs[index].topic, index, "", theirs[index].value, MISSING)
    for index in range(len(theirs), len(ours)):
        yield Difference(ours[index].topic, index, "", MISSING, ours[index].value)


def _sorted(records: Sequence[Record]) -> list[Record]:
    """A table's rows in an order of their own: by key, then by content."""
    return sorted(records, key=lambda r: (json.dumps(r.key), json.dumps(payload(r.value).get("after"))))


def _is_masked(difference: Difference, *, marks: bool) -> bool:
    masked = any(re.fullmatch(mask.path, difference.path) for mask in MASKED)
    masked = masked or (not marks and re.fullmatch(MARK, difference.path) is not None)
    return masked and type(difference.debezium) is type(difference.tailrace)


VOLATILE = (
    Mask(r"value(\.payload)?\.source\.(gtid|file|pos|server_id|thread)", "where the log stood, and who wrote it"),
    Mask(r"(key|value)(\.payload)?\.id", "the random UUID of a notification", topic="notices"),
    Mask(r"value(\.payload)?\.timestamp", "when a notification was made", topic="notices"),
    Mask(r"value(\.payload)?\.after\.(at|i2)", "a default value that is the time of the insert"),
    Mask(r"value(\.payload)?\.transaction\.id", "the name of a transaction"),
)


WINDOWS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\d-]{10}T[\d:.]+Z")
"""The names and times of the windows that Debezium opens and closes in the table of signals."""


def without_times(record: Record) -> Record:
    """A record without what differs from one run of a scenario to the next; for runs without schemas."""
    parts = {"key": _blank(record.key, "key", record.topic), "value": _blank(record.value, "value", record.topic)}
    return replace(record, **parts)


def _blank(value: object, path: str, topic: str) -> object:
    if isinstance(value, dict):
        return {name: _blank(inner, f"{path}.{name}", topic) for name, inner in value.items()}
    if isinstance(value, str) and topic.endswith("debezium_signal"):
        value = WINDOWS.sub("window", value)
    masks = (*VOLATILE, *MASKED)
    volatile = any(re.fullmatch(m.path, path) and re.fullmatch(m.topic, topic) for m in masks)
    return "varies" if volatile else value
