"""PartitionRouting: the partition of a change follows from fields of its envelope, by their hash codes.

Java gives each byte array another hash code, so with the hash function `java` a column of bits gets any partition there; here
it gets that of a byte buffer.

Source: Debezium's reference, "Partition Routing"; comparison with the real one (tests/formats/test_partition_routing.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tailrace.changes.envelopes import AFTER, BEFORE, is_envelope
from tailrace.changes.field_paths import Path, nulls_of, path_to, texts, values_are_null
from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import filled
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Type
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.value_hashes import Hash, java_hash, murmur_hash

_CHANGE: Final = "change"  # stands for `after`, or `before` of a delete
_LARGEST: Final = 0x7FFFFFFF
_HASHES: Final[dict[str, Hash]] = {"java": java_hash, "murmur": murmur_hash}


class PartitionRouting:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        partition_payload_fields: tuple[str, ...],
        partition_topic_num: int,
        partition_hash_function: str,
    ) -> None:
        self._failures = making.failures
        self._fields = [tuple(part.strip() for part in field.split(".")) for field in partition_payload_fields]
        self._count = partition_topic_num
        self._hash = _HASHES.get(partition_hash_function.strip().lower(), java_hash)  # Debezium takes any other name for java

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records, those of one partition together; truncations, and what has no envelope, stay as they are."""
        op = path_to(records.value.root, ("op",))
        if not len(records) or not is_envelope(records.value.schema) or op is None:
            return (records,)
        codes, places = texts(records, op)
        ops = np.array([code or "" for code in codes])[places]
        rest = values_are_null(records) | (ops == "t")
        parts = [(rest, ""), (~rest & (ops == "d"), BEFORE), (~rest & (ops != "d"), AFTER)]
        return [made for mask, image in parts if mask.any() for made in self._routed(records.where(mask), image)]

    def _routed(self, records: SourceRecords, image: str) -> Iterator[SourceRecords]:
        """`image` is what `change` stands for; "": the records have no partition of their own."""
        paths = [path for field in self._fields if (path := self._path(records, field, image))] if image else []
        for path in paths:
            broken = np.logical_or.reduce([np.zeros(len(records), np.bool_), *_nulls_around(records, path)])
            records = self._failures.without(records, broken, "partition.payload.fields: the struct around a field is null")
        if not paths or not len(records):
            yield records
            return
        try:
            found, partitions = self._partitions(records, paths)
        except TypeError:
            self._failures.all_of(records, "partition.payload.fields names a struct or a list")
            return
        for chosen in groups([np.where(found, partitions, -1)]):
            number = int(partitions[chosen[0]]) if found[chosen[0]] else records.partition
            yield replace(records.take(chosen), partition=number)

    def _partitions(self, records: SourceRecords, paths: Sequence[Path]) -> tuple[Mask, np.ndarray]:
        """Which records have one of the fields, and their partitions; each shape (n,)."""
        found = np.zeros(len(records), np.bool_)
        total = np.zeros(len(records), np.int64)
        for path in paths:
            there = ~nulls_of(records, path)
            total += np.where(there, self._hash(records, path), 0)
            found |= there
        hashes = total & _LARGEST  # of the sum with 32 bits, without its sign
        return found, np.where(hashes == _LARGEST, 0, hashes) % self._count

    @staticmethod
    def _path(records: SourceRecords, field: tuple[str, ...], image: str) -> Path | None:
        """The path of a field, whose nulls are its default; None if the envelope does not have it."""
        names = field if len(field) == 1 else [*(image if name == _CHANGE else name for name in field[:-1]), field[-1]]
        found = path_to(records.value.root, names)
        return None if found is None else Path((*found.nodes[:-1], filled(found.node)))


def _nulls_around(records: SourceRecords, path: Path) -> Iterator[Mask]:
    """For which records a struct around a field is null."""
    for length in range(2, len(path.nodes)):
        if path.nodes[length - 1].schema.type is Type.STRUCT:
            yield nulls_of(records, Path(path.nodes[:length]))


SPEC = TransformSpec(
    name="io.debezium.transforms.partitions.PartitionRouting",
    doc="The partition follows from fields of the envelope.",
    properties=(
        Property(
            name="partition.payload.fields",
            kind=Kind.LIST,
            required=True,
            doc="The fields: `after.x`, `source.table`; `change.x` is of the row after the change, or of the one deleted.",
        ),
        Property(
            name="partition.topic.num", kind=Kind.INT, required=True, minimum=1, doc="How many partitions the topic has."
        ),
        Property(name="partition.hash.function", default="java", doc="`java` or `murmur`."),
    ),
    make=PartitionRouting,
)
