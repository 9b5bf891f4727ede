"""What a database supplies to read tables beside its log."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.errors import RetriableError
from tailrace.requested_work.work import TableWork
from tailrace.snapshot.segments import Bound

Session_co = TypeVar("Session_co", covariant=True)


class IncrementalReads(Protocol[Session_co, DatabaseT]):
    """How one database reads tables beside its log, some chunks at a time.

    Reads wait only briefly for a lock.
    """

    def session(self, database: str, place: Lsn) -> AbstractContextManager[Session_co]:
        """A session that sees what is captured up to an LSN.

        Raises:
            RetriableError: it does not see that in time.

        """
        ...

    def opened(self, table: TableWork, place: Lsn) -> ChangeTableSource[DatabaseT, Any]:
        """A source that reads only this table, at an LSN."""
        ...

    def catalog_session(self, database: DatabaseT) -> Session_co:
        """The session of a source's database for queries about tables."""
        ...

    def takes_too_long(self, error: RetriableError) -> bool:
        """Whether the query itself takes too long, and not the wait for a lock."""
        ...

    def values(self, key: Any, bound: Bound) -> list[Any]:
        """The values of a bound, for notifications."""
        ...
