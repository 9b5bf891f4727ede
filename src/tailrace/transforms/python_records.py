"""Source records as `ConnectRecords`, and what a transform in Python made of them as source records again.

Parts that a transform left alone keep their layout and columns, so that they are encoded as they would have been. A new part's
layout is made once for each schema and place and kept, as encoders compile layouts by their identity.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.arrow_records import array_at, columns_of, mask_of, node_of
from tailrace.changes.field_paths import keys_are_null, values_are_null
from tailrace.changes.layout_edits import with_columns
from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import SourceHeader, SourceRecords
from tailrace.custom_transforms.interface import ConnectRecords, Header
from tailrace.schema.connect import Schema

_MOST_LAYOUTS = 1000


def connect_records(records: SourceRecords) -> ConnectRecords:
    """The records as a transform in Python gets them."""
    key = records.key
    return ConnectRecords(
        topic=records.topic,
        kind=records.kind.value,
        key_schema=None if key is None else key.schema,
        key=None if key is None else _without(array_at(records, key.root), keys_are_null(records)),
        value_schema=records.value.schema,
        value=_without(array_at(records, records.value.root), values_are_null(records)),
        headers=tuple(_header(records, each) for each in records.headers),
        timestamp=pa.array(records.timestamps, pa.int64()),
        has_key=None if records.has_key is None else pa.array(records.has_key),
        has_value=None if records.has_value is None else pa.array(records.has_value),
        source_rows=np.arange(len(records)),
    )


def _header(records: SourceRecords, header: SourceHeader) -> Header:
    present = None if header.present is None else pa.array(header.present)
    return Header(header.name, header.layout.schema, array_at(records, header.layout.root), present)


def _without(array: pa.Array, null: npt.NDArray[np.bool_]) -> pa.Array:
    return pc.if_else(pa.array(null), pa.scalar(None, array.type), array) if null.any() else array


class Conversion:
    """Makes source records of what a transform returned."""

    def __init__(self) -> None:
        self._layouts: dict[tuple[Schema, int, int], Layout] = {}

    def source_records(self, made: ConnectRecords, given: ConnectRecords, records: SourceRecords) -> SourceRecords:
        """The records that a transform made of some.

        Args:
            made: what it returned.
            given: what it was given.
            records: the same as source records.

        Raises:
            ValueError: something about it is wrong; the text says what, and has no values.

        """
        rows = _rows(made, len(records))
        is_same = len(rows) == len(records) and (np.diff(rows) == 1).all()
        chosen, before = (records, given) if is_same else (records.take(rows), given.take(pa.array(rows)))
        n = len(chosen)
        chosen = replace(
            chosen,
            topic=_topic(made),
            timestamps=_timestamps(made, n),
            has_key=mask_of(made.has_key, n, "has_key"),
            has_value=mask_of(made.has_value, n, "has_value"),
        )
        if made.value_schema != given.value_schema or not _same(made.value, before.value):
            _check(made.value, made.value_schema, chosen.has_value, "value")
            chosen, value = self._added(chosen, made.value, made.value_schema)
            chosen = replace(chosen, value=value)
        if made.key is None or made.key_schema is None:
            chosen = replace(chosen, key=None, has_key=None)
        elif before.key is None or made.key_schema != given.key_schema or not _same(made.key, before.key):
            _check(made.key, made.key_schema, chosen.has_key, "key")
            chosen, key = self._added(chosen, made.key, made.key_schema)
            chosen = replace(chosen, key=key)
        return self._with_headers(chosen, made, before)

    def _with_headers(self, chosen: SourceRecords, made: ConnectRecords, before: ConnectRecords) -> SourceRecords:
        same = {id(header): known for header, known in zip(made.headers, chosen.headers, strict=False)}
        kept = [_equal(*pair) for pair in zip(made.headers, before.headers, strict=False)]
        if len(made.headers) == len(before.headers) and all(kept):
            return chosen
        headers = []
        for place, header in enumerate(made.headers):
            if place < len(kept) and kept[place]:
                headers.append(same[id(header)])
                continue
            _check(header.value, header.schema, mask_of(header.present, len(chosen), "present"), f"header {header.name}")
            chosen, layout = self._added(chosen, header.value, header.schema)
            headers.append(SourceHeader(header.name, layout, mask_of(header.present, len(chosen), "present")))
        return replace(chosen, headers=tuple(headers))

    def _added(self, records: SourceRecords, array: pa.Array, schema: Schema) -> tuple[SourceRecords, Layout]:
        """The records with the columns of a new part, and its layout."""
        slot, role = len(records.columns), records.roles.shape[0]
        if len(array) != len(records):
            raise ValueError(f"there are {len(array)} values for {len(records)} records")
        layout = self._layouts.get((schema, slot, role))
        if layout is None:
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[schema, slot, role] = Layout(node_of(schema, slot, role)[0])
        everyone = np.arange(len(records), dtype=np.int32)
        return with_columns(records, columns_of(array, schema), (everyone,)), layout


def _rows(made: ConnectRecords, n: int) -> npt.NDArray[np.int64]:
    if not isinstance(made, ConnectRecords):
        raise ValueError(f"it returned {type(made).__name__}, not ConnectRecords")  # noqa: TRY004 -- one error for all
    rows = np.asarray(made.source_rows, np.int64)
    if len(rows) != len(made) or (len(rows) and (rows.min() < 0 or rows.max() >= n)):
        raise ValueError("the number of values is not that of the records: use take, filter and evolve of what is given")
    return rows


def _topic(made: ConnectRecords) -> str:
    if not isinstance(made.topic, str) or not made.topic:
        raise ValueError("the topic must be a text that is not empty")
    return made.topic


def _timestamps(made: ConnectRecords, n: int) -> npt.NDArray[np.int64]:
    if len(made.timestamp) != n or made.timestamp.null_count or not pa.types.is_integer(made.timestamp.type):
        raise ValueError(f"timestamp must be {n} integers without a null")
    found: npt.NDArray[np.int64] = made.timestamp.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return found


def _check(array: pa.Array, schema: Schema, has: npt.NDArray[np.bool_] | None, what: str) -> None:
    if not isinstance(array, pa.Array) or not isinstance(schema, Schema):
        raise ValueError(f"the {what} must be an Arrow array with a Schema")  # noqa: TRY004 -- as above
    there = np.ones(len(array), np.bool_) if has is None else has
    if len(there) == len(array) and not schema.optional and (there & np.asarray(array.is_null())).any():
        raise ValueError(f"the {what} has a null, and its schema is not optional")


def _same(one: pa.Array, other: pa.Array) -> bool:
    return one is other or bool(one.equals(other))


def _equal(one: Header, other: Header) -> bool:
    return (
        (one.name, one.schema) == (other.name, other.schema)
        and _same(one.value, other.value)
        and (one.present is other.present or (one.present is not None and one.present.equals(other.present)))
    )
