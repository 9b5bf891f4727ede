"""A selection: runs a statement and returns its rows as blocks of vectors.

Memory is bounded: a block has at most `limit` rows and about 4 MB, or one longer row. Yielded blocks stay
valid, and their memory is reused once nothing refers to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, Self

import numpy as np

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.out_of_range import OutOfRangeError, refuse_out_of_range, warn_out_of_range
from tailrace.connectors.mysql.rows import RowDecoder, RowImages
from tailrace.connectors.mysql.rows.images import RowError
from tailrace.connectors.mysql.rows.scan import WRITE
from tailrace.connectors.mysql.selecting import transcoding as t
from tailrace.connectors.mysql.selecting.plans import SelectPlans
from tailrace.connectors.mysql.selecting.program import Block, program
from tailrace.connectors.mysql.selecting.protocol import Parameter
from tailrace.connectors.mysql.selecting.statement import Statement
from tailrace.errors import LogFormatError, StructureError, TailraceError, UnsupportedError

DEFAULT_LIMIT: Final = 1 << 16


@dataclass(slots=True)
class SelectedRows:
    """Some rows, in the order of the result.

    Attributes:
        images: in the form of inserts: `after` counts up, `op` is `c`; a vector for each of the table's
            columns, None for one that is not wanted.
        keys: the raw vectors of the key's columns, for `key_bytes`.

    """

    images: RowImages
    keys: list[Vector]

    def __len__(self) -> int:
        return len(self.images)

    @property
    def columns(self) -> list[Vector | None]:
        """A vector for each of the table's columns, None for one that is not wanted."""
        return self.images.vectors

    @property
    def rows(self) -> INT32:
        """The index of each row's values in the vectors, shape (n,)."""
        return self.images.after


class Selection:
    """The rows of one statement, which must select `plans.select_list`; not thread-safe.

    After the last row the connection is free again. A selection that is closed earlier, or fails within
    its rows, closes the connection.
    """

    def __init__(
        self,
        connection: Connection,
        sql: str,
        parameters: Sequence[Parameter],
        plans: SelectPlans,
        *,
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        """Run the statement.

        Raises:
            StructureError: the server's columns are not those of the structure; the connection stays free.
            UnsupportedError: a column can not be read.
            TailraceError: the server refuses the statement, or the connection is lost.

        """
        self._plans = plans
        self._limit = max(limit, 2)
        self._statement = Statement(connection, sql)
        try:
            self._bind()
        except TailraceError:
            self._statement.close()
            raise
        self._statement.execute(parameters)
        try:
            self._bind()  # again: DDL may have come in between
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the selection, and close the connection unless all rows were read."""
        self._statement.abandon()

    def images(self) -> Iterator[SelectedRows]:
        """The rows, block by block; call it once.

        Raises:
            RetriableError: the connection was lost.
            StructureError: a value has no place in the structure known.
            TailraceError: the server ended the rows with an error.

        """
        try:
            yield from self._blocks()
        except BaseException:
            self.close()
            raise

    def _bind(self) -> None:
        plans = self._plans
        bound = plans.bound(self._statement.definitions)
        try:
            self._decoder = RowDecoder(bound)
        except UnsupportedError as error:
            raise UnsupportedError(f"{plans.table.id}: {error}") from error
        self._program = program(bound[: len(plans.selected)], plans.repeated)

    def _blocks(self) -> Iterator[SelectedRows]:
        packets = self._statement.packets
        block = Block(self._program, self._limit)
        while True:
            status, packets.start = block.fill(packets.data, packets.start, packets.end)
            if status == t.MORE:
                packets.need(block.needed)
            elif status == t.FULL:
                yield from self._decoded(block)
                block = Block(self._program, self._limit, block.needed)
            elif status == t.LONG:
                begin, stop = packets.long_packet()
                if not block.has_room(stop - begin):
                    yield from self._decoded(block)
                    block = Block(self._program, self._limit, stop - begin)
                if block.add(packets.data, begin, stop) != t.MORE:
                    raise self._damaged(block)
            elif status == t.END:
                break
            else:
                raise self._damaged(block)
        self._statement.end()
        yield from self._decoded(block)

    def _decoded(self, block: Block) -> Iterator[SelectedRows]:
        if block.rows == 0:
            return
        body, end, kind = (np.array([number], np.int64) for number in (0, block.end, WRITE))
        try:
            for images in self._decoder.batches(block.data, body, end, kind, block.rows):
                yield self._checked(self._split(images))
        except RowError as error:
            raise StructureError(
                f"{self._plans.table.id}: a selected row does not fit the structure known: {error}"
            ) from error

    def _checked(self, rows: SelectedRows) -> SelectedRows:
        plans = self._plans
        try:
            refuse_out_of_range(plans.table, rows.images, plans.settings)
        except OutOfRangeError as error:
            raise StructureError(f"{plans.table.id}: a selected row can't be shown: {error}") from error
        warn_out_of_range(plans.table, rows.images, plans.settings)
        return rows

    def _split(self, images: RowImages) -> SelectedRows:
        """Split the table's columns from those of the key after them."""
        plans = self._plans
        vectors: list[Vector | None] = [None] * len(plans.table.columns)
        for index, vector in zip(plans.selected, images.vectors, strict=False):
            vectors[index] = vector
        keys = [vector for vector in images.vectors[len(plans.selected) :] if vector is not None]
        return SelectedRows(replace(images, vectors=vectors), keys)

    def _damaged(self, block: Block) -> TailraceError:
        plans = self._plans
        if block.column >= len(plans.selected):
            return LogFormatError(f"{plans.table.id}: a selected row is longer than its columns")
        column = plans.table.columns[plans.selected[block.column]]
        return StructureError(
            f"{plans.table.id}: a selected row has a value of the column {column.name} that has no place in "
            f"{column.type_name}, as which it is known"
        )
