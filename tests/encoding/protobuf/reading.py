"""Messages read back by Google's library, from the text of the schema that is registered."""

import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2, wrappers_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

_FIELD = re.compile(r"^(?:(repeated|optional) )?([\w.]+) (\w+) = (\d+)$")
_OPTIONS = re.compile(r"\s*\[[^;]*\](?=;)")
_TYPES = {
    name: getattr(FieldDescriptorProto, f"TYPE_{name.upper()}")
    for name in ("double", "float", "int64", "int32", "uint32", "bool", "string", "bytes")
}
_KNOWN = {
    "confluent/type/decimal.proto": ("confluent.type", "Decimal", ("bytes value", "uint32 precision", "int32 scale")),
    "google/type/date.proto": ("google.type", "Date", ("int32 year", "int32 month", "int32 day")),
    "google/type/timeofday.proto": (
        "google.type", "TimeOfDay", ("int32 hours", "int32 minutes", "int32 seconds", "int32 nanos"),
    ),
}  # fmt: skip


def message_class(schema):
    """The class of a `ProtobufSchema`'s message."""
    pool = descriptor_pool.DescriptorPool()
    for known in (timestamp_pb2, wrappers_pb2):
        pool.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
    for path, (package, name, fields) in _KNOWN.items():
        body = "".join(f"{field} = {number};" for number, field in enumerate(fields, 1))
        pool.Add(_file(path, f'syntax = "proto3";package {package};message {name} {{{body}}}'))
    if not schema.text.startswith('syntax = "proto3";\npackage google.protobuf;'):
        pool.Add(_file("own.proto", schema.text))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.record_name))


def _file(path, text):
    made = descriptor_pb2.FileDescriptorProto(name=path, syntax="proto3")
    open_messages = []
    for statement in re.split(r"(?<=[;{}])", _OPTIONS.sub("", text)):
        line = statement.strip().rstrip(";").strip()
        if line.startswith("package "):
            made.package = line.removeprefix("package ")
        elif line.startswith("import "):
            made.dependency.append(line.removeprefix("import ").strip('"'))
        elif line.endswith("{"):
            owner = open_messages[-1].nested_type if open_messages else made.message_type
            open_messages.append(owner.add(name=line.split()[1]))
        elif line == "}":
            open_messages.pop()
        elif found := _FIELD.match(line):
            _add(open_messages[-1], *found.groups())
    return made


def _add(message, label, type_, name, number):
    field = message.field.add(name=name, number=int(number), json_name=name)
    field.label = FieldDescriptorProto.LABEL_REPEATED if label == "repeated" else FieldDescriptorProto.LABEL_OPTIONAL
    if type_ in _TYPES:
        field.type = _TYPES[type_]
    else:
        field.type_name = type_
    if label == "optional":
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{name}")
