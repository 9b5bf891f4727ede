"""The T-SQL that sets up change data capture, as `tailrace check` prints it and `--apply` executes it.

No statement that is executed drops or disables anything.

Source:
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/change-data-capture-stored-procedures-transact-sql
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.findings import Statement
from tailrace.connectors.sqlserver.connection import literal, quoted
from tailrace.schema.tables import TableId

LONGEST_NAME: Final = 100  # characters of a capture instance's name


def enable_database(database: str) -> Statement:
    """Enable change data capture for a database."""
    return Statement(database, "EXEC sys.sp_cdc_enable_db;")


def enable_table(table: TableId) -> Statement:
    """Create the first capture instance of a table, without a gating role."""
    return Statement(table.catalog, _enable(table, role=None))


def another_instance(instance: Instance, columns: Sequence[str] | None, taken: Collection[str]) -> Statement:
    """Create a second capture instance after an old one; `columns`: None for all, `taken`: the existing names.

    It gets the gating role of the old one, and identifies rows by the same index: nobody can drop or disable that meanwhile.
    """
    more = [f"@capture_instance = {literal(fresh_name(instance.table, taken))}"]
    if instance.index_name:
        more.append(f"@index_name = {literal(instance.index_name)}")
    if columns is not None:
        more.append(f"@captured_column_list = {literal(', '.join(map(quoted, columns)))}")
    return Statement(instance.table.catalog, _enable(instance.table, *more, role=instance.role))


def fresh_name(table: TableId, taken: Collection[str]) -> str:
    """A name that no instance has, such as `dbo_orders_2`."""
    lowered, number = {name.lower() for name in taken}, 2
    while (name := _numbered(f"{table.schema}_{table.name}", number)).lower() in lowered:
        number += 1
    return name


def without_partition_switch(table: TableId, name: str, role: str | None) -> str:
    """Create an instance that forbids SWITCH PARTITION; only for people, as it breaks statements that worked before."""
    more = (f"@capture_instance = {literal(name)}", "@allow_partition_switch = 0")
    return str(Statement(table.catalog, _enable(table, *more, role=role)))


def drop_instance(instance: Instance) -> str:
    """Drop an instance; only for people."""
    table = instance.table
    sql = (
        f"EXEC sys.sp_cdc_disable_table @source_schema = {literal(table.schema)}, @source_name = {literal(table.name)}, "
        f"@capture_instance = {literal(instance.name)};"
    )
    return str(Statement(table.catalog, sql))


def add_job(database: str, kind: str) -> Statement:
    """Create the capture job or the clean-up job."""
    return Statement(database, f"EXEC sys.sp_cdc_add_job @job_type = {literal(kind)};")


def start_capture(database: str) -> Statement:
    """Start the capture job."""
    return Statement(database, "EXEC sys.sp_cdc_start_job @job_type = N'capture';")


def keep_changes(database: str, minutes: int) -> Statement:
    """Set the retention of change tables."""
    return Statement(database, f"EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @retention = {minutes};")


def allow_snapshot_isolation(database: str) -> Statement:
    """Allow snapshot isolation, which transactions have to request."""
    return Statement(database, f"ALTER DATABASE {quoted(database)} SET ALLOW_SNAPSHOT_ISOLATION ON;")


def grant_select_on_schema(database: str, schema: str, user: str) -> Statement:
    """Grant SELECT on the tables of a schema."""
    return Statement(database, f"GRANT SELECT ON SCHEMA::{quoted(schema)} TO {quoted(user)};")


def grant_select(table: TableId, user: str) -> Statement:
    """Grant SELECT on a table."""
    return Statement(table.catalog, f"GRANT SELECT ON {quoted(table.schema, table.name)} TO {quoted(user)};")


def unmask(database: str, user: str) -> Statement:
    """Show a user what masked columns hold; only for people, as the masks may be meant for the connector."""
    return Statement(database, f"GRANT UNMASK TO {quoted(user)};")


def add_to_role(database: str, role: str, user: str) -> Statement:
    """Add a user to a role."""
    return Statement(database, f"ALTER ROLE {quoted(role)} ADD MEMBER {quoted(user)};")


def _enable(table: TableId, *more: str, role: str | None) -> str:
    arguments = (
        f"@source_schema = {literal(table.schema)}",
        f"@source_name = {literal(table.name)}",
        f"@role_name = {'NULL' if role is None else literal(role)}",
        *more,
    )
    return f"EXEC sys.sp_cdc_enable_table {', '.join(arguments)};"


def _numbered(name: str, number: int) -> str:
    end = f"_{number}"
    return name[: LONGEST_NAME - len(end)] + end
