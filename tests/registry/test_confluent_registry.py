"""Ids from a registry with Confluent's API: how schemas are registered, looked up, chosen; what errors say."""

import pickle
from uuid import UUID

import pytest

from tailrace.config.secret import Secret
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import avro_schema
from tailrace.errors import DeliveryError, RegistryError, RegistryUnavailableError
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.schemas import SchemaId
from tailrace.registry.subjects import Strategy
from tailrace.schema.connect import Field, Schema, Type

NUMBER = avro_schema(Schema(Type.INT32), AvroOptions())
OPTIONAL = Schema(Type.STRING, optional=True)


def record(*names, **more):
    fields = tuple(Field(name, OPTIONAL) for name in names)
    return avro_schema(Schema(Type.STRUCT, name="a.R", fields=fields, **more), AvroOptions())


def client(registry, part="value", *, retries=0, urls=None, read_timeout=10.0, **ids):
    connection = RegistryConnection(
        urls=urls or (registry.url,), name="schema.registry.url", retries=retries, wait=0.0, read_timeout=read_timeout
    )
    return ConfluentSchemaIds(connection, ConfluentIds(part=part, **ids))


def paths(registry):
    return [(method, path) for method, path, _, _ in registry.requests]


def test_a_schema_is_registered_once_for_each_subject(fake):
    ids = client(fake)
    assert [ids.id_for(topic, record("a")).number for topic in ("t", "t", "u/ü", "t")] == [1, 1, 1, 1]
    assert ids.id_for("t", record("b")).number == 2
    assert paths(fake) == [
        ("POST", "/subjects/t-value/versions"),
        ("POST", "/subjects/u%2F%C3%BC-value/versions"),
        ("POST", "/subjects/t-value/versions"),
    ]


def test_the_registry_is_asked_to_normalise_where_that_is_set(fake):
    client(fake, normalize=True, propagate_tags=True).id_for("t", NUMBER)
    _, path, headers, body = fake.requests[0]
    assert path.endswith("?normalize=true")
    assert headers["Content-Type"] == "application/vnd.schemaregistry.v1+json"
    assert b'"propagateSchemaTags": true' in body


def test_without_registering_a_known_schema_is_found_and_an_unknown_one_is_an_error_with_its_text(fake):
    client(fake).id_for("t", record("a"))
    ids = client(fake, register=False)
    assert ids.id_for("t", record("a")) == SchemaId(1)
    with pytest.raises(RegistryError, match=r"t-value .*40403.*use\.latest\.version=true.*\"name\":\"b\"") as error:
        ids.id_for("t", record("b"))
    assert (error.value.status, error.value.code) == (404, 40403)
    with pytest.raises(RegistryError, match="Subject 'other-value' not found"):
        ids.id_for("other", record("a"))


def test_the_latest_schema_is_used_if_records_are_the_same_bytes(fake):
    client(fake).id_for("t", record("a", doc="newer"))
    assert client(fake, register=False, use_latest=True).id_for("t", record("a")) == SchemaId(1)


def test_a_latest_schema_with_other_fields_is_an_error_that_tells_both(fake):
    client(fake).id_for("t", record("a", "b"))
    with pytest.raises(DeliveryError, match="has the fields a, b there and a here"):
        client(fake, register=False, use_latest=True).id_for("t", record("a"))


def test_the_latest_schema_is_asked_for_again_after_its_time(fake):
    client(fake).id_for("t", record("a"))
    kept = client(fake, register=False, use_latest=True)
    asked_again = client(fake, register=False, use_latest=True, latest_seconds=0.0)
    for ids in (kept, asked_again):
        before = len(fake.requests)
        ids.id_for("t", record("a"))
        ids.id_for("t", record("a"))
        assert len(fake.requests) - before == (1 if ids is kept else 2)


def test_a_fixed_schema_is_used_if_it_suits(fake):
    client(fake).id_for("t", record("a"))
    client(fake).id_for("t", NUMBER)
    assert client(fake, register=False, use_id=1).id_for("other", record("a")) == SchemaId(1)
    with pytest.raises(DeliveryError, match="is int there and record here"):
        client(fake, register=False, use_id=2).id_for("t", record("a"))
    with pytest.raises(RegistryError, match=r"the schema 9 \(use\.schema\.id\)"):
        client(fake, register=False, use_id=9).id_for("t", record("a"))


def test_guids_come_with_ids_where_the_registry_has_them(fake):
    fake.guids = True
    assert client(fake).id_for("t", NUMBER) == SchemaId(1, UUID(int=1))


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [(Strategy.TOPIC, "t-key"), (Strategy.RECORD, "a.R"), (Strategy.TOPIC_RECORD, "t-a.R")],
)
def test_subjects_are_named_by_topic_or_record(fake, strategy, subject):
    client(fake, "key", strategy=strategy).id_for("t", record("a"))
    assert list(fake.subjects) == [subject]


def test_a_primitive_has_no_record_to_name_its_subject_by(fake):
    with pytest.raises(DeliveryError, match=r"value\.subject\.name\.strategy.*topic t.*use TopicNameStrategy"):
        client(fake, strategy=Strategy.RECORD).id_for("t", NUMBER)


def test_an_associated_subject_is_asked_for_once_and_others_fall_back(fake):
    fake.associations["t"] = "orders"
    ids = client(fake, strategy=Strategy.ASSOCIATED)
    for topic in ("t", "u", "t", "u"):
        ids.id_for(topic, record("a"))
    assert list(fake.subjects) == ["orders", "u-value"]
    assert [path for _, path in paths(fake) if path.startswith("/assoc")] == [
        "/associations/resources/-/t?resourceType=topic&associationType=value",
        "/associations/resources/-/u?resourceType=topic&associationType=value",
    ]


def test_a_registry_without_associations_falls_back_unless_that_is_forbidden(fake):
    fake.faults = [(404, {"error_code": 404, "message": "HTTP 404 Not Found"})]
    client(fake, strategy=Strategy.ASSOCIATED).id_for("t", record("a"))
    assert list(fake.subjects) == ["t-value"]
    with pytest.raises(RegistryError, match=r"no subject for the value of topic t.*fallback\.type"):
        client(fake, strategy=Strategy.ASSOCIATED, fallback=None).id_for("t", record("a"))


def test_an_incompatible_schema_is_final_and_the_registrys_message_is_told_in_full(fake):
    told = "Schema being registered is incompatible with an earlier schema; details: READER_FIELD_MISSING_DEFAULT_VALUE at /fields/3"
    fake.faults = [(409, {"error_code": 409, "message": told})]
    with pytest.raises(RegistryError) as error:
        client(fake, retries=5).id_for("t", record("a"))
    assert told in str(error.value)
    assert "subject t-value" in str(error.value)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_the_registry_can_not_do_now_is_tried_again(fake, status):
    fake.faults = [(status, {"error_code": 50003, "message": "no leader"})] * 2
    assert client(fake, retries=2).id_for("t", NUMBER) == SchemaId(1)
    fake.faults = [(status, {"error_code": 50003, "message": "no leader"})] * 3
    with pytest.raises(RegistryUnavailableError, match="no leader"):
        client(fake, retries=2).id_for("t", NUMBER)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 422])
def test_what_the_registry_refuses_is_not_tried_again(fake, status):
    fake.faults = [(status, b"<html>no</html>")]
    with pytest.raises(RegistryError, match=rf"HTTP status {status}\): <html>no"):
        client(fake, retries=3).id_for("t", NUMBER)
    assert len(fake.requests) == 1


def test_a_slow_answer_is_a_time_out_that_can_be_retried(fake):
    fake.faults = [30]
    with pytest.raises(RegistryUnavailableError, match="does not answer, asked for the schema of subject t-value"):
        client(fake, read_timeout=0.2).id_for("t", NUMBER)
    assert client(fake, read_timeout=5.0).id_for("t", NUMBER) == SchemaId(1)


def test_a_client_that_was_pickled_connects_anew(fake):
    ids = client(fake)
    ids.id_for("t", NUMBER)
    copy = pickle.loads(pickle.dumps(ids))  # noqa: S301
    assert copy.id_for("t", NUMBER) == SchemaId(1)
    assert len(fake.requests) == 2
    ids.close()
    copy.close()


def test_a_closed_client_connects_again_when_it_is_needed(fake):
    ids = client(fake)
    ids.id_for("t", NUMBER)
    ids.close()
    assert ids.id_for("u", NUMBER) == SchemaId(1)


def test_settings_show_no_secret():
    assert "hidden" not in repr(RegistryConnection(urls=(), name="n", login=Secret("hidden")))
