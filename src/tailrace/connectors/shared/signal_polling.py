"""Polls signals for a planner that does not read the log: the DataFrame way.

The file and Kafka channels are read as in the direct way. A signal table is selected, and its new rows are
found by digests of the known ones (`signals/polled_rows.py`), because the log is read only after a batch was planned.
All channels are polled every `signal.poll.interval.ms`. A signal has the same effect on the requested work as in the
direct way; there is one reader, which delivers all tables.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from tailrace.config.settings import Settings
from tailrace.connectors.base import Signalled
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.notifications.channels import NotificationChannels
from tailrace.requested_work.handling import SignalContext, apply
from tailrace.requested_work.work import Work
from tailrace.schema.tables import TableId
from tailrace.signals.channels import SignalChannels
from tailrace.signals.model import Signal
from tailrace.signals.polled_rows import SignalRow, new_rows, packed
from tailrace.signals.polling import Polling

SOURCE: Final = "source"
MOST_ROWS: Final = 4_000  # of a signal table: every offset has a digest of each

log = logging.getLogger(__name__)


class PolledDatabase(Protocol):
    """What polling needs from a database."""

    def rows(self, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
        """The rows of a signal table, ordered by the first column, at most `most`; None if there is no such table.

        Raises:
            SourceSetupError: it can't be read; the message says what to do.

        """

    def captured(self) -> Sequence[TableId]:
        """The tables whose rows may be requested: those that are captured now."""

    def position_text(self, position: Mapping[str, Any]) -> str:
        """A position, for people."""


class ChannelPoller:
    """Polls the signal channels of one stream."""

    def __init__(self, settings: Settings, signalled: Signalled | None, database: PolledDatabase) -> None:
        """Resume from the state of the channels in an offset."""
        self._settings = settings
        self._database = database
        self._tables = signal_tables_of(settings)
        self._channels = SignalChannels(settings, Work.from_dict(signalled).marks)
        self._polling = Polling(settings.signal_poll_interval_ms)
        self._notices = NotificationChannels(settings)
        self._missing: set[TableId] = set()

    def close(self) -> None:
        """Close the channels."""
        self._channels.close()

    def initial_state(self) -> Signalled | None:
        """The state of the channels for a new stream: rows that signal tables have by now are not for it."""
        return Work(marks={SOURCE: packed(self._rows(), map(str, self._tables))}).to_dict() if self._tables else None

    def poll(self, signalled: Signalled | None, position: Mapping[str, Any]) -> Signalled | None:
        """The requested work with the signals that have come since.

        Raises:
            ConfigError: a channel can't be read.
            SourceSetupError: a signal table can't be read, or has too many rows.

        """
        work = Work.from_dict(signalled)
        seen, new = self._new_rows(work.marks.get(SOURCE))
        for signal in (*new, *(received.signal for received in self._channels.poll())):
            work = self._handled(signal, work, position)
        marks = {**self._channels.marks, **({} if seen is None else {SOURCE: seen})}
        return replace(work, marks=marks).to_dict()

    def _handled(self, signal: Signal, work: Work, position: Mapping[str, Any]) -> Work:
        effect = apply(
            signal,
            work,
            SignalContext(
                connector=self._settings.topic_prefix,
                is_first=True,
                owns=lambda _table: True,
                tables=self._database.captured,
                position=lambda: self._database.position_text(position),
                named=self._settings.told_name,
            ),
        )
        if effect.structures:
            log.warning(
                "the signal %r gives structures of tables, which a DataFrame does not take: left out", signal.id
            )
        # Planning delivers no records, so the returned event is dropped: only the `log` channel shows the
        # notifications.
        self._notices.send(effect.notifications, "", 0)
        return effect.work

    def _new_rows(self, seen: str | None) -> tuple[str | None, list[Signal]]:
        """The packed state of the signal tables now, and their new signals."""
        if not self._tables or not self._polling.is_due():
            return seen, []
        try:
            there = self._rows()
        except (
            RetriableError
        ) as error:  # a signal is being written; if the server is gone, the log's planner reports it
            log.warning("the table of signals can't be looked into now, and the log goes on: %s", error)
            return seen, []
        kept = seen or "" if self._missing else ""  # the table may come back with its old rows
        return packed(there, map(str, self._tables), kept), [row.signal for row in new_rows(there, seen or "")]

    def _rows(self) -> list[SignalRow]:
        return [row for table in self._tables for row in self._rows_of(table)]

    def _rows_of(self, table: TableId) -> Iterator[SignalRow]:
        """In the order of their ids, as a table does not tell in which order its rows were inserted."""
        found = self._database.rows(table, MOST_ROWS + 1)
        if found is None:
            if table not in self._missing:
                log.warning("the signal table %s is not there: no signal is taken from a table until it is", table)
            self._missing.add(table)
            return
        self._missing.discard(table)
        if len(found) > MOST_ROWS:
            raise SourceSetupError(
                f"the signal table {table} has more than {MOST_ROWS} rows, each of which a DataFrame's offset has to remember: "
                "delete those that were handled"
            )
        yield from (SignalRow(str(table), tuple(row)) for row in found)


def unreadable(table: TableId, error: SourceSetupError, grant: str) -> SourceSetupError:
    """The error for a signal table that can't be read; `grant` is the statement that fixes it."""
    return SourceSetupError(
        f"the signal table {table} (signal.data.collection) can't be read: {error}. {grant} to the user, or take the table out "
        "of the configuration"
    )
