"""Records with transaction metadata in the order in which Debezium sends them, each with the offset that Debezium stores with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

TOPIC = ".transaction"


@dataclass(frozen=True)
class Sent:
    """A record, and its offset."""

    record: dict[str, Any]
    offset: dict[str, Any]


def sent_by_debezium(records: Sequence[dict[str, Any]], name: Callable[[dict[str, Any]], str]) -> list[Sent]:
    """All but the last END, whose offset is that of a change to come; `name` is a table's in transaction metadata.

    BEGIN and END have the position of the event that comes next, and an END the transaction that it ends.
    """
    ordered = sorted((each for each in records if each["value"]), key=_place)
    return list(_with_offsets(ordered, name))


def last_change_of(transaction: str, sent: Sequence[Sent]) -> dict[str, Any]:
    """The offset of a transaction's last change."""
    offsets = [each.offset for each in sent if "source" in each.record["value"]]
    return [each for each in offsets if each["commit_lsn"] == transaction][-1]


def without_transaction(offset: dict[str, Any]) -> dict[str, Any]:
    """An offset as it is when no transaction is in progress."""
    return {name: value for name, value in offset.items() if not name.startswith("transaction")}


def changes(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events of changes, without tombstones."""
    return [each for each in records if each["value"] and "source" in each["value"]]


def ends(records: Sequence[dict[str, Any]]) -> list[tuple[str, str, int | None]]:
    """The BEGIN and END records, by transaction: which it is, the id, and the number of events."""
    values = [each["value"] for each in records if each["topic"].endswith(TOPIC)]
    return [(value["status"], value["id"], value["event_count"]) for value in values]


def _place(record: dict[str, Any]) -> tuple[str, int]:
    value = record["value"]
    if record["topic"].endswith(TOPIC):
        return value["id"], 0 if value["status"] == "BEGIN" else 1 << 31
    return value["transaction"]["id"], value["transaction"]["total_order"]


def _with_offsets(ordered: list[dict[str, Any]], name: Callable[[dict[str, Any]], str]) -> Iterator[Sent]:
    counts: Counter[str] = Counter()
    for at, record in enumerate(ordered):
        nearest = next((each for each in ordered[at:] if "source" in each["value"]), None)
        if nearest is None:
            return
        value, place = record["value"], nearest["value"]["source"]
        if value.get("status") == "BEGIN":
            counts.clear()
        elif "source" in value:
            counts[name(value["source"])] += 1
        yield Sent(
            record,
            {
                "commit_lsn": place["commit_lsn"],
                "change_lsn": place["change_lsn"],
                "event_serial_no": place.get("event_serial_no", 1),
                "transaction_id": value["id"] if "status" in value else value["transaction"]["id"],
                **{f"transaction_data_collection_order_{table}": count for table, count in counts.items()},
            },
        )
