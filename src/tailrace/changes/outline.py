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


_FEW: Final = 8


def content_of(vectors: Sequence[Vector]) -> tuple[int, int]:
    """The estimated bytes of vectors: of their values as text, and in memory."""
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
