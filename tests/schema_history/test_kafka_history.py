"""The schema history in a Kafka topic, on a real broker."""

import json
import random
import uuid

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

from support.history_writers import written_in_turns
from support.kafka_reading import read_topics
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, RetriableError
from tailrace.schema.history import HistoryFile
from tailrace.schema_history.configured import schema_history_of
from tailrace.schema_history.kafka_history import KafkaHistory

KAFKA = "io.debezium.storage.kafka.history.KafkaSchemaHistory"
FILE = "io.debezium.storage.file.history.FileSchemaHistory"


def record(number, ddl="CREATE TABLE t (id INT)"):
    position = {"file": "b.000001", "pos": number}
    return {"source": {"server": "s"}, "position": position, "ts_ms": 1, "databaseName": "d", "ddl": ddl}


def settings_of(address, topic):
    return unit_settings(
        {
            "schema.history.internal": KAFKA,
            "schema.history.internal.kafka.topic": topic,
            "schema.history.internal.kafka.bootstrap.servers": address,
        }
    )


@pytest.fixture
def topic():
    return f"d-{uuid.uuid4().hex[:8]}-history"


@pytest.fixture
def history(kafka_broker, topic):
    """A history in a topic that is not there yet; each call is a new object, as after a restart."""

    def new():
        return schema_history_of(settings_of(kafka_broker.address, topic))

    return new


class KeptTopic:
    """A topic without a broker."""

    def __init__(self):
        self.values = []

    def partitions(self):
        return [0]

    def read(self, partitions):
        return [(None, value) for value in self.values]

    def append(self, pairs, partition):
        self.values += [value for _, value in pairs]


def put(address, topic, *values):
    producer = Producer({"bootstrap.servers": address})
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(30) == 0


def test_the_configuration_says_where_the_history_is(tmp_path):
    in_file = {"schema.history.internal": FILE, "schema.history.internal.file.filename": str(tmp_path / "h")}
    assert schema_history_of(unit_settings()) is None
    assert isinstance(schema_history_of(unit_settings(in_file)), HistoryFile)
    assert isinstance(schema_history_of(settings_of("127.0.0.1:1", "t")), KafkaHistory)


def test_a_topic_with_its_brokers_is_meant_without_the_class_as_well():
    named = {
        "schema.history.internal.kafka.topic": "t",
        "schema.history.internal.kafka.bootstrap.servers": "127.0.0.1:1",
    }
    assert isinstance(schema_history_of(unit_settings(named)), KafkaHistory)


def test_what_a_writer_that_stood_still_writes_once_more_does_not_count():
    topic = KeptTopic()
    stood_still, successor = KafkaHistory(topic), KafkaHistory(topic)
    stood_still.load()
    successor.append([record(1), record(2)])
    stood_still.append([record(1)])
    assert [json.loads(value)["position"]["pos"] for value in topic.values] == [1, 2, 1]
    assert KafkaHistory(topic).load() == [record(1), record(2)]
    assert KafkaHistory(topic).append([record(1), record(2)]) == 0


@pytest.mark.parametrize("seed", range(20))
def test_records_of_writers_that_take_turns_are_read_in_the_order_of_the_log(seed):
    topic, records, chance = KeptTopic(), [record(number) for number in range(12)], random.Random(seed)
    written_in_turns(lambda: KafkaHistory(topic), records, chance)
    assert KafkaHistory(topic).load() == records


@pytest.mark.kafka
def test_a_topic_that_is_not_there_is_an_empty_history(history):
    assert history().load() == []


@pytest.mark.kafka
def test_records_are_read_back_in_their_order(history):
    some = [record(number) for number in range(500)]
    assert history().append(some) == 500
    assert history().load() == some


@pytest.mark.kafka
def test_what_is_there_already_is_not_written_again(history):
    first = history()
    first.append([record(1), record(2)])
    assert first.append([record(2), record(3)]) == 1
    assert history().append([record(1), record(2), record(3), record(4), record(4)]) == 1
    assert history().load() == [record(n) for n in (1, 2, 3, 4)]


@pytest.mark.kafka
def test_a_record_has_no_key_and_stands_in_the_one_partition(kafka_broker, history, topic):
    history().append([record(1)])
    reads = read_topics(kafka_broker.address, [topic])
    assert [(read.partition, read.key) for read in reads] == [(0, None)]


@pytest.mark.kafka
def test_a_topic_is_made_to_keep_everything_for_ever(kafka_broker, history, topic):
    history().append([record(1)])
    admin = AdminClient({"bootstrap.servers": kafka_broker.address})
    (found,) = admin.describe_configs([ConfigResource("topic", topic)]).values()
    wanted = {"cleanup.policy": "delete", "retention.ms": str(2**63 - 1), "retention.bytes": "-1"}
    assert {name: found.result()[name].value for name in wanted} == wanted


@pytest.mark.kafka
def test_what_is_no_record_is_passed_over(kafka_broker, history, topic):
    history().append([record(1)])
    put(kafka_broker.address, topic, None, b"{", b"[]", b'{"source":null,"position":{}}')
    history().append([record(2)])
    assert history().load() == [record(1), record(2)]


@pytest.mark.kafka
def test_a_topic_of_several_partitions_is_refused(kafka_broker, history, topic):
    admin = AdminClient({"bootstrap.servers": kafka_broker.address})
    admin.create_topics([NewTopic(topic, num_partitions=2)])[topic].result()
    for use in (history().load, lambda: history().append([record(1)])):
        with pytest.raises(ConfigError, match="has 2 partitions; it must have one"):
            use()


def test_a_broker_that_is_away_is_told_and_may_come_back():
    settings = unit_settings(
        {
            "schema.history.internal": KAFKA,
            "schema.history.internal.kafka.topic": "t",
            "schema.history.internal.kafka.bootstrap.servers": "127.0.0.1:1",
            "schema.history.internal.kafka.create.timeout.ms": 1500,
        }
    )
    with pytest.raises(RetriableError, match="the topic t of the schema history can't be read"):
        schema_history_of(settings).load()
