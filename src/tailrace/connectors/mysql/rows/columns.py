# mypy: disable-error-code="no-any-return, assignment"
"""The second pass: each column of a chunk of images is read by the loop for its type.

`run` goes chunk by chunk: `scan` finds the values, `fill` reads them column by column. It returns when the events
or the room for images are used up, when made text needs more room, or at a column of a rarer type, which Python
then has read by a compiled function of its own (`rare_columns.py`); called again with the same state, it goes on
where it stopped.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import numba as nb
import numpy as np

from tailrace.connectors.mysql.rows.decimals import unscaled_decimals
from tailrace.connectors.mysql.rows.doubles import LIMBS
from tailrace.connectors.mysql.rows.json_text import STACK
from tailrace.connectors.mysql.rows.labels import enums
from tailrace.connectors.mysql.rows.numbers import integers, singles, widened, years
from tailrace.connectors.mysql.rows.raw import STRIDE
from tailrace.connectors.mysql.rows.scan import (
    AUX,
    BAD_VALUE,
    COLUMN,
    DONE,
    IMAGES,
    MORE,
    NEEDS_AUX,
    PLACES,
    RARE,
    SCANNED,
    STATE_SIZE,
    WHERE,
    mark_holes,
    scan,
)
from tailrace.connectors.mysql.rows.strings import table_texts, views
from tailrace.connectors.mysql.rows.temporal import moment_numbers, moment_texts
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import pointer_to
from tailrace.kernels.compiling import Int, entry_with_runtime, merged


class Route(enum.IntEnum):
    """Which loop reads a column. `a` and `b` are its parameters, see `layout.py`."""

    SKIP = 0
    INTEGER = 1
    UNSCALED_INTEGER = 2
    INTEGER_TEXT = 3
    SINGLE = 4
    WIDENED = 5
    YEAR = 6
    BITS = 7
    BIT_BYTES = 8
    UNSCALED_DECIMAL = 9
    DECIMAL_TEXT = 10
    DECIMAL_DOUBLE = 11
    VIEW = 12
    PADDED_VIEW = 13
    TABLE_TEXT = 14
    WIDE_TEXT = 15
    CODEC_TEXT = 16
    ENCODED = 17
    MOMENT_NUMBER = 18
    MOMENT_TEXT = 19
    ENUM = 20
    SET = 21
    JSON = 22
    GEOMETRY = 23


# The compiled code knows them as plain numbers; those of the others stand in `rare_columns.py`.
_SKIP: Final = int(Route.SKIP)
_INTEGER: Final = int(Route.INTEGER)
_SINGLE: Final = int(Route.SINGLE)
_WIDENED: Final = int(Route.WIDENED)
_YEAR: Final = int(Route.YEAR)
_UNSCALED_DECIMAL: Final = int(Route.UNSCALED_DECIMAL)
_VIEW: Final = int(Route.VIEW)
_TABLE_TEXT: Final = int(Route.TABLE_TEXT)
_MOMENT_NUMBER: Final = int(Route.MOMENT_NUMBER)
_MOMENT_TEXT: Final = int(Route.MOMENT_TEXT)
_ENUM: Final = int(Route.ENUM)

# Columns of the matrix of plans.
ROUTE, WIDTH, A, B, C, D, ZERO, ZERO_VALUE, SLOT, EXTRA, FIELDS = range(11)


SCRATCH_NUMBERS: Final = STACK + LIMBS
"""How many numbers the scratch block holds before the holes and the offsets of a chunk."""


ELSEWHERE: Final = -(1 << 62)
"""What `fill` answers for a column that is not read here."""


def scratch_size(columns: int) -> int:
    """Bytes of scratch that `run` needs for so many columns."""
    return 8 * (SCRATCH_NUMBERS + columns) + STRIDE * columns


@merged
def planned(layout: Any, count: Int) -> Any:
    """The parts of `layout`: the matrix of plans, widths, bitmaps of differences."""
    plan = layout[: count * FIELDS].reshape(count, FIELDS)
    return plan, layout[count * FIELDS : count * (FIELDS + 1)], layout[count * (FIELDS + 1) :]


@merged
def placed(places: Any, first_slot: Int, state: Any) -> Any:
    """Where bitmaps and slots begin, and the marks of the bitmaps."""
    return places[PLACES:first_slot], places[first_slot:], state[STATE_SIZE:]


@merged
def scratched(scratch: Any, count: Int) -> Any:
    """The parts of the scratch block: two for doubles and JSON, then the holes and the offsets of a chunk."""
    numbers = scratch[: 8 * (SCRATCH_NUMBERS + count)].view(np.int64)
    limbs = numbers[STACK:SCRATCH_NUMBERS].view(np.uint64)
    offsets = scratch[8 * (SCRATCH_NUMBERS + count) :]
    return numbers[:STACK], limbs, numbers[SCRATCH_NUMBERS:], offsets


@merged
def settled(ao: Int, state: Any) -> Int:
    """Notes that a column is read, or why it isn't."""
    if ao == -1:
        return NEEDS_AUX
    if ao < 0:
        state[WHERE] = state[IMAGES] - ao - 2
        return BAD_VALUE
    state[AUX] = ao
    state[COLUMN] += 1
    return MORE


@entry_with_runtime(
    arg.INT, arg.INT, arg.INTS, arg.INTS, arg.INTS, arg.INTS, arg.INT, arg.BYTES, arg.BYTES, arg.INTS, arg.INT,
    arg.INT, arg.INT, arg.BYTES, arg.INT, arg.BYTES, arg.INTS
)
def run(
    address: Int,
    length: Int,
    body: Any,
    end: Any,
    types: Any,
    layout: Any,
    count: Int,
    tables: Any,
    mem: Any,
    places: Any,
    first_slot: Int,
    size: Int,
    limit: Int,
    aux: Any,
    most: Int,
    scratch: Any,
    state: Any,
) -> Int:
    """Decodes until the events, the room for images or `aux` are used up; returns which (see `scan`).

    Every array handed over costs as much as ten values decoded, so some hold several things: `layout` the
    matrix of plans, then widths and bitmaps of differences; `places` where changes, bitmaps and slots begin
    in `mem`; `state` the state and then the marks of the bitmaps.
    """
    data = nb.carray(pointer_to(address), (length,))
    plan, widths, diffs = planned(layout, count)
    bitmaps, slots, marks = placed(places, first_slot, state)
    _stack, limbs, holes, offsets = scratched(scratch, count)
    while True:
        status = MORE
        if state[SCANNED] == 0:
            status = scan(
                data,
                body,
                end,
                types,
                widths,
                diffs,
                mem,
                places,
                bitmaps,
                marks,
                size,
                limit,
                offsets,
                holes,
                state,
            )
            if status > NEEDS_AUX:
                return status
            state[COLUMN] = 0
            if state[SCANNED] == 0:
                return status
        while state[COLUMN] < len(plan):
            c = state[COLUMN]
            if holes[c] != 0:
                mark_holes(offsets, c, state[SCANNED], mem, bitmaps, marks, state[IMAGES], size, len(plan))
                holes[c] = 0
            ao = fill(data, plan, tables, mem, slots, bitmaps, marks, size, aux, offsets, limbs, state)
            if ao == ELSEWHERE:
                return RARE
            outcome = settled(ao, state)
            if outcome != MORE:
                return outcome
        state[IMAGES] += state[SCANNED]
        state[SCANNED] = 0
        if status == DONE or state[AUX] > most:
            return status


@merged
def fill(
    data: Any,
    plan: Any,
    tables: Any,
    mem: Any,
    slots: Any,
    bitmaps: Any,
    marks: Any,
    size: Int,
    aux: Any,
    offsets: Any,
    limbs: Any,
    state: Any,
) -> Int:
    """Reads one column of the chunk; the new end of `aux`, -1 if too small, -2 - j for a bad value j.

    `ELSEWHERE` for a route that `run_rare` knows.
    """
    c = state[COLUMN]
    p = plan[c]
    route = p[ROUTE]
    k = state[SCANNED]
    first = state[IMAGES]
    ao = state[AUX]
    width, a, b = p[WIDTH], p[A], p[B]
    prefix = -width
    slot = slots[p[SLOT]]
    wide = slot + 16 * first
    narrow = slot + 8 * first
    if route == _INTEGER:
        integers(data, offsets, c, k, mem, narrow, width, a != 0)
    elif route == _VIEW:
        views(data, offsets, c, k, mem, wide, prefix)
    elif route == _UNSCALED_DECIMAL:
        return unscaled_decimals(data, offsets, c, k, mem, wide, a, b, aux, ao, limbs)
    elif route == _MOMENT_NUMBER:
        moment_numbers(
            data,
            offsets,
            c,
            k,
            mem,
            narrow,
            a,
            b,
            p[C],
            p[D] != 0,
            p[ZERO],
            p[ZERO_VALUE],
            bitmaps[c],
            marks,
            first,
            size,
            state,
        )
    elif route == _MOMENT_TEXT:
        return moment_texts(
            data,
            offsets,
            c,
            k,
            mem,
            wide,
            a,
            b,
            p[C],
            p[D] != 0,
            p[ZERO],
            tables,
            p[ZERO_VALUE],
            bitmaps[c],
            marks,
            first,
            size,
            aux,
            ao,
            state,
        )
    elif route == _TABLE_TEXT:
        return table_texts(data, offsets, c, k, mem, wide, prefix, tables, a, b != 0, aux, ao, state)
    elif route == _ENUM:
        return enums(data, offsets, c, k, mem, wide, width, tables, a, b, ao)
    elif route == _SINGLE:
        singles(data, offsets, c, k, mem, slot + 4 * first)
    elif route == _WIDENED:
        widened(data, offsets, c, k, mem, narrow)
    elif route == _YEAR:
        years(data, offsets, c, k, mem, narrow)
    elif route != _SKIP:
        return ELSEWHERE
    return ao
