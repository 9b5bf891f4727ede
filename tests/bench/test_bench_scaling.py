"""How tailrace scales: the simulation's bounds, in small, and the model's arithmetic."""

import time
from dataclasses import replace

import pytest
from bench.measuring.results import Results
from bench.scaling import measured, model, page
from bench.scaling.executor import ModelSource
from bench.scaling.population import KEY, population
from bench.scaling.simulation import simulated

from tailrace.snapshot.segments import TablePlan, shares
from tailrace.snapshot.state import start
from tailrace.snapshot.waves import SnapshotLane

ROW = model.SnapshotCosts(
    lane_rate=100_000, lane_cpu=5e-6, source_cpu=1e-6, broker_cpu=1e-6, row_bytes=100, wire_bytes=100, record_bytes=50
)
CHANGE = model.LogCosts(
    own_cpu=2e-6, skip_cpu=0.2e-6, dump_cpu=0.5e-6, broker_cpu=1e-6, log_bytes=250, record_bytes=100
)
WIDE = model.Capacity(1000, 1000, 1e12, 1e12, 1e12)


def test_planning_and_state_of_a_snapshot_stay_within_their_bounds():
    """Each bound is ten times what was measured, as CPU time, so that another load of the machine does not matter."""
    found = simulated(population(500, 4_000), 8).to_dict()
    assert found["is_done"]
    assert found["chunks"] >= 4_000
    assert found["plan_cpu_s"] < 0.5
    assert found["driver_cpu_s"] / found["commits"] < 0.002
    assert found["wave_cpu_us"] < 2_000
    assert found["commit_cpu_us"] < 10_000
    assert found["largest_progress"] < 60_000


@pytest.mark.long
def test_what_a_chunk_costs_does_not_grow_with_the_tables_that_wait():
    """Twenty thousand tables in one lane, of each of which the log has told a row: a look at each would take 15 ms."""
    names = [f'"shop"."t{n}"' for n in range(20_000)]
    (plan,) = shares([TablePlan(name, 1) for name in names], 1)
    source = ModelSource(dict.fromkeys(names, 1), names, touches_a_chunk=1)
    waves = SnapshotLane(source, start(plan, {"n": 0})).waves()
    next(waves)
    begun = time.process_time()
    for _ in range(400):
        next(waves)
    assert (time.process_time() - begun) / 400 < 0.004


@pytest.mark.long
def test_a_plan_for_many_lanes_fits_into_a_message():
    """Its one record has the parts of all lanes."""
    assert simulated(population(10_000, 20_000), 64, waves_at_most=1).plan_bytes < (1 << 20) // 2


def test_a_population_has_about_the_chunks_that_were_asked_for():
    found = population(300, 5_000)
    assert len(found.rows) == 300
    assert set(found.keys.values().__iter__().__next__()) == set(KEY)
    assert found.total > 4_000 * 16_384 // 2
    assert max(found.rows.values()) > 100 * sorted(found.rows.values())[150]


def test_twice_the_lanes_are_twice_as_fast_until_something_is_full():
    rates = [model.snapshot(lanes, ROW, WIDE).rate for lanes in (1, 2, 4)]
    assert rates == [100_000, 200_000, 400_000]
    assert model.snapshot(1, replace(ROW, lane_cpu=2e-5), WIDE).rate == pytest.approx(50_000), "its core is busy before"
    full = model.snapshot(64, ROW, replace(WIDE, broker_cores=3))
    assert (full.limit, full.rate) == ("broker's processors", pytest.approx(3e6))
    assert full.share("lanes") == pytest.approx(3 / 6.4)


def test_a_lane_of_the_log_pays_for_what_it_skips():
    assert model.log(1, CHANGE, WIDE).rate == pytest.approx(500_000)
    two = model.log(2, CHANGE, WIDE)
    assert (two.limit, two.rate) == ("lanes", pytest.approx(1 / 1.1e-6))
    assert model.log(1000, CHANGE, WIDE).rate < 1 / CHANGE.skip_cpu


def test_the_source_sends_the_log_to_each_lane_and_replicas_share_that():
    narrow = replace(WIDE, source_network=1.25e9)
    found = model.log(20, CHANGE, narrow)
    assert (found.limit, found.rate) == ("source's network", pytest.approx(250_000))
    assert model.log(20, CHANGE, narrow, sources=4).rate == pytest.approx(1e6)
    assert model.most_lanes(500_000, CHANGE, narrow) == 10
    assert model.most_lanes(500_000, CHANGE, replace(narrow, source_cores=0.1)) == 0


def test_the_page_is_what_the_results_make():
    """Whoever changes the page's text generates it again."""
    results = Results.read(measured.FOLDER / "scaling.jsonl")
    assert page.PAGE.read_text() == page.text(results)


def test_a_page_without_all_results_is_not_written(tmp_path):
    with pytest.raises(SystemExit, match="lacks simulation"):
        page.write(Results.begin(tmp_path / "results.jsonl", {}))
