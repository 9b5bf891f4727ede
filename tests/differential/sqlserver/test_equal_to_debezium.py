"""tailrace tells what Debezium told, record by record, when it lives through the same scenario on the same stand-in.

One scenario also with the stand-in's shortcuts for tables of any size, and without any; TAILRACE_TEST_EVERY_SCENARIO=1: all.
"""

import pytest
from tests.differential.sqlserver.comparing import outcome
from tests.differential.sqlserver.known import KNOWN, LEFT_OUT
from tests.differential.sqlserver.scenarios import SCENARIOS

from support.every_scenario import EVERY
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

pytestmark = [pytest.mark.drivers, pytest.mark.slow, pytest.mark.usefixtures("with_driver")]
SHOWN = 40
QUICK = "changes"
WITH_EACH = [scenario for scenario in SCENARIOS if EVERY or scenario.name == QUICK]


@pytest.fixture(scope="module")
def shown_known():
    """The known differences that showed so far, and how many scenarios were compared."""
    return {"known": set(), "compared": 0}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_every_record_equals_debeziums(scenario, shown_known):
    found = outcome(scenario)
    shown_known["known"] |= set(found.known)
    shown_known["compared"] += 1
    shown = "\n".join(str(difference) for difference in found.unexplained[:SHOWN])
    assert not found.unexplained, f"{len(found.unexplained)} differences:\n{shown}"


@pytest.mark.parametrize("shortcuts", [Shortcuts.ALWAYS, Shortcuts.OFF])
@pytest.mark.parametrize("scenario", WITH_EACH, ids=lambda s: s.name)
def test_it_does_so_whether_the_stand_in_takes_its_shortcuts_or_not(scenario, shortcuts):
    found = outcome(scenario, shortcuts)
    shown = "\n".join(str(difference) for difference in found.unexplained[:SHOWN])
    assert not found.unexplained, f"{len(found.unexplained)} differences:\n{shown}"
    if scenario.lasting or shortcuts is Shortcuts.OFF:  # snapshots alone may have none of the queries that are recognised
        assert bool(found.answered) == (shortcuts is Shortcuts.ALWAYS)


def test_every_known_difference_still_shows(shown_known):
    if shown_known["compared"] < len(SCENARIOS):
        pytest.skip("only where all scenarios are compared")
    assert [each for each in (*KNOWN, *LEFT_OUT) if each not in shown_known["known"]] == []
