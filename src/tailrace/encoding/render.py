"""Templates: rendering text from vectors, many rows at a time.

A `Template` is a short program of constants and the values between them. It is built once for a layout and then run over
every batch by one compiled loop, which writes all rows one after another into one buffer. JSON keys and values, the lines of
the files sink and the text of positions are all made this way, for every database and every sink.

A value is found by its vector's slot and a *role*. A role maps each written row to a row of the vector; an envelope's `before`
and `after` are two roles over the same images. -1 means that there is no such row. The compiled loop reads vectors by
the addresses of their Arrow buffers, so columns from polars and columns decoded from the log look the same to it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.address_table import address_table
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.encoding import render_kernel
from tailrace.encoding.buffers import grow_buffer, keep_buffer, take_buffer
from tailrace.kernels.addresses import address_of

NULL = b"null"
Roles = npt.NDArray[np.int32]


class Op(enum.IntEnum):
    """The kinds of values that a step of a template writes."""

    INT = render_kernel.INT
    BOOL = render_kernel.BOOL
    TEXT = render_kernel.TEXT  # a JSON string
    RAW = render_kernel.RAW  # bytes unchanged: text that is JSON already
    BASE64 = render_kernel.BASE64  # a JSON string


_OP_OF_KIND = {
    Kind.INT: Op.INT,
    Kind.BOOL: Op.BOOL,
    Kind.FLOAT32: Op.RAW,
    Kind.FLOAT64: Op.RAW,
    Kind.TEXT: Op.TEXT,
    Kind.BYTES: Op.BASE64,
    Kind.LIST: Op.RAW,
}


class Template:
    """A program under construction. A `slot` is an index into the vectors that are passed to `render`."""

    def __init__(self) -> None:
        self._steps: list[list[int]] = []
        self._text = bytearray()
        self._pending = b""

    def const(self, text: bytes) -> None:
        """Write `text`."""
        self._pending += text

    def value(self, op: Op, slot: int, role: int, null: bytes = NULL) -> None:
        """Write the value of a vector; where it is null, or the role has no row, the text `null`."""
        self._step(op, slot, role, *self._keep(null))

    def padded(self, slot: int, role: int, width: int) -> None:
        """Write an integer of a vector with leading zeros, at least `width` digits."""
        self._step(render_kernel.PADDED, slot, role, width)

    @contextmanager
    def block(self, role: int, slot: int = -1) -> Iterator[None]:
        """A context whose text becomes `null` where the role has no row, or the vector of the slot has no value."""
        step = self._step(render_kernel.BLOCK, slot, role)
        yield
        self._end_constant()
        step[render_kernel.A] = len(self._steps)

    def program(self, lasting: Sequence[int] = ()) -> Program:
        """The finished program.

        Args:
            lasting: roles whose row often stays the same for many records, the one that changes most often first. While
                a role's row stays the same, so do those of the roles after it. Text that depends only on them is written
                once and then copied.

        """
        steps, text, repeats = self._finished(lasting)
        return Program(np.array(steps, np.int64).reshape(-1, render_kernel.FIELDS), text, repeats)

    def _finished(self, lasting: Sequence[int]) -> tuple[list[list[int]], bytes, int]:
        """The steps, the constants, and how many parts are repeated."""
        self._end_constant()
        steps, repeats = _with_repeats(self._steps, lasting)
        text = bytes(self._text) + bytes(render_kernel.SPARE)  # the loop copies constants 16 bytes at a time, past their end
        return steps, text, repeats

    def _step(self, op: int, slot: int, role: int, a: int = 0, b: int = 0) -> list[int]:
        step = [int(op), *self._keep(self._pending), slot, role, a, b]
        self._pending = b""
        self._steps.append(step)
        return step

    def _end_constant(self) -> None:
        if self._pending:
            self._step(render_kernel.NOTHING, 0, 0)

    def _keep(self, text: bytes) -> tuple[int, int]:
        offset = self._text.find(text) if len(text) <= _SHARED else -1
        if offset < 0:
            offset = len(self._text)
            self._text += text
        return offset, len(text)


_SHARED = len(NULL)  # constants up to this length are shared; searching for longer ones is not worth the time


def _with_repeats(steps: list[list[int]], lasting: Sequence[int]) -> tuple[list[list[int]], int]:
    """The steps with REPEAT and REPEATED around each part that is worth copying, and the number of such parts."""
    rank = {role: k for k, role in enumerate(lasting)}
    ends = {step[render_kernel.A] for step in steps if step[render_kernel.OP] == render_kernel.BLOCK}
    made: list[list[int]] = []
    moved: list[int] = []  # the new index of each step: blocks store the index at which they end
    repeats = k = 0
    while k < len(steps):
        part = _lasting_part(steps, k, rank, ends)
        marked = len(part) > 1
        if marked:
            # the role that changes most often: while its row stays the same, the whole part does
            role = min((step[render_kernel.ROLE] for step in part), key=lambda r: rank[r])
            end = len(made) + len(part) + 2
            moved.append(len(made))
            made.append([render_kernel.REPEAT, 0, 0, repeats, role, end, 0])
            moved += range(len(made) + 1, len(made) + len(part))
            made += [*part, [render_kernel.REPEATED, 0, 0, repeats, 0, 0, 0]]
            repeats += 1
        else:
            part = [steps[k]]
            moved.append(len(made))
            made += part
        k += len(part)
    moved.append(len(made))
    for step in made:
        if step[render_kernel.OP] == render_kernel.BLOCK:
            step[render_kernel.A] = moved[step[render_kernel.A]]
    return made, repeats


def _lasting_part(steps: list[list[int]], first: int, rank: dict[int, int], ends: set[int]) -> list[list[int]]:
    """The steps from `first` on that write values of lasting roles, up to the begin or end of a block."""
    last = first
    while last < len(steps) and steps[last][render_kernel.ROLE] in rank and (last == first or last not in ends):
        if steps[last][render_kernel.OP] in {render_kernel.BLOCK, render_kernel.NOTHING}:
            break
        last += 1
    return steps[first:last]


class Program:
    """A finished template; `render` runs it."""

    def __init__(self, steps: npt.NDArray[np.int64], text: bytes, repeats: int) -> None:
        self._steps = steps
        self._text = np.frombuffer(text, np.uint8)
        self._text_address = address_of(self._text)
        self._repeats = max(repeats, 1)
        self._bytes_a_row = 64 + int(steps[:, render_kernel.LENGTH].sum())

    def render(self, vectors: Sequence[Vector], roles: Roles, live: npt.NDArray[np.bool_] | None = None) -> Binary:
        """One byte string for each row.

        Args:
            vectors: by slot (`leaves` of the columns).
            roles: shape (number of roles, n); rows of the vectors, or -1.
            live: rows to write, shape (n,); the others become null. None: all.

        """
        n = roles.shape[1]
        table, kept = address_table(vectors)
        offsets = np.zeros(n + 1, np.int64)
        mask = np.ones(n, np.uint8) if live is None else live.view(np.uint8)
        repeats = np.empty((self._repeats, render_kernel.REPEAT_FIELDS), np.int64)
        out = take_buffer(n * (self._bytes_a_row + 12 * len(vectors)) + 4096)  # a guess: it grows where it is too small
        done = 0
        while True:
            done = render_kernel.render(
                self._steps, self._text_address, table, roles, mask, done, address_of(out), len(out), offsets, repeats
            )
            if done == n:
                break
            out = grow_buffer(out, int(offsets[done]), n, done)
        del kept  # the table has addresses in it: until here its vectors must stay alive
        keep_buffer(int(offsets[n]))
        return Binary(out[: offsets[n]], offsets, live)


def leaves(vector: Vector) -> list[Vector]:
    """The vectors that `steps_for` needs for this one, in the order of their slots."""
    if vector.kind is Kind.STRUCT:
        return [vector, *(leaf for child in vector.children for leaf in leaves(child))]
    if vector.kind in (Kind.FLOAT32, Kind.FLOAT64, Kind.LIST):
        return [_number_text(vector)]
    return [vector]


def op_for(kind: Kind) -> Op:
    """The step that writes values of this kind as JSON."""
    return _OP_OF_KIND[kind]


def _number_text(vector: Vector) -> Vector:
    """Floating-point numbers as JSON text, in the shortest form that reads back equal; polars renders them."""
    import polars as pl  # imported here because of its memory: few tables have such columns

    series = pl.Series(vector.to_arrow())
    if vector.kind is Kind.LIST:
        text = "[" + series.list.eval(pl.element().cast(pl.String)).list.join(",") + "]"
    else:
        text = series.cast(pl.String)
        if not np.isfinite(vector.data).all():
            text = text.replace(["NaN", "inf", "-inf"], ['"NaN"', '"Infinity"', '"-Infinity"'])
    return from_arrow(text.to_arrow(compat_level=pl.CompatLevel.newest()).cast(pa.string_view()))
