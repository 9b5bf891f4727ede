"""What the benchmarks calculate: percentiles, CPU between two moments, medians, tables, pages, plans."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from bench.into_kafka import page, plan, tables
from bench.measuring.figures import over_rounds, percentile, spread
from bench.measuring.processes import PROC, Ledger, Sampler, SideError, Stat, living, started
from bench.measuring.results import OtherRunError, Results
from bench.measuring.turns import SIDES, turns

from bench import pages, workloads
from tailrace_standins.servers.waiting import wait_until

MAIN = plan.Case("orders", "MINIMAL", "lz4", "off", 1000, 1)
HEADER = {
    "date": "2026-11-21",
    "machine": {"cores": 2, "memory_gb": 24, "architecture": "x86_64"},
    "versions": {"Debezium": "3.6.1.Final"},
}


def figures(rate, **others):
    names = [f"{group}_{kind}" for group in ("python", "java", "broker", "mysql") for kind in ("cpu", "peak_mb")]
    names += ["python_shared_peak_mb", "java_shared_peak_mb"]
    return {"rate": rate, "rate_from_start": rate // 2, **dict.fromkeys(names, 4.0), **others}


def results_of(tmp_path, *lines):
    results = Results.begin(tmp_path / "results.jsonl", HEADER)
    for kind, key, found in lines:
        results.add(kind, key, found)
    return results


def rate_line(side, number, rate, case=MAIN, **others):
    return "rate", {**case.key(), "side": side, "round": number}, figures(rate, **others)


def test_a_percentile_is_a_value_that_was_measured():
    assert [percentile([1, 2, 3, 4], percent) for percent in (50, 75, 76, 100)] == [2, 3, 4, 4]
    assert percentile([7], 99) == 7
    assert percentile(list(range(1, 1001))[::-1], 99) == 990


def test_there_is_no_percentile_of_nothing():
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)


def test_a_spread_says_how_many_values_there_were():
    assert spread([1.0, 2.0, 30.0]) == {"n": 3, "p50": 2.0, "p95": 30.0, "p99": 30.0, "max": 30.0}


def test_rounds_become_medians_and_the_largest_peak():
    merged = over_rounds([{"rate": 1, "java_peak_mb": 10, "name": "x"}, {"rate": 5, "java_peak_mb": 30}, {"rate": 3, "java_peak_mb": 20}])
    assert merged == {"rate": 3, "java_peak_mb": 30, "name": "x"}


def stat(pid, cpu, started=1):
    return Stat(pid, "python", 1, cpu, started)


def test_cpu_between_two_moments_is_in_proportion_between_readings():
    ledger = Ledger()
    for moment, cpu in ((10.0, 1.0), (11.0, 2.0), (12.0, 6.0)):
        ledger.add(moment, [("python", stat(5, cpu))])
    assert ledger.between("python", 10.5, 11.5) == pytest.approx(4.0 - 1.5)
    assert ledger.at("python", 0.0) == 1.0
    assert ledger.at("python", 99.0) == 6.0
    assert ledger.at("java", 11.0) == 0.0


def test_the_moment_at_which_a_group_had_worked_so_much_more():
    ledger = Ledger()
    for moment, cpu in ((10.0, 1.0), (11.0, 1.0), (12.0, 1.5), (13.0, 4.0)):
        ledger.add(moment, [("server", stat(5, cpu))])
    assert ledger.when("server", 10.5, 0.4) == 12.0
    assert ledger.when("server", 12.5, 1.0) == 13.0
    assert ledger.when("server", 10.5, 9.0) is None
    assert ledger.when("java", 10.5, 0.4) is None


def test_a_process_that_ended_keeps_what_it_used():
    ledger = Ledger()
    ledger.add(1.0, [("python", stat(5, 3.0)), ("python", stat(6, 1.0))])
    ledger.add(2.0, [("python", stat(6, 2.0))])
    ledger.add(3.0, [("python", stat(6, 2.0)), ("python", stat(5, 0.5, started=2))])  # the number was given again
    assert [ledger.at("python", moment) for moment in (1.0, 2.0, 3.0)] == [4.0, 5.0, 5.5]


def test_a_group_that_comes_later_had_used_nothing_before():
    ledger = Ledger()
    ledger.add(1.0, [("python", stat(5, 3.0))])
    ledger.add(2.0, [("python", stat(5, 3.0)), ("java", stat(7, 2.0))])
    assert ledger.between("java", 1.0, 2.0) == 2.0


def test_a_process_may_have_brackets_and_spaces_in_its_name():
    fields = ["S", "1", "40", "41", *["0"] * 7, "250", "50", *["0"] * 6, "777", "0"]
    read = Stat.parse(f"42 (a) b (c)) {' '.join(fields)}")
    assert (read.pid, read.name, read.session, read.started) == (42, "a) b (c)", 41, 777)
    assert read.cpu == pytest.approx(300 / os.sysconf("SC_CLK_TCK"))


@pytest.mark.skipif(not PROC.is_dir(), reason="needs /proc")
def test_nothing_of_a_side_is_left_behind(tmp_path):
    child = [sys.executable, "-c", "import os, time; os.setpgid(0, 0); time.sleep(99)"]
    parent = f"import subprocess, time; subprocess.Popen({child!r}); time.sleep(99)"
    with started("a side", [sys.executable, "-c", parent], tmp_path / "log") as side:
        deadline = time.monotonic() + 20
        while len(living(side.session)) < 2:
            assert time.monotonic() < deadline
    assert living(side.session) == []


@pytest.mark.skipif(not PROC.is_dir() or not shutil.which("bash"), reason="needs /proc and bash")
def test_memory_of_javas_copy_is_not_counted_as_another_programs(tmp_path):
    """GIVEN a process of Java's program under another name, as there is between fork and exec, THEN it has no memory."""
    java = shutil.copy(shutil.which("bash"), tmp_path / "java")
    unborn = f"printf task > /proc/$BASHPID/comm; echo there; {sys.executable} -c 'import time; time.sleep(99)'; :"
    with started("a side", [java, "-c", unborn], tmp_path / "log") as side:
        wait_until(lambda: "there" in side.log_tail(), 20, lambda: "it does not start")
        with Sampler(side, {}) as sampler:
            wait_until(lambda: len(living(side.session)) == 2, 20, lambda: "it has no child")
    assert ("python", side.process.pid) not in sampler.processes
    assert [group for group, _ in sampler.processes].count("python") == 1


def test_a_side_that_fails_shows_the_end_of_its_log(tmp_path):
    command = [sys.executable, "-c", "print('so that is why'); raise SystemExit(3)"]
    with started("a side", command, tmp_path / "log") as side:
        side.process.wait()
        with pytest.raises(SideError, match=r"(?s)a side ended with 3.*so that is why"):
            side.check()


def test_every_case_and_side_has_its_turns_and_the_second_round_has_them_the_other_way_round():
    assert list(turns(plan.Case("orders", "FULL", "none", "on", 10, 2))) == [
        (0, "tailrace"), (0, "Debezium"), (1, "Debezium"), (1, "tailrace"),
    ]  # fmt: skip


def test_the_plan_has_the_whole_grid_once_and_cases_of_one_log_together():
    cases = plan.cases(5_000_000, rounds=1, main_rounds=3, quick=False)
    assert len({json.dumps(case.key()) for case in cases}) == len(cases) == 11
    assert [case.rounds for case in cases if case.is_main] == [3]
    data = [case.data for case in cases]
    assert sum(before != after for before, after in zip(data, data[1:], strict=False)) + 1 == len(set(data))
    assert [case.is_main for case in plan.cases(1000, rounds=1, main_rounds=1, quick=True)] == [True]


@pytest.mark.parametrize("name", ["orders", "wide", "stock", "many", "outbox"])
@pytest.mark.parametrize("scale", [10_000, 50_000])
def test_a_workload_makes_about_as_many_changes_as_it_is_asked_for(name, scale):
    assert workloads.counted(name, scale)["changes"] == pytest.approx(scale, rel=0.02)


def test_results_that_are_there_are_found_again_after_a_stop(tmp_path):
    results_of(tmp_path, rate_line("tailrace", 0, 100))
    again = Results.go_on(tmp_path / "results.jsonl", HEADER)
    assert again.has("rate", {**MAIN.key(), "side": "tailrace", "round": 0})
    assert not again.has("rate", {**MAIN.key(), "side": "tailrace", "round": 1})
    assert not again.has("rate", {**MAIN.key(), "changes": 2000, "side": "tailrace", "round": 0})


def test_results_of_another_machine_are_not_continued(tmp_path):
    results_of(tmp_path)
    with pytest.raises(OtherRunError, match="machine"):
        Results.go_on(tmp_path / "results.jsonl", {**HEADER, "machine": {"cores": 64}})


def test_results_of_another_day_say_so(tmp_path):
    first = results_of(tmp_path, ("rate", {"round": 0}, figures(10)))
    assert first.dates == "2026-11-21"
    Results.go_on(first.path, {**HEADER, "date": "2026-11-22"}).add("rate", {"round": 1}, figures(20))
    again = Results.read(first.path)
    assert again.dates == "2026-11-21 and 2026-11-22"
    assert [line.get("date") for line in again.lines] == [None, "2026-11-22"]


def test_the_page_names_cases_that_were_not_measured(tmp_path):
    other = plan.Case("wide", "FULL", "lz4", "off", 100, 1)
    results = results_of(tmp_path, *(("rate", {**MAIN.key(), "side": side, "round": 0}, figures(10)) for side in SIDES))
    assert "Not measured this time: wide, lz4, schemas off, FULL." in page.section(results, [MAIN, other])
    assert "Not measured" not in page.section(results, [MAIN])


def test_the_table_compares_medians_and_shows_what_is_missing(tmp_path):
    lines = [rate_line("tailrace", n, rate) for n, rate in enumerate((400, 600, 500))]
    results = results_of(tmp_path, *lines, rate_line("Debezium", 0, 50))
    row = tables.rates(results, [MAIN]).splitlines()[2]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "orders", "lz4", "off", "MINIMAL", "1,000", "1", "500", "50", "8.0", "250", "25",
    ]  # fmt: skip
    slow = results_of(tmp_path, *lines, *(rate_line("Debezium", n, rate) for n, rate in ((2, 100), (0, 50), (1, 50))))
    assert "| 3 | 500 | 50 | 8.0 | 250 | 25 |" in tables.rates(slow, [MAIN]), "of 8, 12 and 5 times, round by round"
    alone = tables.rates(results_of(tmp_path, rate_line("tailrace", 0, 400)), [MAIN])
    assert "| 400 | - | - | 200 | - |" in alone


def test_the_pages_keep_what_is_not_about_kafka(tmp_path):
    results = results_of(tmp_path, rate_line("tailrace", 0, 400), rate_line("Debezium", 0, 50))
    body = page.section(results, [MAIN])
    old = "# Benchmarks\n\nIntro.\n\n## Into Kafka\n\nold\n\n## Memory\n\nkept\n"
    new = pages.replace_section(old, page.HEADING, body)
    assert "Intro." in new
    assert "old" not in new
    assert new.endswith("\n\n## Memory\n\nkept\n")
    assert pages.replace_section(new, page.HEADING, body) == new
    assert pages.replace_opening(new, "# Benchmarks\n\nOther.") == new.replace("Intro.", "Other.")


def test_the_readme_gets_one_block_under_figures_and_keeps_the_rest(tmp_path):
    results = results_of(tmp_path, rate_line("tailrace", 0, 400), rate_line("Debezium", 0, 50))
    old = "# tailrace\n\n## Figures\n\nDecode, shape and encode.\n\n## Sizes\n"
    once = page.with_block(old, page.block(results, [MAIN]))
    assert "| catching up, 10 columns: changes a second | 400 | 50 |" in once
    assert page.with_block(once, page.block(results, [MAIN])) == once
    assert once.endswith("Decode, shape and encode.\n\n## Sizes\n")


def test_the_command_explains_itself():
    told = subprocess.run([sys.executable, "-m", "bench.into_kafka", "--help"], capture_output=True, text=True, check=True)
    assert "--continue" in told.stdout
