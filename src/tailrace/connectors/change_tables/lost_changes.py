"""Detects changes that are lost: reading stops, and nothing is skipped silently.

The start LSN of an instance moves when the clean-up removes older rows. If it has overtaken the connector, or if an
instance was dropped before it was read to its end, changes are lost, unless no transaction lies in the gap. It can't be
determined any more which tables a transaction changed. So with any transaction in the gap, even that of an ALTER TABLE,
changes may be lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, Generic

from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.capture_instances import GAP, ActiveInstance, CaptureInstances
from tailrace.connectors.change_tables.dialect import Dialect, Log, Session
from tailrace.connectors.change_tables.instances import Instance, identity, is_of, name_of
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import PositionLostError
from tailrace.schema.tables import TableId

log = logging.getLogger(__name__)

SNAPSHOT_AGAIN: Final = (
    "take a new snapshot (snapshot.mode=when_needed does so by itself; a DataFrame begins again with a new checkpoint and an "
    "empty target)"
)


class LostChanges(Generic[Session]):
    """Looks for gaps between what was read of one database and what its change tables have."""

    def __init__(
        self,
        dialect: Dialect[Session],
        announced: AnnouncedStructures,
        instances: CaptureInstances[Session],
        log: Log[Session],
        matters: Callable[[TableId], bool] = lambda _table: True,
        filled: Collection[str] | None = None,
    ) -> None:
        """A detector for one database.

        Args:
            dialect: of the database.
            announced: the known structures.
            instances: the existing ones.
            log: of the database.
            matters: whether this reader reads a table's rows; the readers of other tables report their losses.
            filled: the tables that had changes in the range when it was planned; None: unknown.

        """
        self._dialect = dialect
        self._announced = announced
        self._instances = instances
        self._log = log
        self._matters = matters
        self._filled = filled
        self._without_gaps: tuple[int, int] | None = None

    def require_all(self, session: Session, window: Window, as_of_us: int | None = None) -> list[TableId]:
        """Require that no changes after a window's beginning are lost; returns the tables that are no longer captured.

        `as_of_us`: that of the position at the window's beginning.

        Raises:
            PositionLostError: changes are lost; the message names the table.
            SourceSetupError: a table was read, and the user may not see it any more.

        """
        self._require_log(session, window.after, as_of_us)
        gone = [] if self._without_gaps == self._versions else self._tables_gone(session, window)
        self._require_new(session, window)
        self._warn_of_gaps(session, window)
        return gone

    def _tables_gone(self, session: Session, window: Window) -> list[TableId]:
        """Require that no table has a gap; returns those that are no longer captured."""
        gone, is_settled = [], True
        for table in self._announced.captured(self._dialect.database(session)):
            first = self._instances.first(table)
            if self._announced.is_planned_removal(table):
                gone.append(table)
            elif first is None:
                self._require_visible(session, table)
                self._require_planned(session, table, window)
                gone.append(table)
            elif self._matters(table):
                start = self._start_of(session, first)
                gap = self._gap(first, start, window)
                is_settled = is_settled and start is not None and start == first.start_lsn and gap.is_empty
                if not gap.is_empty:
                    self._require_nothing_in(session, replace(first, start_lsn=start), gap)
        # A gap before a known start stays empty in later windows, until instances or what is announced of them change.
        is_settled = is_settled and not gone
        self._without_gaps = self._versions if is_settled else None
        return gone

    @property
    def _versions(self) -> tuple[int, int]:
        """Of the instances, and of what is announced of them."""
        return self._instances.version, self._announced.version

    def _warn_of_gaps(self, session: Session, window: Window) -> None:
        """Warn about tables that capture has begun with anew, and that were read before from the same change table."""
        for table in self._log.begun_anew(session, window):
            first, announced = self._instances.first(table), self._announced.announced_instance(table)
            if first is not None and announced and is_of(announced, first):
                log.warning("%s was activated anew behind %s; %s", table, window.after, GAP)

    def _require_planned(self, session: Session, table: TableId, window: Window) -> None:
        """Raise `PositionLostError` if a table that the plan includes is no longer captured.

        Only a planner may leave it out, so that all readings of the range agree. A table that had no changes when the
        range was planned is left out all the same: nothing is missing.
        """
        had = self._filled is None or self._dialect.name_in_database(table) in self._filled
        if self._announced.is_planned and had and self._has_transactions(session, window):
            raise PositionLostError(
                f"{table} was captured when the reading of its log behind {window.after} was planned, and is not any more: its "
                f"changes up to {window.until} may be lost; {SNAPSHOT_AGAIN}"
            )

    def _require_new(self, session: Session, window: Window) -> None:
        """The same for tables that the plan announces as new within a window."""
        planned = self._announced.planned_since(self._dialect.database(session))
        before = set(self._announced.captured(self._dialect.database(session))) if planned else set()
        for table, (name, since) in planned.items():
            instance = self._instances.all.get(name)
            after = max(window.after, since.previous())
            start = None if instance is None else instance.start_lsn
            gap = Window(after, window.until if start is None else min(window.until, start.previous()))
            if table not in before and not gap.is_empty:
                self._require_planned(session, table, gap)

    def _require_log(self, session: Session, after: Lsn, as_of_us: int | None) -> None:
        """Raise `PositionLostError` if the clean-up may have removed changes behind an LSN, whatever instances tell."""
        if not self._log.is_kept(session, after, as_of_us):
            advice, database = self._dialect.advice, self._dialect.database(session)
            raise PositionLostError(
                f"{database}: changes behind {after}, up to where they were read, may be lost: {advice.clean_up} may have "
                f"taken them. Let it keep changes for longer ({advice.keep_longer}), and {SNAPSHOT_AGAIN}"
            )

    def require_kept(
        self, session: Session, read: Sequence[ActiveInstance], window: Window, as_of_us: int | None = None
    ) -> None:
        """Require that the clean-up has removed nothing from these tables while they were read in a window.

        An instance that was dropped was read to its end, since no query of it failed; unless another one got its name.
        `as_of_us`: that of the position at the window's beginning.

        Raises:
            PositionLostError: changes may be lost; the message names the table.

        """
        if read:
            self._require_log(session, window.after, as_of_us)
        # If the catalogue is unchanged, no start has moved.
        if not read or not self._instances.refresh(session):
            return
        now = self._instances.all
        for active in read:
            if not self._instances.is_as_it_was(active.instance):
                raise PositionLostError(
                    f"{active.table}: the capture instance {active.instance.name} was dropped and made anew before it was read "
                    f"to its end: it was read up to {window.after}. Changes behind that may be lost: {SNAPSHOT_AGAIN}"
                )
            before, after = active.instance.start_lsn, now.get(identity(active.instance))
            if after is None or after.start_lsn is None or before is None:
                continue
            # A start that moved within what is delivered already has lost nothing.
            if after.start_lsn > max(before, window.after.next()):
                self._require_nothing_in(session, after, Window(window.after, after.start_lsn.previous()))

    def _start_of(self, session: Session, first: Instance) -> Lsn | None:
        """The start of an instance: at the latest, if another one was read before it."""
        announced = self._announced.announced_instance(first.table)
        is_other = bool(announced) and not is_of(str(announced), first)
        return self._dialect.begun_by(session, first) if is_other else first.start_lsn

    def _gap(self, first: Instance, start: Lsn | None, window: Window) -> Window:
        """The part of a window before a table's first instance; for one announced within the window, from its start on."""
        announced = self._announced.announced_at(first)
        after = window.after if announced is None else max(window.after, announced.previous())
        return Window(after, window.until if start is None else start.previous())

    def _require_nothing_in(self, session: Session, first: Instance, gap: Window) -> None:
        """Raise `PositionLostError` if changes of a table may lie in a gap before its first instance."""
        if self._has_transactions(session, gap):
            raise PositionLostError(self._complaint(first.table, first, gap.after))

    def _require_visible(self, session: Session, table: TableId) -> None:
        """Raise `SourceSetupError` if a table without a visible instance may have one that the user may not read.

        Otherwise the table is no longer captured. Disabling capture of a table is a normal operation, also within the
        documented procedures for schema changes. It is announced, and does not stop the other tables.
        """
        if self._dialect.settings.tables.matches(table):
            self._dialect.require_visible(session, table)

    def _complaint(self, table: TableId, first: Instance, after: Lsn) -> str:
        announced, advice = self._announced.announced_instance(table), self._dialect.advice
        accept = f"; or {advice.accept_gap}" if advice.accept_gap else ""
        # The one that was read may be there still, although a newer one has replaced it: then it was cleaned up.
        if announced != identity(first):
            first = self._instances.all.get(announced or "", first)
        begins = f"where {advice.capture} has not come to" if first.start_lsn is None else f"at {first.start_lsn}"
        if announced is not None and announced != identity(first):
            return (
                f"{table}: the capture instance {name_of(announced)} was dropped before it was read to its end: it was "
                f"read up to {after}, and {first.name} begins {begins}. Changes in between may be lost: "
                f"{SNAPSHOT_AGAIN}{accept}"
            )
        return (
            f"{table}: changes are lost: they were read up to {after}, and the capture instance {first.name} begins "
            f"{begins}: {advice.clean_up} took what was before. Let it keep changes for longer ({advice.keep_longer}), and "
            f"{SNAPSHOT_AGAIN}"
        )

    def _has_transactions(self, session: Session, gap: Window) -> bool:
        """Whether transactions lie in a gap, or may have been there."""
        if self._dialect.count_transactions(session, gap):
            return True
        # If the list of transactions was cleaned up as well, there may have been some.
        return not self._dialect.reaches_back_to(session, gap.after)
