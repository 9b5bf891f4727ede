"""Properties that are passed through unchanged to Kafka's clients.

They may hold secrets and are part of the settings, which are logged and pickled; `repr` therefore shows only their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.entries import Entry


class PassThrough(Mapping[str, str]):
    """A mapping of properties whose `repr` shows the names only. It can be pickled."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"PassThrough({', '.join(self._values)})"

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))


@frozen
class ClientProperties:
    """The properties of one Kafka client.

    Attributes:
        prefix: with which their names begin.
        kind: of client: producer, consumer or admin.
        attribute: of `Settings`, where they are without the prefix.

    """

    prefix: str
    kind: str
    attribute: str


CLIENTS: Final = (
    ClientProperties("producer.override.", "producer", "producer_override"),
    ClientProperties("consumer.override.", "consumer", "consumer_override"),
    ClientProperties("admin.override.", "admin", "admin_override"),
    ClientProperties("schema.history.internal.producer.", "producer", "schema_history_producer"),
    ClientProperties("schema.history.internal.consumer.", "consumer", "schema_history_consumer"),
    ClientProperties("signal.consumer.", "consumer", "signal_consumer"),
)


def pass_through(entries: Mapping[str, Entry], prefix: str) -> PassThrough:
    """The properties whose names begin with `prefix`, without it."""
    return PassThrough(
        {name.removeprefix(prefix): entry.text for name, entry in entries.items() if name.startswith(prefix)}
    )
