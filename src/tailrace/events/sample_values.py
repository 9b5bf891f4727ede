"""Made-up values of columns, by their schemas: what a person recognises as a date, a price, a name."""

from __future__ import annotations

from typing import Any, Final

from tailrace.schema.connect import Schema, Type

_DIGITS: Final = 4  # that a sample decimal has
_DAY: Final = 20_455  # 2026-01-02
_SECOND_OF_DAY: Final = 11_045  # 03:04:05
_SECOND: Final = _DAY * 86_400 + _SECOND_OF_DAY
_DEBEZIUM: Final = "io.debezium.time."
_CONNECT: Final = "org.apache.kafka.connect.data."
_NUMBERS: Final = {
    f"{_DEBEZIUM}Date": _DAY,
    f"{_DEBEZIUM}Time": _SECOND_OF_DAY * 1000,
    f"{_DEBEZIUM}MicroTime": _SECOND_OF_DAY * 10**6,
    f"{_DEBEZIUM}NanoTime": _SECOND_OF_DAY * 10**9,
    f"{_DEBEZIUM}Timestamp": _SECOND * 1000,
    f"{_DEBEZIUM}MicroTimestamp": _SECOND * 10**6,
    f"{_DEBEZIUM}NanoTimestamp": _SECOND * 10**9,
    f"{_DEBEZIUM}Year": 2026,
    f"{_CONNECT}Date": _DAY,
    f"{_CONNECT}Time": _SECOND_OF_DAY * 1000,
    f"{_CONNECT}Timestamp": _SECOND * 1000,
}
_TEXTS: Final = {
    f"{_DEBEZIUM}ZonedTimestamp": "2026-01-02T03:04:05Z",
    f"{_DEBEZIUM}ZonedTime": "03:04:05Z",
    f"{_DEBEZIUM}IsoDate": "2026-01-02Z",
    f"{_DEBEZIUM}IsoTime": "03:04:05Z",
    f"{_DEBEZIUM}IsoTimestamp": "2026-01-02T03:04:05Z",
    "io.debezium.data.Uuid": "00000000-0000-4000-8000-000000000001",
    "io.debezium.data.Xml": "<sample/>",
}
_STRUCTS: Final[dict[str, dict[str, Any]]] = {
    "io.debezium.data.geometry.Point": {"x": 1.0, "y": 2.0},
    "io.debezium.data.VariableScaleDecimal": {"scale": 2, "value": b"\x30\x39"},
}


def sample_value(schema: Schema, name: str, number: int) -> Any:
    """A value of a column; `number` tells the rows of a table apart."""
    if schema.type is Type.STRUCT:
        return _struct(schema, number)
    if schema.type is Type.ARRAY:
        return [1.0, float(number)]
    if schema.type is Type.STRING:
        return _text(schema, name, number)
    if schema.type is Type.BYTES:
        return _bytes(schema, number)
    if schema.type is Type.BOOLEAN:
        return number % 2
    if schema.type in (Type.FLOAT32, Type.FLOAT64):
        return number + 0.5
    return _NUMBERS.get(schema.name or "", number)


def _text(schema: Schema, name: str, number: int) -> str:
    if schema.name == "io.debezium.data.Json":
        return f'{{"{name}":{number}}}'
    if allowed := dict(schema.parameters).get("allowed"):  # of an enumeration or a set
        return allowed.split(",")[0]
    return _TEXTS.get(schema.name or "") or f"{name} {number}"


def _bytes(schema: Schema, number: int) -> bytes:
    if schema.name == f"{_CONNECT}Decimal":
        digits = int(dict(schema.parameters).get("connect.decimal.precision") or _DIGITS)
        return (number if digits < _DIGITS else 1234 + number).to_bytes(2, "big")
    return bytes([number]) if schema.name == "io.debezium.data.Bits" else b"sample"


def _struct(schema: Schema, number: int) -> dict[str, Any]:
    known = _STRUCTS.get(schema.name or "")
    wkb = b"\x01\x01\x00\x00\x00" + bytes(6) + b"\xf0\x3f" + bytes(7) + b"\x40"  # a point, 1 2
    if known is not None:
        return {**known, **({"wkb": wkb} if "wkb" in {each.name for each in schema.fields} else {})}
    if {"wkb", "srid"} <= {each.name for each in schema.fields}:
        return {"wkb": wkb, "srid": None}
    return {each.name: sample_value(each.schema, each.name, number) for each in schema.fields}
