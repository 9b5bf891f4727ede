"""Lines with values of every type at and beyond their limits, which no database writes on one row."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from tests.formats.connect_parts import Line

CONNECT: Final = "org.apache.kafka.connect.data."
_KEY: Final = {"schema": {"type": "int64", "optional": False}, "payload": 5}
_FIRST: Final = 1_700_000_000_123  # ms
_HALF_A_DAY: Final = 43_200_000  # ms


def struct_lines(fields: Sequence[dict[str, Any]], rows: Sequence[Sequence[Any]]) -> tuple[Line, ...]:
    """Lines whose values are structs with these fields."""
    schema = {"type": "struct", "fields": list(fields), "optional": False, "name": "m.t.Value"}
    return tuple(
        {
            "topic": "m.t",
            "timestamp": _FIRST + number * _HALF_A_DAY,
            "key": _KEY,
            "value": {"schema": schema, "payload": dict(zip([each["field"] for each in fields], row, strict=True))},
            "headers": [],
        }
        for number, row in enumerate(rows)
    )


def field(called: str, type_: str, **more: Any) -> dict[str, Any]:
    """An optional field."""
    return {"type": type_, "optional": True, "field": called, **more}


def logical(name: str, type_: str, logical_name: str, **more: Any) -> dict[str, Any]:
    """An optional field of one of Connect's logical types."""
    return field(name, type_, name=CONNECT + logical_name, version=1, **more)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


FIELDS: Final = (
    field("i8", "int8"),
    field("i32", "int32"),
    field("i64", "int64", default=7),
    field("f", "float"),
    field("d", "double"),
    field("b", "boolean"),
    field("s", "string"),
    field("by", "bytes"),
    logical("dec", "bytes", "Decimal", parameters={"scale": "2"}),
    logical("dat", "int32", "Date"),
    logical("tim", "int32", "Time"),
    logical("ts", "int64", "Timestamp"),
)
_TINY: Final = 1e-5
_ROWS: Final = (
    (1, 300, 2**40, 1.5, 2.5e10, True, "12", _text(b"ab"), _text(b"\x01\x00"), 19000, 3600000, 1700000000123),
    (-1, -70000, -(2**40) - 5, -0.1, _TINY, False, "-7", _text(b""), _text(b"\xff"), -1, 0, -1),
    (0, 0, 0, 0.0, 0.0, None, "abc", None, None, 0, 86399999, 0),
    (None,) * 12,
    (127, 2**31 - 1, 2**63 - 1, 3e38, 1e300, True, "true", _text(b"\0\xff\xfe"), _text(b"\x7f" * 20), -200000, 1, 86400000),
    (5, 128, 255, 1e7, 123456789.125, False, "1e3", _text(b"x"), _text(b"\0"), -800000, 12345, -62135596800000),
    (5, 128, 32768, 9999999.0, 0.001, False, "+5", _text(b"x"), _text(b"\5"), 1, 12345, -12219292800000),
    (5, 128, 32768, 16777216.0, 0.00099, False, " 1.5f ", _text(b"x"), _text(b"\5"), 1, 12345, -12219292800001),
)
TYPED: Final = struct_lines(FIELDS, _ROWS)
MOMENTS: Final = struct_lines(
    (field("s", "string"), field("n", "int64")),
    (
        ("2026-01-31T12:34:56Z", 0),
        ("2026-13-45T25:61:61Z", 1),
        ("1500-02-29T00:00:00Z", 2),
        ("2026-1-5T1:2:3Zrest", 3),
        ("nothing", 4),
        (None, 5),
        ("2026-01-31T12:34:56.123Z", 6),
        ("0001-01-01T00:00:00Z", -62135596800000),
    ),
)
