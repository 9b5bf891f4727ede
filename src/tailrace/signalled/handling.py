"""What each signal changes: the work to do, what is told of it, structures.

All lanes come by the same signals in the same order, and each keeps the tables that it delivers. What concerns the
connector as a whole (a table that nobody knows, a line for the log) the first lane sees to.

Where Debezium ends a stopped snapshot with COMPLETED and ABORTED, here ABORTED is told alone.

Source: Debezium documentation, "Sending signals to a Debezium connector", and the notifications of 3.6.1.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.notifications.model import Notification
from tailrace.notifications.snapshots import IncrementalSnapshot, Status
from tailrace.schema.tables import TableId
from tailrace.signalled.work import BlockingWork, TableWork, Work
from tailrace.signals.matching import Collection, collections_of, stopped_by
from tailrace.signals.model import (
    ExecuteSnapshot,
    Log,
    PauseSnapshot,
    ResumeSnapshot,
    SchemaChanges,
    Signal,
    SnapshotKind,
    StopSnapshot,
    Unreadable,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where signals are handled.

    Attributes:
        connector: its `topic.prefix`.
        is_first: whether this is the first lane.
        owns: whether this lane delivers a table's topic.
        tables: those that are captured, as they are known now.
        position: of the log, for people.

    """

    connector: str
    is_first: bool
    owns: Callable[[TableId], bool]
    tables: Callable[[], Sequence[TableId]]
    position: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a signal made of the work.

    Attributes:
        work: as it is now.
        notifications: to be told.
        structures: changes of structures, as `tableChanges` of schema-change events, with the database.

    """

    work: Work
    notifications: Sequence[Notification] = ()
    structures: Sequence[tuple[str, Mapping[str, Any]]] = field(default=())


def handled(signal: Signal, work: Work, here: Surroundings) -> Effect:
    """What becomes of the work by one signal."""
    if isinstance(signal, ExecuteSnapshot):
        return _executed(signal, work, here)
    if isinstance(signal, StopSnapshot):
        return _stopped(signal, work, here)
    if isinstance(signal, PauseSnapshot):
        return _paused(work, here, paused=True)
    if isinstance(signal, ResumeSnapshot):
        return _paused(work, here, paused=False)
    if isinstance(signal, SchemaChanges):
        return Effect(work, structures=tuple((signal.database, change) for change in signal.changes))
    if isinstance(signal, Log) and here.is_first:
        log.info("%s", signal.text(here.position()))
    elif isinstance(signal, Unreadable) and here.is_first:
        log.warning("%s", signal)
    return Effect(work)


def _executed(signal: ExecuteSnapshot, work: Work, here: Surroundings) -> Effect:
    found = collections_of(signal, here.tables())
    mine = [each for each in found if each.known and here.owns(each.table)]
    unknown = [each for each in found if not each.known] if here.is_first else []
    if signal.kind is SnapshotKind.BLOCKING:
        return _blocked(mine, unknown, work)
    new = [_work_of(each, signal) for each in mine if each.table not in work.ids]
    tell = IncrementalSnapshot(here.connector, signal.id)
    later = work.with_tables(new, signal.id) if new else work
    told = []
    if new or unknown:
        told.append(tell.started([*later.ids, *(each.table for each in unknown)]))
    for each in unknown:
        log.warning("the signal %r names the table %s, which is not captured", signal.id, each.table)
        told.append(tell.table_completed(each.table, [*later.ids, each.table], 0, Status.UNKNOWN_SCHEMA))
    if unknown and not later.tables:
        told.append(tell.completed())
    return Effect(later, told)


def _work_of(collection: Collection, signal: ExecuteSnapshot) -> TableWork:
    return TableWork(collection.table, condition=collection.condition, surrogate=signal.surrogate_key)


def _blocked(mine: Sequence[Collection], unknown: Iterable[Collection], work: Work) -> Effect:
    for each in unknown:
        log.warning("a blocking snapshot was asked of the table %s, which is not captured: it is left out", each.table)
    if not mine:
        return Effect(work)
    before = work.blocking.tables if work.blocking is not None else {}
    tables = {**before, **{each.table: each.condition for each in mine}}
    return Effect(replace(work, blocking=BlockingWork(tables)))


def _stopped(signal: StopSnapshot, work: Work, here: Surroundings) -> Effect:
    if signal.kind is SnapshotKind.BLOCKING:
        if here.is_first:
            log.warning("the signal %r can't stop a blocking snapshot: only incremental ones can be stopped", signal.id)
        return Effect(work)
    stopped = stopped_by(signal, work.ids)
    if not stopped:
        return Effect(work)
    told = IncrementalSnapshot(here.connector, work.signal).aborted(stopped)
    return Effect(work.without(stopped), [told])


def _paused(work: Work, here: Surroundings, *, paused: bool) -> Effect:
    if work.paused == paused or not work.tables:
        return Effect(work)
    tell = IncrementalSnapshot(here.connector, work.signal)
    return Effect(replace(work, paused=paused), [tell.paused(work.ids) if paused else tell.resumed(work.ids)])
