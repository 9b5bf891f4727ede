"""Sinks: the targets of records. `open_sink` parses the command line's names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailrace.errors import ConfigError
from tailrace.sinks.base import Sink
from tailrace.sinks.lease import LeaseRecord

TARGETS = ("kafka:HOST:PORT", "files:DIR", "console")
_BROKER = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s:,/\[\]]+):([0-9]{1,5})")
_LARGEST_PORT = 65_535


def open_sink(target: str, *, source: str, run: str, link: str = "", document: Mapping[str, Any] | None = None) -> Sink:
    """The sink of a target; `document` is the connector's configuration, which the Kafka sink needs."""
    kind, _, place = target.partition(":")
    if kind == "kafka":
        from tailrace.connectors.load import from_mapping
        from tailrace.sinks.kafka.sink import KafkaSink

        return KafkaSink(place, from_mapping(document or {}), source, run)
    if kind == "files":
        from tailrace.sinks.files import FilesSink

        return FilesSink(Path(place), source, run)
    from tailrace.sinks.console import ConsoleSink

    return ConsoleSink(Path(place), source, run, link)


def open_lease(target: str, document: Mapping[str, Any]) -> LeaseRecord:
    """The lease of a target."""
    kind, _, place = target.partition(":")
    if kind == "kafka":
        from tailrace.connectors.load import from_mapping
        from tailrace.kafka.options import sink_clients
        from tailrace.sinks.kafka.lease_topic import LeaseTopic
        from tailrace.sinks.kafka.names import names_of

        settings = from_mapping(document)
        return LeaseTopic(sink_clients(place, settings), names_of(settings).lease, settings.topic_creation)
    from tailrace.sinks.lease_file import LeaseFile

    if kind == "files":
        from tailrace.sinks.files import OWN_FOLDER

        return LeaseFile(Path(place) / OWN_FOLDER)
    return LeaseFile(Path(place))


def check_target(target: str) -> None:
    """Raise `ConfigError` for an unknown target."""
    kind, _, place = target.partition(":")
    if kind not in {"kafka", "files", "console"}:
        raise ConfigError(f"--to {target}: there is no such target; use {' or '.join(TARGETS)}")
    if kind == "files" and not place:
        raise ConfigError("--to files: needs a folder: files:DIR")
    if kind == "kafka":
        _check_brokers(target, place)


def _check_brokers(target: str, brokers: str) -> None:
    for broker in brokers.split(","):
        found = _BROKER.fullmatch(broker)
        if found is None or not 0 < int(found[1]) <= _LARGEST_PORT:
            raise ConfigError(f"--to {target}: {broker!r} is no broker's address; use kafka:HOST:PORT[,HOST:PORT...]")
