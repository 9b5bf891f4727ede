"""Config providers that a Connect worker declares under names of its own, with restrictions.

    config.providers=mounted
    config.providers.mounted.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider
    config.providers.mounted.param.allowed.paths=/mnt/secrets

A placeholder that names a declared provider is rewritten with the built-in name of its class (`${mounted:…}` becomes
`${directory:…}`). Paths and variables that the restrictions do not allow are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from tailrace.config.placeholders import with_replaced
from tailrace.config.problems import Problems
from tailrace.config.providers import CLASSES
from tailrace.java_patterns import PatternError, compile_java

_LIST = "config.providers"


@frozen
class Alias:
    """A declared provider.

    Attributes:
        name: as the worker declares it.
        class_name: its Java class.
        paths: `param.allowed.paths`; empty allows all.
        pattern: `param.allowlist.pattern`, a Java regular expression for variables; empty allows all.

    """

    name: str
    class_name: str
    paths: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def kind(self) -> str | None:
        """The built-in name of its class, such as `file`; None for a class that is not known."""
        return CLASSES.get(self.class_name)

    def forbids(self, path: str, key: str) -> str:
        """Why the restrictions forbid this value; "" if they allow it."""
        if self.kind == "env":
            return self._forbids_variable(key)
        # both sides are resolved: neither `..` nor a symbolic link leads out of an allowed directory
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
    """The providers that a worker declares, by name."""

    by_name: Mapping[str, Alias]

    @classmethod
    def declared_by(cls, properties: Mapping[str, str]) -> Aliases:
        """The providers that a worker's properties declare."""
        names = [name.strip() for name in properties.get(_LIST, "").split(",") if name.strip()]
        return cls({name: _alias(name, properties) for name in names})

    def resolved(self, name: str, text: str, problems: Problems) -> str:
        """The text of property `name` with built-in provider names in its placeholders; forbidden ones become problems."""

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
    # an unknown class stays as the provider's name, so that the message about the placeholder names the class
    provider = alias.kind or alias.class_name or alias.name
    return f"${{{provider}:{path}:{key}}}" if path else f"${{{provider}:{key}}}"
