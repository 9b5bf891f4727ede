"""Rows as of one position, as changes: the read events of a snapshot.

Their source block has the position that the snapshot is of, and says in `snapshot` where in it a row stands.
"""

from __future__ import annotations

import numpy as np

from tailrace.changes.model import INT32, READ, Changes, Fact, Level
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of
from tailrace.config.settings import Settings
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.connectors.mysql.schema_records import source_times
from tailrace.schema.tables import TableId


class ReadChanges:
    """Makes changes of rows as they were at one position."""

    def __init__(self, settings: Settings, position: RestartPosition) -> None:
        self._settings = settings
        numbers = {"server_id": 0, "pos": position.pos, "row": 0}
        self._source = {name: _for_all(integers(np.array([number]))) for name, number in numbers.items()}
        self._source |= {"gtid": _for_all(vector_of([None])), "file": _for_all(vector_of([position.file.encode()]))}
        place = (position.era, file_number(position.file), position.pos, 0)
        self._position = tuple(_for_all(integers(np.array([number]))) for number in place)
        self._is_flag = settings.tailrace_event_shape == source_block.SHAPE_2_1

    def of(self, table: TableId, columns: list[Vector | None], rows: INT32, mark: str, read_us: int) -> Changes:
        """The changes that rows become.

        Args:
            table: whose.
            columns: of its structure, over all rows.
            rows: which of them, in order; shape (n,).
            mark: what `source.snapshot` says of them.
            read_us: when they were read, microseconds since the epoch; told as it is.

        """
        n = len(rows)
        nothing = np.zeros(n, np.int32)
        constants = source_block.constants(self._settings, table.catalog, table.name)
        return Changes(
            columns=columns,
            before=np.full(n, -1, np.int32),
            after=np.ascontiguousarray(rows, np.int32),
            op=np.full(n, READ, np.uint8),
            event=nothing,
            transaction=nothing,
            source={**self._source, **_times(read_us), "snapshot": self._told(mark)},
            constants={"thread": None, "query": None, **constants},
            position=self._position,
            log_order=np.arange(n, dtype=np.int64),
        )

    def _told(self, mark: str) -> Fact:
        if self._is_flag:
            return _for_all(Vector(Kind.BOOL, 1, np.ones(1, np.int64)))
        return _for_all(vector_of([mark.encode()]))


def _times(read_us: int) -> dict[str, Fact]:
    return {name: _for_all(integers(np.array([value]))) for name, value in source_times(read_us).items()}


def _for_all(vector: Vector) -> Fact:
    return Fact(vector, Level.BATCH)
