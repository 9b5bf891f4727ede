"""Encoders: from columns and Connect schemas to bytes."""

from __future__ import annotations

from typing import Protocol, TypeVar

from tailrace.changes.source_records import SourceRecords

T_co = TypeVar("T_co", covariant=True)


class Encoder(Protocol[T_co]):
    """A format of keys, values and headers.

    It knows layouts and columns and nothing of where they came from. What it makes of a layout it may keep as long as the
    layout is there.
    """

    def encode(self, records: SourceRecords) -> T_co:
        """The same records in the same order: `Records`, of bytes, where it is a sink that takes them."""
