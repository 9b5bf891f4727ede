"""Capture instances: which columns of which table go to which change table.

The registry holds what is committed. An instance is proposed when `sp_cdc_enable_table` runs and becomes active when
the log hook sees the commit with its change table; it ends when the hook sees the change table dropped.

Source: "About change data capture", https://learn.microsoft.com/sql/relational-databases/track-changes/about-change-data-capture-sql-server
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Captured:
    """A captured column; `id` is the column's in the source table, `ordinal` its place (from 1) in the change table."""

    name: str
    id: int
    ordinal: int
    is_computed: bool = False


@dataclass(slots=True)
class Instance:
    """A capture instance.

    Attributes:
        key: ids of the source columns that identify a row, in their order; empty where nothing does.
        role: the gating role: who is not its member does not see the changes; None where there is none.
        enabled: commit LSN of the transaction that enabled it: changes committed before are not its own.

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
    """The registry of a server, by the change tables' ids (unique over a server's databases)."""

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
        """The commit with the change table was seen."""
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
        """The change table was dropped."""
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
