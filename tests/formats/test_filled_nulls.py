"""Nulls in whose place a transform has put the default, where they are whole keys or headers; beside Kafka's and Confluent's parts.

Such a transform stores the default as a value, so that no converter sees a null any more.
"""

import pytest
from tests.formats.comparing import assert_same, same_bytes
from tests.formats.connect_parts import JSON, SIMPLE_HEADERS, Converter, Transform
from tests.formats.encoders import ours
from tests.formats.made_lines import INT, SCALARS, message, rows, struct
from tests.formats.test_protobuf_converter import Registry

from tailrace.converter_classes import STRING

pytestmark = pytest.mark.debezium

KAFKA = "org.apache.kafka.connect.transforms."
WITH_DEFAULT = [name for name, (schema, _) in SCALARS.items() if "default" in schema]
KEY = message(struct({"id": INT}, name="Key"), {"id": 1})
LINES = [{**line, "timestamp": 5, "partition": None} for line in rows("scalars", SCALARS, KEY)]
REGISTERED = {
    "Avro": "io.confluent.connect.avro.AvroConverter",
    "Protobuf": "io.confluent.connect.protobuf.ProtobufConverter",
}


@pytest.fixture(scope="module")
def registry():
    with Registry() as started:
        yield started


def properties_of(chain):
    found = {"transforms": ",".join(f"t{n}" for n in range(len(chain)))}
    for n, each in enumerate(chain):
        found |= {f"transforms.t{n}.type": each.type, **{f"transforms.t{n}.{k}": v for k, v in each.options.items()}}
    return found


def to_key(name):
    """The chain by which a column becomes the whole key."""
    return [
        Transform(f"{KAFKA}ValueToKey", {"fields": name}),
        Transform(f"{KAFKA}ExtractField$Key", {"field": name}),
    ]


def same(parts, chain, key=JSON):
    mine = ours(key=key, value=JSON, header=SIMPLE_HEADERS, **properties_of(chain))
    found = assert_same(parts, LINES, mine, chain, key=key, value=JSON, header=SIMPLE_HEADERS, same=same_bytes)
    assert (found.records, found.failed) == (2, 0)


@pytest.mark.parametrize("name", WITH_DEFAULT)
@pytest.mark.parametrize("format_", REGISTERED)
def test_a_key_with_a_registry(server_parts, registry, format_, name):
    same(server_parts, to_key(name), Converter(REGISTERED[format_], {"schema.registry.url": registry.url}))


@pytest.mark.parametrize("name", ["i16", "s"])
@pytest.mark.parametrize("converter", [JSON, Converter(STRING)], ids=["JSON", "text"])
def test_a_key_without_one(connect_parts, converter, name):
    same(connect_parts, to_key(name), converter)


@pytest.mark.parametrize("name", WITH_DEFAULT)
def test_a_header(connect_parts, name):
    same(connect_parts, [Transform(f"{KAFKA}HeaderFrom$Value", {"fields": name, "headers": "h", "operation": "copy"})])
