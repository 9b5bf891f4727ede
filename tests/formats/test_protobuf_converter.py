"""tailrace's Protobuf beside Confluent's real converter (7.0.16), schemas and bytes, on every golden line.

Both register in one registry, which gives an id for each text of a schema: a difference in a schema is one in the prefix.
"""

import re

import pytest
from tests.formats.comparing import compare, same_bytes
from tests.formats.connect_parts import Converter
from tests.formats.golden_lines import every_line
from tests.formats.made_lines import NESTED, SCALARS, rows
from tests.formats.registered import Registered, told
from tests.formats.test_avro_converter import made_lines
from tests.formats.typed_lines import TYPED
from tests.support.every_scenario import only_with_all
from tests.support.fake_registry import FakeRegistry

from tailrace.encoding.protobuf.messages import ProtobufFormat
from tailrace.encoding.protobuf.options import ProtobufOptions

PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"
JSON = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})
_OLD = re.compile(r"\s*deprecated\s*=\s*false\s*,?")
_EMPTY = re.compile(r"\s*\[\s*\]")
_SPACE = re.compile(r"\s+")


class Registry(FakeRegistry):
    """Takes the option `deprecated = false` out of schemas: converters before 7.8 write it on each optional field."""

    def _number(self, text):
        if "deprecated = false" in text or "optional " in text:
            text = _SPACE.sub("", _EMPTY.sub("", _OLD.sub("", text)))
        return super()._number(text)


@pytest.fixture(scope="module")
def registry():
    with Registry() as started:
        yield started


def theirs(registry, **options):
    return Converter(PROTOBUF, {"schema.registry.url": registry.url, **options})


CASES = {
    "defaults": ({}, {}),
    "optional": ({"optional.for.nullables": "true"}, {"optional_fields": True}),
    "wrappers": ({"wrapper.for.nullables": "true"}, {"wrappers": True}),
    "both": (
        {"optional.for.nullables": "true", "wrapper.for.nullables": "true"},
        {"optional_fields": True, "wrappers": True},
    ),
    "scrub": ({"scrub.invalid.names": "true"}, {"scrub": True}),
}
FEW = ("defaults", "both")


@pytest.mark.debezium
@pytest.mark.parametrize("case", [pytest.param(each, marks=() if each in FEW else only_with_all) for each in CASES])
def test_schemas_and_bytes_are_those_of_confluents_converter(server_parts, registry, case):
    properties, options = CASES[case]
    converter = theirs(registry, **properties)
    ours = Registered(registry, ProtobufFormat(ProtobufOptions(**options)))
    found = compare(
        server_parts, every_line(), ours, key=converter, value=converter, header=JSON, same=same_bytes
    )
    assert not found.differences, told(found.differences, registry)
    assert found.records > 2000


def lines_of_types():
    """Each kind of part in a row of its own, so that one that can't be written hides no other; and values at their limits."""
    apart = [line for name, part in (NESTED | SCALARS).items() for line in rows("", {name: part}, None)]
    lines = [{**line, "topic": f"apart{number}"} for number, line in enumerate(apart)]
    return [{**line, "timestamp": number, "partition": None} for number, line in enumerate((*lines, *TYPED))]


@pytest.mark.debezium
@pytest.mark.parametrize("case", ["defaults", "optional", "wrappers"])
def test_every_kind_of_part_is_the_same(server_parts, registry, case):
    properties, options = CASES[case]
    converter = theirs(registry, **properties)
    ours = Registered(registry, ProtobufFormat(ProtobufOptions(**options)))
    found = compare(server_parts, lines_of_types(), ours, key=converter, value=converter, header=JSON, same=same_bytes)
    assert not found.differences, told(found.differences, registry)
    assert (found.records, found.failed) == (48, 4)  # nulls among items, arrays of arrays


@pytest.mark.debezium
@pytest.mark.parametrize("case", ["defaults", "both", "scrub"])
def test_what_no_database_writes_is_the_same_too(server_parts, registry, case):
    properties, options = CASES[case]
    converter = theirs(registry, **properties)
    ours = Registered(registry, ProtobufFormat(ProtobufOptions(**options)))
    found = compare(server_parts, made_lines(), ours, key=converter, value=converter, header=JSON, same=same_bytes)
    assert not found.differences, told(found.differences, registry)
