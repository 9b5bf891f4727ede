"""Golden lines that no connector of today writes, in the same form: rows without envelopes, odd types, nulls with schemas, headers.

Transforms make such records, and converters must take them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Line = Mapping[str, Any]
Message = Mapping[str, Any]
_CONNECT: Final = "org.apache.kafka.connect.data."


def schema(type_: str, *, optional: bool = False, **members: Any) -> dict[str, Any]:
    """A schema; `name`, `version`, `parameters`, `default`, `items`, … as JsonConverter writes them."""
    return {"type": type_, "optional": optional, **members}


def struct(fields: Mapping[str, Mapping[str, Any]], **members: Any) -> dict[str, Any]:
    """The schema of a struct."""
    return schema("struct", fields=[{**part, "field": name} for name, part in fields.items()], **members)


def logical(type_: str, name: str, **members: Any) -> dict[str, Any]:
    """The schema of one of Connect's own logical types."""
    return schema(type_, name=_CONNECT + name, version=1, **members)


def message(schema_: Mapping[str, Any], payload: Any) -> dict[str, Any]:
    """A key, value or header."""
    return {"schema": schema_, "payload": payload}


INT, LONG, TEXT, BYTES, BOOLEAN = (schema(each) for each in ("int32", "int64", "string", "bytes", "boolean"))
DOUBLE, FLOAT = schema("double"), schema("float")
TEXT_OR_NULL: Final = schema("string", optional=True)
DECIMAL: Final = logical("bytes", "Decimal", parameters={"scale": "2"})
POINT: Final = struct({"x": DOUBLE, "y": schema("double", optional=True)}, optional=True, name="Point")
NUMBERED: Final = {"n": schema("int32", optional=True, default=3)}
DEFAULTED: Final = struct({**NUMBERED, "in": struct(NUMBERED, optional=True)})
SCALARS: Final = {
    "i8": (schema("int8"), [-128, 127]),
    "i16": (schema("int16", optional=True, default=7), [None, -32768]),
    "i32": (schema("int32", optional=True), [None, 2147483647]),
    "i64": (LONG, [-9223372036854775808, 9007199254740993]),
    "f32": (schema("float", optional=True), [1.5, None]),
    "f64": (schema("double", optional=True, default=2.5), [None, -0.25]),
    "b": (schema("boolean", optional=True, default=True), [None, False]),
    "s": (schema("string", optional=True, default='dé"f'), [None, 'tab\tquote"back\\slash\u2028é']),
    "raw": (schema("bytes", optional=True, default="AAE="), [None, ""]),
    "dec": (logical("bytes", "Decimal", parameters={"scale": "2"}, optional=True, default="BNI="), [None, "/w=="]),
    "day": (logical("int32", "Date", optional=True, default=1), [None, 20455]),
    "time": (logical("int32", "Time"), [0, 86399999]),
    "moment": (logical("int64", "Timestamp", optional=True, default=0), [None, 1767323045678]),
}
NESTED: Final = {
    "point": (POINT, [{"x": 1.5, "y": None}, None]),
    "deep": (
        struct({"point": POINT, "n": schema("int32", optional=True, default=3)}),
        [{"point": None, "n": None}, {"point": {"x": 0.5, "y": -1.5}, "n": 4}],
    ),
    "texts": (schema("array", items=TEXT_OR_NULL), [["a", None, ""], []]),
    "numbers": (schema("array", items=DOUBLE, optional=True), [None, [1.5, -2.25]]),
    "points": (schema("array", items=POINT, optional=True), [[{"x": 1.5, "y": 2.5}, None], None]),
    "lists": (schema("array", items=schema("array", items=INT)), [[[1, 2], []], []]),
    "by_name": (schema("map", keys=TEXT, values=schema("int32", optional=True)), [{"a": 1, "b": None}, {}]),
    "defaulted": (schema("map", keys=TEXT, values=DEFAULTED), [{"a": {"n": None, "in": {"n": None}}}, {"b": {"n": 4, "in": None}}]),
    "by_number": (schema("map", keys=INT, values=TEXT, optional=True), [[[1, "one"], [2, "two"]], None]),
}


def rows(topic: str, fields: Mapping[str, tuple[Any, Sequence[Any]]], key: Message | None, **members: Any) -> list[Line]:
    """Two rows without envelopes, of the first and of the second value of each field."""
    row = struct({name: part for name, (part, _) in fields.items()}, name="Row", **members)
    payloads = [{name: values[i] for name, (_, values) in fields.items()} for i in range(2)]
    return [_line(topic, key, message(row, payload)) for payload in payloads]


def made_lines() -> list[Line]:
    """All of them."""
    id_1 = message(struct({"id": INT}, name="Key"), {"id": 1})
    lines = [
        *rows("scalars", SCALARS, id_1),
        *rows("nested", NESTED, id_1),
        *rows("optional", {"a": (INT, [1, 2])}, id_1, optional=True),
        _line("optional", id_1, message(rows("", {"a": (INT, [1, 2])}, None, optional=True)[0]["value"]["schema"], None)),
        _line("optional", id_1, None),
        *rows("some without key", {"a": (INT, [1, 2])}, None),
        *rows("some without key", {"a": (INT, [3, 4])}, id_1),
        _line("some without key", id_1, None),
        _line("only tombstones", message(TEXT, "k"), None),
        _line("texts", message(TEXT, "k"), message(TEXT_OR_NULL, "text")),
        _line("texts", message(TEXT, ""), message(TEXT_OR_NULL, None)),
        _line("texts", message(TEXT, "é"), None),
        _line("bytes", message(BYTES, "AP8="), message(BYTES, "AAEC")),
        _line("numbers", message(LONG, 5), message(DOUBLE, 1.5)),
        _line("decimals", message(DECIMAL, "BNI="), message(DECIMAL, "/w==")),
        _line("switches", message(BOOLEAN, True), message(FLOAT, 0.5)),
        _line("lists", message(schema("array", items=INT), [1, 2]), message(schema("array", items=POINT), [{"x": 1.5, "y": None}])),
        _line("keys with defaults", message(struct({"k": schema("string", optional=True, default="d")}), {"k": None}), None),
        *with_headers(),
    ]
    return [{**line, "timestamp": 1_600_000_000_000 + number} for number, line in enumerate(lines)]


def with_headers() -> list[Line]:
    """Two records whose headers have all kinds of schemas."""
    headers = [[name, message(part, values[1])] for name, (part, values) in (SCALARS | NESTED).items()]
    line = _line("headers", message(TEXT, "k"), message(TEXT, "v"))
    return [{**line, "headers": headers}, {**line, "headers": [*headers[:3], ["last", message(TEXT, "text")]]}]


def _line(topic: str, key: Message | None, value: Message | None) -> Line:
    return {"topic": topic, "partition": None, "key": key, "value": value, "headers": []}
