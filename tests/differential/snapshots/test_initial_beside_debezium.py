"""Our initial snapshot beside Debezium's recorded one: record by record, in order, with every mark and partition.

Scenarios of a quiet server have all records in Debezium's order. What values differ in is known by name
(`known.py`, each with its entry in `docs/reference/differences.md`).
"""

import re
from pathlib import Path

import pytest
from tests.differential import cases
from tests.differential.known import split
from tests.differential.snapshots import rules
from tests.differential.snapshots.comparing import compare, compare_in_order
from tests.differential.snapshots.known import KNOWN
from tests.differential.snapshots.playing import (
    HEARTBEATS,
    begun,
    first_batch,
    of_debezium,
    placeless,
    prepared,
    settings_of,
    snapshot,
)
from tests.differential.snapshots.recording import golden
from tests.differential.snapshots.scenarios import MORE_TYPES, SCENARIOS
from tests.differential.snapshots.tables import FIRST_CHANGE
from tests.differential.variants import HISTORY

from support.reading import Read, read_on
from support.snapshotting import taken
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.snapshots import splitting

pytestmark = pytest.mark.mysql
SHOWN = 40
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "differences.md"
IN_ORDER = [
    "initial",
    "initial, first and last tables empty",
    "initial, one row",
    "initial, no row",
    "initial, without GTIDs",
    "initial, with schemas",
    "initial, notifications and heartbeats",
    "initial, order of the include list",
    "initial, one table of many",
    "initial, only captured structures",
    "initial_only",
]
FIRST_IS_EMPTY = {"initial, first and last tables empty", "initial, notifications and heartbeats"}
EVERY_TYPE = ["initial, every type", *(f"initial, every type, {name}" for name in MORE_TYPES)]


@pytest.fixture
def ready(servers):
    """A scenario by its name and its server, with its tables and no others."""

    def make(name):
        scenario = next(each for each in SCENARIOS if each.name == name)
        server = servers.of(scenario)
        prepared(scenario, server)
        return scenario, server

    return make


def differences(theirs, ours, *, marks=True):
    assert [each.partition for each in ours] == [each.partition for each in theirs]
    return compare_in_order([*placeless(theirs)], [*placeless(ours)], marks=marks)


def shown(found):
    return "\n".join(map(str, found[:SHOWN]))


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_snapshot_is_debeziums_record_by_record(ready, name):
    scenario, server = ready(name)
    ours, theirs = snapshot(settings_of(scenario, server)), of_debezium(golden(name))
    found = differences(theirs, ours)
    assert not found, f"{len(found)} differences:\n{shown(found)}"
    records = [each.record for each in ours]
    assert rules.broken(records, first_is_empty=name in FIRST_IS_EMPTY) == []


def test_stopped_and_started_again_after_every_other_batch_it_is_the_same(ready):
    """Where Debezium begins anew, a snapshot here goes on: what is told in all is what one run tells."""
    scenario, server = ready("initial, killed")
    theirs = of_debezium(golden(scenario.name), run=1)
    assert differences(theirs, snapshot(settings_of(scenario, server), stop_every=2)) == []


def test_stopped_and_started_again_a_snapshot_of_no_row_is_the_same(ready):
    scenario, server = ready("initial, no row")
    found = differences(of_debezium(golden(scenario.name)), snapshot(settings_of(scenario, server), stop_every=1))
    assert found == []


def test_with_always_a_second_start_tells_everything_anew(ready):
    scenario, server = ready("always")
    settings = settings_of(scenario, server)
    first = taken(settings).progress
    server.sql(f"{FIRST_CHANGE}; INSERT INTO s_marks.c_three VALUES (6, 'stopped'); COMMIT")
    found = differences(of_debezium(golden(scenario.name), run=1), snapshot(settings, after=[first]))
    assert not found, shown(found)


def test_with_several_readers_the_records_are_the_same_and_stand_in_any_order(ready, monkeypatch):
    monkeypatch.setattr(splitting, "LEAST_ROWS", 0)  # also small tables are shared out
    scenario, server = ready("initial, two threads")
    theirs = [*placeless(of_debezium(golden(scenario.name)))]
    ours = [*placeless(snapshot(settings_of(scenario, server), lanes=2))]
    assert compare(theirs, ours, lanes=2) == []


def test_a_select_of_ones_own_gives_the_same_rows_in_the_order_of_the_key(ready):
    scenario, server = ready("initial, select overrides")
    theirs = [*placeless(of_debezium(golden(scenario.name)))]
    ours = [*placeless(snapshot(settings_of(scenario, server)))]
    assert compare(theirs, ours, lanes=2) == []
    assert rules.broken(ours) == []


def test_exactly_one_heartbeat_comes_and_it_comes_last(ready):
    scenario, server = ready("initial, no row")
    told = snapshot(settings_of(scenario, server, heartbeat_interval_ms="60000"))
    assert [each.record.topic == HEARTBEATS for each in told] == [False] * (len(told) - 1) + [True]


def test_a_connector_without_a_snapshot_of_rows_begins_as_debezium_does(ready):
    scenario, server = ready("no_data")
    told, _ = begun(settings_of(scenario, server))
    found = differences(of_debezium(golden(scenario.name)), told)
    assert not found, shown(found)


def test_a_lost_history_is_told_anew_as_debezium_does(ready):
    scenario, server = ready("recovery")
    _, read = begun(settings_of(scenario, server, snapshot_mode="no_data"))
    lost = Read(Progress(read.progress.delivered, read.progress.restart), [])
    told, after = first_batch(settings_of(scenario, server, snapshot_mode="recovery"), lost)
    found = differences(of_debezium(golden(scenario.name), run=1), told)
    assert not found, shown(found)
    server.sql("INSERT INTO s_marks.c_three VALUES (6, 'stopped'); COMMIT")
    read_on(settings_of(scenario, server, snapshot_mode="recovery"), after)
    assert [value["after"]["id"] for value in after.payloads("dbz.s_marks.c_three")] == [6]


def test_source_times_are_the_servers_in_whole_seconds_and_one_for_each_table(ready):
    scenario, server = ready("initial")
    ((before,),) = server.sql("SELECT UNIX_TIMESTAMP()")
    records = rules.rows([each.record for each in snapshot(settings_of(scenario, server))])
    ((after,),) = server.sql("SELECT UNIX_TIMESTAMP()")
    times = {(record.topic, *(rules.source(record)[f"ts_{unit}"] for unit in ("ms", "us", "ns"))) for record in records}
    assert len(times) == len({topic for topic, *_ in times})
    for _, milliseconds, micros, nanos in times:
        assert milliseconds % 1000 == 0
        assert int(before) <= milliseconds // 1000 <= int(after)
        assert (micros, nanos) == (milliseconds * 1000, milliseconds * 1_000_000)


@pytest.fixture(scope="module")
def of_every_type(servers):
    """Both snapshots of what the cases of the stream leave behind, by the scenario's name."""
    found = {}
    scenarios = [each for each in SCENARIOS if each.name in EVERY_TYPE]
    server = servers.of(scenarios[0])
    prepared(scenarios[0], server)
    cases.play(server.port, HISTORY)
    for scenario in scenarios:
        theirs, ours = of_debezium(golden(scenario.name)), snapshot(settings_of(scenario, server))
        found[scenario.name] = compare([*placeless(theirs)], [*placeless(ours)])
    return found


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_every_value_is_debeziums_or_its_difference_is_known(of_every_type, name):
    unexplained, _ = split(name, of_every_type[name], KNOWN)
    assert not unexplained, f"{len(unexplained)} differences:\n{shown(unexplained)}"


def test_every_known_difference_still_shows(of_every_type):
    seen = {each for name, found in of_every_type.items() for each in split(name, found, KNOWN)[1]}
    assert [each for each in KNOWN if each not in seen] == []


def test_every_known_difference_is_explained_on_the_page():
    headings = re.findall(r"^#+ (.*?)\s*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {each.heading for each in KNOWN} <= set(headings)
