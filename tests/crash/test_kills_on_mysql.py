"""kill -9 over live changes of a real MySQL: nothing is lost, nothing is there twice, and the tables come out equal."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.every_scenario import EVERY
from support.folding import assert_once_and_in_order, committed_lines, folded
from support.shop_writer import ShopWriter
from tailrace.connectors import connector_for
from tailrace.connectors.load import from_mapping
from tailrace.source.job import Job, Pace

TESTS = Path(__file__).parents[1]
KILLS = 20 if EVERY else 5
pytestmark = [pytest.mark.mysql, pytest.mark.slow]


def document(server, database):
    return {
        "name": "shop",
        "config": {
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "topic.prefix": "shop",
            "database.hostname": server.host,
            "database.port": str(server.port),
            "database.user": server.user,
            "database.password": server.password,
            "database.server.id": "7411",
            "database.include.list": database,
            "snapshot.mode": "no_data",
            "decimal.handling.mode": "string",
            "key.converter.schemas.enable": "false",
            "value.converter.schemas.enable": "false",
        },
    }


@pytest.fixture
def start_task():
    """Starts tasks; none outlives the test."""
    started = []

    def start(job_file, *until):
        started.append(task_process(job_file, *until))
        return started[-1]

    yield start
    for task in started:
        task.kill()


def task_process(job_file, *until):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    command = [sys.executable, str(TESTS / "support" / "deliver_job.py"), str(job_file), *map(str, until)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def rows_of(server, database, table):
    rows = server.sql(f"SELECT JSON_OBJECT('id', id, 'name', name, 'amount', CAST(amount AS CHAR), 'note', note) FROM {table}", database)
    return {row["id"]: row for row in (json.loads(text) for (text,) in rows)}


def test_kills_over_live_changes_leave_every_change_once(mysql_minimal, tmp_path, start_task):
    server, seed = mysql_minimal, random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    database = f"kills_{seed}"
    server.sql(f"CREATE DATABASE {database}")
    config, out, job_file = document(server, database), tmp_path / "out", tmp_path / "job.json"
    job = Job(document=config, source="mysql-shop", target=f"files:{out}", pace=Pace(commit_seconds=0.05, slice_seconds=600))
    job_file.write_text(job.to_json())
    first = start_task(job_file)
    wait_for((out / "_tailrace" / "lane-0" / "commit.json").exists, first)
    writer = ShopWriter(server, database, seed)
    writer.start()
    task, seen = first, 0
    for _ in range(KILLS):
        wait_for(lambda n=seen: committed_count(out) > n, task)
        time.sleep(chance.uniform(0, 0.4))
        task.kill()
        task.wait()
        seen = committed_count(out)
        task = start_task(job_file)
    writer.stop.set()
    writer.join()
    assert writer.error is None
    task.kill()
    task.wait()
    until = tmp_path / "until.json"
    until.write_text(json.dumps(connector_for(from_mapping(config)).head()))
    last = start_task(job_file, until)
    _, errors = last.communicate(timeout=120)
    assert last.returncode == 0, errors
    lines = committed_lines(out)
    for table in "ab":
        of_table = lines[f"shop.{database}.{table}"]
        assert_once_and_in_order(of_table)
        state = {row["id"]: {k: row[k] for k in ("id", "name", "amount", "note")} for row in folded(of_table).values()}
        assert state == rows_of(server, database, table), f"seed {seed}"
    print(f"{writer.transactions} transactions, {sum(map(len, lines.values()))} records, {KILLS} kills")


def committed_count(out):
    return sum(1 for _ in out.glob("shop.*/*.jsonl"))


def wait_for(condition, task, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        assert task.poll() is None, task.stderr.read()
        assert time.monotonic() < deadline, "nothing new was committed"
        time.sleep(0.02)
