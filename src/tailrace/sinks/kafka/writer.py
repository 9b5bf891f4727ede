"""A lane's producer, with or without transactions, with the same few methods.

With transactions everything between `begin` and `commit` becomes visible atomically, or never. Without, `settle`
separates a step from another one that must not become visible before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from tailrace.changes.records import Records
from tailrace.errors import TailraceError
from tailrace.kafka.producer import Producer

TAKE_OVER_SECONDS: Final = 90.0  # ending another task's open transaction comes first
DELIVERY_SECONDS: Final = 90.0  # longer than the message timeout, so that the client reports the cause
ABORT_SECONDS: Final = 3.0


class Writer:
    """Sends records; made for one lane (`transactional_id`), or for none (at least once).

    `many`: whether it sends more than progress.
    """

    def __init__(self, options: Mapping[str, str], transactional_id: str | None, *, many: bool = True) -> None:
        self._transactional = transactional_id is not None
        self._began = False
        own = {"transactional.id": transactional_id} if transactional_id is not None else {}
        self._producer = Producer({**options, **own}, transactional=self._transactional, many=many)

    def take_over(self) -> None:
        """Fence the lane's previous owner, and wait until its last transaction has ended."""
        if self._transactional:
            self._producer.init_transactions(TAKE_OVER_SECONDS)

    def send(self, records: Records) -> int:
        """Send records; returns their size in bytes."""
        self._begin()
        return self._producer.send(records)

    def send_one(self, topic: str, key: bytes, value: bytes | None, partition: int) -> None:
        """Send one record."""
        self._begin()
        self._producer.send_one(topic, key, value, partition=partition)

    def settle(self) -> None:
        """Without transactions: wait until everything so far has arrived, before anything else is sent."""
        if not self._transactional:
            self._producer.flush(DELIVERY_SECONDS)

    def flush(self) -> None:
        """Wait until everything has arrived."""
        self._producer.flush(DELIVERY_SECONDS)

    def commit(self) -> None:
        """Make what was flushed visible."""
        if self._transactional:
            self._producer.commit(DELIVERY_SECONDS)
        self._began = False

    def close(self) -> None:
        """Drop what was not committed; in bounded time, even if the brokers do not answer."""
        with suppress(TailraceError):
            if self._transactional and self._began:
                self._producer.abort(ABORT_SECONDS)
        self._producer.close()

    def _begin(self) -> None:
        if self._transactional and not self._began:
            self._producer.begin()
        self._began = True
