"""From the block that the compiled code has filled to vectors.

A small table has some hundred images per call, so making an object for each column must be quick: every
vector is a few windows into the block, and the layout has everything that is the same for each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.connectors.mysql.plan import Out, Storage
from tailrace.connectors.mysql.rows import scan as s
from tailrace.connectors.mysql.rows.fallbacks import (
    decimal_to_double,
    decode_texts,
    flagged,
    put_texts,
    texts_of_views,
)
from tailrace.connectors.mysql.rows.geometry import gather_floats
from tailrace.connectors.mysql.rows.images import RowError, RowImages
from tailrace.connectors.mysql.rows.layout import VIEW, Column, Form, Layout, Places
from tailrace.connectors.mysql.rows.partial_json import patched

_INT64, _INT32, _UINT32, _UINT8 = (np.dtype(t) for t in (np.int64, np.int32, np.uint32, np.uint8))
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_NOTHING: Final = np.empty(0, np.int64)


class Results:
    """One block of results, with `state` as the compiled code left it."""

    __slots__ = (
        "_buffers",
        "_count",
        "_data",
        "_layout",
        "_listed",
        "_marks",
        "_mem",
        "_n",
        "_slots",
        "_state",
    )

    def __init__(
        self, layout: Layout, room: Places, mem: Bytes, data: Bytes, aux: Bytes, state: list[int]
    ) -> None:
        self._layout = layout
        self._mem = mem
        self._data = data
        self._listed = room.listed
        self._slots = room.first_slot
        self._state = state
        self._marks = state[s.STATE_SIZE :]
        self._count = state[s.IMAGES]
        self._n = state[s.CHANGES]
        self._buffers = (data, aux[: state[s.AUX]], layout.tables)

    def images(self, first: int) -> RowImages:
        """Everything, as the decoder's caller gets it."""
        state = self._state
        change = (self._n,)
        return RowImages(
            [_MAKERS[column.form](self, c, column) for c, column in enumerate(self._layout.columns)],
            np.ndarray(change, _INT32, self._mem, self._listed[s.BEFORE]),
            np.ndarray(change, _INT32, self._mem, self._listed[s.AFTER]),
            np.ndarray(change, _UINT8, self._mem, self._listed[s.OPS]),
            np.ndarray(change, _INT32, self._mem, self._listed[s.EVENTS]),
            np.ndarray(change, _INT32, self._mem, self._listed[s.ROWS]),
            self._count,
            state[s.EVENT] - first,
            state[s.OFFSET],
            state[s.ROW],
            self._missing(),
            state[s.UNFIT],
        )

    def event_of(self, image: int) -> int:
        """The event that an image belongs to."""
        before, after, event = (
            np.ndarray((self._n,), _INT32, self._mem, self._listed[i]) for i in (s.BEFORE, s.AFTER, s.EVENTS)
        )
        return int(event[np.flatnonzero((after == image) | (before == image))[0]])

    def _bitmap(self, which: int) -> Bytes | None:
        """A bitmap; None where no bit of it was marked."""
        if not self._marks[which]:
            return None
        return np.ndarray(((self._count + 7) >> 3,), _UINT8, self._mem, self._listed[s.PLACES + which])

    def _missing(self) -> dict[int, Bytes]:
        columns = len(self._layout.columns)
        if not any(self._marks[columns : 2 * columns]):
            return {}
        found = {c: self._bitmap(columns + c) for c in range(columns)}
        return {c: bitmap for c, bitmap in found.items() if bitmap is not None}

    def _slot(self, column: Column, dtype: np.dtype[Any], which: int = 0) -> npt.NDArray[Any]:
        return np.ndarray((self._count,), dtype, self._mem, self._listed[self._slots + column.slot + which])

    def _views(self, column: Column) -> npt.NDArray[np.uint32]:
        return np.ndarray((self._count, 4), _UINT32, self._mem, self._listed[self._slots + column.slot])

    def _flagged(self, column: Column) -> npt.NDArray[np.int64]:
        bitmap = self._bitmap(column.extra)
        return _NOTHING if bitmap is None else flagged(bitmap, self._count)

    def none(self, _c: int, _column: Column) -> None:
        """A column that is not wanted."""
        return

    def numbers(self, c: int, column: Column) -> Vector:
        """Integers and booleans."""
        return Vector(column.kind, self._count, self._slot(column, _INT64), self._bitmap(c))

    def views(self, c: int, column: Column) -> Vector:
        """Text and bytes."""
        return Vector(column.kind, self._count, self._views(column), self._bitmap(c), self._buffers)

    def singles(self, c: int, column: Column) -> Vector:
        """FLOAT; or REAL, a DOUBLE that Debezium shows as a float."""
        if column.plan.storage is Storage.DOUBLE:
            narrowed = self._slot(column, _FLOAT64).astype(np.float32)
            return Vector(column.kind, self._count, narrowed, self._bitmap(c))
        return Vector(column.kind, self._count, self._slot(column, _FLOAT32), self._bitmap(c))

    def doubles(self, c: int, column: Column) -> Vector:
        """DOUBLE."""
        return Vector(column.kind, self._count, self._slot(column, _FLOAT64), self._bitmap(c))

    def codec_texts(self, c: int, column: Column) -> Vector:
        """Text of which some values are left to Python's codecs."""
        vector = self.views(c, column)
        rows = self._flagged(column)
        if len(rows) and column.plan.charset:
            made = decode_texts(column.plan.charset, vector.data, self._data, rows, len(self._buffers))
            vector.buffers = (*self._buffers, made)
        return vector

    def json_texts(self, c: int, column: Column) -> Vector:
        """JSON, of which some values are differences from the image before."""
        vector = self.views(c, column)
        rows = self._flagged(column)
        if len(rows):
            vector.buffers = (*self._buffers, self._patched(c, vector, rows))
        return vector

    def _patched(self, c: int, vector: Vector, rows: npt.NDArray[np.int64]) -> Bytes:
        before = vector.is_valid()[rows - 1]
        if not before.all():
            event = self.event_of(int(rows[np.argmin(before)]))
            raise RowError(
                f"row event {event}: column {c + 1} has a partial update of JSON without the document "
                "before it: binlog_row_value_options must be empty or binlog_row_image FULL",
                event,
            )
        buffers = (self._data, self._buffers[1])
        texts = []
        for i, diff in zip(rows, texts_of_views(vector.data, buffers, rows), strict=True):
            (document,) = texts_of_views(vector.data, buffers, np.array([i - 1]))
            try:
                texts.append(patched(document, diff))
            except (ValueError, IndexError, KeyError, TypeError) as error:
                event = self.event_of(int(i))
                raise RowError(
                    f"row event {event}: column {c + 1}: a partial update of JSON: {error}", event
                ) from error
        return put_texts(vector.data, rows, texts, len(self._buffers))

    def decimal_doubles(self, c: int, column: Column) -> Vector:
        """Doubles of DECIMAL, of which some are left to Python; their offsets stand in their places."""
        vector = self.doubles(c, column)
        rows = self._flagged(column)
        if len(rows):
            offsets = vector.data.view(np.int64)[rows]
            meta = column.plan.meta
            vector.data[rows] = decimal_to_double(self._data, meta >> 8, meta & 0xFF, offsets)
        return vector

    def struct(self, c: int, column: Column) -> Vector:
        """Geometries."""
        valid = self._bitmap(c)
        wkb = Vector(Kind.BYTES, self._count, self._views(column), valid, self._buffers)
        srid = Vector(Kind.INT, self._count, self._slot(column, _INT64, 1), self._bitmap(column.extra))
        children, names = (wkb, srid), ("wkb", "srid")
        if column.plan.out is not Out.POINT:
            return Vector(Kind.STRUCT, self._count, _NOTHING, valid, (), children, names)
        x, y = (Vector(Kind.FLOAT64, self._count, self._slot(column, _FLOAT64, i), valid) for i in (2, 3))
        return Vector(Kind.STRUCT, self._count, _NOTHING, valid, (), (x, y, *children), ("x", "y", *names))

    def list_(self, c: int, column: Column) -> Vector:
        """VECTOR: the floats of all values one after the other."""
        place = self._listed[self._slots + column.slot]
        views = np.ndarray((VIEW * self._count,), _UINT8, self._mem, place)
        starts = np.empty(self._count + 1, np.int64)
        bad = gather_floats(self._data, views, starts, np.empty(0, np.uint8))
        if bad >= 0:
            event = self.event_of(bad)
            raise RowError(f"row event {event}: column {c + 1} holds a vector with part of a number", event)
        floats = np.empty(int(starts[-1]) * 4, np.uint8)
        gather_floats(self._data, views, starts, floats)
        child = Vector(Kind.FLOAT32, int(starts[-1]), floats.view(np.float32))
        return Vector(Kind.LIST, self._count, starts, self._bitmap(c), (), (child,))


_MAKERS: Final[dict[int, Callable[[Results, int, Column], Vector | None]]] = {
    Form.NONE: Results.none,
    Form.NUMBERS: Results.numbers,
    Form.BOOLEANS: Results.numbers,
    Form.VIEWS: Results.views,
    Form.SINGLES: Results.singles,
    Form.DOUBLES: Results.doubles,
    Form.CODEC_TEXTS: Results.codec_texts,
    Form.DECIMAL_DOUBLES: Results.decimal_doubles,
    Form.JSON_TEXTS: Results.json_texts,
    Form.STRUCT: Results.struct,
    Form.LIST: Results.list_,
}
