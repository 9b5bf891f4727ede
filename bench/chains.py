"""Formats and chains of transforms that benchmarks configure, by names; both sides get the same properties."""

from __future__ import annotations

import workloads
from collections.abc import Iterable

FORMATS = ("json", "avro")
CHAINS = ("none", "unwrap", "outbox", "expanded")
OUTBOX_TYPES = workloads.OUTBOX_TYPES
OUTBOX_MARKER = "marker"  # the aggregate type of the row that comes last

_JSON = "org.apache.kafka.connect.json.JsonConverter"
_AVRO = "io.confluent.connect.avro.AvroConverter"
_ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"
_UNWRAP = "io.debezium.transforms.ExtractNewRecordState"
_OUTBOX = "io.debezium.transforms.outbox.EventRouter"


def converters(format_: str, *, schemas: bool = False, registry: str = "") -> dict[str, str]:
    """The properties of a format for keys and values.

    Args:
        format_: one of `FORMATS`.
        schemas: whether JSON has schemas in each message.
        registry: the URL of Confluent's API, for Avro.

    """
    if format_ == "avro":
        given = {"converter": _AVRO, "converter.schema.registry.url": registry}
    else:
        given = {"converter": _JSON, "converter.schemas.enable": str(schemas).lower()}
    return {f"{part}.{name}": value for part in ("key", "value") for name, value in given.items()}


def transforms(chain: str, prefix: str) -> dict[str, str]:
    """The properties of a chain, one of `CHAINS`; topics still begin with the connector's prefix."""
    if chain == "none":
        return {}
    if chain == "unwrap":
        return {
            "transforms": "unwrap,route",
            "transforms.unwrap.type": _UNWRAP,
            "transforms.route.type": _ROUTER,
            "transforms.route.regex": r"([^.]+)\.([^.]+)\.([^.]+)",
            "transforms.route.replacement": "$1.$3",
        }
    return {
        "transforms": "outbox",
        "transforms.outbox.type": _OUTBOX,
        "transforms.outbox.route.topic.replacement": prefix + ".${routedByValue}",
        "transforms.outbox.table.expand.json.payload": str(chain == "expanded").lower(),
    }


def topic_of(chain: str, prefix: str, database: str, table: str) -> str:
    """The topic of a table's records behind a chain other than those of the outbox."""
    return f"{prefix}.{table}" if chain == "unwrap" else f"{prefix}.{database}.{table}"


def outbox_topics(prefix: str) -> Iterable[str]:
    """The topics of the outbox's events, without the marker's."""
    return [outbox_topic(prefix, each) for each in OUTBOX_TYPES]


def outbox_topic(prefix: str, type_: str) -> str:
    """The topic of the outbox's events about one type of aggregate."""
    return f"{prefix}.{type_}"
