"""The properties of Confluent's AvroConverter: those of all its converters, and Avro's own.

Source: Confluent's documentation of Schema Registry, and the converter's own list of properties (8.x).
"""

from __future__ import annotations

from typing import Final

from tailrace.encoding.registered.confluent_properties import READING, ignored_property, switch, tables_with

CLASS: Final = "io.confluent.connect.avro.AvroConverter"
_JAVA: Final = "it is about Java's classes"

SCHEMAS: Final = (
    switch(
        "connect.meta.data",
        "Whether schemas have Connect's names, versions, docs, parameters and defaults.",
        default=True,
    ),
    switch(
        "enhanced.avro.schema.support",
        "Whether text becomes an enum whose schema has the parameter `io.confluent.connect.avro.Enum`; Debezium's have none.",
    ),
    switch(
        "scrub.invalid.names",
        "Whether characters that Avro forbids in names are replaced; else such names are an error.",
    ),
    switch("allow.optional.map.keys", "Whether maps with optional text as keys are maps in Avro too."),
    switch("discard.type.doc.default", "Whether docs and defaults stand where versions before 6.0 put them."),
    switch(
        "ignore.default.for.nullables",
        "Whether a null stays null in a column with a default; else the default is written.",
    ),
    ignored_property("flatten.singleton.unions", READING),
    ignored_property("generalized.sum.type.support", "no schema of a change event is such a union or enum"),
    ignored_property("avro.use.logical.type.converters", _JAVA),
    ignored_property("avro.reflection.allow.null", _JAVA),
    ignored_property("avro.remove.java.properties", _JAVA),
    ignored_property("schema.reflection", _JAVA),
    ignored_property("specific.avro.reader", READING),
    ignored_property("avro.codec", "it is a property of sinks that write files"),
)

TABLES: Final = tables_with(SCHEMAS)
