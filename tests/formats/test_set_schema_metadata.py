"""tailrace's SetSchemaMetadata beside Kafka's."""

import pytest
from tests.formats.chains import UNWRAP, all_same, kafka

pytestmark = pytest.mark.debezium


CASES = {
    "name and version": (kafka("SetSchemaMetadata$Value", {"schema.name": "x.y", "schema.version": "7"}),),
    "of keys": (kafka("SetSchemaMetadata$Key", {"schema.version": "7"}),),
    "of nulls": (UNWRAP, kafka("SetSchemaMetadata$Value", {"schema.name": "x.y"})),
    "nulls kept": (UNWRAP, kafka("SetSchemaMetadata$Value", {"schema.name": "x.y", "replace.null.with.default": "false"})),
}


@pytest.mark.parametrize("case", CASES)
def test_schemas_are_those_of_kafka(connect_parts, case):
    found = all_same(connect_parts, CASES[case])
    assert found.records
    assert not found.failed
