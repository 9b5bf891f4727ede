"""Digests of whole rows, equal for a selected row and its image in a change table.

Computed columns don't count, because change tables have no values for them. A digest depends on the structure too: rows
from before and after a change of the columns are never equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
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
    """Digests of rows, shape (n, 2); `places`: the index of each row in the columns, -1 for a row without values."""
    used = [i for i in read.selected if not read.table.columns[i].generated]
    layout = [(each.name, each.type_name, each.length, each.scale) for each in (read.table.columns[i] for i in used)]
    key = hashlib.sha256(HASH_KEY + repr(layout).encode()).digest()[:KEY_BYTES]
    vectors = [each for i in used if (vector := columns[i]) is not None for each in _comparable(vector)]
    found = np.zeros((len(places), 2), np.uint64)
    found[places >= 0] = digests_of(key_bytes(vectors), key)[places[places >= 0]]
    return found


def _comparable(vector: Vector) -> Iterator[Vector]:
    """The vector as numbers and texts; a float by its bits, since -0.0 and NaN must compare by identity."""
    if vector.kind is Kind.STRUCT:
        yield Vector(Kind.INT, vector.length, vector.is_valid().astype(np.int64))
        for child in vector.children:
            yield from _comparable(child)
    elif vector.kind is Kind.BOOL:
        yield Vector(Kind.INT, vector.length, vector.data, vector.valid)
    elif vector.kind in _FLOATS:
        bits = np.ascontiguousarray(vector.data).view(_FLOATS[vector.kind]).astype(np.int64)
        yield Vector(Kind.INT, vector.length, bits, vector.valid)
    else:
        yield vector
