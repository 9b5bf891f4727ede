"""tailrace tells what Debezium told, record by record, when it lives through the same scenario on the same stand-in."""

import pytest
from tests.differential.compare import compare
from tests.differential.records import by_topic
from tests.differential.sqlserver.following import Following
from tests.differential.sqlserver.known import KNOWN, MASKED, comparable, split
from tests.differential.sqlserver.playing import play
from tests.differential.sqlserver.recording import golden
from tests.differential.sqlserver.scenarios import SCENARIOS, named
from tests.differential.sqlserver.stand import Stand

pytestmark = [pytest.mark.drivers, pytest.mark.slow, pytest.mark.usefixtures("with_driver")]
SHOWN = 40
IN_ANOTHER_WAY = {
    "incremental snapshot",  # windows, and capture that runs by itself
    "a table that is not captured",
}
COMPARED = [scenario for scenario in SCENARIOS if scenario.name not in IN_ANOTHER_WAY]


@pytest.fixture(scope="module")
def shown_known():
    """The known differences that showed so far, and how many scenarios were compared."""
    return {"known": set(), "compared": 0}


@pytest.mark.parametrize("scenario", COMPARED, ids=lambda s: s.name)
def test_every_record_equals_debeziums(scenario, shown_known):
    theirs = comparable(each.record for each in golden(scenario))
    unexplained, found = split(scenario.name, compare(theirs, comparable(followed(scenario)), MASKED))
    shown_known["known"] |= set(found)
    shown_known["compared"] += 1
    shown = "\n".join(str(difference) for difference in unexplained[:SHOWN])
    assert not unexplained, f"{len(unexplained)} differences:\n{shown}"


def test_every_known_difference_still_shows(shown_known):
    if shown_known["compared"] < len(COMPARED):
        pytest.skip("only where all scenarios are compared")
    assert [each for each in KNOWN if each not in shown_known["known"]] == []


def test_a_table_that_is_not_captured_is_left_to_its_capture():
    scenario = named("a table that is not captured")
    theirs, ours = (by_topic(records) for records in ((c.record for c in golden(scenario)), followed(scenario)))
    later = "dbz.d1.dbo.later"
    assert [record.value["op"] for record in theirs[later]] == ["r", "c"]
    assert [record.value["op"] for record in ours[later]] == ["c"]
    told = [record.value["tableChanges"][0] for record in ours["dbz"]]
    assert [each["id"].split(".")[-1] for each in told] == ['"captured"', '"zz_marker"', '"later"']
    assert [column["name"] for column in told[-1]["table"]["columns"]] == ["id", "w"]
    assert ours[later][0].value["after"] == theirs[later][1].value["after"]


def followed(scenario):
    """What tailrace tells in a scenario."""
    with Stand(scenario.databases, marked=scenario.lasting) as stand, Following(stand, scenario) as following:
        play(scenario, stand, following)
    return following.records
