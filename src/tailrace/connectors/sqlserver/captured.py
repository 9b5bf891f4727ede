"""The captured tables: how the rows of a capture instance are selected, decoded and shaped.

Of several lanes each delivers some tables, by the names of their topics. Where transactions are counted, a lane looks at the
other tables too, but only at what tells how many records their rows become.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import Level
from tailrace.changes.vectors import Vector
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition, position_program
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.column_policies import column_policies
from tailrace.connectors.shared.shapes import shape_settings
from tailrace.connectors.sqlserver import source_block, values
from tailrace.connectors.sqlserver.change_tables import Reading, rows_of
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.properties.reading import FUNCTION
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_table import is_for_signals
from tailrace.connectors.sqlserver.structures import UNLIMITED
from tailrace.connectors.sqlserver.types import ColumnType, column_types
from tailrace.errors import LogFormatError, StructureError
from tailrace.events.shape import Shape
from tailrace.schema.envelope import TableSchemas, table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Table, TableId

_OPERATIONS: Final[Mapping[str, tuple[int, ...]]] = {"c": (INSERT,), "u": (BEFORE, AFTER), "d": (DELETE,)}


@dataclass(frozen=True, slots=True)
class Captured:
    """One structure version of a table, as a capture instance has its rows.

    Attributes:
        table: the structure, without the columns that have no field.
        types: of its columns.
        selected: indices of those that are read.
        shape: of its events.
        constants: fields of the source block that never change.
        reading: how the instance is read.
        lobs: for those columns whose NULL in an update may mean that the value is not there: the index of the column, and its
            place among the captured columns.
        placeholder: what such a value is shown as.
        moves_keys: an update of two rows may change the key.
        is_owned: its events are delivered by this lane.
        is_signals: rows that are inserted into it are signals, for every lane.

    """

    table: Table
    types: tuple[ColumnType, ...]
    selected: tuple[int, ...]
    shape: Shape
    constants: Mapping[str, str | None]
    reading: Reading
    lobs: tuple[tuple[int, int], ...]
    placeholder: str
    moves_keys: bool = True
    is_owned: bool = True
    is_signals: bool = False

    @property
    def name(self) -> str:
        """As transaction metadata names it: database.schema.table."""
        return str(self.table.id)

    @property
    def is_wide(self) -> bool:
        """Whether a value that is read may be of any length."""
        return any((self.table.columns[i].length or 0) >= UNLIMITED // 2 for i in self.selected)

    def rows(
        self, session: Session, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
    ) -> Generator[ChangeRows]:
        """Its rows in a window, behind the row `after`."""
        return rows_of(session, self.reading, window, after, batch_rows)

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        """What the rows hold, a vector for each column of the structure; None where it is not read.

        Raises:
            LogFormatError: a value can't be converted; the message names the column.

        """
        types = [self.types[i] for i in self.selected]
        try:
            vectors = values.vectors(rows.columns, types)
        except (pa.ArrowInvalid, ValueError, OverflowError) as error:
            raise LogFormatError(
                f"{self.name}: a value behind {rows.position(0)} can't be converted: {error}"
            ) from error
        found: list[Vector | None] = [None] * len(self.types)
        for index, vector in zip(self.selected, vectors, strict=True):
            found[index] = vector
        for index, ordinal in self.lobs:
            found[index] = self._with_placeholder(rows, found[index], index, ordinal)
        return found

    def _with_placeholder(self, rows: ChangeRows, vector: Vector | None, index: int, ordinal: int) -> Vector | None:
        if vector is None or rows.mask is None:
            return vector
        is_unknown = (rows.operation >= BEFORE) & ~vector.is_valid() & ~changed(rows.mask, ordinal)
        return values.with_placeholder(vector, is_unknown, self.types[index], self.placeholder)


class CapturedTables:
    """Makes `Captured` of capture instances, and says which tables are this lane's."""

    def __init__(self, settings: SqlServerSettings, lane: Lane = Lane()) -> None:  # noqa: B008 -- immutable
        self._settings = settings
        self._lane = lane
        self._names = Names(settings)
        self._shape_settings = shape_settings(settings, source_block.context(settings))
        self._positions = position_program()
        self._batch_positions = position_program(Level.BATCH, Level.BATCH)
        self._owned: dict[TableId, bool] = {}
        self._read: dict[TableId, bool] = {}

    @property
    def by_function(self) -> bool:
        """Whether changes are read through functions."""
        return self._settings.data_query_mode == FUNCTION

    @property
    def tells_reading_time(self) -> bool:
        """Whether the times of changes say when they were read."""
        return self._settings.tells_reading_time

    def owns(self, table: TableId) -> bool:
        """Whether the table's events are delivered by this lane."""
        if table not in self._owned:
            self._owned[table] = self._lane.count == 1 or self._lane.owns(self._names.topic(table))
        return self._owned[table]

    def reads(self, table: TableId) -> bool:
        """Whether the table's rows are read: they are delivered, or they are signals."""
        if table not in self._read:
            self._read[table] = self.owns(table) or is_for_signals(self._settings, table)
        return self._read[table]

    def captured(self, table: Table, instance: Instance, *, only_keys: bool = False) -> Captured:
        """How the rows of an instance are read, whose structure is `table`; with `only_keys` to count them.

        Raises:
            StructureError: the instance does not have the columns of the structure.

        """
        readable, types = with_fields(table, self._settings)
        missing = [c.name for c in readable.columns if c.name not in instance.columns]
        if missing:
            raise StructureError(
                f"{table.id}: the capture instance {instance.name} does not have the column {missing[0]}, which the schema "
                "history knows it with"
            )
        schemas = self._schemas(readable, types)
        selected = tuple(sorted(set(schemas.key_columns if only_keys else schemas.columns)))
        ordinals = {name: i for i, name in enumerate(instance.columns)}
        lobs = tuple((i, ordinals[types[i].name]) for i in selected if types[i].is_lob)
        keys = {types[i].name for i in schemas.key_columns}
        moves_keys = not keys <= set(instance.index_columns)  # made of columns that the instance does not tell rows by
        read = () if only_keys and not moves_keys else selected
        selects = [each for i in read for each in types[i].select(f"c.{quoted(types[i].name)}")]
        is_signals = is_for_signals(self._settings, table.id)
        return Captured(
            table=readable,
            types=types,
            selected=selected,
            shape=self._shape(readable, types, schemas, is_read=False),
            constants=source_block.constants(self._settings, table.id),
            reading=self._reading(instance, tuple(selects), mask=bool(lobs) and not only_keys, skips=not is_signals),
            lobs=lobs,
            placeholder=self._settings.unavailable_value_placeholder,
            moves_keys=moves_keys,
            is_owned=self.owns(table.id),
            is_signals=is_signals,
        )

    def read_shape(self, table: Table) -> tuple[Table, tuple[ColumnType, ...], Shape]:
        """For read events of a table: its columns that have a field, their types, and the shape.

        The positions of such events hold for all rows of a batch alike.
        """
        readable, types = with_fields(table, self._settings)
        return readable, types, self._shape(readable, types, self._schemas(readable, types), is_read=True)

    def constants(self, table: TableId) -> Mapping[str, str | None]:
        """The fields of the source block that are the same for all changes of a table."""
        return source_block.constants(self._settings, table)

    def _reading(self, instance: Instance, selects: tuple[str, ...], *, mask: bool, skips: bool) -> Reading:
        settings = self._settings
        operations = sorted(settings.skipped_operations) if skips else ()
        skipped = [number for op in operations for number in _OPERATIONS.get(op, ())]
        return Reading(
            instance,
            selects,
            by_function=self.by_function,
            mask=mask,
            skipped=tuple(sorted(skipped)),
            limit=settings.streaming_fetch_size or 0,
        )

    def _schemas(self, table: Table, types: Sequence[ColumnType]) -> TableSchemas:
        source = source_block.schema(self._settings)
        keys, fields = [each.key for each in types], [each.value for each in types]
        return table_schemas(table, keys, fields, source, self._settings, self._names)

    def _shape(self, table: Table, types: Sequence[ColumnType], schemas: TableSchemas, *, is_read: bool) -> Shape:
        positions = self._batch_positions if is_read else self._positions
        policies = column_policies(table, types, schemas.value_columns)
        return Shape(schemas, self._shape_settings, positions, policies)


def with_fields(table: Table, settings: SqlServerSettings) -> tuple[Table, tuple[ColumnType, ...]]:
    """A table without the columns that Debezium leaves out of events, and the types of the others."""
    types = column_types(table, settings)
    kept = [(column, type_) for column, type_ in zip(table.columns, types, strict=True) if type_ is not None]
    columns = tuple(column for column, _ in kept)
    return replace(table, columns=columns), tuple(type_ for _, type_ in kept)


def changed(mask: pa.Array, ordinal: int) -> npt.NDArray[np.bool_]:
    """Whether an update changed a column: the first one has the lowest bit of the last byte; where there is no mask, yes."""
    n = len(mask)
    offsets = np.frombuffer(mask.buffers()[1], np.int64)[mask.offset : mask.offset + n + 1]
    place = offsets[1:] - 1 - ordinal // 8
    is_known = place >= offsets[:-1]
    data = np.frombuffer(mask.buffers()[2] or b"", np.uint8)
    changed = np.ones(n, np.bool_)
    changed[is_known] = (data[place[is_known]] >> np.uint8(ordinal % 8)) & 1 == 1
    return changed
