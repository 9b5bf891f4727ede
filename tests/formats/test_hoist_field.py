"""tailrace's HoistField beside Kafka's."""

import pytest
from tests.formats.chains import UNWRAP, all_same, kafka, same_chain, some_lines

pytestmark = pytest.mark.debezium


FIELD = {"field": "x"}


@pytest.mark.parametrize("part", ["Key", "Value"])
def test_nulls_without_a_schema_look_the_same_without_schemas(connect_parts, part):
    assert same_chain(connect_parts, some_lines(), (kafka(f"HoistField${part}", FIELD),), schemas=False).records


def test_with_schemas_all_else_is_the_same(connect_parts):
    assert all_same(connect_parts, (UNWRAP, kafka("HoistField$Value", FIELD))).records
