"""Checks across the properties of signals and notifications."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.entries import Entry, is_given
from tailrace.config.filters import Naming, SystemNames
from tailrace.config.problems import Problems
from tailrace.config.unknown_values import unless_unknown
from tailrace.config.values import Value
from tailrace.schema.table_names import table_id

CHANNELS = "signal.enabled.channels"
NOTIFICATIONS = "notification.enabled.channels"
_SERVERS = "signal.kafka.bootstrap.servers"
_NOTIFICATION_TOPIC = "notification.sink.topic.name"


@unless_unknown
def check_signals(
    values: Mapping[str, Value], entries: Mapping[str, Entry], naming: Naming, system: SystemNames, problems: Problems
) -> None:
    """Add contradictions, missing properties, and properties without effect because their channel is not enabled."""
    _check_tables(values, naming, system, problems)
    channels, notified = _items(values, CHANNELS), _items(values, NOTIFICATIONS)
    if "kafka" in channels and not is_given(entries, _SERVERS):
        problems.add(f"{_SERVERS} is missing: {CHANNELS} has kafka, which needs brokers")
    if "file" in channels:
        _check_readers(values, problems)
    if "sink" in notified and not is_given(entries, _NOTIFICATION_TOPIC):
        problems.add(f"{_NOTIFICATION_TOPIC} is missing: {NOTIFICATIONS} has sink, which needs a topic")
    for channel, enabled, where, names in (
        ("kafka", channels, CHANNELS, ("signal.kafka.", "signal.consumer.")),
        ("file", channels, CHANNELS, ("signal.file",)),
        ("sink", notified, NOTIFICATIONS, (_NOTIFICATION_TOPIC,)),
    ):
        for entry in entries.values() if channel not in enabled else ():
            if entry.name.startswith(names) and is_given(entries, entry.name):
                problems.warn(f"{entry.shown_name} has no effect: {where} has no {channel}")


@unless_unknown
def _check_tables(values: Mapping[str, Value], naming: Naming, system: SystemNames, problems: Problems) -> None:
    must = f"must be {naming.full}, with quotes where a part has dots"
    databases = {database.lower() for database in _items(values, "database.names")}
    for name in _items(values, "signal.data.collection"):
        try:
            table = table_id(name)
        except ValueError as error:
            problems.add(f"signal.data.collection: {error}; it {must}")
            continue
        if not naming.is_full(table):
            problems.add(f"signal.data.collection: {name} {must}")
        elif databases and table.catalog.lower() not in databases:
            problems.add(
                f"signal.data.collection: {name} is in a database that is not read; put it into one of database.names"
            )
        elif system.has(table):
            problems.add(
                f"signal.data.collection: {name} is in a system schema, which is never captured; put it elsewhere"
            )


@unless_unknown
def _check_readers(values: Mapping[str, Value], problems: Problems) -> None:
    tasks = values["tasks.max"]
    if isinstance(tasks, int) and tasks > 1:
        problems.add(
            f"{CHANNELS} has file and tasks.max is {tasks}: a line of the file is taken by one reader, and each task would "
            "have to see it; use kafka or source for signals, or set tasks.max=1"
        )


def _items(values: Mapping[str, Value], name: str) -> tuple[str, ...]:
    value = values.get(name)
    return value if isinstance(value, tuple) else ()
