"""What Debezium's recorded snapshots are like: no server and no Java needed."""

import re
from dataclasses import replace

import pytest
from tests.differential.mutation import mutants
from tests.differential.snapshots import rules
from tests.differential.snapshots.comparing import MASKED, compare, without_times
from tests.differential.snapshots.recording import golden
from tests.differential.snapshots.scenarios import SCENARIOS

NAMES = [scenario.name for scenario in SCENARIOS]
ONE_READER = [
    "initial",
    "initial, one row",
    "initial, without GTIDs",
    "initial, with schemas",
    "initial, notifications and heartbeats",
    "initial, order of the include list",
    "initial, one table of many",
    "initial, select overrides",
    "initial, only captured structures",
    "initial, every type",
]
FIRST_IS_EMPTY = {"initial, first and last tables empty", "initial, notifications and heartbeats"}


def records(name):
    return [captured.record for captured in golden(name)]


def first_run(name):
    return [captured.record for captured in golden(name) if captured.run == 0]


@pytest.mark.parametrize("name", [*ONE_READER, "initial, first and last tables empty"])
def test_the_snapshot_of_one_reader_obeys_the_rules(name):
    assert rules.broken(records(name), first_is_empty=name in FIRST_IS_EMPTY) == []


@pytest.mark.parametrize("name", ONE_READER)
def test_a_snapshot_equals_itself(name):
    assert compare(records(name), records(name)) == []


def test_the_order_of_a_tables_rows_does_not_matter():
    found = records("initial")
    turned = [*reversed(rules.rows(found))]
    others = [record for record in found if record not in turned]
    assert compare(found, [*others, *turned], lanes=2) == []


@pytest.mark.long
def test_a_change_of_any_field_of_a_row_that_is_not_masked_is_a_difference():
    found = rules.rows(records("initial"))
    for index, record in enumerate(found):
        for path, mutant in mutants(record):
            if path.startswith(("key", "value")) and "<" not in path and not path.endswith(("version", "added")):
                assert bool(compare(found, _with(found, index, mutant))) != _masked(path), path


def test_a_row_that_is_missing_is_a_difference():
    found = records("initial")
    assert len(compare(found, [r for r in found if r is not rules.rows(found)[2]])) >= 1


def test_schema_changes_that_only_debezium_tells_are_a_difference_where_all_are_wanted():
    found = records("no_data")
    created = [record for record in found if "CREATE TABLE `c_three" in str(record.value)]
    assert compare(found, created)
    assert compare(found, created, all_structures=False) == []


def test_rows_with_a_wrong_marker_are_told():
    found = rules.rows(records("initial"))
    turned = _marked(found[0], "true")
    assert rules.broken([turned, *found[1:]]) == ["row 0 of dbz.s_marks.b_one is marked 'true' instead of 'first'"]


def test_rows_of_two_positions_are_told():
    found = rules.rows(records("initial"))
    value = {**found[0].value, "source": {**found[0].value["source"], "pos": 4}}
    assert rules.broken([replace(found[0], value=value), *found[1:]]) == ["rows are of 2 positions"]


def test_runs_are_alike_without_their_times():
    found = records("initial")
    later = [_later(record) for record in found]
    assert [without_times(r) for r in later] == [without_times(r) for r in found]


def _with(found, index, mutant):
    return [*found[:index], mutant, *found[index + 1 :]]


def _masked(path):
    return any(re.fullmatch(mask.path, path) for mask in MASKED)


def _marked(record, mark):
    return replace(record, value={**record.value, "source": {**record.value["source"], "snapshot": mark}})


def _later(record):
    value = record.value
    if value and "source" in value:
        value = {**value, "ts_ms": value["ts_ms"] + 5, "source": {**value["source"], "ts_ms": 5, "pos": 77}}
    return replace(record, value=value)
