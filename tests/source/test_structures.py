"""What the offsets of the DataFrame way know of structures, with a connector that plans them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tailrace.errors import ConfigError, ProgressError
from tailrace.schema.history import HistoryFile
from tailrace.source import plans
from tailrace.source.options import ReadJob
from tailrace.source.structures import (
    planned_structures,
    structures_at,
    with_first_structures,
    with_structures,
)


class Planning:
    """Each step of its log adds one record to the history: the structure of a table."""

    def history_after(self, history: Any, start: Any, end: Any, now_us: int) -> list[dict[str, Any]]:
        return [_record(n, now_us) for n in range(start["n"], end["n"])]

    def history_at(self, history: Any, position: Any) -> Any:
        return [record for record in history if record["position"]["n"] < position["n"]]


class Reading(Planning):
    """Its structures show when the log is read."""

    def history_after(self, history: Any, start: Any, end: Any, now_us: int) -> Any:
        return None


def _record(n: int, now_us: int = 1) -> dict[str, Any]:
    return {"source": {}, "position": {"n": n}, "ts_ms": now_us, "tableChanges": [{"id": f"t{n % 2}", "table": n}]}


def offset(n: int, **more: Any) -> dict[str, Any]:
    return {"position": {"n": n}, "now_us": 1, **more}


def numbers(history: Any) -> list[int]:
    return [record["position"]["n"] for record in history]


def begun(job: ReadJob, connector: Any) -> Any:
    return with_first_structures(job, connector, offset(2), [_record(0), _record(1)])


JOB = ReadJob(document={})


def test_without_a_file_an_offset_has_all_structures_at_its_position() -> None:
    connector: Any = Planning()
    start = begun(JOB, connector)
    end = with_structures(JOB, connector, start, offset(3))
    assert numbers(structures_at(JOB, connector, start)) == [0, 1]
    assert numbers(structures_at(JOB, connector, end)) == numbers(planned_structures(end)) == [0, 1, 2]


def test_where_nothing_is_new_the_text_stays_the_same() -> None:
    connector: Any = Planning()
    start = begun(JOB, connector)
    assert with_structures(JOB, connector, start, offset(2))["structures"] == start["structures"]


def test_of_each_table_the_last_records_are_kept() -> None:
    connector: Any = Planning()
    end = with_structures(JOB, connector, begun(JOB, connector), offset(20))
    assert numbers(structures_at(JOB, connector, end)) == [14, 15, 16, 17, 18, 19]


def test_with_a_file_an_offset_has_what_is_new_and_its_reader_does_not_find_it_in_the_file(tmp_path: Path) -> None:
    connector: Any = Planning()
    job = ReadJob(document={}, history_file=str(tmp_path / "history"))
    HistoryFile(tmp_path / "history").append([_record(0), _record(1)])
    start = begun(job, connector)
    end = with_structures(job, connector, start, offset(3))
    planned = planned_structures(end)
    assert (set(start), numbers(planned)) == ({"position", "now_us"}, [2])
    HistoryFile(tmp_path / "history").append(planned)
    assert numbers(structures_at(job, connector, offset(3), planned)) == [0, 1]
    assert numbers(structures_at(job, connector, offset(3))) == [0, 1, 2]


def test_structures_that_stood_in_offsets_go_into_a_file_once_one_is_named(tmp_path: Path) -> None:
    connector: Any = Planning()
    start = begun(JOB, connector)
    job = ReadJob(document={}, history_file=str(tmp_path / "history"))
    end = with_structures(job, connector, start, offset(3))
    assert "structures" not in end
    assert numbers(HistoryFile(tmp_path / "history").load()) == [0, 1]
    assert numbers(planned_structures(end)) == [2]


def test_an_offset_says_that_it_was_looked_also_where_nothing_is_new(tmp_path: Path) -> None:
    connector: Any = Planning()
    job = ReadJob(document={}, history_file=str(tmp_path / "history"))
    HistoryFile(tmp_path / "history").append([_record(0), _record(1)])
    assert planned_structures(with_structures(job, connector, begun(job, connector), offset(2))) == []
    assert planned_structures(offset(2)) is None


def test_a_file_that_was_there_at_the_beginning_has_to_stay(tmp_path: Path) -> None:
    connector: Any = Planning()
    gone = ReadJob(document={}, history_file=str(tmp_path / "history"))
    for job, message in ((JOB, "now none is named"), (gone, f"{tmp_path / 'history'} is not there")):
        with pytest.raises(ProgressError, match=message):
            with_structures(job, connector, offset(2), offset(3))


def test_structures_that_are_too_large_for_offsets_ask_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "LARGEST_PLAN", 10)
    connector: Any = Planning()
    with pytest.raises(ConfigError, match="the structures of 2 tables are"):
        begun(JOB, connector)


def test_a_connector_that_finds_structures_as_it_reads_has_none_in_offsets() -> None:
    connector: Any = Reading()
    start = begun(JOB, connector)
    assert start == offset(2)
    assert with_structures(JOB, connector, start, offset(3)) == offset(3)
