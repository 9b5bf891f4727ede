"""The conversion of a column's values, by its type and its field's schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values import decimals, temporal
from tailrace.connectors.shared.arrow_values.selected import Conversion, Converter
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column

if TYPE_CHECKING:
    import polars as pl

_AS_THEY_ARE: Final = {
    Type.BOOLEAN: pa.bool_(),
    Type.INT16: pa.int64(),
    Type.INT32: pa.int64(),
    Type.INT64: pa.int64(),
    Type.FLOAT32: pa.float32(),
    Type.FLOAT64: pa.float64(),
    Type.STRING: pa.string_view(),
    Type.BYTES: pa.binary_view(),
}
_BY_SCHEMA: Final[dict[str, Conversion]] = {
    "io.debezium.time.Date": temporal.days,
    "org.apache.kafka.connect.data.Date": temporal.days,
    "io.debezium.time.IsoDate": temporal.day_texts,
    "io.debezium.time.Time": temporal.times(1_000_000),
    "org.apache.kafka.connect.data.Time": temporal.times(1_000_000),
    "io.debezium.time.MicroTime": temporal.times(1000),
    "io.debezium.time.NanoTime": temporal.times(1),
    "io.debezium.time.IsoTime": temporal.time_texts,
    "io.debezium.time.Timestamp": temporal.timestamps(1000),
    "org.apache.kafka.connect.data.Timestamp": temporal.timestamps(1000),
    "io.debezium.time.MicroTimestamp": temporal.timestamps(1),
    "io.debezium.time.IsoTimestamp": temporal.timestamp_texts,
    "io.debezium.time.ZonedTimestamp": temporal.zoned_texts,
}
_NANO_TIMESTAMP: Final = "io.debezium.time.NanoTimestamp"


def converter_of(column: Column, schema: Schema, binary_mode: str) -> Converter:
    """The converter of a column's values for a field of this schema.

    Args:
        column: the column.
        schema: of its field in a key.
        binary_mode: `binary.handling.mode`.

    """
    if column.jdbc_type in jdbc.BINARY_TYPES:
        return Converter(_plain(schema) if schema.type is Type.BYTES else _encoding(binary_mode), binary_mode)
    if column.jdbc_type in jdbc.DECIMAL_TYPES:
        return Converter(_decimal(schema, column.scale or 0))
    if schema.name == _NANO_TIMESTAMP:
        return Converter(temporal.nano_timestamps(column.name, optional=schema.optional))
    return Converter(_BY_SCHEMA.get(schema.name or "") or _plain(schema))


def _plain(schema: Schema) -> Conversion:
    wanted = _AS_THEY_ARE[schema.type]

    def convert(arrays: Sequence[pa.Array]) -> Vector:
        array = arrays[0]
        if pa.types.is_temporal(array.type):  # Arrow would cast it to a number silently
            raise TypeError("a moment is no such value")
        return from_arrow(array if array.type == wanted else array.cast(wanted))

    return convert


def _decimal(schema: Schema, scale: int) -> Conversion:
    if schema.type is Type.BYTES:
        return lambda arrays: decimals.unscaled(arrays[0], scale)
    if schema.type is Type.STRING:
        return lambda arrays: decimals.texts(arrays[0], scale)
    return lambda arrays: decimals.doubles(arrays[0], scale)


def _encoding(mode: str) -> Conversion:
    """Converts bytes to text."""
    import polars as pl  # it needs much memory, and only tables with encoded bytes use it

    def convert(arrays: Sequence[pa.Array]) -> Vector:
        series = pl.Series(pl.from_arrow(arrays[0].cast(pa.large_binary())))
        texts = _url_safe(series) if mode == "base64-url-safe" else series.bin.encode("hex" if mode == "hex" else "base64")
        return from_arrow(texts.to_arrow(compat_level=pl.CompatLevel.newest()))

    return convert


def _url_safe(series: pl.Series) -> pl.Series:
    texts = series.bin.encode("base64")
    return texts.str.replace_all("+", "-", literal=True).str.replace_all("/", "_", literal=True)
