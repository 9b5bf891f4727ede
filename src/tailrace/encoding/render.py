"""Templates over columns: how text is made from vectors, many rows at a time.

A `Template` is a short program: constant pieces and the values between them. It is written once for a structure
version and then run over every batch by one compiled loop, which writes all rows one after the other into one
buffer. JSON keys and values, the lines of the files sink and the text of positions are all made this way, whatever
the database and whatever the sink.

A value is found by a vector's slot and a *role*: a role maps the row that is being written to the row of the vector
(an envelope's `before` and `after` are two roles over the same images). A role of -1 means that there is no such
row. The compiled loop reads vectors by the addresses of their Arrow buffers, so a column that came out of polars and
one that came straight out of the log are the same to it.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from contextlib import contextmanager
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Bytes, Kind, Vector, from_arrow
from tailrace.encoding import render_kernel

NULL = b"null"
Roles = npt.NDArray[np.int32]


class Op(enum.IntEnum):
    """What a step of a template writes."""

    CONST = render_kernel.CONST
    INT = render_kernel.INT
    BOOL = render_kernel.BOOL
    TEXT = render_kernel.TEXT  # a JSON string
    RAW = render_kernel.RAW  # bytes as they are: text that is JSON already
    BASE64 = render_kernel.BASE64  # a JSON string
    PADDED = render_kernel.PADDED  # a decimal number with leading zeros
    BLOCK = render_kernel.BLOCK  # everything up to its end, or null


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
    """A program under construction; `slot` numbers are the positions of the vectors handed to `render`."""

    def __init__(self) -> None:
        self._steps: list[list[int]] = []
        self._text = bytearray()

    def const(self, text: bytes) -> None:
        """Write `text`; neighbouring constants become one."""
        if not text:
            return
        last = self._steps[-1] if self._steps else None
        if last is not None and last[0] == Op.CONST and last[1] + last[2] == len(self._text) and not self._is_target():
            self._text += text
            last[2] += len(text)
            return
        self._steps.append([Op.CONST, *self._keep(text), 0, 0])

    def value(self, op: Op, slot: int, role: int, null: bytes = NULL) -> None:
        """Write the value of a vector, or `null` where it has none."""
        offset, length = self._keep(null)
        self._steps.append([op, slot, role, offset, length])

    def padded(self, slot: int, role: int, width: int) -> None:
        """Write an integer of a vector with leading zeros, at least `width` digits."""
        self._steps.append([Op.PADDED, slot, role, width, 0])

    @contextmanager
    def block(self, role: int, slot: int = -1) -> Iterator[None]:
        """What is written inside becomes `null` where the role has no row, or the vector of the slot no value."""
        step = [int(Op.BLOCK), slot, role, 0, 0]
        self._steps.append(step)
        yield
        step[3] = len(self._steps)
        self._target = len(self._steps)

    def program(self) -> Program:
        """The finished program."""
        steps = np.array(self._steps, np.int64).reshape(-1, 5)
        return Program(steps, np.frombuffer(bytes(self._text) or b" ", np.uint8))

    def _is_target(self) -> bool:
        return getattr(self, "_target", -1) == len(self._steps)

    def _keep(self, text: bytes) -> tuple[int, int]:
        offset = len(self._text)
        if text == NULL:
            offset = self._text.find(NULL)
            if offset >= 0:
                return offset, len(NULL)
            offset = len(self._text)
        self._text += text
        return offset, len(text)


class Program:
    """A finished template; `render` runs it."""

    def __init__(self, steps: npt.NDArray[np.int64], text: Bytes) -> None:
        self._steps = steps
        self._text = text
        self._bytes_a_row = 64 + int(steps[steps[:, 0] == Op.CONST, 2].sum())

    def render(self, vectors: Sequence[Vector], roles: Roles, live: npt.NDArray[np.bool_] | None = None) -> Binary:
        """One byte string a row.

        Args:
            vectors: what the slots stand for (`leaves` of the columns).
            roles: shape (number of roles, n); row numbers of the vectors, or -1.
            live: rows to write; the others become null. None: all.

        """
        n = roles.shape[1]
        table, kept = address_table(vectors)
        offsets = np.zeros(n + 1, np.int64)
        mask = np.ones(n, np.uint8) if live is None else live.view(np.uint8)
        guess = n * (self._bytes_a_row + 12 * len(vectors)) + 4096
        out = render_kernel.take_buffer(guess)
        done = 0
        while True:
            done = render_kernel.render(self._steps, self._text, table, roles, mask, done, out, offsets)
            if done == n:
                break
            out = render_kernel.grow_buffer(out, int(offsets[done]), n, done)
        del kept
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
    """Numbers with a fraction as JSON text, shortest form that reads back the same; polars does it."""
    series = pl.Series(vector.to_arrow())
    if vector.kind is Kind.LIST:
        text = "[" + series.list.eval(pl.element().cast(pl.String)).list.join(",") + "]"
    else:
        text = series.cast(pl.String)
        text = text.replace(["NaN", "inf", "-inf"], ['"NaN"', '"Infinity"', '"-Infinity"'])
    return from_arrow(text.to_arrow(compat_level=pl.CompatLevel.newest()).cast(pa.string_view()))


def address_table(vectors: Sequence[Vector]) -> tuple[npt.NDArray[np.int64], list[object]]:
    """Addresses of data, bitmap and buffers of each vector, and what must stay alive while they are used."""
    table = np.zeros((max(len(vectors), 1), 3), np.int64)
    kept: list[object] = []
    for slot, vector in enumerate(vectors):
        data = vector.data
        if not data.flags.c_contiguous:
            data = np.ascontiguousarray(data)
            kept.append(data)
        table[slot, 0] = data.ctypes.data
        if vector.valid is not None:
            table[slot, 1] = vector.valid.ctypes.data
        if vector.buffers:
            addresses = np.array([buffer.ctypes.data for buffer in vector.buffers], np.int64)
            kept.append(addresses)
            table[slot, 2] = addresses.ctypes.data
    return table, kept
