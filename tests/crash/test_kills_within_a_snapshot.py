"""A `tailrace run` that is killed again and again while it reads a snapshot by two tasks, and a writer meanwhile: read
events and changes together are each table's history, each event once, and what is told of the snapshot is told once.
"""

import json
import random
from collections import Counter

import pytest

from support.kafka_reading import read_topics
from support.large_table import SECONDS, Writer, document, filled, rows, until
from support.live_run import LiveRun
from support.snapshotting import linear

ARMED = ("sink.before-commit=kill@2", "sink.written=kill@6", "task.committed=kill@2")
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
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


def test_a_snapshot_that_is_killed_again_and_again_is_exact(mysql_server, kafka_broker, tmp_path):
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    database = prefix = f"snapshot_{seed}"
    filled(mysql_server, database)
    config = tmp_path / "config.json"
    config.write_text(json.dumps(document(mysql_server, prefix, database, **HOW, **{NOTES: f"{prefix}.notes"})))
    run = LiveRun(tmp_path, config, f"kafka:{kafka_broker.address}", [mysql_server.port])
    with Writer(mysql_server, database, seed) as writer:
        for armed in ARMED:
            run.start(failpoints=armed)
            until(lambda: "has died" in run.log.read_text() or run.ended() is not None, run)
            run.kill_all()
        assert writer.changes > 100
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    topic = f"{prefix}.{database}.t"
    records = [(r.key, json.loads(r.value)["payload"]) for r in read_topics(kafka_broker.address, [topic]) if r.value]
    reads = [record for record in records if record[1]["op"] == "r"]
    assert records[: len(reads)] == reads, "no change comes before the last row of the snapshot"
    final = linear(reads, records[len(reads) :])
    assert {row["id"]: row["v"] for row in final.values()} == rows(mysql_server, database)
    notes = [json.loads(r.value)["payload"] for r in read_topics(kafka_broker.address, [f"{prefix}.notes"])]
    assert Counter(note["type"] for note in notes if note["type"] != "SKIPPED") == TOLD
    (completed,) = (note["additional_data"] for note in notes if note["type"] == "TABLE_SCAN_COMPLETED")
    assert completed["total_rows_scanned"] == str(len(reads))
    print(f"{len(reads)} read events, {len(records) - len(reads)} changes")
