"""ALTER INDEX … REBUILD and DISABLE.

A disabled index has no B-tree and keeps no equal keys out, until it is rebuilt. Clustered ones can't be disabled here.

Sources: "ALTER INDEX", https://learn.microsoft.com/sql/t-sql/statements/alter-index-transact-sql;
"Disable indexes and constraints", https://learn.microsoft.com/sql/relational-databases/indexes/disable-indexes-and-constraints
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import alter, tree
from tailrace_standins.sqlserver.engine.altered_tables import check_unique
from tailrace_standins.sqlserver.engine.built_indexes import rebuilt
from tailrace_standins.sqlserver.engine.catalog import Database, Index, Table
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.session import Affected, Outcome
from tailrace_standins.storage import log
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def alter_index(session: EngineSession, statement: tree.AlterIndex) -> Iterator[Outcome]:
    """ALTER INDEX; raises 2727, over duplicates 1505, and the error of a hook for an index that must stay (22979, 22983)."""
    session.finish_reading()
    database, table = alter.changed_table(session, statement.table, 1088)
    if not table.is_temporary:
        alter.lock_schema(session, table)
        write(session, lambda transaction: _altered(session, transaction, database, table.id, statement))
    yield Affected(None, "ALTER INDEX")


def _altered(
    session: EngineSession, transaction: Transaction, database: Database, table_id: int, statement: tree.AlterIndex
) -> None:
    table = database.by_id[table_id]
    name = statement.name.lower()
    chosen = [index for index in table.indexes if not index.is_hypothetical and name in ("", index.name.lower())]
    if name and not chosen:
        raise error(2727, statement.name)
    if statement.action == "DISABLE":
        new = _disabled(database, table, chosen)
    else:
        new = rebuilt(session.engine.catalog, table, chosen)
        for index in new.indexes:
            if index not in table.indexes:
                check_unique(session, new, index, 1505)
    session.engine.allow(log.Record(database, new, Operation.ALTER_INDEX, old=table))
    alter.changing(session, transaction, database, table, new, Operation.ALTER_INDEX)


def _disabled(database: Database, table: Table, chosen: Collection[Index]) -> Table:
    keys = [key.referenced for other in database.by_id.values() for key in other.foreign_keys if key.table_id == table.id]
    for index in chosen:
        if index.clustered:
            raise unsupported("ALTER INDEX … DISABLE of a clustered index")
        if any({column for column, _ in index.columns} == set(key) for key in keys):
            raise unsupported("ALTER INDEX … DISABLE of an index that foreign keys refer to")
    return replace(
        table, indexes=tuple(replace(index, is_disabled=True) if index in chosen else index for index in table.indexes)
    )
