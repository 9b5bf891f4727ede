"""What only a database knows of reading tables beside its log."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.errors import RetriableError
from tailrace.signalled.work import TableWork
from tailrace.snapshot.segments import Bound

Session_co = TypeVar("Session_co", covariant=True)


class IncrementalReads(Protocol[Session_co, DatabaseT]):
    """How one database reads tables beside its log, some chunks at a time.

    Whoever has a lock on them is waited for a moment, and not longer.
    """

    def session(self, database: str, place: Lsn) -> AbstractContextManager[Session_co]:
        """A session that sees what is captured up to a place.

        Raises:
            RetriableError: it does not see that for a while.

        """
        ...

    def opened(self, table: TableWork, place: Lsn) -> ChangeTableSource[DatabaseT, Any]:
        """A source that reads a table and no other, where the log stands."""
        ...

    def asking(self, database: DatabaseT) -> Session_co:
        """The session of a source's database for questions."""
        ...

    def takes_too_long(self, error: RetriableError) -> bool:
        """Whether it is the query that takes too long, and not a lock."""
        ...

    def values(self, key: Any, bound: Bound) -> list[Any]:
        """The values of such a key, for people."""
        ...
