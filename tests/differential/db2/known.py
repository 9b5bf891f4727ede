"""What of the scenarios' records can't be compared, and every difference that is known and stays.

The differences are explained by their entries in `docs/reference/differences.md`; one that shows nowhere any more fails
the suite, as does one that the page does not explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tests.differential import known
from tests.differential.compare import MASKED as OF_ANY_CONNECTOR
from tests.differential.compare import Difference, Mask
from tests.differential.known import Known
from tests.differential.records import Record
from tests.differential.snapshots.rules import payload
from tests.differential.snapshots.running import Captured
from tests.differential.snapshots.signalled_comparing import NOTICES, LeftOut

OWN_CLOCK = "when the connector looked, by its own clock"
MASKED = (
    *OF_ANY_CONNECTOR,
    Mask(r"value(\.payload)?\.source\.ts_(ms|us|ns)", OWN_CLOCK, topic="dbz"),
    Mask(r"value(\.payload)?\.timestamp", OWN_CLOCK, topic=NOTICES),
)
HEARTBEATS = re.compile(r"__debezium-heartbeat\..*")
_SOURCE = r"value(\.payload)?\.source"
_TIMES = r"ts_(ms|us|ns)"
_ROWS = r"dbz[._](?!transaction).*"
_TRANSACTIONS = r"dbz\.transaction|dbz_tx"
_AS_COMMITTED = r"(?!changes at the time of processing).*"


def _is_earlier(debezium: Any, tailrace: Any) -> bool:
    """Committed before it was read."""
    return bool(tailrace <= debezium)


def _of_index(debezium: Any, tailrace: Any) -> bool:
    """Debezium has no key, tailrace that of the unique index."""
    return debezium is None and isinstance(tailrace, dict)


KNOWN: tuple[Known, ...] = (
    Known("The time of a change in Db2", _ROWS, rf"{_SOURCE}\.{_TIMES}", _AS_COMMITTED, _is_earlier),
    Known("The time of a change in Db2", _TRANSACTIONS, r"value(\.payload)?\.ts_ms", _AS_COMMITTED, _is_earlier),
    Known("The key of a table without a primary key", r"dbz\.DB2INST1\..*", "key", "unique indexes", _of_index),
)
LEFT_OUT: tuple[LeftOut, ...] = ()


def comparable(records: Iterable[Record]) -> list[Record]:
    """Without what depends on the moment: heartbeats, notifications on the way, and ends of transactions that are told again."""
    found: list[Record] = []
    ended: set[Any] = set()
    for record in records:
        value = payload(record.value)
        if HEARTBEATS.fullmatch(record.topic) or _is_on_the_way(record.topic, value):
            continue
        if value.get("status") == "END":
            if value["id"] in ended:
                continue
            ended.add(value["id"])
        found.append(record)
    return found


def news(records: Iterable[Record]) -> Iterator[Record]:
    """Without ALTERs with the columns that the table had already: Debezium tells them whenever a table's synchpoint has moved."""
    known_columns: dict[str, Any] = {}
    for record in records:
        for change in payload(record.value).get("tableChanges", ()):
            columns = change["table"]["columns"]
            if change["type"] == "ALTER" and known_columns.get(change["id"]) == columns:
                break
            known_columns[change["id"]] = columns
        else:
            yield record


def _is_on_the_way(topic: str, notice: Mapping[str, Any]) -> bool:
    """How often it is told how far a snapshot is; of the initial one, tables are told in another order as well."""
    if topic != NOTICES:
        return False
    if notice["aggregate_type"] == "Initial Snapshot":
        return True
    told = notice["additional_data"]
    return bool(notice["type"] == "IN_PROGRESS" and told["last_processed_key"] != told["maximum_key"])


def split(scenario: str, differences: Iterable[Difference]) -> tuple[list[Difference], dict[Known, int]]:
    """The differences that nothing explains, and how often each known one showed."""
    return known.split(scenario, differences, KNOWN)


def without_times(record: Record) -> Record:
    """A record without what differs from one run of Debezium to the next."""
    parts = {name: _blank(value, name, record.topic) for name, value in record.parts().items() if name != "topic"}
    return replace(record, **parts)


def _blank(value: Any, path: str, topic: str) -> Any:
    if isinstance(value, dict):
        return {name: _blank(inner, f"{path}.{name}", topic) for name, inner in value.items()}
    masked = any(re.fullmatch(mask.topic, topic) and re.fullmatch(mask.path, path) for mask in MASKED)
    return "varies" if masked else value
