"""The options of the converter that change schemas and data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtobufOptions:
    """How Connect schemas and values become Protobuf.

    Attributes:
        optional_fields: whether fields that may be null are `optional` (`optional.for.nullables`), so that zero is written.
        wrappers: whether fields of scalars that may be null are messages around a scalar (`wrapper.for.nullables`).
        scrub: whether names that Protobuf forbids are replaced (`scrub.invalid.names`); else they are an error.
        keep_nulls: whether a null in a field with a default stays null (`ignore.default.for.nullables`); else the default
            is written.

    """

    optional_fields: bool = False
    wrappers: bool = False
    scrub: bool = False
    keep_nulls: bool = False
