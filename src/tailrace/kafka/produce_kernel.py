# mypy: disable-error-code="untyped-decorator"
"""Rows into librdkafka's queue, by compiled code that calls the library itself.

`rd_kafka_produceva` takes a message as an array of arguments. Most of them stay the same from row to row, so the
array is filled once and each row changes its numbers: key, value, time and its own number, by which a delivery report
is found back. It stops at the first row that is refused, so no row ever overtakes another. (`rd_kafka_produce_batch`
goes on behind a message that found no room, knows neither times nor headers, and is no faster by more than a tenth.)

The value is not copied: it has to stay where it is until the message is delivered. Keys and headers are copied.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from tailrace.changes.records import INT64, Binary, Records
from tailrace.encoding.addresses import Int, address_of, compiled, load8, load64
from tailrace.kafka.librdkafka import NO_PARTITION

_RKT: Final = 2
_PARTITION: Final = 3
_VALUE: Final = 4
_KEY: Final = 5
_OPAQUE: Final = 6
_TIMESTAMP: Final = 8
_HEADER: Final = 9

_FIXED: Final = 6
_WIDTH: Final = 9
"""`rd_kafka_vu_t` in words: the kind, and eight words for what it holds."""
_NOWHERE: Final = 1
"""An address that is not null for what is empty: nobody reads there."""


@intrinsic
def _call(_typing: Any, function: Any, client: Any, arguments: Any, count: Any) -> Any:  # noqa: ARG001 -- typed by name
    """Call a function of three words by its address: an address may be kept in the cache, a symbol not."""

    def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        signature = ir.FunctionType(word, [word] * 3)
        return builder.call(builder.inttoptr(args[0], signature.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), emit


@compiled
def _put(message: Int, place: Int, data: Int, offsets: Int, valid: Int, row: Int) -> None:
    """Point an argument at a row's bytes; at nothing for null."""
    if valid != 0 and load8(valid + row) == 0:
        message[place, 1] = 0
        message[place, 2] = 0
        return
    begin = np.int64(load64(offsets + row * 8))
    message[place, 1] = data + begin
    message[place, 2] = np.int64(load64(offsets + row * 8 + 8)) - begin


@compiled
def _put_headers(message: Int, headers: Int, row: Int) -> Int:
    """Those headers that a row carries; returns how many arguments the message has with them."""
    count = _FIXED
    for k in range(len(headers)):
        data, offsets, valid = headers[k, 1], headers[k, 2], headers[k, 3]
        if valid != 0 and load8(valid + row) == 0:
            continue
        begin = np.int64(load64(offsets + row * 8))
        message[count, 0] = _HEADER
        message[count, 1] = headers[k, 0]
        message[count, 2] = data + begin
        message[count, 3] = np.int64(load64(offsets + row * 8 + 8)) - begin
        count += 1
    return count


@compiled
def produce(call: Int, client: Int, message: Int, columns: Int, headers: Int, number: Int, row: Int, end: Int) -> Int:
    """Produce rows up to `end`, or to the first that is refused, whose error is left in `columns[8]`."""
    columns[8] = 0
    while row < end:
        _put(message, 4, columns[0], columns[1], columns[2], row)
        _put(message, 5, columns[3], columns[4], columns[5], row)
        message[3, 1] = np.int64(load64(columns[6] + row * 8))
        message[2, 1] = number + row
        error = _call(call, client, columns[7], _put_headers(message, headers, row))
        if error != 0:
            columns[8] = error
            break
        row += 1
    return row


class Rows:
    """Records as the kernel takes them; holds on to every array that an address points into."""

    def __init__(self, records: Records, topic: int, number: int) -> None:
        """`topic`: librdkafka's handle; `number`: of the first row."""
        self.records = records
        self.number = number
        self.done = 0
        self.error = 0
        self._kept: list[Any] = []
        self._message = self._prepared(topic)
        times = np.ascontiguousarray(records.timestamps, np.int64)
        self._kept.append(times)
        columns = [*self._column(records.keys), *self._column(records.values), address_of(times)]
        self._columns = np.array([*columns, address_of(self._message), 0], np.int64)
        headers = [(self._name(h.name), *self._column(h.values)) for h in records.headers]
        self._headers = np.array(headers, np.int64).reshape(len(headers), 4)

    def __len__(self) -> int:
        return len(self.records)

    def produce(self, call: int, client: int) -> bool:
        """Produce the rows that are left; whether it came to the end. Otherwise see `error`."""
        self.done = int(
            produce(
                call, client, self._message, self._columns, self._headers, self.number, self.done, len(self.records)
            )
        )
        self.error = int(self._columns[8])
        return self.error == 0

    def _prepared(self, topic: int) -> INT64:
        message = np.zeros((_FIXED + len(self.records.headers), _WIDTH), np.int64)
        message[:_FIXED, 0] = (_RKT, _PARTITION, _OPAQUE, _TIMESTAMP, _KEY, _VALUE)
        message[0, 1] = topic
        message[1, 1] = NO_PARTITION if self.records.partition is None else self.records.partition
        return message

    def _column(self, column: Binary) -> tuple[int, int, int]:
        data = np.ascontiguousarray(column.data)
        offsets = np.ascontiguousarray(column.offsets, np.int64)
        valid = None if column.valid is None else np.ascontiguousarray(column.valid, np.bool_)
        self._kept += (data, offsets, valid)
        return address_of(data) or _NOWHERE, address_of(offsets), 0 if valid is None else address_of(valid)

    def _name(self, name: str) -> int:
        text = np.frombuffer(name.encode() + b"\0", np.uint8)
        self._kept.append(text)
        return address_of(text)
