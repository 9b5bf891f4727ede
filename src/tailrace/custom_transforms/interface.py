"""What a transform in Python is given and gives. Names are those of Kafka Connect's `ConnectRecord`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tailrace.schema.connect import Schema


@dataclass(frozen=True, slots=True)
class Header:
    """A header.

    Attributes:
        name: its key.
        schema: of its value.
        value: an array with a value for each record.
        present: which records have it, an array of booleans; None: all.

    """

    name: str
    schema: Schema
    value: pa.Array
    present: pa.BooleanArray | None = None


@dataclass(frozen=True, slots=True)
class ConnectRecords:
    """`n` records of one topic, in the order of the log.

    Arrays have the plain type of their Connect schema: an int16 is an int16, a text a string, bytes are binary, a struct a
    struct with the same fields. What a schema's name means is not looked at: a Debezium `Date` is an int32. Changed records are
    made of these by `take`, `filter` and `evolve`; each of them stays at its place in the log.

    Attributes:
        topic: of all of them.
        kind: `rows` (with their tombstones), `transaction`, `schema change`, `heartbeat` or `notification`.
        key_schema: None if no record has a key.
        key: the keys; None without a schema.
        value_schema: of the values.
        value: the values, null for a tombstone.
        headers: in order.
        timestamp: milliseconds since the epoch, int64.
        has_key: False for a key that is null without a schema; None: all have one.
        has_value: False for a tombstone, whose value is null without a schema; None: there are none.
        source_rows: of tailrace: which record of those that the transform was given each is. Leave it alone.

    """

    topic: str
    kind: str
    key_schema: Schema | None
    key: pa.Array | None
    value_schema: Schema
    value: pa.Array
    headers: tuple[Header, ...]
    timestamp: pa.Array
    has_key: pa.BooleanArray | None = None
    has_value: pa.BooleanArray | None = None
    source_rows: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.value)

    def take(self, indices: Sequence[int] | pa.Array) -> ConnectRecords:
        """The records with these indices, in this order; one may be there more than once."""
        chosen = pa.array(indices, pa.int64()) if not isinstance(indices, pa.Array) else indices.cast(pa.int64())

        def cut(array: pa.Array | None) -> pa.Array | None:
            return None if array is None else array.take(chosen)

        return replace(
            self,
            key=cut(self.key),
            value=self.value.take(chosen),
            headers=tuple(replace(each, value=each.value.take(chosen), present=cut(each.present)) for each in self.headers),
            timestamp=self.timestamp.take(chosen),
            has_key=cut(self.has_key),
            has_value=cut(self.has_value),
            source_rows=self.source_rows[chosen.to_numpy(zero_copy_only=False)],
        )

    def filter(self, mask: pa.BooleanArray) -> ConnectRecords:
        """The records for which the mask is true; a null counts as false."""
        wanted = np.asarray(mask.fill_null(False).to_numpy(zero_copy_only=False), np.bool_)
        return self.take(pa.array(np.flatnonzero(wanted)))

    def evolve(self, **changes: Any) -> ConnectRecords:
        """The records with other attributes: `evolve(topic=…)`, `evolve(value=…, value_schema=…)`."""
        return replace(self, **changes)


class RecordsFailedError(Exception):
    """Some records can't be transformed. They stop the connector, or are dropped with `errors.tolerance=all`.

    Attributes:
        failed: which of the records that the transform was given, an array of booleans.
        why: what is wrong with them, and what to do, in words without an end; it is logged, so it has no values.

    """

    def __init__(self, failed: pa.BooleanArray, why: str) -> None:
        super().__init__(why)
        self.failed = failed
        self.why = why


class CustomTransform(Protocol):
    """A transform.

    What `python:package.module.Name` names is called with the transform's options, a dict of texts by name, and returns one. A
    class does that with `__init__(self, options)`. An exception there refuses them: its text says
    why, and is told without the options' values.

    A class that has `keeps_topics = True` says that topics stay as they are; several lanes then deliver. Otherwise topics may
    follow from what records contain, so that one lane delivers everything.
    """

    def __call__(self, records: ConnectRecords) -> ConnectRecords | Iterable[ConnectRecords]:
        """The transformed records, of one topic or of several; an empty list if all are dropped.

        A pure function: a range of the log that is read again has to give the same.
        """
