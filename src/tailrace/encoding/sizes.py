"""How many bytes records become, before they are encoded: what batches are limited by.

Of messages with schemas, most of which is the schema, only the number of records and what is the same in all of them
counts for much, and that is known of each layout. What columns hold is told by the events (`Outline`).
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from tailrace.changes.layouts import Array, Constant, Layout, Node, Struct
from tailrace.changes.outline import Outline
from tailrace.encoding.connect_json import value_json
from tailrace.encoding.json import JsonFormat


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
