"""Topics are there before records are sent: made by the rules, by the brokers, or missed with a message."""

import uuid

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource

from support.unit_settings import unit_settings
from tailrace.errors import ConfigError
from tailrace.kafka import topics as module
from tailrace.kafka.options import sink_clients
from tailrace.kafka.tail import Tail
from tailrace.kafka.topics import Topics
from tailrace_standins.servers.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def strict_broker():
    """A broker that creates no topics by itself."""
    broker = KafkaBroker(auto_create=False, partitions=2).start()
    yield broker
    broker.discard()


@pytest.fixture
def topics_on():
    opened = []

    def make(broker, **properties):
        settings = unit_settings({name.replace("__", "."): value for name, value in properties.items()})
        clients = sink_clients(broker.address, settings)
        tail = Tail(clients.consumer)
        opened.append(tail)
        return Topics(clients.admin, tail, settings.topic_creation)

    yield make
    for tail in opened:
        tail.close()


@pytest.fixture
def name():
    return f"t-{uuid.uuid4().hex[:10]}"


def described(broker, topic):
    """The number of partitions, and the settings."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    found = admin.list_topics(topic).topics[topic]
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    configs = admin.describe_configs([resource])[resource].result()
    return len(found.partitions), {key: entry.value for key, entry in configs.items()}


def test_without_a_rule_the_broker_creates_the_topic(kafka_broker, topics_on, name):
    topics = topics_on(kafka_broker)
    assert topics.missing(name)
    topics.ensure([name])
    assert not topics.missing(name)
    assert described(kafka_broker, name)[0] >= 1


def test_rules_say_how_a_topic_is_made(strict_broker, topics_on, name):
    topics = topics_on(
        strict_broker,
        topic__creation__groups="small",
        topic__creation__default__partitions=3,
        topic__creation__default__replication__factor=-1,
        topic__creation__default__cleanup__policy="compact",
        topic__creation__small__include=f"{name}-s.*",
        topic__creation__small__partitions=1,
    )
    topics.ensure([name, f"{name}-s1", name])
    partitions, configs = described(strict_broker, name)
    assert (partitions, configs["cleanup.policy"]) == (3, "compact")
    partitions, configs = described(strict_broker, f"{name}-s1")
    assert (partitions, configs["cleanup.policy"]) == (1, "delete")


def test_minus_one_leaves_a_number_to_the_broker(strict_broker, topics_on, name):
    rule = {"topic__creation__default__partitions": -1, "topic__creation__default__replication__factor": -1}
    topics_on(strict_broker, **rule).ensure([name])
    assert described(strict_broker, name)[0] == 2


def test_a_topic_that_is_there_is_left_as_it_is(strict_broker, topics_on, name):
    rule = {"topic__creation__default__replication__factor": 1}
    topics_on(strict_broker, topic__creation__default__partitions=1, **rule).ensure([name])
    topics_on(strict_broker, topic__creation__default__partitions=5, **rule).ensure([name])
    topics_on(strict_broker).ensure([name])
    assert described(strict_broker, name)[0] == 1


def test_many_topics_at_once(kafka_broker, topics_on, name):
    names = [f"{name}-{n}" for n in range(25)]
    topics = topics_on(kafka_broker)
    topics.ensure(names)
    assert not any(map(topics.missing, names))


def test_what_is_known_is_not_asked_for_again(kafka_broker, topics_on, name, monkeypatch):
    topics = topics_on(kafka_broker)
    topics.ensure([name])
    monkeypatch.setattr(Tail, "topics", None)
    topics.ensure([name, name])


@pytest.mark.parametrize(
    ("properties", "remedy"),
    [
        ({}, "set topic.creation.default.partitions and topic.creation.default.replication.factor"),
        ({"topic__creation__enable": "false"}, "set topic.creation.enable to true"),
    ],
)
def test_a_topic_that_nobody_creates_is_named_with_the_ways_out(
    strict_broker, topics_on, name, properties, remedy, monkeypatch
):
    monkeypatch.setattr(module, "AUTO_CREATION_SECONDS", 1.0)
    with pytest.raises(ConfigError, match=f"the topic {name} does not exist.*{remedy}.* or create it before"):
        topics_on(strict_broker, **properties).ensure([name])


def test_rules_do_not_count_where_creation_is_switched_off(strict_broker, topics_on, name, monkeypatch):
    monkeypatch.setattr(module, "AUTO_CREATION_SECONDS", 1.0)
    topics = topics_on(
        strict_broker,
        topic__creation__enable="false",
        topic__creation__default__partitions=1,
        topic__creation__default__replication__factor=1,
    )
    with pytest.raises(ConfigError, match="does not exist"):
        topics.ensure([name])


def test_a_name_that_is_none_says_so(kafka_broker, topics_on):
    with pytest.raises(ConfigError, match="what a name! can't be used"):
        topics_on(kafka_broker).ensure(["what a name!"])


def test_a_rule_that_the_broker_refuses_names_the_topic(kafka_broker, topics_on, name):
    rule = {"topic__creation__default__partitions": 1, "topic__creation__default__replication__factor": 7}
    with pytest.raises(ConfigError, match=f"the topic {name} can't be created: .*eplication"):
        topics_on(kafka_broker, **rule).ensure([name])


def test_a_topic_of_ours_is_made_and_grows(strict_broker, topics_on, name):
    topics_on(strict_broker).ensure_own(name, 1, 4, {"cleanup.policy": "compact"})
    partitions, configs = described(strict_broker, name)
    assert (partitions, configs["cleanup.policy"]) == (4, "compact")
    topics_on(strict_broker).ensure_own(name, 3, 8, {})
    assert described(strict_broker, name)[0] == 4
    topics_on(strict_broker).ensure_own(name, 6, 6, {})
    assert described(strict_broker, name)[0] == 6


@pytest.mark.parametrize("rules", [{}, {"topic__creation__default__partitions": "1", "topic__creation__default__replication__factor": "1"}])
def test_names_that_differ_in_dots_and_underscores_only_are_told_as_what_they_are(kafka_broker, topics_on, name, rules):
    topics_on(kafka_broker).ensure([f"{name}.shop.orders"])
    with pytest.raises(ConfigError) as caught:
        topics_on(kafka_broker, **rules).ensure([f"{name}_shop_orders"])
    message = str(caught.value)
    assert f"{name}.shop.orders" in message
    assert "counts dots and underscores in the names of topics as the same" in message
    assert "topic.delimiter" in message
