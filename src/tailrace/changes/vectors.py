"""One column of values, in Arrow's memory layout.

Decoders fill a `Vector`, column policies replace it, encoders read it. It is smaller than an Arrow array (no type object,
no Python object for each buffer), because small tables have many short columns. It becomes an Arrow array, and thus a polars
series, without a copy.

Text and bytes are *views* (Arrow's `string_view` and `binary_view`): 16 bytes a value, as four `uint32`. Word 0 is the length.
A value of up to 12 bytes is in words 1 to 3; a longer one has its first four bytes in word 1, the index of its buffer in
word 2 and the offset in that buffer in word 3. Buffer 0 may be the block of the log itself, so that a string is not copied
between the socket and the encoder.

Source of the layout: the Arrow columnar format, "Variable-size Binary View Layout".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bytes = npt.NDArray[np.uint8]


class Kind(enum.IntEnum):
    """The kind of a vector's values, which determines the layout of `data`."""

    INT = 0  # int64[n]
    BOOL = 1  # int64[n], 0 or 1
    FLOAT32 = 2  # float32[n]
    FLOAT64 = 3  # float64[n]
    TEXT = 4  # uint32[n, 4]: views of UTF-8
    BYTES = 5  # uint32[n, 4]: views
    STRUCT = 6  # no data; one child a field, each of n values
    LIST = 7  # int64[n + 1]: offsets into the one child


_ARROW: Final = {
    Kind.INT: pa.int64(),
    Kind.FLOAT32: pa.float32(),
    Kind.FLOAT64: pa.float64(),
    Kind.TEXT: pa.string_view(),
    Kind.BYTES: pa.binary_view(),
}


@dataclass(slots=True)
class Vector:
    """`length` values of one kind; `valid` is a bitmap (lowest bit first), None if no value is null."""

    kind: Kind
    length: int
    data: npt.NDArray[Any]
    valid: Bytes | None = None
    buffers: tuple[Bytes, ...] = ()
    children: tuple[Vector, ...] = field(default=())
    names: tuple[str, ...] = field(default=())

    def to_arrow(self) -> pa.Array:
        """The values as an Arrow array, without a copy except for booleans."""
        valid = None if self.valid is None else pa.py_buffer(self.valid)
        if self.kind is Kind.STRUCT:
            arrays = [child.to_arrow() for child in self.children]
            fields = [pa.field(name, array.type) for name, array in zip(self.names, arrays, strict=True)]
            return pa.StructArray.from_buffers(pa.struct(fields), self.length, [valid], children=arrays)
        if self.kind is Kind.LIST:
            child = self.children[0].to_arrow()
            return pa.LargeListArray.from_buffers(
                pa.large_list(child.type), self.length, [valid, pa.py_buffer(self.data)], children=[child]
            )
        if self.kind is Kind.BOOL:
            return Vector(Kind.INT, self.length, self.data, self.valid).to_arrow().cast(pa.bool_())
        buffers = [valid, pa.py_buffer(np.ascontiguousarray(self.data)), *map(pa.py_buffer, self.buffers)]
        return pa.Array.from_buffers(_ARROW[self.kind], self.length, buffers)

    def is_valid(self) -> npt.NDArray[np.bool_]:
        """True for each value that is not null, shape (length,)."""
        if self.valid is None:
            return np.ones(self.length, np.bool_)
        return np.unpackbits(self.valid, count=self.length, bitorder="little").view(np.bool_)


def integers(values: npt.NDArray[np.integer[Any]]) -> Vector:
    """Numbers as a vector, without a copy if they are contiguous int64."""
    data = np.ascontiguousarray(values, np.int64)
    return Vector(Kind.INT, len(data), data)


def from_arrow(array: pa.Array | pa.ChunkedArray) -> Vector:
    """An Arrow array as a vector, without a copy if the layout is the vector's.

    Raises:
        TypeError: there is no kind for the array's type.

    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = _kind_of(array.type)
    n = len(array)
    if kind is Kind.STRUCT:
        children = tuple(from_arrow(array.field(i)) for i in range(array.type.num_fields))
        return Vector(kind, n, np.empty(0, np.int64), _bitmap(array), (), children, tuple(f.name for f in array.type))
    if kind is Kind.LIST:
        array = array.cast(pa.large_list(array.type.value_type))
        offsets = np.asarray(array.offsets, np.int64)
        return Vector(kind, n, offsets, _bitmap(array), (), (from_arrow(array.values),))
    plain = array.cast(pa.int64() if kind is Kind.BOOL else _ARROW[kind])
    buffers, values = plain.buffers(), slice(plain.offset, plain.offset + n)
    if kind in (Kind.TEXT, Kind.BYTES):
        data = np.frombuffer(buffers[1], np.uint32).reshape(-1, 4)[values] if n else np.empty((0, 4), np.uint32)
        return Vector(kind, n, data, _bitmap(plain), tuple(np.frombuffer(b, np.uint8) for b in buffers[2:]))
    dtype = {Kind.FLOAT32: np.float32, Kind.FLOAT64: np.float64}.get(kind, np.int64)
    data = np.frombuffer(buffers[1], dtype)[values] if n else np.empty(0, dtype)
    return Vector(kind, n, data, _bitmap(plain))


def _kind_of(type_: pa.DataType) -> Kind:
    if pa.types.is_boolean(type_):
        return Kind.BOOL
    if pa.types.is_integer(type_):
        return Kind.INT
    if pa.types.is_float32(type_):
        return Kind.FLOAT32
    if pa.types.is_float64(type_):
        return Kind.FLOAT64
    if pa.types.is_string(type_) or pa.types.is_large_string(type_) or type_ == pa.string_view():
        return Kind.TEXT
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or type_ == pa.binary_view():
        return Kind.BYTES
    if pa.types.is_struct(type_):
        return Kind.STRUCT
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return Kind.LIST
    raise TypeError(f"no vector holds values of the Arrow type {type_}")


def _bitmap(array: pa.Array) -> Bytes | None:
    if array.null_count == 0:
        return None
    return np.packbits(np.asarray(array.is_valid()), bitorder="little")
