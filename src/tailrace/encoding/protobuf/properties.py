"""The properties of Confluent's ProtobufConverter, without `key.converter.` or `value.converter.`.

Source: Confluent's documentation of Schema Registry, and the converter's own list of properties (8.x).
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property, Status
from tailrace.encoding.registered.confluent_properties import ignored_property, switch, tables_with

CLASS: Final = "io.confluent.connect.protobuf.ProtobufConverter"
_READING: Final = "it is about reading"
_IMPORTS: Final = "what schemas import is known to all readers, and is not registered"
_NO_SUCH: Final = "no schema of a change event is such a union or enum"

SCHEMAS: Final = (
    switch("optional.for.nullables", "Whether fields that may be null are `optional`, so that zero is not null."),
    switch(
        "wrapper.for.nullables",
        "Whether scalars that may be null are messages of their own (`google.protobuf.Int64Value` and so on).",
    ),
    switch(
        "scrub.invalid.names",
        "Whether characters that Protobuf forbids in names are replaced; else such names are an error.",
    ),
    switch(
        "ignore.default.for.nullables",
        "Whether a null stays null in a column with a default; else the default is written.",
    ),
    Property(
        name="skip.known.types",
        doc="Is refused.",
        kind=Kind.STRING,
        status=Status.REFUSED,
        reason=f"{_IMPORTS}: leave it out",
        harmless=("true",),
    ),
    ignored_property("reference.lookup.only", _IMPORTS),
    ignored_property("reference.subject.name.strategy", _IMPORTS),
    ignored_property("connect.meta.data", "Protobuf has no place for what Connect knows besides"),
    ignored_property("enhanced.protobuf.schema.support", _READING),
    ignored_property("wrapper.for.raw.primitives", _READING),
    ignored_property("optional.for.proto2", _READING),
    ignored_property("generate.struct.for.nulls", _READING),
    ignored_property("generate.index.for.unions", _READING),
    ignored_property("flatten.unions", _READING),
    ignored_property("int.for.enums", _READING),
    ignored_property("generalized.sum.type.support", _NO_SUCH),
    ignored_property("specific.protobuf.key.type", _READING),
    ignored_property("specific.protobuf.value.type", _READING),
    ignored_property("derive.type", _READING),
)

TABLES: Final = tables_with(SCHEMAS)
