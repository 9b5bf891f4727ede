"""Kafka sinks for tests: settings, unique names on a shared broker, and reading what was delivered."""

import json
import time
import uuid
from dataclasses import replace

import numpy as np
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from support.counting_log import Numbers, records_of
from support.kafka_reading import read_topics
from support.unit_settings import unit_settings
from tailrace.connectors.base import Progress
from tailrace.sinks.kafka.sink import KafkaSink

SOURCE = "mysql shop"


class Place:
    """A prefix of its own on a broker."""

    def __init__(self, address, **properties):
        self.address = address
        self.prefix = f"t-{uuid.uuid4().hex[:10]}"
        self.properties = {name.replace("__", "."): value for name, value in properties.items()}
        self.admin = AdminClient({"bootstrap.servers": address})
        self._sinks = []

    def sink(self, run="run", source=SOURCE, **properties):
        more = {name.replace("__", "."): value for name, value in properties.items()}
        settings = unit_settings({"topic.prefix": self.prefix, **self.properties, **more})
        sink = KafkaSink(self.address, settings, source, run)
        self._sinks.append(sink)
        return sink

    def opened(self, lane=0, run="run", **properties):
        sink = self.sink(run, **properties)
        sink.open(lane)
        return sink

    def claimed(self, lanes=1, run="run", **properties):
        sink = self.sink(run, **properties)
        try:
            return sink.claim(lanes)
        finally:
            sink.close()

    def topic(self, name="t"):
        return f"{self.prefix}.{name}"

    def events(self, numbers):
        """The same as an event."""
        return [FreshNumbers(self.topic(), numbers)]

    def records(self, numbers, name="t"):
        return [fresh_records(self.topic(name), list(numbers))]

    def ids(self, name="t", *, committed=True):
        reads = read_topics(self.address, [self.topic(name)], committed=committed)
        return sorted(json.loads(read.key)["id"] for read in reads)

    def sees(self, expected, name="t"):
        """Assert what a read-committed consumer sees; the brokers show a commit a moment after they confirm it."""
        eventually(lambda: self.ids(name), list(expected))

    def own(self, kind):
        return f"__tailrace-{kind}.{self.prefix}"

    def read_own(self, kind):
        return read_topics(self.address, [self.own(kind)])

    def put(self, topic, key, value, partition=0):
        """A record that is not ours."""
        producer = Producer({"bootstrap.servers": self.address})
        producer.produce(topic, key=key, value=value, partition=partition)
        assert producer.flush(30) == 0

    def zombie(self, lane):
        """A producer with a lane's transactional id, an open transaction and a record in it."""
        producer = Producer(
            {"bootstrap.servers": self.address, "transactional.id": f"tailrace-{self.prefix}-{lane}", "linger.ms": 0}
        )
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce(self.topic(), key=b'{"id": -1}', value=b"{}")
        assert producer.flush(30) == 0
        return producer

    def close(self):
        for sink in self._sinks:
            sink.close()


def fresh_records(topic, numbers):
    """With timestamps of now: brokers delete what is older than a topic's retention."""
    records = records_of(topic, numbers)
    records.timestamps = np.full(len(numbers), time.time_ns() // 1_000_000)
    return records


class FreshNumbers(Numbers):
    """The same as an event."""

    def source_records(self):
        now = np.full(len(self), time.time_ns() // 1_000_000)
        return replace(super().source_records(), timestamps=now)


def eventually(question, expected):
    """Assert what a question is answered with, at last."""
    deadline = time.monotonic() + 15
    while (answer := question()) != expected and time.monotonic() < deadline:
        time.sleep(0.02)
    assert answer == expected


def progress(n):
    return Progress(f"{n:05d}", {"n": n})
