"""Debezium's envelopes, as transforms see them: which records have one, and with which of their two images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from tailrace.changes.field_paths import is_null
from tailrace.changes.layouts import Struct
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.schema.connect import Schema

OPERATION: Final = "op"
BEFORE: Final = "before"
AFTER: Final = "after"


def is_envelope(schema: Schema) -> bool:
    """Whether a value's schema is an envelope's; Debezium decides by the name."""
    return schema.name is not None and schema.name.endswith("Envelope")


@dataclass(frozen=True, slots=True)
class Images:
    """Which images the envelopes of records have, each of shape (n,)."""

    before: Mask
    after: Mask


def images_of(records: SourceRecords) -> Images:
    """The images of records whose values are envelopes."""
    root = cast("Struct", records.value.root)
    found = []
    for name in (BEFORE, AFTER):
        node = root.field(name)
        found.append(np.zeros(len(records), np.bool_) if node is None else ~is_null(records, node))
    return Images(*found)
