"""Are two systems' records around signals equal, topic by topic and each topic in its order?

What the log's place and the clocks decide is not comparable, only whether it is there: `comparable` leaves of such a
field the type of its value. Records that only one side has by its design are left out by name (`LeftOut`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.differential.compare import Difference, compare
from tests.differential.records import Record
from tests.differential.snapshots.rules import payload
from tests.differential.snapshots.running import Captured

NOTICES = "notices"
PULSES = "dbz.s_inc.pulse"
AS_OFTEN_AS_NEEDED = {"incremental, read-only"}  # changes that let windows close: how many depends on the moment
SERVER_ID = r"value(\.payload)?\.source\.server_id"
PLACES = (
    r"value(\.payload)?\.source\.(file|pos|gtid|thread|ts_(ms|us|ns))",
    r"value(\.payload)?\.(ts_(ms|us|ns)|timestamp)",
)
RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class LeftOut:
    """Records that one side alone has: the entry of the page that says so, whose they are, and which."""

    heading: str
    of_debezium: bool
    matches: Callable[[Captured], bool]
    scenario: str = r".*"


def differences(
    name: str, debezium: Iterable[Captured], tailrace: Iterable[Captured], left: Sequence[LeftOut]
) -> list[Difference]:
    """All differences of a scenario's records, but for those that are left out."""
    theirs = without(name, debezium, [each for each in left if each.of_debezium])
    ours = without(name, tailrace, [each for each in left if not each.of_debezium])
    assert {(each.record.topic, each.partition) for each in ours} == {
        (each.record.topic, each.partition) for each in theirs
    }
    return compare([comparable(each.record) for each in theirs], [comparable(each.record) for each in ours])


def key_of(record: Captured) -> Any:
    """A record's key without its schema."""
    return payload(record.record.key)


def without(name: str, records: Iterable[Captured], left: Sequence[LeftOut]) -> list[Captured]:
    """The records that none of these names leaves out of the scenario."""
    of_scenario = [each for each in left if re.fullmatch(each.scenario, name)]
    uncounted = {PULSES} if name in AS_OFTEN_AS_NEEDED else set()
    kept = [record for record in records if record.record.topic not in uncounted]
    return [record for record in kept if not any(each.matches(record) for each in of_scenario)]


def comparable(record: Record) -> Record:
    """A record without what one cannot foretell."""
    return replace(record, key=_comparable(record.key, "key"), value=_comparable(record.value, "value"))


def _comparable(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        found = {name: _comparable(inner, f"{path}.{name}") for name, inner in value.items()}
        return dict(sorted(found.items())) if path.endswith(".additional_data") else found
    if re.fullmatch(SERVER_ID, path):
        return "of a server" if value else value
    if any(re.fullmatch(each, path) for each in PLACES):
        return type(value).__name__
    if isinstance(value, str) and re.fullmatch(r"(key|value)(\.payload)?\.id", path) and RANDOM.fullmatch(value):
        return "random"
    return value
