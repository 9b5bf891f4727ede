"""What Debezium's records of the scenarios are like: no server and no Java needed."""

import json
import re

import pytest
from tests.differential import jars
from tests.differential.compare import compare, is_masked, of_pair
from tests.differential.mutation import mutants
from tests.differential.snapshots.rules import mark
from tests.differential.snapshots.signalled_comparing import NOTICES
from tests.differential.sqlserver import cases
from tests.differential.sqlserver.comparing import ASKED_FOR, BY_LOG, told, told_by_debezium
from tests.differential.sqlserver.known import HEARTBEATS, MASKED, comparable
from tests.differential.sqlserver.recording import GOLDEN, file_name, golden
from tests.differential.sqlserver.scenarios import SCENARIOS, named

COUNTED = r"value\.source\.(commit|change)_lsn"  # where rows of Debezium's own are in the log
LSN = re.compile(r"[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{4}")


def streamed(scenario):
    return [each for each in golden(scenario) if each.op in {"c", "u", "d"} and each.mark == "false"]


def test_they_are_of_the_version_that_is_compared_with():
    assert json.loads((GOLDEN / "about.json").read_text()) == {"debezium": jars.DEBEZIUM}


def test_every_scenario_is_recorded_and_nothing_else():
    assert {path.name for path in GOLDEN.glob("*.jsonl")} == {file_name(scenario) for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_a_recording_equals_itself_and_has_every_marker(scenario):
    records = comparable(each.record for each in golden(scenario))
    assert compare(records, records, MASKED) == []
    marks = [each for each in streamed(scenario) if each.value["source"]["table"] == "zz_marker"]
    stages = cases.stages(scenario.case)
    wanted = len(stages) - 1 + sum(step.kind == "stop" for stage in stages for step in stage)
    assert len(marks) == (wanted * len(scenario.databases) if scenario.lasting else 0)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_changes_come_in_the_order_of_each_databases_log(scenario):
    for database in scenario.databases:
        sources = [s for s in (each.value["source"] for each in streamed(scenario)) if s["db"] == database]
        places = [(s["commit_lsn"], s["change_lsn"], s["event_serial_no"]) for s in sources]
        assert places == sorted(places)
        assert all(LSN.fullmatch(part) for place in places for part in place[:2])


@pytest.mark.parametrize(
    "scenario", [s for s in SCENARIOS if "provide.transaction.metadata" in s.properties], ids=lambda s: s.name
)
def test_the_ends_of_transactions_count_what_was_told(scenario):
    told = {}
    for each in streamed(scenario):
        told.setdefault(each.value["transaction"]["id"], []).append(each)
    ends = [each.value for each in golden(scenario) if each.value.get("status") == "END"]
    assert {end["id"]: end["event_count"] for end in ends} == {id_: len(rows) for id_, rows in told.items()}


@pytest.mark.long
def test_no_change_of_any_field_of_a_record_goes_unseen():
    for index, each in enumerate(golden(named("an online change of structure with schemas"))):
        for path, mutant in mutants(each.record):
            seen = any(True for _ in of_pair(each.record.topic, index, each.record, mutant, MASKED))
            assert seen != is_masked(each.record.topic, path, MASKED), (each.record.topic, index, path)


def test_heartbeats_are_recorded_and_not_compared():
    records = [each.record for each in golden(named("heartbeats"))]
    beats = [record for record in records if HEARTBEATS.fullmatch(record.topic)]
    assert {json.dumps(beat.key["payload"]) for beat in beats} == {'{"serverName": "dbz"}'}
    assert not any(HEARTBEATS.fullmatch(record.topic) for record in comparable(records))


@pytest.mark.long
def test_no_change_of_a_record_that_a_signal_asked_for_goes_unseen():
    scenario = named("incremental snapshot")
    records = comparable(each.record for each in golden(scenario))
    for index, record in enumerate(records):
        if mark(record) not in (BY_LOG, ASKED_FOR) and record.topic != NOTICES:
            continue
        own_times = r"value\.source\.ts_(ms|us|ns)" if mark(record) == ASKED_FOR else COUNTED
        for path, mutant in mutants(record):
            if "<" in path or re.fullmatch(COUNTED, path):
                continue
            changed = told(scenario, [*records[:index], mutant, *records[index + 1 :]])
            unseen = is_masked(record.topic, path, MASKED) or re.fullmatch(own_times, path) is not None
            assert bool(compare(told(scenario, records), changed, MASKED)) != unseen, (record.topic, index, path)


def test_rows_that_a_signal_asked_for_are_behind_it_and_before_what_came_later():
    records = [each for each in told_by_debezium(named("incremental snapshot")) if mark(each) in (BY_LOG, ASKED_FOR)]
    places = [each.value["source"]["commit_lsn"] for each in records]
    assert places == [1, *[1] * 5, 2, 3, 4]
    assert [mark(each) for each in records].count(ASKED_FOR) == 5
