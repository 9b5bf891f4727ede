"""The rules that the records of an initial snapshot obey: order, operations, markers, and source blocks.

They hold for Debezium's recorded snapshots, and are what another snapshot's records can be held against. `broken` wants
the markers of one reader that takes table after table; with `lanes` more than one, rows of several tables come mixed,
and only what a consumer can rely on then is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.differential.records import Record, by_topic

READ = "r"
FIRST, LAST = "first", "last"
FIRST_OF_TABLE, LAST_OF_TABLE, WITHIN = "first_in_data_collection", "last_in_data_collection", "true"
MARKS = (FIRST, FIRST_OF_TABLE, WITHIN, LAST_OF_TABLE, LAST)
POSITION = ("server_id", "gtid", "file", "pos", "row", "thread", "query")


def payload(value: Any) -> Mapping[str, Any]:
    """A record's value without its schema; empty for a tombstone."""
    found: Mapping[str, Any] = value or {}
    return found["payload"] if found.keys() == {"schema", "payload"} else found


def source(record: Record) -> Mapping[str, Any]:
    """The source block; empty where there is none."""
    return payload(record.value).get("source") or {}


def mark(record: Record) -> str | None:
    """The snapshot marker; `None` where there is no source block."""
    return source(record).get("snapshot")


def of_snapshot(records: Sequence[Record]) -> list[Record]:
    """What belongs to an initial snapshot: its schema changes and its rows."""
    return [record for record in records if mark(record) in MARKS]


def rows(records: Sequence[Record]) -> list[Record]:
    """The rows that an initial snapshot read."""
    return [record for record in of_snapshot(records) if payload(record.value).get("op") == READ]


def broken(records: Sequence[Record], *, lanes: int = 1, first_is_empty: bool = False) -> list[str]:
    """What is wrong with an initial snapshot's records, in words.

    Args:
        records: of one run, in order, whatever else is among them.
        lanes: how many readers there were.
        first_is_empty: the first table of the snapshot has no row; then no row is marked as the first.

    """
    read = rows(records)
    found = [*_order(records), *_shapes(read), *_positions(read)]
    if lanes == 1:
        found += _marks(read, first_is_empty=first_is_empty)
    return found


def expected_marks(topics: Sequence[str], *, first_is_empty: bool = False) -> list[str]:
    """The markers of rows whose topics are given, for one reader that takes table after table.

    Of several that fit a row one wins, in this order: last, first, last of its table, first of its table.
    """
    count = len(topics)
    return [_mark(topics, i, count, first_is_empty=first_is_empty) for i in range(count)]


def _mark(topics: Sequence[str], i: int, count: int, *, first_is_empty: bool) -> str:
    if i == count - 1:
        return LAST
    if i == 0 and not first_is_empty:
        return FIRST
    if topics[i + 1] != topics[i]:
        return LAST_OF_TABLE
    return FIRST_OF_TABLE if i == 0 or topics[i - 1] != topics[i] else WITHIN


def _marks(read: Sequence[Record], *, first_is_empty: bool) -> Iterator[str]:
    wanted = expected_marks([record.topic for record in read], first_is_empty=first_is_empty)
    for index, (record, right) in enumerate(zip(read, wanted, strict=True)):
        if mark(record) != right:
            yield f"row {index} of {record.topic} is marked {mark(record)!r} instead of {right!r}"


def _order(records: Sequence[Record]) -> Iterator[str]:
    """Structures come before rows, rows before the stream, and a table's rows follow one another."""
    kinds = [_kind(record) for record in records]
    known = [kind for kind in kinds if kind is not None]
    if known != sorted(known):
        yield "structures, rows and changes are mixed"


def _kind(record: Record) -> int | None:
    if mark(record) is None or payload(record.value).get("op") is None:
        return 0 if mark(record) in MARKS else None
    return 1 if mark(record) in MARKS else 2


def _shapes(read: Sequence[Record]) -> Iterator[str]:
    for record in read:
        value = payload(record.value)
        if value["before"] is not None or value["after"] is None:
            yield f"a row of {record.topic} has not exactly an image after"
        if value.get("transaction") is not None:
            yield f"a row of {record.topic} belongs to a transaction"
        if source(record)["ts_ms"] > value["ts_ms"]:
            yield f"a row of {record.topic} was processed before it was read"


def _positions(read: Sequence[Record]) -> Iterator[str]:
    """All rows are of one position, which no event of the log has: no server, no transaction, no row within it."""
    places = {tuple(source(record)[name] for name in POSITION) for record in read}
    if len(places) > 1:
        yield f"rows are of {len(places)} positions"
    for place in places:
        found = dict(zip(POSITION, place, strict=True))
        if any(found[name] is not None for name in ("gtid", "thread", "query")) or found["server_id"] or found["row"]:
            yield f"rows come from an event of the log: {found}"


def tables_in_order(read: Sequence[Record]) -> list[str]:
    """The topics of rows, in the order of their first."""
    return list(by_topic(read))
