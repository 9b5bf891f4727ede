"""The properties of Kafka's clients, tested where the connector does not run.

Problems are reported as at the start of a run; nothing connects. Certificate files that are not on this
machine, values that the deployment will fill, and libraries that are not installed here are not errors.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from attrs import evolve

from tailrace.config.java_names import is_security
from tailrace.config.passthrough import CLIENTS, PassThrough
from tailrace.config.problems import Problems
from tailrace.config.properties.history import KAFKA_HISTORY
from tailrace.config.settings import Settings
from tailrace.errors import ConfigError, MissingLocallyError
from tailrace.kafka.options import history_clients, signal_consumer, sink_clients
from tailrace.signals.model import Channel

_SOME_BROKER: Final = "localhost:9092"
_SERVERS: Final = ("schema.history.internal.kafka.bootstrap.servers", "signal.kafka.bootstrap.servers")
_FILES: Final = {
    "ssl.truststore.location": ("ssl.truststore.",),
    "ssl.keystore.location": ("ssl.keystore.", "ssl.key."),
    "ssl.ca.location": ("ssl.ca.",),
    "ssl.key.location": ("ssl.key.", "ssl.certificate."),
    "ssl.certificate.location": ("ssl.key.", "ssl.certificate."),
}
"""Properties that name a file, and the prefixes of those that need it."""


def try_clients(settings: Settings, problems: Problems) -> None:
    """Add the problems that the client library, or the translation, has with the clients that a run may need."""
    known = evolve(settings, **_known(settings, problems))
    overrides = (known.producer_override, known.consumer_override, known.admin_override)
    if any(overrides):
        servers = [each["bootstrap.servers"] for each in overrides if each.get("bootstrap.servers")]
        _try(problems, lambda: sink_clients(servers[0] if servers else _SOME_BROKER, known))
    if known.schema_history_internal == KAFKA_HISTORY and (known.schema_history_producer or known.schema_history_consumer):
        _try(problems, lambda: history_clients(known))
    if Channel.KAFKA in known.signal_enabled_channels and known.signal_consumer:
        _try(problems, lambda: signal_consumer(known))


def _try(problems: Problems, make: Callable[[], object]) -> None:
    try:
        make()
    except MissingLocallyError as error:
        problems.warn(str(error))
    except ConfigError as error:
        problems.add(str(error))


def _known(settings: Settings, problems: Problems) -> dict[str, Any]:
    known: dict[str, Any] = {
        each.attribute: PassThrough(_of_client(each.prefix, getattr(settings, each.attribute), problems)) for each in CLIENTS
    }
    return known | {name.replace(".", "_"): _SOME_BROKER for name in _SERVERS if name in problems.unknown}


def _of_client(prefix: str, given: PassThrough, problems: Problems) -> dict[str, str]:
    """The properties of a client that can be checked here; a login without its password can't."""
    unknown = {name.removeprefix(prefix) for name in problems.unknown if name.startswith(prefix)}
    without_login = any(map(is_security, unknown))
    left_out = _of_missing_files(prefix, given, unknown, problems)
    return {
        name: text
        for name, text in given.items()
        if name not in unknown and not (left_out and name.startswith(left_out)) and not (without_login and is_security(name))
    }


def _can_be_read(path: str) -> bool:
    try:
        return os.access(path, os.R_OK)
    except ValueError:  # the text can't be a path
        return False


def _of_missing_files(prefix: str, given: PassThrough, unknown: set[str], problems: Problems) -> tuple[str, ...]:
    beginnings: tuple[str, ...] = ()
    for name, belonging in _FILES.items():
        path = given.get(name, "").strip()
        if path and name not in unknown and not _can_be_read(path):
            problems.warn(f"{prefix}{name}: {path} is not on this machine, or can't be read here; it was not looked into")
            beginnings += belonging
    return beginnings
