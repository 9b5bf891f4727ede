"""ByLogicalTableRouter beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real, lines_of
from tests.formats.connect_parts import Transform

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.ByLogicalTableRouter"
SHARDS = {"topic.regex": r"(.*)d_(\w+)(.*)", "topic.replacement": "$1all$3"}
OPTIONS = {
    "one topic for shards": SHARDS,
    "keys as they were": SHARDS | {"key.enforce.uniqueness": "false"},
    "a field that keys have": SHARDS | {"key.field.name": "id"},
    "another field": SHARDS | {"key.field.name": "shard"},
    "the shard's name": SHARDS | {"key.field.regex": r"(.*)d_(\w+)(.*)", "key.field.replacement": "$2"},
    "a name that does not match": SHARDS | {"key.field.regex": r"nothing", "key.field.replacement": "x"},
    "names for avro": {"topic.regex": r"(.*)d_(\w+)(.*)", "topic.replacement": "1-$1all$3", "schema.name.adjustment.mode": "avro"},
    "names for avro in Unicode": {
        "topic.regex": "(.*)",
        "topic.replacement": "1-$1",
        "schema.name.adjustment.mode": "avro_unicode",
    },
    "no name is left": {"topic.regex": "(x?).*", "topic.replacement": "$1"},
    "everything together": {"topic.regex": ".*", "topic.replacement": "all"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_records_of_shards_are_the_same(connect_parts, options):
    """The real one goes by what it has seen, so each line is alone."""
    keys = [line for topic in (".pk", ".no_key", ".we_ird-N_me_1", "customers") for line in lines_of(topic, among="defaults")]
    others = [line for topic in ("dbz", "dbz.transaction", "notices") for line in lines_of(topic, among="s")]
    lines = [*keys[:24], *others[:6]]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), alone=True, schemas=[True])
    assert found.records + found.failed == len(lines)
