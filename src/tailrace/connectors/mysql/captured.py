"""The tables whose rows are wanted, as the log names them: how each is decoded and shaped.

The log says for every table that it is about to change rows of: this number stands for this table, with columns of
these types (a table map). `CapturedTables.resolve` answers with a slot, behind which stands all that reading a row
takes. The structure comes from the history of structures; the table map has to fit it, and where the map carries the
full metadata it is the truth.

Of several lanes each delivers some tables. Structures are its business for all of them, so that every lane knows the
same; the rows of the others it leaves out, or where transactions are counted decodes what tells how many records they
become: their keys.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tailrace.changes.column_of_values import column_of_values
from tailrace.changes.model import Level
from tailrace.changes.vectors import Vector
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.log import TableMap
from tailrace.connectors.mysql.logged_tables import misfits_of_nulls
from tailrace.connectors.mysql.missing_structures import RECOVERY
from tailrace.connectors.mysql.plan import ColumnPlan
from tailrace.connectors.mysql.positions import SEPARATOR, WIDTHS
from tailrace.connectors.mysql.row_changes import POSITION_LEVELS
from tailrace.connectors.mysql.rows import RowDecoder
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.structures import Structures
from tailrace.connectors.mysql.types import ColumnType, column_type, converted_schema, misfits, table_of_map
from tailrace.connectors.shared.column_policies import column_conversions, column_policies
from tailrace.connectors.shared.shapes import shape_settings
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.errors import StructureError
from tailrace.events.shape import Shape, position_program
from tailrace.schema.connect import Schema
from tailrace.schema.envelope import TableSchemas, table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Table, TableId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Captured:
    """One structure version of a wanted table: the decoder of its rows and the shape of its events.

    Attributes:
        table: the structure.
        decoder: of its rows.
        shape: of its events.
        constants: fields of the source block that never change.
        plans: how all columns stand in its rows.
        is_owned: its events are delivered here; else they are only counted.
        is_signals: rows that are inserted into it are signals, for every lane.

    """

    table: Table
    decoder: RowDecoder
    shape: Shape
    constants: Mapping[str, str | None]
    plans: Sequence[ColumnPlan]
    is_owned: bool = True
    is_signals: bool = False

    @property
    def name(self) -> str:
        """As transaction metadata names it: database.table."""
        return f"{self.table.id.catalog}.{self.table.id.name}"


class CapturedTables:
    """Slots of wanted tables; a changed structure gets a new one."""

    def __init__(
        self,
        settings: MySqlSettings,
        structures: Structures,
        learn: Callable[[Table], None],
        lane: Lane = Lane(),  # noqa: B008 -- immutable
        ask: Callable[[TableId], Table] | None = None,
    ) -> None:
        """`learn` is told a structure that the history lacked; `ask` gives one that the log does not tell, or says why not."""
        self._settings = settings
        self._lane = lane
        self._structures = structures
        self._learn = learn
        self._ask = ask
        self._names = Names(settings)
        self._shape_settings = shape_settings(settings, source_block.context(settings))
        self._positions = position_program(WIDTHS, POSITION_LEVELS, SEPARATOR.encode())
        self._batch_positions = position_program(WIDTHS, [Level.BATCH] * len(WIDTHS), SEPARATOR.encode())
        self._signals = frozenset(structures.id(table.catalog, table.name) for table in signal_tables_of(settings))
        self._slots: list[Captured] = []

    def __getitem__(self, slot: int) -> Captured:
        return self._slots[slot]

    def resolve(self, logged: TableMap) -> int | None:
        """The slot of the table that the log names; None when its rows are not wanted, or another lane's business.

        Raises:
            StructureError: its structure is not known, or contradicts the log.

        """
        if not self._settings.tables.matches(TableId(logged.database, "", logged.table)):
            return None
        table = self._table(logged)
        is_owned = self.owns(table.id)
        is_wanted = is_owned or table.id in self._signals
        if not is_wanted and not self._settings.provide_transaction_metadata:
            return None
        types = [
            column_type(table.id, column, seen, self._settings)
            for column, seen in zip(table.columns, logged.columns, strict=True)
        ]
        self._slots.append(self._captured(table, types, is_owned=is_owned))
        return len(self._slots) - 1

    def owns(self, table_id: TableId) -> bool:
        """Whether the table's events are delivered by this lane."""
        return self._lane.count == 1 or self._names.is_of(self._lane, table_id)

    def empty_shape(self, table_id: TableId) -> tuple[list[Vector], Shape] | None:
        """Columns without values and the shape of events that carry no row; None for an unknown or another lane's table.

        Raises:
            StructureError: the table has a structure that nobody tells.

        """
        table = self._structures.get(table_id)
        if table is None and self._ask is not None and self._emits_truncation_of_unknown(table_id):
            table = self._from_server(self._ask, table_id, None, self._why_unknown(table_id))
            self._learn(table)
        if table is None or not self.owns(table_id):
            return None
        fields = [converted_schema(table.id, column, self._settings) for column in table.columns]
        shape = Shape(self._schemas(table, fields, fields), self._shape_settings, self._batch_positions)
        return [column_of_values(field, ()) for field in fields], shape

    def read_shape(self, table: Table, types: Sequence[ColumnType]) -> Shape:
        """The shape of read events: their positions hold for all rows alike."""
        schemas = self._schemas(table, [t.key for t in types], [t.value for t in types])
        policies = column_policies(table, types, schemas.value_columns)
        return Shape(schemas, self._shape_settings, self._batch_positions, policies, column_conversions(types))

    def constants(self, table_id: TableId) -> Mapping[str, str | None]:
        """The fields of the source block that are the same for all changes of a table."""
        return source_block.constants(self._settings, table_id.catalog, table_id.name)

    def _emits_truncation_of_unknown(self, table_id: TableId) -> bool:
        is_told = "t" not in self._settings.skipped_operations
        return is_told and table_id in self._structures.unknown and self.owns(table_id)

    def _table(self, logged: TableMap) -> Table:
        """The structure that the rows after this table map have."""
        table_id = self._structures.id(logged.database, logged.table)
        known = self._structures.get(table_id)
        wrong = misfits(known, logged) if known is not None else (self._why_unknown(table_id),)
        if known is not None and not wrong:
            if columns := misfits_of_nulls(known, logged):
                told = ", ".join(columns)
                log.warning("%s: the log and the structure differ in whether NULL is allowed in: %s", table_id, told)
            return known
        if logged.has_names:
            table, whence = table_of_map(logged, known), "the log itself"
        elif self._ask is not None and (known is None or self._settings.snapshot_mode == RECOVERY):
            table, whence = self._from_server(self._ask, table_id, logged, "; ".join(wrong)), "the server"
        else:
            raise StructureError(_not_known(table_id, "; ".join(wrong)))
        log.warning("%s: taking the structure from %s: %s", table_id, whence, "; ".join(wrong))
        self._learn(table)
        return table

    def _from_server(
        self, ask: Callable[[TableId], Table], table_id: TableId, logged: TableMap | None, why: str
    ) -> Table:
        """The structure that the server has, if that is the one at this position."""
        try:
            table = ask(table_id)
        except StructureError as error:
            raise StructureError(_not_known(table_id, f"{why}, and the server can't tell it: {error}")) from error
        if logged is not None and (wrong := misfits(table, logged)):
            raise StructureError(_not_known(table_id, f"{why}, and the server has another now: {'; '.join(wrong)}"))
        return table

    def _why_unknown(self, table_id: TableId) -> str:
        if table_id in self._structures.unknown:
            return (
                "it came from a table that is not in the schema history, by RENAME or CREATE TABLE ... LIKE "
                "(schema.history.internal.store.only.captured.tables.ddl=false remembers such tables)"
            )
        return "it is not in the schema history"

    def _captured(self, table: Table, types: Sequence[ColumnType], *, is_owned: bool) -> Captured:
        schemas = self._schemas(table, [t.key for t in types], [t.value for t in types])
        is_signals = table.id in self._signals
        wanted = set(schemas.columns if is_owned or is_signals else schemas.key_columns)
        plans = [t.plan if i in wanted else replace(t.plan, emit=False) for i, t in enumerate(types)]
        policies = column_policies(table, types, schemas.value_columns)
        shape = Shape(schemas, self._shape_settings, self._positions, policies, column_conversions(types))
        return Captured(table, RowDecoder(plans), shape, self.constants(table.id), plans, is_owned, is_signals)

    def _schemas(self, table: Table, keys: Sequence[Schema], values: Sequence[Schema]) -> TableSchemas:
        source = source_block.schema(self._settings)
        return table_schemas(table, keys, values, source, self._settings, self._names)


def _not_known(table_id: TableId, why: str) -> str:
    return (
        f"the structure of {table_id} at this position of the log is not known: {why}. SET PERSIST binlog_row_metadata = FULL, "
        "so that the log tells it from now on. If no DDL has changed the table since this position, take its structure as it "
        "is now (snapshot.mode=recovery); else take a new snapshot"
    )
