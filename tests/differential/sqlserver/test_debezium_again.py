"""Real Debezium does today what was recorded; and on the log that it reads, tailrace tells the same beside it.

Debezium's version is pinned, so by default one scenario is read by both; TAILRACE_TEST_EVERY_SCENARIO=1 plays all of them, again
and side by side (about ten minutes). With TAILRACE_TEST_SQLSERVER_URL both read a real server's log, which nothing was recorded of.
"""

import pytest
from tests.differential.compare import Mask, compare
from tests.differential.snapshots.signalled_comparing import without
from tests.differential.sqlserver.following import Following
from tests.differential.sqlserver.known import LEFT_OUT, MASKED, OWN_CLOCK, comparable, split, without_times
from tests.differential.sqlserver.playing import Both, play
from tests.differential.sqlserver.recording import golden, played
from tests.differential.sqlserver.running import DebeziumSession
from tests.differential.sqlserver.scenarios import SCENARIOS, Scenario
from tests.differential.sqlserver.stand import Stand

from support.every_scenario import EVERY, only_with_all

pytestmark = [pytest.mark.debezium, pytest.mark.drivers, pytest.mark.slow, pytest.mark.usefixtures("with_debezium")]
IN_CI = "changes"
OF_THE_MOMENT = {"incremental snapshot"}  # windows, and capture that runs by itself
PLAYED = [s for s in SCENARIOS if s.name not in OF_THE_MOMENT and (EVERY or s.name == IN_CI)]
WITH_HEARTBEATS = Scenario("an instance that the log ends with", "online", {"heartbeat.interval.ms": "1"})
SHOWN = 40
# when a row of a snapshot was read; the times of changes are compared with the recordings
SIDE_BY_SIDE = (*MASKED, Mask(r"value(\.payload)?\.source\.ts_(ms|us|ns)", OWN_CLOCK))


@only_with_all
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


@only_with_all
def test_debezium_misses_the_change_of_structure_if_it_looks_while_the_log_ends_with_the_new_instance(
    sqlserver_server, tmp_path
):
    with Stand(WITH_HEARTBEATS.databases, server=sqlserver_server) as stand:
        database = stand.databases["d1"]
        database.sql("CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY); INSERT dbo.t VALUES (1)")
        database.capture("t")
        theirs = DebeziumSession(stand, WITH_HEARTBEATS, tmp_path / "engine")
        with theirs, Following(stand, WITH_HEARTBEATS) as ours:
            both = Both(theirs, ours)
            both.start()
            both.until_snapshot()
            database.sql("ALTER TABLE dbo.t ADD a int NULL")
            database.capture("t", "dbo_t_v2")
            _until_looked(theirs, database.max_lsn())
            database.sql("INSERT dbo.t VALUES (2, 2)")
            stand.captured(mark=True)
            both.until_marked(stand.marks)
            both.stop()
    assert _inserted(each.record for each in theirs.records) == [{"id": 2}]
    assert _inserted(ours.records) == [{"id": 2, "a": 2}]


def _until_looked(debezium, end):
    """Wait until it has read the log to that end, which a heartbeat tells."""
    shown = f"{end[:4].hex()}:{end[4:8].hex()}:{end[8:].hex()}"
    debezium.until(lambda records: any(each.offset.get("commit_lsn") == shown for each in records), f"LSN {shown}")


def _inserted(records):
    values = [each.value for each in records if each.topic.endswith(".dbo.t") and each.value]
    return [value["after"] for value in values if value["op"] == "c"]
