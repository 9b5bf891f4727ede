"""A chain of transforms from one configuration, on both sides: Kafka's and Debezium's own classes, and tailrace's."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.formats.comparing import Comparison, assert_same
from tests.formats.connect_parts import ConnectParts, Converter, Line, Predicate, Transform

from support.unit_settings import unit_settings
from tailrace.events.pipeline import pipeline_of

JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"


def chain(**transforms: Mapping[str, Any]) -> dict[str, str]:
    """The properties of transforms: `chain(unwrap={"type": …, "add.fields": "op"})`, in order."""
    found = {"transforms": ",".join(transforms)}
    for alias, options in transforms.items():
        found |= {f"transforms.{alias}.{name}": _text(value) for name, value in options.items()}
    return found


def assert_same_chain(
    parts: ConnectParts, lines: Sequence[Line], properties: Mapping[str, str], *, schemas: bool = True, defaults: bool = False
) -> Comparison:
    """Fail where the real classes make other records of the lines than tailrace does with this configuration."""
    converters = {
        f"{part}.converter{suffix}": text
        for part in ("key", "value", "header")
        for suffix, text in {"": JSON_CONVERTER, ".schemas.enable": _text(schemas)}.items()
    }
    nulls = {f"{part}.converter.replace.null.with.default": _text(defaults) for part in ("key", "value")}
    pipeline = pipeline_of(unit_settings(converters | nulls | dict(properties)))
    # as the header converter has no such property here, defaults in headers are Kafka's own
    settings = {"schemas.enable": _text(schemas), "replace.null.with.default": _text(defaults)}
    header = Converter(JSON_CONVERTER, {"schemas.enable": _text(schemas)})
    json = Converter(JSON_CONVERTER, settings)
    return assert_same(parts, lines, pipeline.made_of, real_chain(properties), key=json, value=json, header=header)


def real_chain(properties: Mapping[str, str]) -> list[Transform]:
    """The transforms of a configuration for the real side."""
    predicates = {name: _predicate(properties, name) for name in _names(properties, "predicates")}
    made = []
    for alias in _names(properties, "transforms"):
        options = _options(properties, f"transforms.{alias}.")
        type_, predicate = options.pop("type"), options.pop("predicate", None)
        negate = options.pop("negate", "false") == "true"
        made.append(Transform(type_, options, predicates[predicate] if predicate else None, negate))
    return made


def _predicate(properties: Mapping[str, str], name: str) -> Predicate:
    options = _options(properties, f"predicates.{name}.")
    return Predicate(options.pop("type"), options)


def _options(properties: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in properties.items() if name.startswith(prefix)}


def _names(properties: Mapping[str, str], what: str) -> list[str]:
    return [name.strip() for name in properties.get(what, "").split(",") if name.strip()]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
