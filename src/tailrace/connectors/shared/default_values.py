"""Default values in schemas, as the JSON converter takes them; what does not depend on the database."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from typing import Final

from tailrace.epoch import EPOCH
from tailrace.schema.connect import Schema, Type

NANOS_OF_SECOND: Final = 1_000_000_000
_UNITS: Final = {
    "io.debezium.time.MicroTimestamp": 1000,
    "io.debezium.time.NanoTimestamp": 1,
    "io.debezium.time.MicroTime": 1000,
    "io.debezium.time.NanoTime": 1,
}
_MILLIS: Final = 1_000_000


def encoded(data: bytes, mode: str) -> bytes | str:
    """Bytes under `binary.handling.mode`."""
    if mode == "base64":
        return base64.b64encode(data).decode()
    if mode == "base64-url-safe":
        return base64.urlsafe_b64encode(data).decode()
    return data.hex() if mode == "hex" else data


def timestamp_value(seconds: datetime, nanos: int, schema: Schema) -> int | str:
    """A date and time, given as whole seconds and nanoseconds, in the unit of the schema."""
    if schema.type is Type.STRING:
        return f"{seconds.isoformat()}{fraction_text(nanos)}Z"
    since = (seconds - EPOCH) // timedelta(seconds=1)
    return (since * NANOS_OF_SECOND + nanos) // _UNITS.get(schema.name or "", _MILLIS)


def time_value(nanos: int, schema: Schema) -> int | str:
    """A time of day, given in nanoseconds, in the unit of the schema."""
    if schema.type is not Type.STRING:
        return nanos // _UNITS.get(schema.name or "", _MILLIS)
    seconds, rest = divmod(nanos, NANOS_OF_SECOND)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction_text(rest)}Z"


def fraction_text(nanos: int) -> str:
    """A point and the fractional digits without trailing zeros; "" for zero."""
    return f".{nanos:09d}".rstrip("0") if nanos else ""
