# mypy: disable-error-code="untyped-decorator"
"""Rows into librdkafka's queue, by compiled code that calls the library itself; and code that the library calls.

`rd_kafka_produceva` takes a message as an array of arguments. Most of them stay the same from row to row, so the
array is filled once and each row changes its numbers: key, value, time and its own number, which identifies it in a
delivery report. It stops at the first refused row, so no row ever overtakes another. (`rd_kafka_produce_batch`
continues after a message that found no room, has neither timestamps nor headers, and is at most a tenth faster.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from tailrace.kafka.arguments import FIXED, HEADER, ROW_BITS
from tailrace.kafka.librdkafka import Message
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, compiled, entry
from tailrace.kernels.memory import load8, load32, load64

_NUMBER: Final = Message.private.offset
SENDS: Final = 1 << 14
"""How many sends can be told apart at a time; a power of two."""


@intrinsic
def _call(_typing: Any, function: Any, client: Any, arguments: Any, count: Any) -> Any:  # noqa: ARG001 -- typed by name
    """Call a function with three words by its address: numba can cache code with an address, not with a symbol."""

    def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        signature = ir.FunctionType(word, [word] * 3)
        return builder.call(builder.inttoptr(args[0], signature.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), emit


@intrinsic
def _add_one(_typing: Any, address: Any) -> Any:  # noqa: ARG001 -- as above
    """Add one to a counter that other threads add to at the same time."""

    def emit(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        builder.atomic_rmw("add", builder.inttoptr(args[0], word.as_pointer()), ir.Constant(word, 1), "acq_rel")
        return context.get_dummy_value()

    return types.void(types.int64), emit


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
    """Add a row's headers; return how many arguments the message then has. A null is none, unless the last mask says so."""
    count = FIXED
    for k in range(len(headers)):
        data, offsets, valid, nulls = headers[k, 1], headers[k, 2], headers[k, 3], headers[k, 4]
        if valid != 0 and load8(valid + row) == 0:
            if nulls != 0 and load8(nulls + row) != 0:
                message[count, 0] = HEADER
                message[count, 1] = headers[k, 0]
                message[count, 2] = 0
                message[count, 3] = 0
                count += 1
            continue
        begin = np.int64(load64(offsets + row * 8))
        message[count, 0] = HEADER
        message[count, 1] = headers[k, 0]
        message[count, 2] = data + begin
        message[count, 3] = np.int64(load64(offsets + row * 8 + 8)) - begin
        count += 1
    return count


@entry(arg.INT, arg.INT, arg.INT_TABLE, arg.INTS, arg.INT_TABLE, arg.INT, arg.INT, arg.INT)
def produce(call: Int, client: Int, message: Int, columns: Int, headers: Int, number: Int, row: Int, end: Int) -> Int:
    """Produce rows up to `end`, or to the first refused one, whose error is left in `columns[8]`."""
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


@entry(arg.INT, arg.INT, arg.INT)
def count_delivered(_client: Int, message: Int, counts: Int) -> Int:
    """Count a message that has arrived for its send: an interceptor (`on_acknowledgement`), on threads of librdkafka's."""
    if load32(message) == 0:  # no error
        send = np.int64(load64(message + _NUMBER)) >> ROW_BITS
        _add_one(counts + (send & (SENDS - 1)) * 8)
    return 0
