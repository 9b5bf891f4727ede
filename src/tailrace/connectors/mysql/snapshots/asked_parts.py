"""What signals asked for, a few parts at a time, each as of a position that is taken when it is planned: the DataFrame way.

**Incremental.** A batch ends at a new position P, up to which it has the log, and has the next ranges of keys as of P.
Thus what a key was before P is told in this batch or an earlier one, and what it becomes afterwards in a later one. How far
a table is, is a key of it; it is read up to the greatest key that it has when its turn comes, since later rows are in the
log. Where its parts end is looked up before P is taken, because any key will do.

**Blocking.** The log is read up to P, and then the tables as of P, as at the beginning of a stream.

What can't be read is left out with a warning, and the log goes on. Where P can't be taken (an XA transaction is prepared, a
lock is not to be had), the log goes on too, and it is tried again with the next batch.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from attrs import evolve

from tailrace.config.overrides import SelectOverrides
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.mysql.snapshots import overrides, statements
from tailrace.connectors.mysql.snapshots.asking import Asking, warn
from tailrace.connectors.mysql.snapshots.begun import begun, keys_now
from tailrace.connectors.mysql.snapshots.cuts import next_cuts
from tailrace.connectors.mysql.snapshots.gathering import IS_CUT, TABLES_OF_A_PART, Limits, Parts, limits_of
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, keys_of
from tailrace.connectors.mysql.snapshots.parts import STRUCTURES
from tailrace.connectors.mysql.snapshots.splitting import Size, estimated_sizes
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.overrides import with_signalled
from tailrace.connectors.signalled import AskedStep, Signalled
from tailrace.errors import ConfigError, SourceSetupError, StructureError, UnsupportedError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.signalled.work import BlockingWork, TableWork, Work
from tailrace.snapshot.segments import Bound

MISSING: Final = "there is no such table any more"
TABLES_AT_ONCE: Final = 2 * TABLES_OF_A_PART  # their structures stand in the offset

log = logging.getLogger(__name__)


def asked_step(
    settings: MySqlSettings, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
) -> AskedStep | None:
    """The next parts that were asked for; see `SignalledConnector.asked_step`."""
    work = Work.from_dict(signalled)
    if work.blocking is None and (work.paused or not work.tables):
        return None
    with connect(settings) as session:
        asking = Asking(session, settings, RestartPosition.from_dict(start))
        if max_bytes is not None and asking.waiting > max_bytes:
            return None
        statements.prepare(session)
        if work.blocking is not None:
            return _blocking(asking, work, work.blocking)
        return _Incremental(asking, limits_of(wanted, max_bytes)).step(work)


def _blocking(asking: Asking, work: Work, blocking: BlockingWork) -> AskedStep | None:
    """The log up to a position of now, where it waits until the tables are read."""
    tables, left = sorted(blocking.tables), replace(work, blocking=None).to_dict()
    try:
        taken = asking.point(tables, warns=True)
        if taken is None:
            return None
        place, there = taken
        found = keys_of(asking.session, asking.server, [table for table in tables if table in there])
        chosen = _statements(asking, blocking, found)
    except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
        if not asking.session.open:
            raise
        warn(tables, error)
        return AskedStep(left)
    keys = [(quoted_id(table), key.to_dict() if isinstance(key, ChunkKey) else None) for table, key in found.items()]
    for table in set(tables).difference(there):
        warn([table], MISSING)
    if not keys:
        return AskedStep(left)
    asked = {"kind": "blocking", "statements": chosen}
    structures = [{**STRUCTURES, "asked": asked}] if asking.settings.include_schema_changes else []
    return AskedStep(left, replace(place, snapshot={"tables": keys, "asked": asked}), structures, {"tables": 0})


def _statements(asking: Asking, blocking: BlockingWork, keys: Mapping[TableId, ChunkKey | NoKey]) -> dict[str, str]:
    """The statements that read tables instead of themselves, looked at."""
    given = {table: text for table, text in blocking.tables.items() if table in keys}
    settings = with_signalled(asking.settings, given)
    found = overrides.of_tables(settings, asking.server, keys)
    settings = evolve(settings, select_overrides=SelectOverrides(tuple(found.values())))
    overrides.checked(asking.session, asking.server, settings, keys)
    return {quoted_id(table): override.statement for table, override in found.items()}


class _Incremental:
    """One step of the incremental snapshot."""

    def __init__(self, asking: Asking, limits: Limits) -> None:
        self._asking = asking
        self._session = asking.session
        self._limits = limits
        self._parts = Parts(limits)

    def step(self, work: Work) -> AskedStep | None:
        """The next parts, with what is left behind them."""
        window = work.tables[:TABLES_AT_ONCE]
        sizes = estimated_sizes(self._session, self._asking.server, [table.table for table in window])
        keys = keys_now(self._session, self._asking.server, window)
        left: list[TableWork] = []
        for number, table in enumerate(window):
            rest = self._read(table, keys[table.table], sizes[table.table])
            if rest is not None:
                left = [rest, *window[number + 1 :]]
                break
        self._parts.close()
        work = work.without([table.table for table in window if table.table not in {each.table for each in left}])
        if left:
            work = work.with_first(left[0])
        if not self._parts.done:
            return AskedStep(work.to_dict())
        step = self._at_a_point(work, window)
        hold = keys_now(self._session, self._asking.server, window) == keys  # before P, and behind it
        return step if hold else None

    def _at_a_point(self, work: Work, window: Sequence[TableWork]) -> AskedStep | None:
        planned = {parse_id(table) for part in self._parts.done for table, _, _ in part["segments"]}
        try:
            taken = self._asking.point(planned, warns=any(table.key is None for table in window))
        except StructureError as error:
            warn(planned, error)
            return AskedStep(work.without(list(planned)).to_dict())
        if taken is None:
            return None
        place, there = taken
        for table in planned - there:
            warn([table], MISSING)
        conditions = {quoted_id(table.table): table.condition for table in window if table.condition is not None}
        parts = [_asked(part, {quoted_id(table) for table in there}, conditions) for part in self._parts.done]
        left = work.without(list(planned - there))
        for table in sorted(planned & there - set(left.ids)):
            log.info("the last rows of %s that a signal asked for are in the batch that is planned now", table)
        return AskedStep(left.to_dict(), place, [part for part in parts if part["segments"]])

    def _read(self, table: TableWork, key: ChunkKey | NoKey, size: Size) -> TableWork | None:
        """Put a table into parts, as far as there is room; what is left of it, None if nothing is."""
        share = self._limits.share(size)
        is_alone = table.after is not None or share >= IS_CUT
        if not self._parts.makes_room(share, is_alone=is_alone):
            return table
        try:
            first = self._begun(table, key)
        except SourceSetupError as error:
            if not self._session.open:
                raise
            warn([table.table], error)
            return None
        if first is None or isinstance(key, NoKey):
            return None
        if not is_alone:
            self._parts.gather(first.segment, key, share)
            return None
        return self._cut(first, key, self._limits.rows_of(size))

    def _begun(self, table: TableWork, key: ChunkKey | NoKey) -> TableWork | None:
        """With its key, and the greatest one of now; None where there is nothing to read."""
        if not is_captured(self._asking.settings, table.table, lower_names=self._asking.server.lower_names):
            warn([table.table], "it is not captured")
            return None
        if isinstance(key, NoKey):
            warn([table.table], key.reason if self._asking.has(table.table) else MISSING)
            return None
        if table.key is not None:
            if key.is_like(ChunkKey.from_dict(table.key)):
                return table
            warn([table.table], "the key that it is read by was changed")
            return None
        first = begun(self._session, table, key)
        if first is None:
            log.info("the incremental snapshot of %s has no rows to read", table.table)
        return first

    def _cut(self, table: TableWork, key: ChunkKey, of_rows: int) -> TableWork | None:
        """The next ranges of a large table."""
        cuts = next_cuts(self._session, table.table, key, table.after, of_rows=of_rows, most=self._parts.left)
        ends = [end for end in cuts.points if self._is_before(key, end, table.upto)]
        is_end = cuts.is_end or len(ends) < len(cuts.points)
        points = [table.after, *ends, *([table.upto] if is_end else [])]
        self._parts.add_ranges(quoted_id(table.table), key, points)
        return None if is_end else replace(table, after=ends[-1])

    def _is_before(self, key: ChunkKey, bound: Bound, upto: Bound | None) -> bool:
        return upto is None or len(statements.ascending(self._session, key, [bound, upto])) > 1


def _asked(part: Mapping[str, Any], there: Collection[str], conditions: Mapping[str, str]) -> dict[str, Any]:
    """A part with what is said of its tables, as far as they are there."""
    keys = {table: key for table, key in part["keys"].items() if table in there}
    its = {table: condition for table, condition in conditions.items() if table in keys}
    segments = [segment for segment in part["segments"] if segment[0] in keys]
    return {"segments": segments, "keys": keys, "asked": {"kind": "incremental", "conditions": its}}
