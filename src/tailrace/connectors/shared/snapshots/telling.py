"""What is told of a snapshot while it is read: notifications, as Debezium has them.

What is told follows from two states, the one that is committed and the next one. The notifications go with the commit of
the next one, so each is told once, whatever dies in between; the `log` channel has them when they are made.

- A lane begins with a table when that is the first one it has to read still. A table is completed when its last row is
  delivered.
- A table that one lane has whole: IN_PROGRESS, TABLE_SCAN_COMPLETED.
- A table in parts, each another lane's: the lane that has the first one tells IN_PROGRESS, each TABLE_CHUNK_IN_PROGRESS
  and TABLE_CHUNK_COMPLETED of its own. How many rows it has in all, and that it has all, only the end knows.
- STARTED comes from the first lane, and the end as well: COMPLETED, and before it TABLE_SCAN_COMPLETED of tables in parts.
  Of several lanes the first one waits for that until the others are done.

Debezium tells that a table is completed before it sends the table's last row; here it is with that row or behind it.
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

MOST_NAMES: Final = 64 << 10  # characters of the tables' names in one notification; a record must fit into a message


class Telling:
    """Tells of one lane's part of a snapshot, if anybody wants to know.

    Attributes:
        wanted: whether a channel is there.

    """

    def __init__(self, settings: Settings, position: str) -> None:
        """`position`: the text of the position that the snapshot is of."""
        self.wanted = bool(settings.notification_enabled_channels)
        self._channels = NotificationChannels(settings) if self.wanted else None
        self._snapshot = InitialSnapshot(settings.topic_prefix)
        self._position = position
        self._tables: Sequence[TableId] = ()

    def note_tables(self, tables: Iterable[TableId]) -> None:
        """The tables of the whole snapshot, in their order; as many as a record can name."""
        self._tables = list(_named(tables))

    def started(self) -> list[Event]:
        """The snapshot begins."""
        return self._told([self._snapshot.started()])

    def begun(self, state: SnapshotState) -> list[Event]:
        """A lane begins, with this state."""
        return self._told(self._begun(name, state.tables[name]) for name in _begun(state))

    def passed(self, before: SnapshotState, after: SnapshotState) -> list[Event]:
        """A lane came from one state to another; both know all of their tables."""
        return self._told(self._between(before, after))

    def completed(self, own: Mapping[str, Any], others: Iterable[Progress | None]) -> list[Event]:
        """All is delivered.

        Args:
            own: figures of the lane that tells it.
            others: the last progress of the other lanes.

        """
        figures = [own, *(progress.snapshot[FIGURES] for progress in others if progress and progress.snapshot)]
        rows: dict[str, int] = {}
        for name, counts in (item for each in figures for item in each["of"].items()):
            if counts["parts"] > 1:
                rows[name] = rows.get(name, 0) + counts["rows"]
        notifications = [self._snapshot.table_completed(parse_id(name), rows[name], self._tables) for name in rows]
        return self._told([*notifications, self._snapshot.completed()])

    def without_rows(self) -> tuple[list[Event], list[Event]]:
        """A snapshot of structures alone begins, and ends."""
        return self.started(), self._told([self._snapshot.completed()])

    def skipped(self) -> list[Event]:
        """There is no snapshot to be taken."""
        return self._told([self._snapshot.skipped()])

    def _told(self, notifications: Iterable[Notification | list[Notification]]) -> list[Event]:
        if self._channels is None:
            return []
        flat = [each for one in notifications for each in (one if isinstance(one, list) else [one])]
        event = self._channels.tell(flat, self._position, 0) if flat else None
        return [] if event is None else [event]

    def _between(self, before: SnapshotState, after: SnapshotState) -> Iterator[list[Notification]]:
        begun_before, begun_after, unfinished = _begun(before), _begun(after), after.unfinished
        for name in before.unfinished:
            is_finished = name not in unfinished
            if name not in begun_before and (is_finished or name in begun_after):
                yield self._begun(name, before.tables[name])
            if is_finished:
                yield self._ended(name, after.tables[name])

    def _begun(self, name: str, table: TableState) -> list[Notification]:
        begun = [] if table.part else [self._snapshot.table_in_progress(parse_id(name), self._tables)]
        if table.parts > 1:
            begun.append(self._snapshot.chunk_in_progress(parse_id(name), table.part, table.parts, table.rows))
        return begun

    def _ended(self, name: str, table: TableState) -> list[Notification]:
        table_id = parse_id(name)
        if table.parts > 1:
            return [self._snapshot.chunk_completed(table_id, table.part, table.parts, self._tables)]
        return [self._snapshot.table_completed(table_id, table.rows, self._tables)]


def _begun(state: SnapshotState) -> set[str]:
    """The unfinished tables that the lane has begun with: the first one, and those of which only a row is held."""
    names = [segment.table for segment in state.segments]
    return {*names[:1], *(state.held.keys() - set(names))}


def _named(tables: Iterable[TableId]) -> Iterator[TableId]:
    room = MOST_NAMES
    for table in tables:
        room -= len(str(table)) + 1
        if room < 0:
            return
        yield table
