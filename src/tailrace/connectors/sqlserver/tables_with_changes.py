"""The change tables with rows in a window, and their row counts: cheap queries, as most of many tables have none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.errors import RetriableError, SourceSetupError

log = logging.getLogger(__name__)

_ASKED_AT_ONCE: Final = 100  # instances in a query
_MEASURED: Final = 100  # rows
_KEY_BYTES: Final = 40  # the size of the columns that every change table has
# Each subquery uses the same three values, whereas a parameter marker has only one use.
_DECLARED: Final = "DECLARE @after binary(10) = ?, @first binary(10) = ?, @until binary(10) = ?"


def has_rows(
    session: Session, instances: Sequence[Instance], window: Window, *, by_function: bool = False
) -> list[bool]:
    """Which of the instances have rows in a window; one query for many of them.

    Its text is the same for each window, so that the server compiles it once. `by_function`: the query functions are
    used, for a user who may not read the change tables themselves.
    """
    exists = "CASE WHEN EXISTS (SELECT 1 FROM {}) THEN 1 ELSE 0 END"
    return [bool(some) for some in _answers(session, instances, window, exists, by_function=by_function)]


def row_counts(
    session: Session, instances: Sequence[Instance], window: Window, *, by_function: bool = False
) -> list[int]:
    """The number of rows that each instance has in a window."""
    count = "(SELECT COUNT_BIG(*) FROM {})"
    return [int(found) for found in _answers(session, instances, window, count, by_function=by_function)]


def row_bytes(session: Session, instance: Instance, window: Window, *, by_function: bool = False) -> int:
    """The approximate size of an instance's row in bytes, from the first rows of a window."""
    source = _filled_function(instance, window) if by_function else _filled_table(instance)
    sql = f"{_DECLARED}; {_mean_bytes(instance, source)}"
    try:
        return _KEY_BYTES + int(session.one(sql, *_parameters(window)) or 0)
    except SourceSetupError as error:  # a column is gone or hidden
        log.info("the changes of %s are taken for short ones: %s", instance.table, error)
        return _KEY_BYTES


def table_row_bytes(session: Session, instance: Instance) -> int:
    """The approximate size of a row of an instance's source table in bytes; 0 if it can't be determined.

    Uncommitted rows are read: an estimate need not wait for locks.
    """
    table = f"{quoted(instance.table.schema, instance.table.name)} WITH (READUNCOMMITTED)"
    try:
        return int(session.one(_mean_bytes(instance, table)) or 0)
    except (SourceSetupError, RetriableError) as error:  # a column is gone or hidden; the table is being altered
        log.info("the rows of %s are taken for short ones: %s", instance.table, error)
        return 0


def _mean_bytes(instance: Instance, source: str) -> str:
    size = " + ".join(["CAST(0 AS bigint)", *(f"ISNULL(DATALENGTH({quoted(name)}), 0)" for name in instance.columns)])
    return f"SELECT AVG(s.size) FROM (SELECT TOP ({_MEASURED}) {size} AS size FROM {source}) AS s"  # noqa: S608 -- quoted


def _answers(
    session: Session, instances: Sequence[Instance], window: Window, question: str, *, by_function: bool
) -> list[Any]:
    """The results of an expression for each instance's rows; many in one query, whose text is the same for each window."""
    found: list[Any] = []
    for first in range(0, len(instances), _ASKED_AT_ONCE):
        some = instances[first : first + _ASKED_AT_ONCE]
        sources = [_filled_function(each, window) if by_function else _filled_table(each) for each in some]
        sql = f"{_DECLARED}; SELECT {', '.join(question.format(source) for source in sources)}"
        found += session.rows(sql, *_parameters(window))[0]
    return found


def _parameters(window: Window) -> tuple[bytes, bytes, bytes]:
    return window.after.raw, window.after.next().raw, window.until.raw


def _filled_table(instance: Instance) -> str:
    return f"{quoted('cdc', instance.change_table)} WHERE [__$start_lsn] > @after AND [__$start_lsn] <= @until"


def _filled_function(instance: Instance, window: Window) -> str:
    """The query function's rows; it refuses a range that begins before its instance."""
    start = instance.start_lsn
    first = "@first" if start is None or start <= window.after.next() else f"0x{start.hex}"
    return f"{quoted('cdc', f'fn_cdc_get_all_changes_{instance.name}')}({first}, @until, N'all')"
