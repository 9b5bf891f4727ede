"""Default values in JSON Schema, as JSON: numbers in the form that Java's libraries give them one after the other."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

import numpy as np

from tailrace.encoding.avro.defaults import bytes_of
from tailrace.encoding.connect_json import value_json
from tailrace.encoding.registered import json_text
from tailrace.schema.connect import Schema, Type


def default_text(schema: Schema, value: Any) -> str:
    """The text of a default; bytes are base64."""
    if schema.type in {Type.FLOAT32, Type.FLOAT64}:
        return _number(json_text.floating(_single(value) if schema.type is Type.FLOAT32 else value, single=_is_single(schema)))
    if schema.type is Type.BYTES:
        return json_text.text(base64.b64encode(bytes_of(schema, value)).decode())
    if schema.type is Type.STRING:
        return json_text.text(value)
    return value_json(schema, value).decode()


def _is_single(schema: Schema) -> bool:
    return schema.type is Type.FLOAT32


def _single(value: float) -> float:
    return float(np.float32(value))


def _number(text: str) -> str:
    """Java's text of a number: org.json takes zeros at its end away, Jackson reads and writes it as a decimal number."""
    if text.startswith('"'):
        return text
    if "E" not in text:
        text = text.rstrip("0").rstrip(".")
    return str(Decimal(text)) if "." in text or "E" in text else text
