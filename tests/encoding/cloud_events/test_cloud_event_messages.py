"""Cloud events of row changes: attributes, what becomes null, what fails, records of several sources in one batch."""

import json
from dataclasses import replace

import numpy as np
import pytest

from support.fake_registry import FakeRegistry
from support.row_changes import row_changes
from support.unit_settings import unit_settings
from tailrace.changes.layouts import Column, Constant, Layout, Struct
from tailrace.changes.source_records import SourceHeader
from tailrace.changes.views import vector_of
from tailrace.converter_classes import CLOUD_EVENTS, JSON
from tailrace.errors import DeliveryError
from tailrace.events.pipeline import encoder_of
from tailrace.schema.connect import Schema, Type

CHANGES = [("c", None, (1, "a")), ("u", (1, "a"), (1, None)), ("d", (1, None), None)]
TEXT = Schema(Type.STRING)


def events(records, **options):
    """The values of records; options are properties of the converter, with `__` for dots."""
    given = {f"value.converter.{name.replace('__', '.')}": text for name, text in options.items()}
    settings = unit_settings({"value.converter": CLOUD_EVENTS, "header.converter": JSON} | given)
    made = encoder_of(settings).encode(records).values
    return [None if made[i] is None else json.loads(made[i]) for i in range(len(made))]


def headed(records, *present, **texts):
    headers = tuple(
        SourceHeader(name, Layout(Constant(TEXT, text)), np.array(present) if present else None) for name, text in texts.items()
    )
    return replace(records, headers=headers)


def test_an_event_has_the_attributes_of_its_change():
    created, updated, deleted, tombstone = events(row_changes(CHANGES).source_records(), json__schemas__enable="false")
    assert created["id"] == "name:dbz;file:binlog.000001;pos:5"
    assert created["source"] == "/debezium/mysql/dbz"
    assert (created["specversion"], created["datacontenttype"]) == ("1.0", "application/json")
    assert created["type"] == "io.debezium.connector.mysql.DataChangeEvent"
    assert created["time"] == "2023-11-14T22:13:20.000Z"
    assert (created["iodebeziumop"], created["iodebeziumpos"], created["iodebeziumrow"]) == ("c", "5", 5)
    assert created["iodebeziumgtid"] is None
    assert created["data"] == {"before": None, "after": {"c0": 1, "c1": "a"}}
    assert [updated["iodebeziumop"], deleted["iodebeziumop"]] == ["u", "d"]
    assert tombstone is None


def test_data_have_their_schema_unless_that_is_switched_off():
    data = events(row_changes(CHANGES).source_records())[0]["data"]
    assert data["schema"]["name"] == "io.debezium.connector.mysql.Data"
    assert [each["field"] for each in data["schema"]["fields"]] == ["before", "after"]
    assert data["payload"]["after"] == {"c0": 1, "c1": "a"}


def test_an_event_without_extensions_has_the_specifications_attributes_alone():
    (event, *_) = events(row_changes(CHANGES).source_records(), extension__attributes__enable="false")
    assert list(event) == ["id", "source", "specversion", "type", "time", "datacontenttype", "data"]


def test_ids_come_from_a_header_that_all_records_must_have():
    records = row_changes(CHANGES[:2]).source_records()
    sources = "value,id:header,type:generate"
    found = events(headed(records, id="mine"), metadata__source=sources)
    assert [event["id"] for event in found] == ["mine", "mine"]
    with pytest.raises(DeliveryError, match="no header 'id'"):
        events(records, metadata__source=sources)
    with pytest.raises(DeliveryError, match="no header 'id'"):
        events(headed(records, True, False, id="mine"), metadata__source=sources)


def test_records_without_metadata_in_headers_become_null():
    records = row_changes(CHANGES[:2]).source_records()
    assert events(records, metadata__source="header,id:generate,type:generate") == [None, None]


def test_a_record_without_a_schemas_name_fails_as_with_debezium():
    records = row_changes(CHANGES[:1]).source_records()
    with pytest.raises(DeliveryError, match="without a schema name"):
        events(replace(records, value=Layout(Constant(TEXT, "x"))))


def test_names_of_data_schemas_may_differ_within_a_batch():
    records = row_changes([("c", None, (i, "a")) for i in range(4)]).source_records()
    records = replace(records, columns=[*records.columns, vector_of([b"one", b"two", b"one", b"two"])])
    role = len(records.roles)
    records = replace(records, roles=np.vstack([records.roles, np.arange(4, dtype=np.int32)]))
    header = SourceHeader("dataSchemaName", Layout(Column(TEXT, len(records.columns) - 1, role)))
    found = events(
        replace(records, headers=(header,)),
        metadata__source="value,id:generate,type:generate,dataSchemaName:header",
        schema__data__name__source__header__enable="true",
    )
    assert [event["data"]["schema"]["name"] for event in found] == ["one", "two", "one", "two"]
    assert [event["data"]["payload"]["after"]["c0"] for event in found] == [0, 1, 2, 3]


def test_an_envelope_without_an_image_fails():
    records = row_changes(CHANGES[:1]).source_records()
    root = records.value.root
    kept = [(f, node) for f, node in zip(root.schema.fields, root.fields, strict=True) if f.name != "before"]
    cut = Struct(root.schema.with_(fields=tuple(f for f, _ in kept)), tuple(node for _, node in kept))
    with pytest.raises(DeliveryError, match="no field 'before'"):
        events(replace(records, value=Layout(cut)))


def test_the_address_of_a_schema_has_no_login():
    with FakeRegistry() as fake:
        url = fake.url.replace("://", "://me:hush!@")
        options = {"data__serializer__type": "avro", "avro__schema__registry__url": f"{url},{url}/b"}
        created = events(row_changes(CHANGES).source_records(), **options)[0]
        assert created["dataschema"] == f"{fake.url},{fake.url}/b/schemas/ids/{len(fake.texts)}"
        assert all("Authorization" in headers for _, _, headers, _ in fake.requests)
