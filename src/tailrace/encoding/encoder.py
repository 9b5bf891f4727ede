"""Encoders: from columns and Connect schemas to bytes."""

from __future__ import annotations

from typing import Protocol, TypeVar

from tailrace.changes.source_records import SourceRecords

T = TypeVar("T")


class Encoder(Protocol[T]):
    """A format of keys, values and headers.

    It knows layouts and columns and nothing of where they came from. What it makes of a layout it may keep as long as the
    layout is there.
    """

    def encode(self, records: SourceRecords) -> T:
        """The same records in the same order: `Records`, of bytes, where it is a sink that takes them."""
        ...

    def size(self, encoded: T) -> int:
        """How many bytes that is."""
        ...
