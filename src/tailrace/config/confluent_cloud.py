"""Configurations of Confluent Cloud's managed connectors: Debezium under class names and properties of Confluent's own.

Confluent's properties replace some of Kafka Connect's, above all the converters, and have defaults of their own. They are
translated into Kafka Connect's, so that records stay the same as in Confluent Cloud. Values that are not supported are
refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attrs import frozen

from tailrace.config.problems import Problems
from tailrace.encoding.class_names import JSON

_FORMATS: Final = ("output.data.format", "output.key.format")
_DECIMALS: Final = "json.output.decimal.format"
_AFTER: Final = "after.state.only"
_CLEANUP: Final = "cleanup.policy"
_LOGIN: Final = ("kafka.api.key", "kafka.api.secret", "kafka.auth.mode", "kafka.service.account.id", "kafka.endpoint")
_OWN: Final = frozenset({*_FORMATS, _DECIMALS, _AFTER, _CLEANUP, *_LOGIN})
_CONVERTERS: Final = dict.fromkeys(("key.converter", "value.converter"), JSON) | dict.fromkeys(
    ("key.converter.schemas.enable", "value.converter.schemas.enable"), "false"
)
"""Confluent Cloud's format `JSON` is without schemas (`JSON_SR` is the one with a schema registry)."""
_OF_V1: Final = {"skipped.operations": "none", "schema.name.adjustment.mode": "avro"}
"""Defaults of the first version of the connectors, which is Debezium 1.x."""


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
    for problem in _not_yet(flat, first=version.is_first):
        problems.add_not_yet(problem)
    for warning in _warnings(flat, name, first=version.is_first, stays=version.has_shape_1_4):
        problems.warn(warning)
    usual = _OF_V1 if version.is_first else {}
    # later entries win: defaults first, then what the configuration sets itself
    return usual | _CONVERTERS | {key: value for key, value in flat.items() if key not in _OWN}


def _not_yet(flat: Mapping[str, str], *, first: bool) -> Iterator[str]:
    for name in _FORMATS:
        if _given(flat, name, "JSON").upper() != "JSON":
            yield f"{name} is {flat[name]!r}: that format is not supported yet; it must be JSON"
    if _given(flat, _DECIMALS, "BASE64").upper() != "BASE64":
        yield f"{_DECIMALS} is {flat[_DECIMALS]!r}: that is not supported yet; it must be BASE64"
    if _given(flat, _AFTER, "true" if first else "false").lower() != "false":
        whose = f"{_AFTER} is {flat[_AFTER]!r}" if _AFTER in flat else f"{_AFTER} is 'true' by default with this class"
        yield (
            f"{whose}: that is the transform io.debezium.transforms.ExtractNewRecordState, whose handling of deletes has to be "
            f"chosen: set {_AFTER}=false, and configure the transform"
        )
    if _given(flat, _CLEANUP, "delete").lower() != "delete":
        yield (
            f"{_CLEANUP} is {flat[_CLEANUP]!r}: set topic.creation.default.cleanup.policy instead, beside "
            "topic.creation.default.partitions and topic.creation.default.replication.factor"
        )


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
