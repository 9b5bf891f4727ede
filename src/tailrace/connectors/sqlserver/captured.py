"""How the rows of a capture instance are selected and decoded."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.captured import Wanted
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import BEFORE, ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors, with_placeholder
from tailrace.connectors.sqlserver.change_tables import InstanceQuery, rows_of
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.properties.reading import FUNCTION
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.structures import UNLIMITED
from tailrace.connectors.sqlserver.types import column_types
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table


@dataclass(frozen=True, slots=True)
class CapturedRows:
    """One structure version of a table, as a capture instance has its rows.

    Attributes:
        table: the structure, without columns that have no field.
        types: of its columns.
        selected: indices of the columns that are selected.
        reading: how the instance is read.
        lobs: columns whose NULL in an update may mean that the value is missing: the index of the column, and its
            ordinal among the captured columns.
        placeholder: replaces such a value.

    """

    table: Table
    types: Sequence[ColumnType]
    selected: tuple[int, ...]
    reading: InstanceQuery
    lobs: tuple[tuple[int, int], ...]
    placeholder: str

    @property
    def is_wide(self) -> bool:
        """Whether a selected value may be of any length."""
        return any((self.table.columns[i].length or 0) >= UNLIMITED // 2 for i in self.selected)

    def read(
        self, session: Session, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
    ) -> Generator[ChangeRows]:
        """The rows of a window after the row `after`."""
        return rows_of(session, self.reading, window, after, batch_rows)

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        """The values of rows, a vector for each column of the structure; None if it is not selected.

        Raises:
            LogFormatError: a value can't be converted; the message names the column.

        """
        types = [self.types[i] for i in self.selected]
        try:
            found_vectors = vectors(rows.columns, types)
        except (pa.ArrowInvalid, ValueError, OverflowError) as error:
            raise LogFormatError(
                f"{self.table.id}: a value behind {rows.position(0)} can't be converted: {error}"
            ) from error
        found: list[Vector | None] = [None] * len(self.types)
        for index, vector in zip(self.selected, found_vectors, strict=True):
            found[index] = vector
        for index, ordinal in self.lobs:
            found[index] = self._with_placeholder(rows, found[index], index, ordinal)
        return found

    def _with_placeholder(self, rows: ChangeRows, vector: Vector | None, index: int, ordinal: int) -> Vector | None:
        if vector is None or rows.mask is None:
            return vector
        # A NULL that the update mask does not mark as changed is a large value that capture did not write.
        is_unknown = (rows.operation >= BEFORE) & ~vector.is_valid() & ~changed(rows.mask, ordinal)
        return with_placeholder(vector, is_unknown, self.types[index], self.placeholder)


class SqlServerDecoding:
    """A `Decoding` of SQL Server's rows."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    def types(self, table: Table) -> list[ColumnType | None]:
        """The types of a table's columns; None for a column without a field."""
        return column_types(table, self._settings)

    def rows(self, table: Table, types: Sequence[ColumnType], instance: Instance, wanted: Wanted) -> CapturedRows:
        """The rows of an instance."""
        ordinals = {name: i for i, name in enumerate(instance.columns)}
        lobs = tuple((i, ordinals[types[i].name]) for i in wanted.columns if types[i].is_lob)
        selects = [each for i in wanted.columns for each in types[i].select(f"c.{quoted(types[i].name)}")]
        reading = InstanceQuery(
            instance,
            tuple(selects),
            by_function=self._settings.data_query_mode == FUNCTION,
            mask=bool(lobs) and not wanted.only_counts,
            skipped=wanted.skipped,
            limit=self._settings.streaming_fetch_size or 0,
        )
        return CapturedRows(
            table, types, wanted.columns, reading, lobs, self._settings.unavailable_value_placeholder
        )


def changed(mask: pa.Array, ordinal: int) -> npt.NDArray[np.bool_]:
    """Whether each update changed a column, from the update mask; True if there is no mask.

    The first captured column has the lowest bit of the mask's last byte.
    """
    n = len(mask)
    offsets = np.frombuffer(mask.buffers()[1], np.int64)[mask.offset : mask.offset + n + 1]
    place = offsets[1:] - 1 - ordinal // 8
    is_known = place >= offsets[:-1]
    data = np.frombuffer(mask.buffers()[2] or b"", np.uint8)
    changed = np.ones(n, np.bool_)
    changed[is_known] = (data[place[is_known]] >> np.uint8(ordinal % 8)) & 1 == 1
    return changed
