"""Rows of source tables as they are now, for `post_processors`: selected and decoded as those of change tables are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol

import numpy as np
import pyarrow as pa

from tailrace.connectors.change_tables.dialect import Session
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors
from tailrace.connectors.shared.reselected_rows import number_of
from tailrace.errors import RetriableError, StructureError
from tailrace.post_processors.conditions import Spelling
from tailrace.post_processors.reselecting import FoundRows
from tailrace.schema.tables import Table

_ALIAS: Final = "c"


class RowTypes(Protocol):
    """How the columns of a table are selected and decoded."""

    def types(self, table: Table) -> Sequence[ColumnType | None]:
        """The types of a table's columns; None for a column without a field in events."""
        ...


@dataclass(frozen=True, slots=True)
class Selecting(Generic[Session]):
    """What a database supplies.

    Attributes:
        connect: opens a session.
        close: closes it.
        batches: the rows of a statement; what it read is not kept locked.
        quoted: a name as SQL, from its parts.
        spelling: of conditions.

    """

    connect: Callable[[], Session]
    close: Callable[[Session], None]
    batches: Callable[[Session, str], Sequence[pa.RecordBatch]]
    quoted: Callable[..., str]
    spelling: Spelling


class ChangeTablesReselectedRows(Generic[Session]):
    """Selects rows in a session of its own, which is opened when a row is first asked for."""

    def __init__(self, types: RowTypes, selecting: Selecting[Session]) -> None:
        self._types = types
        self._selecting = selecting
        self._session: Session | None = None

    @property
    def spelling(self) -> Spelling:
        """As `SelectsRows`."""
        return self._selecting.spelling

    def rows(self, table: Table, wanted: Sequence[int], conditions: Sequence[str]) -> FoundRows:
        """As `SelectsRows`."""
        known = self._types.types(table)
        types = [type_ for i in wanted if (type_ := known[i]) is not None]
        if len(types) != len(wanted):
            raise StructureError(f"{table.id}: a column has no field in events")
        quoted = self._selecting.quoted
        selects = [each for type_ in types for each in type_.select(f"{_ALIAS}.{quoted(type_.name)}")]
        where = " OR ".join(f"({each})" for each in conditions)
        select_list = ", ".join([f"{number_of(conditions)} AS n", *selects])
        sql = f"SELECT {select_list} FROM {quoted(table.id.schema, table.id.name)} AS {_ALIAS} WHERE {where}"  # noqa: S608 -- quoted
        batches = self._batches(sql)
        if not batches:
            return FoundRows(np.zeros(0, np.int64), {})
        arrays = [_whole([batch.column(i) for batch in batches]) for i in range(batches[0].num_columns)]
        numbers = np.asarray(arrays[0].cast(pa.int64()), np.int64)
        return FoundRows(numbers, dict(zip(wanted, vectors(arrays[1:], types), strict=True)))

    def close(self) -> None:
        """Close the session, if there is one."""
        if self._session is not None:
            self._selecting.close(self._session)
            self._session = None

    def _batches(self, sql: str) -> Sequence[pa.RecordBatch]:
        if self._session is None:
            self._session = self._selecting.connect()
        try:
            return self._selecting.batches(self._session, sql)
        except RetriableError:
            self.close()
            raise


def _whole(arrays: Sequence[pa.Array]) -> Any:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
