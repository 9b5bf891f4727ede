"""The notifications of a snapshot while it is read, as Debezium sends them.

They follow from two states, the committed one and the next one, and belong to the commit of the next one. So each is
delivered once, whatever dies in between. Only the `log` channel has them as soon as they are made.

- A lane begins with a table when that is the first one that it still has to read. A table is completed when its last
  row is delivered.
- A table that one lane reads: IN_PROGRESS, TABLE_SCAN_COMPLETED.
- A table in parts, each read by another lane: the lane with the first part sends IN_PROGRESS, each lane
  TABLE_CHUNK_IN_PROGRESS and TABLE_CHUNK_COMPLETED of its part. Its total row count, and that all of it is read, are
  known only at the end.
- The first lane sends STARTED, and at the end COMPLETED, before it TABLE_SCAN_COMPLETED of tables in parts. It waits
  until the other lanes are done.

Debezium notifies that a table is completed before it sends the table's last row. Here the notification comes with that
row or after it, since the row's commit may still fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace.config.settings import Settings
from tailrace.connectors.base import FIGURES, Progress
from tailrace.events.event import Event
from tailrace.notifications.channels import NotificationChannels
from tailrace.notifications.model import Notification
from tailrace.notifications.snapshots import InitialSnapshot
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.state import SnapshotState, TableState

MOST_NAMES: Final = 64 << 10  # characters of table names in one notification, which must fit into a Kafka message


class SnapshotNotifications:
    """Makes the notifications of one lane's part of a snapshot, if a channel is configured.

    Attributes:
        wanted: whether a channel is configured.

    """

    def __init__(self, settings: Settings, position: str) -> None:
        """`position`: the text of the snapshot's position."""
        self.wanted = bool(settings.notification_enabled_channels)
        self._channels = NotificationChannels(settings) if self.wanted else None
        self._snapshot = InitialSnapshot(settings.topic_prefix, named=settings.told_name)
        self._position = position
        self._tables: Sequence[TableId] = ()

    def note_tables(self, tables: Iterable[TableId]) -> None:
        """Note the tables of the whole snapshot, in reading order; as many as a record can name."""
        self._tables = list(_named(tables))

    def started(self) -> list[Event]:
        """The notification that the snapshot begins."""
        return self._events([self._snapshot.started()])

    def at_start(self, state: SnapshotState) -> list[Event]:
        """The notifications of a lane that begins with this state."""
        return self._events(self._table_started(name, state.tables[name]) for name in _begun(state))

    def between(self, before: SnapshotState, after: SnapshotState) -> list[Event]:
        """The notifications between two states of a lane; both have all of its tables."""
        return self._events(self._between(before, after))

    def completed(self, own: Mapping[str, Any], others: Iterable[Progress | None]) -> list[Event]:
        """The notifications at the end of the snapshot.

        Args:
            own: the figures of the lane that sends them.
            others: the last progress of the other lanes.

        """
        figures = [own, *(progress.snapshot[FIGURES] for progress in others if progress and progress.snapshot)]
        rows: dict[str, int] = {}
        for name, counts in (item for each in figures for item in each["of"].items()):
            if counts["parts"] > 1:
                rows[name] = rows.get(name, 0) + counts["rows"]
        notifications = [self._snapshot.table_completed(parse_id(name), rows[name], self._tables) for name in rows]
        return self._events([*notifications, self._snapshot.completed()])

    def without_rows(self) -> tuple[list[Event], list[Event]]:
        """The notifications at the beginning and at the end of a snapshot without rows."""
        return self.started(), self._events([self._snapshot.completed()])

    def skipped(self) -> list[Event]:
        """The notification that no snapshot is taken."""
        return self._events([self._snapshot.skipped()])

    def _events(self, notifications: Iterable[Notification | list[Notification]]) -> list[Event]:
        if self._channels is None:
            return []
        flat = [each for one in notifications for each in (one if isinstance(one, list) else [one])]
        event = self._channels.send(flat, self._position, 0) if flat else None
        return [] if event is None else [event]

    def _between(self, before: SnapshotState, after: SnapshotState) -> Iterator[list[Notification]]:
        begun_before, begun_after, unfinished = _begun(before), _begun(after), after.unfinished
        for name in before.unfinished:
            is_finished = name not in unfinished
            # A small table may begin and end between two states.
            if name not in begun_before and (is_finished or name in begun_after):
                yield self._table_started(name, before.tables[name])
            if is_finished:
                yield self._table_ended(name, after.tables[name])

    def _table_started(self, name: str, table: TableState) -> list[Notification]:
        # Part 0 of a table speaks for the whole table.
        begun = [] if table.part else [self._snapshot.table_in_progress(parse_id(name), self._tables)]
        if table.parts > 1:
            begun.append(self._snapshot.chunk_in_progress(parse_id(name), table.part, table.parts, table.rows))
        return begun

    def _table_ended(self, name: str, table: TableState) -> list[Notification]:
        table_id = parse_id(name)
        if table.parts > 1:
            return [self._snapshot.chunk_completed(table_id, table.part, table.parts, self._tables)]
        return [self._snapshot.table_completed(table_id, table.rows, self._tables)]


def _begun(state: SnapshotState) -> set[str]:
    """The unfinished tables that the lane has begun: the first one, and those of which only a held-back row remains."""
    names = [segment.table for segment in state.segments]
    return {*names[:1], *(state.held.keys() - set(names))}


def _named(tables: Iterable[TableId]) -> Iterator[TableId]:
    room = MOST_NAMES
    for table in tables:
        room -= len(str(table)) + 1
        if room < 0:
            return
        yield table
