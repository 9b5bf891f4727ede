"""Signals of a file and of a Kafka topic: each is handled once, whoever reads on."""

import json

import pytest
from confluent_kafka import Producer

from support.mysql_settings import settings_for
from support.signalling import begin, read_all
from tailrace.connectors.base import Lane

pytestmark = pytest.mark.mysql


def told(followed):
    return [type_ for type_, _ in followed.notifications()]


def asked(database, id_="one"):
    data = {"data-collections": [f"{database}.t"], "type": "incremental"}
    return json.dumps({"id": id_, "type": "execute-snapshot", "data": data})


def filled(server, database):
    server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2)", database)


def test_a_line_of_the_file_starts_a_snapshot(mysql_server, database, given, tmp_path):
    filled(mysql_server, database)
    file = tmp_path / "signals.txt"
    given |= {"signal_data_collection": None, "signal_enabled_channels": "file", "signal_file": str(file)}
    followed = begin(settings_for(mysql_server, **given, signal_poll_interval_ms=10))
    file.write_text(asked(database) + "\n")
    followed.until(lambda: "COMPLETED" in told(followed))
    assert followed.marked(f"test.{database}.t") == [("r", "incremental")] * 2
    before = followed.batches
    followed.until(lambda: followed.batches >= before + 5, stop_every=2)
    assert told(followed).count("STARTED") == 1, "what was handled does not come again"


@pytest.mark.kafka
def test_a_record_of_the_topic_starts_a_snapshot_in_its_lane(mysql_server, kafka_broker, database, given):
    filled(mysql_server, database)
    topic = f"{database}-signals"
    given |= {
        "signal_data_collection": None,
        "signal_enabled_channels": "kafka",
        "signal_kafka_topic": topic,
        "signal_kafka_bootstrap_servers": kafka_broker.address,
        "signal_poll_interval_ms": 10,
    }
    producer = Producer({"bootstrap.servers": kafka_broker.address})
    producer.produce(topic, key="test", value=asked(database))
    producer.produce(topic, key="another connector", value=asked(database, "two"))
    assert producer.flush(30) == 0
    lanes = [begin(settings_for(mysql_server, **given), Lane(n, 2)) for n in range(2)]
    for lane in lanes:
        lane.until(lambda lane=lane: (lane.progress.signalled or {}).get("marks", {}).get("kafka") == 2)
        read_all(lane, stop_every=2)
    assert sorted(told(lane)[-1:] for lane in lanes) == [[], ["COMPLETED"]], "one lane has the table"
    events = [event for lane in lanes for event in lane.marked(f"test.{database}.t")]
    assert events == [("r", "incremental")] * 2
