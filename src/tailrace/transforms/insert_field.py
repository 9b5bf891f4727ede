"""InsertField: fields with the record's topic, partition or time, or with a fixed text, at the end of a key or value.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import frozen

from tailrace.changes.additions import Additions, FailedRecordsError
from tailrace.changes.layout_edits import copied_basics, struct_of
from tailrace.changes.layouts import Column, Constant, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of
from tailrace.config.property import Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.logical_types import TIMESTAMP
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, StructTransform, distinct, fields_of

_STRING: Final = Schema(Type.STRING)
_INT32: Final = Schema(Type.INT32)
_SUFFIX: Final = "`name!` makes it a required field, `name` or `name?` an optional one."


@frozen
class _Insertion:
    """A field to insert."""

    name: str
    optional: bool

    def schema(self, schema: Schema) -> Schema:
        """Its schema, of that type."""
        return schema.with_(optional=self.optional)


class InsertField(StructTransform):
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        topic_field: str | None,
        partition_field: str | None,
        offset_field: str | None,
        timestamp_field: str | None,
        static_field: str | None,
        static_value: str | None,
        replace_null_with_default: bool,
    ) -> None:
        if offset_field is not None:
            raise ValueError("offset.field is for sink connectors: records have no offset yet; leave it out")
        self._topic, self._partition = _insertion(topic_field), _insertion(partition_field)
        self._timestamp, self._static = _insertion(timestamp_field), _insertion(static_field)
        if not any((self._topic, self._partition, self._timestamp, self._static)):
            raise ValueError("no field is to be inserted: set topic.field, partition.field, timestamp.field or static.field")
        if self._static is not None and static_value is None:
            raise ValueError("static.value is missing: static.field has no value")
        self._text = static_value
        self._fills = replace_null_with_default
        super().__init__(Part(making.part), making.failures, self._inserted)

    def _inserted(self, struct: Struct, added: Additions) -> Node:
        pairs = fields_of(struct, fills=self._fills)
        if self._topic is not None:
            pairs.append((self._topic.name, Column(self._topic.schema(_STRING), added.column(_topic), added.once())))
        if self._partition is not None:
            slot = added.column(_partition if self._partition.optional else _required_partition)
            pairs.append((self._partition.name, Column(self._partition.schema(_INT32), slot, added.once())))
        if self._timestamp is not None:
            schema = self._timestamp.schema(TIMESTAMP)
            pairs.append((self._timestamp.name, Column(schema, added.column(_timestamps), added.each_record())))
        if self._static is not None:
            pairs.append((self._static.name, Constant(self._static.schema(_STRING), self._text)))
        return struct_of(copied_basics(struct.schema), distinct(pairs))


def _insertion(text: str | None) -> _Insertion | None:
    if text is None:
        return None
    return _Insertion(text.removesuffix("?") if text.endswith("?") else text.removesuffix("!"), not text.endswith("!"))


def _topic(records: SourceRecords) -> Vector:
    return vector_of([records.topic.encode()])


def _partition(records: SourceRecords) -> Vector:
    number = np.array([records.partition or 0], np.int64)
    return Vector(Kind.INT, 1, number, np.packbits([records.partition is not None], bitorder="little"))


def _required_partition(records: SourceRecords) -> Vector:
    if records.partition is None:
        raise FailedRecordsError(np.ones(len(records), np.bool_), "it has no partition yet for the required partition.field")
    return _partition(records)


def _timestamps(records: SourceRecords) -> Vector:
    return integers(records.timestamps)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.InsertField",
    doc="Adds fields with the topic, the partition, the time of the record, or a fixed text.",
    properties=(
        Property(name="topic.field", doc=f"The field for the topic. {_SUFFIX}"),
        Property(name="partition.field", doc=f"The field for the partition, where records have one already. {_SUFFIX}"),
        Property(name="offset.field", doc="The field for the offset; for sink connectors only, and an error here."),
        Property(name="timestamp.field", doc=f"The field for the record's time. {_SUFFIX}"),
        Property(name="static.field", doc=f"The field for `static.value`. {_SUFFIX}"),
        Property(name="static.value", doc="The text of `static.field`."),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=InsertField,
    has_parts=True,
)
