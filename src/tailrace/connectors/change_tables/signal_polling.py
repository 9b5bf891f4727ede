"""Signals in the DataFrame way: the change tables' side of `shared/signal_polling.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.signal_tables import is_captured
from tailrace.schema.tables import TableId

SignalRows = Callable[[Session, TableId, int], Sequence[Sequence[Any]] | None]


class PolledChangeTables(Generic[Session]):
    """A `PolledDatabase`."""

    def __init__(self, dialect: Dialect[Session], rows: SignalRows[Session]) -> None:
        """`rows` returns the rows of a signal table by its first column, at most so many; None if it does not exist."""
        self._dialect = dialect
        self._rows = rows

    def rows(self, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
        """The rows of a signal table; None if there is no such table."""
        with self._dialect.connect(table.catalog) as session:
            return self._rows(session, table, most)

    def captured(self) -> Sequence[TableId]:
        """The tables whose rows may be requested: those that are captured now."""
        found: list[TableId] = []
        for name in self._dialect.databases:
            with self._dialect.connect(name) as session:
                found += sorted({each.table for each in self._dialect.instances(session)})
        return [table for table in found if is_captured(self._dialect, table)]

    def position_text(self, position: Mapping[str, Any]) -> str:
        """A position, for people."""
        return Positions(self._dialect.lsns).restart_text(position)
