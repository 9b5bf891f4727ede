"""tailrace's MaskField beside Kafka's."""

import pytest
from tests.formats.chains import all_same, kafka
from tests.formats.typed_lines import TYPED

pytestmark = pytest.mark.debezium


OPTIONS = {
    "zeros": {"fields": "i8,i32,i64,f,d,b,s"},
    "a replacement": {"fields": "i8,i32,i64,f,d,s", "replacement": "12345.75", "replace.null.with.default": "false"},
    "moments": {"fields": "dat,tim,ts"},
    "moments can't be replaced": {"fields": "dat,tim,ts", "replacement": "5"},
    "decimals of another scale fail": {"fields": "dec"},
    "decimals": {"fields": "dec", "replacement": "5.25"},
    "bytes fail": {"fields": "by"},
    "booleans can't be replaced": {"fields": "b", "replacement": "1"},
    "no number": {"fields": "i32", "replacement": "x"},
}


@pytest.mark.parametrize("case", OPTIONS)
def test_values_are_masked_as_kafka_does(connect_parts, case):
    assert all_same(connect_parts, (kafka("MaskField$Value", OPTIONS[case]),), TYPED).records


@pytest.mark.parametrize(
    ("part", "options"), [("Value", {"fields": "op,ts_ms,zz"}), ("Value", {"fields": "after"}), ("Key", {"fields": "id"})]
)
def test_events_are_masked_as_kafka_does(connect_parts, part, options):
    assert all_same(connect_parts, (kafka(f"MaskField${part}", options),)).failed  # tombstones
