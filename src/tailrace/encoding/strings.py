"""Text as Kafka Connect's StringConverter writes it: what Java's `toString` makes of a key or a value.

A text stays as it is, a struct becomes `Struct{id=1,name=Ada}`. Null fields are left out, and a whole null is a null, with a
schema or without. Of bytes Java shows only how many there are.

Source: documentation of `org.apache.kafka.connect.storage.StringConverter`; comparison with it (tests/formats).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np
import polars as pl
import pyarrow as pa

from tailrace.changes.field_paths import Path, gathered, nulls_of, root_path
from tailrace.changes.layouts import Array, Layout, Struct, Values
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import Mask, Objects, SourceRecords
from tailrace.errors import UnsupportedError
from tailrace.java_numbers import number_texts
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL

_FRACTIONS: Final[Mapping[Type, type[np.floating[Any]]]] = {Type.FLOAT32: np.float32, Type.FLOAT64: np.float64}
_DAY = 86_400_000
_CONNECT: Final = "org.apache.kafka.connect.data."
_MILLISECONDS: Final = {f"{_CONNECT}Date": _DAY, f"{_CONNECT}Time": 1, f"{_CONNECT}Timestamp": 1}  # Connect's own types
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class StringMessages:
    """Renders keys or values."""

    def render(self, layout: Layout, records: SourceRecords, present: Mask | None = None) -> Binary:
        """One text for each record; null where `present` is false, or where the whole key or value is null.

        Raises:
            UnsupportedError: there is a list or a map in it.

        """
        root = root_path(layout)
        null = nulls_of(records, root) if present is None else nulls_of(records, root) | ~present
        texts = texts_of(records, root).to_arrow().cast(pa.large_string())
        return _binary(texts, None if not null.any() else ~null)

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The same, and the headers that belong to it: none."""
        return self.render(layout, records, present), ()


def _binary(texts: pa.Array, valid: Mask | None) -> Binary:
    _, offsets, data = texts.buffers()
    n = len(texts)
    held = np.frombuffer(offsets, np.int64, n + 1, texts.offset * 8) if n else np.zeros(1, np.int64)
    return Binary(np.zeros(1, np.uint8) if data is None else np.frombuffer(data, np.uint8), held, valid)


def texts_of(records: SourceRecords, path: Path) -> pl.Series:
    """The text of a node for each record; null where it is null.

    Raises:
        UnsupportedError: there is a map in it, or a list of columns.

    """
    node = path.node
    if isinstance(node, Struct):
        return _of_struct(records, path, node)
    if isinstance(node, Values):
        return _of_objects(records, node)
    if isinstance(node, Array):
        raise UnsupportedError(f"StringConverter can't write a list ({node.schema.name or node.schema.type})")
    values = pl.Series(gathered(records, path).to_arrow())
    return _of_values(values, node.schema)


def _of_struct(records: SourceRecords, path: Path, node: Struct) -> pl.Series:
    n = len(records)
    parts: list[pl.Expr] = []
    for field, each in zip(node.schema.fields, node.fields, strict=True):
        text = texts_of(records, Path((*path.nodes, each)))
        parts.append((pl.lit(f"{field.name}=") + pl.lit(text)).alias(str(len(parts))))
    frame = pl.DataFrame({"record": np.arange(n)})
    joined = pl.concat_str(parts, separator=",", ignore_nulls=True) if parts else pl.lit("")
    found = frame.select(("Struct{" + joined + "}").alias("text"))["text"] if n else pl.Series([], dtype=pl.String)
    null = nulls_of(records, path)
    return found if not null.any() else pl.select(pl.when(pl.lit(pl.Series(~null))).then(pl.lit(found))).to_series()


def _of_values(values: pl.Series, schema: Schema) -> pl.Series:
    if schema.type is Type.STRING:
        return values
    if schema.type is Type.BYTES:
        return _of_distinct(values, _decimal(schema) if schema.name == DECIMAL else _buffer)
    if schema.type in _FRACTIONS:
        return _of_distinct(values, partial(_number, schema.type))
    if schema.name in _MILLISECONDS:
        unit = _MILLISECONDS[schema.name]
        return _of_distinct(values, lambda value: java_date(value * unit))
    return values.cast(pl.String)


def _of_objects(records: SourceRecords, node: Values) -> pl.Series:
    """Python's values, of records that are too rare to be columnar."""
    column = records.columns[node.slot]
    if not isinstance(column, Objects):
        raise UnsupportedError(f"StringConverter can't write {node.schema.name or node.schema.type} in such records")
    rows = records.roles[node.role]
    return pl.Series([None if row < 0 else _object_text(node.schema, column.values[row]) for row in rows], dtype=pl.String)


def _object_text(schema: Schema, value: Any) -> str | None:
    """The text of a value; the order of a map's entries is Java's own, so there is none of a map."""
    if value is None or isinstance(value, str):
        return value
    if schema.type is Type.ARRAY and schema.items is not None:
        items = [_object_text(schema.items, each) for each in value]
        return f"[{', '.join('null' if each is None else each for each in items)}]"
    if schema.type is Type.STRUCT:
        texts = ((each.name, _object_text(each.schema, value.get(each.name))) for each in schema.fields)
        return f"Struct{{{','.join(f'{name}={text}' for name, text in texts if text is not None)}}}"
    if schema.type in {Type.MAP, Type.BYTES} or schema.name in _MILLISECONDS:
        raise UnsupportedError(f"StringConverter can't write {schema.name or schema.type} in such records")
    if isinstance(value, float):
        return _number(schema.type, value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_distinct(values: pl.Series, text: Callable[[Any], str]) -> pl.Series:
    """A text for each distinct value, found once."""
    distinct = values.unique().drop_nulls()
    texts = pl.Series([text(value) for value in distinct.to_list()], dtype=pl.String)
    return values.replace_strict(distinct, texts, default=None, return_dtype=pl.String)


def _number(type_: Type, value: float) -> str:
    """A floating-point number with the shortest digits of its type, as since Java 19."""
    return number_texts(np.array([value], _FRACTIONS.get(type_, np.float64)))[0]


def _buffer(value: bytes) -> str:
    return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"


def _decimal(schema: Schema) -> Callable[[bytes], str]:
    scale = int(dict(schema.parameters).get("scale", "0"))
    return lambda value: java_decimal(int.from_bytes(value, "big", signed=True), scale)


def java_decimal(unscaled: int, scale: int) -> str:
    """A decimal as Java's BigDecimal shows it: with an exponent if the scale is negative, or the number very small."""
    return str(Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale)))


def java_date(milliseconds: int) -> str:
    """A moment as Java's `Date` shows it, in UTC. Dates before 1582 are Gregorian here, and Julian in Java."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).strftime("%a %b %d %H:%M:%S UTC %Y")
