"""Rows of Db2's tables as they are now, for `post.processors`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from tailrace.connectors.change_tables.reselected_rows import ChangeTablesReselectedRows, Selecting
from tailrace.connectors.db2.captured import Db2Decoding
from tailrace.connectors.db2.connection import Session, connect, literal, quoted
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.post_processors.conditions import Spelling


def reselected_rows(settings: Db2Settings) -> ChangeTablesReselectedRows[Session]:
    """What selects rows of the database."""
    selecting = Selecting(
        connect=partial(connect, settings),
        close=Session.close,
        batches=_batches,
        quoted=quoted,
        spelling=Spelling(quoted, lambda text, _: literal(text), lambda data: f"BX'{data.hex().upper()}'"),
    )
    return ChangeTablesReselectedRows(Db2Decoding(settings), selecting)


def _batches(session: Session, sql: str) -> Sequence[pa.RecordBatch]:
    try:
        return list(session.batches(sql))
    finally:
        session.rollback()  # which ends the transaction and its locks
