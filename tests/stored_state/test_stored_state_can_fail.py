"""The tests of stored state notice what they are for: a position that is another one, events that are lost, doubled or moved."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stored_state.events import check
from stored_state.replaying import DATA, Replay
from stored_state.stages import ReplayError, Servers

FIRST = min(DATA.iterdir())
KINDS = [pytest.param("mysql", marks=pytest.mark.mysql), pytest.param("sqlserver", marks=pytest.mark.drivers)]
KNOWN = {
    "a": {
        "read": [{"id": 1, "n": 0}],
        "changes": [["u", {"id": 1, "n": 0}, {"id": 1, "n": 1}], ["c", None, {"id": 2, "n": 0}]],
        "final": [{"id": 1, "n": 1}, {"id": 2, "n": 0}],
        "beside": False,
        "whole": True,
    }
}
RIGHT = {"a": [["r", None, {"id": 1, "n": 0}], *KNOWN["a"]["changes"]]}


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with closing(Servers()) as made:
        yield made


def test_what_is_right_passes() -> None:
    check(RIGHT, KNOWN)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda events: events.pop(0), id="a row that was not read"),
        pytest.param(lambda events: events.pop(), id="a change that is lost"),
        pytest.param(lambda events: events.append(events[-1]), id="a change that comes twice"),
        pytest.param(lambda events: events.insert(0, events[0]), id="a row that is read twice"),
        pytest.param(lambda events: events.reverse(), id="another order"),
    ],
)
def test_what_is_wrong_is_noticed(spoil: Callable[[list[Any]], object]) -> None:
    events = copy.deepcopy(RIGHT)
    spoil(events["a"])
    with pytest.raises(AssertionError):
        check(events, KNOWN)


def test_an_incremental_snapshot_that_forgets_a_row_is_noticed() -> None:
    known = {"a": {**KNOWN["a"], "beside": True}}
    events = {"a": [*KNOWN["a"]["changes"]]}
    check(events, known)
    with pytest.raises(AssertionError):
        check(events, {"a": {**known["a"], "final": [*KNOWN["a"]["final"], {"id": 3, "n": 0}]}})


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_that_stands_earlier_doubles_and_is_noticed(kind: str, servers: Servers, tmp_path: Path) -> None:
    folder = shutil.copytree(FIRST / f"{kind}-frame-log", tmp_path / "fixture")
    offsets = json.loads((folder / "offsets.json").read_text())
    (folder / "offsets.json").write_text(json.dumps(offsets[:-1]))
    replay = Replay(folder, tmp_path)
    replay.put_back(servers)
    with pytest.raises(AssertionError, match="the changes of"):
        check(replay.go_on({}), replay.content["expected"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_that_is_another_one_is_noticed(kind: str, servers: Servers, tmp_path: Path) -> None:
    folder = shutil.copytree(FIRST / f"{kind}-frame-log", tmp_path / "fixture")
    content = json.loads((folder / "scenario.json").read_text())
    content["before"][1][0].append("CREATE TABLE another (id INT)")
    (folder / "scenario.json").write_text(json.dumps(content))
    with pytest.raises(ReplayError, match="make it anew"):
        Replay(folder, tmp_path).put_back(servers)
