"""tailrace's Avro beside Confluent's real converter (7.0.16), schemas and bytes, on every golden line.

Both register in one registry, which gives an id for each text of a schema: a difference in a schema is one in the prefix.
"""

import dataclasses

import pytest
from tests.formats.comparing import compare, same_bytes
from tests.formats.connect_parts import Converter, Failure
from tests.formats.golden_lines import every_line
from tests.support.fake_registry import FakeRegistry

from tailrace.changes.records import Records, nulls
from tailrace.encoding.avro.framing import Framing
from tailrace.encoding.avro.messages import AvroMessages
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.json import JsonFormat, JsonMessages
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.subjects import Strategy

CONFLUENT = "io.confluent.connect.avro.AvroConverter"
JSON = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})


@pytest.fixture(scope="module")
def registry():
    with FakeRegistry() as started:
        yield started


class Ours:
    """Keys and values in Avro, headers in JSON."""

    def __init__(self, registry, options, **ids):
        connection = RegistryConnection(urls=(registry.url,), name="schema.registry.url", retries=0)
        self.parts = [
            AvroMessages(part, ConfluentSchemaIds(connection, ConfluentIds(part=part, **ids)), Framing.PREFIX_4, options)
            for part in ("key", "value")
        ]
        self.headers = JsonMessages(JsonFormat(schemas=False))

    def __call__(self, records):
        keys, values = self.parts
        key = nulls(len(records)) if records.key is None else keys.render(records.key, records, records.has_key)
        value = values.render(records.value, records, records.has_value)
        headers = tuple(
            dataclasses.replace(each, values=self.headers.render(header.layout, records, header.present))
            for header, each in ((h, _Empty(h.name)) for h in records.headers)
        )
        return [
            Records(
                records.topic, key, value, records.timestamps, records.positions, records.log_order, headers, records.partition
            )
        ]


@dataclasses.dataclass
class _Empty:
    name: str
    values: object = None


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


@pytest.mark.debezium
@pytest.mark.parametrize("case", CASES)
def test_schemas_and_bytes_are_those_of_confluents_converter(server_parts, registry, case):
    properties, options, ids = CASES[case]
    converter = theirs(registry, **properties)
    found = compare(
        server_parts,
        every_line(),
        Ours(registry, AvroOptions(**options), **ids),
        key=converter,
        value=converter,
        header=JSON,
        same=same_bytes,
    )
    differing = [each for each in found.differences if not _is_newer(each)]
    assert not differing, _told(differing, registry)
    assert found.records > 2000


def _is_newer(difference):
    """Of two structs of one name that differ in their parameters newer converters take the first; 7.0.16 fails."""
    failed, written = difference.theirs, difference.ours
    return isinstance(failed, Failure) and "Can't redefine" in failed.error and not isinstance(written, Failure)


def _told(differing, registry):
    """The first differences, with the two schemas."""
    told = []
    for each in differing[:3]:
        told.append(str(each)[:1500])
        if isinstance(each.theirs, Failure) or isinstance(each.ours, Failure):
            continue
        for part in ("key", "value"):
            pair = [getattr(side[0], part) for side in (each.theirs, each.ours)]
            if pair[0] != pair[1] and None not in pair:
                told += [f"{part}: {registry.text(int.from_bytes(data[1:5], 'big'))}" for data in pair]
    return f"{len(differing)} differ\n" + "\n".join(told)
