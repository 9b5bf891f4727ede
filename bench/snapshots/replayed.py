"""Folds a topic's records into a table and compares that with the source table.

Both are compared by checksums: for each range of keys the number of rows, and two sums over a 64-bit digest of each row's text.
So twenty million rows are compared without keeping one in memory. It also checks that no key occurs twice as a snapshot's
row, and none after a change of that key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import orjson
from bench.measuring import topics
from bench.measuring.servers import Servers
from bench.snapshots.filled import PARTITIONS
from bench.workloads import ORDERS_COLUMNS

RANGE = 1_000
PROCESSES = 2
PROPERTIES = {"decimal.handling.mode": "string"}
"""With these properties a record has the same text as the server."""
TEXT = (
    "CONCAT_WS('|', id, customer_id, product_id, quantity, status, IFNULL(email, '~'), amount, "
    "CAST(UNIX_TIMESTAMP(order_date) * 1000 AS SIGNED), DATE_FORMAT(updated_at, '%Y-%m-%dT%H:%i:%s.%fZ'), IFNULL(note, '~'))"
)


class ReplayError(Exception):
    """The folded topic differs from the table."""


@dataclass
class Sums:
    """Checksums of rows by ranges of keys.

    Attributes:
        rows: the number of rows in each range, shape (n,).
        mixed: exclusive or of their digests, shape (n,).
        added: sum of their digests modulo 2^64, shape (n,).
        records, reads: the number of records, and of snapshot records among them.

    """

    rows: npt.NDArray[np.uint64]
    mixed: npt.NDArray[np.uint64]
    added: npt.NDArray[np.uint64]
    records: int = 0
    reads: int = 0

    @classmethod
    def empty(cls, keys: int) -> Self:
        """The checksums of no rows, for keys up to `keys`."""
        return cls(*(np.zeros(keys // RANGE + 1, np.uint64) for _ in range(3)))

    def plus(self, other: Sums) -> Sums:
        """The checksums of both sets of rows."""
        return Sums(
            self.rows + other.rows,
            self.mixed ^ other.mixed,
            self.added + other.added,
            self.records + other.records,
            self.reads + other.reads,
        )

    def difference(self, other: Sums) -> npt.NDArray[np.int64]:
        """The ranges in which they differ."""
        return np.flatnonzero((self.rows != other.rows) | (self.mixed != other.mixed) | (self.added != other.added))


def compare(servers: Servers, topic: str, database: str, keys: int) -> Sums:
    """The checksums of the folded topic. Raises `ReplayError` if they are not those of the table `orders`."""
    told, there = replayed(servers.address, topic, keys), of_table(servers, database, keys)
    wrong = told.difference(there)
    if len(wrong):
        first = int(wrong[0])
        raise ReplayError(
            f"{len(wrong)} of {len(told.rows)} ranges of {RANGE} keys are not as in the table, the first from {first * RANGE} on: "
            f"{told.rows[first]} rows in the topic, {there.rows[first]} in the table"
        )
    return told


def of_table(servers: Servers, database: str, keys: int) -> Sums:
    """The checksums of the table, which the server computes."""
    digest = f"CAST(CONV(LEFT(SHA2({TEXT}, 256), 16), 16, 10) AS UNSIGNED)"
    low, high = f"SUM({digest} & 0xFFFFFFFF)", f"SUM({digest} >> 32)"
    sums = Sums.empty(keys)
    for number, rows, mixed, lower, upper in servers.mysql.sql(
        f"SELECT id DIV {RANGE}, COUNT(*), BIT_XOR({digest}), {low}, {high} FROM orders GROUP BY 1", database
    ):
        sums.rows[number], sums.mixed[number] = rows, mixed
        sums.added[number] = (int(lower) + (int(upper) << 32)) % (1 << 64)
    return sums


def replayed(address: str, topic: str, keys: int) -> Sums:
    """The checksums of the topic. Processes share its partitions, because a key is in one partition only."""
    shares = [list(range(first, PARTITIONS, PROCESSES)) for first in range(PROCESSES)]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        first, *others = pool.map(partial(_replayed, address, topic, keys), shares)
    for other in others:
        first = first.plus(other)
    return first


def _replayed(address: str, topic: str, keys: int, partitions: Sequence[int]) -> Sums:
    fold = Fold(keys)
    for messages in topics.batches(address, [topic], partitions):
        for message in messages:
            fold.take(message.key(), message.value())
    return fold.sums()


@dataclass
class Fold:
    """The last row of each key.

    Attributes:
        digests: of the row, 0 if there is none, by key; shape (keys + 1,).
        seen: 1 after a snapshot's row, 2 after a change, by key; shape (keys + 1,).

    """

    keys: int
    records: int = 0
    reads: int = 0
    digests: npt.NDArray[np.uint64] = field(init=False)
    seen: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.digests = np.zeros(self.keys + 1, np.uint64)
        self.seen = bytearray(self.keys + 1)

    def take(self, key: bytes, value: bytes | None) -> None:
        """Apply a record."""
        self.records += 1
        id_ = orjson.loads(key)["id"]
        if value is None:
            return
        told = orjson.loads(value)
        if told["op"] == "r":
            self.reads += 1
            if self.seen[id_]:
                raise ReplayError(
                    f"key {id_} comes as a row of the snapshot, and came before as {'?rc'[self.seen[id_]]}"
                )
        self.seen[id_] = 1 if told["op"] == "r" else 2
        self.digests[id_] = 0 if told["after"] is None else digest(told["after"])

    def sums(self) -> Sums:
        """The checksums of the remaining rows."""
        there = np.flatnonzero(self.digests)
        sums = Sums.empty(self.keys)
        np.add.at(sums.rows, there // RANGE, np.uint64(1))
        np.bitwise_xor.at(sums.mixed, there // RANGE, self.digests[there])
        np.add.at(sums.added, there // RANGE, self.digests[there])
        sums.records, sums.reads = self.records, self.reads
        return sums


def digest(row: dict[str, Any]) -> int:
    """The first 64 bits of the SHA-256 of a row's text, as `TEXT` gives it."""
    text = "|".join("~" if row[name] is None else str(row[name]) for name in ORDERS_COLUMNS)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
