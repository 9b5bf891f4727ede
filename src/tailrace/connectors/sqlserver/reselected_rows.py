"""Rows of SQL Server's tables as they are now, for `post.processors`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pyarrow as pa

from tailrace.connectors.change_tables.reselected_rows import ChangeTablesReselectedRows, Selecting
from tailrace.connectors.shared import jdbc
from tailrace.connectors.sqlserver.captured import SqlServerDecoding
from tailrace.connectors.sqlserver.connection import Session, connect, literal, quoted
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.post_processors.conditions import Spelling
from tailrace.schema.tables import Column

_IN_CODE_PAGES: Final = {jdbc.CHAR: "char", jdbc.VARCHAR: "varchar"}
_LONGEST: Final = 8000
_ROWS: Final = 1_000


def reselected_rows(settings: SqlServerSettings, database: str) -> ChangeTablesReselectedRows[Session]:
    """What selects rows of one database."""
    selecting = Selecting(
        connect=partial(connect, settings, database),
        close=Session.close,
        batches=_batches,
        quoted=quoted,
        spelling=Spelling(quoted, _text, lambda data: f"0x{data.hex()}"),
    )
    return ChangeTablesReselectedRows(SqlServerDecoding(settings), selecting)


def _batches(session: Session, sql: str) -> Sequence[pa.RecordBatch]:
    return list(session.batches(sql, rows=_ROWS))


def _text(text: str, column: Column) -> str:
    """A text in the form of the column: one in Unicode would have each row's value converted, and no index be used."""
    type_ = _IN_CODE_PAGES.get(column.jdbc_type)
    return literal(text) if type_ is None else f"CAST({literal(text)} AS {type_}({_LONGEST}))"
