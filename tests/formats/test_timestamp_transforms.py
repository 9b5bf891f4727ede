"""tailrace's TimestampConverter and TimestampRouter beside Kafka's."""

import pytest
from tests.formats.chains import UNWRAP, all_same, kafka
from tests.formats.typed_lines import MOMENTS, TYPED

pytestmark = pytest.mark.debezium


ISO = "yyyy-MM-dd'T'HH:mm:ss.SSSX"
LONG = "EEE, d MMM yyyy hh:mm:ss a G D F u k K yy y MMMM EEEE '' z Z"
TARGETS = ("string", "unix", "Date", "Time", "Timestamp")
ROUTERS = (
    {},
    {"topic.format": "${topic}.${timestamp}", "timestamp.format": "HHmmss"},
    {"topic.format": "x${timestamp}", "timestamp.format": "yyyy'W'HH"},
)


def converter(field, target, **options):
    given = {"field": field, "target.type": target, "format": ISO} | {name.replace("_", "."): each for name, each in options.items()}
    return kafka("TimestampConverter$Value", given)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("field", "precision"), [("i64", "seconds"), ("dat", "microseconds"), ("tim", "nanoseconds"), ("ts", "seconds")])
def test_moments_are_converted_as_kafka_does(connect_parts, target, field, precision):
    assert all_same(connect_parts, (converter(field, target, unix_precision=precision),), TYPED).records


@pytest.mark.parametrize("target", TARGETS)
def test_texts_are_read_as_kafka_does(connect_parts, target):
    found = all_same(connect_parts, (converter("s", target, format="yyyy-MM-dd'T'HH:mm:ss'Z'"),), MOMENTS)
    assert (found.records, found.failed) == (6, 2)


@pytest.mark.parametrize("precision", ["nanoseconds", "microseconds", "milliseconds"])
def test_numbers_are_written_as_kafka_does(connect_parts, precision):
    assert all_same(connect_parts, (converter("i64", "string", format=LONG, unix_precision=precision),), TYPED).records


CHAINS = {
    "a number that is none": (converter("i8", "unix"),),
    "a whole key": (kafka("TimestampConverter$Key", {"target.type": "Timestamp"}),),
    "no format for a text": (kafka("TimestampConverter$Value", {"field": "s", "target.type": "unix"}),),
    "no such field": (converter("zz", "unix"),),
    "a whole struct": (converter("", "unix"),),
    "there and back": (
        kafka("ExtractField$Value", {"field": "ts"}),
        converter("", "string", format="yyyyMMdd"),
        converter("", "Date", format="yyyyMMdd"),
    ),
}


@pytest.mark.parametrize("case", CHAINS)
def test_wholes_and_failures_are_those_of_kafka(connect_parts, case):
    all_same(connect_parts, CHAINS[case], TYPED)


def test_events_are_converted_as_kafka_does(connect_parts):
    assert all_same(connect_parts, (converter("ts_ms", "string", format="yyyy-MM-dd HH:mm"),)).records


@pytest.mark.parametrize("target", TARGETS)
def test_of_a_null_kafka_changes_the_schema_whatever_the_field_is(connect_parts, target):
    found = all_same(connect_parts, (UNWRAP, converter("id", target)))
    assert found.records
    assert found.failed


@pytest.mark.parametrize("options", ROUTERS)
@pytest.mark.parametrize("lines", [TYPED, None], ids=["typed", "events"])
def test_topics_have_the_time_as_with_kafka(connect_parts, options, lines):
    assert all_same(connect_parts, (kafka("TimestampRouter", options),), lines).records
