"""What a database supplies to plan a snapshot: its tables' keys and sizes, and where to split them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tailrace.config.overrides import SelectOverride
from tailrace.connectors.change_tables.dialect import Session_contra
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.capture import Capture
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey
from tailrace.errors import PositionLostError, RetriableError
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

KeyT = TypeVar("KeyT", bound=IndexKey[Any])


class PlannedTables(Protocol[Session_contra, KeyT]):
    """The tables of one configuration."""

    @property
    def lower_names(self) -> bool:
        """Whether a statement of the user may name its table in another case."""
        ...

    def key(self, given: Mapping[str, Any]) -> KeyT:
        """Parse a key from its JSON."""
        ...

    def keys_of(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, KeyT | NoKey]:
        """The keys by which the instances' tables are read."""
        ...

    def key_now(self, session: Session_contra, instance: Instance, table: TableWork) -> KeyT | NoKey:
        """The key of a table that a signal requests, after the surrogate key if the signal names one.

        Of a table that was begun it is the one of then, if the table still has that.
        """
        ...

    def altered_at(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, dt.datetime]:
        """When the instances' tables were altered last, or an index of theirs was made.

        By the clock of `Instance.create_date`. A table of which that is not known is missing.
        """
        ...

    def captured_until(self, session: Session_contra, lsn: Lsn) -> dt.datetime | None:
        """A time, by the same clock, before which everything that was committed lies at or before an LSN; None: unknown."""
        ...

    def capture(self, session: Session_contra) -> Capture[Any]:
        """The process that captures the changes of the session's database."""
        ...

    def start_table(self, session: Session_contra, table: TableWork, key: KeyT) -> TableWork | None:
        """A table with its key and its greatest key value now; None if it has no rows to read."""
        ...

    def has(self, session: Session_contra, table: TableId) -> bool:
        """Whether there is such a table now."""
        ...

    def estimated_rows(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        """The row counts of the instances' tables in the server's statistics."""
        ...

    def row_bytes(self, session: Session_contra, instance: Instance) -> int:
        """The approximate size of a row of an instance's table in bytes."""
        ...

    def change_counts(self, session: Session_contra, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The number of rows that each instance has in a window, as a snapshot reads them."""
        ...

    def key_behind(
        self, session: Session_contra, table: TableId, key: KeyT, count: int, after: Bound | None
    ) -> Bound | None:
        """The key `count` rows after a bound, along the index; None if fewer rows follow."""
        ...

    def span(self, session: Session_contra, table: TableId, key: KeyT) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column, if that is a number."""
        ...

    def is_before(self, session: Session_contra, key: KeyT, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the database's order."""
        ...

    def require_keys(self, keys: Mapping[TableId, KeyT | NoKey]) -> None:
        """Raise `UnsupportedError` if tables without a key can't be read as of one LSN."""
        ...

    def require_readable(
        self, session: Session_contra, point: Lsn, table: TableId, key: KeyT | None, override: SelectOverride
    ) -> None:
        """Raise `ConfigError` if a user's statement can't be executed instead of a table; no row is read."""
        ...

    def limit_locks(self, session: Session_contra) -> None:
        """Make the session wait for locks as long as `snapshot.lock.timeout.ms` says."""
        ...

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether a snapshot fails if it waits for a lock for longer than that."""
        ...

    def in_time(self, table: TableId) -> AbstractContextManager[None]:
        """Read a table within the block; a lock timeout may become a final error there."""
        ...

    def hurry(self, session: Session_contra, lsn: Lsn) -> None:
        """Make the session wait only briefly for locks, and now for its replica to see what is captured up to an LSN.

        Raises:
            RetriableError: it does not see that in time.

        """
        ...

    def late_instances_error(self, database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
        """The error for tables that capture has not begun with after so many seconds."""
        ...

    def warn_of_others(self, database: str, tables: Sequence[TableId]) -> None:
        """Warn about wanted tables that are not captured."""
        ...

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error for a table whose changes are not retained from a position on."""
        ...
