"""Cloud events beside Debezium's real CloudEventsConverter, in JSON and Avro, with metadata from values and from headers."""

import uuid
from itertools import chain

import pytest
from tests.differential.jars import CONNECTORS, UnavailableError, debezium_jars
from tests.formats.chains import properties_of as chain_properties
from tests.formats.comparing import assert_same, compare, is_redefined, same_bytes, same_json
from tests.formats.connect_parts import JSON_WITH_SCHEMAS, ConnectParts, Converter, Transform
from tests.formats.encoders import ours
from tests.formats.golden_lines import every_line, golden_lines
from tests.support.fake_registry import FakeRegistry

from tailrace.converter_classes import CLOUD_EVENTS
from tailrace_standins.servers.connect_jars import connect_jars
from tailrace_standins.servers.debezium_server_jars import APICURIO, CONFLUENT, debezium_server_jars
from tailrace_standins.servers.java_jars import Unavailable

pytestmark = pytest.mark.debezium


@pytest.fixture(scope="module")
def parts():
    """The converter with the makers of ids that each connector's jar has, and Confluent's Avro."""
    try:
        jars = dict.fromkeys(
            chain(
                connect_jars(),
                *map(debezium_server_jars, (CONFLUENT, APICURIO)),
                *(debezium_jars(each) for each in CONNECTORS),
            )
        )
        started = ConnectParts(list({jar.name: jar for jar in jars}.values()))
    except (Unavailable, UnavailableError) as reason:
        pytest.skip(f"no CloudEventsConverter: {reason}")
    with started:
        yield started


@pytest.fixture(scope="module")
def registry():
    with FakeRegistry() as started:
        yield started


IN_JSON = {
    "schemas": {},
    "no schemas": {"json.schemas.enable": "false"},
    "numbers": {"json.schemas.enable": "false", "json.decimal.format": "NUMERIC"},
    "nulls": {"json.replace.null.with.default": "false"},
    "no extensions": {"extension.attributes.enable": "false", "json.schemas.enable": "false"},
}


@pytest.mark.parametrize("case", IN_JSON)
def test_events_in_json_are_those_of_debezium(parts, case):
    converter = Converter(CLOUD_EVENTS, IN_JSON[case])
    lines = every_line()[:: 3 if case == "schemas" else 10]
    found = assert_same(parts, lines, ours(value=converter), value=converter, same=same_json)
    assert found.records > 200


def test_keys_become_null(parts):
    converter = Converter(CLOUD_EVENTS)
    lines = every_line()[::11]
    assert_same(parts, lines, ours(key=converter), key=converter, same=same_json)


AVRO_DATA = {"data.serializer.type": "avro"}
IN_AVRO = {
    "data in JSON": AVRO_DATA,
    "all": {"serializer.type": "avro", **AVRO_DATA},
    "all, names as they are": {"serializer.type": "avro", **AVRO_DATA, "schema.name.adjustment.mode": "none"},
    "all, a name": {"serializer.type": "avro", **AVRO_DATA, "schema.cloudevents.name": "a.b.Event"},
    "all, scrubbed": {"serializer.type": "avro", **AVRO_DATA, "avro.scrub.invalid.names": "true"},
}


@pytest.mark.parametrize("case", IN_AVRO)
def test_events_in_avro_are_those_of_debezium(parts, registry, case):
    converter = Converter(CLOUD_EVENTS, IN_AVRO[case] | {"avro.schema.registry.url": registry.url})
    lines = every_line()[::7]
    found = compare(parts, lines, ours(value=converter), value=converter, same=same_bytes)
    differing = [each for each in found.differences if not is_redefined(each)]
    assert not differing, "\n".join(str(each)[:1500] for each in differing[:3])
    assert found.records > 250


@pytest.mark.parametrize("outer", ["json", "avro"])
def test_data_in_avro_by_apicurios_converter_are_those_of_debezium(parts, apicurio, outer):
    options = {"avro.apicurio.registry.url": apicurio.url, "avro.apicurio.registry.auto-register": "true"}
    options |= {"avro.apicurio.registry.dereference-schema": "true", "avro.apicurio.registry.headers.enabled": "true"}
    converter = Converter(CLOUD_EVENTS, {"serializer.type": outer, **AVRO_DATA, **options})
    run = uuid.uuid4().hex[:6]
    lines = [{**line, "topic": f"{run}.{line['topic']}"} for line in every_line()[:400:20]]
    found = assert_same(parts, lines, ours(value=converter), value=converter, same=same_bytes)
    assert found.records > 15


NAMES = "source,op,transaction"
IN_HEADERS = [
    Transform(
        "org.apache.kafka.connect.transforms.HeaderFrom$Value", {"fields": NAMES, "headers": NAMES, "operation": "copy"}
    ),
    Transform("io.debezium.transforms.ExtractNewRecordState", {"delete.tombstone.handling.mode": "rewrite"}),
]
WITH_ID = [
    Transform("org.apache.kafka.connect.transforms.InsertHeader", {"header": name, "value.literal": text})
    for name, text in {"id": "an id", "type": "a type", "traceparent": "00-1-2-01", "dataSchemaName": "my.Data"}.items()
]
FROM_HEADERS = {
    "source": (IN_HEADERS, {"metadata.source": "header,id:generate,type:generate"}),
    "id and type": (
        WITH_ID,
        {"metadata.source": "value,id:header,type:header,dataSchemaName:header", "schema.data.name.source.header.enable": "true"},
    ),
    "tracing": (WITH_ID, {"opentelemetry.tracing.attributes.enable": "true"}),
    "all": (
        [*WITH_ID, *IN_HEADERS],
        {
            "metadata.source": "header",
            "opentelemetry.tracing.attributes.enable": "true",
            "schema.data.name.source.header.enable": "true",
        },
    ),
}


def changes(*lines):
    """Those of change events: the transforms fail on others."""
    return [line for line in lines if line["value"] and "op" in line["value"]["payload"]]


@pytest.mark.parametrize("case", FROM_HEADERS)
@pytest.mark.parametrize("in_avro", [False, True], ids=["JSON", "Avro"])
def test_metadata_come_from_headers_as_with_debezium(parts, registry, case, in_avro):
    transforms, options = FROM_HEADERS[case]
    if in_avro:
        options = {**options, "serializer.type": "avro", **AVRO_DATA, "avro.schema.registry.url": registry.url}
    converter = Converter(CLOUD_EVENTS, options)
    lines = changes(*golden_lines("mysql: transactions")[::2], *golden_lines("sqlserver: default-values"))
    mine = ours(value=converter, header=JSON_WITH_SCHEMAS, **chain_properties(transforms))
    found = assert_same(
        parts, lines, mine, transforms, value=converter, header=JSON_WITH_SCHEMAS, same=same_bytes if in_avro else same_json
    )
    assert found.records > 20
