"""Messages of Connect's own types, a column at a time: Decimal, Date, Time and Timestamp.

`confluent.type.Decimal` has the unscaled value, its number of digits and the scale; `google.type.Date` year, month and day, in
the Julian calendar before 15 October 1582, as Java has it; `google.type.TimeOfDay` hours, minutes, seconds and nanoseconds;
`google.protobuf.Timestamp` seconds since the epoch and nanoseconds.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from tailrace.changes.address_table import address_table
from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of, vector_over
from tailrace.encoding.protobuf.logical_kernel import KINDS, write_messages
from tailrace.errors import DeliveryError
from tailrace.kernels.addresses import address_of
from tailrace.schema.connect import Schema
from tailrace.schema.decimals import DECIMAL

_POWER_BYTES: Final = 32
_POWERS: Final = np.frombuffer(
    b"".join((10**k).to_bytes(_POWER_BYTES, "big") for k in range(77)), np.uint8
).reshape(-1, _POWER_BYTES)
_ROOM: Final = 64  # bytes of a message without the bytes of a decimal
_WRONG: Final = {
    "Time": "is no time of a day, which is from 0 to 86400000 ms",
    "Timestamp": "is not within the years 1 to 9999",
    "Decimal": "has more than 76 digits",
}


def messages_of(schema: Schema, name: str, column: AnyColumn) -> Vector:
    """The messages of a column's values, without tag and length; `name`: of the column, for messages.

    Raises:
        DeliveryError: a value can't be such a message.

    """
    vector = cast("Vector", column)
    kind = "Decimal" if schema.name == DECIMAL else (schema.name or "").rpartition(".")[2]
    scale = int(dict(schema.parameters).get("scale", "0")) if kind == "Decimal" else 0
    n = vector.length
    size = _bytes(vector) if kind == "Decimal" else 0
    out, offsets = np.empty(n * _ROOM + size + _ROOM, np.uint8), np.zeros(n + 1, np.int64)
    table, kept = address_table([vector])
    wrong = write_messages(KINDS.index(kind), table, n, scale, _POWERS, address_of(out), offsets)
    del kept
    if wrong >= 0:
        shown = "" if kind == "Decimal" else f"{int(vector.data[wrong])} "
        raise DeliveryError(
            f"{name}: a {kind} {shown}{_WRONG[kind]}: Protobuf's message for it can't have that value; leave the column out "
            "(column.exclude.list), or take another type (time.precision.mode, decimal.handling.mode)"
        )
    made = vector_over(Binary(out[: max(int(offsets[n]), 1)], offsets), Kind.BYTES)
    made.valid = vector.valid
    return made


def message_of(schema: Schema, value: Any) -> bytes:
    """The message of one value: a number, or the bytes of a decimal's unscaled value. Raises as `messages_of`."""
    column = vector_of([value], Kind.BYTES) if schema.name == DECIMAL else integers(np.array([value], np.int64))
    return cast("bytes", messages_of(schema, "a value", column).to_arrow()[0].as_py())


def _bytes(vector: Vector) -> int:
    """How many bytes the values have."""
    return int(vector.data[:, 0].astype(np.int64).sum())
