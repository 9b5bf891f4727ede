"""The Avro schema of a Connect schema, as the converters register it.

Both converters make it in the same way. The order of properties matters: schemas are compared as text. A Connect schema has
one null for itself and its default, so an optional schema becomes a union whose first branch is that of the default: null
where there is none, else the type. What Connect knows and Avro does not stands in properties `connect.…` of the type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tailrace.encoding.avro.defaults import default_json, is_avro_map, part
from tailrace.encoding.avro.names import NAMESPACE, field_names, split_name
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.references import referring_schema
from tailrace.encoding.avro.types import ArrayOf, AvroField, AvroType, MapOf, Named, Primitive, Record, Union, type_text
from tailrace.encoding.registered import json_text
from tailrace.encoding.registered.json_text import Member
from tailrace.registry.same_bytes import difference
from tailrace.registry.schemas import ReferringSchema
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import DECIMAL

ENUM: Final = f"{NAMESPACE}.Enum"
FIXED_SIZE: Final = "connect.fixed.size"
NULL: Final = Primitive("null")
_PRECISION: Final = "connect.decimal.precision"
_LARGEST_PRECISION: Final = 64  # of decimals that don't tell theirs
_DEFAULT_FLAG: Final = f"{NAMESPACE}.field.default"
_LOGICAL: Final = {
    "org.apache.kafka.connect.data.Date": "date",
    "org.apache.kafka.connect.data.Time": "time-millis",
    "org.apache.kafka.connect.data.Timestamp": "timestamp-millis",
}
_PRIMITIVES: Final = {
    Type.INT8: "int",
    Type.INT16: "int",
    Type.INT32: "int",
    Type.INT64: "long",
    Type.FLOAT32: "float",
    Type.FLOAT64: "double",
    Type.BOOLEAN: "boolean",
    Type.STRING: "string",
    Type.BYTES: "bytes",
}


@dataclass(frozen=True)
class AvroSchema:
    """The Avro schema of a whole key or value."""

    type: AvroType

    @cached_property
    def text(self) -> str:
        """What is registered."""
        return type_text(self.type)

    @cached_property
    def referring(self) -> ReferringSchema:
        """The same as a schema that refers to the types in it."""
        return referring_schema(self.type)

    @property
    def schema_type(self) -> str:
        """What Confluent's API calls it."""
        return "AVRO"

    def difference(self, other: str, referred: Mapping[str, Any]) -> str | None:
        """Why a record would not be the same bytes with another schema; None: it would."""
        return difference(json.loads(other), json.loads(self.text), referred)

    @property
    def record_name(self) -> str | None:
        """The full name of the record; None if it is no record, but a union or a primitive type."""
        return self.type.full_name if isinstance(self.type, Record) else None


def avro_schema(schema: Schema, options: AvroOptions) -> AvroSchema:
    """The Avro schema of a Connect schema.

    Raises:
        ConfigError: a name can't be one in Avro, or two different structs have one name.

    """
    return AvroSchema(_Types(options).of(schema))


def has_null_first(schema: Schema) -> bool:
    """Whether the null of an optional schema is the first branch: it has no default, or is a struct."""
    return schema.default is NO_DEFAULT or schema.type is Type.STRUCT


def is_enum(schema: Schema, options: AvroOptions) -> bool:
    """Whether a schema of text becomes an enum."""
    return options.enums and any(name == ENUM for name, _ in schema.parameters)


def symbols(schema: Schema) -> tuple[str, ...]:
    """The symbols of an enum, in order."""
    return tuple(name.removeprefix(f"{ENUM}.") for name, _ in schema.parameters if name.startswith(f"{ENUM}."))


class _Types:
    """Makes the types of one schema; structs of one name are one record."""

    def __init__(self, options: AvroOptions) -> None:
        self._options = options
        self._records: dict[str, tuple[Schema, Record]] = {}
        self._unnamed: dict[Schema, AvroType] = {}
        self._unnamed_count = 0
        self._seen: set[str] = set()  # names of fields' schemas

    def of(self, schema: Schema) -> AvroType:
        """The type of a schema, a union if it is optional."""
        required = self._required(schema.with_(optional=False) if schema.optional else schema)
        if not schema.optional:
            return required
        return Union((NULL, required) if has_null_first(schema) else (required, NULL))

    def _required(self, schema: Schema) -> AvroType:
        if schema.type is Type.STRUCT:
            return self._struct(schema)
        if schema.type is Type.ARRAY:
            return ArrayOf(self.of(part(schema.items, schema)), self._properties(schema))
        if schema.type is Type.MAP:
            return self._map(schema)
        if is_enum(schema, self._options):
            return self._enum(schema)
        parameters = dict(schema.parameters)
        if schema.type is Type.BYTES and FIXED_SIZE in parameters:
            return self._fixed(schema, int(parameters[FIXED_SIZE]))
        return Primitive(_PRIMITIVES[schema.type], self._properties(schema))

    def _struct(self, schema: Schema) -> AvroType:
        known = self._unnamed.get(schema) if schema.name is None else self._known(schema)
        if known is not None:
            return known
        namespace, name = self._name(schema)
        parameters = dict(schema.parameters)
        doc = parameters.get("connect.record.doc" if self._options.old_docs else f"{NAMESPACE}.record.doc")
        record = Record(name, namespace, doc)
        if schema.name is None:
            self._unnamed[schema] = record
        else:
            self._records[schema.name] = schema, record
        docs = {} if self._options.old_docs else parameters
        names = field_names([each.name for each in schema.fields], schema.name, scrub=self._options.scrub)
        record.fields = tuple(
            self._field(name, each.schema, docs.get(f"{NAMESPACE}.field.doc.{each.name}"))
            for name, each in zip(names, schema.fields, strict=True)
        )
        record.properties = self._properties(schema)
        return record

    def _known(self, schema: Schema) -> Record | None:
        """The record of a struct of that name with the same fields; another one makes a conflict when it is written."""
        schema_of_it, record = self._records.get(schema.name or "", (None, None))
        return record if schema_of_it is not None and schema_of_it.fields == schema.fields else None

    def _field(self, name: str, schema: Schema, doc: str | None) -> AvroField:
        has_default = schema.default is not NO_DEFAULT
        default = default_json(schema, schema.default, self._options, widened=True) if has_default else None
        if schema.optional and not has_default:
            default = "null"
        elif schema.optional and schema.type is Type.STRUCT:
            default = None  # not one of the first branch: Avro's library leaves it out
        seen = schema.name in self._seen
        if schema.name is not None:
            self._seen.add(schema.name)
        type_ = self.of(schema)
        again = seen and self._options.meta_data and schema.parameters and _is_named(type_)
        properties = (("connect.parameters", self._parameters(schema)),) if again else ()
        return AvroField(name, type_, schema.doc if self._options.old_docs else doc, default, properties)

    def _map(self, schema: Schema) -> AvroType:
        if is_avro_map(schema, self._options):
            return MapOf(self.of(part(schema.items, schema)), self._properties(schema))
        namespace, name = (NAMESPACE, "MapEntry") if schema.name is None else self._name(schema)
        entry = Record(name, namespace)
        entry.properties = () if schema.name is None else (("connect.internal.type", '"MapEntry"'),)
        entry.fields = (
            self._field("key", part(schema.keys, schema), None),
            self._field("value", part(schema.items, schema), None),
        )
        return ArrayOf(entry, self._properties(schema))

    def _enum(self, schema: Schema) -> AvroType:
        parameters = dict(schema.parameters)
        namespace, name = split_name(parameters[ENUM], scrub=False)
        short = self._name(schema)[1]
        if self._options.old_docs:
            doc, default = parameters.get("connect.enum.doc"), None
        else:
            doc, default = (parameters.get(f"{NAMESPACE}.enum.{what}.{short}") for what in ("doc", "default"))
        return self._once(Named(name, namespace, doc, symbols(schema), default, None, self._properties(schema)), schema)

    def _fixed(self, schema: Schema, size: int) -> AvroType:
        namespace, name = self._name(schema)
        return self._once(Named(name, namespace, size=size, properties=self._properties(schema)), schema)

    def _once(self, made: Named, schema: Schema) -> AvroType:
        """The type that an equal schema became before, else this one."""
        return self._unnamed.setdefault(schema, made)

    def _name(self, schema: Schema) -> tuple[str, str]:
        if schema.name is not None:
            return split_name(schema.name, scrub=self._options.scrub)
        self._unnamed_count += 1
        return NAMESPACE, f"ConnectDefault{self._unnamed_count if self._unnamed_count > 1 else ''}"

    def _properties(self, schema: Schema) -> tuple[Member, ...]:
        """What stands in the type besides Avro's own, in the converters' order."""
        decimal, first = _decimal(schema), self._options.decimals_first
        made: dict[str, str] = dict(decimal) if first else {}
        if self._options.meta_data:
            made |= self._connect(schema)
        logical = _LOGICAL.get(schema.name or "")
        if logical is None and decimal and (first or _is_decimal(schema)):
            logical = "decimal"
        if logical is not None:
            made["logicalType"] = json_text.text(logical)
        if decimal and not first and logical is not None:
            made |= {"precision": decimal["precision"], "scale": decimal["scale"]}
        made |= {name: json_text.text(value) for name, value in schema.parameters if name.startswith("avro")}
        return tuple(made.items())

    def _connect(self, schema: Schema) -> dict[str, str]:
        made: dict[str, str] = {}
        if schema.doc is not None:
            made["connect.doc"] = json_text.text(schema.doc)
        if schema.version is not None:
            made["connect.version"] = str(schema.version)
        if self._parameters(schema) != "{}":
            made["connect.parameters"] = self._parameters(schema)
        if schema.default is not NO_DEFAULT and (
            self._options.old_docs or _DEFAULT_FLAG not in dict(schema.parameters)
        ):
            made["connect.default"] = default_json(schema, schema.default, self._options)
        if schema.name is not None:
            made["connect.name"] = json_text.text(schema.name)
        if schema.type in {Type.INT8, Type.INT16}:
            made["connect.type"] = json_text.text(schema.type.value)
        return made

    def _parameters(self, schema: Schema) -> str:
        return json_text.members(
            (name, json_text.text(value))
            for name, value in schema.parameters
            if self._options.old_docs or name != _DEFAULT_FLAG
        )


def _decimal(schema: Schema) -> dict[str, str]:
    """Scale and precision of a decimal; nothing of other types."""
    if schema.type is not Type.BYTES or schema.name != DECIMAL:
        return {}
    parameters = dict(schema.parameters)
    scale, precision = int(parameters.get("scale", "0")), int(parameters.get(_PRECISION, _LARGEST_PRECISION))
    return {"scale": str(scale), "precision": str(precision)}


def _is_decimal(schema: Schema) -> bool:
    """Whether Avro knows such a decimal."""
    found = _decimal(schema)
    return 0 <= int(found["scale"]) <= int(found["precision"])


def _is_named(type_: AvroType) -> bool:
    return any(isinstance(each, Record | Named) for each in (type_.branches if isinstance(type_, Union) else (type_,)))
