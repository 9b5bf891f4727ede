"""Row events to columns: the part of tailrace through which every change passes.

A `RowDecoder` belongs to one structure of one table. It is fed the places of row events in a block of the log and
gives back the row images as vectors. It does no I/O and keeps nothing between calls but guesses about sizes.

Memory is bounded: a call stops after `limit` images or when it has made a lot of text, if need be inside an event,
and says where to go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.connectors.mysql.plan import KIND_OF_OUT, ColumnPlan, Out, Wire
from tailrace.connectors.mysql.rows import columns
from tailrace.connectors.mysql.rows import scan as s
from tailrace.connectors.mysql.rows.columns import Route
from tailrace.connectors.mysql.rows.doubles import LIMBS
from tailrace.connectors.mysql.rows.fallbacks import decimal_to_double, decode_texts, flagged
from tailrace.connectors.mysql.rows.geometry import gather_floats
from tailrace.connectors.mysql.rows.images import RowError, RowImages
from tailrace.connectors.mysql.rows.json_text import STACK
from tailrace.connectors.mysql.rows.layout import VIEW, Int64, Layout, compiled
from tailrace.connectors.mysql.rows.memory import POOL
from tailrace.connectors.mysql.rows.raw import STRIDE
from tailrace.errors import StructureError

DEFAULT_LIMIT: Final = 1 << 16
MOST_TEXT: Final = 1 << 26
"""A call ends after the chunk in which it has made so much text."""

_FEWEST: Final = 64
_LINE: Final = 64
"""Columns begin at different places within a page, or they would fight for the same cache lines."""
_CHANGE_WIDTHS: Final = (4, 4, 4, 4, 1)  # before, after, event, row, op


class RowDecoder:
    """Decodes the row events of one structure of one table."""

    def __init__(self, plans: Sequence[ColumnPlan]) -> None:
        self._layout = compiled(plans)
        self._rooms: dict[int, _Places] = {}
        self._image_bytes = max(4.0, len(plans) / 2)
        self._text_bytes = 0.0

    def decode(
        self,
        data: Bytes,
        body: Int64,
        end: Int64,
        type_: npt.NDArray[Any],
        first: int = 0,
        limit: int = DEFAULT_LIMIT,
        *,
        offset: int = 0,
        row: int = 0,
    ) -> RowImages:
        """Decodes events from number `first` on, up to `limit` (at least 2) row images.

        Args:
            data: a block of the log, under 2 GB; the vectors refer to it.
            body: where each event's body begins (after its header).
            end: where it ends (before its checksum).
            type_: its type, a number of MySQL's Log_event_type.
            first: the event to begin with.
            limit: how many row images at most.
            offset: `RowImages.offset` of the call before, where that stopped inside an event.
            row: `RowImages.next_row` of the call before.

        Raises:
            RowError: an event is damaged, or not of a type or form that is known; it names the event.
            StructureError: an event has another number of columns than the plans.

        """
        task = _Task(self._layout, data, body, end, type_, max(limit, 2))
        task.state[[s.EVENT, s.OFFSET, s.ROW]] = first, offset, row
        expected = int(task.body[first:].size and (task.end[first:] - task.body[first:]).sum() / self._image_bytes)
        room = self._room(min(expected + _FEWEST, task.limit))
        task.use(room)
        task.aux = POOL.take(int(self._text_bytes * room.images))
        while True:
            status = task.run()
            if status == s.NEEDS_AUX:
                task.grow_text()
            elif status == s.MORE and task.is_full():
                task.use(self._room(2 * task.room.images))
            else:
                break
        if status > s.NEEDS_AUX:
            raise task.error(status)
        self._learn(task)
        return task.result(first)

    def batches(
        self, data: Bytes, body: Int64, end: Int64, type_: npt.NDArray[Any], limit: int = DEFAULT_LIMIT
    ) -> Iterator[RowImages]:
        """All events, in as many calls of `decode` as that takes."""
        first, offset, row = 0, 0, 0
        while first < len(body):
            images = self.decode(data, body, end, type_, first, limit, offset=offset, row=row)
            first, offset, row = first + images.events_used, images.offset, images.next_row
            if len(images):
                yield images

    def _room(self, images: int) -> _Places:
        """Places for at least so many images."""
        images = max(_FEWEST, 1 << (images - 1).bit_length())
        room = self._rooms.get(images)
        if room is None:
            room = self._rooms[images] = _Places.of(self._layout, images)
        return room

    def _learn(self, task: _Task) -> None:
        """Keeps the smallest images and the longest text seen: what the next call reckons with."""
        images = int(task.state[s.IMAGES])
        if images >= _FEWEST:
            self._image_bytes = min(max(task.bytes_used() / images, 1.0), self._image_bytes * 2 + 8)
            self._text_bytes = max(self._text_bytes * 0.9, 1.2 * int(task.state[s.AUX]) / images)


@dataclass(slots=True)
class _Places:
    """Where everything stands in a block with room for `images` images."""

    images: int
    bitmaps: Int64
    changes: Int64
    slots: Int64
    size: int

    @classmethod
    def of(cls, layout: Layout, images: int) -> _Places:
        widths = [images // 8] * layout.bitmaps
        widths += [images * width for width in (*_CHANGE_WIDTHS, *layout.slots)]
        places = np.cumsum([0, *(width + _LINE for width in widths)])
        changes = layout.bitmaps + len(_CHANGE_WIDTHS)
        return cls(
            images, places[: layout.bitmaps], places[layout.bitmaps : changes], places[changes:-1], int(places[-1])
        )


class _Task:
    """One call of `decode`."""

    aux: Bytes
    mem: Bytes
    room: _Places

    def __init__(
        self, layout: Layout, data: Bytes, body: Int64, end: Int64, type_: npt.NDArray[Any], limit: int
    ) -> None:
        self.layout = layout
        self.data = np.ascontiguousarray(data, np.uint8)
        self.body = np.ascontiguousarray(body, np.int64)
        self.end = np.ascontiguousarray(end, np.int64)
        self.types = np.ascontiguousarray(type_, np.int64)
        self.limit = limit
        self.stack = np.empty(STACK, np.int64)
        self.limbs = np.empty(LIMBS, np.uint64)
        self.state = np.zeros(s.STATE_SIZE, np.int64)
        self.marks = np.zeros(layout.bitmaps, np.int64)
        self.offsets = np.empty(len(layout.plan) * STRIDE, np.uint8)
        self.holes = np.zeros(len(layout.plan), np.int64)

    def use(self, room: _Places) -> None:
        """Takes a block with that room; what the old one holds moves."""
        mem = POOL.take(room.size)
        if self.state[s.IMAGES]:
            self._move(mem, room)
        self.mem, self.room = mem, room

    def _move(self, mem: Bytes, room: _Places) -> None:
        old = self.room
        for name in ("bitmaps", "changes", "slots"):
            ends = [*getattr(old, name)[1:], None]
            for place, start, stop in zip(getattr(room, name), getattr(old, name), ends, strict=True):
                part = self.mem[start : old.size if stop is None else stop]
                mem[place : place + len(part)] = part
        for b in np.flatnonzero(self.marks):  # the rest of a bitmap that has marks is filled as it began
            begin = room.bitmaps[b] + old.images // 8
            is_valid = b < len(self.layout.plan) or self._is_srid(b)
            mem[begin : room.bitmaps[b] + room.images // 8] = 0xFF if is_valid else 0

    def _is_srid(self, bitmap: int) -> bool:
        """Whether an extra bitmap has zeroes for the values marked."""
        plan = self.layout.plan
        return bool(((plan[:, columns.EXTRA] == bitmap) & (plan[:, columns.ROUTE] == Route.GEOMETRY)).any())

    def run(self) -> int:
        """Runs the compiled code until it wants something."""
        room = self.room
        return int(
            columns.run(
                self.data.ctypes.data, len(self.data), self.body, self.end, self.types, self.layout.plan,
                self.layout.widths, self.layout.diffs, self.layout.tables, self.mem, room.changes, room.slots,
                room.bitmaps, self.marks, room.images // 8, min(self.limit, room.images), self.aux, MOST_TEXT,
                self.offsets, self.holes, self.stack, self.limbs, self.state,
            )
        )  # fmt: skip

    def grow_text(self) -> None:
        """Doubles the room for made text, or more where one value needs that."""
        used, need = int(self.state[s.AUX]), int(self.state[s.NEED])
        aux = POOL.take(max(2 * len(self.aux), used + need))
        aux[:used] = self.aux[:used]
        self.aux = aux
        self.state[s.NEED] = 0

    def is_full(self) -> bool:
        """Whether the call stopped for want of room, not because of a limit."""
        return bool(
            self.room.images < self.limit
            and self.state[s.IMAGES] + 2 > self.room.images
            and self.state[s.AUX] <= MOST_TEXT
        )

    def bytes_used(self) -> int:
        """How many bytes of events were consumed."""
        changes = int(self.state[s.CHANGES])
        events = self._array(self.room.changes[s.EVENTS], (changes,), np.int32)
        last = int(events[-1])
        stop = int(self.state[s.OFFSET]) or int(self.end[last])
        begun = int((self.end[events[0] : last] - self.body[events[0] : last]).sum())
        return begun + max(stop - int(self.body[last]), 0)

    def error(self, status: int) -> Exception:
        """The error that a status stands for."""
        event = int(self.state[s.WHERE])
        if status == s.BAD_VALUE:
            image, column = event, int(self.state[s.COLUMN])
            event = self._event_of(image)
            what = self.layout.plan[column, columns.ROUTE]
            return RowError(f"row event {event}: column {column + 1} holds a damaged {Route(what).name}", event)
        if status == s.WRONG_WIDTH:
            return StructureError(
                f"row event {event} has another number of columns than the structure known, {len(self.layout.plan)}"
            )
        if status == s.UNKNOWN_TYPE:
            return RowError(f"event {event} is of type {self.types[event]}, which is no row event", event)
        return RowError(
            f"row event {event}: a row image runs over the end of its event: the log is damaged, or the table's "
            "structure is not the one known",
            event,
        )

    def _event_of(self, image: int) -> int:
        n = int(self.state[s.CHANGES])
        after = self._array(self.room.changes[s.AFTER], (n,), np.int32)
        before = self._array(self.room.changes[s.BEFORE], (n,), np.int32)
        change = np.flatnonzero((after == image) | (before == image))[0]
        return int(self._array(self.room.changes[s.EVENTS], (n,), np.int32)[change])

    def result(self, first: int) -> RowImages:
        """What was decoded."""
        n, images = int(self.state[s.CHANGES]), int(self.state[s.IMAGES])
        text = self.aux[: int(self.state[s.AUX])]
        buffers = (self.data, text, self.layout.tables)
        before, after, event, row = (self._array(self.room.changes[i], (n,), np.int32) for i in range(4))
        return RowImages(
            vectors=[self._vector(c, plan, images, buffers) for c, plan in enumerate(self.layout.plans)],
            before=before,
            after=after,
            op=self._array(self.room.changes[s.OPS], (n,), np.uint8),
            event=event,
            row=row,
            images=images,
            events_used=int(self.state[s.EVENT]) - first,
            offset=int(self.state[s.OFFSET]),
            next_row=int(self.state[s.ROW]),
            missing=self._missing(images),
            invalid_dates=int(self.state[s.INVALID]),
        )

    def _array(self, at: int, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.ndarray(shape, dtype, self.mem, at)

    def _bitmap(self, which: int, images: int) -> Bytes | None:
        if not self.marks[which]:
            return None
        return self._array(self.room.bitmaps[which], ((images + 7) >> 3,), np.uint8)

    def _missing(self, images: int) -> dict[int, Bytes]:
        count = len(self.layout.plan)
        if not self.marks[count : 2 * count].any():
            return {}
        found = {c: self._bitmap(count + c, images) for c in range(count)}
        return {c: bitmap for c, bitmap in found.items() if bitmap is not None}

    def _vector(self, c: int, plan: ColumnPlan, images: int, buffers: tuple[Bytes, ...]) -> Vector | None:
        if not plan.emit:
            return None
        kind = KIND_OF_OUT[plan.out]
        valid = self._bitmap(c, images)
        place = self.room.slots[self.layout.plan[c, columns.SLOT]]
        if kind in (Kind.INT, Kind.BOOL):
            return Vector(kind, images, self._array(place, (images,), np.int64), valid)
        if kind in (Kind.TEXT, Kind.BYTES):
            views = self._array(place, (images, 4), np.uint32)
            return Vector(kind, images, views, valid, (*buffers, *self._made(c, plan, views, images)))
        if kind is Kind.FLOAT32 and plan.wire is Wire.DOUBLE:  # REAL, which Debezium shows as a float
            return Vector(kind, images, self._array(place, (images,), np.float64).astype(np.float32), valid)
        if kind is Kind.FLOAT32:
            return Vector(kind, images, self._array(place, (images,), np.float32), valid)
        if kind is Kind.FLOAT64:
            return Vector(kind, images, self._doubles(c, plan, place, images), valid)
        if kind is Kind.LIST:
            return self._floats(c, place, images, valid)
        return self._struct(c, plan, images, valid, buffers)

    def _made(self, c: int, plan: ColumnPlan, views: npt.NDArray[Any], images: int) -> tuple[Bytes, ...]:
        """The buffer of the values that Python made, if there are any."""
        route, extra = self.layout.plan[c, columns.ROUTE], self.layout.plan[c, columns.EXTRA]
        if route != Route.CODEC_TEXT or not self.marks[extra] or plan.charset is None:
            return ()
        rows = flagged(self._array(self.room.bitmaps[extra], ((images + 7) >> 3,), np.uint8), images)
        return (decode_texts(plan.charset, views, self.data, rows, 3),)

    def _doubles(self, c: int, plan: ColumnPlan, place: int, images: int) -> npt.NDArray[np.float64]:
        values = self._array(place, (images,), np.float64)
        extra = self.layout.plan[c, columns.EXTRA]
        if plan.wire is Wire.DECIMAL and self.marks[extra]:
            rows = flagged(self._array(self.room.bitmaps[extra], ((images + 7) >> 3,), np.uint8), images)
            offsets = values.view(np.int64)[rows]
            values[rows] = decimal_to_double(self.data, plan.meta >> 8, plan.meta & 0xFF, offsets)
        return values

    def _floats(self, c: int, place: int, images: int, valid: Bytes | None) -> Vector:
        views = self._array(place, (VIEW * images,), np.uint8)
        starts = np.empty(images + 1, np.int64)
        bad = gather_floats(self.data, views, starts, np.empty(0, np.uint8))
        if bad >= 0:
            event = self._event_of(bad)
            raise RowError(f"row event {event}: column {c + 1} holds a vector with part of a number", event)
        floats = np.empty(int(starts[-1]) * 4, np.uint8)
        gather_floats(self.data, views, starts, floats)
        child = Vector(Kind.FLOAT32, int(starts[-1]), floats.view(np.float32))
        return Vector(Kind.LIST, images, starts, valid, (), (child,))

    def _struct(
        self, c: int, plan: ColumnPlan, images: int, valid: Bytes | None, buffers: tuple[Bytes, ...]
    ) -> Vector:
        slot = self.layout.plan[c, columns.SLOT]
        places = self.room.slots[slot : slot + 4]
        wkb = Vector(Kind.BYTES, images, self._array(places[0], (images, 4), np.uint32), valid, buffers)
        known = self._bitmap(self.layout.plan[c, columns.EXTRA], images)
        srid = Vector(Kind.INT, images, self._array(places[1], (images,), np.int64), known)
        children: tuple[Vector, ...] = (wkb, srid)
        names: tuple[str, ...] = ("wkb", "srid")
        if plan.out is Out.POINT:
            x, y = (
                Vector(Kind.FLOAT64, images, self._array(place, (images,), np.float64), valid) for place in places[2:]
            )
            children, names = (x, y, *children), ("x", "y", *names)
        return Vector(Kind.STRUCT, images, np.empty(0, np.int64), valid, (), children, names)
