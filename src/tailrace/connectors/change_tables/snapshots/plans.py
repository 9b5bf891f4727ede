"""Plans snapshots with a connector's settings: for lanes, in parts for a DataFrame, and for requested work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from tailrace.connectors.base import Progress, RequestedStep, Signalled, SnapshotStep, StartPoint
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.settings import ChangeTableSettings
from tailrace.connectors.change_tables.snapshots import parts, planning, requested_parts
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.shared.signal_sql import Dialect as SqlDialect
from tailrace.connectors.shared.snapshots.parts import tables_of
from tailrace.errors import UnsupportedError
from tailrace.schema.tables import TableId


@dataclass(frozen=True, slots=True)
class Plans(Generic[Session, KeyT]):
    """The plans of one configuration's snapshots.

    Attributes:
        settings: of the connector.
        dialect: of the database, with these settings.
        tables: the same.
        sql: the SQL dialect of a signal's statements.

    """

    settings: ChangeTableSettings
    dialect: Dialect[Session]
    tables: PlannedTables[Session, KeyT]
    sql: SqlDialect

    def planned(self, lanes: int, after: Sequence[Progress] = ()) -> StartPoint:
        """The current P and a snapshot as of it; for one lane, as in Debezium, if `snapshot.isolation.mode` is set."""
        is_exact = self.settings.snapshot_isolation_mode is None  # otherwise all is read in one transaction
        return planning.planned(self.dialect, self.tables, lanes if is_exact else 1, after, is_exact=is_exact)

    def part_of(
        self, tables: Sequence[TableId], place: Mapping[str, Any], proofs: KeyProofs[Any, Any], *, waits: bool
    ) -> dict[str, Any] | None:
        """The initial state of a lane that reads these tables, in the given order, as of a position; see `planning.part_of`."""
        return planning.part_of(self.dialect, self.tables, tables, place, proofs, waits=waits)

    def snapshot_point(self) -> StartPoint:
        """The current P, and the tables as of it in reading order.

        Raises:
            UnsupportedError: `snapshot.isolation.mode` requires one transaction, which a DataFrame's tasks can't share.

        """
        mode = self.settings.snapshot_isolation_mode
        if mode is not None:
            raise UnsupportedError(
                f"snapshot.isolation.mode={mode}: a DataFrame reads tables by tasks, which share no transaction. Leave it "
                "out (the tables are exact as of one position without it), or deliver with `tailrace run`"
            )
        point = self.planned(1)
        return replace(point, snapshot=tables_of(point))

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of a snapshot, at most `wanted`."""
        return parts.next_parts(self.dialect, self.tables, point, reached, wanted, max_bytes)

    def key_proofs(self) -> KeyProofs[Any, Any]:
        """New proofs of keys, for requested snapshots."""
        return KeyProofs(self.dialect, self.tables)

    def requested_step(
        self,
        start: Mapping[str, Any],
        signalled: Signalled,
        wanted: int,
        max_bytes: int | None,
        proofs: KeyProofs[Any, Any],
    ) -> RequestedStep | None:
        """The next parts of the requested work; see `requested_parts.requested_step`."""
        found = self.dialect, self.tables, self.sql
        return requested_parts.requested_step(*found, start, signalled, wanted, max_bytes, proofs)
