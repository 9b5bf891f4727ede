"""Row changes without a database: of a table with alternating number and text columns, of which the first is the key."""

import numpy as np

from support.unit_settings import unit_settings
from tailrace.changes.model import Changes, Fact, Level
from tailrace.changes.vectors import integers
from tailrace.changes.views import vector_of
from tailrace.connectors.mysql import source_block
from tailrace.events.shape import Shape, ShapeSettings, position_program
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, Table, TableId

NOW_US = 1_700_000_000_000_000
SETTINGS = unit_settings({"provide.transaction.metadata": True})
POSITIONS = position_program((4, 6), (Level.BATCH, Level.CHANGE), b".")


def shape_of(table="t", columns=2, **settings):
    """The shape of a table with columns `c0`, `c1`, …; `settings` are those of the shape."""
    fields = [Schema(Type.STRING, optional=True) if i % 2 else Schema(Type.INT64) for i in range(columns)]
    structure = Table(
        TableId("shop", "", table),
        tuple(Column(f"c{i}", *(("TEXT", "TEXT", 12) if i % 2 else ("BIGINT", "BIGINT", -5))) for i in range(columns)),
        primary_key=("c0",),
    )
    source = source_block.schema(SETTINGS)
    schemas = table_schemas(structure, fields, fields, source, SETTINGS, Names(SETTINGS))
    return Shape(schemas, ShapeSettings(**settings), POSITIONS)


def changes_of(events, table="t", ranks=None, transactions=None):
    """Changes; `events` are (operation, row before, row after), each row a tuple of a number, a text, a number, …"""
    rows = [row for _, before, after in events for row in (before, after) if row is not None]
    place = iter(range(len(rows)))
    images = [[-1 if row is None else next(place) for row in event[1:]] for event in events]
    n = len(events)
    width = max(map(len, rows), default=2)
    columns = [
        vector_of([None if row[i] is None else row[i].encode() for row in rows])
        if i % 2
        else integers(np.array([row[i] for row in rows], np.int64))
        for i in range(width)
    ]
    transaction = np.array(transactions if transactions is not None else [0] * n, np.int32)
    given = {
        name: Fact(integers(np.array([NOW_US * 1000 // per])), Level.BATCH)
        for name, per in (("ts_ms", 10**6), ("ts_us", 1000), ("ts_ns", 1))
    }
    given |= {name: Fact(integers(np.array([5])), Level.BATCH) for name in ("server_id", "pos", "row", "thread")}
    given |= {name: Fact(vector_of([text]), Level.BATCH) for name, text in (("gtid", None), ("file", b"binlog.000001"))}
    ids = vector_of([b"id:%d" % i for i in range(int(transaction.max(initial=0)) + 1)])
    return Changes(
        columns=columns,
        before=np.array([each[0] for each in images], np.int32),
        after=np.array([each[1] for each in images], np.int32),
        op=np.array([ord(event[0]) for event in events], np.uint8),
        event=np.arange(n, dtype=np.int32),
        transaction=transaction,
        source=given,
        constants={"query": None, **source_block.constants(SETTINGS, "shop", table)},
        position=(Fact(integers(np.array([1])), Level.BATCH), Fact(integers(np.arange(n)), Level.CHANGE)),
        log_order=np.array(range(n) if ranks is None else ranks, np.int64),
        transaction_id=Fact(ids, Level.TRANSACTION),
    )


def row_changes(events, table="t", ranks=None, transactions=None, **settings):
    """An event with such changes."""
    width = max((len(row) for event in events for row in event[1:] if row is not None), default=2)
    changes = changes_of(events, table, ranks, transactions)
    rows = shape_of(table, width, **settings).prepare(changes, NOW_US)
    order = np.arange(1, len(rows) + 1)
    rows.total_order, rows.data_collection_order = order, order
    return rows
