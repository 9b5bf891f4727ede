"""Topics for one test each."""

import uuid
from collections.abc import Callable, Mapping

import pytest
from confluent_kafka.admin import AdminClient, NewTopic


@pytest.fixture
def topic_with(kafka_broker) -> Callable[..., str]:
    """Makes a topic of so many partitions, with these settings; returns its name."""
    admin = AdminClient({"bootstrap.servers": kafka_broker.address})

    def make(partitions: int, config: Mapping[str, str] | None = None) -> str:
        name = f"t-{uuid.uuid4().hex[:12]}"
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=dict(config or {}))
        admin.create_topics([topic])[name].result()
        return name

    return make


@pytest.fixture
def topic(topic_with) -> str:
    """The name of a topic of one partition; of use as a transactional id, too."""
    return topic_with(1)
