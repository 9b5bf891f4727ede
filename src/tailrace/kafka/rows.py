"""Records for librdkafka: each is an array of arguments, most of which stay the same from row to row.

The value is not copied: its memory must stay valid until the message is delivered. Keys and headers are copied. Many
rows go through a compiled loop (`produce_kernel`); a single one does not need it, so that a process that only writes
progress starts fast and small.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_size_t
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import INT64, Binary, Records
from tailrace.kafka.arguments import FIXED, HEADER, KEY, OPAQUE, PARTITION, RKT, ROW_BITS, TIMESTAMP, VALUE, WIDTH
from tailrace.kafka.librdkafka import NO_PARTITION
from tailrace.kernels.addresses import address_of

_NOWHERE: Final = 1
"""A non-null address for empty values, which is never read."""
_PRODUCEVA: Final = CFUNCTYPE(c_size_t, c_size_t, c_size_t, c_size_t)


class Rows:
    """Records in the kernel's form; holds a reference to every array that an address points into."""

    def __init__(self, records: Records, topic: int, send: int) -> None:
        """`topic`: librdkafka's handle; `send`: its number."""
        self.records = records
        self.send = send
        self.number = send << ROW_BITS
        """The first row's; each row has the next one."""
        self.size = records.keys.size + records.values.size
        """Bytes of keys and values."""
        self.done = 0
        self.error = 0
        self._kept: list[Any] = []
        self._message = self._prepared(topic)
        times = np.ascontiguousarray(records.timestamps, np.int64)
        self._kept.append(times)
        columns = [*self._column(records.keys), *self._column(records.values), address_of(times)]
        self._columns = np.array([*columns, address_of(self._message), 0], np.int64)
        headers = [(self._name(h.name), *self._column(h.values), self._mask(h.nulls)) for h in records.headers]
        self._headers = np.array(headers, np.int64).reshape(len(headers), 5)

    def __len__(self) -> int:
        return len(self.records)

    def produce(self, call: int, client: int) -> bool:
        """Produce the remaining rows; False if one was refused, see `error`."""
        if len(self) == 1:
            self._produce_one(call, client)
        else:
            self._produce_all(call, client)
        return self.error == 0

    def _produce_all(self, call: int, client: int) -> None:
        from tailrace.kafka.produce_kernel import produce  # imports a compiler

        end = len(self.records)
        self.done = int(
            produce(call, client, self._message, self._columns, self._headers, self.number, self.done, end)
        )
        self.error = int(self._columns[8])

    def _produce_one(self, call: int, client: int) -> None:
        """The same for a single row, without a compiler."""
        records, message = self.records, self._message
        message[2, 1] = self.number
        message[3, 1] = records.timestamps[0]
        message[4, 1:3] = _place(self._columns[0:3], records.keys)
        message[5, 1:3] = _place(self._columns[3:6], records.values)
        count = FIXED
        for (name, *places), header in zip(self._headers, records.headers, strict=True):
            is_null = header.nulls is not None and header.nulls[0]
            if header.values.valid is None or header.values.valid[0] or is_null:
                message[count, 0:4] = (HEADER, name, *_place(places, header.values))
                count += 1
        self.error = _PRODUCEVA(call)(client, address_of(message), count) or 0
        self.done = int(self.error == 0)

    def _prepared(self, topic: int) -> INT64:
        message = np.zeros((FIXED + len(self.records.headers), WIDTH), np.int64)
        message[:FIXED, 0] = (RKT, PARTITION, OPAQUE, TIMESTAMP, KEY, VALUE)
        message[0, 1] = topic
        message[1, 1] = NO_PARTITION if self.records.partition is None else self.records.partition
        return message

    def _column(self, column: Binary) -> tuple[int, int, int]:
        data = np.ascontiguousarray(column.data)
        offsets = np.ascontiguousarray(column.offsets, np.int64)
        self._kept += (data, offsets)
        return address_of(data) or _NOWHERE, address_of(offsets), self._mask(column.valid)

    def _mask(self, mask: npt.NDArray[np.bool_] | None) -> int:
        if mask is None:
            return 0
        held = np.ascontiguousarray(mask, np.bool_)
        self._kept.append(held)
        return address_of(held)

    def _name(self, name: str) -> int:
        text = np.frombuffer(name.encode() + b"\0", np.uint8)
        self._kept.append(text)
        return address_of(text)


def _place(column: Sequence[int] | INT64, values: Binary) -> tuple[int, int]:
    """Address and length of the first byte string; 0 for null."""
    if values.valid is not None and not values.valid[0]:
        return 0, 0
    begin, end = int(values.offsets[0]), int(values.offsets[1])
    return int(column[0]) + begin, end - begin
