"""A `tailrace run` that is killed again and again while it reads a snapshot by two tasks, and a writer meanwhile: read
events and changes together are each table's history, each event once, and what is told of the snapshot is told once.
"""

import functools
import json
import random
from collections import Counter

import pytest

from support import large_captured_table, large_table
from support.captured_shops import KINDS, shop_of
from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.large_table import SECONDS, until
from support.live_run import LiveRun
from support.snapshotting import linear

ARMED = ("sink.before-commit=kill@2", "sink.written=kill@6", "task.committed=kill@1")
HOW = {
    "snapshot.mode": "initial",
    "snapshot.max.threads": "2",
    "notification.enabled.channels": "sink",
    "value.converter.schemas.enable": "true",  # so large that several commits are needed
}
NOTES = "notification.sink.topic.name"
TOLD = {
    "STARTED": 1,
    "IN_PROGRESS": 1,
    "TABLE_CHUNK_IN_PROGRESS": 2,
    "TABLE_CHUNK_COMPLETED": 2,
    "TABLE_SCAN_COMPLETED": 1,
    "COMPLETED": 1,
}
ON = (
    pytest.param("mysql", marks=pytest.mark.mysql),
    *(pytest.param(kind, marks=[pytest.mark.drivers, only_with_all]) for kind in KINDS),
)
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


class MySql:
    """The large table in a database of MySQL."""

    def __init__(self, server, name):
        large_table.filled(server, name)
        self.port, self.topic, self._at = server.port, f"{name}.{name}.t", (server, name)

    def document(self, **more):
        server, name = self._at
        return large_table.document(server, name, name, **more)

    def writer(self, seed):
        return large_table.written(*self._at, seed)

    def rows(self):
        return large_table.rows(*self._at)


class Captured:
    """The same in a database with change tables, whose log is captured by itself."""

    def __init__(self, shop, name):
        large_captured_table.filled(shop)
        self.port, self.topic = shop.port, f"{name}.{shop.topic}.T"
        self._shop, self._name = shop, name

    def document(self, **more):
        return large_captured_table.document(self._shop, self._name, **more)

    def writer(self, seed):
        return large_captured_table.written(self._shop, seed)

    def rows(self):
        self._shop.pause()
        self._shop.capture_all()
        self._shop.resume()  # what the kills left of the snapshot is read yet, and waits for the job
        return large_captured_table.rows(self._shop)


@pytest.fixture(params=ON)
def make(request):
    """Makes the table on a server, for a connector of that name."""
    if request.param == "mysql":
        return functools.partial(MySql, request.getfixturevalue("mysql_server"))
    return functools.partial(Captured, shop_of(request))


def test_a_snapshot_that_is_killed_again_and_again_is_exact(make, kafka_broker, tmp_path):
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    prefix = f"snapshot_{seed}"
    source = make(prefix)
    config = tmp_path / "config.json"
    config.write_text(json.dumps(source.document(**HOW, **{NOTES: f"{prefix}.notes"})))
    run = LiveRun(tmp_path, config, f"kafka:{kafka_broker.address}", [source.port])
    with source.writer(seed) as writer:
        for armed in ARMED:
            run.start(failpoints=armed)
            until(lambda: "has died" in run.log.read_text() or run.ended() is not None, run)
            run.kill_all()
        assert writer.changes > 100
    final_rows = source.rows()
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    told = read_topics(kafka_broker.address, [source.topic])
    records = [(r.key, json.loads(r.value)["payload"]) for r in told if r.value]
    reads = [record for record in records if record[1]["op"] == "r"]
    assert records[: len(reads)] == reads, "no change comes before the last row of the snapshot"
    final = linear(reads, records[len(reads) :])
    assert dict(tuple(row.values()) for row in final.values()) == final_rows
    notes = [json.loads(r.value)["payload"] for r in read_topics(kafka_broker.address, [f"{prefix}.notes"])]
    assert Counter(note["type"] for note in notes if note["type"] != "SKIPPED") == TOLD
    (completed,) = (note["additional_data"] for note in notes if note["type"] == "TABLE_SCAN_COMPLETED")
    assert completed["total_rows_scanned"] == str(len(reads))
    print(f"{len(reads)} read events, {len(records) - len(reads)} changes")
