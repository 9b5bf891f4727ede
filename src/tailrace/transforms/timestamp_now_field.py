"""TimestampNowField: the time of processing as a field.

That is the time of the record here: a range of the log that is read again gives the same records.
Source: the documentation of kafka-connect-transform-common.
"""

from __future__ import annotations

from tailrace.changes.additions import Additions
from tailrace.changes.layout_edits import struct_of
from tailrace.changes.layouts import Column, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Vector, integers
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.transforms.logical_types import TIMESTAMP
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import StructTransform, fields_of


class TimestampNowField(StructTransform):
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, fields: tuple[str, ...]) -> None:
        if not fields:
            raise ValueError("fields is empty: name the fields for the time")
        self._names = tuple(dict.fromkeys(fields))
        super().__init__(Part(making.part), making.failures, self._with_times)

    def _with_times(self, struct: Struct, added: Additions) -> Node:
        slot, role = added.column(_times), added.each_record()
        nodes: dict[str, Node] = {}
        for name, node in fields_of(struct, fills=True):
            if name not in self._names:
                nodes[name] = node
            elif _is_timestamp(node.schema):
                nodes[name] = Column(node.schema, slot, role)
        for name in self._names:
            nodes.setdefault(name, Column(TIMESTAMP, slot, role))
        return struct_of(struct.schema.with_(default=NO_DEFAULT), nodes.items())


def _is_timestamp(schema: Schema) -> bool:
    return schema.type is Type.INT64 and schema.name == TIMESTAMP.name


def _times(records: SourceRecords) -> Vector:
    return integers(records.timestamps)


SPEC = TransformSpec(
    name="com.github.jcustenborder.kafka.connect.transform.common.TimestampNowField",
    doc="Sets fields to the time of processing, which is that of the record.",
    properties=(Property(name="fields", kind=Kind.LIST, required=True, doc="The fields."),),
    make=TimestampNowField,
    has_parts=True,
)
