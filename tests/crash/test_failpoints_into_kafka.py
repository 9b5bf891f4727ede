"""Every failpoint, as a death and as an error, while a writer writes: each change comes through once, in order.

One task after the other without Spark, each armed with the next failpoint: so each has to put right what the one
before left behind.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.journal import Journal, Shop
from support.journal_writer import JournalWriter
from support.kafka_folding import Folding
from support.kafka_follower import Follower, count_committed
from tailrace import failpoints
from tailrace.source.job import Job, Pace

TESTS = Path(__file__).parents[1]
SECONDS = 90
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]


def document(server, prefix, database):
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": prefix,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": "7412",
        "database.include.list": database,
        "snapshot.mode": "no_data",
        "decimal.handling.mode": "string",
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    }
    return {"name": prefix, "config": config}


def turns():
    """What each task is armed with. An error is followed by a death some commits later, so that it is seen to have been."""
    for name in failpoints.NAMES:
        turn = 1 if name == "sink.opened" else random.randint(1, 5)
        yield f"{name}=kill@{turn}"
        death = "task.committed" if name != "task.committed" else "sink.after-commit"
        yield f"{name}=error@{turn},{death}=kill@{turn + 4}"


@pytest.fixture
def start_task(tmp_path):
    """Starts a task that is armed with failpoints; none outlives the test."""
    started = []

    def start(armed):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), failpoints.VARIABLE: armed}
        command = [sys.executable, str(TESTS / "support" / "deliver_job.py"), str(tmp_path / "job.json")]
        with (tmp_path / "errors.txt").open("wb") as errors:
            started.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors))
        return started[-1]

    yield start
    for task in started:
        task.kill()
        task.wait()


def test_a_task_that_falls_at_every_failpoint_delivers_each_change_once(
    mysql_server, kafka_broker, tmp_path, start_task
):
    server, seed = mysql_server, random.randrange(2**32)
    print(f"seed {seed}")
    random.seed(seed)
    prefix = database = f"failpoints_{seed}"
    server.sql(f"CREATE DATABASE {database}")
    pace = Pace(commit_seconds=0.1, slice_seconds=600, retry_seconds=0.1)
    job = Job(
        document=document(server, prefix, database),
        source=f"mysql {prefix}",
        target=f"kafka:{kafka_broker.address}",
        pace=pace,
    )
    (tmp_path / "job.json").write_text(job.to_json())
    journal = Journal()
    folding = Folding(journal, prefix, database)
    follower = Follower(kafka_broker.address, prefix, folding, f"__tailrace-progress.{prefix}")
    follower.start()
    first = start_task("")
    poll(lambda: any(commit.at_ms for commit in follower.commits.values()), first, tmp_path)  # the beginning is fixed
    first.kill()
    shop = Shop(journal, ["a", "b"], seed)
    writer = JournalWriter(server, database, shop)
    writer.start()
    for armed in turns():
        task = start_task(armed)
        writer.alter(2)
        deadline = time.monotonic() + SECONDS
        while task.poll() is None:
            assert not folding.faults, (armed, folding.faults[:3])
            assert time.monotonic() < deadline, f"{armed}: the task never fell"
            time.sleep(0.02)
        assert task.returncode == -signal.SIGKILL, (armed, (tmp_path / "errors.txt").read_text()[-2000:])
    writer.finish()
    last = start_task("")
    poll(lambda: not folding.missing, last, tmp_path)
    assert [*folding.faults, *folding.missing_faults()] == []
    follower.stop()
    topics = [f"{prefix}.{database}.{name}" for name in shop.tables]
    assert count_committed(kafka_broker.address, topics) == folding.taken == journal.told
    print(f"{journal.transactions} transactions, {folding.taken} records")


def poll(condition, task, tmp_path):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert task.poll() is None, (tmp_path / "errors.txt").read_text()[-2000:]
        assert time.monotonic() < deadline, "nothing new was committed"
        time.sleep(0.02)
