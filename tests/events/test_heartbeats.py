"""Heartbeats: what they look like, and when they come."""

import json
import uuid

import pytest

from support.encoding import records_of_event
from support.unit_settings import sqlserver_unit_settings, unit_settings
from tailrace.events.heartbeats import HeartbeatLayouts, Timer

NO_SCHEMAS = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


class Clock:
    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now


@pytest.fixture
def topic():
    return uuid.uuid4().hex


def encoder(properties=None):
    return HeartbeatLayouts(unit_settings(properties))


def told(properties, *heartbeat):
    """The record of a heartbeat, with schemas unless the properties say otherwise."""
    return records_of_event(encoder(properties).heartbeat(*heartbeat), schemas=properties is None)


def test_a_heartbeat_tells_the_server_and_the_time():
    record = told(NO_SCHEMAS, 1700, "0000.1", 3)
    assert (record.topic, record.partition, len(record)) == ("__debezium-heartbeat.dbz", 0, 1)
    assert (record.keys[0], record.values[0]) == (b'{"serverName":"dbz"}', b'{"ts_ms":1700}')
    assert (record.timestamps.tolist(), record.positions[0], record.log_order.tolist()) == (
        [1700],
        b"0000.1",
        [3 << 32],
    )
    assert record.headers == ()


def test_with_schemas_it_has_the_names_that_debezium_gives_it():
    record = told(None, 1700, "", 0)
    key, value = json.loads(record.keys[0]), json.loads(record.values[0])
    assert key["payload"] == {"serverName": "dbz"}
    assert value["payload"] == {"ts_ms": 1700}
    assert key["schema"] == {
        "type": "struct",
        "fields": [{"type": "string", "optional": False, "field": "serverName"}],
        "optional": False,
        "name": "io.debezium.connector.common.ServerNameKey",
        "version": 1,
    }
    assert value["schema"]["fields"] == [{"type": "int64", "optional": False, "field": "ts_ms"}]
    assert value["schema"]["name"] == "io.debezium.connector.common.Heartbeat"


def test_its_schemas_have_no_version_in_the_shape_of_1_4():
    for shape, version in (("1.4", None), ("2.1", 1)):
        layouts = HeartbeatLayouts(sqlserver_unit_settings({"tailrace.event.shape": shape}))
        record = records_of_event(layouts.heartbeat(1700, "", 0))
        schemas = [json.loads(text)["schema"] for text in (record.keys[0], record.values[0])]
        assert [schema.get("version") for schema in schemas] == [version, version]


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"topic.heartbeat.prefix": "hb"}, "hb.dbz"),
        ({"heartbeat.topics.prefix": "old"}, "old.dbz"),
        ({"topic.heartbeat.prefix": "hb", "topic.heartbeat.name": "alive"}, "alive"),
        ({"topic.delimiter": "_"}, "__debezium-heartbeat_dbz"),
    ],
)
def test_the_topic_can_be_named(properties, expected):
    assert encoder(properties).topic == expected


def test_a_heartbeat_is_due_when_the_interval_has_passed(topic):
    clock = Clock(1000.0)
    timer = Timer(topic, 10_000, clock)
    timer.restart()
    clock.now = 1004.0
    assert timer.milliseconds_left() == 6000
    clock.now = 1010.5
    assert timer.milliseconds_left() == 0
    timer.restart()
    assert timer.milliseconds_left() == 10_000


def test_the_first_is_due_at_a_multiple_of_the_interval(topic):
    assert Timer(topic, 10_000, Clock(1003.0)).milliseconds_left() == 7000


def test_the_next_task_in_the_process_goes_on_counting(topic):
    clock = Clock(1003.0)
    Timer(topic, 10_000, clock).restart()
    clock.now = 1012.0
    assert Timer(topic, 10_000, clock).milliseconds_left() == 1000


def test_a_clock_that_is_put_back_does_not_silence_it(topic):
    clock = Clock(1000.0)
    timer = Timer(topic, 10_000, clock)
    timer.restart()
    clock.now = 10.0
    assert timer.milliseconds_left() == 10_000
    clock.now = 1000.0 - 300
    timer.restart()
    assert timer.milliseconds_left() == 10_000
