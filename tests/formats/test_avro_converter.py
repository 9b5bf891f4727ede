"""tailrace's Avro beside Confluent's real converter (7.0.16), schemas and bytes, on every golden line.

Both register in one registry, which gives an id for each text of a schema: a difference in a schema is one in the prefix.
"""

import pytest
from tests.formats.comparing import compare, is_redefined, same_bytes
from tests.formats.connect_parts import Converter
from tests.formats.golden_lines import every_line
from tests.formats.registered import Registered, told
from tests.support.every_scenario import EVERY
from tests.support.fake_registry import FakeRegistry

from tailrace.encoding.avro.messages import AvroFormat
from tailrace.encoding.avro.options import AvroOptions
from tailrace.registry.subjects import Strategy

CONFLUENT = "io.confluent.connect.avro.AvroConverter"
JSON = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})


@pytest.fixture(scope="module")
def registry():
    with FakeRegistry() as started:
        yield started


def theirs(registry, **options):
    return Converter(CONFLUENT, {"schema.registry.url": registry.url, **options})


CASES = {
    "defaults": ({}, {}, {}),
    "scrub": ({"scrub.invalid.names": "true"}, {"scrub": True}, {}),
    "no meta data": ({"connect.meta.data": "false"}, {"meta_data": False}, {}),
    "enhanced": ({"enhanced.avro.schema.support": "true"}, {"enums": True}, {}),
    "records": (
        {
            "key.subject.name.strategy": "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy",
            "value.subject.name.strategy": "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy",
        },
        {},
        {"strategy": Strategy.TOPIC_RECORD},
    ),
}
WITH_A_THIRD = {"scrub", "no meta data", "enhanced"}  # of the lines, unless all is run


@pytest.mark.debezium
@pytest.mark.parametrize("case", CASES)
def test_schemas_and_bytes_are_those_of_confluents_converter(server_parts, registry, case):
    properties, options, ids = CASES[case]
    converter = theirs(registry, **properties)
    is_third = case in WITH_A_THIRD and not EVERY
    found = compare(
        server_parts,
        every_line()[::3] if is_third else every_line(),
        Registered(registry, AvroFormat(AvroOptions(**options)), **ids),
        key=converter,
        value=converter,
        header=JSON,
        same=same_bytes,
    )
    differing = [each for each in found.differences if not is_redefined(each)]
    assert not differing, told(differing, registry)
    assert found.records > (600 if is_third else 2000)


def made_lines():
    """What no connector of a database writes at will: whole values that are no structs, structs without a name, defaults."""

    def line(number, schema, payload):
        return {"topic": f"made{number}", "key": None, "value": {"schema": schema, "payload": payload}, "headers": [],
                "timestamp": 0, "partition": None}  # fmt: skip

    def struct(*fields, **more):
        return {"type": "struct", "fields": list(fields), "optional": False, **more}

    doubles = [1e7, 0.001, 1.0e-5, 123456789.125, 3.0e10]
    inner = struct({"type": "int32", "optional": False, "field": "a"})
    fields = [{"type": "double", "optional": True, "default": value, "field": f"d{i}"} for i, value in enumerate(doubles)]
    fields.append({"type": "float", "optional": True, "default": 1.1, "field": "f"})
    fields.append({"type": "bytes", "optional": True, "default": "AP+A", "field": "b"})
    fields.append({"type": "string", "optional": True, "default": 'é"\n\u0001', "doc": "a doc", "field": "s"})
    given = [
        ({"type": "bytes", "optional": False}, "AAEC"),
        ({"type": "bytes", "optional": True}, "AAEC"),
        ({"type": "bytes", "optional": True}, None),
        ({"type": "string", "optional": False}, "x"),
        ({"type": "string", "optional": True}, None),
        ({"type": "int8", "optional": False}, 5),
        ({"type": "boolean", "optional": True}, True),
        (struct(*fields, name="made.Defaults"), {each["field"]: None for each in fields}),
        (struct({**inner, "field": "x"}, {**inner, "optional": True, "field": "y"}), {"x": {"a": 1}, "y": None}),
        (struct({"type": "int32", "optional": False, "field": "a"}, optional=True, name="made.Row"), {"a": 1}),
        (struct({"type": "int32", "optional": False, "field": "a"}, optional=True, name="made.Row"), None),
        (struct({"type": "int32", "optional": False, "field": "a"}, name="made-up.b-c.Row"), {"a": 1}),
        (struct({"type": "int32", "optional": False, "field": "é"}, name="made.É"), {"é": 1}),
    ]
    return [line(number, *each) for number, each in enumerate(given)]


@pytest.mark.debezium
@pytest.mark.parametrize("scrub", [False, True])
def test_what_no_database_writes_is_the_same_too(server_parts, registry, scrub):
    converter = theirs(registry, **{"scrub.invalid.names": str(scrub).lower()})
    ours = Registered(registry, AvroFormat(AvroOptions(scrub=scrub)))
    found = compare(server_parts, made_lines(), ours, key=converter, value=converter, header=JSON, same=same_bytes)
    assert not found.differences, told(found.differences, registry)
    assert found.failed == 0
