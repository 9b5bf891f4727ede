"""The files sink under kill -9: real processes, killed at random moments."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.counting_log import STRUCTURE_EVERY, counting_job
from support.every_scenario import EVERY
from tailrace.sinks.files import FilesSink
from tailrace.source.job import Pace

TESTS = Path(__file__).parents[1]
CHANGES = 14_000
KILLS = 20 if EVERY else 8


def start_task(job_file, *, first, until=CHANGES):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    command = [
        sys.executable,
        str(TESTS / "support" / "deliver_counting_log.py"),
        str(job_file),
        "first" if first else "",
        str(until),
    ]
    task = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert task.stdout.readline() == "ready\n"
    return task


def committed_lines(folder):
    """What a reader sees: per topic, in the order of the files' names."""
    return {
        topic.name: [json.loads(line) for file in sorted(topic.glob("*.jsonl")) for line in file.open()]
        for topic in folder.glob("count.*")
    }


def positions(folder):
    return {topic: [int(line["position"]) for line in lines] for topic, lines in committed_lines(folder).items()}


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, CHANGES, pace=Pace(commit_seconds=0.002), document={"pause_seconds": 0.004})


@pytest.mark.slow
def test_every_line_is_there_once_and_in_order_however_often_the_task_is_killed(job, tmp_path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    (tmp_path / "job.json").write_text(job.to_json())
    for _ in range(KILLS):
        task = start_task(tmp_path / "job.json", first=True)
        time.sleep(chance.uniform(0.05, 0.35))
        task.kill()
        task.wait()
        seen = positions(tmp_path / "out")
        together = sorted(p for topic in seen.values() for p in topic)
        assert len(together) == len(set(together)), "a reader saw a line twice"
    task = start_task(tmp_path / "job.json", first=True)
    assert task.wait() == 0
    assert positions(tmp_path / "out") == {f"count.t{t}": list(range(t, CHANGES, 3)) for t in range(3)}
    history = FilesSink(tmp_path / "out", "counting", "test").open(0).history
    assert [record["structure"] for record in history] == list(range(0, CHANGES, STRUCTURE_EVERY))
