"""How topics are made, as Kafka Connect's `topic.creation.*` says."""

import pickle

import pytest

from support.configurations import MINIMAL
from tailrace.config.topic_creation import TopicCreation, TopicRule
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError

DEFAULT = {"topic.creation.default.replication.factor": "3", "topic.creation.default.partitions": 10}


def creation(properties):
    return from_mapping(MINIMAL | properties).topic_creation


def refused(properties):
    with pytest.raises(ConfigError) as raised:
        from_mapping(MINIMAL | properties)
    return str(raised.value)


def test_where_nothing_is_said_the_brokers_choose():
    assert creation({}) == TopicCreation(enabled=True)
    assert creation({}).rule_for("shop.a") is None


def test_topics_may_be_left_to_others():
    assert creation({"topic.creation.enable": "false"}).enabled is False
    assert creation({"topic.creation.enable": "true"} | DEFAULT).enabled is True


def test_the_default_group_takes_every_topic_with_any_setting_of_a_topic():
    made = creation(DEFAULT | {"topic.creation.default.cleanup.policy": "compact"})
    assert made.rule_for("shop.a") == TopicRule(10, 3, {"cleanup.policy": "compact"})


def test_the_first_group_that_takes_a_topic_counts_and_an_exclusion_wins():
    made = creation(
        DEFAULT
        | {
            "topic.creation.groups": "logs,orders",
            "topic.creation.logs.include": r"shop\.log.*, shop\.audit",
            "topic.creation.logs.exclude": r"shop\.logo",
            "topic.creation.logs.partitions": "1",
            "topic.creation.logs.retention.ms": "1000",
            "topic.creation.orders.include": r"shop\.(orders|logs)",
        }
    )
    assert made.rule_for("shop.logs") == TopicRule(1, 3, {"retention.ms": "1000"})
    assert made.rule_for("shop.audit").partitions == 1
    assert made.rule_for("shop.orders") == TopicRule(10, 3)
    assert made.rule_for("shop.logo") == TopicRule(10, 3), "excluded, so the default's"
    assert made.rule_for("a.shop.logs") == TopicRule(10, 3), "a whole name matches, or none"
    assert made.rule_for("SHOP.LOGS") == TopicRule(10, 3), "topics differ by case"


def test_settings_of_the_default_group_are_not_those_of_another():
    made = creation(
        DEFAULT
        | {
            "topic.creation.default.cleanup.policy": "compact",
            "topic.creation.groups": "a",
            "topic.creation.a.include": "a",
        }
    )
    assert made.rule_for("a").configs == {}


@pytest.mark.parametrize("missing", DEFAULT)
def test_the_default_group_is_needed_where_there_is_any(missing):
    given = {name: text for name, text in DEFAULT.items() if name != missing}
    assert f"{missing} is missing" in refused(given)
    assert f"{missing} is missing" in refused(given | {"topic.creation.groups": "a", "topic.creation.a.include": "a"})


@pytest.mark.parametrize("value", ["0", "-2", "three", "", "4294967296"])
def test_a_number_of_partitions_is_from_1_or_left_to_the_brokers(value):
    assert "topic.creation.default.partitions" in refused(DEFAULT | {"topic.creation.default.partitions": value})
    assert creation(DEFAULT | {"topic.creation.default.partitions": "-1"}).rule_for("x").partitions == -1


def test_a_group_that_is_not_named_has_no_effect_as_in_connect():
    settings = from_mapping(MINIMAL | DEFAULT | {"topic.creation.orders.partitions": "1"})
    assert settings.topic_creation == creation(DEFAULT)
    (warning,) = settings.warnings
    assert warning.startswith("topic.creation.orders.partitions has no effect: it belongs to no group")


@pytest.mark.parametrize("name", ["topic.creation.defualt.partitions", "topic.creation.order.partitions"])
def test_a_group_that_is_nearly_named_is_an_error(name):
    assert f"{name} belongs to no group" in refused(DEFAULT | {"topic.creation.groups": "orders", name: "1"})


def test_the_expressions_of_a_group_must_be_understood():
    broken = {"topic.creation.groups": "a", "topic.creation.a.include": "("}
    assert "topic.creation.a.include: '(' is not a regular expression" in refused(DEFAULT | broken)
    assert "the default group takes every topic" in refused(DEFAULT | {"topic.creation.default.include": "x"})
    assert creation(DEFAULT | {"topic.creation.default.include": ".*"}) == creation(DEFAULT)


def test_a_group_without_topics_is_told():
    (warning,) = from_mapping(MINIMAL | DEFAULT | {"topic.creation.groups": "a"}).warnings
    assert warning == "topic.creation.a.include is missing, so that the group takes no topic"


def test_groups_pickle():
    made = creation(DEFAULT | {"topic.creation.groups": "a.b", "topic.creation.a.b.include": "x"})
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - made here
    assert made.groups[0].name == "a.b"
