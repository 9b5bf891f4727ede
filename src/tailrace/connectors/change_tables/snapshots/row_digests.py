"""Digests of whole rows, the same for a row that is selected and for its image in a change table.

Computed columns don't count, as change tables have nothing of them. A digest stands for the structure too: rows of before and
behind a change of the columns are never equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Kind, Vector
from tailrace.connectors.change_tables.snapshots.databases import ReadTable
from tailrace.snapshot.digests import HASH_KEY, Digests, digests_of
from tailrace.snapshot.key_bytes import key_bytes

KEY_BYTES: Final = 16
_FLOATS: Final = {Kind.FLOAT32: np.int32, Kind.FLOAT64: np.int64}


def row_digests(read: ReadTable, columns: Sequence[Vector | None], places: INT32) -> Digests:
    """Of rows as columns of a structure, shape (n, 2); `places`: where each row is in them, -1 for those that are alike."""
    used = [i for i in read.selected if not read.table.columns[i].generated]
    layout = [(each.name, each.type_name, each.length, each.scale) for each in (read.table.columns[i] for i in used)]
    key = hashlib.sha256(HASH_KEY + repr(layout).encode()).digest()[:KEY_BYTES]
    vectors = [_comparable(vector) for i in used if (vector := columns[i]) is not None]
    found = np.zeros((len(places), 2), np.uint64)
    found[places >= 0] = digests_of(key_bytes(vectors), key)[places[places >= 0]]
    return found


def _comparable(vector: Vector) -> Vector:
    """As numbers or texts."""
    if vector.kind is Kind.BOOL:
        return Vector(Kind.INT, vector.length, vector.data, vector.valid)
    if vector.kind in _FLOATS:
        bits = np.ascontiguousarray(vector.data).view(_FLOATS[vector.kind]).astype(np.int64)
        return Vector(Kind.INT, vector.length, bits, vector.valid)
    return vector
