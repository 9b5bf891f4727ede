"""A `tailrace run` that is killed again and again while it reads a table beside the log, and a writer meanwhile: no event
ever contradicts what was told before, and in the end a consumer that knew nothing has the table.
"""

import json
import random

import pytest

from support.every_scenario import EVERY
from support.kafka_reading import read_topics
from support.large_table import SECONDS, document, filled, rows, until, written
from support.live_run import LiveRun
from support.signalling import consumed, execute, signal_table

ARMED = ("sink.before-commit=kill@4", "sink.after-commit=kill@4", "task.committed=kill@5")[: 3 if EVERY else 1]
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


def test_one_that_is_killed_again_and_again_is_exact(mysql_server, kafka_broker, tmp_path):
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    database = prefix = f"incremental_{seed}"
    filled(mysql_server, database)
    signal_table(mysql_server, database)
    how = {
        "snapshot.mode": "no_data",
        "signal.data.collection": f"{database}.signals",
        "notification.enabled.channels": "sink",
        "notification.sink.topic.name": f"{prefix}.notices",
        "incremental.snapshot.chunk.size": "10000",
    }
    config = tmp_path / "config.json"
    config.write_text(json.dumps(document(mysql_server, prefix, database, **how)))
    run = LiveRun(tmp_path, config, f"kafka:{kafka_broker.address}", [mysql_server.port])
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    topic, notices = f"{prefix}.{database}.t", f"{prefix}.notices"
    with written(mysql_server, database, seed) as writer:
        execute(mysql_server, database, f"{database}.t")
        for armed in ARMED:
            run.start(failpoints=armed)
            until(lambda: "has died" in run.log.read_text() or run.ended() is not None, run)
            run.kill_all()
        run.start()
        until(lambda: "COMPLETED" in types(kafka_broker, notices), run)
        run.kill_all()
        assert writer.changes > 100
    run.start_to_the_head()
    assert run.wait(SECONDS) == 0, run.log.read_text()
    records = [{"key": r.key, "value": r.value} for r in read_topics(kafka_broker.address, [topic])]
    final = consumed(records)
    assert {row["id"]: row["v"] for row in final.values()} == rows(mysql_server, database)
    told = types(kafka_broker, notices)
    assert [told.count(type_) for type_ in ("STARTED", "TABLE_SCAN_COMPLETED", "COMPLETED")] == [1, 1, 1]
    reads = [record["key"] for record in records if record["value"] and json.loads(record["value"])["op"] == "r"]
    assert len(reads) == len(set(reads)), "each row is read once"
    print(f"{len(reads)} read events, {len(records) - len(reads)} changes")


def types(broker, topic):
    values = [json.loads(record.value) for record in read_topics(broker.address, [topic])]
    return [value["type"] for value in values if value["aggregate_type"] == "Incremental Snapshot"]
