"""Signals for those who plan a stream and do not read its log: the DataFrame way.

The file and the Kafka topic are read as elsewhere. Of a signal table the rows are looked at that are there
(`signals/seen.py`), since nobody reads the log before a batch of it is planned. All channels are looked into every
`signal.poll.interval.ms`. What a signal makes of the work is the same as in the direct way; there is one reader, who
delivers all tables.
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
from tailrace.schema.tables import TableId
from tailrace.signalled.handling import Surroundings, handled
from tailrace.signalled.work import Work
from tailrace.signals.channels import SignalChannels
from tailrace.signals.model import Signal
from tailrace.signals.polling import Polling
from tailrace.signals.seen import SignalRow, packed, unseen

SOURCE: Final = "source"
MOST_ROWS: Final = 4_000  # of a signal table: a digest of each stands in every offset

log = logging.getLogger(__name__)


class ListenedDatabase(Protocol):
    """What a listener asks of a database."""

    def rows(self, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
        """The rows of a signal table by their first column, at most so many; None where it is not there.

        Raises:
            SourceSetupError: it may not be read; the message says what to do.

        """

    def captured(self) -> Sequence[TableId]:
        """The tables whose rows may be asked for, as they are now."""

    def shown(self, position: Mapping[str, Any]) -> str:
        """A position, for people."""


class ChannelListener:
    """The signals of one stream."""

    def __init__(self, settings: Settings, signalled: Signalled | None, database: ListenedDatabase) -> None:
        """One that goes on from what an offset keeps."""
        self._settings = settings
        self._database = database
        self._tables = signal_tables_of(settings)
        self._channels = SignalChannels(settings, Work.from_dict(signalled).marks)
        self._polling = Polling(settings.signal_poll_interval_ms)
        self._notices = NotificationChannels(settings)
        self._missing: set[TableId] = set()

    def close(self) -> None:
        """Let go of the channels."""
        self._channels.close()

    def begun(self) -> Signalled | None:
        """What a new stream begins with: what the signal tables have by now is not for it."""
        return Work(marks={SOURCE: packed(self._rows(), map(str, self._tables))}).to_dict() if self._tables else None

    def heard(self, signalled: Signalled | None, position: Mapping[str, Any]) -> Signalled | None:
        """What is to be done with what has come in since.

        Raises:
            ConfigError: a channel can't be read.
            SourceSetupError: a signal table may not be read, or has too many rows.

        """
        work = Work.from_dict(signalled)
        seen, new = self._new_rows(work.marks.get(SOURCE))
        for signal in (*new, *(received.signal for received in self._channels.poll())):
            work = self._handled(signal, work, position)
        marks = {**self._channels.marks, **({} if seen is None else {SOURCE: seen})}
        return replace(work, marks=marks).to_dict()

    def _handled(self, signal: Signal, work: Work, position: Mapping[str, Any]) -> Work:
        effect = handled(
            signal,
            work,
            Surroundings(
                connector=self._settings.topic_prefix,
                is_first=True,
                owns=lambda _table: True,
                tables=self._database.captured,
                position=lambda: self._database.shown(position),
            ),
        )
        if effect.structures:
            log.warning(
                "the signal %r gives structures of tables, which a DataFrame does not take: left out", signal.id
            )
        self._notices.tell(effect.notifications, "", 0)
        return effect.work

    def _new_rows(self, seen: str | None) -> tuple[str | None, list[Signal]]:
        """What is seen of the signal tables now, and the signals among it that are new."""
        if not self._tables or not self._polling.is_due():
            return seen, []
        try:
            there = self._rows()
        except (
            RetriableError
        ) as error:  # somebody is amid writing one; where the server is gone, its log's planner says so
            log.warning("the table of signals can't be looked into now, and the log goes on: %s", error)
            return seen, []
        kept = seen or "" if self._missing else ""  # the table may come back with the rows that it had
        return packed(there, map(str, self._tables), kept), [row.signal for row in unseen(there, seen or "")]

    def _rows(self) -> list[SignalRow]:
        return [row for table in self._tables for row in self._rows_of(table)]

    def _rows_of(self, table: TableId) -> Iterator[SignalRow]:
        """In the order of their ids: which one came first, nobody can tell."""
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
    """What to say where a signal table may not be read; `grant` is the statement that mends it."""
    return SourceSetupError(
        f"the signal table {table} (signal.data.collection) can't be read: {error}. {grant} to the user, or take the table out "
        "of the configuration"
    )
