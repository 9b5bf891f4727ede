"""Db2's lock modes as far as tables have them here, and its errors of waits.

Source: IBM Db2 documentation, "Lock attributes", "Lock type compatibility"
"""

from __future__ import annotations

from typing import Any, Final

from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED

INTENT_SHARED: Final = "IS"
INTENT_EXCLUSIVE: Final = "IX"
COMPATIBLE: Final[dict[str, frozenset[str]]] = {
    INTENT_SHARED: frozenset((INTENT_SHARED, INTENT_EXCLUSIVE, SHARED)),
    INTENT_EXCLUSIVE: frozenset((INTENT_SHARED, INTENT_EXCLUSIVE)),
    SHARED: frozenset((INTENT_SHARED, SHARED)),
    EXCLUSIVE: frozenset(),
}
"""Each mode with the modes of other sessions that it is compatible with."""


class Errors:
    """`storage.sessions.Failures`, in Db2's codes: -911 rolls back, with its reason code."""

    def lock_timeout(self) -> SqlError:
        """CURRENT LOCK TIMEOUT."""
        return SqlError(-911, "40001", "68")

    def deadlock(self, session: int) -> SqlError:
        """The deadlock detector chose this session."""
        del session
        return SqlError(-911, "40001", "2")

    def cancelled(self) -> SqlError:
        """The client interrupted."""
        return SqlError(-952, "57014")

    def row_changed(self, database: Any, table: Any) -> SqlError:
        """Not met: there is no isolation level with snapshots."""
        del database, table
        return SqlError(-911, "40001", "2")
