"""The change tables with rows in a window, and their row counts: cheap queries, as most of many tables have none."""

# ruff: noqa: S608 -- names are quoted, LSNs are hexadecimal
from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.connection import Session, quoted
from tailrace.errors import RetriableError, SourceSetupError

log = logging.getLogger(__name__)

_ASKED_AT_ONCE: Final = 100  # instances in a statement
_MEASURED: Final = 100  # rows
_KEY_BYTES: Final = 40  # the size of the columns that every change table has


def has_rows(session: Session, instances: Sequence[Instance], window: Window) -> list[bool]:
    """Which of the instances have rows in a window; one statement for many of them."""
    question = "SELECT {number} FROM {table} WHERE {inside} FETCH FIRST 1 ROW ONLY"
    found = {int(number) for (number,) in _answers(session, instances, window, question)}
    return [number in found for number in range(len(instances))]


def row_counts(session: Session, instances: Sequence[Instance], window: Window) -> list[int]:
    """The number of rows that each instance has in a window."""
    question = "SELECT {number}, COUNT(*) FROM {table} WHERE {inside}"
    found = {int(number): int(count) for number, count in _answers(session, instances, window, question)}
    return [found.get(number, 0) for number in range(len(instances))]


def row_bytes(session: Session, instance: Instance, window: Window) -> int:
    """The approximate size of an instance's row in bytes, from the first rows of a window."""
    source = f"{instance.change_table} WHERE {_inside(window)}"
    return _KEY_BYTES + mean_bytes(session, instance, source)


def mean_bytes(session: Session, instance: Instance, source: str) -> int:
    """The mean size of the first rows of a table in bytes; 0 if it can't be determined."""
    size = " + ".join(["BIGINT(0)", *(f"COALESCE(LENGTH({quoted(name)}), 0)" for name in instance.columns)])
    try:
        first = f"SELECT {size} AS SIZE FROM {source} FETCH FIRST {_MEASURED} ROWS ONLY"
        found = session.one(f"SELECT AVG(s.SIZE) FROM ({first}) AS s")
    except (SourceSetupError, RetriableError) as error:  # a column is gone or hidden, or has no length; the table is locked
        log.info("the rows of %s are taken for short ones: %s", instance.table, error)
        session.rollback()
        return 0
    return int(found or 0)


def _answers(session: Session, instances: Sequence[Instance], window: Window, question: str) -> list[tuple[Any, ...]]:
    """The rows of a question about each instance, many of them in one statement."""
    found: list[tuple[Any, ...]] = []
    inside = _inside(window)
    for first in range(0, len(instances), _ASKED_AT_ONCE):
        some = instances[first : first + _ASKED_AT_ONCE]
        parts = (
            question.format(number=number, table=each.change_table, inside=inside) for number, each in enumerate(some, first)
        )
        found += session.rows(" UNION ALL ".join(f"({part})" for part in parts))
    return found


def _inside(window: Window) -> str:
    return f"IBMSNAP_COMMITSEQ > X'{window.after.hex}' AND IBMSNAP_COMMITSEQ <= X'{window.until.hex}'"
