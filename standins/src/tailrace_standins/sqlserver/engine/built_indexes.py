"""Indexes that are built anew, and so have another B-tree.

A heap whose rows move builds its nonclustered indexes anew, as these name rows by their place; so does a table that becomes
clustered, or a heap again. A clustered index that is rebuilt leaves the others alone. That each new B-tree has another number
(hobt_id) is a guess: no page says it.

Source: "ALTER INDEX", https://learn.microsoft.com/sql/t-sql/statements/alter-index-transact-sql
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tailrace_standins.sqlserver.engine.catalog import Catalog, Index, Table


def rebuilt(catalog: Catalog, table: Table, chosen: Collection[Index]) -> Table:
    """The table with new B-trees of these indexes."""
    return replace(
        table,
        indexes=tuple(
            replace(index, tree=catalog.new_id(), is_disabled=False) if index in chosen else index for index in table.indexes
        ),
    )


def rebuilt_table(catalog: Catalog, table: Table) -> Table:
    """ALTER TABLE … REBUILD: of a heap, all indexes are built anew; else the clustered one alone."""
    clustered = [index for index in table.indexes if index.clustered]
    return rebuilt(catalog, table, clustered or [index for index in table.indexes if index.has_tree])


def reclustered(catalog: Catalog, old: Table, new: Table) -> Table:
    """A changed table, whose nonclustered indexes are built anew if it has become clustered, or a heap."""
    if _is_heap(old) == _is_heap(new):
        return new
    return rebuilt(catalog, new, [index for index in new.indexes if index in old.indexes and index.has_tree])


def _is_heap(table: Table) -> bool:
    return not any(index.clustered for index in table.indexes)
