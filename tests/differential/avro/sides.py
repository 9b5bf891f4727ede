"""One side of the comparison: a broker and a registry, and who writes into them."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bench.measuring import connectors

from support.kafka_reading import Read, read_topics
from tailrace.cli.demo_avro import RegisteredSchemas, avro_properties
from tailrace.cli.main import main
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target
from tailrace_standins.servers.apicurio_registry import ApicurioRegistry
from tailrace_standins.servers.java_process import JavaProcess
from tailrace_standins.servers.kafka_broker import KafkaBroker

PREFIX = "dbz"
PATIENCE = 400
LOG_OF_NOTIFICATIONS = "io.debezium.pipeline.notification.channels.LogNotificationChannel"
OF_BOTH = {
    "schema.name.adjustment.mode": "avro",
    "field.name.adjustment.mode": "avro",
    "extended.headers.enabled": "false",  # they name Connect's task and run
}


@dataclass(frozen=True)
class Side:
    """A broker and a registry of one side."""

    broker: KafkaBroker
    registry: ApicurioRegistry

    @property
    def schemas(self) -> RegisteredSchemas:
        """What its registry has."""
        return RegisteredSchemas(self.registry.confluent_url)

    def properties(self, given: Mapping[str, str]) -> dict[str, str]:
        """The connector's properties, with this side's registry."""
        return {**given, **OF_BOTH, **avro_properties(self.registry.confluent_url)}

    def texts(self) -> list[tuple[str, int, int, str]]:
        """Subject, version, id and text of all schemas that are registered."""
        url = self.registry.confluent_url
        return [(*each, asked(f"{url}/schemas/ids/{each[2]}")["schema"]) for each in self.schemas.versions()]

    def records(self) -> list[Read]:
        """Everything that a read-committed consumer sees of the connector."""
        return read_topics(self.broker.address, lambda name: name == PREFIX or name.startswith(f"{PREFIX}."))

    def count(self, topic: str) -> int:
        """How many records a topic has."""
        return len(read_topics(self.broker.address, {topic}))


@dataclass(frozen=True)
class Reached:
    """What `bench.measuring.connectors` asks of servers."""

    address: str


@contextmanager
def side() -> Iterator[Side]:
    """A context with a broker and a registry that hold nothing."""
    with KafkaBroker() as broker, ApicurioRegistry() as registry:
        yield Side(broker, registry)


def run_connect(side: Side, given: Mapping[str, str], folder: Path, done: Callable[[], bool]) -> None:
    """Run Debezium in Kafka Connect until `done`; then it ends in good order, and its offsets are in `folder`."""
    command = connectors.connect_command(Reached(side.broker.address), given, folder, told=(LOG_OF_NOTIFICATIONS,))
    worker = JavaProcess(command, folder / "connect.log")
    worker.launch()
    try:
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert worker.running(), f"Kafka Connect ended:\n{worker.log_tail()}"
            assert time.monotonic() < deadline, f"Debezium is not done after {PATIENCE} s:\n{worker.log_tail()}"
            time.sleep(0.5)
        worker.terminate()
    finally:
        worker.kill()


def run_tailrace(side: Side, given: Mapping[str, str], folder: Path, *arguments: str) -> None:
    """Run tailrace to the head of the log, after an `offsets` command with these arguments."""
    config = folder / "connector.json"
    config.write_text(json.dumps({"name": given["name"], "config": dict(given)}))
    to = f"kafka:{side.broker.address}"
    with pytest.raises(SystemExit) as ended:
        main(["offsets", arguments[0], str(config), "--to", to, *arguments[1:]])
    assert ended.value.code == 0
    job, settings = load_job(config, Target.parse(to, folder / "checkpoint"))
    with closing(job.new_sink()) as sink:
        sink.claim(1)
    deliver(job, Turn(Lane(), first=True, floor="", until=connector_for(settings).head()))


def asked(url: str) -> Any:
    """The JSON at a URL."""
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310
        return json.load(answer)
