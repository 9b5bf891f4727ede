"""Renders the section of the reference page about properties of Kafka's clients, from their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tailrace.config.java_names import TABLES, Handling, JavaName
from tailrace.kafka.options import CONSUMER, HISTORY_PRODUCER, PRODUCER, SIGNAL_CONSUMER

_INTRODUCTION = """\
## Properties of Kafka's clients

What may follow `producer.override.`, `consumer.override.`, `admin.override.`, `schema.history.internal.producer.`,
`schema.history.internal.consumer.` and `signal.consumer.`: the properties of Kafka's Java clients, which are in the tables
below, and all of librdkafka's by its own names. The client library is asked at the start whether it takes them; a message
names the property and not its value. A name that neither has is a warning, as with Java's clients, but an error where it is
nearly a property of security or of the partitioner. Of a number that is too large or too small for the client library the
nearest that it takes counts. What is about security in `producer.override` counts for the other two clients as
well, unless they have properties of security of their own; likewise with the schema history's producer. The signal topic's
consumer goes by `signal.consumer.` alone, and may be told `auto.offset.reset` and `isolation.level`. The brokers are those
of `--to kafka:…`. How to encrypt and log in is told by [the guide](../guides/kafka-security.md).
"""
_USUAL = """\
### What the clients are told when nothing else is

By librdkafka's names. `transaction.timeout.ms` is 60000, and `delivery.timeout.ms` three quarters of it; without
transactions it is 120000, and where idempotence is switched off one request at a time keeps the order. What the
consumers are told can't be changed, but for the signal topic's.
"""
_DEFAULTS = {
    "The sink's producer": PRODUCER,
    "The schema history's producer": HISTORY_PRODUCER,
    "The sink's and the history's consumer": CONSUMER,
    "The signal topic's consumer": SIGNAL_CONSUMER,
}


def client_sections() -> str:
    """The sections, each a heading with its table."""
    tables = [_table(f"Of {title}", map(_row, rows)) for title, rows in TABLES.items()]
    return "\n".join([_INTRODUCTION, *tables, _USUAL + "\n" + _lines(("Client", "Option", "Value"), _usual())])


def _table(title: str, rows: Iterable[tuple[str, ...]]) -> str:
    return f"### {title}\n\n" + _lines(("Java's property", "librdkafka's", "Remark"), rows)


def _row(row: JavaName) -> tuple[str, ...]:
    return _code(row.name), _handling(row), _remark(row)


def _handling(row: JavaName) -> str:
    if row.handling in {Handling.REFUSED, Handling.IGNORED}:
        return f"*{row.handling.value}*"
    return ", ".join("the same" if name == row.name else _code(name) for name in row.to)


def _remark(row: JavaName) -> str:
    harmless = [_code(each) for each in row.harmless if each]
    return row.says + (f" (taken: {', '.join(harmless)})" if harmless else "")


def _usual() -> Iterator[tuple[str, ...]]:
    for client, options in _DEFAULTS.items():
        yield from _client(client, options)


def _client(client: str, options: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for name, value in options.items():
        yield client, _code(name), _code(value)


def _lines(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (header, ("---",) * len(header), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`"
