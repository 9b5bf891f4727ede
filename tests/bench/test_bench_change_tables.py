"""What the benchmarks of change tables show: whether a ratio counts, whose row stands where, and a server that stands idle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from bench.change_tables import ceiling, page, plan, tables
from bench.change_tables.program import arguments
from bench.change_tables.system import System
from bench.db2.ceiling import queries_of_debezium
from bench.db2.system import Db2
from bench.measuring.results import Results
from bench.sqlserver.ceiling import queries
from bench.sqlserver.system import SqlServer

HEADER = {
    "date": "2026-11-22",
    "machine": {"cores": 2, "memory_gb": 24, "architecture": "x86_64"},
    "versions": {"Debezium": "3.6.1.Final"},
}
GROUPS = [f"{group}_{kind}" for group in ("python", "java", "broker", "server") for kind in ("cpu", "peak_mb")]


@pytest.fixture(params=[SqlServer(), Db2()], ids=lambda system: system.words.name)
def system(request: pytest.FixtureRequest) -> System:
    found: System = request.param
    return found


@pytest.fixture
def chosen(system: System) -> list[plan.Case]:
    sizes = replace(system.sizes, changes=1000, rows=1000)
    return plan.cases(sizes, rounds=1, main_rounds=1, quick=False, schemas=False)


@pytest.fixture
def results(tmp_path: Path, chosen: list[plan.Case]) -> Results:
    found = Results.begin(tmp_path / "results.jsonl", HEADER)
    for case in chosen:
        for side, rate in (("tailrace", 200_000), ("Debezium", 10_000)):
            if side == "tailrace" or not case.is_ours_alone:
                figures = {**dict.fromkeys(GROUPS, 4.0), "python_shared_peak_mb": 3.0}
                figures |= {"rate": rate, "rate_from_start": rate // 2}
                figures |= {"rate_of_reading": rate // 4} if case.task == plan.SNAPSHOT else {}
                found.add("rate", {**case.key(), "side": side, "round": 0}, figures)
    for task, rate in ((plan.CATCH_UP, 300_000), (plan.SNAPSHOT, 1_000_000)):
        figures = {"rows": 1, "rate": rate, "changes_rate": rate, "reader_cpu": 0.1, "server_cpu": 0.5}
        found.add("ceiling", {"task": task, "changes": 1000, "reader": "socket"}, figures)
    return found


def row_of(table: str, *cells: str) -> list[str]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return next(row for row in rows if row[: len(cells)] == list(cells))


def test_a_ratio_counts_where_the_stand_in_is_twice_as_fast(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    shown = tables.rates(system, results, chosen)
    assert row_of(shown, "catch-up", "lz4", "off", "-")[-1] == "no (1.5)"
    assert row_of(shown, "snapshot", "lz4", "off", f"{system.sizes.polling} s")[-1] == "yes (5.0)"


def test_a_snapshot_that_is_polled_otherwise_stands_beside_debezium_s_only_one(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    row = row_of(tables.rates(system, results, chosen), "snapshot", "lz4", "off", f"{system.sizes.other_polling} s")
    assert row[6:9] == ["200,000", "10,000", "20.0"]


def test_a_snapshot_is_timed_from_its_first_query_on_both_sides(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    shown = tables.rates(system, results, chosen)
    snapshot = row_of(shown, "snapshot", "lz4", "off", f"{system.sizes.polling} s")
    assert snapshot[9:12] == ["50,000", "2,500", "20.0"]
    assert row_of(shown, "catch-up", "lz4", "off", "-")[9:12] == ["-", "-", "-"]


def test_the_front_page_has_both_sides_and_says_from_when_on_a_snapshot_counts(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    shown = tables.highlights(system, results, chosen)
    assert row_of(shown, "catching up: changes a second")[1:] == ["200,000", "10,000"]
    since = ["200,000, 50,000 from its first query", "10,000, 2,500 from its first query"]
    assert row_of(shown, "snapshot: rows a second")[1:] == since
    assert f"stand-in for {system.words.name}" in page.block(system, results, chosen)


def test_what_was_not_measured_is_a_dash(system: System, results: Results, chosen: list[plan.Case]) -> None:
    assert row_of(tables.ceilings(system, results, chosen), "catch-up", system.readers[-1])[2:] == ["-"] * 5


def test_the_page_shows_an_idle_server_where_it_was_measured(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    assert "streams after" not in page.section(system, results, chosen)
    figures = {
        "streams_after": 21.04,
        "python_cpu": 0.5,
        "java_cpu": 1.25,
        "server_cpu": 0.1,
        "mb_before": 900,
        "mb_after": 901,
    }
    results.add("idle", {"instances": 1000, "side": "tailrace"}, figures)
    named = f"a minute in which 1,000 {system.words.instances} stand idle: CPU seconds"
    assert row_of(tables.highlights(system, results, chosen), named)[1:] == ["1.75", "-"]
    row = row_of(tables.idle(system, results), "1,000", "tailrace")
    assert row[2:] == ["21.0", "0.50", "1.25", "0.10", "900", "901"]
    assert "| 1,000 | tailrace | 21.0 |" in page.section(system, results, chosen)


def test_the_pages_get_their_database_s_part_and_keep_the_others(
    system: System, results: Results, chosen: list[plan.Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmarks, readme = tmp_path / "benchmarks.md", tmp_path / "README.md"
    benchmarks.write_text("# Benchmarks\n\n## Into Kafka\n\nothers\n")
    readme.write_text("# tailrace\n\n## Figures\n\nothers\n")
    monkeypatch.setattr(page, "BENCHMARKS", benchmarks)
    monkeypatch.setattr(page, "README", readme)
    page.write(system, results, chosen)
    page.write(system, results, chosen)
    assert benchmarks.read_text().count(f"## From {system.words.name} into Kafka\n") == 1
    assert readme.read_text().count(f"<!-- figures of {system.words.name}: ./run {system.words.command} -->") == 1
    assert benchmarks.read_text().count("others") == readme.read_text().count("others") == 1


def test_results_of_earlier_runs_without_debezium_s_first_query_are_shown(
    system: System, results: Results, chosen: list[plan.Case]
) -> None:
    for line in results.of("rate", side="Debezium"):
        line.pop("rate_of_reading", None)
    row = row_of(tables.rates(system, results, chosen), "snapshot", "lz4", "off", f"{system.sizes.polling} s")
    assert row[9:12] == ["50,000", "-", "-"]


def test_a_quick_run_has_its_own_file_and_sizes(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["bench", "--quick", "--rows", "7"])
    found = arguments(system, "")
    assert found.results.name == f"{system.words.command.removeprefix('bench-')}-quick.jsonl"
    assert (found.sizes.changes, found.sizes.rows) == (plan.CHANGES_QUICK, 7)


def test_the_pieces_of_a_jdbc_reader_cover_each_commit_once() -> None:
    commits = [f"{number:032x}" for number in range(5, 305, 3)]
    pieces = queries_of_debezium(plan.CATCH_UP, "C", [], commits)["pieces"]
    assert [sum(low <= commit <= high for low, high in pieces) for commit in commits] == [1] * len(commits)


@pytest.mark.parametrize("count", [1, 49_999, 50_000, 50_001, 120_000])
def test_the_pieces_of_a_jdbc_reader_cover_each_row_once(count: int) -> None:
    ranges = queries_of_debezium(plan.SNAPSHOT, "T", ["ID"], range(count + 1))["pieces"]
    borders = queries(plan.SNAPSHOT, "jdbc", range(count + 1))["borders"]
    for pieces in (ranges, list(pairwise(borders))):
        assert (pieces[0][0], pieces[-1][1]) == (0, count)
        assert all(high == low for (_, high), (low, _) in pairwise(pieces))
        assert max(high - low for low, high in pieces) <= ceiling.PIECE


def test_a_reader_alone_tells_of_its_third_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Iterator[int] = iter((3, 4, 5))
    job = tmp_path / "job.json"
    job.write_text(json.dumps({"pid": 1}))
    monkeypatch.setattr("sys.argv", ["reader", "it", str(job)])
    monkeypatch.setattr(ceiling.os, "_exit", lambda _: None)
    ceiling.main({"it": lambda _: lambda: next(counts)})
    assert json.loads(capsys.readouterr().out)["rows"] == 5
