"""Transaction metadata: the records that tell where each transaction begins and ends.

A log of small transactions has as many of these as it has changes, so that they are rendered in columns like
everything else: a template for beginnings, one for ends, and one for the pieces of an end's list of tables,
which are written one after the other so that a list is a slice of what was written.

Debezium lists an end's tables in the order of a Java hash map, which consumers may have stored; it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Vector, integers
from tailrace.changes.views import vector_of, vector_over
from tailrace.config.properties.own import CURRENT, SHAPE_1_4
from tailrace.encoding.connect_json import SCHEMA_SUFFIX, schema_prefix
from tailrace.encoding.render import Op, Program, Template
from tailrace.schema.connect import Field, Schema, Type

Int64 = npt.NDArray[np.int64]

_STRING, _LONG = Schema(Type.STRING), Schema(Type.INT64)
_COLLECTION = Schema(
    Type.STRUCT,
    optional=True,
    name="event.collection",
    version=1,
    fields=(Field("data_collection", _STRING), Field("event_count", _LONG)),
)
TRANSACTION_KEY: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.TransactionMetadataKey",
    version=1,
    fields=(Field("id", _STRING),),
)
TRANSACTION_VALUE: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.TransactionMetadataValue",
    version=1,
    fields=(
        Field("status", _STRING),
        Field("id", _STRING),
        Field("event_count", _LONG.with_(optional=True)),
        Field("data_collections", Schema(Type.ARRAY, optional=True, items=_COLLECTION)),
        Field("ts_ms", _LONG),
    ),
)
_COLLECTIONS_1_4 = Schema(Type.ARRAY, optional=True, items=_COLLECTION.without().with_(name=None))
TRANSACTION_VALUE_1_4: Final = TRANSACTION_VALUE.with_(
    version=None, fields=(*TRANSACTION_VALUE.fields[:3], Field("data_collections", _COLLECTIONS_1_4))
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many events of which table belong to which transaction; one row for each pair.

    Attributes:
        transaction: index of the transaction; shape (p,).
        table: index into `names`; shape (p,). Within a transaction in the order of the tables' first events.
        count: events, at least 1; shape (p,).
        names: of the tables, as `database.table`.

    """

    transaction: Int64
    table: Int64
    count: Int64
    names: Sequence[str]


class TransactionEncoder:
    """Renders the records of transactions as JSON."""

    def __init__(self, *, key_schema: bool, value_schema: bool, shape: str = CURRENT) -> None:
        """`shape` is `tailrace.event.shape`: that of Debezium 1.4 does not tell when a transaction was committed."""
        is_old = shape == SHAPE_1_4
        key = TRANSACTION_KEY.without() if is_old else TRANSACTION_KEY
        value = TRANSACTION_VALUE_1_4 if is_old else TRANSACTION_VALUE
        self._keys = _key_program(key, with_schema=key_schema)
        self._begins = _begin_program(value, with_schema=value_schema)
        self._ends = _end_program(value, with_schema=value_schema)
        self._pieces = _piece_program()

    def keys(self, ids: Vector) -> Binary:
        """The keys of both records; `ids` holds the text id of each transaction."""
        return self._keys.render([ids], _same_row(ids.length))

    def begins(self, ids: Vector, ts_ms: Int64) -> Binary:
        """The values of the beginnings; `ts_ms` in milliseconds since the epoch."""
        return self._begins.render([ids, integers(ts_ms)], _same_row(ids.length))

    def ends(self, ids: Vector, ts_ms: Int64, counts: Counts) -> Binary:
        """The values of the ends; a transaction that `counts` does not have had no events."""
        totals = np.bincount(counts.transaction, counts.count, ids.length).astype(np.int64)
        vectors = [ids, integers(totals), self._lists(counts, ids.length), integers(ts_ms)]
        return self._ends.render(vectors, _same_row(ids.length))

    def _lists(self, counts: Counts, transactions: int) -> Vector:
        """What stands between the brackets of each transaction's list."""
        order, first = java_order(counts)
        owner, table = counts.transaction[order], counts.table[order]
        bounds = np.searchsorted(owner, np.arange(transactions + 1))
        if not len(order):
            return vector_over(Binary(np.zeros(1, np.uint8), np.zeros(transactions + 1, np.int64)))
        vectors = [
            _COMMAS,
            vector_of([name.encode() for name in counts.names]),
            integers(counts.count[order]),
        ]
        roles = np.stack(
            [(~first).astype(np.int32), table.astype(np.int32), np.arange(len(order), dtype=np.int32)]
        )
        pieces = self._pieces.render(vectors, roles)
        return vector_over(Binary(pieces.data, pieces.offsets[bounds]))


def java_order(counts: Counts) -> tuple[Int64, npt.NDArray[np.bool_]]:
    """The pairs by transaction and, within it, in the order of Java's `HashMap`; and which are a first.

    A map has twice as many buckets whenever three quarters are not enough, 16 at first; a bucket keeps the
    order in which its entries came. (A map that once was larger keeps its buckets, which is not followed.)
    """
    hashes = np.array([_spread_hash(name) for name in counts.names] or [0], np.int64)
    owner = counts.transaction
    sizes = np.bincount(owner) if len(owner) else np.zeros(1, np.int64)
    needed = np.maximum(sizes[owner] * 4 / 3, 1)
    buckets = np.maximum(1 << np.ceil(np.log2(needed)).astype(np.int64), 16)
    order = np.lexsort((np.arange(len(owner)), hashes[counts.table] & (buckets - 1), owner))
    first = np.ones(len(order), np.bool_)
    first[1:] = owner[order][1:] != owner[order][:-1]
    return order, first


def _spread_hash(text: str) -> int:
    """The hash of a Java String, as a `HashMap` mixes it."""
    data = text.encode("utf-16-be")
    value = 0
    for i in range(0, len(data), 2):
        value = (31 * value + (data[i] << 8 | data[i + 1])) & 0xFFFF_FFFF
    return value ^ value >> 16


_COMMAS: Final = vector_of([b"", b","])


def _same_row(n: int) -> npt.NDArray[np.int32]:
    return np.arange(n, dtype=np.int32).reshape(1, n)


def _key_program(schema: Schema, *, with_schema: bool) -> Program:
    template = _opened(schema, with_schema=with_schema)
    template.const(b'{"id":')
    template.value(Op.TEXT, 0, 0)
    return _closed(template, with_schema=with_schema)


def _begin_program(schema: Schema, *, with_schema: bool) -> Program:
    template = _opened(schema, with_schema=with_schema)
    template.const(b'{"status":"BEGIN","id":')
    template.value(Op.TEXT, 0, 0)
    template.const(b',"event_count":null,"data_collections":null')
    _time(template, schema, 1)
    return _closed(template, with_schema=with_schema)


def _end_program(schema: Schema, *, with_schema: bool) -> Program:
    template = _opened(schema, with_schema=with_schema)
    template.const(b'{"status":"END","id":')
    template.value(Op.TEXT, 0, 0)
    template.const(b',"event_count":')
    template.value(Op.INT, 1, 0)
    template.const(b',"data_collections":[')
    template.value(Op.RAW, 2, 0)
    template.const(b"]")
    _time(template, schema, 3)
    return _closed(template, with_schema=with_schema)


def _time(template: Template, schema: Schema, vector: int) -> None:
    if any(field.name == "ts_ms" for field in schema.fields):
        template.const(b',"ts_ms":')
        template.value(Op.INT, vector, 0)


def _piece_program() -> Program:
    template = Template()
    template.value(Op.RAW, 0, 0)
    template.const(b'{"data_collection":')
    template.value(Op.TEXT, 1, 1)
    template.const(b',"event_count":')
    template.value(Op.INT, 2, 2)
    template.const(b"}")
    return template.program()


def _opened(schema: Schema, *, with_schema: bool) -> Template:
    template = Template()
    if with_schema:
        template.const(schema_prefix(schema))
    return template


def _closed(template: Template, *, with_schema: bool) -> Program:
    template.const(b"}" + (SCHEMA_SUFFIX if with_schema else b""))
    return template.program()
