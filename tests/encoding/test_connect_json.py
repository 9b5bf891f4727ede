"""Kafka Connect's JSON form of schemas and values."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.views import vector_of
from tailrace.encoding.connect_json import message_json, null_text, schema_json, text_json, value_json
from tailrace.encoding.render import Op, Template
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import decimal_bytes

LONG = Schema(Type.INT64)
DECIMAL = Schema(
    Type.BYTES, name="org.apache.kafka.connect.data.Decimal", version=1, parameters=(("scale", "2"),)
)


def test_a_struct_is_told_apart_from_one_that_came_before():
    """Their text is kept by identity; the name of a field isn't part of it."""
    made = [schema_json(Schema(Type.STRUCT, name=f"s{n}", fields=(Field("f", LONG),)), f"g{n}") for n in range(100)]
    assert [json.loads(text)["name"] for text in made] == [f"s{n}" for n in range(100)]
    row = Schema(Type.STRUCT, name="row", fields=(Field("f", LONG),))
    both = json.loads(schema_json(Schema(Type.STRUCT, fields=(Field("before", row), Field("after", row)))))
    before, after = both["fields"]
    assert (before.pop("field"), after.pop("field")) == ("before", "after")
    assert before == after == json.loads(schema_json(row))


def test_the_attributes_of_a_schema_have_a_fixed_order():
    field = Schema(
        Type.STRING,
        optional=True,
        name="n",
        version=1,
        doc="d",
        parameters=(("b", "1"), ("a", "2")),
        default="x",
    )
    schema = Schema(Type.STRUCT, name="s", version=3, fields=(Field("f", field),))
    assert schema_json(schema) == (
        b'{"type":"struct","fields":[{"type":"string","optional":true,"name":"n","version":1,"doc":"d",'
        b'"parameters":{"b":"1","a":"2"},"default":"x","field":"f"}],"optional":false,"name":"s","version":3}'
    )


def test_arrays_and_maps_say_what_they_hold():
    array = Schema(Type.ARRAY, items=LONG)
    assert json.loads(schema_json(array)) == {
        "type": "array", "items": {"type": "int64", "optional": False}, "optional": False,
    }  # fmt: skip
    table = Schema(Type.MAP, keys=Schema(Type.STRING), items=LONG, optional=True)
    assert schema_json(table).startswith(b'{"type":"map","keys":{')
    assert value_json(table, {"a": 1}) == b'{"a":1}'
    assert value_json(Schema(Type.MAP, keys=LONG, items=LONG), {1: 2}) == b"[[1,2]]"


def test_a_null_is_the_default_unless_the_converter_is_told_otherwise():
    schema = Schema(Type.BOOLEAN, optional=True, default=False)
    assert null_text(schema) == b"false"
    assert null_text(schema, replace_with_default=False) == b"null"
    assert null_text(LONG.with_(optional=True)) == b"null"
    assert null_text(DECIMAL.with_(default=b"\x01\x02")) == b'"AQI="'


def test_a_null_within_a_struct_list_or_map_is_not_the_default_either():
    text = Schema(Type.STRING, optional=True, default="d")
    row = Schema(Type.STRUCT, fields=(Field("s", text), Field("l", Schema(Type.ARRAY, items=text))))
    schema = Schema(Type.MAP, keys=Schema(Type.STRING), items=row)
    value = {"k": {"s": None, "l": [None]}}
    assert value_json(schema, value) == b'{"k":{"s":"d","l":["d"]}}'
    assert value_json(schema, value, replace_with_default=False) == b'{"k":{"s":null,"l":[null]}}'


def test_structs_bytes_and_decimals_have_their_forms():
    schema = Schema(
        Type.STRUCT, fields=(Field("a", LONG), Field("b", DECIMAL), Field("c", Schema(Type.BYTES)))
    )
    assert (
        value_json(schema, {"a": 1, "b": Decimal("1.28"), "c": b"\xff"}) == b'{"a":1,"b":"AIA=","c":"/w=="}'
    )
    assert value_json(schema, {"a": 1}) == b'{"a":1,"b":null,"c":null}'


@given(st.text(st.sampled_from('a"\\\\\n\x1b\x1fué€\uffff😀\U0010ffff'), max_size=20))
def test_texts_of_all_kinds_are_written_as_columns_of_texts_are(text):
    rendered = Template()
    rendered.value(Op.TEXT, 0, 0)
    assert text_json(text) == rendered.program().render([vector_of([text.encode()])], np.zeros((1, 1), np.int32))[0]


def test_names_and_parameters_have_the_same_escapes():
    field = Schema(Type.STRING, name="😀", doc="\x1b", parameters=(("p😀", "\x1f"),))
    text = schema_json(Schema(Type.STRUCT, fields=(Field("f😀", field),)))
    assert text.isascii()
    assert json.loads(text)["fields"][0]["parameters"] == {"p😀": "\x1f"}
    assert value_json(Schema(Type.STRUCT, fields=(Field("f😀", LONG),)), {"f😀": 1}) == b'{"f\\uD83D\\uDE00":1}'


def test_a_message_carries_its_schema_when_asked_to():
    assert message_json(LONG, 5, with_schema=False) == b"5"
    assert (
        message_json(LONG, 5, with_schema=True) == b'{"schema":{"type":"int64","optional":false},"payload":5}'
    )


@pytest.mark.parametrize(
    ("unscaled", "text"),
    [(0, "00"), (127, "7f"), (128, "0080"), (-128, "80"), (-129, "ff7f"), (255, "00ff"), (-1, "ff")],
)
def test_an_unscaled_value_takes_as_few_bytes_as_it_can(unscaled, text):
    assert decimal_bytes(Decimal(unscaled), 0).hex() == text


@given(st.integers(-(10**65), 10**65), st.integers(0, 30))
def test_an_unscaled_value_reads_back_whatever_its_size(unscaled, scale):
    data = decimal_bytes(Decimal(f"{unscaled}e-{scale}"), scale)
    assert int.from_bytes(data, "big", signed=True) == unscaled
