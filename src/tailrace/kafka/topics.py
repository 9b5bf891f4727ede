"""Topics exist before records are sent: looked up once, and created if they are missing, as in Kafka Connect.

The matching rule of `topic.creation.*` creates a topic. Without a rule a metadata request makes the
brokers create it, if `auto.create.topics.enable` is on. A producer takes half a minute to find out that a topic
is missing, and then loses a batch, so it is not left to the producer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    TopicMetadata,
)

from tailrace.config.topic_creation import TopicCreation, TopicRule
from tailrace.errors import ConfigError, RetriableError
from tailrace.kafka.client_errors import client_error
from tailrace.kafka.tokens import client_options

CREATION_SECONDS: Final = 30.0
AUTO_CREATION_SECONDS: Final = 8.0
AUTO_CREATION_ANSWERS: Final = 10
PAUSE_SECONDS: Final = 0.02
BROKERS_CHOICE: Final = -1
_MISSING: Final = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC})  # noqa: SLF001
_NOT_SHOWN: Final = frozenset({KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED})
_NOT_READY: Final = frozenset({KafkaError.LEADER_NOT_AVAILABLE, KafkaError.REPLICA_NOT_AVAILABLE})


class Directory(Protocol):
    """Looks topics up."""

    def topics(self, names: Sequence[str]) -> Mapping[str, TopicMetadata]:
        """The brokers' metadata of these topics; creates none."""


class Topics:
    """The topics that are known to exist."""

    def __init__(self, admin: Mapping[str, str], directory: Directory, creation: TopicCreation) -> None:
        self._options = admin
        self._directory = directory
        self._creation = creation
        self._admin: AdminClient | None = None
        self._known: set[str] = set()

    def ensure(self, names: Iterable[str]) -> None:
        """Make sure that topics for records exist."""
        unknown = [name for name in dict.fromkeys(names) if name not in self._known]
        if not unknown:
            return
        for name, partitions in self._partitions(unknown).items():
            if partitions is None:
                self._make(name)
        self._known.update(unknown)

    def ensure_own(self, name: str, least: int, wanted: int, configs: Mapping[str, str]) -> None:
        """Make sure that one of tailrace's topics exists, with at least `least` partitions; a new one gets `wanted`."""
        there = self._partitions([name])[name]
        if there is None:
            rule = self._creation.rule_for(name)
            factor = rule.replication_factor if rule else BROKERS_CHOICE
            self._create(name, TopicRule(wanted, factor, configs))
        elif there == 0:
            self._await(name, bool)
            self.ensure_own(name, least, wanted, configs)
        elif there < least:
            self._grow(name, wanted)

    def settings(self, name: str) -> Mapping[str, str]:
        """A topic's effective settings, with the brokers' defaults; none if the user may not see them."""
        resource = ConfigResource(ConfigResource.Type.TOPIC, name)
        try:
            entries = self._client().describe_configs([resource], request_timeout=CREATION_SECONDS)[resource].result()
        except KafkaException as error:
            if error.args[0].code() in _NOT_SHOWN:
                return {}
            raise client_error(error.args[0], f"the settings of the topic {name} can't be read") from error
        return {entry.name: entry.value for entry in entries.values()}

    def missing(self, name: str) -> bool:
        """Whether there is no such topic."""
        if name not in self._known and self._partitions([name])[name] is not None:
            self._known.add(name)
        return name not in self._known

    def _make(self, name: str) -> None:
        rule = self._creation.rule_for(name) if self._creation.enabled else None
        if rule is not None:
            self._create(name, rule)
        else:
            self._ask_brokers(name)

    def _create(self, name: str, rule: TopicRule) -> None:
        topic = NewTopic(
            name,
            num_partitions=rule.partitions,
            replication_factor=rule.replication_factor,
            config=dict(rule.configs),
        )
        try:
            self._client().create_topics([topic], operation_timeout=CREATION_SECONDS)[name].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                self._refuse_collision(name)
                raise client_error(error.args[0], f"the topic {name} can't be created") from error
        self._await(name, bool)

    def _grow(self, name: str, partitions: int) -> None:
        """Add partitions for more lanes."""
        try:
            self._client().create_partitions([NewPartitions(name, partitions)])[name].result()
        except KafkaException as error:
            what = f"the topic {name} needs {partitions} partitions, one for each lane, and can't get them"
            raise client_error(error.args[0], what) from error
        self._await(name, lambda there: there is not None and there >= partitions)

    def _ask_brokers(self, name: str) -> None:
        """Make the brokers create a topic, if they may, by an admin client's metadata request.

        Counts answers as well as time: a process that was frozen meanwhile has asked only once.
        """
        deadline, answers = time.monotonic() + AUTO_CREATION_SECONDS, 0
        while time.monotonic() < deadline or answers < AUTO_CREATION_ANSWERS:
            try:
                found = self._client().list_topics(name, timeout=AUTO_CREATION_SECONDS).topics[name]
            except KafkaException as error:
                raise client_error(error.args[0], f"the topic {name} can't be looked up") from error
            if _partitions(found) is not None:
                self._await(name, bool)
                return
            answers += 1
            time.sleep(PAUSE_SECONDS * 5)
        self._refuse_collision(name)
        raise ConfigError(_missing_message(name, enabled=self._creation.enabled))

    def _refuse_collision(self, name: str) -> None:
        """Raise `ConfigError` if a topic exists whose name collides; brokers do not always say so."""
        try:
            there = self._client().list_topics(timeout=CREATION_SECONDS).topics
        except KafkaException as error:
            raise client_error(error.args[0], f"the topic {name} can't be looked up") from error
        if other := next((each for each in there if each != name and _alike(each) == _alike(name)), None):
            raise ConfigError(
                f"the topic {name} can't be created beside {other}: Kafka counts dots and underscores in the names of "
                "topics as the same. Set topic.delimiter and topic.prefix as they were when that topic was made, or to what "
                "makes another name, or delete that topic if nobody needs its records"
            )

    def _await(self, name: str, ready: Callable[[int | None], bool]) -> None:
        """Wait until a topic has a leader for each partition."""
        deadline = time.monotonic() + CREATION_SECONDS
        while not ready(self._partitions([name])[name]):
            if time.monotonic() > deadline:
                raise RetriableError(f"the topic {name} was created, but has no leaders after {CREATION_SECONDS:g} s")
            time.sleep(PAUSE_SECONDS)

    def _partitions(self, names: Sequence[str]) -> dict[str, int | None]:
        """How many partitions the topics have: None for a missing one, 0 while it lacks leaders."""
        found = self._directory.topics(names)
        return {name: _partitions(found.get(name)) for name in names}

    def _client(self) -> AdminClient:
        if self._admin is None:
            self._admin = AdminClient(client_options({**self._options, "log_level": 0}))  # its lines would go to stderr
        return self._admin


def _partitions(topic: TopicMetadata | None) -> int | None:
    if topic is None or (topic.error is not None and topic.error.code() in _MISSING):
        return None
    if topic.error is not None and topic.error.code() not in _NOT_READY:
        raise client_error(topic.error, f"the topic {topic.topic} can't be used")
    lacks_leader = any(partition.leader < 0 for partition in topic.partitions.values())
    return 0 if lacks_leader else len(topic.partitions)


def _alike(name: str) -> str:
    return name.replace(".", "_")


def _missing_message(name: str, *, enabled: bool) -> str:
    rules = (
        "set topic.creation.default.partitions and topic.creation.default.replication.factor"
        if enabled
        else "set topic.creation.enable to true, with topic.creation.default.partitions and .replication.factor"
    )
    return (
        f"the topic {name} does not exist and the brokers do not create it by themselves: {rules}, so that tailrace "
        "creates topics, or create it before"
    )
