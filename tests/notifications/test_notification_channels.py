"""Notifications as records and as lines of the log."""

import json
import logging

import attrs
import pytest

from support.encoding import records_of_event
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError
from tailrace.notifications.channels import NotificationChannels
from tailrace.notifications.model import Notification

NO_SCHEMAS = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
STARTED = Notification("Initial Snapshot", "STARTED", {"connector_name": "dbz"}, "id-1", 1695817046353)
COMPLETED = Notification("Initial Snapshot", "COMPLETED", {}, "id-2", 1695817046360)


def channels(enabled):
    return NotificationChannels(settings(enabled))


def settings(enabled, **others):
    """The properties are refused as long as nothing uses them: they are set behind the configuration's back."""
    return attrs.evolve(
        unit_settings(NO_SCHEMAS | others.pop("properties", {})),
        notification_enabled_channels=tuple(enabled),
        notification_sink_topic_name=others.pop("topic", "notes"),
    )


def test_the_sink_gets_a_record_for_each():
    records = records_of_event(channels(["sink"]).send([STARTED, COMPLETED], "0000.1", 3), schemas=False)
    assert (records.topic, records.partition, len(records)) == ("notes", None, 2)
    assert [records.keys[i] for i in range(2)] == [b'{"id":"id-1"}', b'{"id":"id-2"}']
    assert records.values[0] == (
        b'{"id":"id-1","type":"STARTED","aggregate_type":"Initial Snapshot",'
        b'"additional_data":{"connector_name":"dbz"},"timestamp":1695817046353}'
    )
    assert json.loads(records.values[1])["additional_data"] == {}
    assert records.timestamps.tolist() == [1695817046353, 1695817046360]
    assert [records.positions[i] for i in range(2)] == [b"0000.1", b"0000.1"]
    assert records.log_order.tolist() == [3 << 32, (3 << 32) + 1]


@pytest.mark.parametrize("mode", ["none", "avro"])
def test_with_schemas_a_record_has_the_names_that_debezium_gives_it(mode):
    with_schemas = {
        "key.converter.schemas.enable": True,
        "value.converter.schemas.enable": True,
        "schema.name.adjustment.mode": mode,
    }
    told = NotificationChannels(settings(["sink"], properties=with_schemas)).send([STARTED], "", 0)
    records = records_of_event(told)
    key, value = json.loads(records.keys[0]), json.loads(records.values[0])
    assert key == {
        "schema": {
            "type": "struct",
            "fields": [{"type": "string", "optional": False, "field": "id"}],
            "optional": False,
            "name": "io.debezium.connector.common.NotificationKey",
            "version": 1,
        },
        "payload": {"id": "id-1"},
    }
    assert (value["schema"]["name"], value["schema"]["version"]) == ("io.debezium.connector.common.Notification", 1)
    assert value["schema"]["fields"] == [
        {"type": "string", "optional": False, "field": "id"},
        {"type": "string", "optional": False, "field": "type"},
        {"type": "string", "optional": False, "field": "aggregate_type"},
        {
            "type": "map",
            "keys": {"type": "string", "optional": False},
            "values": {"type": "string", "optional": False},
            "optional": True,
            "field": "additional_data",
        },
        {"type": "int64", "optional": False, "field": "timestamp"},
    ]
    assert list(value["payload"]) == [field["field"] for field in value["schema"]["fields"]]


def test_the_log_gets_a_line_for_each(caplog):
    with caplog.at_level(logging.INFO):
        assert channels(["log"]).send([STARTED, COMPLETED], "", 0) is None
    started, completed = (record.getMessage() for record in caplog.records)
    assert started == (
        "[Notification Service]  {id='id-1', aggregateType='Initial Snapshot', type='STARTED', "
        "additionalData={connector_name=dbz}, timestamp=1695817046353}"
    )
    assert completed == (
        "[Notification Service]  {id='id-2', aggregateType='Initial Snapshot', type='COMPLETED', "
        "additionalData={}, timestamp=1695817046360}"
    )


def test_both_channels_may_be_on_and_none(caplog):
    with caplog.at_level(logging.INFO):
        assert channels([]).send([STARTED], "", 0) is None
        assert caplog.records == []
        assert len(channels(["log", "sink"]).send([STARTED], "", 0)) == 1
    assert len(caplog.records) == 1


def test_nothing_to_tell_is_no_record():
    assert channels(["sink"]).send([], "", 0) is None


def test_the_sink_needs_a_topic():
    with pytest.raises(ConfigError, match=r"notification\.sink\.topic\.name is missing"):
        NotificationChannels(settings(["sink"], topic=None))
    NotificationChannels(settings(["log"], topic=None))
