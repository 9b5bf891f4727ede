"""Servers that answer well, but not as a registry: never an id by accident, and an error that says what is wrong."""

import pytest

from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import avro_schema
from tailrace.errors import RegistryError
from tailrace.registry.apicurio import ApicurioIds, ApicurioSchemaIds
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.subjects import Strategy
from tailrace.schema.connect import Field, Schema, Type

SCHEMA = avro_schema(Schema(Type.STRUCT, name="a.B", fields=(Field("x", Schema(Type.INT32)),)), AvroOptions())
WAYS = [
    (ConfluentSchemaIds, ConfluentIds(part="value")),
    (ConfluentSchemaIds, ConfluentIds(part="value", register=False, use_latest=True)),
    (ConfluentSchemaIds, ConfluentIds(part="value", register=False, use_id=4)),
    (ConfluentSchemaIds, ConfluentIds(part="value", strategy=Strategy.ASSOCIATED)),
    (ApicurioSchemaIds, ApicurioIds(part="value", register=True)),
    (ApicurioSchemaIds, ApicurioIds(part="value", use_latest=True)),
    (ApicurioSchemaIds, ApicurioIds(part="value")),
]
ANSWERS = [
    ["x"],
    {"status": "UP"},
    {"id": None, "version": None, "versions": [{}]},
    {"id": "seven", "version": {"contentId": "seven"}, "versions": [{"contentId": "seven"}]},
    {"id": 1.5, "version": {"contentId": 1.5}, "versions": [{"contentId": 1.5}]},
    {"id": True, "version": {"contentId": True}, "versions": [{"contentId": True}]},
    {"id": -1, "version": {"contentId": -1}, "versions": [{"contentId": -1}]},
    {"id": 1, "guid": "no guid", "version": "1", "versions": "1", "schema": 7},
    "text",
    7,
]


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
@pytest.mark.parametrize(("kind", "settings"), WAYS, ids=str)
def test_an_answer_that_is_not_the_apis_gives_no_id(fake, kind, settings, answer):
    fake.faults = [(200, answer)] * 3
    connection = RegistryConnection(urls=(fake.url,), name="schema.registry.url", retries=0)
    with pytest.raises(RegistryError, match=r"schema\.registry\.url: the answer to the question for the s"):
        kind(connection, settings).id_for("t", SCHEMA)
