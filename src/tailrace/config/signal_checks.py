"""Checks across the properties of signals and notifications."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.entries import Entry, is_given
from tailrace.config.filters import Naming, SystemNames
from tailrace.config.problems import Problems
from tailrace.config.unknown_values import unless_unknown
from tailrace.config.values import Value
from tailrace.schema.table_names import in_database, table_id

CHANNELS = "signal.enabled.channels"
NOTIFICATIONS = "notification.enabled.channels"
_SERVERS = "signal.kafka.bootstrap.servers"
_NOTIFICATION_TOPIC = "notification.sink.topic.name"


@unless_unknown
def check_signals(
    values: Mapping[str, Value],
    entries: Mapping[str, Entry],
    naming: Naming,
    system: SystemNames,
    problems: Problems,
    one_database: str | None = None,
) -> None:
    """Add contradictions, missing properties, and properties without effect because their channel is not enabled.

    `one_database` is the property that names the only database; then the names of signal tables need not have it.
    """
    _check_tables(values, naming, system, problems, one_database)
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
def _check_tables(
    values: Mapping[str, Value], naming: Naming, system: SystemNames, problems: Problems, one_database: str | None
) -> None:
    must = f"must be {naming.either if one_database else naming.full}, with quotes where a part has dots"
    databases = [str(values[one_database])] if one_database else _items(values, "database.names")
    for name in _items(values, "signal.data.collection"):
        try:
            table = table_id(in_database(name, databases[0]) if one_database else name)
        except ValueError as error:
            problems.add(f"signal.data.collection: {error}; it {must}")
            continue
        if not naming.is_full(table):
            problems.add(f"signal.data.collection: {name} {must}")
        elif databases and table.catalog.lower() not in map(str.lower, databases):
            put = f"{one_database} says which one is" if one_database else "put it into one of database.names"
            problems.add(f"signal.data.collection: {name} is in a database that is not read; {put}")
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
