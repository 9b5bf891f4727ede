"""Rows of tables as they are now, for `post_processors`: read as a snapshot reads them, so with the values of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.connectors.mysql.catalog import quoted
from tailrace.connectors.mysql.connection import Connection, connect
from tailrace.connectors.mysql.selecting import SelectedRows, Selection, plan_selection
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.reselected_rows import number_of
from tailrace.errors import RetriableError
from tailrace.post_processors.conditions import Spelling
from tailrace.post_processors.reselecting import FoundRows
from tailrace.schema.tables import Column, Table

_NUMBER: Final = Column("__tailrace_number", "BIGINT", "BIGINT", jdbc.BIGINT)


class MySqlReselectedRows:
    """Selects rows on a connection of its own, which is opened when a row is first asked for."""

    spelling = Spelling(quoted, lambda text, _: f"_utf8mb4 X'{text.encode().hex()}'", lambda data: f"X'{data.hex()}'")

    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings
        self._connection: Connection | None = None

    def rows(self, table: Table, wanted: Sequence[int], conditions: Sequence[str]) -> FoundRows:
        """As `SelectsRows`."""
        numbered, place = replace(table, columns=(*table.columns, _NUMBER)), len(table.columns)
        plans = plan_selection(numbered, self._settings, wanted=[*wanted, place])
        names = ", ".join(quoted(table.columns[i].name) for i in wanted)
        number = f"CAST({number_of(conditions)} AS SIGNED) AS {quoted(_NUMBER.name)}"
        where = " OR ".join(f"({each})" for each in conditions)
        found = f"SELECT {names}, {number} FROM {quoted(table.id.catalog)}.{quoted(table.id.name)} WHERE {where}"  # noqa: S608 -- names are quoted
        try:
            sql = f"SELECT {plans.select_list} FROM ({found}) AS c"  # noqa: S608 -- as above
            with Selection(self._open(), sql, (), plans) as selection:
                blocks = list(selection.images())
        except RetriableError:
            self.close()
            raise
        if not blocks:
            return FoundRows(np.zeros(0, np.int64), {})
        columns = {index: _column(blocks, index) for index in (*wanted, place)}
        return FoundRows(np.asarray(columns.pop(place).data, np.int64), columns)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> Connection:
        if self._connection is None or not self._connection.open:
            self._connection = connect(self._settings)
            statements.prepare(self._connection)
        return self._connection


def _column(blocks: Sequence[SelectedRows], index: int) -> Vector:
    return from_arrow(pa.concat_arrays([vector.to_arrow() for block in blocks if (vector := block.columns[index]) is not None]))
