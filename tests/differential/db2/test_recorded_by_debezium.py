"""What Debezium's records of the scenarios are like: no server and no Java needed."""

import json
import re

import pytest
from tests.differential import jars
from tests.differential.compare import compare, is_masked, of_pair
from tests.differential.db2 import cases
from tests.differential.db2.comparing import ASKED_FOR, BY_LOG, told, told_by_debezium
from tests.differential.db2.known import HEARTBEATS, MASKED, comparable, news
from tests.differential.db2.recording import GOLDEN, file_name, golden
from tests.differential.db2.scenarios import SCENARIOS, named
from tests.differential.mutation import mutants
from tests.differential.snapshots.rules import MARKS, mark
from tests.differential.snapshots.signalled_comparing import NOTICES

COUNTED = r"value\.source\.(commit|change)_lsn"  # where rows of Debezium's own are in the log
OF_LUW = [scenario for scenario in SCENARIOS if scenario.platform == "LUW"]
LSN = re.compile(r"[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{16}")


def streamed(scenario):
    return [each for each in golden(scenario) if each.op in {"c", "u", "d"} and each.mark == "false"]


def test_they_are_of_the_version_that_is_compared_with():
    assert json.loads((GOLDEN / "about.json").read_text()) == {"debezium": jars.DEBEZIUM}


def test_every_scenario_is_recorded_and_nothing_else():
    assert {path.name for path in GOLDEN.glob("*.jsonl")} == {file_name(scenario) for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", OF_LUW, ids=lambda s: s.name)
def test_a_recording_equals_itself_and_has_every_marker(scenario):
    records = comparable(each.record for each in golden(scenario))
    assert compare(records, records, MASKED) == []
    marks = [each for each in streamed(scenario) if each.value["source"]["table"] == "ZZ_MARKER"]
    stages = cases.stages(scenario.case)
    wanted = len(stages) - 1 + sum(step.kind == "stop" for stage in stages for step in stage)
    assert len(marks) == (wanted if scenario.lasting else 0)


@pytest.mark.parametrize("scenario", OF_LUW, ids=lambda s: s.name)
def test_changes_come_in_the_order_of_the_log(scenario):
    places = [(s["commit_lsn"], s["change_lsn"]) for s in (each.value["source"] for each in streamed(scenario))]
    assert places == sorted(places)
    assert all(LSN.fullmatch(part) for place in places for part in place)


@pytest.mark.parametrize(
    "scenario", [s for s in OF_LUW if "provide.transaction.metadata" in s.properties], ids=lambda s: s.name
)
def test_the_ends_of_transactions_count_what_was_told(scenario):
    rows = {}
    for each in streamed(scenario):
        rows.setdefault(each.value["transaction"]["id"], []).append(each)
    ends = {
        each.value["id"]: each.value["event_count"] for each in golden(scenario) if each.value.get("status") == "END"
    }
    last = streamed(scenario)[-1].value["transaction"]["id"]
    assert ends == {id_: len(found) for id_, found in rows.items() if id_ != last}


def test_on_z_os_debezium_tells_changes_again():
    scenario = named("on z/OS")
    places = [(each.record.topic, each.op, each.value["source"]["change_lsn"]) for each in streamed(scenario)]
    assert len(set(places)) < len(places)
    kept = [each for each in told_by_debezium(scenario) if mark(each) == BY_LOG and each.value.get("op")]
    assert len(kept) == len(set(places))


def test_structures_that_are_told_again_are_those_that_were_told():
    """What is left out of a recording is no news: the same columns, of a table that had them."""
    recorded = [each.record for each in golden(named("an online change of structure"))]
    left = [record for record in news(recorded) if record.topic == "dbz"]
    told_columns = [_columns(record) for record in recorded if record.topic == "dbz"]
    assert {json.dumps(each) for each in told_columns} == {json.dumps(_columns(record)) for record in left}
    assert len(left) < len(told_columns)


def _columns(record):
    (change,) = record.value["tableChanges"]
    return change["id"], [column["name"] for column in change["table"]["columns"]]


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
    records = comparable(news(each.record for each in golden(scenario)))
    for index, record in enumerate(records):
        if mark(record) not in (BY_LOG, ASKED_FOR) and record.topic != NOTICES:
            continue
        own_times = r"value\.source\.ts_(ms|us|ns)" if mark(record) in (*MARKS, ASKED_FOR) else COUNTED
        for path, mutant in mutants(record):
            if "<" in path or re.fullmatch(COUNTED, path):
                continue
            changed = told(scenario, [*records[:index], mutant, *records[index + 1 :]])
            unseen = is_masked(record.topic, path, MASKED) or re.fullmatch(own_times, path) is not None
            assert bool(compare(told(scenario, records), changed, MASKED)) != unseen, (record.topic, index, path)


def test_rows_that_a_signal_asked_for_are_behind_it():
    records = [each for each in told_by_debezium(named("incremental snapshot")) if mark(each) in (BY_LOG, ASKED_FOR)]
    marks = [mark(each) for each in records if each.topic.endswith(".T")]
    assert marks == [*[ASKED_FOR] * 5, BY_LOG]
