# ruff: noqa: ARG001 -- compiled loops take what they need by position, and all entries the same
# mypy: disable-error-code="no-any-return, assignment"
"""The columns of rarer types: what `columns.run` leaves to others.

Each is a compiled function of its own, so that a process whose tables have no such column never compiles it: the first
start of a new installation would wait for that, for JSON as long as for all the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba as nb

from tailrace.connectors.mysql.rows.columns import (
    EXTRA,
    ROUTE,
    SLOT,
    WIDTH,
    ZERO,
    ZERO_VALUE,
    A,
    B,
    Route,
    placed,
    planned,
    scratched,
    settled,
)
from tailrace.connectors.mysql.rows.decimals import decimal_doubles, decimal_texts
from tailrace.connectors.mysql.rows.geometry import geometries
from tailrace.connectors.mysql.rows.json_text import jsons
from tailrace.connectors.mysql.rows.labels import sets
from tailrace.connectors.mysql.rows.numbers import bit_bytes, bits, integer_texts, unscaled_integers
from tailrace.connectors.mysql.rows.scan import AUX, COLUMN, IMAGES, SCANNED
from tailrace.connectors.mysql.rows.strings import codec_texts, encoded_texts, padded_views, wide_texts
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import pointer_to
from tailrace.kernels.compiling import Int, entry_with_runtime, merged

# The compiled code knows them as plain numbers.
_SET: Final = int(Route.SET)
_BITS: Final = int(Route.BITS)
_BIT_BYTES: Final = int(Route.BIT_BYTES)
_UNSCALED_INTEGER: Final = int(Route.UNSCALED_INTEGER)
_INTEGER_TEXT: Final = int(Route.INTEGER_TEXT)
_DECIMAL_TEXT: Final = int(Route.DECIMAL_TEXT)
_DECIMAL_DOUBLE: Final = int(Route.DECIMAL_DOUBLE)
_PADDED_VIEW: Final = int(Route.PADDED_VIEW)
_WIDE_TEXT: Final = int(Route.WIDE_TEXT)
_CODEC_TEXT: Final = int(Route.CODEC_TEXT)
_ENCODED: Final = int(Route.ENCODED)
_GEOMETRY: Final = int(Route.GEOMETRY)


@entry_with_runtime(
    arg.INT, arg.INT, arg.INTS, arg.INTS, arg.INTS, arg.INTS, arg.INT, arg.BYTES, arg.BYTES, arg.INTS, arg.INT,
    arg.INT, arg.INT, arg.BYTES, arg.INT, arg.BYTES, arg.INTS
)
def run_rare(
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
    """Reads one column of a rarer type; the arguments are those of `columns.run`."""
    data = nb.carray(pointer_to(address), (length,))
    plan, _widths, _diffs = planned(layout, count)
    bitmaps, slots, marks = placed(places, first_slot, state)
    _stack, limbs, _holes, offsets = scratched(scratch, count)
    ao = fill_rare(data, plan, tables, mem, slots, bitmaps, marks, size, aux, offsets, limbs, state)
    return settled(ao, state)


@entry_with_runtime(
    arg.INT, arg.INT, arg.INTS, arg.INTS, arg.INTS, arg.INTS, arg.INT, arg.BYTES, arg.BYTES, arg.INTS, arg.INT,
    arg.INT, arg.INT, arg.BYTES, arg.INT, arg.BYTES, arg.INTS
)
def run_json(
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
    """Reads one column of JSON; the arguments are those of `columns.run`."""
    data = nb.carray(pointer_to(address), (length,))
    plan, _widths, _diffs = planned(layout, count)
    bitmaps, slots, marks = placed(places, first_slot, state)
    stack, limbs, _holes, offsets = scratched(scratch, count)
    c = state[COLUMN]
    p = plan[c]
    k = state[SCANNED]
    first = state[IMAGES]
    ao = state[AUX]
    wide = slots[p[SLOT]] + 16 * first
    extra = p[EXTRA]
    ao = jsons(
        data,
        offsets,
        c,
        k,
        mem,
        wide,
        -p[WIDTH],
        p[ZERO],
        tables,
        p[ZERO_VALUE],
        bitmaps[c],
        marks,
        bitmaps[extra],
        extra,
        first,
        size,
        aux,
        ao,
        stack,
        limbs,
        state,
    )
    return settled(ao, state)


RUN_OF_ROUTE: Final[dict[int, Callable[..., int]]] = {Route.JSON: run_json}
"""What reads a column of a route that `columns.run` leaves to others; `run_rare`, where it is not in here."""


@merged
def fill_rare(
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
    """Reads one column of the chunk, as `columns.fill` does."""
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
    extra = p[EXTRA]
    if route == _SET:
        return sets(data, offsets, c, k, mem, wide, width, tables, a, b, aux, ao, state)
    if route == _BITS:
        bits(data, offsets, c, k, mem, narrow, width)
    if route == _BIT_BYTES:
        bit_bytes(data, offsets, c, k, mem, wide, width)
    elif route == _UNSCALED_INTEGER:
        unscaled_integers(data, offsets, c, k, mem, wide, width, a != 0)
    elif route == _INTEGER_TEXT:
        return integer_texts(data, offsets, c, k, mem, wide, width, a != 0, aux, ao)
    elif route == _DECIMAL_TEXT:
        return decimal_texts(data, offsets, c, k, mem, wide, a, b, aux, ao)
    elif route == _DECIMAL_DOUBLE:
        decimal_doubles(
            data, offsets, c, k, mem, narrow, a, b, bitmaps[extra], marks, extra, first, size, limbs
        )
    elif route == _PADDED_VIEW:
        return padded_views(data, offsets, c, k, mem, wide, prefix, a, aux, ao, state)
    elif route == _WIDE_TEXT:
        return wide_texts(data, offsets, c, k, mem, wide, prefix, a, aux, ao, state)
    elif route == _CODEC_TEXT:
        codec_texts(data, offsets, c, k, mem, wide, prefix, bitmaps[extra], marks, extra, first, size)
    elif route == _ENCODED:
        return encoded_texts(data, offsets, c, k, mem, wide, prefix, a, b, aux, ao, state)
    elif route == _GEOMETRY:
        return geometries(
            data,
            offsets,
            c,
            k,
            mem,
            slots,
            p[SLOT],
            prefix,
            a != 0,
            bitmaps[extra],
            marks,
            extra,
            first,
            size,
            ao,
        )
    return ao
