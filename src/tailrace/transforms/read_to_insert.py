"""ReadToInsertEvent: rows of a snapshot look like inserts.

Source: Debezium's reference of the MySQL connector; comparison with the real one (tests/formats/test_read_to_insert.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from tailrace.changes.envelopes import is_envelope
from tailrace.changes.field_paths import path_to, series
from tailrace.changes.layout_edits import Edits, named_nodes, with_columns, with_fields
from tailrace.changes.layouts import Column, Layout, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import from_arrow
from tailrace.transforms.spec import Making, TransformSpec


class ReadToInsertEvent:
    """The `Transform`."""

    def __init__(self, _making: Making) -> None:
        self._values = Edits(_value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records, with `c` for `r`."""
        op = path_to(records.value.root, ("op",)) if is_envelope(records.value.schema) else None
        if op is None or not len(records):
            return (records,)
        ops = series(records, op).cast(pl.String).replace("r", "c")
        value = self._values.of(records.value, len(records.columns), len(records.roles))
        made = with_columns(records, [from_arrow(ops.to_arrow())], [np.arange(len(records), dtype=np.int32)])
        return (replace(made, value=value),)


def _value(layout: Layout, slot: int, role: int) -> Layout:
    root = layout.root
    if not isinstance(root, Struct):
        raise TypeError("an envelope is a struct")
    pairs = [(name, Column(node.schema, slot, role) if name == "op" else node) for name, node in named_nodes(root)]
    return Layout(with_fields(root, pairs), layout.lasting)


SPEC = TransformSpec(
    name="io.debezium.connector.mysql.transforms.ReadToInsertEvent",
    doc="Rows of a snapshot, whose `op` is `r`, get that of inserts, `c`.",
    make=ReadToInsertEvent,
)
