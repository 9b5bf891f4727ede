"""Both ways on a standalone cluster with two workers in other processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.counting_log import counting_job, delivered, grow
from support.every_scenario import only_with_all
from support.spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.slow]
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with SparkCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def run_script(name, *arguments, code=0):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
    command = [sys.executable, str(TESTS / "support" / name), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stderr[-3000:]
    return done.stderr


@only_with_all  # tests/cluster has it on machines
def test_the_direct_way_delivers_from_a_worker(cluster, tmp_path):
    (tmp_path / "job.json").write_text(counting_job(tmp_path, 700).to_json())
    run_script(
        "run_counting_log.py",
        tmp_path / "job.json",
        tmp_path / "checkpoint",
        "--available-now",
        f"--master={cluster.url}",
    )
    lines = [json.loads(line) for file in tmp_path.glob("out/count.*/*.jsonl") for line in file.open()]
    assert sorted(line["key"]["id"] for line in lines) == list(range(700))


def test_an_error_that_remains_is_not_tried_four_times(cluster, tmp_path):
    """As Spark does on a cluster: each attempt would be a login of a user whose password was changed."""
    job = counting_job(tmp_path, 700, document={"fatal_at": 300, "readings": str(tmp_path / "readings")})
    (tmp_path / "job.json").write_text(job.to_json())
    arguments = (tmp_path / "job.json", tmp_path / "checkpoint", "--available-now", f"--master={cluster.url}")
    said = run_script("run_counting_log.py", *arguments, code=4)
    assert "error: the log was purged up to 300: begin anew" in said
    assert (tmp_path / "readings").read_text() == "begun\n"
    assert delivered(tmp_path) == list(range(300))


def test_the_dataframe_way_spreads_over_both_workers(cluster, tmp_path):
    grow(tmp_path / "log", 1400)
    run_script("dataframe_on_cluster.py", cluster.url, tmp_path / "log", tmp_path)
    rows = [json.loads(line) for file in tmp_path.glob("rows/*.json") for line in file.open()]
    assert sorted(int(row["position"]) for row in rows) == list(range(1400))
    assert len({row["process"] for row in rows}) == 2
