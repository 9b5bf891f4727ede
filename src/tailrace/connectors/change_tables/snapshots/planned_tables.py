"""What only a database knows of its tables when a snapshot is planned: their keys, how large they are, where to cut them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tailrace.config.overrides import SelectOverride
from tailrace.connectors.change_tables.dialect import Session_contra
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey
from tailrace.errors import PositionLostError, RetriableError
from tailrace.schema.tables import TableId
from tailrace.signalled.work import TableWork
from tailrace.snapshot.segments import Bound

KeyT = TypeVar("KeyT", bound=IndexKey[Any])


class PlannedTables(Protocol[Session_contra, KeyT]):
    """The tables of one configuration."""

    @property
    def lower_names(self) -> bool:
        """Whether a statement of the user's own may name its table in another case."""
        ...

    def key(self, given: Mapping[str, Any]) -> KeyT:
        """A key from what its `to_dict` gave."""
        ...

    def keys_of(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, KeyT | NoKey]:
        """By which the tables of instances are read."""
        ...

    def key_now(self, session: Session_contra, instance: Instance, table: TableWork) -> KeyT | NoKey:
        """The same of one that a signal asks for: led by the surrogate key, where the signal names one."""
        ...

    def begun(self, session: Session_contra, table: TableWork, key: KeyT) -> TableWork | None:
        """A table with its key, and the greatest one that it has now; None where it has no rows to read."""
        ...

    def has(self, session: Session_contra, table: TableId) -> bool:
        """Whether there is such a table now."""
        ...

    def estimated_rows(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        """About how many rows the tables of instances have."""
        ...

    def row_bytes(self, session: Session_contra, instance: Instance) -> int:
        """About how many bytes a row of an instance's table has."""
        ...

    def change_counts(self, session: Session_contra, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """How many rows of a window each instance has, as a snapshot reads them."""
        ...

    def key_behind(
        self, session: Session_contra, table: TableId, key: KeyT, count: int, after: Bound | None
    ) -> Bound | None:
        """The key of the last of so many rows behind a bound, along the index; None where there are fewer."""
        ...

    def span(self, session: Session_contra, table: TableId, key: KeyT) -> tuple[int, int] | None:
        """The least and the greatest value of a key's first column, where that is a number."""
        ...

    def is_before(self, session: Session_contra, key: KeyT, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another, in the database's order."""
        ...

    def require_keys(self, keys: Mapping[TableId, KeyT | NoKey]) -> None:
        """Raise `UnsupportedError` where tables without a key can't be read as of one place of the log."""
        ...

    def require_readable(
        self, session: Session_contra, point: Lsn, table: TableId, key: KeyT | None, override: SelectOverride
    ) -> None:
        """Raise `ConfigError` where a user's own statement can't be read instead of a table; none of its rows is read."""
        ...

    def limit_locks(self, session: Session_contra) -> None:
        """Wait for locks as long as `snapshot.lock.timeout.ms` says, from now on."""
        ...

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether a snapshot fails that waits for a lock for longer than that."""
        ...

    def in_time(self, table: TableId) -> AbstractContextManager[None]:
        """A table is read within the block; an error of a lock may be a final one then."""
        ...

    def hurry(self, session: Session_contra, lsn: Lsn) -> None:
        """Wait only for a moment from now on, for a lock, and now for a replica to see what is captured up to an LSN.

        Raises:
            RetriableError: it does not see it.

        """
        ...

    def not_begun(self, database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
        """What to say where capture has not begun with these tables after so many seconds."""
        ...

    def tell_others(self, database: str, tables: Sequence[TableId]) -> None:
        """Say which wanted tables are not captured."""
        ...

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """What to say where the changes of a table are not told from a position on."""
        ...
