"""What stops real Debezium, as `docs/reference/differences.md` says."""

import pytest
from tests.differential import cases, debezium
from tests.differential.runs import PREFIX

from support.every_scenario import only_with_all
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow, only_with_all]  # Debezium's version is pinned
SAME_NAMES = (
    "CREATE DATABASE d_same_names",
    "CREATE TABLE d_same_names.t (id INT PRIMARY KEY, `a b` INT, `a-b` INT)",
    "INSERT INTO d_same_names.t VALUES (1, 2, 3)",
)


@pytest.fixture(scope="module")
def port(bench):
    """Of a server of these tests' own: whoever reads its log is stopped."""
    with MySqlServer() as server:
        cases.run_all(server.port, cases.FIRST)
        yield server.port


@pytest.mark.parametrize(
    ("sql", "properties", "complaint"),
    [
        (tuple(cases.statements("invalid_dates")), {}, "Error while deserializing binlog data of date"),
        (
            tuple(cases.statements("images")),
            {"inconsistent.schema.handling.mode": "warn"},
            "internal schema size 5",
        ),
        (SAME_NAMES, {"field.name.adjustment.mode": "avro"}, "field name duplication"),
        (
            tuple(cases.statements("unrepresentable")),
            {"time.precision.mode": "connect"},
            "null used for required field",
        ),
        (
            tuple(cases.statements("unrepresentable")),
            {"time.precision.mode": "nanoseconds"},
            "null used for required",
        ),
        ((), {"time.precision.mode": "adaptive"}, "no longer supported"),
    ],
    ids=["invalid dates", "row images", "same names", "times of a day", "nanoseconds", "adaptive"],
)
def test_debezium_stops(port, tmp_path, sql, properties, complaint):
    offset = cases.binlog_position(port)
    cases.run_all(port, [*_dropped(sql), *sql])
    given = {**debezium.base_properties(port, PREFIX, tmp_path), **properties}
    (tmp_path / "history.jsonl").write_text(debezium.first_history(PREFIX, offset))
    with pytest.raises(debezium.DebeziumError, match=complaint):
        debezium.run(given, tmp_path / "records.jsonl", offset=offset, idle=10)


def _dropped(sql: tuple[str, ...]) -> list[str]:
    created = [statement.split()[-1] for statement in sql if statement.startswith("CREATE DATABASE")]
    return [f"DROP DATABASE IF EXISTS {name}" for name in created]
