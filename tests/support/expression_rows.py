"""Change events for expressions, as lines with schemas: columns of every type, nulls, zeros, a tombstone, a header."""

import base64


def schema(type_, field=None, *, optional=True, **others):
    """A schema as JsonConverter writes it."""
    named = {} if field is None else {"field": field}
    return {"type": type_, "optional": optional, **others, **named}


def decimal(unscaled):
    """The payload of a Connect Decimal."""
    length = (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
    return base64.b64encode(unscaled.to_bytes(length, "big", signed=True)).decode()


CONNECT = "org.apache.kafka.connect.data."
VARIABLE = [schema("int32", "scale", optional=False), schema("bytes", "value", optional=False)]
COLUMNS = [
    schema("int64", "id", optional=False),
    schema("int32", "i32"),
    schema("int16", "i16"),
    schema("string", "name"),
    schema("boolean", "flag"),
    schema("double", "d"),
    schema("float", "f"),
    schema("bytes", "amt", name=f"{CONNECT}Decimal", version=1, parameters={"scale": "2"}),
    schema("bytes", "b"),
    schema("string", "dflt", default="dd"),
    schema("int32", "date", name=f"{CONNECT}Date", version=1),
    schema("int64", "ts", name=f"{CONNECT}Timestamp", version=1),
    schema("string", "schema"),
    schema("string", "values"),
    schema("struct", "vsd", name="io.debezium.data.VariableScaleDecimal", fields=VARIABLE),
    schema("array", "arr", items=schema("string")),
    schema("string", "class"),
]
SOURCE = [schema("string", name, optional=False) for name in ("table", "schema", "db")]
FIELDS = [
    schema("struct", "before", fields=COLUMNS, name="t.Value"),
    schema("struct", "after", fields=COLUMNS, name="t.Value"),
    schema("struct", "source", fields=SOURCE, optional=False, name="src"),
    schema("string", "op", optional=False),
    schema("int64", "ts_ms"),
]
ENVELOPE = schema("struct", fields=FIELDS, optional=False, name="t.Envelope")
KEY = {
    "schema": schema("struct", fields=[schema("int64", "id", optional=False)], optional=False, name="t.Key"),
    "payload": {"id": 1},
}
FULL = {
    "id": 5, "i32": 7, "i16": 1, "name": "abc", "flag": True, "d": 1.5, "f": 0.1, "amt": decimal(10000), "b": "AAE=", "dflt": None,
    "date": 20000, "ts": 1_700_000_000_000, "schema": "sc", "values": "vv", "vsd": {"scale": 1, "value": "Cg=="}, "arr": ["x"],
    "class": "cc",
}  # fmt: skip
NULLS = {**dict.fromkeys(FULL), "id": 6}
OTHER = {**FULL, "id": (1 << 53) + 1, "name": "1", "i32": 49, "amt": decimal(10050), "flag": False, "d": 100.0}
ZEROS = {**FULL, "id": 0, "name": "", "i32": 0, "i16": 0, "amt": decimal(0), "flag": False, "d": 0.0, "f": 0.0, "date": 0}
TOPIC = "srv.db.t"


def line(op, before, after, headers=()):
    """A change event."""
    source = {"table": "t", "schema": "dbo", "db": "db"}
    payload = {"before": before, "after": after, "source": source, "op": op, "ts_ms": 1}
    return {**TOMBSTONE, "headers": list(headers), "value": {"schema": ENVELOPE, "payload": payload}}


TOMBSTONE = {"topic": TOPIC, "partition": None, "timestamp": 1, "key": KEY, "headers": [], "value": None}
HEADER = ["h", {"schema": schema("string", optional=False), "payload": "hv"}]
LINES = (
    line("c", None, FULL, [HEADER]),
    line("u", NULLS, OTHER),
    line("d", OTHER, None),
    line("c", None, NULLS),
    TOMBSTONE,
    line("u", FULL, ZEROS),
)
