"""Requested work in the DataFrame way: a few parts at a time, each as of a position that is taken when it is planned.

**Incremental.** A batch contains the log up to a new position P, and the next key ranges as of P. So what a key was
before P is in this batch or an earlier one, and how it changes afterwards is in a later one. How far a table has come
is one of its keys. It is read up to the greatest key that it has when its turn comes, because later rows are in the
log. The ends of its parts are looked up before P is taken, because any key will do.

**Blocking.** The log is read up to P, and then the tables as of P, as at the beginning of a stream.

What can't be read is left out with a warning, and the log continues. If P can't be taken, the log continues too, and
the next batch tries again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic, Protocol

from tailrace.connectors.base import RequestedStep, StartPoint
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.part_assembly import IS_CUT, TABLES_OF_A_PART, Limits, Parts, Size, limits_of
from tailrace.connectors.shared.snapshots.parts import STRUCTURES, Key, RangePlanning
from tailrace.errors import ConfigError, SourceSetupError, StructureError, UnsupportedError
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

MISSING: Final = "there is no such table any more"
TABLES_AT_ONCE: Final = 2 * TABLES_OF_A_PART  # bounds the structures that an offset may have to hold

log = logging.getLogger(__name__)


class RequestedPartsDatabase(RangePlanning[Key], Protocol[Key]):
    """What a database supplies to plan the next parts of requested tables."""

    @property
    def unplanned_bytes(self) -> int:
        """About how many bytes of the log are not planned yet."""

    @property
    def is_open(self) -> bool:
        """Whether the connection still works, after an error."""

    @property
    def announces_structures(self) -> bool:
        """Whether a blocking snapshot delivers structures."""

    def has(self, table: TableId) -> bool:
        """Whether there is such a table now."""

    def is_captured(self, table: TableId) -> bool:
        """Whether its rows may be requested."""

    def keys_now(self, tables: Sequence[TableWork]) -> Mapping[TableId, Key | NoKey]:
        """The keys by which tables are read, as they are now."""

    def start_table(self, table: TableWork, key: Key) -> TableWork | None:
        """A table with its key and its greatest key value now; None if it has no rows to read."""

    def require_allowed(self, table: TableWork) -> None:
        """Raise `UnsupportedError` if the table has a condition and the configuration allows none."""

    def is_like(self, key: Key, begun: Mapping[str, Any]) -> bool:
        """Whether bounds of the stored key `start_table` mean the same rows with this key."""

    def is_before(self, table: TableId, key: Key, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the database's order."""

    def point(self, tables: Iterable[TableId], *, warns: bool) -> tuple[StartPoint, frozenset[TableId]] | None:
        """A current position with structures, and which of these tables exist; None if no position can be taken."""

    def statements(self, blocking: BlockingWork, keys: Mapping[TableId, Key | NoKey]) -> dict[str, str]:
        """The checked SELECT statements by which tables are read."""


def next_step(
    database: RequestedPartsDatabase[Key], work: Work, wanted: int, max_bytes: int | None
) -> RequestedStep | None:
    """The next parts of the requested work, at most `wanted`; None if the log should be read first."""
    if max_bytes is not None and database.unplanned_bytes > max_bytes:
        return None
    if work.blocking is not None:
        return _blocking_step(database, work, work.blocking)
    return _IncrementalStep(database, limits_of(wanted, max_bytes)).step(work)


def _blocking_step(database: RequestedPartsDatabase[Key], work: Work, blocking: BlockingWork) -> RequestedStep | None:
    """The log up to a current position P, and then the tables as of P."""
    tables, left = sorted(blocking.tables), replace(work, blocking=None).to_dict()
    try:
        taken = database.point(tables, warns=True)
        if taken is None:
            return None
        place, there = taken
        found = database.keys_now([TableWork(table) for table in tables if table in there])
        chosen = database.statements(blocking, found)
    except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
        # A lost connection says nothing about the tables: the error is raised, and the step is tried again.
        if not database.is_open:
            raise
        warn(tables, error)
        return RequestedStep(left)
    keys = [(quoted_id(table), None if isinstance(key, NoKey) else key.to_dict()) for table, key in found.items()]
    for table in set(tables).difference(there):
        warn([table], MISSING)
    if not keys:
        return RequestedStep(left)
    request = {"kind": "blocking", "statements": chosen}
    named = {**request, "tables": [name for name, _ in keys]}
    structures = [{**STRUCTURES, "asked": named}] if database.announces_structures else []
    return RequestedStep(left, replace(place, snapshot={"tables": keys, "asked": request}), structures, {"tables": 0})


class _IncrementalStep(Generic[Key]):
    """One step of an incremental snapshot."""

    def __init__(self, database: RequestedPartsDatabase[Key], limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._parts = Parts(limits)

    def step(self, work: Work) -> RequestedStep | None:
        """The next parts, with the work that remains after them."""
        window = work.tables[:TABLES_AT_ONCE]
        sizes = self._database.sizes([table.table for table in window])
        keys = self._database.keys_now(window)
        left: list[TableWork] = []
        for number, table in enumerate(window):
            rest = self._read(table, keys[table.table], sizes[table.table])
            if rest is not None:
                # There is no more room: the next step begins with the rest of this table.
                left = [rest, *window[number + 1 :]]
                break
        self._parts.close()
        # Tables of the window that are not left have all their parts planned, or can't be read.
        work = work.without([table.table for table in window if table.table not in {each.table for each in left}])
        if left:
            work = work.with_first(left[0])
        if not self._parts.done:
            return RequestedStep(work.to_dict())
        step = self._at_a_point(work, window)
        # The keys were looked up before P. If they are the same after it, they are the keys at P too; otherwise the
        # step is void, and the next batch tries again.
        hold = self._database.keys_now(window) == keys
        return step if hold else None

    def _at_a_point(self, work: Work, window: Sequence[TableWork]) -> RequestedStep | None:
        planned = {parse_id(table) for part in self._parts.done for table, _, _ in part["segments"]}
        try:
            taken = self._database.point(planned, warns=any(table.key is None for table in window))
        except StructureError as error:
            warn(planned, error)
            return RequestedStep(work.without(list(planned)).to_dict())
        if taken is None:
            return None
        place, there = taken
        for table in planned - there:
            warn([table], MISSING)
        conditions = {quoted_id(table.table): table.condition for table in window if table.condition is not None}
        parts = [_requested(part, {quoted_id(table) for table in there}, conditions) for part in self._parts.done]
        left = work.without(list(planned - there))
        for table in sorted(planned & there - set(left.ids)):
            log.info("the last rows of %s that a signal asked for are in the batch that is planned now", table)
        return RequestedStep(left.to_dict(), place, [part for part in parts if part["segments"]])

    def _read(self, table: TableWork, key: Key | NoKey, size: Size) -> TableWork | None:
        """Add a table to parts, as far as there is room; the rest of it, None if nothing remains."""
        share = self._limits.share(size)
        # The rest of a table that is partly read is a range, and never shares a part.
        is_alone = table.after is not None or share >= IS_CUT
        if not self._parts.makes_room(share, is_alone=is_alone):
            return table
        try:
            self._database.require_allowed(table)
            first = self._start_table(table, key)
        except (SourceSetupError, UnsupportedError) as error:
            if not self._database.is_open:
                raise
            warn([table.table], error)
            return None
        if first is None or isinstance(key, NoKey):
            return None
        if not is_alone:
            self._parts.gather(first.segment, key, share)
            return None
        return self._cut(first, key, self._limits.rows_of(size))

    def _start_table(self, table: TableWork, key: Key | NoKey) -> TableWork | None:
        """The table with its key and its greatest key value; None if there is nothing to read."""
        if not self._database.is_captured(table.table):
            warn([table.table], "it is not captured")
            return None
        if isinstance(key, NoKey):
            warn([table.table], key.reason if self._database.has(table.table) else MISSING)
            return None
        if table.key is not None:
            if self._database.is_like(key, table.key):
                return table
            warn([table.table], "the key that it is read by was changed")
            return None
        first = self._database.start_table(table, key)
        if first is None:
            log.info("the incremental snapshot of %s has no rows to read", table.table)
        return first

    def _cut(self, table: TableWork, key: Key, of_rows: int) -> TableWork | None:
        """Add the next key ranges of a large table; the rest of it, None if nothing remains."""
        cuts = self._database.next_range_ends(table.table, key, table.after, of_rows=of_rows, most=self._parts.left)
        # Rows beyond `upto` were inserted after the table was begun: the log has them.
        upto = table.upto
        ends = [end for end in cuts.points if upto is None or self._database.is_before(table.table, key, end, upto)]
        is_end = cuts.is_end or len(ends) < len(cuts.points)
        points = [table.after, *ends, *([table.upto] if is_end else [])]
        self._parts.add_ranges(quoted_id(table.table), key, points)
        return None if is_end else replace(table, after=ends[-1])


def warn(tables: Iterable[TableId], why: object) -> None:
    """Warn that a requested snapshot ends early."""
    log.warning(
        "the snapshot of %s that a signal asked for ends here, and the log goes on: %s",
        ", ".join(map(str, tables)),
        why,
    )


def _requested(part: Mapping[str, Any], there: Collection[str], conditions: Mapping[str, str]) -> dict[str, Any]:
    """A part, without tables that no longer exist, and with their conditions."""
    keys = {table: key for table, key in part["keys"].items() if table in there}
    its = {table: condition for table, condition in conditions.items() if table in keys}
    segments = [segment for segment in part["segments"] if segment[0] in keys]
    return {"segments": segments, "keys": keys, "asked": {"kind": "incremental", "conditions": its}}
