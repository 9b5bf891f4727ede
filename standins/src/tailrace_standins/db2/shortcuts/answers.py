"""Decides whether encoded rows may answer a query, makes them, and keeps them up to date.

They are what is committed. So they answer readers that see just that: not a transaction that has changed the table itself, nor
one that reads uncommitted changes, or leaves locked rows out, while there are some. Rows that are added at the end of the key -
as all are in change tables - are added to those that are there; after any other change they are read anew.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tailrace_standins.db2.engine import tree, types
from tailrace_standins.db2.session import EncodedRows
from tailrace_standins.db2.shortcuts.encoded import EncodedTable, State
from tailrace_standins.db2.shortcuts.ranges import UnreadableError, ranges
from tailrace_standins.db2.shortcuts.recognised import Recognised, condition_of, recognised
from tailrace_standins.db2.shortcuts.switch import Shortcuts
from tailrace_standins.storage.log import Operation

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.catalog import Table
    from tailrace_standins.db2.engine.log import LoggedTransaction
    from tailrace_standins.db2.engine.reads import Read
    from tailrace_standins.db2.engine.session import EngineSession, Prepared

_Key: TypeAlias = tuple[Any, ...]
_ROWS_KEPT: Final = 12_000_000
_LISTS_KEPT: Final = 1000
_SKIP: Final = "SKIP LOCKED DATA"


class Answers:
    """The encoded rows of a database (`storage.log.CommitHook`).

    Attributes:
        answered: how many queries were answered by them.

    """

    def __init__(self, shortcuts: Shortcuts) -> None:
        self._shortcuts = shortcuts
        self.answered = 0
        self._kept: OrderedDict[_Key, EncodedTable] = OrderedDict()
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()
        self._inserted: Counter[str] = Counter()
        self._disturbed: Counter[str] = Counter()

    def committing(self, connection: Any, transaction: LoggedTransaction) -> None:
        """Not needed: the database's file is not kept."""

    def committed(self, transaction: LoggedTransaction) -> None:
        """Note what a transaction did with each table."""
        if self._shortcuts is Shortcuts.OFF:
            return
        done = Counter((record.table.storage, record.operation) for record in transaction.records)
        for (storage, operation), count in done.items():
            (self._inserted if operation is Operation.INSERT else self._disturbed)[storage] += count
        for storage in {storage for storage, _ in done}:
            self._seen[storage] += 1

    def added(self, storage: str, rows: int) -> None:
        """Note a commit that added rows without records in the log."""
        self._inserted[storage] += rows
        self._seen[storage] += 1

    def find(self, session: EngineSession, prepared: Prepared, read: Read) -> Recognised | None:
        """The query, if it is one that may be answered by encoded rows."""
        statement, plan = prepared.tree, read.plan
        if self._shortcuts is Shortcuts.OFF or not isinstance(statement, tree.SelectStatement) or len(plan.tables) != 1:
            return None
        table = plan.tables[0]
        if session.store.rows.get(table.id, 0) < self._shortcuts.least or plan.views:
            return None
        if any(column.type.name in types.LARGE for column in prepared.columns):
            return None
        return recognised(statement, session.database, (table.schema, table.name))

    def rows(
        self, session: EngineSession, prepared: Prepared, read: Read, found: Recognised
    ) -> list[EncodedRows] | None:
        """The query's rows; None: SQLite must answer it."""
        if not self._may_answer(session, read, found.table):
            return None
        try:
            condition = condition_of(found, prepared.parameters, read.values)
            most = _most(found.fetch, read.values)
            table = self._kept_for(found)
            with table.work:
                if not self._is_current(session, prepared, found, table):
                    return None
                rows = list(table.rows(ranges(condition, table.keys, table.count), most))
        except UnreadableError:
            return None
        self.answered += 1
        return rows

    def _may_answer(self, session: EngineSession, read: Read, table: Table) -> bool:
        own = session.transaction
        if own is not None and table.storage in own.storages:
            return False
        if not read.is_dirty and read.resolution != _SKIP:
            return True
        open_ = [other.transaction for other in list(session.store.sessions.values())]
        return not any(each is not None and table.storage in each.storages for each in open_)

    def _kept_for(self, found: Recognised) -> EncodedTable:
        """The rows of a select list, which may have to be read."""
        key = (found.table.id, found.table.columns, found.key, found.source, found.items)
        with self._lock:
            table = self._kept.setdefault(key, EncodedTable())
            self._kept.move_to_end(key)
            if len(self._kept) > _LISTS_KEPT:
                self._kept.popitem(last=False)
        return table

    def _is_current(self, session: EngineSession, prepared: Prepared, found: Recognised, table: EncodedTable) -> bool:
        state = self._state(session, found.table)
        if state is None:
            return False
        if table.state is not None and table.state.number == state.number:
            return True
        more = table.state.grew_to(state) if table.state is not None else None
        if more is not None and table.filled(session, found, prepared.columns, state, extends=True) != more:
            more = None
        if more is None and not self._is_worth_it(found, table, state):
            return False
        if more is None:
            table.filled(session, found, prepared.columns, state, extends=False)
            self._forget_others()
        if self._state(session, found.table) == state:
            return True
        table.state = None  # a commit came while it was read
        return False

    def _is_worth_it(self, found: Recognised, table: EncodedTable, state: State) -> bool:
        """Whether all rows are to be encoded: those of a table that has not changed since they were asked for the last time."""
        is_first, is_quiet = table.asked is None and found.where is None, table.asked == state.number
        table.asked = state.number
        return is_first or is_quiet or self._shortcuts is Shortcuts.ALWAYS

    def _state(self, session: EngineSession, table: Table) -> State | None:
        number = session.store.table_changes.number(table.storage)
        if number is None:
            return None
        storage = table.storage
        return State(number, self._seen[storage], self._inserted[storage], self._disturbed[storage])

    def _forget_others(self) -> None:
        """Forget the rows that were not used for the longest time, if there are too many."""
        with self._lock:
            while len(self._kept) > 1 and sum(each.count for each in self._kept.values()) > _ROWS_KEPT:
                self._kept.popitem(last=False)


def _most(fetch: tree.Expression | None, values: dict[str, Any]) -> int | None:
    match fetch:
        case None:
            return None
        case tree.Literal(value=int() as number):
            return number
        case tree.Parameter(number=number) if isinstance(values.get(f"p{number}"), int):
            return int(values[f"p{number}"])
    raise UnreadableError
