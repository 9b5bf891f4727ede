"""Keys and values in Avro with the id of their schema: prefixes, headers, nulls, topics."""

from uuid import UUID

import numpy as np
import pytest

from tailrace.changes.layouts import Column, Constant, Layout, Struct
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, SourceRecords
from tailrace.changes.vectors import integers
from tailrace.changes.views import vector_of
from tailrace.encoding.avro.messages import AvroMessages
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.registered.framing import Framing
from tailrace.errors import DeliveryError
from tailrace.registry.schemas import SchemaId
from tailrace.schema.connect import Field, Schema, Type

LONG = Schema(Type.INT64)
ROW = Schema(Type.STRUCT, name="a.Row", fields=(Field("n", LONG),))
GUID = UUID("00112233-4455-6677-8899-aabbccddeeff")


class Ids:
    """Numbers schemas per topic, and notes what it was asked."""

    def __init__(self, guid=None, first=1):
        self.asked, self.guid, self.first = [], guid, first

    def id_for(self, topic, schema):
        if (topic, schema.text) not in self.asked:
            self.asked.append((topic, schema.text))
        return SchemaId(self.first + self.asked.index((topic, schema.text)), self.guid)

    def close(self):
        self.asked.append("closed")


def records(layout, columns, roles, topic="t"):
    roles = np.array(roles, np.int32)
    n = roles.shape[1]
    positions = binary_of([b"place %d" % i for i in range(n)])
    return SourceRecords(EventKind.ROWS, topic, None, layout, columns, roles, np.zeros(n), positions, np.arange(n))


def rows(*values):
    return records(Layout(Struct(ROW, (Column(LONG, 0, 0),))), [integers(np.array(values))], [range(len(values))])


def messages(framing=Framing.PREFIX_4, part="value", ids=None):
    return AvroMessages(part, ids or Ids(), framing, AvroOptions())


def texts(binary):
    return [binary[i] for i in range(len(binary))]


@pytest.mark.parametrize(
    ("framing", "prefix"),
    [(Framing.PREFIX_4, bytes.fromhex("0000000001")), (Framing.PREFIX_8, bytes.fromhex("000000000000000001"))],
)
def test_a_prefix_is_a_zero_byte_and_the_id(framing, prefix):
    given = rows(1, 2)
    made, headers = messages(framing).render_with_headers(given.value, given)
    assert texts(made) == [prefix + b"\x02", prefix + b"\x04"]
    assert headers == ()


def test_a_guid_stands_in_a_header_of_17_bytes_where_there_is_a_value():
    given = rows(1, 2)
    made, (header,) = messages(Framing.GUID_HEADER, "key", Ids(GUID)).render_with_headers(
        given.value, given, np.array([True, False])
    )
    assert texts(made) == [b"\x02", None]
    assert (header.name, texts(header.values)) == ("__key_schema_id", [b"\x01" + GUID.bytes, None])


def test_a_registry_without_guids_is_told():
    given = rows(1)
    with pytest.raises(DeliveryError, match=r"value\.schema\.id\.serializer.*Use PrefixSchemaIdSerializer"):
        messages(Framing.GUID_HEADER).render(given.value, given)


@pytest.mark.parametrize(
    ("framing", "name"), [(Framing.CONTENT_ID_HEADER, "contentId"), (Framing.GLOBAL_ID_HEADER, "globalId")]
)
def test_apicurios_headers_have_the_id_and_the_encoding(framing, name):
    given = rows(1)
    made, headers = messages(framing, ids=Ids(first=258)).render_with_headers(given.value, given)
    assert texts(made) == [b"\x02"]
    assert [(each.name, texts(each.values)) for each in headers] == [
        (f"apicurio.value.{name}", [bytes.fromhex("0000000000000102")]),
        ("apicurio.value.encoding", [b"BINARY"]),
    ]


def test_an_id_that_does_not_fit_is_an_error():
    given = rows(1)
    with pytest.raises(DeliveryError, match="Legacy8ByteIdHandler"):
        messages(ids=Ids(first=2**32)).render(given.value, given)


def test_each_topic_has_its_own_id_though_the_layout_is_the_same():
    given, ids = rows(1), Ids()
    writing = messages(ids=ids)
    assert [writing.render(given.value, given, topic=topic)[0][4] for topic in ("t", "u", "t", None)] == [1, 2, 1, 1]
    assert [topic for topic, _ in ids.asked] == ["t", "u"]


def test_nulls_alone_register_nothing():
    ids = Ids()
    given = records(Layout(Constant(LONG.with_(optional=True), None)), [], [[0, 1]])
    made, headers = messages(ids=ids).render_with_headers(given.value, given)
    assert (texts(made), headers, ids.asked) == ([None, None], (), [])
    present = rows(1, 2)
    assert texts(messages(ids=ids).render(present.value, present, np.zeros(2, np.bool_))) == [None, None]
    assert ids.asked == []


def test_a_null_with_a_schema_is_no_value_at_all():
    layout = Layout(Struct(ROW.with_(optional=True), (Column(LONG, 0, 0),), 0))
    given = records(layout, [integers(np.array([5]))], [[0, -1]])
    assert texts(messages().render(given.value, given)) == [b"\0\0\0\0\1\x02\x0a", None]


def test_a_null_that_must_not_be_is_told_with_topic_field_and_position():
    text = Schema(Type.STRING)
    schema = Schema(Type.STRUCT, name="a.Row", fields=(Field("name", text),))
    given = records(Layout(Struct(schema, (Column(text, 0, 0),))), [vector_of([b"a", None])], [[0, 1]])
    with pytest.raises(DeliveryError, match=r"^t: name is null at place 1, .*whole rows only if the database is set"):
        messages().render(given.value, given)


def test_closing_closes_the_client():
    ids = Ids()
    messages(ids=ids).close()
    assert ids.asked == ["closed"]
