"""What the SQL Server benchmark shows: whether a ratio counts, whose row stands where, and a server that stands idle."""

from pathlib import Path

import pytest
from bench.measuring.results import Results
from bench.sqlserver import page, plan, tables

HEADER = {
    "date": "2026-11-22",
    "machine": {"cores": 2, "memory_gb": 24, "architecture": "x86_64"},
    "versions": {"Debezium": "3.6.1.Final"},
}
CASES = plan.cases(1000, 1000, rounds=1, main_rounds=1, quick=False, schemas=False)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    found = Results.begin(tmp_path / "results.jsonl", HEADER)
    for case in CASES:
        for side, rate in (("tailrace", 200_000), ("Debezium", 10_000)):
            if side == "tailrace" or not case.is_ours_alone:
                groups = {
                    f"{group}_{kind}": 4.0
                    for group in ("python", "java", "broker", "server")
                    for kind in ("cpu", "peak_mb")
                }
                figures = {**groups, "python_shared_peak_mb": 3.0, "rate": rate, "rate_from_start": rate // 2}
                figures |= {"rate_of_reading": rate // 4} if case.task == plan.SNAPSHOT and side == "tailrace" else {}
                found.add("rate", {**case.key(), "side": side, "round": 0}, figures)
    for task, rate in ((plan.CATCH_UP, 300_000), (plan.SNAPSHOT, 1_000_000)):
        figures = {"rows": 1, "rate": rate, "changes_rate": rate, "reader_cpu": 0.1, "server_cpu": 0.5}
        found.add("ceiling", {"task": task, "changes": 1000, "reader": "socket"}, figures)
    return found


def row_of(table: str, *cells: str) -> list[str]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return next(row for row in rows if row[: len(cells)] == list(cells))


def test_a_ratio_counts_where_the_stand_in_is_twice_as_fast(results: Results) -> None:
    shown = tables.rates(results, CASES)
    assert row_of(shown, "catch-up", "lz4", "off", "-")[-1] == "no (1.5)"
    assert row_of(shown, "snapshot", "lz4", "off", "5 s")[-1] == "yes (5.0)"


def test_a_snapshot_that_is_polled_at_once_stands_beside_debezium_s_only_one(results: Results) -> None:
    assert row_of(tables.rates(results, CASES), "snapshot", "lz4", "off", "0 s")[6:9] == ["200,000", "10,000", "20.0"]


def test_a_snapshot_is_timed_from_its_first_query_as_well(results: Results) -> None:
    shown = tables.rates(results, CASES)
    assert row_of(shown, "snapshot", "lz4", "off", "5 s")[9:11] == ["50,000", "5.0"]
    assert row_of(shown, "catch-up", "lz4", "off", "-")[9:11] == ["-", "-"]


def test_the_front_page_has_both_sides_and_says_from_when_on_a_snapshot_counts(results: Results) -> None:
    shown = tables.highlights(results, CASES)
    assert row_of(shown, "catching up: changes a second")[1:] == ["200,000", "10,000"]
    assert row_of(shown, "snapshot: rows a second")[1:] == ["200,000, 50,000 from its first query", "10,000"]
    assert "stand-in for SQL Server" in page.block(results, CASES)


def test_what_was_not_measured_is_a_dash(results: Results) -> None:
    assert row_of(tables.ceilings(results, CASES), "catch-up", "jdbc")[2:] == ["-"] * 5


def test_the_page_shows_an_idle_server_where_it_was_measured(results: Results) -> None:
    assert "streams after" not in page.section(results, CASES)
    figures = {
        "streams_after": 21.04,
        "python_cpu": 0.5,
        "java_cpu": 1.25,
        "server_cpu": 0.1,
        "mb_before": 900,
        "mb_after": 901,
    }
    results.add("idle", {"instances": 1000, "side": "tailrace"}, figures)
    assert row_of(tables.highlights(results, CASES), "a minute in which 1,000 capture instances stand idle: CPU seconds")[1:] == ["1.75", "-"]
    row = row_of(tables.idle(results), "1,000", "tailrace")
    assert row[2:] == ["21.0", "0.50", "1.25", "0.10", "900", "901"]
    assert "| 1,000 | tailrace | 21.0 |" in page.section(results, CASES)
