"""The Protobuf schema of a Connect schema, as Confluent's converter registers it.

A struct becomes a message, and the structs in it are defined within its message, by the last part of their names. Fields are
numbered in order. Names of other types, defaults, docs and versions are lost: Protobuf has no place for them, but for the
width of small integers and the precision of decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from tailrace.encoding.avro.defaults import part
from tailrace.encoding.protobuf import names
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.same_bytes import difference
from tailrace.encoding.protobuf.types import Message, MessageField, file_text
from tailrace.encoding.protobuf.wire import index_path
from tailrace.encoding.protobuf.wrappers import FILE as WRAPPERS
from tailrace.encoding.protobuf.wrappers import wrapper_of, wrapper_place, wrappers_text
from tailrace.errors import ConfigError
from tailrace.registry.schemas import ReferringSchema
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL

_CONNECT: Final = "org.apache.kafka.connect.data."
_OF_CONNECT: Final = {
    DECIMAL: ("confluent.type.Decimal", "confluent/type/decimal.proto"),
    f"{_CONNECT}Date": ("google.type.Date", "google/type/date.proto"),
    f"{_CONNECT}Time": ("google.type.TimeOfDay", "google/type/timeofday.proto"),
    f"{_CONNECT}Timestamp": ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
}
"""Messages of Connect's own types, and the files that define them."""
_SCALARS: Final = {
    Type.INT8: "int32",
    Type.INT16: "int32",
    Type.INT32: "int32",
    Type.INT64: "int64",
    Type.FLOAT32: "float",
    Type.FLOAT64: "double",
    Type.BOOLEAN: "bool",
    Type.STRING: "string",
    Type.BYTES: "bytes",
}
_SPECIAL: Final = ("io.confluent.connect.protobuf.", f"{_CONNECT}Enum", f"{_CONNECT}Union")


@dataclass(frozen=True)
class ProtobufSchema:
    """The Protobuf schema of a whole key or value.

    Attributes:
        text: what is registered.
        record_name: the full name of the message.
        place: which message of the text it is, as records tell it.

    """

    text: str
    record_name: str
    place: bytes

    @property
    def schema_type(self) -> str:
        """What Confluent's API calls it."""
        return "PROTOBUF"

    @cached_property
    def referring(self) -> ReferringSchema:
        """The same: what it imports is known to all readers, and is not registered."""
        namespace, _, name = self.record_name.rpartition(".")
        return ReferringSchema(name, namespace, self.text, ())

    def difference(self, other: str, referred: Mapping[str, Any]) -> str | None:  # noqa: ARG002 -- Protobuf imports files
        """Why a record would not be the same bytes with another schema; None: it would."""
        return difference(other, self.text)


def protobuf_schema(schema: Schema, options: ProtobufOptions) -> ProtobufSchema:
    """The Protobuf schema of a Connect schema.

    Raises:
        ConfigError: a name can't be one in Protobuf, or Protobuf lacks such a type.

    """
    if schema.type in _SCALARS:
        place = index_path(0) if is_message(schema) else wrapper_place(schema.type)  # the converter misses such a message
        return ProtobufSchema(wrappers_text(), wrapper_of(schema.type), place)
    if schema.type is not Type.STRUCT:
        raise ConfigError(
            f"a whole key or value of type {schema.type.value} can't be written in Protobuf, whose schemas are messages: "
            "put it into a struct (transform HoistField), or use another converter"
        )
    types = _Types(options)
    package, name = names.split_name(types.name(schema), scrub=options.scrub)
    message = types.message(name, schema)
    return ProtobufSchema(
        file_text(package, types.imports, message), f"{package}.{name}" if package else name, index_path(0)
    )


def is_message(schema: Schema) -> bool:
    """Whether a schema is one of Connect's own types, which are messages."""
    return schema.name in _OF_CONNECT


def is_wrapped(schema: Schema, options: ProtobufOptions) -> bool:
    """Whether the scalars of a schema are in a message of their own."""
    return options.wrappers and schema.optional and schema.type in _SCALARS and not is_message(schema)


class _Types:
    """Makes the messages of one schema."""

    def __init__(self, options: ProtobufOptions) -> None:
        self._options = options
        self._unnamed = 0
        self.imports: dict[str, None] = {}

    def name(self, schema: Schema) -> str:
        """The name of a schema; those without one are numbered in order of their use."""
        if schema.name:
            return schema.name
        self._unnamed += 1
        return f"{names.UNNAMED}{self._unnamed}"

    def message(self, name: str, schema: Schema) -> Message:
        """The message of a struct."""
        made = Message(name)
        defined: dict[str, Schema] = {name: schema}
        given = [each.name for each in schema.fields]
        for number, (field, own) in enumerate(
            zip(schema.fields, names.field_names(given, schema.name, scrub=self._options.scrub), strict=True), 1
        ):
            made.fields.append(self._field(own, number, field.schema, made, defined))
        return made

    def _field(
        self, name: str, number: int, schema: Schema, owner: Message, defined: dict[str, Schema]
    ) -> MessageField:
        repeated = schema.type in {Type.ARRAY, Type.MAP}
        label = "repeated" if repeated else "optional" if self._options.optional_fields and schema.optional else ""
        of = part(schema.items, schema) if schema.type is Type.ARRAY else schema
        _refuse_special(of, name)
        parameters = _parameters(of)
        if of.type is Type.STRUCT:
            type_ = self._nested(name, of, owner, defined)
        elif of.type is Type.MAP:
            type_ = self._entry(of, owner, in_array=of is not schema)
        else:
            type_ = self._scalar(of, name)
        return MessageField(name, type_, number, label, parameters)

    def _nested(self, field: str, schema: Schema, owner: Message, defined: dict[str, Schema]) -> str:
        """The name of a struct's message, which is defined in the message that has the field."""
        name = self._short(schema)
        if name == field:
            name += "Message"
        if name not in defined:
            defined[name] = schema
            owner.nested[name] = self.message(name, schema)
        elif defined[name].fields != schema.fields:
            raise ConfigError(
                f"the field {field!r} of {owner.name} and another one have different structs of the name {name}, which would "
                "be one message in Protobuf: leave one out, or rename its schema with a transform"
            )
        return name

    def _entry(self, schema: Schema, owner: Message, *, in_array: bool) -> str:
        """The name of the message of a map's entries."""
        if in_array:
            raise ConfigError(f"{owner.name} has an array of maps, which Protobuf can't express: use another converter")
        name = names.entry_name(self._short(schema))
        made, defined = Message(name), dict[str, Schema]()
        for number, (key, each) in enumerate((("key", schema.keys), ("value", schema.items)), 1):
            field = self._field(key, number, part(each, schema), made, defined)
            made.fields.append(replace(field, label="") if field.label == "optional" else field)
        owner.nested[name] = made
        return name

    def _short(self, schema: Schema) -> str:
        whole = self.name(schema)
        short = whole.rpartition(".")[2]
        short = names.scrubbed(short) if self._options.scrub else short
        return names.checked(short, f"the schema name {whole}", "schema.name.adjustment.mode")

    def _scalar(self, schema: Schema, field: str) -> str:
        if schema.type is Type.ARRAY:
            raise ConfigError(f"the field {field!r} is an array of arrays, which Protobuf can't express: leave it out")
        if is_message(schema):
            type_, file = _OF_CONNECT[schema.name or ""]
            self.imports[file] = None
            return type_
        if is_wrapped(schema, self._options):
            self.imports[WRAPPERS] = None
            return wrapper_of(schema.type)
        return _SCALARS[schema.type]


def _parameters(schema: Schema) -> tuple[tuple[str, str], ...]:
    """What Protobuf's own types don't tell."""
    if schema.name == DECIMAL:
        given = dict(schema.parameters)
        known = (("precision", given.get("connect.decimal.precision")), ("scale", given.get("scale")))
        return tuple((name, value) for name, value in known if value is not None)
    if schema.type in {Type.INT8, Type.INT16}:
        return (("connect.type", schema.type.value),)
    return ()


def _refuse_special(schema: Schema, field: str) -> None:
    """Enums, unions and numbers of fields come from schemas that were made of Protobuf; no database's are."""
    found = next((name for name, _ in schema.parameters if name.startswith(_SPECIAL)), None)
    if found is not None:
        raise ConfigError(f"the schema of the field {field!r} has the parameter {found}, which is not supported")
