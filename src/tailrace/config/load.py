"""From a configuration as people have it to `Settings`, or to one error that names everything wrong with it.

The steps: read the document, replace placeholders, rename old names, recognise every name, read every
value, check what belongs together, and say what has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailrace.config.checks import check_together
from tailrace.config.documents import flatten, read_document
from tailrace.config.entries import Entry, collect, hide_salt, is_given
from tailrace.config.filters import ColumnFilter, MessageKeys, NameFilter, TableFilter
from tailrace.config.keys import read_message_keys
from tailrace.config.overrides import LIST as OVERRIDES
from tailrace.config.overrides import SelectOverrides, read_overrides
from tailrace.config.passthrough import passed
from tailrace.config.policies import Rule, read_rules
from tailrace.config.problems import Problems
from tailrace.config.properties import PROPERTIES
from tailrace.config.properties.connect import JSON
from tailrace.config.properties.history import KAFKA_HISTORY
from tailrace.config.property import Property, Status
from tailrace.config.settings import Settings
from tailrace.config.topic_creation import TopicCreation, read_topic_creation
from tailrace.config.values import NotYetError, Value, read
from tailrace.signals.names import signal_tables


def load(path: str | Path) -> Settings:
    """The settings in a file: Kafka Connect's JSON, flat JSON, or Java properties.

    Raises:
        ConfigError: something is wrong; the message lists all of it.
        UnsupportedError: nothing is wrong, but something asked for is not there yet.

    """
    path = Path(path)
    return from_mapping(read_document(path), source=str(path))


def from_mapping(document: Mapping[str, Any], *, source: str = "configuration") -> Settings:
    """The settings in a mapping, `{"name", "config"}` or flat; `source` begins messages. Raises as `load`."""
    problems = Problems()
    entries = collect(flatten(document, problems), problems)
    values = {prop.name: _value(prop, entries.get(prop.name), problems) for prop in PROPERTIES}
    check_together(values, entries, problems)
    rules = read_rules(entries, problems)
    keys = read_message_keys(entries.get("message.key.columns"), problems)
    creation = _topic_creation(values, entries, problems)
    overrides = read_overrides(values[OVERRIDES], entries, problems)
    problems.raise_if_any(source)
    return _settings(values, entries, problems, rules, keys, creation, overrides)


def _value(prop: Property, entry: Entry | None, problems: Problems) -> Value:
    if entry is not None and entry.broken:
        return _default(prop)
    if entry is None or not entry.text.strip():
        return _absent(prop, problems)
    try:
        value = read(prop, entry.text)
    except NotYetError as error:
        problems.add_not_yet(f"{entry.shown}: {error}")
        return _default(prop)
    except ValueError as error:
        problems.add(f"{entry.shown}: {error}")
        return _default(prop)
    _tell_status(prop, entry, value, problems)
    return value


def _absent(prop: Property, problems: Problems) -> Value:
    if prop.required:
        problems.add(f"{prop.name} is missing ({prop.doc.rstrip('.')})")
    return _default(prop)


def _default(prop: Property) -> Value:
    return () if prop.kind.is_list and prop.default is None else prop.default


def _tell_status(prop: Property, entry: Entry, value: Value, problems: Problems) -> None:
    if value in (_default(prop), None) and prop.status is not Status.WORKS:
        return
    if prop.status is Status.REFUSED and entry.text.strip() not in prop.harmless:
        problems.add_not_yet(f"{entry.shown}: that is not supported yet; {prop.reason or 'leave it out'}")
    elif prop.status is Status.UNUSED:
        problems.warn(_no_effect(entry, "has no effect yet", prop.reason))
    elif prop.status is Status.IGNORED or value is None:
        problems.warn(_no_effect(entry, "is ignored", prop.reason))


def _no_effect(entry: Entry, verdict: str, reason: str) -> str:
    return f"{entry.shown_name} {verdict}" + (f": {reason}" if reason else "")


def _settings(
    values: Mapping[str, Value],
    entries: Mapping[str, Entry],
    problems: Problems,
    rules: tuple[Rule, ...],
    keys: MessageKeys,
    creation: TopicCreation,
    overrides: SelectOverrides,
) -> Settings:
    attributes: dict[str, Any] = {
        prop.attribute: values[prop.name] for prop in PROPERTIES if prop.in_settings
    }
    attributes["name"] = attributes["name"] or attributes["topic_prefix"]
    attributes["signal_kafka_topic"] = attributes["signal_kafka_topic"] or f"{attributes['topic_prefix']}-signal"
    attributes["skipped_operations"] = frozenset(attributes["skipped_operations"]) - {"none"}
    attributes["header_converter_schemas_enable"] &= attributes["header_converter"] == JSON
    attributes["schema_history_internal"] = _history(values, entries)
    return Settings(
        **attributes,
        tables=TableFilter(_filter(values, "database"), _filter(values, "table"), _signal_tables(values)),
        columns=ColumnFilter(_filter(values, "column")),
        column_rules=rules,
        message_keys=keys,
        select_overrides=overrides,
        topic_creation=creation,
        producer_override=passed(entries, "producer.override."),
        consumer_override=passed(entries, "consumer.override."),
        admin_override=passed(entries, "admin.override."),
        schema_history_producer=passed(entries, "schema.history.internal.producer."),
        schema_history_consumer=passed(entries, "schema.history.internal.consumer."),
        signal_consumer=passed(entries, "signal.consumer."),
        warnings=tuple(problems.warnings),
        given=tuple((hide_salt(name), entry.shown_value) for name, entry in entries.items()),
    )


def _topic_creation(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> TopicCreation:
    enabled = bool(values["topic.creation.enable"])
    return read_topic_creation(entries, _texts(values["topic.creation.groups"]), enabled, problems)


def _history(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> Value:
    """Debezium's default is the Kafka topic: a configuration that names one means it."""
    named = values["schema.history.internal.kafka.topic"]
    return (
        KAFKA_HISTORY
        if named and not is_given(entries, "schema.history.internal")
        else values["schema.history.internal"]
    )


def _signal_tables(values: Mapping[str, Value]) -> frozenset[tuple[str, str]]:
    tables = signal_tables(_texts(values["signal.data.collection"]))
    return frozenset((table.catalog.lower(), table.name.lower()) for table in tables)


def _filter(values: Mapping[str, Value], what: str) -> NameFilter:
    return NameFilter(_texts(values[f"{what}.include.list"]), _texts(values[f"{what}.exclude.list"]))


def _texts(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
