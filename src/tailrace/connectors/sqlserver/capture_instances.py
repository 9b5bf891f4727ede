"""Which capture instance each table is read from, in which part of the log; and what is lost, so that nobody can read it.

A table may have two instances. The older one is read up to where the newer one starts. Windows end where a table changes over,
so that within one each table has one instance.

Nothing is passed over in silence. An instance's start moves on when the clean-up job takes away what is older: where it has
overtaken the connector, or an instance was dropped before it was read to its end, changes are lost, unless no transaction
lies in the gap.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.config.settings import SqlServerSettings
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.catalog import Instance
from tailrace.connectors.sqlserver.change_tables import Window
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.lsn import Lsn
from tailrace.connectors.sqlserver.structures import not_captured, of_instance, tables
from tailrace.connectors.sqlserver.told_structures import ToldStructures, identity
from tailrace.connectors.sqlserver.transactions import count_transactions, reaches_back_to
from tailrace.errors import PositionLostError
from tailrace.schema.tables import Table, TableId

SNAPSHOT_AGAIN: Final = "take a new snapshot (snapshot.mode=when_needed does so by itself)"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Active:
    """A table and the instance that has its rows in a window."""

    table: TableId
    instance: Instance

    @property
    def name(self) -> str:
        """As progress names it, and as a window's tables are ordered: `schema.table`, in brackets where a name has a dot."""
        schema, name = self.table.schema, self.table.name
        return quoted(schema, name) if "." in schema + name else f"{schema}.{name}"


class CaptureInstances:
    """The instances of one database's wanted tables, as they are now.

    Attributes:
        version: how often they have changed.

    """

    def __init__(
        self,
        settings: SqlServerSettings,
        told: ToldStructures,
        matters: Callable[[TableId], bool] = lambda _table: True,
    ) -> None:
        """`matters`: whether the rows of a table are read here; what is lost of others is for their readers to say."""
        self._settings = settings
        self._told = told
        self._matters = matters
        self.version = 0
        self._stamp: tuple[Any, ...] | None = None
        self._by_table: dict[TableId, list[Instance]] = {}
        self._not_begun: dict[TableId, Instance] = {}
        self._identities: dict[str, str] = {}
        self._structures: dict[TableId, Table] = {}
        self._altered: frozenset[int] = frozenset()
        self._warned: set[tuple[str, str]] = set()

    @property
    def tables(self) -> Sequence[TableId]:
        """The wanted tables that are captured, by name."""
        return list(self._by_table)

    def refresh(self, session: Session) -> bool:
        """Look whether instances have come, gone or moved on; whether they have."""
        stamp = catalog.instances_stamp(session)
        if stamp == self._stamp:
            return False
        found: defaultdict[TableId, list[Instance]] = defaultdict(list)
        wanted = [each for each in catalog.instances(session) if self._settings.tables.matches(each.table)]
        for instance in wanted:
            if instance.start_lsn is not None:
                found[instance.table].append(instance)
        self._not_begun = {each.table: each for each in wanted if each.table not in found}
        self._identities = {each.name: identity(each) for each in wanted}
        self._by_table = {table: _newest_of_same_start(found[table]) for table in sorted(found)}
        self._structures = tables(session, session.database, lambda table: table in self._by_table)
        self._altered = catalog.altered_since_captured(session)
        self._stamp = stamp
        self.version += 1
        self._warn_of_columns()
        return True

    def first_switch(self, window: Window) -> Lsn | None:
        """The first LSN within a window, but for its beginning, from which on a table is read from another instance."""
        starts = [
            later.start_lsn
            for instances in self._by_table.values()
            for later in instances[1:]
            if later.start_lsn is not None and window.after.next() < later.start_lsn <= window.until
        ]
        return min(starts, default=None)

    def active(self, window: Window) -> list[Active]:
        """The tables that may have rows in a window without a switch, by name, each with its instance."""
        found = []
        for table, instances in self._by_table.items():
            begun = [each for each in instances if each.start_lsn is not None and each.start_lsn <= window.until]
            if begun:
                found.append(Active(table, begun[-1]))
        return found

    def structure(self, instance: Instance) -> Table:
        """The structure of an instance's rows: as it was told, else of its source table as it is now."""
        told = self._told.of_instance(instance)
        if told is not None:
            return told
        before = self._told.get(instance.table)
        if before is not None and self._told.told_instance(instance.table) is None and _fits(before, instance):
            return before  # from a history of Debezium's, which does not name instances
        return of_instance(self._structures.get(instance.table), instance)

    def require_all(self, session: Session, window: Window) -> list[TableId]:
        """Raise where changes behind the window's beginning are lost; the tables that are not captured any more.

        Raises:
            PositionLostError: they are; the message names the table.

        """
        gone = []
        for table in self._told.captured(session.database):
            instances = self._by_table.get(table)
            first = instances[0] if instances else self._not_begun.get(table)
            if first is None:
                gone.append(table)
            elif self._matters(table):
                start = first.start_lsn
                gap = window if start is None else Window(window.after, start.previous())
                if not gap.is_empty:
                    self._require_nothing_in(session, first, gap)
        return gone

    def require_kept(self, session: Session, read: Sequence[Active], window: Window) -> None:
        """Raise where the clean-up job has taken something away while these were read in a window.

        One that was dropped has been read to its end, as no query of it failed; unless another one got its name.

        Raises:
            PositionLostError: changes may be lost; the message names the table.

        """
        if not read or not self.refresh(session):
            return
        now = {identity(each): each for instances in self._by_table.values() for each in instances}
        for active in read:
            if self._identities.get(active.instance.name, identity(active.instance)) != identity(active.instance):
                raise PositionLostError(
                    f"{active.table}: the capture instance {active.instance.name} was dropped and made anew before it was read "
                    f"to its end: it was read up to {window.after}. Changes behind that may be lost: take a new snapshot (one "
                    "start with snapshot.mode=always)"
                )
            before, after = active.instance.start_lsn, now.get(identity(active.instance))
            if after is None or after.start_lsn is None or before is None:
                continue
            if after.start_lsn > max(before, window.after.next()):
                self._require_nothing_in(session, after, Window(window.after, after.start_lsn.previous()))

    def _require_nothing_in(self, session: Session, first: Instance, gap: Window) -> None:
        """Raise where changes of a table may lie in a gap before its first instance.

        Whose a transaction was can't be told any more: with any one in the gap, that of an ALTER TABLE as well, it is not
        known that nothing is lost.
        """
        if count_transactions(session, gap) or not reaches_back_to(session, gap.after):
            raise PositionLostError(self._complaint(first.table, first, gap.after))

    def _complaint(self, table: TableId, first: Instance, after: Lsn) -> str:
        told = self._told.told_instance(table)
        if told is not None and told != identity(first):
            return (
                f"{table}: the capture instance {told.partition(':')[0]} was dropped before it was read to its end: it was "
                f"read up to {after}, and {first.name} begins {_place(first)}. Changes in between may be lost: take a new "
                "snapshot (one start with snapshot.mode=always)"
            )
        return (
            f"{table}: changes are lost: they were read up to {after}, and the capture instance {first.name} begins "
            f"{_place(first)}: the clean-up job took what was before. Let it keep changes for longer (EXEC "
            f"sys.sp_cdc_change_job @job_type = 'cleanup', @retention = minutes), and {SNAPSHOT_AGAIN}"
        )

    def _warn_of_columns(self) -> None:
        """Columns that a table has and its newest instance does not: somebody added them, and nobody captures them."""
        for table, instances in self._by_table.items():
            newest, structure = instances[-1], self._structures.get(table)
            if structure is None or newest.object_id not in self._altered:
                continue  # columns that were left out when the instance was made are no surprise
            fresh = [name for name in not_captured(structure, newest) if (newest.name, name) not in self._warned]
            if fresh:
                self._warned.update((newest.name, name) for name in fresh)
                log.warning(
                    "%s: not captured by the instance %s: %s. The table was altered since the instance was made: make a second "
                    "one (EXEC sys.sp_cdc_enable_table with another @capture_instance); tailrace goes over to it by itself",
                    table, newest.name, ", ".join(fresh),
                )  # fmt: skip


def _newest_of_same_start(instances: list[Instance]) -> list[Instance]:
    """Of instances that start at the same LSN Debezium reads the newest; so do we."""
    by_start = {each.start_lsn: each for each in instances}  # they come oldest first
    return list(by_start.values())


def _place(instance: Instance) -> str:
    return "where the capture job has not come to" if instance.start_lsn is None else f"at {instance.start_lsn}"


def _fits(table: Table, instance: Instance) -> bool:
    return all(column.name in instance.columns for column in table.columns)
