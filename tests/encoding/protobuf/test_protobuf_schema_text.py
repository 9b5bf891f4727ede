"""The text of Protobuf schemas, as the real converter registers it, and what Protobuf can't express."""

import pytest

from tailrace.encoding.protobuf.names import entry_name, scrubbed
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.schema_text import protobuf_schema
from tailrace.errors import ConfigError
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import DECIMAL

LONG, TEXT = Schema(Type.INT64), Schema(Type.STRING)
PLAIN = ProtobufOptions()


def struct(name, /, **fields):
    return Schema(Type.STRUCT, name=name, fields=tuple(Field(*each) for each in fields.items()))


def text(schema, **options):
    return protobuf_schema(schema, ProtobufOptions(**options)).text


def test_structs_are_messages_within_messages():
    deepest = struct("a.C", n=LONG)
    schema = struct("a.b.A", x=struct("other.B", c=deepest, t=TEXT), y=struct("other.B", c=deepest, t=TEXT))
    found = protobuf_schema(schema, PLAIN)
    assert (found.record_name, found.place, found.schema_type) == ("a.b.A", b"\x00", "PROTOBUF")
    assert found.text == (
        'syntax = "proto3";\npackage a.b;\n\nmessage A {\n  B x = 1;\n  B y = 2;\n\n  message B {\n    C c = 1;\n'
        "    string t = 2;\n  \n    message C {\n      int64 n = 1;\n    }\n  }\n}\n"
    )


def test_what_protobuf_lacks_stands_in_the_fields_meta_data():
    parameters = (("scale", "2"), ("connect.decimal.precision", "5"))
    schema = struct("A", n=Schema(Type.INT16), d=Schema(Type.BYTES, name=DECIMAL, parameters=parameters))
    assert text(schema) == (
        'syntax = "proto3";\n\nimport "confluent/type/decimal.proto";\n\nmessage A {\n'
        '  int32 n = 1 [(confluent.field_meta) = {\n    params: [\n      {\n        key: "connect.type",\n'
        '        value: "int16"\n      }\n    ]\n  }];\n'
        '  confluent.type.Decimal d = 2 [(confluent.field_meta) = {\n    params: [\n      {\n        value: "5",\n'
        '        key: "precision"\n      },\n      {\n        value: "2",\n        key: "scale"\n      }\n    ]\n  }];\n}\n'
    )


def test_fields_that_may_be_null_are_optional_or_wrapped_if_asked_for():
    schema = struct("A", n=LONG.with_(optional=True), t=TEXT)
    assert "  optional int64 n = 1;\n  string t = 2;\n" in text(schema, optional_fields=True)
    wrapped = text(schema, wrappers=True)
    assert 'import "google/protobuf/wrappers.proto";\n' in wrapped
    assert "  google.protobuf.Int64Value n = 1;\n  string t = 2;\n" in wrapped


def test_structs_and_maps_without_a_name_are_numbered():
    pairs = Schema(Type.MAP, keys=TEXT, items=LONG)
    found = text(struct(None, m=pairs, s=struct(None, n=LONG)))
    assert "message ConnectDefault1 {\n  repeated ConnectDefault2Entry m = 1;\n  ConnectDefault3 s = 2;\n" in found


def test_a_struct_of_the_name_of_its_field_gets_another():
    assert "  itemMessage item = 1;\n\n  message itemMessage {" in text(struct("A", item=struct("a.item", n=LONG)))


@pytest.mark.parametrize(("type_", "place"), [(Type.FLOAT64, "00"), (Type.INT64, "0204"), (Type.STRING, "020e")])
def test_a_whole_scalar_is_in_googles_wrapper_at_its_place(type_, place):
    found = protobuf_schema(Schema(type_), PLAIN)
    assert found.place.hex() == place
    assert found.text.startswith('syntax = "proto3";\npackage google.protobuf;\n')


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (Schema(Type.ARRAY, items=LONG), "a whole key or value of type array"),
        (struct("A", a=Schema(Type.ARRAY, items=Schema(Type.ARRAY, items=LONG))), "array of arrays"),
        (struct("A", a=Schema(Type.ARRAY, items=Schema(Type.MAP, keys=TEXT, items=LONG))), "array of maps"),
        (struct("A", **{"a b": LONG}), "the field 'a b' of A can't be a name in Protobuf"),
        (struct("a.1x"), "the schema name a.1x can't be a name"),
        (struct("A", x=struct("p.B", n=LONG), y=struct("q.B", t=TEXT)), "different structs of the name B"),
        (struct("A", e=Schema(Type.STRING, parameters=(("io.confluent.connect.protobuf.Enum", "E"),))), "is not supported"),
    ],
)
def test_what_protobuf_cant_express_is_refused(schema, words):
    with pytest.raises(ConfigError, match=words):
        protobuf_schema(schema, PLAIN)


def test_names_that_become_the_same_are_refused():
    with pytest.raises(ConfigError, match="would both be a_b in Protobuf"):
        text(struct("A", **{"a-b": LONG, "a_b": LONG}), scrub=True)


@pytest.mark.parametrize(("name", "made"), [("a-b", "a_b"), ("1c", "x1c"), ("_a", "x_a"), ("é", "_C3_A9"), ("ok", "ok")])
def test_names_are_scrubbed(name, made):
    assert scrubbed(name) == made


@pytest.mark.parametrize(("name", "made"), [("a_map", "AMapEntry"), ("aMap", "aMapEntry"), ("X_YZ", "XYzEntry")])
def test_entries_of_maps_are_named_after_them(name, made):
    assert entry_name(name) == made


def test_another_schema_gives_the_same_bytes_if_its_fields_are_the_same():
    schema = struct("a.A", s=struct("a.B", n=Schema(Type.INT16)), t=TEXT)
    found = protobuf_schema(schema, PLAIN)
    own = 'syntax="proto3"; package a; /* x; */ message A { B s = 1; string t = 2; // {\n message B { int32 n = 1; } }'
    assert found.difference(own, {}) is None
    assert found.difference(found.text, {}) is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("string t = 2", "bytes t = 2", "the field t of a.A is bytes = 2 and not string = 2"),
        ("string t = 2;", "", "the field t of a.A is missing and not string = 2"),
        ("string t = 2;", "string t = 2; int32 z = 3;", "the field z of a.A is int32 = 3 and not missing"),
        ("message A", "message Z", "its first message is a.Z and not a.A"),
        ("message B", "message Z", "it has no message a.A.B"),
    ],
)
def test_a_difference_is_told_by_its_field(old, new, words):
    found = protobuf_schema(struct("a.A", s=struct("a.B", n=LONG), t=TEXT), PLAIN)
    assert found.difference(found.text.replace(old, new), {}) == words
