"""A read-committed consumer that follows the topics of a prefix while they are written, and folds their records.

It assigns itself partitions as they appear and keeps its own offsets, so that neither a rebalance nor a killed broker makes it
skip or repeat records: a record that it gets twice is a duplicate in the topic.
"""

import contextlib
import json
import threading
import time
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

BATCH = 5_000
LOOK_SECONDS = 1.0


class Commit(NamedTuple):
    """When it was made, by the task's clock (ms since the epoch), by which process, and when it was seen here."""

    at_ms: int
    pid: int
    seen_at: float


class Follower(threading.Thread):
    """`commits` has each lane's last commit."""

    def __init__(self, address, prefix, folding, progress_topic):
        super().__init__(daemon=True, name="kafka-follower")
        self.commits = {}
        self.error = None
        self._prefix = prefix
        self._folding = folding
        self._progress_topic = progress_topic
        self._known = set()
        self._looked_at = 0.0
        self._ended = threading.Event()
        self._consumer = Consumer(
            {
                "bootstrap.servers": address,
                "group.id": f"follower-{prefix}",
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 50,
                "reconnect.backoff.max.ms": 500,
                "log_level": 2,
            }
        )

    def run(self):
        try:
            while not self._ended.is_set():
                self._look_for_partitions()
                self._take(self._consumer.consume(BATCH, timeout=0.05))
        except Exception as error:
            self.error = error
        finally:
            self._consumer.close()

    def stop(self):
        self._ended.set()
        self.join(30)

    def _look_for_partitions(self):
        if time.monotonic() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = time.monotonic()
        try:
            topics = self._consumer.list_topics(timeout=5).topics
        except KafkaException:
            return  # no broker at the moment
        found = {(name, p) for name, meta in topics.items() if self._is_wanted(name) for p in meta.partitions}
        new = sorted(found - self._known)
        if new:
            self._consumer.incremental_assign([TopicPartition(t, p, OFFSET_BEGINNING) for t, p in new])
            self._known |= found

    def _is_wanted(self, topic):
        return topic == self._prefix or topic.startswith(f"{self._prefix}.") or topic == self._progress_topic

    def _take(self, messages):
        records = []
        for message in messages:
            error = message.error()
            if error is not None:
                self._look_at_error(error)
            elif message.topic() == self._progress_topic:
                self._note_commit(message)
            else:
                place = message.topic(), message.partition(), message.offset()
                records.append((*place, message.key(), message.value(), message.headers))
        if records:
            self._folding.take(records)

    def _note_commit(self, message):
        with contextlib.suppress(ValueError, TypeError, KeyError):  # told elsewhere; here it only gives times
            value = json.loads(message.value())
            self.commits[message.partition()] = Commit(value["committed_at_ms"], value["pid"], time.time())

    def _look_at_error(self, error):
        passing = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE, KafkaError._TIMED_OUT}
        if error.code() == KafkaError._AUTO_OFFSET_RESET or not (error.retriable() or error.code() in passing):
            raise KafkaException(error)


def count_committed(address, topics):
    """How many records of the topics a read-committed consumer sees now, from the first to the last."""
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "counting",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        }
    )
    try:
        found = consumer.list_topics(timeout=30).topics
        open_ = {(topic, p) for topic in topics if topic in found for p in found[topic].partitions}
        consumer.assign([TopicPartition(*place, 0) for place in open_])
        count, deadline = 0, time.monotonic() + 300
        while open_:
            messages = consumer.consume(BATCH, timeout=0.2)  # waits for a full batch that long
            if time.monotonic() > deadline:
                raise TimeoutError(f"these were not read to their ends: {sorted(open_)}")
            ends = {(m.topic(), m.partition()) for m in messages if m.error() is not None}
            count += sum(message.error() is None for message in messages)
            open_ -= ends
        return count
    finally:
        consumer.close()
