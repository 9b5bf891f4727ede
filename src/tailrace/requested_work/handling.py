"""The effect of each signal: requested work, notifications, structures.

All lanes see the same signals in the same order, and each keeps the tables that it delivers; an unknown table
is kept by the lane that would deliver it. The first lane handles what concerns the whole connector (a log line, the
structures before a blocking snapshot).

Debezium ends a stopped snapshot with COMPLETED and ABORTED; here only ABORTED is sent.

Source: Debezium documentation, "Sending signals to a Debezium connector", and the notifications of 3.6.1.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tailrace.notifications.model import Notification
from tailrace.notifications.snapshots import IncrementalSnapshot, InitialSnapshot, Status
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.tables import TableId
from tailrace.signals.matching import Collection, collections_of, is_name, stopped_by, unmatched
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
class SignalContext:
    """The context in which a lane handles signals.

    Attributes:
        connector: its `topic.prefix`.
        is_first: whether this is the first lane.
        owns: whether this lane delivers a table's topic.
        tables: the captured tables known now.
        position: of the log, for people.
        named: gives a table's name in notifications.

    """

    connector: str
    is_first: bool
    owns: Callable[[TableId], bool]
    tables: Callable[[], Sequence[TableId]]
    position: Callable[[], str]
    named: Callable[[TableId], str] = str

    def initial(self) -> InitialSnapshot:
        """What tells of a blocking snapshot."""
        return InitialSnapshot(self.connector, named=self.named)

    def incremental(self, signal_id: str | None) -> IncrementalSnapshot:
        """What tells of an incremental snapshot."""
        return IncrementalSnapshot(self.connector, signal_id, named=self.named)


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a signal.

    Attributes:
        work: after the signal.
        notifications: to be sent.
        structures: schema changes, as `tableChanges` of schema change events, with the database.

    """

    work: Work
    notifications: Sequence[Notification] = ()
    structures: Sequence[tuple[str, Mapping[str, Any]]] = field(default=())


def apply(signal: Signal, work: Work, here: SignalContext) -> Effect:
    """Apply one signal to the work."""
    if isinstance(signal, ExecuteSnapshot):
        return _execute(signal, work, here)
    if isinstance(signal, StopSnapshot):
        return _stop(signal, work, here)
    if isinstance(signal, PauseSnapshot):
        return _pause(work, here, paused=True)
    if isinstance(signal, ResumeSnapshot):
        return _pause(work, here, paused=False)
    if isinstance(signal, SchemaChanges):
        return Effect(work, structures=tuple((signal.database, change) for change in signal.changes))
    if isinstance(signal, Log) and here.is_first:
        log.info("%s", signal.text(here.position()))
    elif isinstance(signal, Unreadable) and here.is_first:
        log.warning("%s", signal)
    return Effect(work)


def _execute(signal: ExecuteSnapshot, work: Work, here: SignalContext) -> Effect:
    tables = here.tables()
    effect = _begin_incremental(signal, collections_of(signal, tables), work, here)
    told = _notify_unmatched(signal, tables, here) if here.is_first else []
    return replace(effect, notifications=(*told, *effect.notifications))


def _notify_unmatched(signal: ExecuteSnapshot, tables: Sequence[TableId], here: SignalContext) -> list[Notification]:
    """Notify about names without a table; an incremental snapshot does so for a valid name when its turn comes."""
    unknown = _warn_of_unknown(signal, tables)
    ids = [TableId("", "", name) for name in unknown]
    if signal.kind is SnapshotKind.BLOCKING:
        return [here.initial().table_failed(id_, Status.UNKNOWN_SCHEMA) for id_ in ids]
    tell = here.incremental(signal.id)
    return [tell.table_completed(id_, (), 0, Status.UNKNOWN_SCHEMA) for id_ in ids if not is_name(id_.name)]


def _warn_of_unknown(signal: ExecuteSnapshot | StopSnapshot, tables: Sequence[TableId]) -> Iterable[str]:
    """Warn about unknown names in a signal; return those of tables."""
    if signal.unknown:
        log.warning("the signal %r has in its data what means nothing: %s", signal.id, ", ".join(signal.unknown))
    found = unmatched(signal, tables)
    for name, hint in found.items():
        log.warning(
            "the signal %r names %r, which no captured table matches%s: it is left out",
            signal.id,
            name,
            f" ({hint})" if hint else "",
        )
    return found


def _begin_incremental(signal: ExecuteSnapshot, found: Sequence[Collection], work: Work, here: SignalContext) -> Effect:
    if signal.kind is SnapshotKind.BLOCKING:
        return _begin_blocking([each for each in found if each.known], work, here)
    mine = [each for each in found if here.owns(each.table)]
    new = [_work_of(each, signal) for each in mine if each.table not in work.ids]
    if not new:
        return Effect(work)
    later = work.with_tables(new, signal.id)
    if work.tables:  # a running snapshot continues with more tables
        return Effect(later)
    return Effect(later, [here.incremental(signal.id).started(later.ids)])


def _work_of(collection: Collection, signal: ExecuteSnapshot) -> TableWork:
    return TableWork(collection.table, condition=collection.condition, surrogate=signal.surrogate_key)


def _begin_blocking(found: Sequence[Collection], work: Work, here: SignalContext) -> Effect:
    before = work.blocking or BlockingWork({})
    mine = {each.table: each.condition for each in found if here.owns(each.table)}
    told = [each.table for each in found] if here.is_first else []
    if not (mine or told):
        return Effect(work)
    structures = tuple(dict.fromkeys((*before.structures, *told)))
    return Effect(replace(work, blocking=BlockingWork({**before.tables, **mine}, structures=structures)))


def _stop(signal: StopSnapshot, work: Work, here: SignalContext) -> Effect:
    if signal.kind is SnapshotKind.BLOCKING:
        if here.is_first:
            log.warning("the signal %r can't stop a blocking snapshot: only incremental ones can be stopped", signal.id)
        return Effect(work)
    if here.is_first:
        _warn_of_unknown(signal, [*here.tables(), *work.ids])
    stopped = stopped_by(signal, work.ids)
    if not stopped:
        return Effect(work)
    told = here.incremental(work.signal).aborted(stopped)
    return Effect(work.without(stopped), [told])


def _pause(work: Work, here: SignalContext, *, paused: bool) -> Effect:
    if work.paused == paused or not work.tables:
        return Effect(work)
    tell = here.incremental(work.signal)
    return Effect(replace(work, paused=paused), [tell.paused(work.ids) if paused else tell.resumed(work.ids)])
