"""The settings of an Avro converter of Confluent or Apicurio, from its properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tailrace.config.problems import Problems
from tailrace.config.property import PropertyTables
from tailrace.encoding.avro import apicurio_properties, confluent_properties
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.converter_properties import ConverterProperties
from tailrace.encoding.registered.apicurio_properties import P
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.logins import APICURIO_V3, apicurio_connection, apicurio_v3, confluent_connection
from tailrace.encoding.registered.settings import confluent_framing, confluent_ids, settings_of_properties
from tailrace.registry.apicurio import ApicurioIds, ArtifactStrategy
from tailrace.registry.confluent import ConfluentIds
from tailrace.registry.connection import RegistryConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class AvroConverterSettings:
    """The settings of a converter; they can be pickled, and their `repr` shows no secret.

    Attributes:
        part: `key` or `value`.
        connection: to the registry.
        ids: how ids of schemas are got, and from which registry's API.
        framing: where ids stand.
        options: how schemas and values become Avro.
        warnings: what is set and has no effect, one sentence each.

    """

    part: str
    connection: RegistryConnection
    ids: ConfluentIds | ApicurioIds
    framing: Framing
    options: AvroOptions
    warnings: tuple[str, ...] = ()


def tables_of(name: str) -> PropertyTables:
    """The properties of a converter's class. Raises `KeyError` if it is no Avro converter."""
    return _READERS[name][0]


def avro_converter_settings(
    converter: str, part: str, properties: Mapping[str, str], problems: Problems | None = None
) -> AvroConverterSettings:
    """The settings of a converter.

    Args:
        converter: its class.
        part: `key` or `value`.
        properties: by names without `key.converter.` or `value.converter.`.
        problems: where errors and warnings go; None: errors are raised.

    Raises:
        ConfigError: properties are missing or wrong, and there are no `problems` to add that to.
        UnsupportedError: the same for properties that are not supported.

    """
    tables, made = _READERS[converter]
    return settings_of_properties(tables, made, part, properties, problems)


def _confluent(part: str, read: ConverterProperties, problems: Problems) -> AvroConverterSettings:
    ids = confluent_ids(part, read, problems)
    options = AvroOptions(
        meta_data=read.flag("connect.meta.data"),
        enums=read.flag("enhanced.avro.schema.support"),
        scrub=read.flag("scrub.invalid.names"),
        optional_map_keys=read.flag("allow.optional.map.keys"),
        old_docs=read.flag("discard.type.doc.default"),
        keep_nulls=read.flag("ignore.default.for.nullables"),
    )
    return AvroConverterSettings(
        part=part,
        connection=confluent_connection(read),
        ids=ids,
        framing=confluent_framing(part, read),
        options=options,
        warnings=tuple(problems.warnings),
    )


def apicurio_ids(part: str, read: ConverterProperties, *, global_ids: bool = False, whole: bool = True) -> ApicurioIds:
    """How Apicurio's converters get ids; `global_ids` and `whole` as of `ApicurioIds`."""
    return ApicurioIds(
        part=part,
        register=read.flag(f"{P}auto-register"),
        if_exists=read.text(f"{P}auto-register.if-exists"),
        use_latest=read.flag(f"{P}find-latest"),
        latest_seconds=read.number(f"{P}check-period-ms") / 1000,
        global_ids=global_ids,
        whole=whole,
        canonicalize=read.flag(f"{P}canonicalize"),
        strategy=ArtifactStrategy(read.text(f"{P}artifact-resolver-strategy")),
        group=read.text(f"{P}artifact.group-id") or None,
        artifact=read.text(f"{P}artifact.artifact-id") or None,
        version=read.text(f"{P}artifact.version") or None,
    )


def warn_of_version(read: ConverterProperties, problems: Problems) -> None:
    """Warn about the URL of an older version of Apicurio's API."""
    if any(apicurio_v3(url) != url for url in read.items(f"{P}url")):
        problems.warn(f"{read.prefix}{P}url names an older version of the API: version 3 is asked, at {APICURIO_V3}")


def _apicurio(part: str, read: ConverterProperties, problems: Problems) -> AvroConverterSettings:
    is_global, whole = read.text(f"{P}use-id") == "globalId", read.flag(f"{P}dereference-schema")
    ids = apicurio_ids(part, read, global_ids=is_global, whole=whole)
    options = AvroOptions(
        meta_data=read.flag("connect.meta.data"),
        enums=read.flag("enhanced.avro.schema.support"),
        decimals_first=False,
        bare_bytes=False,
        optional_records=False,
    )
    warn_of_version(read, problems)
    return AvroConverterSettings(
        part=part,
        connection=apicurio_connection(read),
        ids=ids,
        framing=_framing(ids, read),
        options=options,
        warnings=tuple(problems.warnings),
    )


def _framing(ids: ApicurioIds, read: ConverterProperties) -> Framing:
    if read.flag(f"{P}headers.enabled"):
        return Framing.GLOBAL_ID_HEADER if ids.global_ids else Framing.CONTENT_ID_HEADER
    return Framing.PREFIX_8 if read.text(f"{P}id-handler") == "Legacy8ByteIdHandler" else Framing.PREFIX_4


_Reader = Callable[[str, ConverterProperties, Problems], AvroConverterSettings]
_READERS: Final[dict[str, tuple[PropertyTables, _Reader]]] = {
    confluent_properties.CLASS: (confluent_properties.TABLES, _confluent),
    apicurio_properties.CLASS: (apicurio_properties.TABLES, _apicurio),
}
