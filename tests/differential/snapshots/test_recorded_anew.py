"""Real Debezium does today what the golden files say, and reads values in two ways only where that is known.

Debezium's version is pinned, so by default only one scenario is played again, and TAILRACE_TEST_EVERY_SCENARIO=1 plays
all of them, and what else is Debezium's own business (about five minutes).
"""

import pytest
from tests.differential import cases
from tests.differential.records import by_topic
from tests.differential.snapshots import values
from tests.differential.snapshots.comparing import without_times
from tests.differential.snapshots.recording import golden, played
from tests.differential.snapshots.running import Session
from tests.differential.snapshots.scenarios import SCENARIOS, SMALL

from support.every_scenario import EVERY, only_with_all
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow, pytest.mark.usefixtures("bench")]
VARYING = {  # how many records there are depends on the moment: of these the kinds are compared
    "__debezium-heartbeat.dbz",
    "dbz.s_inc.pulse",
    "dbz.s_marks.streamed",
    "dbz.transaction",
}
ZEROFILL = (
    "CREATE DATABASE d_zerofill",
    "CREATE TABLE d_zerofill.t (id INT PRIMARY KEY, d DECIMAL(12,3) ZEROFILL)",
    "INSERT INTO d_zerofill.t VALUES (1, 999999999.999)",
)
TWO_READERS = {"initial, two threads", "initial, killed"}
PLAYED = [s for s in SCENARIOS if s.name not in TWO_READERS and (EVERY or s.name == "incremental")]


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda s: s.name)
def test_a_scenario_gives_the_golden_records(servers, scenario, tmp_path):
    fresh = played(scenario, servers.of(scenario), tmp_path / "engine").records
    theirs, ours = ([without_times(c.record) for c in found] for found in (golden(scenario.name), fresh))
    assert _comparable(ours) == _comparable(theirs)


@only_with_all
def test_a_snapshot_and_the_stream_read_the_same_row_alike_but_where_it_is_known(bench, tmp_path):
    with MySqlServer() as server:
        found = values.read_twice(server, tmp_path)
    assert values.unexplained(found) == []
    assert [odd for odd in values.ODD if not any(odd.explains(each) for each in found)] == []


@only_with_all
@pytest.mark.parametrize(
    ("sql", "tables", "properties", "complaint"),
    [
        (tuple(cases.statements("invalid_dates")), r"d_invalid_dates\..*", {}, "MONTH: 1 -> 2"),
        (
            tuple(cases.statements("unrepresentable")),
            r"d_unrepresentable\..*",
            {"time.precision.mode": "connect"},
            "null used for required field",
        ),
        (ZEROFILL, r"d_zerofill\..*", {}, "NegativeArraySizeException"),
    ],
    ids=["invalid dates", "times of a day", "zerofill"],
)
def test_a_snapshot_of_debezium_stops(servers, tmp_path, sql, tables, properties, complaint):
    server = servers.of(SCENARIOS[0])
    cases.run_all(
        server.port, [*(f"DROP DATABASE IF EXISTS {_created(s)}" for s in sql if _created(s)), *sql, "COMMIT"]
    )
    with Session(server, tmp_path / "engine", {**SMALL, "table.include.list": tables, **properties}) as session:
        session.start()
        session.until_ended()
    assert complaint in session.logs[-1]


def _created(statement):
    return statement.split()[-1] if statement.startswith("CREATE DATABASE") else ""


def _comparable(records):
    return {topic: found for topic, found in by_topic(records).items() if topic not in VARYING}
