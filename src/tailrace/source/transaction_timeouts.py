"""Commits that always exceed the sink's timeout: detected by repeated timeouts, with an error that says what to set.

Kafka's brokers end a transaction that is open for longer than `transaction.timeout.ms`. If the machine slept or the
network was down the next attempt succeeds. If the commit itself takes longer, as for a large table without a key, which
must be delivered whole, each attempt would end in the same way.

Other commits in between say nothing about a section of open batches: the log continues while such a section is retried.
So after a timeout within a section, only a section's end resets the count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tailrace.changes.records import Records
from tailrace.connectors.base import LogBatch
from tailrace.errors import ConfigError, RetriableError, TransactionTooLongError

ATTEMPTS_AT_A_SECTION = 2
ATTEMPTS = 5  # for ordinary commits, about one per second: sources and brokers may be slow for a while


class TransactionTimeouts:
    """One task's count of timeouts."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._in_section = False
        self._topics: dict[str, None] = {}
        self._ended = self._ended_in_section = 0

    def begins(self, batch: LogBatch, records: Sequence[Records]) -> None:
        """A batch is about to be written, as these records."""
        if self._began is None:
            self._began = time.monotonic()
        if batch.is_open and not self._in_section:
            self._in_section = True
            self._topics.clear()
        self._topics.update(dict.fromkeys(each.topic for each in records if len(each)))

    def committed(self) -> None:
        """All that was written is committed."""
        if self._in_section:
            self._ended_in_section = 0
        self._ended = 0
        self.dropped()

    def dropped(self) -> None:
        """All that was written is given up."""
        self._began = None
        self._in_section = False
        self._topics.clear()

    def lost(self, error: RetriableError) -> None:
        """The sink was lost with what was written.

        Raises:
            ConfigError: for the same reason as before, with nothing committed between.

        """
        if isinstance(error, TransactionTooLongError):
            self._count(error)
        self.dropped()

    def _count(self, error: TransactionTooLongError) -> None:
        self._ended += 1
        self._ended_in_section += self._in_section
        if self._ended_in_section >= ATTEMPTS_AT_A_SECTION or self._ended >= ATTEMPTS:
            raise ConfigError(f"{self._what(error)}: {error.remedy}") from error

    def _what(self, error: TransactionTooLongError) -> str:
        lasted = "" if self._began is None else f", after {time.monotonic() - self._began:.0f} s"
        topics = ", ".join(list(self._topics)[-3:])
        why = " A table without a key is delivered in one transaction." if self._in_section else ""
        where = f" (records of {topics}{lasted})" if topics else ""
        times = max(self._ended, self._ended_in_section)
        return f"{error}{where}, {times} times in a row.{why} It would never be delivered"
