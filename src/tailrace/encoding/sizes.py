"""How many bytes records become, before they are encoded: what batches are limited by.

Of messages with schemas, most of which is the schema, only the number of records and what is the same in all of them
counts for much, and that is known of each layout. What columns hold is told by the events (`Outline`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from tailrace.changes.layouts import Array, Constant, Layout, Node, Struct
from tailrace.changes.vectors import Kind, Vector
from tailrace.encoding.connect_json import value_json
from tailrace.encoding.json import JsonFormat

NUMBER: Final = 8  # bytes of a number as text, about


@dataclass(slots=True)
class Outline:
    """What is known of records that are not made yet.

    Attributes:
        count: how many there are.
        key: the layout of their keys; None: there are none.
        value: the layout of their values.
        content: about as many bytes as the values of columns take as text, in all records.
        memory: about as many bytes as the columns take.

    """

    count: int
    key: Layout | None
    value: Layout
    content: int
    memory: int


class JsonSizes:
    """Reckons with the formats of keys and values."""

    def __init__(self, key: JsonFormat, value: JsonFormat) -> None:
        self._keys = _Frames(key)
        self._values = _Frames(value)

    def of(self, outline: Outline) -> int:
        """The larger of what is held in columns and what is made of it."""
        frames = self._values.of(outline.value) + (0 if outline.key is None else self._keys.of(outline.key))
        return max(outline.memory, outline.content + outline.count * frames)


class _Frames:
    """What each message of a layout has besides the values of columns."""

    def __init__(self, format_: JsonFormat) -> None:
        self._format = format_
        self._known: WeakKeyDictionary[Layout, int] = WeakKeyDictionary()

    def of(self, layout: Layout) -> int:
        found = self._known.get(layout)
        if found is None:
            schema = len(self._format.prefix(layout.schema)) + len(self._format.suffix)
            found = self._known[layout] = schema + _frame(layout.root)
        return found


def _frame(node: Node) -> int:
    """Names and punctuation; of two structs that may be null, an image before and one after, most often one is there."""
    if isinstance(node, Constant):
        return len(value_json(node.schema, node.value))
    if not isinstance(node, Struct):
        return 2 if not isinstance(node, Array) else 4
    names = sum(len(field.name.encode()) + 4 for field in node.schema.fields)
    whole = 2 + names + sum(_frame(each) for each in node.fields)
    return whole if node.role is None else whole // 2


_FEW: Final = 8


def content_of(vectors: Sequence[Vector]) -> tuple[int, int]:
    """About how many bytes the values of vectors take as text, and how many in memory."""
    content = memory = 0
    for vector in vectors:
        kind = vector.kind
        if kind is Kind.TEXT or kind is Kind.BYTES:
            length = _text_bytes(vector)
            content += length if kind is Kind.TEXT else length * 4 // 3
            memory += length + 16 * vector.length
        else:
            numbers = vector.children[0].length if kind is Kind.LIST else vector.length
            content += NUMBER * numbers
            memory += 8 * numbers
    return content, memory


def _text_bytes(vector: Vector) -> int:
    """How long all texts are together: the sum of the views' first words."""
    if vector.length > _FEW:
        return int(np.add.reduce(vector.data[:, 0], dtype=np.int64))
    word = vector.data.item  # cheaper than numpy's sum, which small batches would feel
    return sum(word(4 * i) for i in range(vector.length))
