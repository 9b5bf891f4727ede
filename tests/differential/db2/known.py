"""What of the scenarios' records can't be compared, and every difference that is known and stays.

The differences are explained by their entries in `docs/reference/differences.md`; one that shows nowhere any more fails
the suite, as does one that the page does not explain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tests.differential import known
from tests.differential.compare import MASKED as OF_ANY_CONNECTOR
from tests.differential.compare import MISSING, Difference, Mask
from tests.differential.known import Known
from tests.differential.records import Record
from tests.differential.snapshots.rules import MARKS, payload
from tests.differential.snapshots.running import Captured
from tests.differential.snapshots.signalled_comparing import NOTICES, LeftOut

OWN_CLOCK = "when the connector looked, by its own clock"
MASKED = (
    *OF_ANY_CONNECTOR,
    Mask(r"value(\.payload)?\.source\.ts_(ms|us|ns)", OWN_CLOCK, topic="dbz"),
    Mask(r"value(\.payload)?\.timestamp", OWN_CLOCK, topic=NOTICES),
)
HANDLE = re.compile(r"com\.ibm\.db2\.jcc\..*@[0-9a-f]+")  # in place of a large object, in Debezium's snapshots
HEARTBEATS = re.compile(r"__debezium-heartbeat\..*")


def _is_earlier(debezium: Any, tailrace: Any) -> bool:
    """Committed before it was read."""
    return isinstance(debezium, int) and isinstance(tailrace, int) and tailrace <= debezium


def _is_own(debezium: Any, tailrace: Any) -> bool:
    """By tailrace's own clock, which goes on; the server's stands still."""
    return isinstance(debezium, int) and isinstance(tailrace, int) and tailrace > debezium


def _no_name(debezium: Any, tailrace: Any) -> bool:
    return debezium == "" and bool(tailrace)


def _of_register(debezium: Any, tailrace: Any) -> bool:
    """Debezium tells the name of a special register as if it were the value."""
    return debezium == "USER" and tailrace is MISSING


def _nanoseconds(debezium: Any, tailrace: Any) -> bool:
    return bool(tailrace // 1000 * 1000 == debezium)


def _of_index(debezium: Any, tailrace: Any) -> bool:
    """Debezium has no key, tailrace that of the unique index."""
    return debezium is None and isinstance(tailrace, dict)


def _is_end(debezium: Any, tailrace: Any) -> bool:
    """The end of a transaction that Debezium would tell with the next one."""
    return debezium is MISSING and payload(tailrace).get("status") == "END"


def _of_driver(debezium: Any, tailrace: Any) -> bool:
    """Debezium's is the name of the driver's object, or null for bytes; tailrace's is what the column holds."""
    return tailrace is not None and (debezium is None or str(debezium).startswith("com.ibm.db2."))


def _comes(debezium: Any, tailrace: Any) -> bool:
    return (debezium, tailrace) == ("ALTER", "CREATE")


def _is_last(debezium: Any, tailrace: Any) -> bool:
    return (debezium, tailrace) == ("first", "last")


def _of_snapshot(debezium: Any, tailrace: Any) -> bool:
    """Debezium's is that of a row of the log that it has just read; tailrace's of where the log stood, and of no change."""
    return debezium is not None and (tailrace is None or tailrace > debezium)


def _went_or_came_back(debezium: Any, tailrace: Any) -> bool:
    """A whole event that Debezium has not: of the table that is captured no more, and then again."""
    (change,) = tailrace["tableChanges"]
    return debezium is MISSING and change["id"] == '"DB2INST1"."A"' and change["type"] in {"DROP", "CREATE"}


_IMAGE = r"value(\.payload)?\.(before|after)"
_SOURCE = r"value(\.payload)?\.source"
_ROWS = r"dbz[._](?!transaction).*"
_TRANSACTIONS = r"dbz\.transaction|dbz_tx"
_PROCESSED = "changes at the time of processing"
_AS_COMMITTED = rf"(?!{_PROCESSED}).*"
_DEFAULT = r"value\.schema\.fields\[[01]\]\.fields\[\d+\]\.default"
_NOT_CAPTURED = "a table that is not captured"
_STRUCTURES = r"an o(n|ff)line change of structure.*|capture comes and goes|a table that is not captured"
KNOWN: tuple[Known, ...] = (
    Known("The time of a change in Db2", _ROWS, rf"{_SOURCE}\.ts_(ms|us|ns)", _AS_COMMITTED, _is_earlier),
    Known("The time of a change in Db2", _TRANSACTIONS, r"value(\.payload)?\.ts_ms", _AS_COMMITTED, _is_earlier),
    Known("The time of a change in Db2", _ROWS, rf"{_SOURCE}\.ts_(ms|us|ns)", _PROCESSED, _is_own),
    Known("The time of a change in Db2", _TRANSACTIONS, r"value\.ts_ms", _PROCESSED, _is_own),
    Known("The end of the last transaction", _TRANSACTIONS, "", when=_is_end),
    Known("The key of a table without a primary key", r"dbz\.DB2INST1\..*", "key", "unique indexes", _of_index),
    Known(
        "Large objects in Db2's snapshots", r"dbz\.DB2INST1\.LARGE", rf"{_IMAGE}\.(C|DC|B|X)", r"types, .*", _of_driver
    ),
    Known("The digits of a FLOAT", r"dbz\.DB2INST1\.NUMBERS", rf"{_IMAGE}\.R", r"types, .*", known.same_float),
    Known("The position of a change of structure", "dbz", rf"{_SOURCE}\.(commit_lsn|change_lsn)", _STRUCTURES),
    Known(
        "The database of a change of structure", "dbz", r"(key|value)(\.payload)?\.databaseName", _STRUCTURES, _no_name
    ),
    Known(
        "Default values of special registers",
        r"dbz\.DB2INST1\.DEFAULT_TEXTS",
        _DEFAULT,
        "default values.*",
        _of_register,
    ),
    Known("The fraction of a default time", r"dbz\.DB2INST1\.DEFAULT_TIMES", _DEFAULT, "default values", _nanoseconds),
    Known("Tables that are not captured", "dbz", r"value\.tableChanges\[0\]\.type", _NOT_CAPTURED, _comes),
    Known("Tables that are not captured", r"dbz\.DB2INST1\.CAPTURED", rf"{_SOURCE}\.snapshot", _NOT_CAPTURED, _is_last),
    Known(
        "Db2's read events of a snapshot that a signal asks for",
        r"dbz(\.DB2INST1\.T)?",
        rf"{_SOURCE}\.(commit_lsn|change_lsn)",
        r"(incremental|blocking) snapshot",
        _of_snapshot,
    ),
    Known("Tables that are not captured any more", "dbz", "", "capture comes and goes", _went_or_came_back),
)


def _is_window(record: Captured) -> bool:
    return re.search(r"-(open|close)$", str((record.value.get("after") or {}).get("ID"))) is not None


def _is_of_later(record: Captured) -> bool:
    """The structure and the row of the table that nobody captures yet."""
    return (record.value.get("source") or {}).get("table") == "LATER" and record.mark != "false"


LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(
        "Windows of an incremental snapshot", of_debezium=True, matches=_is_window, scenario="incremental snapshot"
    ),
    LeftOut("Tables that are not captured", of_debezium=True, matches=_is_of_later, scenario=_NOT_CAPTURED),
)


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


def once(records: Iterable[Record]) -> Iterator[Record]:
    """Without what is told again: on z/OS Debezium reads all changes since its start anew with every poll that finds some."""
    seen: set[str] = set()
    kept = True
    for record in records:
        value = payload(record.value)
        place = value.get("source") or {}
        told = [
            record.topic,
            record.key,
            value.get("op"),
            value.get("status"),
            place.get("commit_lsn"),
            place.get("change_lsn"),
        ]
        if record.value is not None:  # a tombstone belongs to the record before it
            text = json.dumps(told)
            kept = place.get("snapshot") in MARKS or text not in seen
            seen.add(text)
        if kept:
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
    if isinstance(value, str) and HANDLE.fullmatch(value):
        return "the driver's object"
    masked = any(re.fullmatch(mask.topic, topic) and re.fullmatch(mask.path, path) for mask in MASKED)
    return "varies" if masked else value
