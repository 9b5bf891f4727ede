"""Both ways on a standalone cluster with two workers in other processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.counting_log import counting_job, grow
from support.every_scenario import only_with_all
from support.spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.slow]
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with SparkCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def run_script(name, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
    command = [sys.executable, str(TESTS / "support" / name), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


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


def test_the_dataframe_way_spreads_over_both_workers(cluster, tmp_path):
    grow(tmp_path / "log", 1400)
    run_script("dataframe_on_cluster.py", cluster.url, tmp_path / "log", tmp_path)
    rows = [json.loads(line) for file in tmp_path.glob("rows/*.json") for line in file.open()]
    assert sorted(int(row["position"]) for row in rows) == list(range(1400))
    assert len({row["process"] for row in rows}) == 2
