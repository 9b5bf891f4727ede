"""What tailrace tells around signals beside what Debezium was recorded to tell: topic by topic, record by record.

Incremental and blocking snapshots, their notifications, structures, and the other signals, in the same steps where that is
possible (`signalled_here` has the others). In which order records of different topics come is not compared.
"""

import re

import pytest
from tests.differential.compare import compare
from tests.differential.known import split
from tests.differential.mutation import mutants
from tests.differential.snapshots import signalled
from tests.differential.snapshots.following import Following
from tests.differential.snapshots.known_signalled import KNOWN, LEFT_OUT
from tests.differential.snapshots.playing import prepared, settings_of
from tests.differential.snapshots.recording import golden
from tests.differential.snapshots.running import PREFIX
from tests.differential.snapshots.scenarios import SCENARIOS
from tests.differential.snapshots.signalled_comparing import PLACES, comparable, differences, without
from tests.differential.snapshots.signalled_here import AT_LEISURE, PLAYS
from tests.differential.snapshots.test_initial_beside_debezium import PAGE, shown

from tailrace.connectors.shared.requested_work import RequestedWork

pytestmark = pytest.mark.mysql
SIGNALLED = [each for each in SCENARIOS if each.tables is signalled.TABLES]
NAMES = [each.name for each in SIGNALLED]


@pytest.fixture(scope="module")
def ours(servers, tmp_path_factory):
    """The records of each scenario, by its name."""
    return {each.name: played(each, servers.of(each), tmp_path_factory.mktemp("signals")) for each in SIGNALLED}


def played(scenario, server, folder):
    prepared(scenario, server)
    file = {"signal.file": str(folder / "signals.txt")} if "signal.file" in scenario.properties else {}
    with pytest.MonkeyPatch.context() as patch:
        if scenario.name in PLAYS:
            patch.setattr(RequestedWork, "wait_ms", lambda *_: AT_LEISURE)
        with Following(settings_of(scenario, server, notified=True, **file), server, folder) as session:
            PLAYS.get(scenario.name, scenario.play)(session)
    return session.records


def split_up(name, ours):
    return split(name, differences(name, golden(name), ours[name], LEFT_OUT), KNOWN)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_signal_asks_for_is_told_as_debezium_does_or_its_difference_is_known(ours, name):
    unexplained, _ = split_up(name, ours)
    assert not unexplained, f"{len(unexplained)} differences:\n{shown(unexplained)}"


def test_every_known_difference_still_shows(ours):
    seen = {each for name in NAMES for each in split_up(name, ours)[1]}
    assert [each for each in KNOWN if each not in seen] == []
    for left in LEFT_OUT:
        assert any(is_needed(left, name, ours) for name in NAMES), left.heading


def is_needed(left, name, ours):
    records = golden(name) if left.of_debezium else ours[name]
    return len(without(name, records, [left])) < len(without(name, records, []))


def test_every_known_difference_is_explained_on_the_page():
    headings = re.findall(r"^#+ (.*?)\s*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {each.heading for each in (*KNOWN, *LEFT_OUT)} <= set(headings)


def test_a_change_of_any_field_that_is_foreseeable_is_a_difference():
    for record in [each.record for each in golden("incremental") if "ddl" not in each.value]:
        for path, mutant in mutants(record):
            if "<" not in path and not path.endswith(("version", ".id", "server_id")):
                found = compare([comparable(record)], [comparable(mutant)])
                assert bool(found) != any(re.fullmatch(each, path) for each in PLACES), path


def test_rows_that_a_signal_asks_for_name_the_place_behind_the_signal(ours):
    """A chunk's rows are as of one place in the log: behind what was told before it, before what is told after it."""
    of_log = [each for each in ours["incremental"] if each.value.get("op") and not each.record.topic.endswith("pulse")]
    places = [(each.value["source"]["file"], each.value["source"]["pos"]) for each in of_log]
    assert places == sorted(places)
    assert [each.value["op"] for each in of_log] == ["c", *"rrrrrrrrrrr", "c", "u"]


def test_the_structures_of_a_blocking_snapshot_are_of_the_place_of_its_rows(ours):
    told = ours["blocking"]
    rows = [each.value["source"] for each in told if each.op == "r"]
    structures = [each.value["source"] for each in told if each.record.topic == PREFIX][-4:]
    assert {(source["file"], source["pos"]) for source in structures} == {(row["file"], row["pos"]) for row in rows}
