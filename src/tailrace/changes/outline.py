"""Outlines: what is known of the size of records before they are made, so that batches can be limited by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from tailrace.changes.layouts import Layout
from tailrace.changes.vectors import Kind, Vector

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


class Sizes(Protocol):
    """Reckons with an encoder's format."""

    def of(self, outline: Outline) -> int:
        """About how many bytes records take: the larger of what is held in columns and what is made of it."""


_FEW: Final = 64  # texts, of which Python's sum is faster than numpy's, which small batches would feel
_TEXT, _BYTES, _LIST = Kind.TEXT, Kind.BYTES, Kind.LIST


def content_of(vectors: Sequence[Vector]) -> tuple[int, int]:
    """About how many bytes the values of vectors take as text, and how many in memory."""
    content = memory = 0
    for vector in vectors:
        kind = vector.kind
        if kind is _TEXT or kind is _BYTES:
            length = _text_bytes(vector)
            content += length if kind is _TEXT else length * 4 // 3
            memory += length + 16 * vector.length
        else:
            numbers = vector.children[0].length if kind is _LIST else vector.length
            content += NUMBER * numbers
            memory += 8 * numbers
    return content, memory


def _text_bytes(vector: Vector) -> int:
    """How long all texts are together: the sum of the views' first words."""
    lengths = vector.data[:, 0]
    return sum(lengths.tolist()) if vector.length <= _FEW else int(np.add.reduce(lengths, dtype=np.int64))
