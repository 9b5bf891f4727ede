"""Blocks of rows: Arrow batches, as they were read, whose values are decoded on demand.

Blocks that wait for the log may be compressed meanwhile, because many are held at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.snapshots.bounds import bound_at, key_vectors
from tailrace.connectors.change_tables.snapshots.databases import ReadTable
from tailrace.snapshot.segments import Bound

BLOCK_BYTES: Final = 4 << 20
BLOCK_ROWS: Final = 1 << 14
FIRST_WIDE_ROWS: Final = 1 << 5
GROWTH: Final = 4  # from block to block, at most
_PACKING: Final = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))


class ReadRows:
    """A `Block` of one table.

    Attributes:
        bytes: the size of the rows as they were read.
        held_bytes: their size while they wait.

    """

    def __init__(self, table: ReadTable, batch: pa.RecordBatch, *, packs: bool = False) -> None:
        """`batch` has the selected columns; with `packs` it is compressed until its values are needed."""
        self._table = table
        self._count = int(batch.num_rows)
        # The next chunk begins after the last key, which must be known while the block is compressed.
        self._last = None if table.key is None else self._bound_of(batch, self._count - 1)
        self._batch: pa.RecordBatch | None = None if packs else batch
        self._packed: pa.Buffer | None = _packed(batch) if packs else None
        self._places: INT32 | None = None
        self.bytes = self.held_bytes = int(batch.nbytes)
        if self._packed is not None:
            self.held_bytes = int(self._packed.size)

    def __len__(self) -> int:
        return self._count

    @property
    def columns(self) -> list[Vector | None]:
        """A vector for each column of the structure; None if the column is not selected."""
        arrays = self._table.split(self._unpacked().columns)[0]
        columns, self._places = self._table.convertible_values(arrays, self._count, self._named)
        return columns

    @property
    def keys(self) -> Sequence[Vector]:
        """The columns that identify a row, as `key_bytes` takes them."""
        found, key = self._keys_of(self._unpacked()), self._table.key
        return found if key is None else key.identifying(found)

    @property
    def rows(self) -> INT32:
        """The index of each row in the last `columns`; -1: it can't be converted."""
        return np.arange(self._count, dtype=np.int32) if self._places is None else self._places

    def bound(self, row: int) -> Bound | None:
        """The key of a row; None without a key. That of the last row is known without decompressing the others."""
        if self._last is None or row == self._count - 1:
            return self._last
        return self._bound_of(self._unpacked(), row)

    def _named(self, row: int) -> str:
        """The name of a row in messages."""
        key = self._table.key
        if key is None:
            return "a row of a table without a key"
        return f"the row with the key {', '.join(key.names)} = {', '.join(map(str, self.bound(row) or ()))}"

    def _unpacked(self) -> pa.RecordBatch:
        """The batch, decompressed for good: it is delivered next."""
        if self._batch is None:
            self._batch, self._packed = pa.ipc.open_stream(self._packed).read_next_batch(), None
        return self._batch

    def _keys_of(self, batch: pa.RecordBatch) -> list[Vector]:
        key = self._table.key
        return [] if key is None else key_vectors(key, self._table.split(batch.columns)[1])

    def _bound_of(self, batch: pa.RecordBatch, row: int) -> Bound | None:
        key = self._table.key
        return None if key is None else bound_at(key, self._keys_of(batch.slice(row, 1)), 0)


def blocks_of(
    read: ReadTable, batches: Callable[[Callable[[], int]], Iterable[pa.RecordBatch]]
) -> Iterator[ReadRows]:
    """All rows of a query in blocks of some megabytes; `batches` executes it, and asks how many rows come next."""
    rows = [FIRST_WIDE_ROWS if read.is_wide else BLOCK_ROWS]
    for batch in batches(lambda: rows[-1]):
        aimed = BLOCK_BYTES * batch.num_rows // max(int(batch.nbytes), 1)
        rows[:] = [max(1, min(aimed, rows[-1] * GROWTH, BLOCK_ROWS))]
        yield ReadRows(read, batch)


def _packed(batch: pa.RecordBatch) -> pa.Buffer:
    """A batch as a compressed Arrow stream; column names may be duplicates."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_PACKING) as stream:
        stream.write_batch(batch)
    return pa.py_buffer(sink.getvalue().to_pybytes())  # the sink's own buffer may be twice as large
