"""How the rows of a CD table are selected and decoded."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.captured import Wanted
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.before_images import never_null, old_names
from tailrace.connectors.db2.change_tables import ALIAS, ChangeTableQuery, rows_of
from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.lsn import form_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.types import column_types, is_unlimited
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors, with_placeholder
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table

NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CapturedRows:
    """One structure version of a table, as a CD table has its rows.

    Attributes:
        table: the structure, without columns that have no field.
        types: of its columns.
        selected: indices of the columns that are selected.
        reading: how the CD table is read.
        placeholder: replaces the values of large objects, which no CD table has; None: they stay null.

    """

    table: Table
    types: Sequence[ColumnType]
    selected: tuple[int, ...]
    reading: ChangeTableQuery
    placeholder: str | None

    @property
    def is_wide(self) -> bool:
        """Whether a selected value may be of any length."""
        return any(is_unlimited(self.types[i]) for i in self.selected)

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
        try:
            found = vectors(rows.columns, [self.types[i] for i in self.selected])
        except (pa.ArrowInvalid, ValueError, OverflowError) as error:
            raise LogFormatError(
                f"{self.table.id}: a value behind {rows.position(0)} can't be converted: {error}"
            ) from error
        columns: list[Vector | None] = [None] * len(self.types)
        for index, vector in zip(self.selected, found, strict=True):
            columns[index] = self._with_placeholder(vector, self.types[index])
        return columns

    def _with_placeholder(self, vector: Vector, type_: ColumnType) -> Vector:
        if self.placeholder is None or not type_.is_lob:
            return vector
        return with_placeholder(vector, np.ones(vector.length, np.bool_), type_, self.placeholder)


class Db2Decoding:
    """A `Decoding` of Db2's rows."""

    def __init__(self, settings: Db2Settings) -> None:
        self._settings = settings

    def types(self, table: Table) -> list[ColumnType | None]:
        """The types of a table's columns; None for a column without a field."""
        return column_types(table, self._settings)

    def rows(self, table: Table, types: Sequence[ColumnType], instance: Instance, wanted: Wanted) -> CapturedRows:
        """The rows of an instance."""
        selected, old = [types[i] for i in wanted.columns], old_names(table, instance)
        reading = reading_of(selected, instance, self._settings, wanted.skipped, old)
        if old:
            reading = replace(reading, never_null=never_null(table, selected))
        return CapturedRows(table, types, wanted.columns, reading, self._settings.large_object_placeholder)


def reading_of(
    types: Sequence[ColumnType],
    instance: Instance,
    settings: Db2Settings,
    skipped: tuple[int, ...] = (),
    old: Mapping[str, str] = NO_NAMES,
) -> ChangeTableQuery:
    """How these columns of a CD table are read; `old`: their columns with the values before an update, if it has them."""
    selects, before = list[str](), list[str | None]()
    for each in types:
        selects += each.select(f"{ALIAS}.{quoted(each.name)}")
        name = old.get(each.name)
        before += [None] * each.width if name is None else each.select(f"{ALIAS}.{quoted(name)}")
    return ChangeTableQuery(
        instance.change_table, tuple(selects), form_of(settings).size, skipped, tuple(before) if old else ()
    )
