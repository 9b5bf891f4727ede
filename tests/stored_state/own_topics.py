"""The topics that tailrace keeps for itself, taken out of a broker and put into another one as they were."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from stored_state.stages import PREFIX
from support.kafka_reading import Read, read_topics

OURS = ("cleanup.policy", "retention.ms", "retention.bytes", "segment.bytes", "compression.type")
SECONDS = 60.0


def own(name: str) -> bool:
    """Whether tailrace keeps this topic for itself, for the connector of the fixtures."""
    return name.startswith("__tailrace-") and name.endswith(f".{PREFIX}")


def told(name: str) -> bool:
    """Whether consumers read it."""
    return name == PREFIX or name.startswith(f"{PREFIX}.")


def keep(address: str, folder: Path) -> None:
    """Write the own topics down: their settings, and their records as lines; of a compacted one what compaction leaves."""
    admin = AdminClient({"bootstrap.servers": address})
    found = {name: topic for name, topic in admin.list_topics(timeout=30).topics.items() if own(name)}
    settings = {name: [len(topic.partitions), _settings(admin, name)] for name, topic in sorted(found.items())}
    (folder / "topics.json").write_bytes(orjson.dumps(settings, option=orjson.OPT_INDENT_2))
    newest = {_place(read, settings): read for read in read_topics(address, own)}
    lines = [
        orjson.dumps([read.topic, read.partition, _text(read.key), _text(read.value), read.timestamp])
        for read in newest.values()
    ]
    (folder / "topics.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def restore(address: str, folder: Path) -> None:
    """Make the own topics as they were, with all of their records."""
    admin = AdminClient({"bootstrap.servers": address})
    settings = orjson.loads((folder / "topics.json").read_bytes())
    topics = [NewTopic(name, count, 1, config=config) for name, (count, config) in settings.items()]
    for made in admin.create_topics(topics).values():
        made.result(SECONDS)
    producer = Producer({"bootstrap.servers": address})
    for line in (folder / "topics.jsonl").read_bytes().splitlines():
        topic, partition, key, value, timestamp = orjson.loads(line)
        producer.produce(topic, key=key, value=value, partition=partition, timestamp=timestamp)
    assert producer.flush(SECONDS) == 0


def clear(address: str) -> None:
    """Delete all topics of the fixtures' connector, and wait until they are gone."""
    admin = AdminClient({"bootstrap.servers": address})
    deadline = time.monotonic() + SECONDS
    while names := [name for name in admin.list_topics(timeout=30).topics if own(name) or told(name)]:
        assert time.monotonic() < deadline, f"topics that do not go: {names}"
        for gone in admin.delete_topics(names).values():
            gone.exception(SECONDS)
        time.sleep(0.1)


def _settings(admin: AdminClient, name: str) -> dict[str, str]:
    resource = ConfigResource(ResourceType.TOPIC, name)
    (found,) = admin.describe_configs([resource]).values()
    return {key: entry.value for key, entry in found.result(SECONDS).items() if key in OURS and not entry.is_default}


def _place(read: Read, settings: dict[str, Any]) -> tuple[Any, ...]:
    is_compacted = settings[read.topic][1].get("cleanup.policy") == "compact"
    return read.topic, read.partition, read.key if is_compacted else read.offset


def _text(value: bytes | None) -> Any:
    return None if value is None else value.decode()
