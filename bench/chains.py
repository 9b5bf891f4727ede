"""Formats and chains of transforms that benchmarks configure, by names; both sides get the same properties."""

from __future__ import annotations

FORMATS = ("json", "avro")
CHAINS = ("none", "unwrap", "outbox", "expanded")

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
