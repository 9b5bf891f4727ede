"""What earlier versions have stored goes on with this one: nothing is lost, and nothing comes twice.

Each fixture is a connector that was stopped in the middle of something; see README.md of this folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stored_state.events import check
from stored_state.replaying import DATA, Replay
from stored_state.stages import Servers
from support.every_scenario import only_with_all
from tailrace_standins.servers.mysql_server import Unavailable
from tailrace_standins.servers.sqlserver_server import Unavailable as NoSqlServer

FOLDERS = sorted(DATA.glob("*/*/scenario.json"))
ALWAYS = (
    *("mysql-lanes-apart", "mysql-snapshot", "mysql-incremental-snapshot", "mysql-one-lane-to-files", "mysql-query"),
    *("mysql-frame-log", "mysql-frame-snapshot", "mysql-frame-signal", "mysql-prepared-xa"),
    *("sqlserver-lanes-apart", "sqlserver-snapshot", "sqlserver-frame-log", "sqlserver-frame-snapshot"),
)


def _marks(name: str, content: dict[str, Any]) -> list[pytest.MarkDecorator]:
    server = pytest.mark.mysql if content["kind"] == "mysql" else pytest.mark.drivers
    often = [server] if name in ALWAYS else [server, only_with_all]
    if content["way"] == "frame":
        return often
    return [*often, pytest.mark.spark, pytest.mark.slow, *([pytest.mark.kafka] if content["way"] == "kafka" else [])]


def _parameters() -> Iterator[Any]:
    for file in FOLDERS:
        content = json.loads(file.read_text())
        for variant in content["variants"]:
            changed = "".join(f"-{name}={value}" for name, value in variant.items())
            name = f"{file.parent.parent.name}-{file.parent.name}{changed}"
            yield pytest.param(file.parent, variant, id=name, marks=_marks(file.parent.name, content))


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with closing(Servers()) as made:
        yield made


@pytest.fixture
def replay(request: pytest.FixtureRequest, servers: Servers, folder: Path, tmp_path: Path) -> Replay:
    """A fixture whose state is put back."""
    way = json.loads((folder / "scenario.json").read_text())["way"]
    address = request.getfixturevalue("kafka_broker").address if way == "kafka" else ""
    made = Replay(folder, tmp_path, address)
    try:
        made.put_back(servers)
    except (Unavailable, NoSqlServer) as reason:
        pytest.skip(f"no server: {reason}")
    return made


def test_there_are_fixtures() -> None:
    assert FOLDERS


@pytest.mark.parametrize(("folder", "variant"), list(_parameters()))
def test_a_stored_state_goes_on_where_it_stands(replay: Replay, variant: dict[str, str]) -> None:
    check(replay.go_on(variant), replay.content["expected"])
