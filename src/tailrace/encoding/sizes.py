"""Estimates the encoded size of records before they are encoded; batches are limited by it.

With schemas most of a message is its schema, which is constant for a layout, so the number of records and the constant
parts give most of the size. The size of the values is estimated from the events' columns (`Outline`).
"""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from tailrace.changes.layouts import Layout
from tailrace.changes.outline import Outline
from tailrace.encoding.json_format import JsonFormat
from tailrace.schema.connect import Schema, Type

_VALUE: Final = 2  # bytes of a value besides what its column has: quotes


class JsonSizes:
    """Sizes in the JSON formats of keys and values."""

    def __init__(self, key: JsonFormat, value: JsonFormat) -> None:
        self._keys = _Frames(key)
        self._values = _Frames(value)

    def of(self, outline: Outline) -> int:
        """The larger of the memory that the columns hold and their encoded size, in bytes."""
        frames = self._values.of(outline.value) + (0 if outline.key is None else self._keys.of(outline.key))
        return max(outline.memory, outline.content + outline.count * frames)


class _Frames:
    """The bytes of each message of a layout besides the values of its columns."""

    def __init__(self, format_: JsonFormat) -> None:
        self._format = format_
        self._known: WeakKeyDictionary[Layout, int] = WeakKeyDictionary()

    def of(self, layout: Layout) -> int:
        found = self._known.get(layout)
        if found is None:
            schema = len(self._format.prefix(layout.schema)) + len(self._format.suffix)
            found = self._known[layout] = schema + _frame(layout.schema)
        return found


def _frame(schema: Schema) -> int:
    """Names and punctuation; of two structs that may be null, an image before and one after, most often one is there."""
    if schema.type is not Type.STRUCT:
        return _VALUE
    whole = 2
    for field in schema.fields:
        whole += len(field.name) + 4 + (_VALUE if field.schema.type is not Type.STRUCT else _frame(field.schema))
    return whole // 2 if schema.optional else whole
