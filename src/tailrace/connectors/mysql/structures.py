"""The structures of all known tables at one position of the log, and how DDL changes them.

Tables are immutable and shared, so a copy at a position costs one dictionary. A statement is applied wholly
or, when it can't be understood, not at all.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tailrace.connectors.mysql.ddl import DEFAULT_MODE, SqlMode, State, apply_statement
from tailrace.errors import StructureError
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Table, TableId

__all__ = ["SqlMode", "Structures"]

log = logging.getLogger(__name__)
_SHOWN = 200


@dataclass(slots=True)
class Structures:
    """What is known of tables; looks like a mapping of ids to tables.

    Attributes:
        lower_names: names of databases and tables are kept in lower case (`lower_case_table_names` is 1 or
            2). skip_unparseable: pass over statements that can't be understood, with a warning, instead of
            stopping.

    """

    lower_names: bool = False
    skip_unparseable: bool = False
    _state: State = field(default_factory=State)

    def __getitem__(self, table_id: TableId) -> Table:
        return self._state.tables[table_id]

    def __contains__(self, table_id: TableId) -> bool:
        return table_id in self._state.tables

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._state.tables)

    def __len__(self) -> int:
        return len(self._state.tables)

    def get(self, table_id: TableId) -> Table | None:
        """A table's structure, None where it is not known."""
        return self._state.tables.get(table_id)

    @property
    def tables(self) -> Mapping[TableId, Table]:
        """All of them; not to be changed."""
        return self._state.tables

    @property
    def server_charset(self) -> str | None:
        """The character set of databases of which nothing else is known."""
        return self._state.server_charset

    @server_charset.setter
    def server_charset(self, charset: str | None) -> None:
        self._state.server_charset = charset

    @property
    def database_charsets(self) -> Mapping[str, str]:
        """The default character sets of databases whose creation, or change, is known."""
        return self._state.database_charsets

    def copy(self) -> Structures:
        """As it is now; later changes of one don't touch the other."""
        return Structures(self.lower_names, self.skip_unparseable, self._state.copy())

    @property
    def unknown(self) -> Collection[TableId]:
        """Names of tables that are there and came from others whose structure was not known; not to be changed."""
        return self._state.unknown

    def put(self, table: Table) -> None:
        """Makes a structure known that does not come from DDL."""
        self._state.put(table)

    def remove(self, table_id: TableId) -> None:
        """There is no such table any more."""
        self._state.drop(table_id)

    def forget(self, table_id: TableId) -> None:
        """There is such a table, and its structure is not known."""
        self._state.forget(table_id)

    def id(self, database: str, table: str) -> TableId:
        """The id of a table, as names are kept."""
        if self.lower_names:
            return TableId(database.lower(), "", table.lower())
        return TableId(database, "", table)

    def apply(
        self, database: str, ddl: str, *, at: str = "", mode: SqlMode = DEFAULT_MODE, charset: str | None = None
    ) -> list[TableChange]:
        """Applies one statement; `database` and `charset` (of the server) are the session's, `at` is the position for an error.

        Nothing comes back for a statement that changes no structure, and for one about tables that are not
        known. A name that such a table gets is among `unknown` then.

        Raises:
            StructureError: it can't be understood; nothing is changed.

        """
        draft = self._state.copy()
        try:
            changes = apply_statement(ddl, database, draft, mode, charset=charset, lower_names=self.lower_names)
        except StructureError as error:
            if not self.skip_unparseable:
                raise StructureError(_message(ddl, at, error)) from error
            log.warning("passed over: %s", _message(ddl, at, error))
            return []
        self._state = draft
        return changes

    def truncated(self, changes: Iterable[TableChange]) -> list[TableId]:
        """The tables that these changes emptied."""
        return [c.id for c in changes if c.type is ChangeType.TRUNCATE and c.id is not None]


def _message(ddl: str, at: str, error: StructureError) -> str:
    shown = " ".join(ddl.split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    place = f" at {at}" if at else ""
    return (
        f"a DDL statement{place} can't be applied: {error}. The statement: {shown}. "
        "schema.history.internal.skip.unparseable.ddl=true passes over it, if it concerns no captured table"
    )
