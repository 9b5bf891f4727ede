"""Headers as Kafka Connect's SimpleHeaderConverter writes them.

Texts stand as they are, numbers as Java shows them, bytes in base64, moments as ISO 8601 has them; structs and lists are JSON
without schemas. A null is a null, whatever its schema says.

Source: Kafka's documentation of `SimpleHeaderConverter` and `Values`; comparison with the real one (tests/formats).
"""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from tailrace.changes.field_paths import root_path, series
from tailrace.changes.layouts import Layout, Values
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.encoding.java_texts import DAY, MILLISECONDS
from tailrace.encoding.json import JsonMessages
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.plain.columns import binary_over, is_single, live
from tailrace.encoding.strings import float_texts
from tailrace.java_numbers import FRACTIONS
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL


class SimpleHeaderMessages:
    """Renders headers."""

    def __init__(self) -> None:
        self._json = JsonMessages(JsonFormat(schemas=False, numeric=True, bare_texts=True))

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """One text for each record, null where it is null or `present` is false; and no headers."""
        there = live(layout, records, present)
        valid = None if there.all() else there
        if not _is_other_than_json(layout):
            return self._json.render(layout, records, valid), ()
        values = series(records, root_path(layout))
        return binary_over(_texts(values, layout.schema).to_arrow().cast(pa.large_string()), valid), ()


def _is_other_than_json(layout: Layout) -> bool:
    """Whether JSON has another text for such values."""
    schema = layout.schema
    if not is_single(layout) or isinstance(layout.root, Values) or schema.name == DECIMAL:
        return False
    return schema.type is Type.BYTES or schema.type in FRACTIONS or schema.name in MILLISECONDS


def _texts(values: pl.Series, schema: Schema) -> pl.Series:
    if schema.type is Type.BYTES:
        return values.bin.encode("base64")
    if schema.type in FRACTIONS:
        return float_texts(values, schema.type)
    return _moments(values * MILLISECONDS[schema.name or ""])


def _moments(values: pl.Series) -> pl.Series:
    """Milliseconds as text: on the first day of 1970 and before it the time, at midnight the date, else both."""
    at = pl.from_epoch(pl.col("ms"), time_unit="ms")
    text = (
        pl.when(pl.col("ms") < DAY)
        .then(at.dt.strftime("%H:%M:%S%.3fZ"))
        .when(pl.col("ms") % DAY == 0)
        .then(at.dt.strftime("%Y-%m-%d"))
        .otherwise(at.dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"))
    )
    return values.to_frame("ms").select(text).to_series()
