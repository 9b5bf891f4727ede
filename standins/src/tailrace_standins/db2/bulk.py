"""Loads rows and captured changes by the million, past SQL, locks and the log: for benchmarks.

    load(engine, ("S", "T"), table)                              # rows of an Arrow table, in a commit
    Changes(engine, replication).write(("S", "T"), "insert", table, 1000)   # captured, in transactions of a thousand rows

Columns are told by their names. Values are those of Arrow's types that fit; times and decimals may also be text as it is
stored. Nothing is checked: neither keys nor NOT NULL. Nobody may use the table meanwhile.
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.db2.asn.rows import shape
from tailrace_standins.db2.engine import types
from tailrace_standins.storage.log import POSITIONS
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    import pyarrow as pa

    from tailrace_standins.db2.asn.control import Replication
    from tailrace_standins.db2.engine.catalog import Column, Table
    from tailrace_standins.db2.engine.server import Engine
    from tailrace_standins.db2.engine.session import EngineSession
    from tailrace_standins.db2.values import SqlType

_UNITS: Final = ((0, "s"), (3, "ms"), (6, "us"))
INSERT, UPDATE, DELETE = "insert", "update", "delete"


def load(engine: Engine, names: tuple[str, str], table: pa.Table) -> int:
    """Add rows to a table in a commit of their own, which is not captured; how many. Statistics are collected."""
    session = engine.session()
    try:
        target = engine.database.find(*names)
        _insert(session, target, _rows(target, table))
        session.run(f"RUNSTATS ON TABLE {_quoted(names)}")
        session.commit()
    finally:
        session.close()
    return int(table.num_rows)


class Changes:
    """Writes changes of a registered table as if they had been made, committed and captured."""

    def __init__(self, engine: Engine, replication: Replication) -> None:
        self._engine = engine
        self._capture = replication.capture
        self._schema = replication.schema

    def write(self, names: tuple[str, str], operation: str, table: pa.Table, at_once: int) -> int:
        """Change a table's rows and write its change table, up to a synchpoint behind them; how many rows of the latter.

        Args:
            names: schema and name.
            operation: INSERT, UPDATE or DELETE.
            table: the rows: new ones, also of an update; of a delete the primary key is enough.
            at_once: rows of a transaction.

        """
        if not table.num_rows:
            return 0
        with self._capture.work:
            self._capture.step()
            source = self._engine.database.find(*names)
            session = self._engine.session()
            try:
                before, after = _images(session, source, operation, table)
                _change(session, source, operation, before, after)
                return self._captured(session, source, before, after, at_once)
            finally:
                session.close()

    def _captured(
        self, session: EngineSession, source: Table, before: Sequence[Any], after: Sequence[Any], at_once: int
    ) -> int:
        registration = self._capture.register.active[source.schema, source.name]
        target = self._engine.database.find(*registration.target)
        made = shape(source.columns, target.columns, registration.prefix)
        commits: list[bytes] = []
        at, splits = self._capture.lsns.at, registration.splits

        def rows() -> Iterator[list[Stored]]:
            pairs = zip(before or repeat(None), after or repeat(None))  # noqa: B905 -- one of them may be without end
            while piece := list(islice(pairs, at_once)):
                places = [next(POSITIONS) for _ in piece]
                commits.append(commit := at(next(POSITIONS)))
                for place, (old, new) in zip(places, piece, strict=True):
                    if old is not None and new is not None and not splits:
                        yield [commit, at(place), "U", *made(new, old)]
                        continue
                    if old is not None:
                        yield [commit, at(place), "D", *made(old, None)]
                    if new is not None:
                        yield [commit, at(place, 1), "I", *made(new, None)]

        count = _insert(session, target, rows())
        _insert(session, self._engine.database.find(self._schema, "IBMSNAP_UOW"), self._units(session, commits))
        self._capture.wrote(registration.source, commits[-1] if commits else None, count, len(commits))
        return count

    def _units(self, session: EngineSession, commits: Iterable[bytes]) -> Iterator[list[Stored]]:
        now = session.now()
        for commit in commits:
            yield [commit[-10:], commit, now, str(session.id), session.user, " ", " " * 18]


def _images(
    session: EngineSession, table: Table, operation: str, given: pa.Table
) -> tuple[list[tuple[Stored, ...]], list[tuple[Stored, ...]]]:
    """The rows before and after a change; without those that there are none of."""
    if operation == INSERT:
        return [], list(_rows(table, given))
    keys = _keys(table)
    known = {tuple(row[place] for place in keys): row for row in _stored(session, table)}
    wanted = [tuple(row[place] for place in keys) for row in _rows(table, given)]
    return [known[key] for key in wanted], list(_rows(table, given)) if operation == UPDATE else []


def _keys(table: Table) -> list[int]:
    """The places of the primary key's columns."""
    primary = next(index for index in table.indexes if index.kind == "P")
    return [[column.id for column in table.columns].index(number) for number, _ in primary.columns]


def _stored(session: EngineSession, table: Table) -> list[tuple[Stored, ...]]:
    slots = ", ".join(column.slot for column in table.columns)
    return session.connection.rows(f"SELECT {slots} FROM {table.storage} WHERE e={LIVE}")  # type: ignore[no-any-return]


def _change(
    session: EngineSession, table: Table, operation: str, before: Sequence[Any], after: Sequence[Any]
) -> None:
    """Change a table's rows in place."""
    if operation == INSERT:
        _insert(session, table, after)
        return
    keys = _keys(table)
    where = " AND ".join(f"{table.columns[place].slot}=?" for place in keys)
    if operation == DELETE:
        sql, rows = f"DELETE FROM {table.storage} WHERE {where}", ([row[place] for place in keys] for row in before)
    else:
        assigned = ", ".join(f"{column.slot}=?" for column in table.columns)
        sql = f"UPDATE {table.storage} SET {assigned} WHERE {where}"
        rows = ([*row, *(row[place] for place in keys)] for row in after)
    _committed(session, table, lambda: session.connection.raw.executemany(sql, rows))


def _insert(session: EngineSession, table: Table, rows: Iterable[Sequence[Stored]]) -> int:
    first = session.store.rows.get(table.id, 0) + 1
    slots = "".join(f",{column.slot}" for column in table.columns)
    marks = ",".join("?" * (len(table.columns) + 4))
    number = session.store.sequence + 1
    values = ((rid, rid, number, LIVE, *row) for rid, row in enumerate(rows, first))
    sql = f"INSERT INTO {table.storage} (rid,r,b,e{slots}) VALUES ({marks})"
    count = int(_committed(session, table, lambda: session.connection.raw.executemany(sql, values)).rowcount)
    session.store.rows[table.id] = first + max(count, 0) - 1
    session.added(table.storage, count)
    return max(count, 0)


def _committed(session: EngineSession, table: Table, work: Callable[[], Any]) -> Any:
    """Do it in a commit of its own."""
    store, raw = session.store, session.connection.raw
    with store.writer:
        raw.execute("BEGIN IMMEDIATE")
        try:
            made = work()
            store.sequence += 1
            with store.table_changes.committing([table.storage]):
                raw.execute("COMMIT")
        except BaseException:
            raw.execute("ROLLBACK")
            raise
        return made


def _rows(table: Table, given: pa.Table) -> Iterator[tuple[Stored, ...]]:
    """The rows as they are stored; columns that are not given are NULL."""
    return zip(*(_column(column, given) for column in table.columns), strict=True)


def _column(column: Column, given: pa.Table) -> Iterable[Stored]:
    if column.name not in given.column_names:
        return repeat(None, given.num_rows)
    return chain.from_iterable(_values(chunk, column.type) for chunk in given.column(column.name).chunks)


def _values(array: pa.Array, of: SqlType) -> list[Stored]:
    import pyarrow as pa

    if pa.types.is_timestamp(array.type):
        unit = next((unit for scale, unit in _UNITS if of.scale <= scale), "us")
        texts = array.cast(pa.timestamp(unit)).cast(pa.string()).to_pylist()
        return [text and text.ljust(20 + of.scale, "0") for text in texts] if of.scale not in {0, 3, 6} else texts
    if pa.types.is_decimal(array.type) or types.is_temporal(of):
        array = array.cast(pa.string())
    values = array.to_pylist()
    if of.name == "boolean":
        return [value if value is None else int(value) for value in values]
    if of.name == "char":
        blank: Any = b" " if of.bit_data else " "
        return [value and value.ljust(of.length, blank) for value in values]
    return list(values)


def _quoted(names: tuple[str, str]) -> str:
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


