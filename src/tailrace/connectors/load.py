"""A configuration document becomes `Settings`, or one error that lists everything wrong with it.

The steps: read the document, determine the connector, replace placeholders, rename aliases of properties, recognise
every name, read every value, check combinations, and warn about what has no effect.

No step stops at its first problem: all of them add to `Problems`, so that a user fixes a file once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tailrace.config.assumed import assumed_converters
from tailrace.config.checks import check_together
from tailrace.config.confluent_cloud import from_cloud
from tailrace.config.custom_converter_settings import CustomConverterSettings
from tailrace.config.documents import GIVEN, flatten, read_document, read_given
from tailrace.config.entries import Entry, collect, hide_salt, is_given
from tailrace.config.filters import ColumnFilter, MessageKeys, NameFilter, TableFilter, TableNames
from tailrace.config.keys import read_message_keys
from tailrace.config.overrides import LIST as OVERRIDES
from tailrace.config.overrides import SelectOverrides, read_overrides
from tailrace.config.passthrough import CLIENTS, pass_through
from tailrace.config.policies import Rule, read_rules
from tailrace.config.problems import Problems
from tailrace.config.properties.connect import GROUP
from tailrace.config.properties.history import KAFKA_HISTORY
from tailrace.config.property import Kind, Property, PropertyTables, Status
from tailrace.config.reselection import Reselection
from tailrace.config.settings import Settings
from tailrace.config.signal_checks import check_signals
from tailrace.config.spelling import is_disguised
from tailrace.config.topic_creation import TopicCreation, read_topic_creation
from tailrace.config.transform_settings import TransformSettings
from tailrace.config.unknown_names import SERVER_PREFIX
from tailrace.config.unknown_values import KnownValues
from tailrace.config.unreplaced_placeholders import without_unreplaced
from tailrace.config.values import NotYetError, Value, read
from tailrace.config.worker import Worker
from tailrace.connectors.converter_settings import read_converters
from tailrace.connectors.custom_converters import read_custom_converters
from tailrace.connectors.post_processors import read_post_processors
from tailrace.connectors.registry import CONNECTOR_CLASS, SPECS, cloud_classes, names_of_others
from tailrace.connectors.spec import Spec
from tailrace.converter_classes import JSON
from tailrace.java_patterns import split_list
from tailrace.kafka.name_checks import check_client_names
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4
from tailrace.schema.routing import Routing
from tailrace.schema.table_names import in_database, signal_tables
from tailrace.schema.topic_renames import TopicRename

_BEFORE = PropertyTables(((GROUP, (CONNECTOR_CLASS,), ()),))
"""The only known property until it has been read, since the others depend on the connector."""


def load(path: str | Path, worker: Worker | None = None, *, strict: bool = False) -> Settings:
    """The settings in a file: Kafka Connect's JSON, flat JSON, or Java properties, with the properties of its worker.

    If `strict`, an unknown property is an error, and so are two values for one property.

    Raises:
        ConfigError: something is wrong; the message lists all of it.
        UnsupportedError: nothing is wrong, but the configuration requests something that is not supported yet.

    """
    return load_with_document(Path(path), worker, strict=strict)[1]


def load_with_document(
    config: Path | str | Mapping[str, Any], worker: Worker | None = None, *, strict: bool = False
) -> tuple[Mapping[str, Any], Settings]:
    """The settings with the document that they come from, which other processes need. Raises as `load`.

    `config` is a file, or JSON: as text, or as a mapping.
    """
    problems = Problems(strict=strict)
    source = str(config) if isinstance(config, Path) else GIVEN
    document = read_document(config, problems) if isinstance(config, Path) else read_given(config, problems)
    if worker is not None:
        document = worker.applied_to(document, problems)
    return document, from_mapping(document, source=source, problems=problems)


def from_mapping(
    document: Mapping[str, Any],
    *,
    source: str = "configuration",
    strict: bool = False,
    problems: Problems | None = None,
) -> Settings:
    """The settings in a mapping, `{"name", "config"}` or flat; `source` begins messages. Raises as `load`.

    A caller that gives `problems` finds each problem in it, and determines by it whether the check is offline.
    """
    problems = problems or Problems(strict=strict)
    flat = flatten(document, problems)
    kind = _kind(flat, problems, source)
    flat = from_cloud(flat, cloud_classes(kind), problems)
    entries = collect(flat, kind.tables, kind.database, problems, partial(names_of_others, kind.name))
    entries = without_unreplaced(entries, flat, kind.tables, problems)
    values = {prop.name: _value(prop, entries, problems) for prop in kind.tables.properties}
    known = KnownValues(values, problems.unknown)
    check_together(known, entries, kind.naming, problems, kind.either)
    check_client_names(entries, problems)
    check_signals(known, entries, kind.naming, kind.system, problems, kind.one_database)
    kind.check(known, entries, problems)
    rules = read_rules(entries, kind.naming, problems)
    keys = read_message_keys(entries.get("message.key.columns"), kind.naming, problems)
    creation = _topic_creation(values, entries, problems)
    overrides = _overrides(kind, values, entries, problems)
    transforms = _transforms(values, entries, problems)
    converters = read_converters(values, entries, problems, transformed=bool(transforms))
    custom = read_custom_converters(kind, _texts(values["converters"]), entries, problems)
    reselections = read_post_processors(_texts(values["post.processors"]), entries, problems)
    problems.raise_if_any(source)
    return _settings(
        kind, values, entries, problems, rules, keys, creation, overrides, transforms, converters, custom, reselections
    )


def _kind(flat: Mapping[str, str], problems: Problems, source: str) -> Spec:
    """The spec of the connector; if there is none, nothing else can be checked, so the problems are raised at once."""
    name = CONNECTOR_CLASS.name
    told = collect({name: flat[name]} if name in flat else {}, _BEFORE, "", problems)
    found = _value(CONNECTOR_CLASS, told, problems)
    if found is None:
        if f"{SERVER_PREFIX}{name}" in flat:
            problems.add(f"names begin with {SERVER_PREFIX}, as Debezium Server has them: take that away")
        if problems.offline and name in problems.unknown:
            problems.add(f"{name} is not known here, and without it nothing can be checked")
        problems.raise_if_any(source)
    return SPECS[str(found)]


def _value(prop: Property, entries: Mapping[str, Entry], problems: Problems) -> Value:
    entry = entries.get(prop.name)
    if entry is not None and entry.broken:
        return _default(prop)
    if entry is None or not entry.text.strip():
        return _absent(prop, problems)
    try:
        value = read(prop, entry.text)
    except NotYetError as error:
        problems.add_not_yet(f"{entry.label}: {error}")
        return _default(prop)
    except ValueError as error:
        problems.add(f"{entry.label}: {entry.shown(str(error))}")  # of a list it shows the item that is wrong
        return _default(prop)
    _report_status(prop, entry, value, problems)
    _report_items(prop, entry, problems)
    _report_disguise(entry, problems)
    return value


def _absent(prop: Property, problems: Problems) -> Value:
    if prop.required:
        problems.add(f"{prop.name} is missing ({prop.doc.rstrip('.')})")
    return _default(prop)


def _default(prop: Property) -> Value:
    return () if prop.kind.is_list and prop.default is None else prop.default


def _report_items(prop: Property, entry: Entry, problems: Problems) -> None:
    for item in split_list(entry.text) if prop.kind is Kind.LIST else ():
        if item in prop.harmless:
            problems.warn(f"{entry.label}: {item} is ignored: {prop.reason}")


def _report_status(prop: Property, entry: Entry, value: Value, problems: Problems) -> None:
    if value in (_default(prop), None) and prop.status is not Status.WORKS:
        return
    if prop.status is Status.REFUSED and entry.text.strip() not in prop.harmless:
        problems.add_not_yet(f"{entry.label}: that is not supported yet; {prop.reason or 'leave it out'}")
    elif prop.status is Status.UNUSED:
        problems.warn(_no_effect(entry, "has no effect yet", prop.reason))
    elif prop.status is Status.IGNORED or value is None:
        problems.warn(_no_effect(entry, "is ignored", prop.reason))


def _report_disguise(entry: Entry, problems: Problems) -> None:
    """Warn about invisible characters: the value looks like another one, and a list with it matches nothing."""
    text = entry.shown_value.strip()
    if any(map(is_disguised, text)):
        meant = "".join(each for each in text if not is_disguised(each))
        problems.warn(f"{entry.label}, with an invisible character: is {meant!r} meant?")


def _no_effect(entry: Entry, verdict: str, reason: str) -> str:
    return f"{entry.shown_name} {verdict}" + (f": {reason}" if reason else "")


def _settings(
    kind: Spec,
    values: Mapping[str, Value],
    entries: Mapping[str, Entry],
    problems: Problems,
    rules: tuple[Rule, ...],
    keys: MessageKeys,
    creation: TopicCreation,
    overrides: SelectOverrides,
    transforms: tuple[TransformSettings, ...],
    converters: Mapping[str, object | None],
    custom_converters: tuple[CustomConverterSettings, ...],
    reselections: tuple[Reselection, ...],
) -> Settings:
    attributes: dict[str, Any] = {
        prop.attribute: values[prop.name] for prop in kind.tables.properties if prop.in_settings
    }
    attributes["name"] = attributes["name"] or attributes["topic_prefix"]
    attributes["signal_kafka_topic"] = attributes["signal_kafka_topic"] or f"{attributes['topic_prefix']}-signal"
    attributes["signal_data_collection"] = _signal_names(kind, values)
    # Debezium's `none` says that no operation is skipped.
    attributes["skipped_operations"] = frozenset(attributes["skipped_operations"]) - {"none"}
    attributes["header_converter_schemas_enable"] &= attributes["header_converter"] == JSON
    attributes["schema_history_internal"] = _history(values, entries)
    attributes |= {each.attribute: pass_through(entries, each.prefix) for each in CLIENTS}
    attributes["schema_name_adjustment_mode"] = _name_adjustment(values, entries)
    renames = _renames(transforms, values, problems)
    return kind.settings(
        **attributes,
        routing=_routing(kind, values, renames or ()),
        key_format=converters["key"],
        value_format=converters["value"],
        header_format=converters["header"],
        custom_converters=custom_converters,
        reselections=reselections,
        transform_chain=transforms,
        topics_by_content=renames is None,
        tables=_tables(kind, values),
        columns=ColumnFilter(_filter(values, "column"), kind.naming),
        column_rules=rules,
        message_keys=keys,
        select_overrides=overrides,
        snapshot_tables=TableNames(_texts(values["snapshot.include.collection.list"]), kind.naming),
        topic_creation=creation,
        warnings=tuple(problems.warnings),
        notes=assumed_converters(values, entries),
        given=tuple((hide_salt(name), entry.shown_value) for name, entry in entries.items()),
    )


def _overrides(
    kind: Spec, values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems
) -> SelectOverrides:
    if _any_unknown(OVERRIDES, problems):
        return SelectOverrides()
    return read_overrides(values[OVERRIDES], entries, kind.naming, problems)


def _any_unknown(beginning: str, problems: Problems) -> bool:
    return any(name.startswith(beginning) for name in problems.unknown)


def _topic_creation(values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> TopicCreation:
    enabled = bool(values["topic.creation.enable"])
    if _any_unknown("topic.creation.", problems):
        return TopicCreation(enabled=enabled)
    return read_topic_creation(entries, _texts(values["topic.creation.groups"]), enabled, problems)


def _history(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> Value:
    """The storage of the schema history: Kafka, Debezium's default, if the configuration names a topic for it."""
    named = values["schema.history.internal.kafka.topic"]
    return (
        KAFKA_HISTORY
        if named and not is_given(entries, "schema.history.internal")
        else values["schema.history.internal"]
    )


def _name_adjustment(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> Value:
    """The mode of Debezium's version: 1.4 always adapted schema names to Avro, and 2.1 documents it as the default."""
    is_free = not is_given(entries, "schema.name.adjustment.mode") and values["tailrace.event.shape"] != CURRENT
    return "avro" if is_free else values["schema.name.adjustment.mode"]


def _transforms(
    values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems
) -> tuple[TransformSettings, ...]:
    if not any(name.startswith(("transforms", "predicates")) for name in entries):
        return ()
    from tailrace.transforms.configured import Given, read_transforms  # columns, which most configurations load without

    names = _texts(values["transforms"]), _texts(values["predicates"])
    return read_transforms(Given(entries, *names, str(values["tailrace.event.shape"])), problems)


def _renames(
    transforms: tuple[TransformSettings, ...], values: Mapping[str, Value], problems: Problems
) -> tuple[TopicRename, ...] | None:
    """What transforms make of topics; None if that follows from what records contain."""
    if not transforms:
        return ()
    from tailrace.transforms.configured import routing_of  # as above

    renames = routing_of(transforms)
    if renames is None and values["tasks.max"] != 1:
        problems.warn(
            f"tasks.max is {values['tasks.max']}: one lane delivers, as transforms take topics from what records contain, or "
            "from their time"
        )
    return renames


def _routing(kind: Spec, values: Mapping[str, Value], renames: tuple[TopicRename, ...]) -> Routing:
    """How topics are named: the name of the only database is not in them. Debezium 1.4's connectors read only one."""
    several = kind.one_database is None and values["tailrace.event.shape"] != SHAPE_1_4
    return Routing(str(values["topic.delimiter"]), names_database=several, renames=renames)


def _tables(kind: Spec, values: Mapping[str, Value]) -> TableFilter:
    return TableFilter(
        databases=_filter(values, "database"),
        schemas=_filter(values, "schema"),
        tables=_filter(values, "table"),
        # Signal tables are read whether the lists include them or not.
        also=frozenset(map(TableFilter.lower, signal_tables(_signal_names(kind, values)))),
        naming=kind.naming,
        system=kind.system,
    )


def _signal_names(kind: Spec, values: Mapping[str, Value]) -> tuple[str, ...]:
    """The full names of the signal tables."""
    names, database = _texts(values["signal.data.collection"]), values[kind.one_database] if kind.one_database else None
    return tuple(in_database(name, str(database)) for name in names) if database else names


def _filter(values: Mapping[str, Value], what: str) -> NameFilter:
    include, exclude = (_texts(values.get(f"{what}.{which}.list")) for which in ("include", "exclude"))
    return NameFilter(include, exclude)


def _texts(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
