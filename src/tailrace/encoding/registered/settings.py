"""The settings of converters whose schemas are in a registry with Confluent's API, from their properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tailrace.config.problems import Problems
from tailrace.config.property import PropertyTables
from tailrace.encoding.converter_properties import ConverterProperties, read_properties
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.logins import confluent_connection
from tailrace.errors import ConfigError
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.subjects import Strategy

Options = TypeVar("Options")
S = TypeVar("S")

_FALLBACKS: Final = {
    "TOPIC": Strategy.TOPIC,
    "RECORD": Strategy.RECORD,
    "TOPIC_RECORD": Strategy.TOPIC_RECORD,
    "NONE": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredSettings(Generic[Options]):
    """The settings of a converter; they can be pickled, and their `repr` shows no secret.

    Attributes:
        part: `key` or `value`.
        connection: to the registry.
        ids: how ids of schemas are got.
        framing: where ids stand.
        options: how schemas and values are written.
        warnings: what is set and has no effect, one sentence each.

    """

    part: str
    connection: RegistryConnection
    ids: ConfluentIds
    framing: Framing
    options: Options
    warnings: tuple[str, ...] = ()


def settings_of_properties(
    tables: PropertyTables,
    made: Callable[[str, ConverterProperties, Problems], S],
    part: str,
    properties: Mapping[str, str],
    problems: Problems | None,
) -> S:
    """The settings of a converter.

    Args:
        tables: the properties that it has.
        made: makes the settings of a part (`key` or `value`) from values.
        part: `key` or `value`.
        properties: by names without `key.converter.` or `value.converter.`.
        problems: where errors and warnings go; None: errors are raised.

    Raises:
        ConfigError: properties are missing or wrong.
        UnsupportedError: properties are set that are not supported.

    """
    own = Problems()
    read = read_properties(tables, f"{part}.converter.", properties, own)
    settings = None
    if not (own.wrong or own.not_yet):
        try:
            settings = made(part, read, own)
        except ConfigError as error:
            own.add(str(error))
    if problems is not None:
        problems.wrong += own.wrong
        problems.not_yet += own.not_yet
        problems.warnings += own.warnings
    if settings is None or own.wrong or own.not_yet:
        own.raise_if_any(f"{part}.converter")
        raise AssertionError("unreachable")
    return settings


def registered_settings(
    part: str, read: ConverterProperties, problems: Problems, options: Options
) -> RegisteredSettings[Options]:
    """The settings of one of Confluent's converters; `options`: how it writes."""
    ids = confluent_ids(part, read, problems)
    return RegisteredSettings(
        part=part,
        connection=confluent_connection(read),
        ids=ids,
        framing=confluent_framing(part, read),
        options=options,
        warnings=tuple(problems.warnings),
    )


def confluent_ids(part: str, read: ConverterProperties, problems: Problems) -> ConfluentIds:
    """How ids are got by the properties of Confluent's serializers."""
    seconds = read.number("latest.cache.ttl.sec")
    use_id = read.number("use.schema.id")
    ids = ConfluentIds(
        part=part,
        register=read.flag("auto.register.schemas"),
        use_id=use_id if use_id >= 0 else None,
        use_latest=read.flag("use.latest.version"),
        latest_seconds=None if seconds < 0 else float(seconds),
        normalize=read.flag("normalize.schemas"),
        propagate_tags=read.flag("propagate.schema.tags"),
        strategy=Strategy(read.text(f"{part}.subject.name.strategy")),
        fallback=_FALLBACKS[read.text("subject.name.strategy.fallback.type")],
        cluster=read.text("subject.name.strategy.kafka.cluster.id"),
    )
    _warn_of_order(ids, read, problems)
    return ids


def confluent_framing(part: str, read: ConverterProperties) -> Framing:
    """Where ids stand by the properties of Confluent's serializers."""
    in_header = read.text(f"{part}.schema.id.serializer") == "HeaderSchemaIdSerializer"
    return Framing.GUID_HEADER if in_header else Framing.PREFIX_4


def schema_ids_of(settings: RegisteredSettings[Options]) -> ConfluentSchemaIds:
    """The client of the registry."""
    return ConfluentSchemaIds(settings.connection, settings.ids)


def _warn_of_order(ids: ConfluentIds, read: ConverterProperties, problems: Problems) -> None:
    """Registering goes before any other way to an id, which people overlook."""
    if ids.register and (ids.use_latest or ids.use_id is not None):
        name = "use.schema.id" if ids.use_id is not None else "use.latest.version"
        problems.warn(f"{read.prefix}{name} has no effect: auto.register.schemas=true goes before it, set it to false")
