"""A producer that takes whole columns and sends them in transactions.

    producer = Producer(options, transactional=True)
    producer.init_transactions(timeout=60)
    producer.begin()
    producer.send(records)
    producer.commit(timeout=60)

Values are not copied: librdkafka reads them from the columns' own memory, which is reused as soon as
nothing references it. So everything sent is held until it is known to be delivered, or until the instance is
gone. The producer waits for that before it holds more than `HELD_BYTES`: for the oldest sends only (`deliveries`), so that
librdkafka has something to do meanwhile. Most were delivered while the caller made the next ones.

A failed record spoils its transaction, so the first failure is kept and raised by the next call. `failures` decides
which error that is, and whether a retry helps.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import numpy as np

from tailrace.changes.records import Binary, Header, Records
from tailrace.errors import ConfigError, DeliveryError, SinkLostError, TailraceError
from tailrace.kafka.allocator import keep_freed_memory
from tailrace.kafka.client import Client, Failed
from tailrace.kafka.failures import CONSEQUENCES, QUEUE_FULL, TOO_LARGE, background_text, error_of
from tailrace.kafka.librdkafka import NO_PARTITION, Problem
from tailrace.kafka.rows import Rows

HELD_BYTES: Final = 24 << 20
"""How much is held before the producer waits for its delivery; one call of `send` may exceed it."""
FULL_PAUSE: Final = 0.001
"""Seconds to wait for room in librdkafka's queue before a retry."""
SLICE: Final = 0.1
"""Longest call into librdkafka, in seconds: between calls failures and signals are seen."""
HURRY: Final = 0.01
"""Seconds between two looks at the oldest send, while librdkafka is told to wait for nothing."""
ABORT_TIMEOUT: Final = 2.0
PATIENCE: Final = 5.0
"""Seconds to keep trying with a broker that refuses the login."""
NO_TIMESTAMP: Final = 0
"""librdkafka takes the time of the call."""


class Producer:
    """A Kafka producer, for one thread of the process that made it.

    Args:
        options: librdkafka's, with secrets.
        transactional: whether to use the `transactional.id` among them.
        many: whether it sends many records. It then loads compiled code when it is made.

    Every timeout is in seconds. What was sent and neither flushed nor committed when it closes is dropped.

    """

    def __init__(self, options: Mapping[str, str], *, transactional: bool, many: bool = True) -> None:
        if transactional and not options.get("transactional.id"):
            raise ConfigError("a transactional producer needs a transactional.id")
        given = {name: value for name, value in options.items() if transactional or name != "transactional.id"}
        self._held: deque[Rows] = deque()
        self._held_bytes = 0
        self._sends = 0
        self._failure: TailraceError | None = None
        self._purged: Failed | None = None
        self._transactional = transactional
        self._initialized = False
        self._in_transaction = False
        keep_freed_memory()
        self._client = Client(given, counts=many)
        self._lib = self._client.lib
        self._call = self._lib.address("produceva")

    def __del__(self) -> None:
        if hasattr(self, "_lib") and not sys.is_finalizing():
            self.close()

    def init_transactions(self, timeout: float) -> None:
        """Take the transactional id over: fence its previous owner, and end its open transaction."""
        if self._transactional:
            self._until(self._lib.init_transactions, timeout, "the Kafka transactions can't be set up")
            self._initialized = True

    def begin(self) -> None:
        """Begin a transaction."""
        if self._transactional:
            problem = self._client.take_error(self._lib.begin_transaction(self._client.handle))
            self._raise(problem, "no Kafka transaction can be begun")
            self._in_transaction = True

    def send(self, records: Records) -> int:
        """Queue records, waiting for room; returns the bytes of their keys and values."""
        if not len(records):
            return 0
        rows = Rows(records, self._client.topic(records.topic), self._sends)
        self._make_room(rows.size)
        self._held.append(rows)
        self._held_bytes += rows.size
        self._sends += 1
        self._serve(0)
        while True:
            before, is_empty = rows.done, not self._lib.outq_len(self._client.handle)
            if rows.produce(self._call, self._client.handle):
                return rows.size
            self._wait_for_room(rows, is_empty=is_empty and rows.done == before)

    def send_one(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        partition: int = NO_PARTITION,
        timestamp_ms: int | None = None,
        headers: Iterable[tuple[str, bytes]] = (),
    ) -> int:
        """Queue one record; -1: the partition of its key, None: the time of the call."""
        return self.send(
            Records(
                topic,
                _column(key),
                _column(value),
                np.array([timestamp_ms or NO_TIMESTAMP]),
                _column(b""),
                np.zeros(1, np.int64),
                headers=tuple(Header(name, _column(content)) for name, content in headers),
                partition=None if partition < 0 else partition,
            )
        )

    def flush(self, timeout: float = math.inf) -> None:
        """Wait until all is delivered; at most for as long as librdkafka retries, which then reports failures."""
        deadline = time.monotonic() + timeout
        self._serve(0)
        while waiting := self._lib.outq_len(self._client.handle):
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._undelivered(waiting, timeout)
            self._lib.flush(self._client.handle, _milliseconds(min(left, SLICE)))
            self._serve(0)
        self._let_go()

    def commit(self, timeout: float) -> None:
        """Make all that was sent since `begin` visible, atomically."""
        deadline = time.monotonic() + timeout
        self.flush(timeout)
        if self._transactional:
            left = max(deadline - time.monotonic(), SLICE)
            self._until(self._lib.commit_transaction, left, "the Kafka transaction can't be committed")
            self._in_transaction = False
        self._client.clear_errors()

    def abort(self, timeout: float) -> None:
        """Drop all that was sent since `begin`."""
        self._in_transaction = False
        self._until(self._lib.abort_transaction, timeout, "the Kafka transaction can't be aborted", failing=True)
        self._failure = self._purged = None
        self._let_go()

    def close(self) -> None:
        """Drop what is not delivered, and close."""
        if not self._client.handle:
            return
        if self._in_transaction and self._failure is None:
            with contextlib.suppress(TailraceError):  # an open transaction would block readers until it times out
                self.abort(ABORT_TIMEOUT)
        self._client.close(self._held)
        self._held = deque()

    def _make_room(self, size: int) -> None:
        """Let go of what has arrived, and wait until so many bytes more may be held."""
        deadline = time.monotonic() + SLICE
        deliveries = self._client.deliveries
        limit = math.inf if deliveries is None else deliveries.limit
        while self._held:
            oldest = self._held[0]
            if deliveries is not None and deliveries.of(oldest.send) == len(oldest):
                self._release(self._held.popleft())
            elif self._held_bytes + size <= HELD_BYTES and len(self._held) < limit:
                return
            elif deliveries is None:
                self.flush()
            elif time.monotonic() > deadline:
                self._hurry()
            else:
                self._serve(FULL_PAUSE)

    def _hurry(self) -> None:
        """Have librdkafka send for a while what it has: it may wait for more, which does not come (`linger.ms`)."""
        if self._lib.outq_len(self._client.handle):
            self._lib.flush(self._client.handle, _milliseconds(HURRY))
            self._serve(0)
        else:
            self._let_go()

    def _let_go(self) -> None:
        """Release all records, of which none is under way any more."""
        while self._held:
            self._release(self._held.popleft())

    def _release(self, rows: Rows) -> None:
        self._held_bytes -= rows.size
        if self._client.deliveries is not None:
            self._client.deliveries.forget(rows.send)

    def _wait_for_room(self, rows: Rows, *, is_empty: bool) -> None:
        """Wait after a row was refused; raise if it always will be. `is_empty`: nothing else was in the queue."""
        problem = self._client.take_error(rows.error)
        if problem is not None and (is_empty or problem.code != QUEUE_FULL):
            self._fail(self._refused(rows, problem))
        self._serve(FULL_PAUSE)

    def _refused(self, rows: Rows, problem: Problem) -> TailraceError:
        """Why the next row can't be queued."""
        topic, size = rows.records.topic, _row_size(rows.records, rows.done)
        if problem.code == QUEUE_FULL:
            return DeliveryError(
                f"a record of {size:,} bytes for {topic} is larger than all that a producer may hold: raise "
                "producer.override.buffer.memory, which must be more than producer.override.max.request.size"
            )
        return self._meaning(Failed(topic, NO_PARTITION, rows.number + rows.done, size, problem))

    def _until(self, call: Callable[[int, int], int], timeout: float, what: str, *, failing: bool = False) -> None:
        """Repeat a resumable call until it is complete; `failing`: records may fail meanwhile."""
        deadline = time.monotonic() + timeout
        while True:
            left = deadline - time.monotonic()
            lasting = FULL_PAUSE if failing else min(left, SLICE)  # failures are not seen during a call
            problem = self._client.take_error(call(self._client.handle, _milliseconds(lasting)))
            self._serve(0, failing=failing)
            if problem is None:
                return
            if not problem.retriable or left <= 0:
                self._raise(problem, what)
            if not self._initialized:
                self._raise_when_login_refused(what)
            time.sleep(FULL_PAUSE)

    def _raise_when_login_refused(self, what: str) -> None:
        """Raise if the login is refused for long; patient, since a starting broker refuses clients, too."""
        if self._client.refused and time.monotonic() - self._client.refused_since > PATIENCE:
            self._raise(self._client.refused, what)

    def _serve(self, seconds: float, *, failing: bool = False) -> None:
        """Poll the client; raise the error of a failed record."""
        for failed in self._client.poll(seconds):
            if failed.problem.code in CONSEQUENCES:
                self._purged = self._purged or failed
            elif self._failure is None and not failing:
                self._failure = self._meaning(failed)
        if failing:
            return
        if self._failure is None and self._purged is not None:
            self._failure = self._meaning(self._purged)
        if self._failure is not None:
            raise self._failure

    def _fail(self, error: TailraceError) -> None:
        self._failure = self._failure or error
        raise self._failure

    def _raise(self, problem: Problem | None, what: str) -> None:
        if problem is not None:
            self._fail(self._error(problem, what))

    def _undelivered(self, count: int, timeout: float) -> TailraceError:
        what = f"{count} records were not delivered to Kafka within {timeout:g} s"
        problem = self._cause() or self._client.refused
        if problem is not None:
            self._failure = self._error(problem, what)
        else:
            self._failure = SinkLostError(f"{what}{background_text(self._client.last_errors())}")
        return self._failure

    def _meaning(self, failed: Failed) -> TailraceError:
        if failed.problem.code in TOO_LARGE:
            return self._too_large(failed)
        problem = self._cause() or failed.problem if failed.problem.code in CONSEQUENCES else failed.problem
        return self._error(problem, f"a record can't be delivered to {failed.topic}")

    def _error(self, problem: Problem, what: str) -> TailraceError:
        return error_of(problem, what, self._client.last_errors())

    def _cause(self) -> Problem | None:
        """The problem of the transaction or the instance, from a call that is refused in any state."""
        fatal = self._client.fatal_problem()
        if fatal is not None or not self._transactional:
            return fatal
        problem = self._lib.take_error(self._lib.begin_transaction(self._client.handle))
        return problem if problem is not None and problem.code not in CONSEQUENCES else None

    def _too_large(self, failed: Failed) -> DeliveryError:
        what = f"a record of {failed.topic} at {self._position(failed.number)} has {failed.size} bytes"
        if failed.partition == NO_PARTITION:  # it was not even queued
            limit = self._client.option("message.max.bytes")
            return DeliveryError(
                f"{what} and some more around it, which is above the {limit} that the producer sends; raise"
                " producer.override.max.request.size and the topic's max.message.bytes"
            )
        return DeliveryError(
            f"{what} and is the largest of a batch that the broker finds too large; raise the topic's"
            " max.message.bytes, or, if the record is smaller than that, lower producer.override.batch.size"
        )

    def _position(self, number: int) -> str:
        for rows in self._held:
            if rows.number <= number < rows.number + len(rows):
                return (rows.records.positions[number - rows.number] or b"").decode()
        return "an unknown position"


def _row_size(records: Records, row: int) -> int:
    return sum(int(column.offsets[row + 1] - column.offsets[row]) for column in (records.keys, records.values))


def _column(text: bytes | None) -> Binary:
    data = np.frombuffer(text or b"", np.uint8)
    return Binary(data, np.array([0, len(data)]), np.array([False]) if text is None else None)


def _milliseconds(seconds: float) -> int:
    return max(int(seconds * 1000), 1)
