"""Collects all problems of a configuration, so that a user mends them in one go."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import Factory, define

from tailrace.errors import ConfigError, UnsupportedError


@define
class Problems:
    """Errors and warnings about one configuration; raises one error for all.

    Attributes:
        strict: what Kafka Connect silently ignores is an error too (`--strict`).
        wrong: errors.
        not_yet: errors about features that are not supported yet.
        warnings: about what has no effect.
        offline: the connector runs on another machine: values that are only missing here are warnings.
        unknown: names of properties whose values are not known; checks that need them are skipped.

    """

    strict: bool = False
    wrong: list[str] = Factory(list)
    not_yet: list[str] = Factory(list)
    warnings: list[str] = Factory(list)
    offline: bool = False
    unknown: set[str] = Factory(set)

    def add(self, message: str) -> None:
        """Add an error."""
        self.wrong.append(message)

    def add_not_yet(self, message: str) -> None:
        """Add an error about a feature that is not supported yet."""
        self.not_yet.append(message)

    def warn(self, message: str) -> None:
        """Add a warning: something has no effect."""
        self.warnings.append(message)

    def pass_over(self, message: str) -> None:
        """Something has no effect that Kafka Connect silently ignores: an unknown name, a second value."""
        (self.add if self.strict else self.warn)(message)

    def add_unknown(self, names: Iterable[str], message: str) -> None:
        """The values of these properties can't be had here: an error, unless the check is offline."""
        self.unknown.update(names)
        (self.warnings if self.offline else self.wrong).append(message)

    def raise_if_any(self, source: str) -> None:
        """Raise one error for all problems; `source` is the file, for the message.

        Raises:
            UnsupportedError: every problem is a feature that is not supported yet.
            ConfigError: there are other errors.

        """
        messages = [*self.wrong, *self.not_yet]
        if not messages:
            return
        error = ConfigError if self.wrong else UnsupportedError
        if len(messages) == 1:
            raise error(f"{source}: {messages[0]}")
        lines = "".join(f"\n  - {message}" for message in messages)
        raise error(f"{source}: {len(messages)} problems{lines}")
