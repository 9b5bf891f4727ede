"""Google's wrappers: messages around one scalar. A whole key or value that is a scalar is one of them."""

from __future__ import annotations

from typing import Final

from tailrace.encoding.protobuf.wire import index_path
from tailrace.schema.connect import Type

FILE: Final = "google/protobuf/wrappers.proto"
_PACKAGE: Final = "google.protobuf"
_MESSAGES: Final = (
    ("DoubleValue", "double"),
    ("FloatValue", "float"),
    ("Int64Value", "int64"),
    ("UInt64Value", "uint64"),
    ("Int32Value", "int32"),
    ("UInt32Value", "uint32"),
    ("BoolValue", "bool"),
    ("StringValue", "string"),
    ("BytesValue", "bytes"),
)
_OPTIONS: Final = (
    ("java_package", '"com.google.protobuf"'),
    ("java_outer_classname", '"WrappersProto"'),
    ("java_multiple_files", "true"),
    ("go_package", '"google.golang.org/protobuf/types/known/wrapperspb"'),
    ("cc_enable_arenas", "true"),
    ("objc_class_prefix", '"GPB"'),
    ("csharp_namespace", '"Google.Protobuf.WellKnownTypes"'),
)
_OF_TYPE: Final = {
    Type.INT8: "Int32Value",
    Type.INT16: "Int32Value",
    Type.INT32: "Int32Value",
    Type.INT64: "Int64Value",
    Type.FLOAT32: "FloatValue",
    Type.FLOAT64: "DoubleValue",
    Type.BOOLEAN: "BoolValue",
    Type.STRING: "StringValue",
    Type.BYTES: "BytesValue",
}


def wrapper_of(type_: Type) -> str:
    """The full name of the message around a scalar. Raises `KeyError` if the type is none."""
    return f"{_PACKAGE}.{_OF_TYPE[type_]}"


def wrapper_place(type_: Type) -> bytes:
    """Where the message is in its file, as records tell it."""
    return index_path([name for name, _ in _MESSAGES].index(_OF_TYPE[type_]))


def wrappers_text() -> str:
    """The text of the file, as the converter registers it."""
    options = "".join(f"option {name} = {value};\n" for name, value in _OPTIONS)
    messages = "".join(
        f'message {name} {{\n  {scalar} value = 1 [json_name = "value"];\n}}\n' for name, scalar in _MESSAGES
    )
    return f'syntax = "proto3";\npackage {_PACKAGE};\n\n{options}\n{messages}'
