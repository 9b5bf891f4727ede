"""All that is wrong with a configuration, said at once."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import Factory, define

from tailrace.errors import ConfigError, UnsupportedError


@define
class Problems:
    """Collects what is wrong and what is merely of no effect, and raises one error for all of it.

    Attributes:
        strict: what Kafka Connect passes over is wrong as well.
        offline: the configuration is looked at on a machine where it does not run: what is only missing here is a warning.
        unknown: names of properties whose values are not known, so that nothing that needs them is checked.

    """

    strict: bool = False
    wrong: list[str] = Factory(list)
    not_yet: list[str] = Factory(list)
    warnings: list[str] = Factory(list)
    offline: bool = False
    unknown: set[str] = Factory(set)

    def add(self, message: str) -> None:
        """Something is wrong."""
        self.wrong.append(message)

    def add_not_yet(self, message: str) -> None:
        """Something is asked for that is not there yet."""
        self.not_yet.append(message)

    def warn(self, message: str) -> None:
        """Something has no effect."""
        self.warnings.append(message)

    def pass_over(self, message: str) -> None:
        """Something that Kafka Connect says nothing of has no effect: a name that is no property, a second value."""
        (self.add if self.strict else self.warn)(message)

    def add_unknown(self, names: Iterable[str], message: str) -> None:
        """The values of these properties can't be had here: wrong where they are needed now."""
        self.unknown.update(names)
        (self.warnings if self.offline else self.wrong).append(message)

    def raise_if_any(self, source: str) -> None:
        """Raise `ConfigError`, or `UnsupportedError` when all that is wrong is not there yet."""
        messages = [*self.wrong, *self.not_yet]
        if not messages:
            return
        error = ConfigError if self.wrong else UnsupportedError
        if len(messages) == 1:
            raise error(f"{source}: {messages[0]}")
        lines = "".join(f"\n  - {message}" for message in messages)
        raise error(f"{source}: {len(messages)} problems{lines}")
