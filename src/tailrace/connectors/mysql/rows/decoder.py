"""Row events to columns: the part of tailrace through which every change passes.

A `RowDecoder` belongs to one structure of one table. It takes the offsets of row events in a block of the log
and returns the row images as vectors. It does no I/O and keeps only size estimates between
calls.

Memory is bounded: a call stops after `limit` images or when it has made a lot of text, if necessary inside an
event, and returns where to continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.plan import ColumnPlan
from tailrace.connectors.mysql.rows import scan as s
from tailrace.connectors.mysql.rows.columns import FIELDS, ROUTE, Route, run, scratch_size
from tailrace.connectors.mysql.rows.images import RowError, RowImages
from tailrace.connectors.mysql.rows.layout import Int64, Layout, Places, compiled
from tailrace.connectors.mysql.rows.memory import POOL
from tailrace.connectors.mysql.rows.rare_columns import RUN_OF_ROUTE, run_rare
from tailrace.connectors.mysql.rows.results import Results
from tailrace.errors import StructureError

DEFAULT_LIMIT: Final = 1 << 16
MOST_TEXT: Final = 1 << 26
"""A call ends after the chunk in which it has made this many bytes of text."""

_FEWEST: Final = 64
"""The smallest room for images."""


class RowDecoder:
    """Decodes the row events of one structure of one table."""

    def __init__(self, plans: Sequence[ColumnPlan]) -> None:
        self._layout = compiled(plans)
        self._rooms: dict[int, Places] = {}
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
            data: a block of the log, under 2 GB; the vectors refer to it and keep it alive.
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
        task.begin(first, offset, row)
        task.use(self._room(min(int(task.size_from(first) / self._image_bytes) + _FEWEST, task.limit)))
        task.aux = POOL.take(int(self._text_bytes * task.room.images))
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
        return task.results().images(first)

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

    def _room(self, images: int) -> Places:
        """Places for at least so many images."""
        images = max(_FEWEST, 1 << (images - 1).bit_length())
        room = self._rooms.get(images)
        if room is None:
            room = self._rooms[images] = self._layout.places(images)
        return room

    def _learn(self, task: _Task) -> None:
        """Keeps the size of an image and of its text, as the next call's estimates."""
        images = task.count(s.IMAGES)
        if images >= _FEWEST:
            self._image_bytes = max(task.size_until_now() / images, 1.0)
            self._text_bytes = max(self._text_bytes * 0.9, 1.2 * task.count(s.AUX) / images)


class _Task:
    """One call of `decode`."""

    __slots__ = (
        "aux", "body", "data", "end", "first", "layout", "limit", "mem", "room", "scratch", "state", "types",
    )  # fmt: skip
    aux: Bytes
    mem: Bytes
    room: Places

    def __init__(
        self, layout: Layout, data: Bytes, body: Int64, end: Int64, type_: npt.NDArray[Any], limit: int
    ) -> None:
        self.layout = layout
        self.data = np.ascontiguousarray(data, np.uint8)
        self.body = np.ascontiguousarray(body, np.int64)
        self.end = np.ascontiguousarray(end, np.int64)
        self.types = np.ascontiguousarray(type_, np.int64)
        self.limit = limit
        self.first = 0
        self.state = np.zeros(s.STATE_SIZE + layout.bitmaps, np.int64)
        self.scratch = POOL.take(scratch_size(len(layout.columns)))

    def begin(self, first: int, offset: int, row: int) -> None:
        """Where to begin."""
        self.first = first
        if first or offset or row:
            self.state[[s.EVENT, s.OFFSET, s.ROW]] = first, offset, row

    def count(self, which: int) -> int:
        """A number of the state."""
        return int(self.state[which])

    def size_from(self, first: int) -> int:
        """Bytes of the events from number `first` on."""
        return int(self.end[first:].sum() - self.body[first:].sum())

    def size_until_now(self) -> int:
        """About how many bytes of events were consumed."""
        event, offset = self.count(s.EVENT), self.count(s.OFFSET)
        begun = self.size_from(self.first) - self.size_from(event)
        return begun + (offset - int(self.body[event]) if offset else 0)

    def use(self, room: Places) -> None:
        """Takes a block with that room; what the old one holds moves."""
        mem = POOL.take(room.size)
        if self.state[s.IMAGES]:
            self._move(mem, room)
        self.mem, self.room = mem, room

    def _move(self, mem: Bytes, room: Places) -> None:
        old = self.room
        for place, start, stop in zip(room.listed[:-1], old.listed[:-1], old.listed[1:], strict=True):
            mem[place : place + stop - start] = self.mem[start:stop]
        for b in np.flatnonzero(
            self.state[s.STATE_SIZE :]
        ):  # the rest of a bitmap that has marks is as it began
            begin = room.listed[s.PLACES + b]
            zeroed = b < len(self.layout.columns) or b in self.layout.zeroed
            mem[begin + old.images // 8 : begin + room.images // 8] = 0xFF if zeroed else 0

    def run(self) -> int:
        """Runs the compiled code until it needs something."""
        status = self._call(run)
        while status == s.RARE:
            status = self._call(RUN_OF_ROUTE.get(self._route(self.count(s.COLUMN)), run_rare))
            if status == s.MORE:
                status = self._call(run)
        return status

    def _route(self, column: int) -> int:
        return int(self.layout.numbers[column * FIELDS + ROUTE])

    def _call(self, compiled_code: Callable[..., int]) -> int:
        layout, room = self.layout, self.room
        return int(
            compiled_code(
                self.data.ctypes.data, len(self.data), self.body, self.end, self.types, layout.numbers,
                len(layout.columns), layout.tables, self.mem, room.numbers, room.first_slot, room.images // 8,
                min(self.limit, room.images), self.aux, MOST_TEXT, self.scratch, self.state,
            )
        )  # fmt: skip

    def grow_text(self) -> None:
        """Doubles the room for made text, or more where one value needs that."""
        used, need = self.count(s.AUX), self.count(s.NEED)
        aux = POOL.take(max(2 * len(self.aux), used + need))
        aux[:used] = self.aux[:used]
        self.aux = aux
        self.state[s.NEED] = 0

    def is_full(self) -> bool:
        """Whether the run stopped because it ran out of room, not because of a limit."""
        room = self.room.images
        return room < self.limit and self.count(s.IMAGES) + 2 > room and self.count(s.AUX) <= MOST_TEXT

    def results(self) -> Results:
        """What was decoded so far."""
        return Results(self.layout, self.room, self.mem, self.data, self.aux, self.state.tolist())

    def error(self, status: int) -> Exception:
        """The error that a status stands for."""
        event = self.count(s.WHERE)
        count = len(self.layout.columns)
        if status == s.BAD_VALUE:
            column = self.count(s.COLUMN)
            event = self.results().event_of(event)
            name = Route(self._route(column)).name
            return RowError(f"row event {event}: column {column + 1} holds a damaged {name}", event)
        if status == s.WRONG_WIDTH:
            return StructureError(
                f"row event {event} has another number of columns than the structure known, {count}"
            )
        if status == s.UNKNOWN_TYPE:
            return RowError(f"event {event} is of type {self.types[event]}, which is no row event", event)
        return RowError(
            f"row event {event}: a row image runs over the end of its event: the log is damaged, or the "
            "table's structure is not the one known",
            event,
        )
