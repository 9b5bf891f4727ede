"""The capture instance from which each table is read in each part of the log, and the structure of its rows.

A table may have two instances. The older one is read up to the start of the newer one. Windows end where a table
switches, so that within a window each table has one instance. Columns that no instance captures, and tables that the
user may not see, are reported as warnings.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic

from tailrace.connectors.change_tables.altered_columns import Types, altered, as_captured, with_added
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Catalogue, Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, identity, in_use, is_of, not_captured, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.findings import listed
from tailrace.schema.tables import Table, TableId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ActiveInstance:
    """A table and the instance that has its rows in a window.

    Attributes:
        table: the table.
        instance: the instance.
        name: of the table in the progress; a window's tables are in this order.

    """

    table: TableId
    instance: Instance
    name: str


GAP: Final = (
    "what was changed in it while it was not captured is not told: unless nobody changed it then, ask for an incremental "
    "snapshot of it"
)
_WARNED_OF: Final[set[tuple[str, str, str, str]]] = set()
"""The warnings of this process. A reader of ranges makes a new `CaptureInstances` for each, and must not repeat them."""


class CaptureInstances(Generic[Session]):
    """The instances of one database's wanted tables, as they are now.

    Attributes:
        version: how often they have changed.

    """

    def __init__(self, catalogue: Catalogue[Session], announced: AnnouncedStructures) -> None:
        self._catalogue = catalogue
        self._settings = catalogue.settings
        self._announced = announced
        self.version = 0
        self._stamp: object = None
        self._hidden: Sequence[tuple[str, int]] = []
        self._by_table: dict[TableId, list[Instance]] = {}
        self._all: dict[str, Instance] = {}
        self._not_begun: dict[TableId, Instance] = {}
        self._identities: dict[str, str] = {}
        self._structures: Mapping[TableId, Table] = {}
        self._types: Mapping[int, Types] = {}
        self._other_structures: dict[str, Table] = {}
        self._altered: Collection[int] = frozenset()
        self._all_active: Sequence[ActiveInstance] | None = None
        self._newest_start: Lsn | None = None
        self._nothing_new: tuple[Sequence[ActiveInstance], int] | None = None

    @property
    def tables(self) -> Sequence[TableId]:
        """The wanted tables that are captured, by name."""
        return list(self._by_table)

    @property
    def all(self) -> Mapping[str, Instance]:
        """The instances that have begun, by `identity`, also those that a newer one has replaced."""
        return self._all

    @property
    def newest(self) -> Sequence[Instance]:
        """The newest instance of each table."""
        return [instances[-1] for instances in self._by_table.values()]

    def first(self, table: TableId) -> Instance | None:
        """The first instance of a table, even if it has not begun; None if there is none."""
        instances = self._by_table.get(table)
        return instances[0] if instances else self._not_begun.get(table)

    def is_as_it_was(self, instance: Instance) -> bool:
        """Whether its name does not belong to another instance meanwhile."""
        return is_of(self._identities.get(instance.name, identity(instance)), instance)

    def refresh(self, session: Session) -> bool:
        """Look for instances that were created, dropped or moved; returns whether any were."""
        stamp = self._catalogue.stamp(session)
        # A GRANT changes nothing in the stamp, so hidden instances are queried again as long as there are any.
        hidden = self._catalogue.hidden(session) if self._hidden else self._hidden
        if (stamp, hidden) == (self._stamp, self._hidden):
            return False
        self._hidden = self._catalogue.hidden(session)
        found: defaultdict[TableId, list[Instance]] = defaultdict(list)
        wanted = [each for each in self._catalogue.instances(session) if self._settings.tables.matches(each.table)]
        for instance in wanted:
            if instance.start_lsn is not None and self._announced.is_for(instance):
                found[instance.table].append(instance)
        self._not_begun = {each.table: each for each in wanted if each.table not in found}
        self._identities = {each.name: identity(each) for each in wanted}
        self._all = {identity(each): each for instances in found.values() for each in instances}
        self._by_table = {table: in_use(found[table]) for table in sorted(found)}
        starts = (each.start_lsn for instances in self._by_table.values() for each in instances if each.start_lsn is not None)
        self._all_active, self._newest_start = None, max(starts, default=None)
        self._structures = self._catalogue.structures(session, lambda table: table in self._by_table)
        self._types = self._catalogue.column_types(session)
        self._other_structures = self._find_other_structures()
        self._altered = self._catalogue.altered(session)
        # The stamp was queried before everything else, so a change since then is noticed at the next poll.
        self._stamp = stamp
        self.version += 1
        self._warn_of_columns()
        self._warn_of_hidden(session)
        self._warn_of_inactive()
        return True

    def first_switch(self, window: Window) -> Lsn | None:
        """The first LSN in a window, after its beginning, at which a table switches to another instance."""
        starts = [
            later.start_lsn
            for instances in self._by_table.values()
            for later in instances[1:]
            if later.start_lsn is not None and window.after.next() < later.start_lsn <= window.until
        ]
        return min(starts, default=None)

    def active(self, window: Window) -> Sequence[ActiveInstance]:
        """The tables that may have rows in a window without a switch, by name, each with its instance."""
        # Of many tables, few change: what holds as soon as all instances have begun is found once.
        have_all_begun = self._newest_start is not None and self._newest_start <= window.until
        if self._all_active is not None and have_all_begun:
            return self._all_active
        found = []
        for table, instances in self._by_table.items():
            begun = [each for each in instances if each.has_begun(window.until)]
            if begun:
                # Windows end where a table switches, so the newest instance that has begun has the whole window.
                found.append(ActiveInstance(table, begun[-1], self._catalogue.name_in_database(table)))
        if have_all_begun:
            self._all_active = found
        return found

    def unannounced_in(self, window: Window) -> list[tuple[ActiveInstance, Table]]:
        """The tables of `active` whose structures have to be announced, with these."""
        active, version = self.active(window), self._announced.version
        if self._nothing_new is not None and self._nothing_new[0] is active and self._nothing_new[1] == version:
            return []
        found = [(each, new) for each in active if (new := self._unannounced(each.instance)) is not None]
        self._nothing_new = None if found else (active, version)
        return found

    def structure(self, instance: Instance) -> Table:
        """The structure of an instance's rows: the announced one, else its source table's current one."""
        announced = self._announced.of_instance(instance) or self._announced.planned(instance)
        if announced is not None:
            return announced
        before = self._announced.get(instance.table)
        if (
            before is not None
            and self._announced.announced_instance(instance.table) is None
            and _fits(before, instance)
        ):
            return before  # from Debezium's schema history, which has no capture instances
        return as_captured(
            of_instance(self._structures.get(instance.table), instance), self._types.get(instance.object_id, {})
        )

    def _unannounced(self, instance: Instance) -> Table | None:
        """The structure of an instance's rows if it has to be announced, because another one was, or none; else None."""
        announced = self._announced.of_instance(instance)
        is_back = self._announced.is_removed(instance.table) and not self._announced.is_planned_removal(instance.table)
        if announced is None or is_back:
            return self.structure(instance)
        other = (
            self._announced.planned(instance)
            if self._announced.is_planned
            else self._other_structures.get(identity(instance))
        )
        return None if other is None or other.columns == announced.columns else other

    def _find_other_structures(self) -> dict[str, Table]:
        """The structures of instances that were announced with other types, or fewer columns, than their rows have now."""
        found = {}
        for name, instance in self.all.items():
            announced, source = self._announced.of_instance(instance), self._structures.get(instance.table)
            if announced is not None and source is not None:
                captured = as_captured(of_instance(source, instance), self._types.get(instance.object_id, {}))
                now = with_added(altered(announced, captured), captured)
                if now is not announced:
                    found[name] = now
        return found

    def _warn_of_columns(self) -> None:
        """Warn about columns that were added to a table, and that its newest instance does not capture."""
        for table, instances in self._by_table.items():
            newest, structure = instances[-1], self._structures.get(table)
            if structure is None or newest.object_id not in self._altered:
                continue  # columns that were excluded when the instance was created are intended
            fresh = self._not_warned_of(table.catalog, newest.name, not_captured(structure, newest))
            if fresh:
                log.warning(
                    "%s: not captured by the instance %s: %s. The table was altered since the instance was made: %s",
                    table, newest.name, ", ".join(fresh), self._catalogue.advice.add_columns,
                )  # fmt: skip

    def _warn_of_inactive(self) -> None:
        """Warn about tables that capture does not write to now, and when it does again."""
        for table, instances in self._by_table.items():
            newest = instances[-1]
            about = (self._settings.topic_prefix, table.catalog, "", f"inactive {table}")
            if newest.inactive and about not in _WARNED_OF:
                _WARNED_OF.add(about)
                log.warning(
                    "%s is registered, and not captured now (%s): what is changed in it meanwhile will not be told",
                    table, newest.inactive,
                )  # fmt: skip
            elif not newest.inactive and about in _WARNED_OF:
                _WARNED_OF.remove(about)
                log.warning("%s is captured again; %s", table, GAP)

    def _not_warned_of(self, database: str, about: str, names: Sequence[str]) -> list[str]:
        """The names about which this process has not warned yet; they count as warned about from now on."""
        announced = {name: (self._settings.topic_prefix, database, about, name) for name in names}
        fresh = [name for name, warning in announced.items() if warning not in _WARNED_OF]
        _WARNED_OF.update(announced.values())
        return fresh

    def _warn_of_hidden(self, session: Session) -> None:
        """Warn about instances whose table the user can't see: it is unknown whether that table is wanted."""
        names = self._not_warned_of(self._catalogue.database(session), "", [name for name, _ in self._hidden])
        if names:
            log.warning(
                "%s: the user may not see the tables of the capture instances %s, so they are not read: GRANT SELECT on those "
                "that are wanted; what changes before that is not told", self._catalogue.database(session), listed(names),
            )  # fmt: skip


def _fits(table: Table, instance: Instance) -> bool:
    return all(column.name in instance.columns for column in table.columns)


def newest_structures(dialect: Dialect[Session]) -> dict[TableId, Table]:
    """The captured tables of all databases, each with the current structure of its newest instance."""
    found: dict[TableId, Table] = {}
    for name in dialect.databases:
        with dialect.connect(name) as session:
            dialect.require_captured(session, name)
            instances = CaptureInstances(dialect, AnnouncedStructures(dialect, ()))
            instances.refresh(session)
            found |= {each.table: instances.structure(each) for each in instances.newest}
    return found
