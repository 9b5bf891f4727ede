"""Statements that a captured table does not allow.

A captured table can't be truncated. The index that identifies an instance's rows can't be dropped or disabled, with or without
support for net changes. A captured column can't be renamed.

Sources: "Enable and disable change data capture",
https://learn.microsoft.com/sql/relational-databases/track-changes/enable-and-disable-change-data-capture-sql-server;
"Known issues and errors", https://learn.microsoft.com/sql/relational-databases/track-changes/known-issues-and-errors-change-data-capture
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace_standins.sqlserver.cdc.instances import Instance
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.engine.catalog import Table
from tailrace_standins.sqlserver.engine.log import Record
from tailrace_standins.storage.log import Operation


def check(record: Record, instances: Sequence[Instance]) -> None:
    """Refuse a record that the instances of its table do not allow; raises 4711, 4928, 22979, 22983."""
    if record.operation is Operation.TRUNCATE:
        raise failure(4711, record.table.name)
    if record.old is None:
        return
    if record.operation in {Operation.ALTER_TABLE, Operation.DROP_INDEX, Operation.ALTER_INDEX}:
        _check_indexes(record, record.old, instances)
    elif record.operation is Operation.RENAME:
        _check_names(record, record.old, instances)


def _check_indexes(record: Record, old: Table, instances: Sequence[Instance]) -> None:
    left = {index.name for index in record.table.indexes if index.has_tree}
    gone = {index.name: index for index in old.indexes if index.name not in left}
    for instance in instances:
        index = gone.get(instance.index_name or "")
        if index is not None:
            raise failure(22979 if index.constraint_id else 22983, index.name, f"{old.schema}.{old.name}")


def _check_names(record: Record, old: Table, instances: Sequence[Instance]) -> None:
    for instance in instances:
        for captured in instance.columns:
            before, after = old.by_id.get(captured.id), record.table.by_id.get(captured.id)
            if before is not None and after is not None and before.name != after.name:
                raise failure(4928, before.name, "REPLICATED")
