"""Columns of texts and bytes, which have varying lengths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tailrace_standins.sqlserver.tds import kernels
from tailrace_standins.sqlserver.tds.collations import collation
from tailrace_standins.sqlserver.tds.columns import Column, validity
from tailrace_standins.sqlserver.tds.kernels import Bytes, Places
from tailrace_standins.sqlserver.tds.types import Framing, framing
from tailrace_standins.sqlserver.values import SqlType

_FRAMES: Final = {
    Framing.SHORT: kernels.SHORT,
    Framing.CHUNKS: kernels.CHUNKS,
    Framing.POINTER: kernels.POINTER,
}
_UTF16: Final = frozenset({"nchar", "nvarchar", "ntext", "xml", "sysname"})
_CODE_PAGES: Final = frozenset({"char", "varchar", "text"})
_SINGLE: Final = frozenset({"cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256"})
_QUESTION_MARK: Final = 63


def varying_column(type_: SqlType, array: Any) -> Column:
    """A column of texts or bytes; raises Arrow's errors if it can't be converted."""
    if type_.name == "sql_variant":
        raise pa.ArrowNotImplementedError("it has no form in Arrow")
    frame = _FRAMES[framing(type_)]
    if type_.name in _UTF16:
        return Utf16Column(array, frame)
    if type_.name not in _CODE_PAGES:
        return BytesColumn(array, frame)
    encoding = collation(type_.collation).encoding
    if encoding == "utf-8":
        return BytesColumn(array.cast(pa.large_string()), frame)
    if encoding in _SINGLE:
        return CodePageColumn(array, frame, _table(encoding))
    texts = [None if text is None else text.encode(encoding, "replace") for text in array.to_pylist()]
    return BytesColumn(pa.array(texts, pa.large_binary()), frame)


class _Varying:
    """The common part of columns of texts and bytes: offsets of the values, and their encoded sizes."""

    def __init__(self, array: Any, frame: int) -> None:
        self.frame = frame
        self.valid = validity(array)
        self.offsets, self.data = buffers(array)
        self.sizes = np.diff(self.offsets)

    def add_sizes(self, sizes: Places) -> None:
        """Add the sizes of the values with their framing."""
        around = np.full(len(sizes), kernels.EMPTY_SIZES[self.frame], np.int64)
        if self.frame == kernels.CHUNKS:
            around += 4 * (self.sizes > 0)
        sizes += np.where(self.valid, around + self.sizes, kernels.NULL_SIZES[self.frame])


class BytesColumn(_Varying):
    """Bytes, which are copied unchanged."""

    def put(self, out: Bytes, at: Places) -> None:
        """Write the values."""
        kernels.put_bytes(out, at, self.offsets, self.data, self.valid, self.frame)


class Utf16Column(_Varying):
    """Texts in UTF-16."""

    def __init__(self, array: Any, frame: int) -> None:
        super().__init__(array.cast(pa.large_string()), frame)
        kernels.utf16_sizes(self.offsets, self.data, self.sizes)

    def put(self, out: Bytes, at: Places) -> None:
        """Write the values."""
        kernels.put_utf16(out, at, self.offsets, self.data, self.valid, self.sizes, self.frame)


class CodePageColumn(_Varying):
    """Texts in a single-byte code page."""

    def __init__(self, array: Any, frame: int, table: Bytes) -> None:
        super().__init__(array.cast(pa.large_string()), frame)
        self._table = table
        kernels.characters(self.offsets, self.data, self.sizes)

    def put(self, out: Bytes, at: Places) -> None:
        """Write the values."""
        kernels.put_single_bytes(out, at, self.offsets, self.data, self.valid, self.sizes, self._table, self.frame)


class WholeColumn(_Varying):
    """Values that are encoded already with their framing, one `bytes` each."""

    def __init__(self, values: Sequence[bytes]) -> None:
        super().__init__(pa.array(values, pa.large_binary()), kernels.WHOLE)

    def put(self, out: Bytes, at: Places) -> None:
        """Write the values."""
        kernels.put_bytes(out, at, self.offsets, self.data, self.valid, self.frame)


def is_text(array: Any) -> bool:
    """Whether a column has texts, in any of Arrow's types."""
    of = array.type
    return bool(pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of))


def buffers(array: Any) -> tuple[Places, Bytes]:
    """The offset of each value, and the bytes of all values."""
    wide = array if pa.types.is_large_string(array.type) else array.cast(pa.large_binary())
    count = len(wide)
    _, starts, data = wide.buffers()
    offsets = np.frombuffer(starts, np.int64)[wide.offset : wide.offset + count + 1] if count else np.zeros(1, np.int64)
    return offsets, np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)


@cache
def _table(encoding: str) -> Bytes:
    """The code page's byte for each of the first 65,536 characters."""
    table = np.full(0x10000, _QUESTION_MARK, np.uint8)
    for byte in range(256):
        character = bytes([byte]).decode(encoding, "ignore")
        if character:
            table[ord(character)] = byte
    return table
