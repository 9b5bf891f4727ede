"""Bytes as they are, numbers and booleans in the form of Kafka's serializers.

A record that is something else fails, as in Kafka Connect. Source: Kafka's documentation of `ByteArrayConverter` and of the
serializers; comparison with them (tests/formats/test_plain_converters.py).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.field_paths import gathered, root_path
from tailrace.changes.layouts import Layout, Values
from tailrace.changes.records import Binary, Header, nulls
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.encoding.failed_records import failing
from tailrace.encoding.plain.columns import binary_over, is_single, is_there, live, of_own_class, whole_bytes
from tailrace.errors import DeliveryError
from tailrace.schema.connect import Type

_FORMS: Final = {
    Type.INT16: ">i2",
    Type.INT32: ">i4",
    Type.INT64: ">i8",
    Type.FLOAT32: ">f4",
    Type.FLOAT64: ">f8",
    Type.BOOLEAN: "u1",
}
_EVEN_NULLS: Final = frozenset({Type.BOOLEAN, Type.BYTES})
"""Whose converters look at the schema of a null, too."""


class ByteMessages:
    """Renders keys, values or headers that are bytes; `part` is which of these."""

    def __init__(self, part: str) -> None:
        self._part = part

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The bytes of each record, null where they are, or `present` is false; and no headers.

        Raises:
            DeliveryError: it is something else; the message names topic and type.

        """
        there = live(layout, records, present)
        _require(Type.BYTES, self._part, layout, records, present, there)
        if not there.any():
            return nulls(len(records)), ()
        held = whole_bytes(layout, records).to_arrow().cast(pa.large_binary())
        return binary_over(held, None if there.all() else there), ()


class NumberMessages:
    """Renders numbers of one type, or booleans, big-endian in as many bytes as the type has."""

    def __init__(self, part: str, type_: Type) -> None:
        self._part = part
        self._type = type_

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The bytes of each record, null where it is null or `present` is false; and no headers. Raises as `ByteMessages`."""
        there = live(layout, records, present)
        _require(self._type, self._part, layout, records, present, there)
        if not there.any():
            return nulls(len(records)), ()
        form = np.dtype(_FORMS[self._type])
        numbers = _numbers(layout, records, there).astype(form)
        offsets = np.zeros(len(records) + 1, np.int64)
        np.cumsum(there, out=offsets[1:])
        return Binary(numbers.view(np.uint8), offsets * form.itemsize, None if there.all() else there), ()


def _numbers(layout: Layout, records: SourceRecords, there: Mask) -> np.ndarray:
    """The numbers of the records that have one."""
    if isinstance(layout.root, Values):
        raise DeliveryError(f"{records.topic}: a number of a record that is no row can't be written by such a converter")
    return gathered(records, root_path(layout)).data[there]


def _require(
    type_: Type, part: str, layout: Layout, records: SourceRecords, present: Mask | None, there: Mask
) -> None:
    """Fail on records that are not of the type, as Kafka's converters do."""
    schema = layout.schema
    fits = schema.type is type_ and is_single(layout)
    if fits and of_own_class(schema):
        return
    others = there
    if not fits and type_ in _EVEN_NULLS:
        others = is_there(records, present)
    if not others.any():
        return
    named = f"{schema.type} ({schema.name})" if schema.name else str(schema.type)
    with failing(others, DeliveryError):
        raise DeliveryError(
            f"{records.topic}: {part}.converter takes {type_} alone, and a {part} is {named}: set a converter that takes "
            "it, or a transform or predicate by which such records don't come"
        )
