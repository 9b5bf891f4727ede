"""The clients against a real registry (Apicurio 3.3.3), by Confluent's API and by its own."""

import json
import urllib.request
import uuid

import pytest

from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import avro_schema
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.json_schema.schema_text import json_schema
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.schema_text import protobuf_schema
from tailrace.errors import DeliveryError, RegistryUnavailableError, SchemaRefusedError
from tailrace.registry.apicurio import ApicurioIds, ApicurioSchemaIds, ArtifactStrategy
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection
from tailrace.schema.connect import Field, Schema, Type
from tailrace_standins.servers.apicurio_registry import ApicurioRegistry, Unavailable

pytestmark = pytest.mark.registry
INT, TEXT = Schema(Type.INT32), Schema(Type.STRING, optional=True)
DECIMALS = Schema(Type.BYTES, name="org.apache.kafka.connect.data.Decimal", version=1, parameters=(("scale", "2"),))


def envelope(name, *columns):
    row = Schema(Type.STRUCT, name=f"{name}.Value", optional=True, fields=tuple(Field(*each) for each in columns))
    fields = (Field("before", row), Field("after", row), Field("op", Schema(Type.STRING)))
    return avro_schema(Schema(Type.STRUCT, name=f"{name}.Envelope", fields=fields), AvroOptions())


def connection(*urls, **more):
    return RegistryConnection(urls=urls, name="url", **{"retries": 0, "wait": 0.0, **more})


def confluent(*urls, **ids):
    return ConfluentSchemaIds(connection(*urls), ConfluentIds(part="value", **ids))


def own(registry, **ids):
    return ApicurioSchemaIds(connection(registry.url), ApicurioIds(part="value", **ids))


def asked(url, method="GET", body=None):
    request = urllib.request.Request(url, body and json.dumps(body).encode(), method=method)  # noqa: S310
    request.add_header("Content-Type", "application/vnd.schemaregistry.v1+json")
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.loads(answer.read() or b"null")


@pytest.fixture
def topic():
    return f"t{uuid.uuid4().hex[:8]}"


def test_the_registry_keeps_the_text_and_gives_the_same_id_again(apicurio, topic):
    schema = envelope(topic, ("id", INT), ("v", TEXT))
    number = confluent(apicurio.confluent_url).id_for(topic, schema).number
    assert asked(f"{apicurio.confluent_url}/schemas/ids/{number}")["schema"] == schema.text
    for ids in ({}, {"register": False}, {"register": False, "use_latest": True}, {"register": False, "use_id": number}):
        assert confluent(apicurio.confluent_url, **ids).id_for(topic, schema).number == number


def kinds_of_schemas():
    """A row's schema in Protobuf, with an import, and in JSON Schema."""
    row = Schema(Type.STRUCT, name="t.Row", fields=(Field("id", INT), Field("d", DECIMALS), Field("v", TEXT)))
    return protobuf_schema(row, ProtobufOptions(wrappers=True)), json_schema(row, JsonSchemaOptions())


@pytest.mark.parametrize("schema", kinds_of_schemas(), ids=["Protobuf", "JSON Schema"])
def test_other_kinds_of_schemas_are_kept_too(apicurio, topic, schema):
    number = confluent(apicurio.confluent_url).id_for(topic, schema).number
    found = asked(f"{apicurio.confluent_url}/schemas/ids/{number}")
    assert (found["schema"], found["schemaType"]) == (schema.text, schema.schema_type)
    for ids in ({}, {"register": False}, {"register": False, "use_latest": True}, {"register": False, "use_id": number}):
        assert confluent(apicurio.confluent_url, **ids).id_for(topic, schema).number == number


def test_a_schema_of_another_kind_is_refused_where_it_is_to_be_used(apicurio, topic):
    protobuf, json_ = kinds_of_schemas()
    confluent(apicurio.confluent_url).id_for(topic, protobuf)
    with pytest.raises(DeliveryError, match="is PROTOBUF and not JSON"):
        confluent(apicurio.confluent_url, register=False, use_latest=True).id_for(topic, json_)


def test_an_incompatible_schema_is_refused_with_the_registrys_reason(apicurio, topic):
    url = apicurio.confluent_url
    ids = confluent(url)
    ids.id_for(topic, envelope(topic, ("id", INT)))
    asked(f"{url}/config/{topic}-value", "PUT", {"compatibility": "BACKWARD"})
    ids.id_for(topic, envelope(topic, ("id", INT), ("v", TEXT)))  # a new column that may be null is compatible
    with pytest.raises(SchemaRefusedError, match=f"the schema of subject {topic}-value.*HTTP status 409") as error:
        ids.id_for(topic, envelope(topic, ("id", INT), ("v", TEXT), ("n", INT)))
    assert error.value.status == 409


def test_an_unknown_schema_is_not_found(apicurio, topic):
    with pytest.raises(SchemaRefusedError, match=r"auto\.register\.schemas=false"):
        confluent(apicurio.confluent_url, register=False).id_for(topic, envelope(topic, ("id", INT)))


def test_records_become_artifacts_of_their_own_and_the_envelope_refers_to_them(apicurio, topic):
    schema = envelope(topic, ("id", INT))
    number = own(apicurio, register=True).id_for(topic, schema).number
    references = asked(f"{apicurio.url}/ids/contentIds/{number}/references")
    assert [each["artifactId"] for each in references] == [f"{topic}.Value"]
    assert own(apicurio, register=True).id_for(topic, schema).number == number
    assert own(apicurio, use_latest=True).id_for(topic, schema).number == number


def test_a_whole_schema_is_found_by_its_content(apicurio, topic):
    schema = envelope(topic, ("id", INT))
    by_global_id = own(apicurio, register=True, whole=True, global_ids=True).id_for(topic, schema)
    number = own(apicurio, register=True, whole=True).id_for(topic, schema).number
    assert own(apicurio).id_for(topic, schema).number == number
    assert own(apicurio, global_ids=True).id_for(topic, schema) == by_global_id
    with pytest.raises(SchemaRefusedError, match=r"no version with this schema.*find-latest=true"):
        own(apicurio).id_for(topic, envelope(topic, ("id", INT), ("v", TEXT)))


def test_a_latest_version_with_other_fields_is_refused(apicurio, topic):
    own(apicurio, register=True).id_for(topic, envelope(topic, ("id", INT), ("v", TEXT)))
    with pytest.raises(DeliveryError, match="has the fields id, v there and id here"):
        own(apicurio, use_latest=True).id_for(topic, envelope(topic, ("id", INT)))


def test_group_artifact_and_version_may_be_fixed(apicurio, topic):
    schema = envelope(topic, ("id", INT))
    given = {"group": f"g.{topic}", "artifact": "mine", "version": "7"}
    own(apicurio, register=True, whole=True, **given).id_for(topic, schema)
    found = asked(f"{apicurio.url}/groups/g.{topic}/artifacts/mine/versions/7")
    assert own(apicurio, **given).id_for("other", schema).number == found["contentId"]


def test_artifacts_may_be_named_by_records(apicurio, topic):
    schema = envelope(topic, ("id", INT))
    own(apicurio, register=True, strategy=ArtifactStrategy.RECORD).id_for(topic, schema)
    assert asked(f"{apicurio.url}/groups/{topic}/artifacts/Envelope")["artifactType"] == "AVRO"


def test_an_artifact_that_exists_is_refused_where_that_is_set(apicurio, topic):
    own(apicurio, register=True, whole=True).id_for(topic, envelope(topic, ("id", INT)))
    with pytest.raises(SchemaRefusedError, match="HTTP status 409"):
        own(apicurio, register=True, whole=True, if_exists="FAIL").id_for(topic, envelope(topic, ("v", TEXT)))


def test_a_registry_that_is_killed_and_started_again_is_used_again(topic):
    try:
        registry = ApicurioRegistry().start()
    except Unavailable as reason:
        pytest.skip(f"no schema registry: {reason}")
    try:
        ids = confluent(registry.confluent_url)
        first = ids.id_for(topic, envelope(topic, ("id", INT)))
        registry.kill()
        with pytest.raises(RegistryUnavailableError, match="does not answer"):
            ids.id_for(topic, envelope(topic, ("id", INT), ("v", TEXT)))
        assert ids.id_for(topic, envelope(topic, ("id", INT))) == first  # it is known
        registry.start()
        assert ids.id_for(topic, envelope(topic, ("id", INT), ("v", TEXT))).number > 0
    finally:
        registry.discard()


def test_a_registry_that_hangs_is_left_for_the_next_one(apicurio, topic):
    try:
        hanging = ApicurioRegistry().start()
    except Unavailable as reason:
        pytest.skip(f"no schema registry: {reason}")
    try:
        hanging.pause()
        both = connection(hanging.confluent_url, apicurio.confluent_url, read_timeout=5.0)
        ids = ConfluentSchemaIds(both, ConfluentIds(part="value"))
        assert ids.id_for(topic, envelope(topic, ("id", INT))).number > 0
    finally:
        hanging.discard()
