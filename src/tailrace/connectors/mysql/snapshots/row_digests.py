"""Digests of whole rows, equal for a selected row and its image in the log.

A digest depends on the structure too: rows from before and after a change of the columns are never equal.

JSON has to be normalised value by value, which would be slow for a large table. Only a row that equals an image of the
log in all other columns must be compared by its JSON too. Any other row gets the digest of the other columns, which no
image has. So the images must be known before the rows are digested.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.rows.fallbacks import texts_of_views
from tailrace.connectors.mysql.selecting import json_form
from tailrace.schema.tables import Column, Table
from tailrace.snapshot.digests import HASH_KEY, Digests, digests_of
from tailrace.snapshot.first_changes import Rows
from tailrace.snapshot.key_bytes import key_bytes
from tailrace.snapshot.key_set import KeySet

KEY_BYTES: Final = 16
LENGTH_BYTES: Final = 4
NULL: Final = b"\xff" * LENGTH_BYTES


class RowDigests:
    """The digests of one table; remembers the images of the log."""

    def __init__(self) -> None:
        self._plain = KeySet()

    def of_images(self, table: Table, columns: Sequence[int], vectors: Sequence[Vector]) -> Digests:
        """Digests of the log's images, shape (n, 2).

        Args:
            table: the structure.
            columns: indices of the columns that count, at least one.
            vectors: their raw values over the images.

        """
        of = _Layout(table, columns, vectors)
        if not of.jsons:
            return of.plain
        self._plain.add(of.plain)
        return of.with_json(np.arange(len(of.plain)))

    def of_selected(self, table: Table, columns: Sequence[int], vectors: Sequence[Vector]) -> Digests:
        """Digests of selected rows, shape (n, 2); call it when all images are known that they may equal."""
        of = _Layout(table, columns, vectors)
        if not of.jsons:
            return of.plain
        like = np.flatnonzero(self._plain.contains(of.plain))
        found = of.plain
        # Only these rows may equal an image, so only their JSON has to be parsed.
        found[like] = of.with_json(like)
        return found


class _Layout:
    """The rows of one structure: `plain` are their digests without JSON, `jsons` their JSON columns."""

    def __init__(self, table: Table, columns: Sequence[int], vectors: Sequence[Vector]) -> None:
        used = [table.columns[i] for i in columns]
        is_json = [column.type_name.upper() == "JSON" for column in used]
        self.jsons = [vector for vector, found in zip(vectors, is_json, strict=True) if found]
        others = [vector for vector, found in zip(vectors, is_json, strict=True) if not found]
        self._key = _hash_key(used, "whole")
        plain = _hash_key(used, "without JSON") if self.jsons else self._key
        rows = vectors[0].length
        self.plain = digests_of(key_bytes(others), plain) if others else np.ones((rows, 2), np.uint64)

    def with_json(self, rows: Rows) -> Digests:
        """Digests of some rows, with their JSON."""
        parts = [[digest.tobytes() for digest in self.plain[rows]], *(_forms(vector, rows) for vector in self.jsons)]
        texts = [b"".join(of_row) for of_row in zip(*parts, strict=True)]
        offsets = np.cumsum([0, *map(len, texts)])
        return digests_of(Binary(np.frombuffer(b"".join(texts), np.uint8), offsets), self._key)


def _forms(vector: Vector, rows: Rows) -> list[bytes]:
    """Normalised documents, each preceded by its length."""
    valid = vector.is_valid()[rows]
    texts = iter(texts_of_views(vector.data, vector.buffers, rows[valid]))
    return [_prefixed(json_form(next(texts))) if is_there else NULL for is_there in valid]


def _prefixed(text: bytes) -> bytes:
    # The length before each text keeps the texts of adjacent columns apart.
    return len(text).to_bytes(LENGTH_BYTES, "little") + text


def _hash_key(columns: Sequence[Column], what: str) -> bytes:
    layout = [(each.name, each.type_name, each.length, each.scale, each.charset, each.enum_values) for each in columns]
    return hashlib.sha256(HASH_KEY + repr((what, layout)).encode()).digest()[:KEY_BYTES]
