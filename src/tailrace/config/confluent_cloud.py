"""Configurations of Confluent Cloud's managed connectors: Debezium under class names and properties of Confluent's own.

Confluent's properties replace some of Kafka Connect's, above all the converters, and have defaults of their own. They are
translated into Kafka Connect's, so that records stay the same as in Confluent Cloud. What Confluent Cloud gives its connectors
(the brokers, the schema registry, the logins for both) has to be configured here. Values that are not supported are refused by
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.problems import Problems
from tailrace.converter_classes import JSON, STRING

_KEY_FORMAT: Final = "output.key.format"
_FORMATS: Final = {_KEY_FORMAT: "key", "output.data.format": "value"}
_CONVERTERS: Final = {
    "JSON": JSON,
    "AVRO": "io.confluent.connect.avro.AvroConverter",
    "PROTOBUF": "io.confluent.connect.protobuf.ProtobufConverter",
    "JSON_SR": "io.confluent.connect.json.JsonSchemaConverter",
}
"""What Confluent Cloud's formats mean. `JSON` is without schemas, `JSON_SR` is JSON Schema with a registry."""
_OF_KEYS: Final = {"STRING": STRING}
_REGISTRY: Final = "schema.registry.url"
_DECIMALS: Final = "json.output.decimal.format"
_AFTER: Final = "after.state.only"
_CLEANUP: Final = "cleanup.policy"
_LOGIN: Final = ("kafka.api.key", "kafka.api.secret", "kafka.auth.mode", "kafka.service.account.id", "kafka.endpoint")
_OWN: Final = frozenset({*_FORMATS, _DECIMALS, _AFTER, _CLEANUP, *_LOGIN})
_OF_V1: Final = {"skipped.operations": "none", "schema.name.adjustment.mode": "avro"}
"""Defaults of the first version of the connectors, which is Debezium 1.x."""
_UNWRAP: Final = "afterStateOnly"
_CREATION: Final = "topic.creation.default."
_OF_COMPACTED: Final = {f"{_CREATION}partitions": "1", f"{_CREATION}replication.factor": "-1"}
"""A topic in Confluent Cloud has one partition; how many replicas is the brokers' business."""


@frozen
class CloudClass:
    """A connector class of Confluent Cloud.

    Attributes:
        name: the value of `connector.class` in Confluent Cloud.
        is_first: whether it is a first version, which is Debezium 1.x.
        has_shape_1_4: whether `tailrace.event.shape=1.4` is available for its database.

    """

    name: str
    is_first: bool
    has_shape_1_4: bool


def from_cloud(flat: Mapping[str, str], classes: Iterable[CloudClass], problems: Problems) -> dict[str, str]:
    """The configuration in Kafka Connect's properties; one for any other class is returned as it is."""
    name = flat.get("connector.class", "").strip()
    version = next((each for each in classes if each.name.lower() == name.lower()), None)
    if version is None:
        return dict(flat)
    usual = _OF_V1 if version.is_first else {}
    # later entries win: defaults first, then what the configuration sets itself; a format and the state after are both its own
    made = usual | {key: value for key, value in flat.items() if key not in _OWN}
    for format_, part in _FORMATS.items():
        made |= _converter(flat, format_, part, problems)
    made |= _of_after_state(flat, made, problems, first=version.is_first)
    made |= _of_cleanup(flat, made)
    for warning in _warnings(flat, name, first=version.is_first, stays=version.has_shape_1_4):
        problems.warn(warning)
    return made


def _converter(flat: Mapping[str, str], format_: str, part: str, problems: Problems) -> dict[str, str]:
    """The converter that a format means, with properties that the configuration does not set."""
    name = f"{part}.converter"
    if format_ not in flat and flat.get(name, "").strip():
        return {}  # nothing of Confluent Cloud's, but it says what is meant
    known = _CONVERTERS | (_OF_KEYS if format_ == _KEY_FORMAT else {})
    given = _given(flat, format_, "JSON")
    converter = known.get(given.upper())
    if converter is None:
        problems.add(f"{format_} is {given!r}: it must be one of {', '.join(known)}")
        return {}
    made = {name: converter}
    if converter == JSON:
        schemas = f"{name}.schemas.enable"
        made[schemas] = flat.get(schemas, "false")
        if _DECIMALS in flat:
            made[f"{name}.decimal.format"] = flat[_DECIMALS]
    elif converter != STRING:
        _require_registry(flat, f"{name}.{_REGISTRY}", f"{format_} is {given!r}", problems)
    return made


def _require_registry(flat: Mapping[str, str], name: str, what: str, problems: Problems) -> None:
    """Confluent Cloud knows the registry of its connectors; elsewhere the configuration says which it is."""
    if flat.get(name, "").strip():
        return
    beginning = name.removesuffix(_REGISTRY)
    problems.add_unknown(
        [name],
        f"{what}, and outside Confluent Cloud the registry has to be named: set {name}, and for Confluent Cloud's own "
        f"{beginning}basic.auth.credentials.source=USER_INFO with {beginning}basic.auth.user.info",
    )


def _of_after_state(
    flat: Mapping[str, str], made: Mapping[str, str], problems: Problems, *, first: bool
) -> dict[str, str]:
    """The transform that gives the state after alone, before those that are configured."""
    if _given(flat, _AFTER, "true" if first else "false").lower() != "true":
        return {}
    whose = f"{_AFTER} is {flat[_AFTER]!r}" if _AFTER in flat else f"{_AFTER} is 'true' by default with this class"
    problems.warn(
        f"{whose}: transforms begin with io.debezium.transforms.ExtractNewRecordState. A delete becomes a null value; if it is "
        f"to be something else, set {_AFTER}=false and configure that transform with delete.tombstone.handling.mode"
    )
    chain = ",".join(filter(None, (_UNWRAP, made.get("transforms", "").strip())))
    return {"transforms": chain, f"transforms.{_UNWRAP}.type": "io.debezium.transforms.ExtractNewRecordState"}


def _of_cleanup(flat: Mapping[str, str], made: Mapping[str, str]) -> dict[str, str]:
    """How topics are made whose clean-up is not the usual one."""
    policy = _given(flat, _CLEANUP, "delete").lower()
    if policy == "delete" or f"{_CREATION}{_CLEANUP}" in made:
        return {}
    return {f"{_CREATION}{_CLEANUP}": policy} | {name: made.get(name, usual) for name, usual in _OF_COMPACTED.items()}


def _warnings(flat: Mapping[str, str], name: str, *, first: bool, stays: bool) -> Iterator[str]:
    if login := [each for each in _LOGIN if each in flat]:
        yield (
            f"{', '.join(login)}: no effect; the login to Kafka is set with producer.override.security.protocol, "
            "producer.override.sasl.mechanism and producer.override.sasl.jaas.config"
        )
    if first:
        shape = "1.4, which also keeps the database's name out of topics" if stays else "2.1"
        yield (
            f"connector.class is {name!r}, which is Debezium 1.x: events have the fields of Debezium 3.6; nearest to those of "
            f"{name} is tailrace.event.shape={shape}"
        )


def _given(flat: Mapping[str, str], name: str, default: str) -> str:
    return flat.get(name, "").strip() or default
