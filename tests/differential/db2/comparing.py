"""What came of a scenario: Debezium's records as they were recorded, tailrace's of now, and where the two differ.

Where an incremental snapshot was asked for, Debezium writes rows of its own into the log, which moves what comes later; and where
asncap works by itself, positions are of the moment. There an LSN counts as how many of the transactions that both tell it has
behind it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.differential.compare import Difference, compare
from tests.differential.db2.following import Following
from tests.differential.db2.known import LEFT_OUT, MASKED, comparable, news, once, split
from tests.differential.db2.playing import play
from tests.differential.db2.recording import golden
from tests.differential.db2.scenarios import Scenario
from tests.differential.db2.stand import stand_of
from tests.differential.known import Known
from tests.differential.records import Record
from tests.differential.snapshots.rules import MARKS, mark, payload, source
from tests.differential.snapshots.signalled_comparing import NOTICES, LeftOut, without

BY_LOG, ASKED_FOR = "false", "incremental"
PLACES = ("commit_lsn", "change_lsn")
OWN_TIMES = ("ts_ms", "ts_us", "ts_ns")  # when a row was read


@dataclass(frozen=True)
class Outcome:
    """What one scenario gave.

    Attributes:
        known: how many fields, or whole records of Debezium's, each known difference is of.

    """

    scenario: Scenario
    debezium: Sequence[Record]
    unexplained: Sequence[Difference]
    known: Mapping[Known | LeftOut, int]


def outcome(scenario: Scenario) -> Outcome:
    """Have tailrace live through a scenario, and compare what it tells with what Debezium told."""
    with stand_of(scenario) as stand, Following(stand, scenario) as following:
        play(scenario, stand, following)
    found = compare(told_by_debezium(scenario), told(scenario, comparable(following.records)), MASKED)
    unexplained, of_fields = split(scenario.name, found)
    known: dict[Known | LeftOut, int] = dict([*of_fields.items(), *_left_out(scenario).items()])
    return Outcome(scenario, told_once(scenario, [each.record for each in golden(scenario)]), unexplained, known)


def told_by_debezium(scenario: Scenario) -> list[Record]:
    """What of its records tailrace's have to equal."""
    kept = without(scenario.name, golden(scenario), LEFT_OUT)
    return told(scenario, told_once(scenario, [each.record for each in kept]))


def told_once(scenario: Scenario, records: Sequence[Record]) -> list[Record]:
    """Debezium's records without what it tells again."""
    return comparable(news(once(records) if scenario.platform == "ZOS" else records))


def told(scenario: Scenario, records: Sequence[Record]) -> list[Record]:
    """Records as they are compared in this scenario."""
    timed = [*_timed(records)]
    return [*_placed(timed)] if "signal.data.collection" in scenario.properties else timed


def _left_out(scenario: Scenario) -> dict[LeftOut, int]:
    records = golden(scenario)
    all_of_them = len(without(scenario.name, records, []))
    counts = {each: all_of_them - len(without(scenario.name, records, [each])) for each in LEFT_OUT}
    return {each: count for each, count in counts.items() if count}


def _timed(records: Sequence[Record]) -> Iterator[Record]:
    """Rows of snapshots without the time when they were read: for tailrace time goes on meanwhile."""
    for record in records:
        if mark(record) in (*MARKS, ASKED_FOR) and payload(record.value).get("op"):
            times = {name: type(source(record)[name]).__name__ for name in OWN_TIMES}
            yield replace(record, value=_with_source(record.value, {**source(record), **times}))
        else:
            yield record


def _placed(records: Sequence[Record]) -> Iterator[Record]:
    behind = {name: sorted({source(each)[name] for each in records if mark(each) == BY_LOG}) for name in PLACES}
    for record in records:
        if record.topic == NOTICES:
            yield replace(record, value=_in_order(record.value))
            continue
        if mark(record) not in (BY_LOG, ASKED_FOR):
            yield record
            continue
        given = source(record)
        counted = {name: bisect_right(behind[name], given[name]) for name in PLACES if given[name] is not None}
        yield replace(record, value=_with_source(record.value, {**given, **counted}))


def _in_order(notice: Any) -> Any:
    """Java puts these in another order each time."""
    return {**notice, "additional_data": dict(sorted(notice["additional_data"].items()))}


def _with_source(value: Any, given: Mapping[str, Any]) -> Any:
    if payload(value) is value:
        return {**value, "source": given}
    return {**value, "payload": {**value["payload"], "source": given}}
