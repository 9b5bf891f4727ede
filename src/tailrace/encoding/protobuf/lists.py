"""Arrays: all items of all lists of a column are written in one pass, and then cut into lists."""

from __future__ import annotations

from typing import cast

import numpy as np

from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists
from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.changes.views import vector_over
from tailrace.encoding.avro.readers import Items


def joined_items(program: Items, valid: Bytes | None, column: AnyColumn) -> Vector:
    """What the items of each list are, one after the other; nothing where it is empty.

    Args:
        program: writes an item.
        valid: which lists are not null; None: all.
        column: the lists.

    """
    lists = cast("Lists", column)
    pieces = program.render(lists.columns, lists.roles)
    data = pieces.data if len(pieces.data) else np.zeros(1, np.uint8)  # addresses are taken of it
    made = vector_over(Binary(data, pieces.offsets[lists.offsets]), Kind.BYTES)
    made.valid = valid
    return made
