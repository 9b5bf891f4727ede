"""Arrays: all items of all lists of a column are written in one pass, and then cut into lists."""

from __future__ import annotations

from typing import cast

import numpy as np

from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists
from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.changes.views import vector_over
from tailrace.encoding.registered.nulls import NullError
from tailrace.encoding.registered.program_columns import Items
from tailrace.errors import DeliveryError


def joined_items(program: Items, valid: Bytes | None, column: AnyColumn) -> Vector:
    """What the items of each list are, one after the other; nothing where it is empty.

    Args:
        program: writes an item.
        valid: which lists are not null; None: all.
        column: the lists.

    Raises:
        DeliveryError: an item is null.

    """
    lists = cast("Lists", column)
    try:
        pieces = program.render(lists.columns, lists.roles)
    except NullError as error:
        raise DeliveryError(f"{error.name} is null, which an item of an array in Protobuf can't be") from None
    data = pieces.data if len(pieces.data) else np.zeros(1, np.uint8)  # addresses are taken of it
    made = vector_over(Binary(data, pieces.offsets[lists.offsets]), Kind.BYTES)
    made.valid = valid
    return made
