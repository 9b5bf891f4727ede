"""Config providers as a Connect worker declares them: under names of its own, with limits.

    config.providers=mounted
    config.providers.mounted.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider
    config.providers.mounted.param.allowed.paths=/mnt/secrets

A placeholder that names a declared provider is written anew with the name that its class has here; what the limits forbid is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from tailrace.config.patterns import PatternError, compile_java
from tailrace.config.placeholders import with_replaced
from tailrace.config.problems import Problems
from tailrace.config.providers import CLASSES

_LIST = "config.providers"


@frozen
class Alias:
    """A declared provider: its own name, its class, and what it may look at ("" and (): anything)."""

    name: str
    class_name: str
    paths: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def kind(self) -> str | None:
        """What does its work here; None where nothing does."""
        return CLASSES.get(self.class_name)

    def forbids(self, path: str, key: str) -> str:
        """Why it does not give this; "" where it does."""
        if self.kind == "env":
            return self._forbids_variable(key)
        real = Path(path).resolve()
        if self.paths and not any(real.is_relative_to(Path(each).resolve()) for each in self.paths):
            return f"{path} is not within {_LIST}.{self.name}.param.allowed.paths"
        return ""

    def _forbids_variable(self, name: str) -> str:
        property_ = f"{_LIST}.{self.name}.param.allowlist.pattern"
        try:
            allowed = not self.pattern or compile_java(self.pattern).fullmatch(name)
        except PatternError as error:
            return f"{property_}: {error}"
        return "" if allowed else f"{property_} does not allow {name}"


@frozen
class Aliases:
    """All providers that a worker declares, by name."""

    by_name: Mapping[str, Alias]

    @classmethod
    def declared_by(cls, properties: Mapping[str, str]) -> Aliases:
        """Those of a worker's file."""
        names = [name.strip() for name in properties.get(_LIST, "").split(",") if name.strip()]
        return cls({name: _alias(name, properties) for name in names})

    def resolved(self, name: str, text: str, problems: Problems) -> str:
        """The text of a property, its placeholders with the names that providers have here."""

        def renamed(match: re.Match[str]) -> str:
            alias = self.by_name.get(match["provider"])
            return match.group() if alias is None else _resolved(name, match, alias, problems)

        return with_replaced(text, renamed)


def _alias(name: str, properties: Mapping[str, str]) -> Alias:
    beginning = f"{_LIST}.{name}."
    paths = properties.get(f"{beginning}param.allowed.paths", "")
    return Alias(
        name=name,
        class_name=properties.get(f"{beginning}class", "").strip(),
        paths=tuple(path.strip() for path in paths.split(",") if path.strip()),
        pattern=properties.get(f"{beginning}param.allowlist.pattern", "").strip(),
    )


def _resolved(name: str, match: re.Match[str], alias: Alias, problems: Problems) -> str:
    path, key = match["path"] or "", match["key"]
    if why := alias.forbids(path, key):
        problems.add(f"{name}: {match.group()}: {why}")
    provider = alias.kind or alias.class_name or alias.name  # what is not ours is told by its class when it is to be filled
    return f"${{{provider}:{path}:{key}}}" if path else f"${{{provider}:{key}}}"
