"""What of the scenarios' records can't be compared, and every difference that is known and stays.

The differences are explained by their entries in `docs/reference/differences.md`; one that shows nowhere any more fails
the suite, as does one that the page does not explain.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.differential import known
from tests.differential.compare import MASKED as OF_ANY_CONNECTOR
from tests.differential.compare import MISSING, Difference, Mask
from tests.differential.known import Known
from tests.differential.records import Record
from tests.differential.snapshots.running import Captured
from tests.differential.snapshots.signalled_comparing import NOTICES, LeftOut

OWN_CLOCK = "when the connector looked, by its own clock"
MASKED = (
    *OF_ANY_CONNECTOR,
    Mask(r"value(\.payload)?\.source\.ts_(ms|us|ns)", OWN_CLOCK, topic="dbz"),
    Mask(r"value(\.payload)?\.timestamp", OWN_CLOCK, topic=NOTICES),
)
HEARTBEATS = re.compile(r"__debezium-heartbeat\..*")


def _by_days(debezium: Any, tailrace: Any) -> bool:
    """Of the years before the Gregorian calendar."""
    return str(tailrace) < "1583" and _without_date(debezium) == _without_date(tailrace)


def _a_second_late(debezium: Any, tailrace: Any) -> bool:
    if str(tailrace) < "1583":
        return False
    late, true = (dt.datetime.fromisoformat(_micros(text)) for text in (debezium, tailrace))
    return late - true == dt.timedelta(seconds=1) and true < dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def _without_date(text: Any) -> str:
    return str(text).partition("T")[2]


def _micros(text: Any) -> str:
    """Without the seventh digit, which Python's datetimes don't have."""
    return re.sub(r"(\.\d{6})\d", r"\1", str(text))


def _of_no_change(debezium: Any, tailrace: Any) -> bool:
    """Debezium's is that of the row that closed the window."""
    return debezium is not None and tailrace is None


def _placeholder(debezium: Any, tailrace: Any) -> bool:
    return {debezium, tailrace} == {"__debezium_unavailable_value", None}


def _went_or_came_back(debezium: Any, tailrace: Any) -> bool:
    """A whole event that Debezium has not: of the table that is captured no more, and then again."""
    (change,) = tailrace["tableChanges"]
    return debezium is MISSING and change["id"] == '"d1"."dbo"."a"' and change["type"] in {"DROP", "CREATE"}


_IMAGE = r"value(\.payload)?\.(before|after)"
_SOURCE = r"value(\.payload)?\.source"
_TYPES = r"types, .*"
_SWITCHES = r"an o(n|ff)line change of structure.*|capture comes and goes|two databases|a table that is not captured"
_NOT_CAPTURED = "a table that is not captured"
KNOWN: tuple[Known, ...] = (
    Known("The digits of a FLOAT", r"dbz\.d1\.dbo\.numbers", _IMAGE + r"\.r", _TYPES, known.same_float),
    Known("A datetimeoffset before 1970", r"dbz\.d1\.dbo\.times", _IMAGE + r"\.o[37]", _TYPES, _a_second_late),
    Known("Days before the Gregorian calendar", r"dbz\.d1\.dbo\.times", _IMAGE + r"\.o[03]", _TYPES, _by_days),
    Known("Large values that an update left alone", r"dbz\.d1\.dbo\.texts", _IMAGE + r"\.[tx]", _TYPES, _placeholder),
    Known(
        "The position of a change of structure",
        "dbz",
        _SOURCE + r"\.(commit_lsn|change_lsn|event_serial_no|db|table|schema)",
        _SWITCHES,
    ),
    Known(
        "A snapshot of several databases",
        r"dbz\.(d1|second-db)\.dbo\.t",
        _SOURCE + r"\.snapshot",
        r"(snapshot alone of )?two databases",
    ),
    Known("Times of an instance switch", r"dbz\.transaction", r"value\.ts_ms", "an online change of structure"),
    Known("Tables that are not captured any more", "dbz", "", "capture comes and goes", _went_or_came_back),
    Known(
        "Tables that are not captured",
        "dbz",
        r"value\.tableChanges\[0\]\.type",
        _NOT_CAPTURED,
        lambda debezium, tailrace: (debezium, tailrace) == ("ALTER", "CREATE"),
    ),
    Known(
        "Tables that are not captured",
        r"dbz\.d1\.dbo\.captured",
        _SOURCE + r"\.snapshot",
        _NOT_CAPTURED,
        lambda debezium, tailrace: (debezium, tailrace) == ("first", "last"),
    ),
    Known(
        "SQL Server's read events of an incremental snapshot",
        r"dbz\.d1\.dbo\.t",
        _SOURCE + r"\.(change_lsn|event_serial_no)",
        "incremental snapshot",
        _of_no_change,
    ),
)


def _is_window(record: Captured) -> bool:
    return re.search(r"-(open|close)$", str((record.value.get("after") or {}).get("id"))) is not None


def _is_of_later(record: Captured) -> bool:
    """The structure and the row of the table that nobody captures yet."""
    return (record.value.get("source") or {}).get("table") == "later" and record.mark != "false"


LEFT_OUT: tuple[LeftOut, ...] = (
    LeftOut(
        "Windows of an incremental snapshot", of_debezium=True, matches=_is_window, scenario="incremental snapshot"
    ),
    LeftOut("Tables that are not captured", of_debezium=True, matches=_is_of_later, scenario=_NOT_CAPTURED),
)


def comparable(records: Iterable[Record]) -> list[Record]:
    """Without what depends on the moment: heartbeats, notifications on the way, and what Debezium tells a second time.

    The end of a transaction is told again by Debezium where the log goes on without a change of its own, and after a
    restart ("The end of a transaction, told again").
    """
    found: list[Record] = []
    ended: set[Any] = set()
    for record in records:
        value = record.value or {}
        value = value.get("payload", value)
        if HEARTBEATS.fullmatch(record.topic) or _is_on_the_way(record.topic, value):
            continue
        if value.get("status") == "END":
            if value["id"] in ended:
                continue
            ended.add(value["id"])
        found.append(record)
    return found


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
