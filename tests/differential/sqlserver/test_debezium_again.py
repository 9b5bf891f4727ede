"""Real Debezium does today what was recorded; and on the log that it reads, tailrace tells the same beside it.

Debezium's version is pinned, so by default a few scenarios are played again; TAILRACE_TEST_EVERY_SCENARIO=1 plays all of
them (about ten minutes). With TAILRACE_TEST_SQLSERVER_URL both read a real server's log, which nothing was recorded of.
"""

import pytest
from tests.differential.compare import Mask, compare
from tests.differential.snapshots.signalled_comparing import without
from tests.differential.sqlserver.following import Following
from tests.differential.sqlserver.known import LEFT_OUT, MASKED, OWN_CLOCK, comparable, split, without_times
from tests.differential.sqlserver.playing import Both, play
from tests.differential.sqlserver.recording import golden, played
from tests.differential.sqlserver.running import DebeziumSession
from tests.differential.sqlserver.scenarios import SCENARIOS
from tests.differential.sqlserver.stand import Stand

from support.every_scenario import EVERY

pytestmark = [pytest.mark.debezium, pytest.mark.drivers, pytest.mark.slow, pytest.mark.usefixtures("with_debezium")]
A_FEW = {"changes", "policies and keys"}
OF_THE_MOMENT = {"incremental snapshot"}  # windows, and capture that runs by itself
PLAYED = [s for s in SCENARIOS if s.name not in OF_THE_MOMENT and (EVERY or s.name in A_FEW)]
SHOWN = 40
# when a row of a snapshot was read; the times of changes are compared with the recordings
SIDE_BY_SIDE = (*MASKED, Mask(r"value(\.payload)?\.source\.ts_(ms|us|ns)", OWN_CLOCK))


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda s: s.name)
def test_a_scenario_gives_the_recorded_records(scenario, tmp_path):
    fresh = played(scenario, tmp_path / "engine").records
    theirs, ours = (
        by_topic(without_times(r) for r in comparable(c.record for c in found)) for found in (golden(scenario), fresh)
    )
    assert ours == theirs


def by_topic(records):
    """Where a change of structure comes among the records of other topics depends on when Debezium looks for it."""
    topics = {}
    for record in records:
        topics.setdefault(record.topic, []).append(record)
    return topics


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda s: s.name)
def test_both_read_the_same_log_alike(scenario, sqlserver_server, tmp_path):
    with Stand(scenario.databases, marked=scenario.lasting, server=sqlserver_server) as stand:
        theirs = DebeziumSession(stand, scenario, tmp_path / "engine")
        with theirs, Following(stand, scenario) as ours:
            play(scenario, stand, Both(theirs, ours))
    kept = without(scenario.name, theirs.records, LEFT_OUT)
    records = comparable(each.record for each in kept)
    unexplained, _ = split(scenario.name, compare(records, comparable(ours.records), SIDE_BY_SIDE))
    shown = "\n".join(str(difference) for difference in unexplained[:SHOWN])
    assert not unexplained, f"{len(unexplained)} differences:\n{shown}"
