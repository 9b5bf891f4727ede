"""Which change tables have rows in a window of the log: a cheap look, for of many tables most have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tailrace.connectors.sqlserver.catalog import Instance
from tailrace.connectors.sqlserver.change_tables import Window
from tailrace.connectors.sqlserver.connection import Session, quoted

_ASKED_AT_ONCE: Final = 100


def has_rows(
    session: Session, instances: Sequence[Instance], window: Window, *, by_function: bool = False
) -> list[bool]:
    """Which of the instances have rows in a window; one query for many of them, the same from window to window.

    `by_function`: asked of their functions, for a user who may not read the change tables themselves.
    """
    found: list[bool] = []
    for first in range(0, len(instances), _ASKED_AT_ONCE):
        some = instances[first : first + _ASKED_AT_ONCE]
        sources = [_filled_function(each, window) if by_function else _filled_table(each) for each in some]
        pieces = [f"CASE WHEN EXISTS (SELECT 1 FROM {source}) THEN 1 ELSE 0 END" for source in sources]  # noqa: S608
        declared = "DECLARE @after binary(10) = ?, @first binary(10) = ?, @until binary(10) = ?"
        sql = f"{declared}; SELECT {', '.join(pieces)}"
        params = window.after.raw, window.after.next().raw, window.until.raw
        found += [bool(has_some) for has_some in session.rows(sql, *params)[0]]
    return found


def _filled_table(instance: Instance) -> str:
    return f"{quoted('cdc', instance.change_table)} WHERE [__$start_lsn] > @after AND [__$start_lsn] <= @until"


def _filled_function(instance: Instance, window: Window) -> str:
    """A function takes no range that begins before its instance."""
    start = instance.start_lsn
    first = "@first" if start is None or start <= window.after.next() else f"0x{start.hex}"
    return f"{quoted('cdc', f'fn_cdc_get_all_changes_{instance.name}')}({first}, @until, N'all')"
