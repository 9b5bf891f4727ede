# mypy: disable-error-code="no-any-return"
"""Columns of log sequence numbers: their bytes, their texts, and runs of equal ones.

A column of n is an array of bytes, shape (n, size), without a copy of what the driver returned; all LSNs of a database
have one size.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.changes.views import views_of
from tailrace.connectors.change_tables.lsn import COLONS, Lsn
from tailrace.errors import LogFormatError
from tailrace.kernels import argument_types as arg
from tailrace.kernels.addresses import address_of
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load64

_DIGITS: Final = np.frombuffer(b"0123456789abcdef", np.uint8)

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


def raw_of(array: pa.Array, what: str, size: int) -> Bytes:
    """The bytes of an Arrow column of binary values of one size, shape (n, size); large binary values are not copied.

    Raises:
        LogFormatError: a value is NULL or has another length; `what` is the column's name.

    """
    if not len(array):
        return np.empty((0, size), np.uint8)
    array = array.cast(pa.large_binary())  # drivers also return other binary types, with other offsets
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    if array.null_count or (np.diff(offsets) != size).any():
        raise LogFormatError(f"{what} is NULL or no LSN in a row of a change table")
    data = np.frombuffer(array.buffers()[2], np.uint8)
    return data[int(offsets[0]) : int(offsets[-1])].reshape(-1, size)


def lsn_at(raw: Bytes, index: int) -> Lsn:
    """The LSN at an index."""
    return Lsn(raw[index].tobytes())


def texts(raw: Bytes) -> Vector:
    """The texts, such as `00000025:00000d98:00a2`, as a vector."""
    n, size = raw.shape
    length = 2 * size + len(COLONS)
    data = np.empty(n * length, np.uint8)
    _write_texts(np.ascontiguousarray(raw), _DIGITS, data)
    starts = np.arange(n, dtype=np.int64) * length
    return Vector(Kind.TEXT, n, views_of(data, starts, np.full(n, length, np.int64)), None, (data,))


def runs_of(raw: Bytes) -> tuple[Int32, npt.NDArray[np.intp]]:
    """The number of each LSN's run of equal ones, from 0, and where each run begins."""
    n, size = raw.shape
    run = np.empty(n, np.int32)
    raw = np.ascontiguousarray(raw)
    count = _number_runs(address_of(raw), size, run)
    begins = np.flatnonzero(np.diff(run, prepend=-1)) if n else np.empty(0, np.intp)
    assert count == len(begins)  # noqa: S101
    return run, begins


def serials(commit: Bytes, change: Bytes, before: tuple[Lsn, Lsn, int] | None) -> Int64:
    """The number of each row in its run of equal commit and change LSNs, from 1 (`event_serial_no`).

    `before` are the LSNs and the number of the row before the first one, so that numbering continues over batches.
    """
    out = np.empty(len(commit), np.int64)
    commit, change = np.ascontiguousarray(commit), np.ascontiguousarray(change)
    goes_on = 0
    if before is not None and len(commit) and (lsn_at(commit, 0), lsn_at(change, 0)) == before[:2]:
        goes_on = before[2]
    _count_serials(address_of(commit), address_of(change), commit.shape[1], goes_on, out)
    return out


def places_in(wanted: Bytes, known: Bytes) -> Int64:
    """The index of each of `wanted` in `known`, -1 if it is not there; both ascend."""
    out = np.empty(len(wanted), np.int64)
    _match(np.ascontiguousarray(wanted), np.ascontiguousarray(known), out)
    return out


def as_integers(raw: Bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The first eight bytes and the rest, as numbers that sort like the LSNs."""
    high = np.ascontiguousarray(raw[:, :8]).view(">u8").ravel().astype(np.uint64)
    rest = np.zeros((len(raw), 8), np.uint8)
    rest[:, : raw.shape[1] - 8] = raw[:, 8:]
    return high, rest.view(">u8").ravel().astype(np.uint64)


@entry(arg.READ_BYTE_TABLE, arg.READ_BYTES, arg.BYTES)
def _write_texts(raw: Any, digits: Any, out: Any) -> None:
    o = 0
    for i in range(len(raw)):
        for k in range(raw.shape[1]):
            if k == 4 or k == 8:  # noqa: PLR1714 -- compiled
                out[o] = 58
                o += 1
            byte = raw[i, k]
            out[o] = digits[byte >> 4]
            out[o + 1] = digits[byte & 15]
            o += 2


@inlined
def _are_same(one: Int, other: Int, rest: Int) -> bool:
    """Whether the LSNs at two addresses are equal.

    Two loads suffice for 9 to 16 bytes: the first eight and the last eight, which may overlap.
    """
    return load64(one + rest) == load64(other + rest) and load64(one) == load64(other)


@entry(arg.INT, arg.INT, arg.INT32S)
def _number_runs(at: Int, size: Int, run: Any) -> int:
    count = 0
    for i in range(len(run)):
        place = at + i * size
        if i == 0 or not _are_same(place, place - size, size - 8):
            count += 1
        run[i] = count - 1
    return count


@entry(arg.INT, arg.INT, arg.INT, arg.INT, arg.INTS)
def _count_serials(commit: Int, change: Int, size: Int, goes_on: Int, out: Any) -> None:
    rest = size - 8
    for i in range(len(out)):
        at, of = change + i * size, commit + i * size
        if i == 0:
            out[i] = goes_on + 1
        elif _are_same(at, at - size, rest) and _are_same(of, of - size, rest):
            out[i] = out[i - 1] + 1
        else:
            out[i] = 1


@entry(arg.READ_BYTE_TABLE, arg.READ_BYTE_TABLE, arg.INTS)
def _match(wanted: Any, known: Any, out: Any) -> None:
    j = 0
    m = len(known)
    for i in range(len(wanted)):
        out[i] = -1
        while j < m:
            order = 0
            for k in range(wanted.shape[1]):
                if wanted[i, k] != known[j, k]:
                    order = 1 if wanted[i, k] > known[j, k] else -1
                    break
            if order == 1:
                j += 1
                continue
            if order == 0:
                out[i] = j
            break


def running_largest(
    group: Int64, high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The running maximum of (high, low) within each group; the rows of a group are adjacent."""
    high, low = high.copy(), low.copy()
    _run_largest(group, high, low)
    return high, low


@entry(arg.READ_INTS, arg.UINTS, arg.UINTS)
def _run_largest(group: Any, high: Any, low: Any) -> None:
    for i in range(1, len(group)):
        if group[i] != group[i - 1]:
            continue
        if high[i] < high[i - 1] or (high[i] == high[i - 1] and low[i] < low[i - 1]):
            high[i] = high[i - 1]
            low[i] = low[i - 1]
