"""cdc.fn_cdc_get_net_changes_<instance>: one row with the final content of each source row that changed.

A row that was inserted and deleted within the range is left out; one that was deleted and inserted again is an update.

Source: https://learn.microsoft.com/sql/relational-databases/system-functions/cdc-fn-cdc-get-net-changes-capture-instance-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc.instances import Instance
from tailrace_standins.sqlserver.cdc.shapes import COMMAND_ID, OPERATION, SEQVAL, START_LSN, UPDATE_MASK
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

OPTIONS: Final = frozenset(("all", "all with mask", "all with merge"))
COMBINED_MASK: Final = "fn_cdc_combined_mask"  # the stand-in's own: SQL Server generates an expression for each column
_OPTION: Final = "LOWER(RTRIM(LTRIM(@row_filter_option)))"
_RANGE: Final = f"[{START_LSN}] >= @from_lsn AND [{START_LSN}] <= @to_lsn"


def quoted(name: str) -> str:
    """A name in brackets."""
    return f"[{name.replace(']', ']]')}]"


def query(instance: Instance) -> str:
    """The function's query."""
    names = {column.id: quoted(column.name) for column in instance.columns}
    key = [names[column] for column in instance.key]
    table = f"cdc.{quoted(instance.name + '_CT')}"
    partition = f"PARTITION BY {', '.join(key)} ORDER BY"
    order = [f"[{name}]" for name in (START_LSN, COMMAND_ID, SEQVAL, OPERATION)]
    same = " AND ".join(f"m.{name} = n.{name}" for name in key)
    columns = ", ".join(f"n.{quoted(column.name)}" for column in instance.columns)
    update = f"n.[{OPERATION}] <> 1 AND n.[__$first] <> 2"
    masks = (
        f"SELECT STRING_AGG(CONVERT(varchar(256), m.[{UPDATE_MASK}], 2), ',') FROM {table} AS m WITH (NOLOCK) "  # noqa: S608
        f"WHERE m.{_RANGE.replace('AND [', 'AND m.[')} AND {same}"
    )
    return (
        f"SELECT n.[{START_LSN}], CASE WHEN n.[{OPERATION}] = 1 THEN 1 WHEN {_OPTION} = N'all with merge' THEN 5 "  # noqa: S608
        f"WHEN n.[__$first] = 2 THEN 2 ELSE 4 END AS [{OPERATION}], "
        f"CASE WHEN {_OPTION} = N'all with mask' AND {update} "
        f"THEN sys.{COMBINED_MASK}(({masks})) ELSE NULL END AS [{UPDATE_MASK}], "
        f"{columns} FROM (SELECT t.*, "
        f"ROW_NUMBER() OVER ({partition} {', '.join(f'{name} DESC' for name in order)}) AS [__$last], "
        f"FIRST_VALUE(t.[{OPERATION}]) OVER ({partition} {', '.join(order)}) AS [__$first] "
        f"FROM {table} AS t WITH (NOLOCK) WHERE {_RANGE}) AS n "
        f"WHERE n.[__$last] = 1 AND NOT (n.[__$first] = 2 AND n.[{OPERATION}] = 1)"
    )


def combined_mask(_session: EngineSession, _database: Database, masks: str | None) -> Value:
    """The bitwise OR of update masks, given in hexadecimal with commas between."""
    if not masks:
        return None
    parts = masks.split(",")
    bits = 0
    for part in parts:
        bits |= int(part, 16)
    return bits.to_bytes(len(parts[0]) // 2, "big")
