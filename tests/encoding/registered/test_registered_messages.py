"""Protobuf and JSON Schema with the id of their schema: prefixes, places, headers, nulls."""

from uuid import UUID

import numpy as np
import pytest
from tests.encoding.avro.test_avro_messages import Ids, records, texts

from tailrace.changes.layouts import Column, Layout, Struct
from tailrace.changes.vectors import integers
from tailrace.changes.views import vector_of
from tailrace.encoding.json_schema.messages import JsonSchemaFormat
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.protobuf.messages import ProtobufFormat
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.schema.connect import Field, Schema, Type

LONG, TEXT = Schema(Type.INT64), Schema(Type.STRING)
ROW = Schema(Type.STRUCT, name="a.Row", optional=True, fields=(Field("n", LONG),))
GUID = UUID("00112233-4455-6677-8899-aabbccddeeff")
PROTOBUF, JSON = ProtobufFormat(ProtobufOptions()), JsonSchemaFormat(JsonSchemaOptions())
FIRST = bytes.fromhex("0000000001")


def rows(*numbers):
    """Records of a row, or of null as a whole where a number is None."""
    columns = [integers(np.array([0 if each is None else each for each in numbers]))]
    roles = [[-1 if each is None else i for i, each in enumerate(numbers)]]
    return records(Layout(Struct(ROW, (Column(LONG, 0, 0),), role=0)), columns, roles)


def messages(format_, framing=Framing.PREFIX_4, ids=None):
    return RegisteredMessages("value", ids or Ids(), framing, format_)


def test_protobuf_has_the_place_of_the_message_behind_the_id():
    given = rows(5)
    assert texts(messages(PROTOBUF).render(given.value, given)) == [FIRST + b"\x00" + b"\x08\x05"]
    given = records(Layout(Column(TEXT, 0, 0)), [vector_of([b"x"])], [[0]])
    assert texts(messages(PROTOBUF).render(given.value, given)) == [FIRST + b"\x02\x0e" + b"\x0a\x01x"]


def test_the_place_stands_behind_the_guid_in_a_header():
    given = rows(5)
    made, (header,) = messages(PROTOBUF, Framing.GUID_HEADER, Ids(GUID)).render_with_headers(given.value, given)
    assert (texts(made), header.name) == ([b"\x08\x05"], "__value_schema_id")
    assert texts(header.values) == [b"\x01" + GUID.bytes + b"\x00"]


def test_json_stands_behind_the_id():
    given = rows(5)
    assert texts(messages(JSON).render(given.value, given)) == [FIRST + b'{"n":5}']


def test_a_null_with_a_schema_is_jsons_null_and_no_message_of_protobuf():
    given = rows(None, 1)
    assert texts(messages(JSON).render(given.value, given)) == [FIRST + b"null", FIRST + b'{"n":1}']
    assert texts(messages(PROTOBUF).render(given.value, given)) == [None, FIRST + b"\x00\x08\x01"]


@pytest.mark.parametrize("format_", [PROTOBUF, JSON])
def test_a_tombstone_stays_a_null_and_registers_nothing(format_):
    ids, given = Ids(), rows(1)
    assert texts(messages(format_, ids=ids).render(given.value, given, np.array([False]))) == [None]
    assert ids.asked == []


def test_a_null_with_a_default_is_the_default_in_json_unless_defaults_are_ignored():
    schema = Schema(Type.STRUCT, name="a.Row", fields=(Field("n", LONG.with_(optional=True, default=7)),))
    column = integers(np.array([0]))
    column.valid = np.zeros(1, np.uint8)
    given = records(Layout(Struct(schema, (Column(schema.fields[0].schema, 0, 0),))), [column], [[0]])
    assert texts(messages(JSON).render(given.value, given)) == [FIRST + b'{"n":7}']
    kept = JsonSchemaFormat(JsonSchemaOptions(keep_nulls=True))
    assert texts(messages(kept).render(given.value, given)) == [FIRST + b'{"n":null}']
