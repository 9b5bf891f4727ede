"""Records: encoded keys and values of one topic, ready for a sink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes

INT64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class Binary:
    """`n` byte strings: string i is `data[offsets[i]:offsets[i + 1]]`; `valid` is None if none is null."""

    data: Bytes
    offsets: INT64
    valid: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> bytes | None:
        if self.valid is not None and not self.valid[i]:
            return None
        return self.data[self.offsets[i] : self.offsets[i + 1]].tobytes()

    @property
    def size(self) -> int:
        """How long all strings are together."""
        return int(self.offsets[-1] - self.offsets[0])

    def to_arrow(self, type_: pa.DataType | None = None) -> pa.Array:
        """The same strings as `large_binary`, or as `type_` of that layout (`large_string`), without a copy."""
        valid = None
        if self.valid is not None:
            valid = pa.py_buffer(np.packbits(self.valid, bitorder="little"))
        buffers = [valid, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(type_ or pa.large_binary(), len(self), buffers)


def binary_of(texts: Sequence[bytes]) -> Binary:
    """A column of a few byte strings."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)


def nulls(n: int) -> Binary:
    """A column of n nulls."""
    return Binary(np.empty(0, np.uint8), np.zeros(n + 1, np.int64), np.zeros(n, np.bool_))


@dataclass(slots=True)
class Header:
    """One header; its value is null for records without it.

    Attributes:
        name: of the header.
        values: of each record.
        nulls: which records have the header with a null value, shape (n,); None: none, a null is of a record without it.

    """

    name: str
    values: Binary
    nulls: npt.NDArray[np.bool_] | None = None


@dataclass(slots=True)
class Records:
    """`n` records of one topic, in log order.

    Attributes:
        topic: of the records.
        keys: encoded keys; null for a table without a key.
        values: encoded values; null for a tombstone.
        timestamps: milliseconds since the epoch, shape (n,).
        positions: texts that sort in log order.
        log_order: rank among all records of the batch, for sinks that interleave topics; shape (n,).
        headers: each with n values.
        partition: of the topic, for records whose partition does not follow from their key; else None.

    """

    topic: str
    keys: Binary
    values: Binary
    timestamps: INT64
    positions: Binary
    log_order: INT64
    headers: tuple[Header, ...] = field(default=())
    partition: int | None = None

    def __len__(self) -> int:
        return len(self.keys)
