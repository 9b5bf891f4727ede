"""What is said of names of Kafka's client properties when a configuration is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.entries import Entry
from tailrace.config.java_names import BY_CLIENT, Handling
from tailrace.config.passthrough import CLIENTS
from tailrace.config.problems import Problems
from tailrace.kafka.unknown_names import is_unknown, judge

_COUNTS_HERE = frozenset({"signal.consumer.auto.offset.reset"})


def check_client_names(entries: Mapping[str, Entry], problems: Problems) -> None:
    """What is refused is said where a client is needed; what does nothing is said here."""
    for client in CLIENTS:
        kind, prefix = client.kind, client.prefix
        given = {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
        for name, entry in given.items():
            row = BY_CLIENT[kind].get(name)
            if row is not None and row.handling is Handling.IGNORED and entry.name not in _COUNTS_HERE:
                problems.warn(f"{entry.shown_name} is ignored: {row.says}")
            elif is_unknown(kind, name):
                verdict = judge(kind, name, given)
                tell = problems.add if verdict.is_wrong else problems.pass_over
                tell(f"{entry.shown_name} {verdict.words}")
