"""A lane's producer, with transactions or without, behind the same few steps.

With transactions everything between `begin` and `commit` becomes visible at once, or never. Without, a step that must
not be seen before another is separated from it by `settle`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from tailrace.changes.records import Records
from tailrace.errors import TailraceError
from tailrace.kafka.producer import Producer

TAKE_OVER_SECONDS: Final = 90.0  # a transaction that another task left open is ended first
DELIVERY_SECONDS: Final = 90.0  # longer than messages may wait, so that the client says itself what is wrong
ABORT_SECONDS: Final = 3.0


class Writer:
    """Sends records; made for one lane (`transactional_id`), or for none (at least once)."""

    def __init__(self, options: Mapping[str, str], transactional_id: str | None) -> None:
        self._transactional = transactional_id is not None
        self._began = False
        own = {"transactional.id": transactional_id} if transactional_id is not None else {}
        self._producer = Producer({**options, **own}, transactional=self._transactional)

    def take_over(self) -> None:
        """Fence whoever had the lane, and wait until its last transaction has ended."""
        if self._transactional:
            self._producer.init_transactions(TAKE_OVER_SECONDS)

    def send(self, records: Records) -> int:
        """Hand over records; returns their size in bytes."""
        self._begin()
        return self._producer.send(records)

    def send_one(self, topic: str, key: bytes, value: bytes | None, partition: int) -> None:
        """Hand over one record."""
        self._begin()
        self._producer.send_one(topic, key, value, partition=partition)

    def settle(self) -> None:
        """Without transactions: what follows is sent when everything so far has arrived."""
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
        """Drop what was not committed; in a bounded time, also when the brokers do not answer."""
        with suppress(TailraceError):
            if self._transactional and self._began:
                self._producer.abort(ABORT_SECONDS)
        self._producer.close()

    def _begin(self) -> None:
        if self._transactional and not self._began:
            self._producer.begin()
        self._began = True
