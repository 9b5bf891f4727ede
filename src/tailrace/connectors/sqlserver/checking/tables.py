"""Checks whether the included tables are captured completely: their capture instances, columns and partitions.

Source: https://learn.microsoft.com/sql/relational-databases/track-changes/work-with-change-data-sql-server
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from tailrace.connectors.change_tables.instances import Instance, in_use, not_captured
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import Table, TableId

MOST_INSTANCES: Final = 2  # of one table
_SWITCHABLE: Final = """
    SELECT c.object_id FROM cdc.change_tables c
    WHERE c.partition_switch = 1 AND EXISTS (SELECT 1 FROM sys.partitions p
        WHERE p.object_id = c.source_object_id AND p.index_id IN (0, 1) AND p.partition_number > 1)"""

Instances = Mapping[TableId, Sequence[Instance]]


def by_table(instances: Sequence[Instance]) -> Instances:
    """The instances of each table in reading order, those first that are not read any more."""
    in_order = sorted(instances, key=lambda instance: (instance.table, instance.order))
    read = frozenset(in_use(in_order))
    found: defaultdict[TableId, list[Instance]] = defaultdict(list)
    for each in sorted(in_order, key=lambda instance: instance in read):
        found[each.table].append(each)
    return found


def findings(
    session: Session,
    settings: SqlServerSettings,
    tables: Mapping[TableId, Table],
    instances: Sequence[Instance],
    altered: Collection[int],
) -> Iterator[Finding]:
    """The findings about the included tables.

    Args:
        session: in their database.
        settings: with the lists that include them.
        tables: the included ones, with their structures.
        instances: all of the database.
        altered: the object ids of change tables whose source table was altered since.

    """
    wanted = by_table([each for each in instances if each.table in tables])
    yield _captured(session.database, wanted)
    yield from _without_instance(session.database, settings, [table for table in tables if table not in wanted])
    names = [each.name for each in instances]
    for table, of_table in wanted.items():
        yield from _of_table(settings, tables[table], of_table, names, altered)
    yield from _switchable(session, wanted, names)


def _captured(database: str, wanted: Instances) -> Finding:
    if wanted:
        return Finding(Level.OK, f"{database}: {len(wanted)} tables are captured")
    mend = "see table.include.list, schema.include.list and what the login may see"
    return Finding(Level.WARNING, f"{database}: no table that is captured now is wanted", mend)


def _without_instance(database: str, settings: SqlServerSettings, tables: Sequence[TableId]) -> Iterator[Finding]:
    """Tables without an instance: only if a list includes them is it certain that they should have one."""
    if not tables:
        return
    what = f"{database}: the changes of {listed(tables)} are not captured"
    statements = tuple(map(setup_sql.enable_table, tables))
    if settings.table_include_list:
        yield Finding(Level.WARNING, what, statements=statements)
    else:
        mend = f"where that is wanted, for each: {statements[0]}; else name the tables that are, in table.include.list"
        yield Finding(Level.WARNING, what, mend)


def _of_table(
    settings: SqlServerSettings,
    table: Table,
    instances: Sequence[Instance],
    names: Collection[str],
    altered: Collection[int],
) -> Iterator[Finding]:
    newest = instances[-1]
    if len(instances) == MOST_INSTANCES:
        old = instances[0]
        since = newest.start_lsn.text if newest.start_lsn else "where the newer one begins"
        what = f"{table.id} has two capture instances: from {since} on {newest.name} is read, before that {old.name}"
        mend = f"once everything before that is delivered, the older can go: {setup_sql.drop_instance(old)}"
        yield Finding(Level.OK, what, mend)
    missing = [each for each in not_captured(table, newest) if settings.columns.matches(table.id, each)]
    if missing and newest.object_id in altered:
        yield _altered(table, instances, missing, names)
    elif missing:
        yield Finding(Level.OK, f"{table.id}: the columns {listed(missing)} were left out of {newest.name}")


def _altered(table: Table, instances: Sequence[Instance], missing: Sequence[str], names: Collection[str]) -> Finding:
    newest = instances[-1]
    what = f"{table.id} was altered since {newest.name} was made, which does not capture {listed(missing)}"
    if len(instances) == MOST_INSTANCES:
        mend = f"a table has two instances at most; first take the older away: {setup_sql.drop_instance(instances[0])}"
        return Finding(Level.WARNING, what, mend)
    columns = _with_new_columns(table, newest)
    return Finding(Level.WARNING, what, statements=(setup_sql.another_instance(newest, columns, names),))


def _with_new_columns(table: Table, instance: Instance) -> list[str] | None:
    """The columns of a new instance: those of the old one, and those added since; None for all columns.

    A column that was excluded on purpose stands before the newest captured one, and stays excluded. An added column
    comes after all that existed.
    """
    names, captured = [column.name for column in table.columns], frozenset(instance.columns)
    last = max((at for at, name in enumerate(names) if name in captured), default=-1)
    kept = [name for at, name in enumerate(names) if name in captured or at > last]
    return None if kept == names else kept


def _switchable(session: Session, wanted: Instances, names: Collection[str]) -> Iterator[Finding]:
    """Tables with SWITCH PARTITION: rows that are moved by it leave no trace in the change table."""
    switchable = {object_id for (object_id,) in session.rows(_SWITCHABLE)}
    for table, instances in wanted.items():
        newest = instances[-1]
        if newest.object_id in switchable:
            what = (
                f"{table} is partitioned, and ALTER TABLE ... SWITCH PARTITION is allowed, whose rows are not captured"
            )
            name = setup_sql.fresh_name(table, names)
            mend = f"do without it, or forbid it: {setup_sql.without_partition_switch(table, name, newest.role)}"
            yield Finding(Level.WARNING, what, mend)
