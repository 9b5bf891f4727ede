"""Heartbeats of real Debezium and of tailrace look the same; how many come is not compared."""

import json

import pytest
from tests.differential import known
from tests.differential.compare import compare
from tests.differential.runs import Bench
from tests.differential.variants import HEARTBEATS, Variant

from support.every_scenario import only_with_all

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow]
IN_CI = "heartbeats, names for avro, minimal"


@pytest.mark.parametrize(
    "variant", [v if v.name == IN_CI else pytest.param(v, marks=only_with_all) for v in HEARTBEATS], ids=lambda v: v.name
)
def test_heartbeats_look_like_debeziums_and_change_nothing_else(bench: Bench, variant: Variant):
    theirs, ours = bench.from_debezium(variant), bench.from_tailrace(variant)
    topic = heartbeat_topic(variant)
    assert shapes(theirs, topic) == shapes(ours, topic)
    assert len(shapes(theirs, topic)) == 1
    others = [[record for record in records if record.topic != topic] for records in (theirs, ours)]
    assert len(others[0]) > 100
    unexplained, _ = known.split(variant.name, compare(*others))
    assert not unexplained


def heartbeat_topic(variant):
    named = variant.properties.get("topic.heartbeat.name")
    return named or variant.properties.get("topic.heartbeat.prefix", "__debezium-heartbeat") + ".dbz"


def shapes(records, topic):
    """The distinct heartbeats, without their time."""
    return {shape(record) for record in records if record.topic == topic}


def shape(record):
    value = json.loads(json.dumps(record.value))
    payload = value.get("payload", value)
    assert isinstance(payload["ts_ms"], int)
    payload["ts_ms"] = 0
    return json.dumps([record.key, value, record.headers])
