"""tailrace's ReplaceField beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, all_same, kafka

pytestmark = pytest.mark.debezium


CASES = {
    "exclude": (kafka("ReplaceField$Value", {"exclude": "before,source"}),),
    "include and rename": (kafka("ReplaceField$Value", {"include": "after,op", "renames": "op:x,nothing:y"}),),
    "a row": (ROWS, kafka("ReplaceField$Value", {"renames": "id:key"})),
    "a row with nulls": (ROWS, kafka("ReplaceField$Value", {"exclude": "id", "replace.null.with.default": "false"})),
    "a key": (kafka("ReplaceField$Key", {"renames": "id:key"}),),
}


@pytest.mark.parametrize("case", CASES)
def test_fields_are_left_out_and_renamed_as_kafka_does(connect_parts, case):
    assert all_same(connect_parts, CASES[case]).records


@pytest.mark.parametrize("options", [{"renames": "ts_ms:ts_us"}, {"renames": "nothing:op"}, {"exclude": "ts_us", "renames": "ts_us:op"}])
def test_the_same_records_fail(connect_parts, options):
    assert all_same(connect_parts, (kafka("ReplaceField$Value", options),)).failed


def test_a_left_out_field_comes_back_under_a_name_that_is_there_as_in_kafka(connect_parts):
    all_same(connect_parts, (kafka("ReplaceField$Value", {"exclude": "ts_us", "renames": "ts_us:ts_ns"}),))
