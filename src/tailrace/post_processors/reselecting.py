"""ReselectColumnsPostProcessor: values that a change lacks are read again from the table, when the change is read from the log.

All rows of a batch and table that lack a value are asked for together. What comes is the row as it is now, not as it was: a
change that is read again after a crash may come with other values. It is delivered once, as progress and records go together.

Source: Debezium's reference, "Reselect columns"; comparison with the real one (tests/differential/test_reselecting.py).
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import CREATE, UPDATE, Changes
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.changes.views import take
from tailrace.config.reselection import Reselection
from tailrace.errors import ReselectionError, RetriableError, TailraceError, UnsupportedError
from tailrace.events.shape import Shape
from tailrace.post_processors.conditions import Spelling, conditions
from tailrace.schema.tables import Table, TableId

AT_ONCE: Final = 200  # rows that one statement asks for
PLACEHOLDER: Final = "__debezium_unavailable_value"
_LONG: Final = {Kind.TEXT: pa.large_string(), Kind.BYTES: pa.large_binary()}  # Arrow can't take rows of views

Mask = npt.NDArray[np.bool_]
Images = npt.NDArray[np.int32]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows that were selected.

    Attributes:
        numbers: which condition each row is of, an index; shape (n,).
        columns: their values, as those of changes, by the column's index; empty if there are no rows.

    """

    numbers: npt.NDArray[np.int64]
    columns: Mapping[int, Vector]


class SelectsRows(Protocol):
    """Selects rows of a database, with the values that the log would have."""

    @property
    def spelling(self) -> Spelling:
        """Of names and values in conditions."""

    def rows(self, table: Table, wanted: Sequence[int], conditions: Sequence[str]) -> FoundRows:
        """The rows that fulfil any of the conditions, with the columns `wanted`, indices into those of the table.

        Raises:
            RetriableError: the connection was lost.
            TailraceError: the rows can't be read by this structure.

        """

    def close(self) -> None:
        """Close the connection, if there is one."""


class Reselecting:
    """Applies one post processor."""

    def __init__(
        self, reselection: Reselection, source: SelectsRows, placeholder: str, signals: frozenset[TableId]
    ) -> None:
        """`placeholder` stands for values that are not known, `signals` are tables of signals, which are left alone."""
        self._reselection = reselection
        self._source = source
        self._placeholders = _forms(placeholder.encode())
        self._signals = signals
        self._told: set[tuple[TableId, str]] = set()

    def completed(self, table: Table, shape: Shape, changes: Changes) -> Changes:
        """The changes with the values that they lack, as far as these are found.

        Raises:
            ReselectionError: they are not, and that is to stop the connector.
            RetriableError: the connection was lost.

        """
        chosen = ((changes.op == CREATE) | (changes.op == UPDATE)) & (changes.after >= 0)
        if shape.schemas.key is None or table.id in self._signals or not chosen.any():
            return changes
        images = changes.after[chosen]
        lacking = dict(self._lacking(table, shape, changes, images))
        if not lacking:
            return changes
        needed = np.logical_or.reduce(list(lacking.values()))
        try:
            return self._with_rows(table, shape, changes, images[needed], {i: mask[needed] for i, mask in lacking.items()})
        except (RetriableError, ReselectionError):
            raise
        except TailraceError as error:
            self._refuse(table.id, "can't be read again", f": {error}")
            return changes

    def close(self) -> None:
        """Close the connection."""
        self._source.close()

    def _lacking(self, table: Table, shape: Shape, changes: Changes, images: Images) -> Iterator[tuple[int, Mask]]:
        """The columns that lack values, and in which images."""
        for index in shape.schemas.value_columns:
            vector = changes.columns[index]
            if vector is None or index in shape.schemas.key_columns:
                continue
            if not self._reselection.takes(table.id, table.columns[index].name):
                continue
            mask = self._lacks(vector, images)
            if mask.any():
                yield index, mask

    def _lacks(self, vector: Vector, images: Images) -> Mask:
        mask = np.zeros(len(images), np.bool_)
        valid = vector.is_valid()[images]
        if self._reselection.nulls:
            mask |= ~valid
        if self._reselection.unavailable and vector.kind in _LONG:
            lengths = vector.data[images, 0]
            for form in self._placeholders:
                alike = np.flatnonzero(valid & (lengths == len(form)))
                found = take(vector, images[alike]).to_arrow().cast(_LONG[Kind.BYTES]).to_pylist()
                mask[alike] |= np.array([value == form for value in found], np.bool_)
        return mask

    def _with_rows(
        self, table: Table, shape: Shape, changes: Changes, images: Images, lacking: Mapping[int, Mask]
    ) -> Changes:
        """The changes with what the rows of `images` have now in the columns where these lack a value."""
        asked = self._conditions(table, shape, changes, images)
        distinct = list(dict.fromkeys(each for each in asked if each is not None))
        place_of = {condition: place for place, condition in enumerate(distinct)}
        found = self._found(table, tuple(lacking), distinct)
        rows = found.row_of[[place_of[each] if each is not None else -1 for each in asked]]
        if (rows < 0).any():
            self._refuse(table.id, "is not there any more, so its changes stay as the log has them")
        columns = list(changes.columns)
        for index, mask in lacking.items():
            there = mask & (rows >= 0)
            if (vector := columns[index]) is not None and there.any():
                columns[index] = _merged(vector, images[there], found.values(index), rows[there])
        return replace(changes, columns=columns)

    def _conditions(self, table: Table, shape: Shape, changes: Changes, images: Images) -> list[str | None]:
        schemas = shape.schemas
        of_key = dict(zip(schemas.key_columns, schemas.key.fields if schemas.key else (), strict=True))
        fields = dict(zip(schemas.value_columns, schemas.value.fields, strict=True)) | of_key
        places = {column.name.lower(): i for i, column in enumerate(table.columns)}
        primary = [places[name.lower()] for name in table.primary_key if name.lower() in places]
        chosen = schemas.key_columns if self._reselection.by_event_key else primary
        if not chosen or (chosen is primary and len(primary) < len(table.primary_key)):
            self._refuse(table.id, "has no primary key to find it by: set reselect.use.event.key, message.key.columns")
            return [None] * len(images)
        key = []
        for index in chosen:
            vector = changes.columns[index]
            if vector is None or index not in fields or index in shape.converted:
                raise UnsupportedError(f"the key's column {table.columns[index].name} is not in events as it is stored")
            key.append((table.columns[index], fields[index].schema, vector))
        return conditions(self._source.spelling, key, images)

    def _found(self, table: Table, wanted: Sequence[int], asked: Sequence[str]) -> _Rows:
        """The first row for each condition.

        A row tells the first condition that it fulfils. Where two are the same to the database (`'a'` and `'A'` to most
        collations), the second one has no row of its own: so what found none is asked for again, as long as that finds any.
        """
        rows = _Rows(wanted, np.full(len(asked) + 1, -1, np.int64))  # the last is for those without a condition
        left, before = np.arange(len(asked)), len(asked) + 1
        while 0 < len(left) < before:
            before = len(left)
            for begin in range(0, before, AT_ONCE):
                some = left[begin : begin + AT_ONCE]
                rows.add(some, self._source.rows(table, wanted, [asked[i] for i in some]))
            left = left[rows.row_of[left] < 0]
        return rows

    def _refuse(self, table: TableId, why: str, cause: str = "") -> None:
        """A row can't be had: stop, or warn, once for each table and reason, whatever the cause."""
        text = f"{self._reselection.alias}: a row of {table} {why}{cause}"
        if self._reselection.fails:
            raise ReselectionError(f"{text}. reselect.error.handling.mode=WARN goes on")
        if (table, why) not in self._told:
            self._told.add((table, why))
            log.warning("%s (this is told once)", text)


class _Rows:
    """Rows as they are found; `row_of` is the row of each condition, -1 for none."""

    def __init__(self, wanted: Sequence[int], row_of: npt.NDArray[np.int64]) -> None:
        self.row_of = row_of
        self._parts: dict[int, list[pa.Array]] = {index: [] for index in wanted}
        self._count = 0

    def add(self, places: npt.NDArray[np.int64], found: FoundRows) -> None:
        """Add rows; `places` are the conditions that their numbers mean. The first row of a condition counts."""
        if not len(found.numbers):
            return
        numbers, first = np.unique(found.numbers, return_index=True)
        self.row_of[places[numbers]] = self._count + first
        self._count += len(found.numbers)
        for index, parts in self._parts.items():
            parts.append(_long(found.columns[index]))

    def values(self, index: int) -> pa.Array:
        """A column's values in all rows."""
        return pa.concat_arrays(self._parts[index])


def _merged(vector: Vector, images: Images, found: pa.Array, rows: npt.NDArray[np.int64]) -> Vector:
    """The column with the values of some rows in the place of some images'."""
    old = _long(vector)
    places = np.arange(vector.length)
    places[images] = vector.length + rows
    return from_arrow(pa.concat_arrays([old, found.cast(old.type)]).take(pa.array(places)))


def _long(vector: Vector) -> pa.Array:
    array = vector.to_arrow()
    return array.cast(_LONG[vector.kind]) if vector.kind in _LONG else array


def _forms(placeholder: bytes) -> tuple[bytes, ...]:
    """The placeholder in the forms that binary columns have it in (`binary.handling.mode`)."""
    return (
        placeholder,
        *dict.fromkeys((base64.b64encode(placeholder), base64.urlsafe_b64encode(placeholder), placeholder.hex().encode())),
    )
