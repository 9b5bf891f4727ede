"""The ways that the demo's changes go: onto the screen, or through a Kafka broker, as JSON or as Avro.

Broker and registry are the demo's own and end with it. What a read-committed consumer reads from the broker is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import Factory, frozen

from tailrace.cli.demo_avro import RegisteredSchemas, avro_properties
from tailrace.cli.demo_reader import Reader, from_json
from tailrace.cli.screen import Screen
from tailrace.connectors.demo import PREFIX
from tailrace.errors import ConfigError
from tailrace.streaming.targets import Target
from tailrace_standins.servers.apicurio_registry import ApicurioRegistry
from tailrace_standins.servers.java_jars import Unavailable
from tailrace_standins.servers.kafka_broker import KafkaBroker

TARGETS: Final = ("console", "kafka")
FORMATS: Final = ("json", "avro")


@frozen
class Way:
    """The target of the changes.

    Attributes:
        target: of the job.
        reader: reads them back, if the target is Kafka.
        schemas: those that are registered, if the format is Avro.
        properties: of the connector, in place of the shop's.

    """

    target: Target
    reader: Reader | None = None
    schemas: RegisteredSchemas | None = None
    properties: Mapping[str, Any] = Factory(dict)

    def summarise(self, screen: Screen) -> None:
        """Show subjects and ids, where there are any."""
        if self.schemas is None:
            return
        for subject, version, number in self.schemas.versions():
            screen.notice(f"subject {subject}, version {version}: id {number}")


@frozen
class ChosenWay:
    """What the command line says."""

    kafka: bool
    avro: bool

    @contextmanager
    def opened(self, folder: Path, screen: Screen) -> Iterator[Way]:
        """Start what it takes. Raises `ConfigError` where that can't be had."""
        if not self.kafka:
            yield Way(Target.parse("console", folder / "state"))
            return
        with ExitStack() as stack:
            schemas, properties = self._registry(stack, screen)
            screen.notice("starting a Kafka broker; the first time its jars are fetched")
            with _needed("the demo needs a Kafka broker for --to kafka"):
                broker = stack.enter_context(KafkaBroker())
            screen.notice(f"Kafka is at {broker.address}")
            reader = Reader(
                broker.client_options(),
                PREFIX,
                lambda line: screen.handle("events", [line]),
                from_json if schemas is None else schemas.decoded,
            )
            reader.start()
            stack.callback(reader.stop)
            yield Way(Target.parse(f"kafka:{broker.address}", folder / "state"), reader, schemas, properties)

    def _registry(self, stack: ExitStack, screen: Screen) -> tuple[RegisteredSchemas | None, dict[str, str]]:
        if not self.avro:
            return None, {}
        screen.notice("starting a schema registry (Apicurio); the first time its archive of 159 MB is fetched")
        with _needed("the demo needs a schema registry for --format avro"):
            registry = stack.enter_context(ApicurioRegistry())
        screen.notice(f"the registry is at {registry.confluent_url}")
        return RegisteredSchemas(registry.confluent_url), avro_properties(registry.confluent_url)


def chosen_way(to: str | None, format_: str) -> ChosenWay:
    """The way of `--to` and `--format`. Raises `ConfigError` if there is none."""
    if format_ not in FORMATS:
        raise ConfigError(f"--format {format_}: the demo's formats are {' and '.join(FORMATS)}")
    avro = format_ == "avro"
    to = to or ("kafka" if avro else "console")
    if to not in TARGETS:
        raise ConfigError(f"--to {to}: the demo goes to {' or '.join(TARGETS)}")
    if avro and to != "kafka":
        raise ConfigError(f"--format avro goes to Kafka only, not to --to {to}: leave --to away")
    return ChosenWay(kafka=to == "kafka", avro=avro)


@contextmanager
def _needed(what: str) -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise ConfigError(f"{what}: {error}") from error
