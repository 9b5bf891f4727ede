"""Hash codes of a field's values, as Java has them for the objects that Connect makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.field_paths import Path, gathered
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL, scale_of
from tailrace.transforms import java_hashes
from tailrace.transforms.java_hashes import INT32

_CONNECT: Final = "org.apache.kafka.connect.data."
_MS_OF_DAY: Final = 86_400_000
_DATES: Final = {f"{_CONNECT}Timestamp": 1, f"{_CONNECT}Time": 1, f"{_CONNECT}Date": _MS_OF_DAY}  # java.util.Date, in ms
_BITS: Final = "io.debezium.data.Bits"  # a byte array

Hash = Callable[[SourceRecords, Path], INT32]


def java_hash(records: SourceRecords, path: Path) -> INT32:
    """Java's hash codes of a field, shape (n,); anything where it is null.

    Raises:
        TypeError: the field is a struct, a list or a map.

    """
    vector, schema = gathered(records, path), path.schema
    if vector.kind is Kind.TEXT:
        return java_hashes.of_strings(*_flat(vector))
    if vector.kind is Kind.BYTES:
        return _of_bytes(vector, schema)
    if vector.kind is Kind.FLOAT64:
        return java_hashes.of_doubles(vector.data)
    if vector.kind is Kind.FLOAT32:
        return java_hashes.of_floats(vector.data)
    if vector.kind is Kind.BOOL:
        return java_hashes.of_booleans(vector.data)
    if schema.name in _DATES:
        return java_hashes.of_longs(vector.data * _DATES[schema.name])
    return java_hashes.of_longs(vector.data) if schema.type is Type.INT64 else java_hashes.of_ints(vector.data)


def murmur_hash(records: SourceRecords, path: Path) -> INT32:
    """Debezium's Murmur hashes of a field. As `java_hash`."""
    if path.schema.type is Type.STRING or path.schema.name == _BITS:
        return java_hashes.murmur_of_strings(*_flat(gathered(records, path)))
    return java_hashes.murmur_of_hashes(java_hash(records, path))


def _of_bytes(vector: Vector, schema: Schema) -> INT32:
    if schema.name == DECIMAL:
        return java_hashes.of_decimals(*_flat(vector), scale_of(schema))
    return java_hashes.of_buffers(*_flat(vector))


def _flat(vector: Vector) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Texts or bytes one after the other, and their offsets; a null is empty."""
    array = vector.to_arrow().cast(pa.large_string() if vector.kind is Kind.TEXT else pa.large_binary())
    _, offsets, data = array.buffers()
    held = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.zeros(1, np.uint8) if data is None or not len(data) else np.frombuffer(data, np.uint8), held
