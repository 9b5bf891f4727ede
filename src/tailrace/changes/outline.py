"""Outlines: the estimated size of records before they are made, by which batches are limited."""

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
    """The estimated size of records that are not made yet.

    Attributes:
        count: the number of records.
        key: the layout of their keys; None without keys.
        value: the layout of their values.
        content: bytes of the columns' values as text, in all records; an estimate.
        memory: bytes of the columns; an estimate.

    """

    count: int
    key: Layout | None
    value: Layout
    content: int
    memory: int


class Sizes(Protocol):
    """Estimates sizes in an encoder's format."""

    def of(self, outline: Outline) -> int:
        """The estimated bytes of records: the larger of their columns' memory and their encoded size."""


_FEW: Final = 64  # texts, of which Python's sum is faster than numpy's, which small batches would feel
_TEXT, _BYTES, _LIST = Kind.TEXT, Kind.BYTES, Kind.LIST


def content_of(vectors: Sequence[Vector]) -> tuple[int, int]:
    """The estimated bytes of vectors: of their values as text, and in memory."""
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
