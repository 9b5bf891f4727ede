"""Properties that go to something else as they are: to the Kafka client, above all.

They travel with the settings, secrets among them, so that only names are ever shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.entries import Entry


class PassThrough(Mapping[str, str]):
    """Names and values that show their names only. It pickles as it is."""

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
    """Properties of one of Kafka's clients.

    Attributes:
        prefix: what their names begin with.
        kind: of the client: producer, consumer, admin.
        attribute: of `Settings`, which has them without the prefix.

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


def passed(entries: Mapping[str, Entry], prefix: str) -> PassThrough:
    """What was given with names that begin with `prefix`, which goes."""
    return PassThrough(
        {name.removeprefix(prefix): entry.text for name, entry in entries.items() if name.startswith(prefix)}
    )
