"""TRUNCATE TABLE: a change without a row, made from a statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tailrace.changes.model import TRUNCATE, Changes, Fact, Level
from tailrace.changes.vectors import Vector, integers
from tailrace.changes.views import vector_of
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.positions import file_number
from tailrace.connectors.mysql.schema_records import source_of
from tailrace.connectors.shared.source_blocks import source_times


def truncation_of(
    columns: Sequence[Vector], query: Query, era: int, constants: Mapping[str, str | None], rank: int
) -> Changes:
    """The one change that says that a table was emptied; `columns` hold no values.

    Args:
        columns: of the table, empty.
        query: the statement.
        era: of its position.
        constants: the fields of the source block that never change.
        rank: how many events came before it in the same batch.

    """
    given = source_of(query)
    ts_ms, gtid = given["ts_ms"], given["gtid"]
    numbers = source_times(ts_ms * 1000)
    numbers |= {"server_id": query.server_id, "pos": query.start, "row": 0, "thread": query.thread}
    texts = {"gtid": None if gtid is None else gtid.encode(), "file": query.file.encode()}
    source = {name: Fact(integers(np.array([number])), Level.BATCH) for name, number in numbers.items()}
    source |= {name: Fact(vector_of([text]), Level.BATCH) for name, text in texts.items()}
    place = (era, file_number(query.file), query.start, 0)
    none, first = np.full(1, -1, np.int32), np.zeros(1, np.int32)
    return Changes(
        columns=list(columns),
        before=none,
        after=none,
        op=np.array([TRUNCATE], np.uint8),
        event=first,
        transaction=first,
        source=source,
        constants={"query": None, **constants},
        position=tuple(Fact(integers(np.array([piece])), Level.BATCH) for piece in place),
        log_order=np.array([rank << 32], np.int64),
    )
