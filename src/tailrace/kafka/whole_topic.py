"""A small topic: read to its end, created if it is missing, and appended to.

For topics that others also use and that have few records: the schema history, Kafka Connect's offsets. The writers of the
schema history use no transactions. A Connect worker with `exactly.once.source.support` does, and then what was aborted does not
count.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from attrs import field, frozen
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tailrace.errors import ConfigError, TailraceError
from tailrace.kafka.background_errors import BackgroundErrors
from tailrace.kafka.client_errors import is_for_good
from tailrace.kafka.options import Clients
from tailrace.kafka.tokens import client_options

Options = Mapping[str, str]
Pair = tuple[bytes | None, bytes | None]

FIRST_OFFSET: Final = 0
BATCH: Final = 1000
WAIT_SECONDS: Final = 0.1  # the wait for a batch, even if it will never be full
QUEUED_KBYTES: Final = "16384"
_READING: Final = {
    "enable.auto.commit": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "earliest",
    "queued.max.messages.kbytes": QUEUED_KBYTES,
}
# one request at a time keeps the order without idempotence, which needs an extra right on old brokers
_WRITING: Final = {"acks": "all", "max.in.flight.requests.per.connection": "1", "partitioner": "murmur2_random"}


@frozen(kw_only=True)
class WholeTopic:
    """A topic and how to reach it.

    Attributes:
        name: of the topic.
        clients: options to reach the brokers, with secrets.
        what: its purpose, for error messages: "the schema history".
        timeout: seconds that each request to the brokers may take.
        committed: whether only what was committed is read; an open transaction's end is waited for.

    """

    name: str
    clients: Clients = field(repr=False)
    what: str
    timeout: float = 30.0
    committed: bool = False
    _background_errors: BackgroundErrors = field(factory=BackgroundErrors, init=False, repr=False)

    def __str__(self) -> str:
        return f"the topic {self.name} of {self.what}"

    def partitions(self) -> list[int]:
        """The numbers of its partitions; none if there is no such topic."""
        admin = AdminClient(client_options(self._options(self.clients.admin)))
        wanted = TopicCollection([self.name])  # a metadata request would create it
        try:
            found = admin.describe_topics(wanted, request_timeout=self.timeout)[self.name].result()
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                return []
            admin.poll(0)
            raise self._complaint(error.args[0], "read") from error
        return sorted(partition.id for partition in found.partitions)

    def create(self, partitions: int, configs: Mapping[str, str]) -> None:
        """Create it, with the brokers' default replication; if it exists, do nothing."""
        admin = AdminClient(client_options(self._options(self.clients.admin)))
        topic = NewTopic(self.name, num_partitions=partitions, replication_factor=-1, config=dict(configs))
        try:
            admin.create_topics([topic], operation_timeout=self.timeout, request_timeout=self.timeout)[
                self.name
            ].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise self._complaint(error.args[0], "created") from error

    def read(self, partitions: Sequence[int]) -> list[Pair]:
        """The keys and values of all current records, partition by partition, in order."""
        if not partitions:
            return []
        isolation = "read_committed" if self.committed else "read_uncommitted"
        given = {"group.id": "tailrace", **self.clients.consumer, **_READING, "isolation.level": isolation}
        options = self._options(given)
        with closing(Consumer(client_options(options))) as consumer:
            return self._read(consumer, partitions)

    def append(self, pairs: Sequence[Pair], partition: int = -1) -> None:
        """Add records; they are on the brokers when this returns. -1: the partition of the key's hash."""
        producer = Producer(client_options(self._options({**self.clients.producer, **_WRITING})))
        failed: list[KafkaError] = []
        deadline = time.monotonic() + self.timeout * 2
        for key, value in pairs:
            self._produce(producer, key, value, partition, failed, deadline)
        left = producer.flush(max(deadline - time.monotonic(), 1.0))
        if failed:
            raise self._complaint(failed[0], "written to")
        if left:
            producer.purge()
            raise self._in_vain("written to", f"{left} records were not taken within {self.timeout * 2:g} s")
        self._background_errors.forget()

    def _produce(
        self,
        producer: Producer,
        key: bytes | None,
        value: bytes | None,
        partition: int,
        failed: list[KafkaError],
        deadline: float,
    ) -> None:
        def note(error: KafkaError | None, _: Message) -> None:
            if error is not None:
                failed.append(error)

        while True:
            try:
                producer.produce(self.name, key=key, value=value, partition=partition, on_delivery=note)
            except BufferError:
                if time.monotonic() > deadline:
                    raise self._in_vain("written to", "the brokers take no records") from None
                producer.poll(0.1)
            except KafkaException as error:
                raise self._complaint(error.args[0], "written to") from error
            else:
                return

    def _read(self, consumer: Consumer, partitions: Sequence[int]) -> list[Pair]:
        consumer.assign([TopicPartition(self.name, number, FIRST_OFFSET) for number in partitions])
        read: dict[int, list[Pair]] = {number: [] for number in partitions}
        open_, deadline = set(partitions), time.monotonic() + self.timeout
        held_up = ""
        while open_:
            messages = consumer.consume(BATCH, timeout=WAIT_SECONDS)
            for message in messages:
                if self._is_record(message):
                    read[_number(message)].append((_bytes(message.key()), _bytes(message.value())))
                elif why := self._held_up(consumer, message):
                    held_up = why
                else:
                    open_.discard(_number(message))
            deadline = time.monotonic() + self.timeout if messages else deadline
            if time.monotonic() > deadline:
                raise self._in_vain("read", held_up or f"nothing came for {self.timeout:g} s")
        self._background_errors.forget()
        return [pair for number in partitions for pair in read[number]]

    def _held_up(self, consumer: Consumer, end: Message) -> str:
        """Why more may come behind what was told to be a partition's end; "" if that is the end."""
        if not self.committed:
            return ""
        number, stable = _number(end), end.offset() or 0
        _, high = consumer.get_watermark_offsets(TopicPartition(self.name, number), cached=True)
        if stable >= high:
            return ""
        return (
            f"partition {number} is held up by a transaction that is open: its records are stable up to {stable} of {high}; "
            "stop the connector, then it ends by its timeout, or with kafka-transactions.sh abort"
        )

    def _is_record(self, message: Message) -> bool:
        """Whether it is one, not the end of a partition."""
        error = message.error()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001
            raise self._complaint(error, "read")
        return error is None

    def _options(self, given: Options) -> dict[str, Any]:
        """Keep librdkafka's own log lines off the screen; their text goes into the one error message."""
        return {**given, **self._background_errors.options}

    def _in_vain(self, done: str, said: str) -> TailraceError:
        return self._background_errors.complaint(f"{self} can't be {done}", said)

    def _complaint(self, error: KafkaError, done: str) -> TailraceError:
        if error.code() == KafkaError.MSG_SIZE_TOO_LARGE or is_for_good(error):
            return ConfigError(f"{self} can't be {done}: {error.str()}")
        return self._in_vain(done, error.str())


def _number(message: Message) -> int:
    number = message.partition()
    return -1 if number is None else number


def _bytes(text: Any) -> bytes | None:
    return None if text is None else bytes(text)
