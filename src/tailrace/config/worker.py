"""The properties file of a Kafka Connect worker (`--worker FILE`): defaults for its connectors.

A connector that moves to tailrace leaves its worker, and with it the converters, the config providers and the settings of
the clients that write its events. `applied_to` merges them into the connector's configuration, under the names that they
have there (`producer.` becomes `producer.override.`), so that nothing else needs to know about workers. Properties for the
worker itself (its own clients, its topics, its REST interface) have no meaning here; `ignored` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from tailrace.config.aliases import Aliases
from tailrace.config.documents import read_properties
from tailrace.config.java_names import BY_CLIENT, Handling, is_security
from tailrace.config.placeholders import PlaceholderError, fill
from tailrace.config.problems import Problems
from tailrace.config.worker_names import IGNORED
from tailrace.errors import ConfigError

CONVERTERS: Final = ("key.converter", "value.converter", "header.converter")
_CLIENTS: Final = ("producer", "consumer", "admin")
_SERVERS: Final = "bootstrap.servers"
_HANDED_ON: Final = ("topic.creation.enable",)
_UNKNOWN: Final = "that is no property of a Connect worker"
_PROTOCOL: Final = re.compile(r"^[A-Z_]+://")


@frozen
class Worker:
    """A worker's properties. They may hold secrets.

    Attributes:
        path: of the file, for messages.
        properties: with their placeholders.
        repeated: warnings about names that occur more than once.

    """

    path: str
    properties: Mapping[str, str] = field(repr=False)
    repeated: Sequence[str] = ()

    @classmethod
    def read(cls, path: Path | None) -> Worker | None:
        """Read a file; None if there is none. Raises `ConfigError` if it can't be read."""
        if path is None:
            return None
        problems = Problems()
        return cls(str(path), read_properties(path, problems), problems.warnings)

    def applied_to(self, document: Mapping[str, Any], problems: Problems) -> Mapping[str, Any]:
        """The connector's configuration with the worker's defaults; the connector's own properties win."""
        inner = document.get("config")
        own = dict(inner if isinstance(inner, Mapping) else document)
        # aliases are resolved after the merge: the worker's own values may use its providers too
        aliases = Aliases.declared_by(self.properties)
        merged = {
            name: aliases.resolved(name, value, problems) if isinstance(value, str) else value
            for name, value in self._merged(own, problems).items()
        }
        return {**document, "config": merged} if isinstance(inner, Mapping) else merged

    def target(self, to: str) -> str:
        """The target of `--to`; `kafka` alone means the worker's brokers. Raises `ConfigError` if it has none."""
        return f"kafka:{self._servers()}" if to == "kafka" else to

    def offsets(self) -> str:
        """Where the worker stores offsets, as `offsets import --from` takes it. Raises `ConfigError` if it does not say."""
        if file := self._filled("offset.storage.file.filename"):
            return f"file:{file}"
        if topic := self._filled("offset.storage.topic"):
            return f"kafka:{self._servers()}/{topic}"
        raise ConfigError(
            f"{self.path} names neither offset.storage.topic nor offset.storage.file.filename: say --from"
        )

    def _servers(self) -> str:
        servers = self._filled(_SERVERS)
        if not servers:
            raise ConfigError(f"{self.path} has no {_SERVERS}: say kafka:HOST:PORT")
        return ",".join(_PROTOCOL.sub("", each.strip()) for each in servers.split(",") if each.strip())

    def _filled(self, name: str) -> str:
        text = Aliases.declared_by(self.properties).resolved(name, self.properties.get(name, ""), Problems())
        try:
            return fill(text).strip()
        except PlaceholderError as error:
            raise ConfigError(f"{self.path}: {name}: {error}") from None

    def ignored(self) -> list[str]:
        """Sentences about properties without effect, one for each reason."""
        by_reason: dict[str, list[str]] = {}
        for name in self.properties:
            if (reason := self._ignored(name)) and reason != _UNKNOWN:
                by_reason.setdefault(reason, []).append(name)
        return [
            f"{self.path}: {', '.join(names)} {'is' if len(names) == 1 else 'are'} ignored: {reason}"
            for reason, names in by_reason.items()
        ]

    def warnings(self) -> list[str]:
        """Warnings about duplicates and about unknown names, with what may be meant."""
        unknown = (name for name in self.properties if self._ignored(name) == _UNKNOWN)
        told = (*self.repeated, *(f"{name} is ignored: {_UNKNOWN}{_meant(name)}" for name in unknown))
        return [f"{self.path}: {each}" for each in told]

    def _merged(self, own: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
        merged = dict(own)
        for converter in CONVERTERS:
            if self._has_converter(converter) and not own.get(converter):
                self._hand_on_converter(converter, merged, problems)
        handed_on = {name: self.properties[name] for name in _HANDED_ON if name in self.properties}
        for name, text in {**handed_on, **dict(self._of_clients())}.items():
            if merged.get(name) is None:
                merged[name] = text
        return merged

    def _has_converter(self, converter: str) -> bool:
        return bool(self.properties.get(converter, "").strip())

    def _hand_on_converter(self, converter: str, merged: dict[str, Any], problems: Problems) -> None:
        """Add the worker's converter with its properties, as Connect does.

        Connect takes a converter and its properties from the same place. Properties of a converter that the connector does
        not set itself are therefore dropped, with a warning.
        """
        beginning = f"{converter}."
        lost = sorted(name for name in merged if name.startswith(beginning))
        for name in lost:
            del merged[name]
        if lost:
            problems.warn(
                f"{', '.join(lost)} without {converter}: Connect does not take it over the worker's converter; name "
                f"{converter} beside it if it is meant"
            )
        merged |= {
            name: text for name, text in self.properties.items() if name == converter or name.startswith(beginning)
        }

    def _of_clients(self) -> Iterator[tuple[str, str]]:
        for name, text in self.properties.items():
            client, _, rest = name.partition(".")
            if client in _CLIENTS and rest and self._ignored(name) is None and rest != _SERVERS:
                yield f"{client}.override.{rest}", text

    def _ignored(self, name: str) -> str | None:
        """Why a property has no effect; None if it has one."""
        client, _, rest = name.partition(".")
        known = next((reason for pattern, reason in IGNORED if pattern.fullmatch(name)), None)
        if known is not None:
            return known
        if client in _CLIENTS and rest:
            return _of_sinks(client, rest)
        if name.startswith((*CONVERTERS, "config.providers")) or name in (*_HANDED_ON, _SERVERS):
            return None
        if is_security(name) or name in BY_CLIENT["admin"]:
            return "it is for the worker's own clients; what its connectors' producers get begins with producer."
        return _UNKNOWN


def _meant(name: str) -> str:
    found = get_close_matches(name, [*CONVERTERS, *_HANDED_ON, _SERVERS, "config.providers"], n=1, cutoff=0.7)
    return f"; did you mean {found[0]}?" if found else ""


def _of_sinks(client: str, name: str) -> str | None:
    """Why a property of the worker's consumer or admin client is not used; None if it is.

    A worker's consumers read for sink connectors, so most of their properties have no use here. The refused ones are
    ignored too, instead of failing a configuration that does not use them.
    """
    row = BY_CLIENT[client].get(name)
    if client == "producer" or row is None or row.handling in {Handling.TRANSLATED, Handling.SECURITY}:
        return None
    return "no consumer of tailrace's needs it" if client == "consumer" else row.says
