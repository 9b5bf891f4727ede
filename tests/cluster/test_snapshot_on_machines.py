"""A snapshot of several tables in parallel on two workers, one of which goes down in the middle, while a table is written to."""

import json
import random
from collections import defaultdict
from contextlib import contextmanager

import pytest

from support import large_table
from support.every_scenario import only_with_all
from support.kafka_follower import count_committed
from support.kafka_reading import read_topics
from support.machines.cluster_run import ClusterRun
from support.snapshotting import linear

TABLES = ("t1", "t2", "t3", "t4")
ROWS = 60_000
SECONDS = 600
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, only_with_all]


def test_a_snapshot_by_four_lanes_is_exact_when_a_worker_goes_down_in_the_middle(yard, tmp_path):
    seed = random.randrange(2**30)
    print(f"seed {seed}")
    name = f"snapshot_{seed}"
    topics = {table: f"{name}.{name}.{table}" for table in TABLES}
    yard.mysql.sql(f"CREATE DATABASE {name}")
    for table in TABLES:
        large_table.fill(yard.mysql, name, table, ROWS)
    config = tmp_path / "connector.json"
    how = {"snapshot.mode": "initial", "snapshot.max.threads": "4", "tasks.max": "4", "value.converter.schemas.enable": "true"}
    config.write_text(json.dumps(large_table.document(yard.mysql, name, name, **how)))
    run = ClusterRun(yard, tmp_path, config, f"kafka:{yard.broker.address}", [yard.mysql.port, yard.broker.port])
    with large_table.written(yard.mysql, name, seed, "t1"), killed_at_the_end(run):
        run.start_to_the_head()
        large_table.until(lambda: read_some(yard, topics) or run.ended() is not None, run, SECONDS)
        committed = with_a_worker_down(yard, run, topics)
        assert 0 < committed < ROWS * len(TABLES), "the snapshot was not in its middle"
        large_table.until(lambda: run.ended() is not None, run, SECONDS)
    assert run.ended() == 0, run.log.read_text()
    run.start_to_the_head()  # what was written meanwhile
    assert run.wait(SECONDS) == 0, run.log.read_text()
    for table, topic in topics.items():
        assert_is_the_table(yard, topic, large_table.rows(yard.mysql, name, table))
    print(f"{committed} records were there when the worker went down")


def read_some(yard, topics):
    """Whether records of some table are committed."""
    return count_committed(yard.broker.address, set(topics.values())) > 0


def with_a_worker_down(yard, run, topics):
    """A busy worker stalls, is unplugged, and boots anew; how many records there were."""
    large_table.until(lambda: run.busy_workers() or run.ended() is not None, run, SECONDS)
    worker = (run.busy_workers() or yard.workers)[0]
    yard.network.cut_between(worker.name, "kafka")  # from here on its lanes stay where they are
    committed = count_committed(yard.broker.address, set(topics.values()))
    worker.power_off()
    yard.network.mend_between(worker.name, "kafka")
    worker.power_on()
    yard.spark.start_worker(worker)
    return committed


def assert_is_the_table(yard, topic, final_rows):
    """A key has one partition, in which its events are in order."""
    partitions = defaultdict(list)
    for read in read_topics(yard.broker.address, [topic]):
        if read.value:
            partitions[read.partition].append((read.key, json.loads(read.value)["payload"]))
    folded = {}
    for records in partitions.values():
        reads = [record for record in records if record[1]["op"] == "r"]
        assert records[: len(reads)] == reads, "no change comes before the last row of the snapshot"
        folded.update(linear(reads, records[len(reads) :]))
    assert dict(tuple(row.values()) for row in folded.values()) == final_rows


@contextmanager
def killed_at_the_end(run):
    try:
        yield
    except BaseException:
        run.kill_all()
        raise
