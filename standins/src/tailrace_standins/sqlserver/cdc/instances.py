"""Capture instances: which columns of which source table are written to which change table.

The registry has committed instances only. `sp_cdc_enable_table` proposes one. It becomes active when the log hook sees the
commit that creates its change table, and ends when the hook sees the change table dropped.

Source: "About change data capture", https://learn.microsoft.com/sql/relational-databases/track-changes/about-change-data-capture-sql-server
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Captured:
    """A captured column; `id` is its column id in the source table, `ordinal` its position in the change table, from 1."""

    name: str
    id: int
    ordinal: int
    is_computed: bool = False


@dataclass(slots=True)
class Instance:
    """A capture instance.

    Attributes:
        key: ids of the source columns that identify a row, in order; empty if nothing does.
        role: the gating role, whose members alone see the changes; None without one.
        enabled: commit LSN of the transaction that enabled it; changes committed before it are not captured.

    """

    database_id: int
    table_id: int
    source_id: int
    name: str
    columns: tuple[Captured, ...]
    key: tuple[int, ...]
    index_name: str | None
    supports_net_changes: bool
    role: str | None = None
    enabled: bytes = b""


@dataclass(slots=True)
class Instances:
    """A server's registry, by the ids of change tables, which are unique over all databases."""

    active: dict[int, Instance] = field(default_factory=dict)
    proposed: dict[int, Instance] = field(default_factory=dict)
    _by_source: dict[int, tuple[Instance, ...]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of_source(self, table_id: int) -> tuple[Instance, ...]:
        """The instances of a source table."""
        return self._by_source.get(table_id, ())

    def named(self, database_id: int, name: str) -> Instance | None:
        """The instance of that name."""
        key = name.lower()
        with self._lock:
            return next(
                (i for i in self.active.values() if i.database_id == database_id and i.name.lower() == key), None
            )

    def activate(self, table_id: int, enabled: bytes) -> Instance | None:
        """Activate a proposed instance: the commit with its change table was seen."""
        instance = self.proposed.pop(table_id, None)
        if instance is not None:
            instance.enabled = enabled
            self.put(instance)
        return instance

    def put(self, instance: Instance) -> None:
        """Add an active instance."""
        with self._lock:
            self.active[instance.table_id] = instance
            self._group(instance.source_id)

    def end(self, table_id: int) -> None:
        """Remove an instance whose change table was dropped."""
        with self._lock:
            instance = self.active.pop(table_id, None)
            if instance is not None:
                self._group(instance.source_id)

    def _group(self, source_id: int) -> None:
        found = tuple(i for i in self.active.values() if i.source_id == source_id)
        if found:
            self._by_source[source_id] = found
        else:
            self._by_source.pop(source_id, None)
