"""Nulls: those that are no key or value at all, and those that a schema does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from tailrace.changes.layouts import Array, Constant, Layout, fills_nulls
from tailrace.changes.source_records import AnyColumn, Mask, Objects
from tailrace.changes.vectors import Vector
from tailrace.encoding.render import Roles


class NullError(ValueError):
    """A value is null that must not be.

    Attributes:
        record: its index.
        name: of the value.

    """

    def __init__(self, record: int, name: str) -> None:
        super().__init__(f"{name} is null in record {record}")
        self.record = record
        self.name = name


def whole_nulls(layout: Layout, columns: Sequence[AnyColumn], roles: Roles) -> Mask | None:
    """Which records are null as a whole, shape (n,); None: there are none. Such a null is no datum, but no value at all."""
    root = layout.root
    if fills_nulls(root):
        return None
    if isinstance(root, Constant):
        return np.ones(roles.shape[1], np.bool_) if root.value is None else None
    if root.role is None:
        return None
    rows = roles[root.role]
    nulls = rows < 0
    if root.slot is not None and not isinstance(root, Array):
        there = _is_there(columns[root.slot])
        nulls |= ~there[rows] if len(there) else True
    return nulls if nulls.any() else None


def _is_there(column: AnyColumn) -> Mask:
    if isinstance(column, Objects):
        return np.array([value is not None for value in column.values], np.bool_)
    return cast("Vector", column).is_valid()
