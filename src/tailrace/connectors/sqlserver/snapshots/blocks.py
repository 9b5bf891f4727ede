"""Blocks of rows as they were read: Arrow batches, of which values are made when they are wanted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.sqlserver.snapshots.bounds import key_vectors
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable


class ReadRows:
    """A `Block` of one table.

    Attributes:
        bytes: how much memory it takes.

    """

    def __init__(self, table: ReadTable, batch: pa.RecordBatch) -> None:
        """`batch` has what `table.selects` says."""
        self._table = table
        self._arrays, of_key = table.split(batch.columns)
        self._count = int(batch.num_rows)
        self.bytes = int(batch.nbytes)
        self.keys: list[Vector] = [] if table.key is None else key_vectors(table.key, of_key)

    def __len__(self) -> int:
        return self._count

    @property
    def columns(self) -> list[Vector | None]:
        """A vector for each column of the structure, None for one that is not read."""
        return self._table.columns(self._arrays)

    @property
    def rows(self) -> INT32:
        """Each row is where it is."""
        return np.arange(self._count, dtype=np.int32)
