"""The properties of Confluent's JsonSchemaConverter, without `key.converter.` or `value.converter.`.

Source: Confluent's documentation of Schema Registry, and the converter's own list of properties (8.x).
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property, Status
from tailrace.encoding.registered.confluent_properties import ignored_property, switch, tables_with

CLASS: Final = "io.confluent.connect.json.JsonSchemaConverter"
_READING: Final = "it is about reading"
_OBJECTS: Final = "it is about schemas that are made of Java's objects"
_FITS: Final = "values always fit their schema"

SCHEMAS: Final = (
    switch(
        "object.additional.properties",
        "Whether schemas let objects have members that they don't name.",
        default=True,
    ),
    switch(
        "ignore.default.for.nullables",
        "Whether a null stays null in a column with a default; else the default is written.",
    ),
    Property(
        name="decimal.format",
        kind=Kind.ENUM,
        default="BASE64",
        allowed=("BASE64",),
        not_yet=("NUMERIC",),
        doc="How Connect decimals stand in JSON.",
    ),
    Property(
        name="json.indent.output",
        doc="Is refused.",
        kind=Kind.STRING,
        status=Status.REFUSED,
        reason="JSON is written without spaces: leave it out",
        harmless=("false",),
    ),
    ignored_property("use.optional.for.nonrequired", _READING),
    ignored_property("ignore.modern.dialects", _READING),
    ignored_property("flatten.singleton.unions", _READING),
    ignored_property("preserve.additional.properties", "no schema of a change event has such members"),
    ignored_property("generalized.sum.type.support", "no schema of a change event is such a union or enum"),
    ignored_property("json.fail.unknown.properties", _FITS),
    ignored_property("json.fail.invalid.schema", _FITS),
    ignored_property("json.validate.before.domain.rules", _FITS),
    ignored_property("json.oneof.for.nullables", _OBJECTS),
    ignored_property("json.schema.spec.version", _OBJECTS),
    ignored_property("json.schema.scan.packages", _OBJECTS),
    ignored_property("json.envelope.detection", _OBJECTS),
    ignored_property("json.default.property.inclusion", _OBJECTS),
    ignored_property("json.write.dates.iso8601", _OBJECTS),
    ignored_property("json.key.type", _READING),
    ignored_property("json.value.type", _READING),
    ignored_property("type.property", _READING),
)

TABLES: Final = tables_with(SCHEMAS)
