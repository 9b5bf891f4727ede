"""Real Debezium does today what was recorded.

Its version is pinned, so by default one scenario is played again; TAILRACE_TEST_EVERY_SCENARIO=1 plays all of them (about ten
minutes).
"""

from dataclasses import replace

import pytest
from tests.differential.db2.comparing import told
from tests.differential.db2.known import comparable, news, without_times
from tests.differential.db2.recording import golden, played
from tests.differential.db2.scenarios import SCENARIOS

from support.every_scenario import EVERY

pytestmark = [pytest.mark.debezium, pytest.mark.drivers, pytest.mark.slow, pytest.mark.usefixtures("with_debezium")]
IN_CI = "changes"
OF_THE_MOMENT = {"incremental snapshot", "blocking snapshot"}  # windows, and asncap that works by itself
PLAYED = [s for s in SCENARIOS if s.name not in OF_THE_MOMENT and (EVERY or s.name == IN_CI)]


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda s: s.name)
def test_a_scenario_gives_the_recorded_records(scenario, tmp_path):
    fresh = played(scenario, tmp_path / "engine").records
    theirs, ours = (by_topic(scenario, (each.record for each in found)) for found in (golden(scenario), fresh))
    assert ours == theirs


def by_topic(scenario, records):
    """Where a change of structure comes among the records of other topics depends on when Debezium looks for it."""
    topics = {}
    for record in told(scenario, comparable(news(records))):
        topics.setdefault(record.topic, []).append(without_place(scenario, without_times(record)))
    return topics


def without_place(scenario, record):
    """An online change of structure is told at the place where Debezium happens to look for it."""
    if scenario.case != "online" or record.topic != "dbz":
        return record
    schemas = "payload" in record.value
    told = record.value["payload"] if schemas else record.value
    told = told | {"source": told["source"] | {"commit_lsn": "varies", "change_lsn": "varies"}}
    return replace(record, value=record.value | {"payload": told} if schemas else told)
