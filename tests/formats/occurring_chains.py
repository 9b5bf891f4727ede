"""Chains of transforms and converters as people configure them, gathered from public configurations; the names are our own.

Each has only the properties that count for records; `transforms.` stands before those of a chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Properties = Mapping[str, str]
_JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
_DEBEZIUM: Final = "io.debezium.transforms."
_KAFKA: Final = "org.apache.kafka.connect.transforms."
_THREE_PARTS: Final = r"([^.]+)\.([^.]+)\.([^.]+)"


def chain(*transforms: tuple[str, str, Properties], **more: str) -> dict[str, str]:
    """The properties of a chain of (alias, class, options); `more`: other properties, `__` for a dot."""
    found = {"transforms": ",".join(alias for alias, _, _ in transforms)}
    for alias, type_, options in transforms:
        found[f"transforms.{alias}.type"] = type_
        found |= {f"transforms.{alias}.{name}": text for name, text in options.items()}
    return found | {name.replace("__", "."): text for name, text in more.items()}


def unwrap(**options: str) -> tuple[str, str, Properties]:
    """ExtractNewRecordState; `__` in a name of an option is a dot."""
    return "unwrap", f"{_DEBEZIUM}ExtractNewRecordState", {name.replace("__", "."): text for name, text in options.items()}


def route(regex: str, replacement: str, alias: str = "route") -> tuple[str, str, Properties]:
    """RegexRouter."""
    return alias, f"{_KAFKA}RegexRouter", {"regex": regex, "replacement": replacement}


def insert(alias: str, **options: str) -> tuple[str, str, Properties]:
    """InsertField of values."""
    return alias, f"{_KAFKA}InsertField$Value", {name.replace("__", "."): text for name, text in options.items()}


def groovy(alias: str, type_: str, **options: str) -> tuple[str, str, Properties]:
    """Filter or ContentBasedRouter."""
    given = {name.replace("__", "."): text for name, text in options.items()}
    return alias, f"{_DEBEZIUM}{type_}", {"language": "jsr223.groovy", **given}


def logical(**options: str) -> tuple[str, str, Properties]:
    """ByLogicalTableRouter."""
    return "Reroute", f"{_DEBEZIUM}ByLogicalTableRouter", {name.replace("__", "."): text for name, text in options.items()}


_OLD: Final = {"drop__tombstones": "false", "delete__handling__mode": "rewrite"}
_WITHOUT_SCHEMAS: Final = {"key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false"}
_PLAIN: Final = {"key.converter": _JSON, "value.converter": _JSON, **_WITHOUT_SCHEMAS}
_STRING_KEYS: Final = {"key.converter": "org.apache.kafka.connect.storage.StringConverter", "value.converter": _JSON}
_OUTBOX: Final = {
    "table.field.event.id": "ID",
    "table.field.event.key": "AGGREGATE_ID",
    "table.field.event.payload": "PAYLOAD",
    "table.field.event.type": "EVENT_TYPE",
    "route.by.field": "AGGREGATE_TYPE",
    "route.topic.replacement": "leave_events",
}

CHAINS: Final[Mapping[str, Properties]] = {
    "unwrap": chain(unwrap()),
    "unwrap without schemas": chain(unwrap()) | _PLAIN,
    "unwrap, old rewrite": chain(unwrap(**_OLD)),
    "unwrap, old rewrite, no tombstones": chain(unwrap(drop__tombstones="true", delete__handling__mode="rewrite")) | _PLAIN,
    "unwrap, old drop": chain(unwrap(drop__tombstones="false", delete__handling__mode="drop", operation__header="false")) | _PLAIN,
    "unwrap, rewrite alone": chain(unwrap(delete__handling__mode="rewrite", add__fields="op,source.ts_ms")),
    "unwrap with op and ts_ms": chain(unwrap(delete__handling__mode="rewrite", add__fields="op,ts_ms")),
    "unwrap with five fields": chain(unwrap(**_OLD, add__fields="op,table,db,source.ts_ms,source.db")) | _PLAIN,
    "unwrap with fields and headers": chain(unwrap(add__fields="op", add__headers="op")) | _PLAIN,
    "unwrap, then a date as text": chain(
        unwrap(drop__tombstones="True", add__fields="op,table", delete__handling__mode="rewrite"),
        (
            "day",
            f"{_KAFKA}TimestampConverter$Value",
            {"field": "ErrorDate", "target.type": "string", "format": "yyyy-MM-dd'T'HH:mm:ss"},
        ),
    ),
    "unwrap, then a suffix": chain(unwrap(), route("(.*)", "$1-clean")),
    "unwrap, then a prefix less": chain(unwrap(), route("dbz.shop.(.*)", "$1", "dropPrefix")),
    "the table's name": chain(route(_THREE_PARTS, "$3")),
    "underscores": chain(route(_THREE_PARTS, "$1_$2_$3")),
    "a prefix and the table": chain(route(_THREE_PARTS, "msk_$3"), groovy("keep", "ContentBasedRouter", topic__expression=(
        "(value.op in ['c','u','d'] )   ? topic : null"
    ))) | _STRING_KEYS,
    "backslashes twice": chain(route(r"(.*)\\.(.*)\\.(.*)", "$1_$2_$3", "RemoveDots")),
    "a suffix": chain(route("(.*)", "$1-cdc", "addTopicSuffix")),
    "fields of envelopes": chain(
        insert("database", topic__field="DatabaseName"),
        route("dbz.([^.]*).(.*)", "$2"),
        insert("tenant", static__field="TenantId", static__value="XX"),
    ),
    "a field before unwrap": chain(
        insert("InsertField", static__field="MessageSource", static__value="Kafka Connect framework"),
        unwrap(add__fields="op", **_OLD),
    ),
    "routed by contents": chain(
        route(_THREE_PARTS, "msk_$3", "topicname"),
        groovy("route", "ContentBasedRouter", topic__expression="(value.after.category in ['email'] )  ? 'msk_cdc_email' : topic "),
    ) | _STRING_KEYS,
    "filtered by a column": chain(groovy("filter", "Filter", condition="value.after.is_cdc_sync == 0")),
    "routed, then filtered": chain(route(_THREE_PARTS, "$3"), groovy("filter", "Filter", condition="value.after.id != 1003")),
    "all in one topic": chain(logical(topic__regex="(.*)", topic__replacement="wwi")),
    "a schema in one topic": chain(logical(topic__regex=r"(dbz\.shop)\.(.*)", topic__replacement=r"$1\.modern_changes")),
    "shards with a tenant": chain(
        logical(
            topic__regex=r"^dbz\.(.*)$",
            topic__replacement="all_shops",
            key__field__name="tenant",
            key__field__regex=".*",
            key__field__replacement="shop",
        )
    ),
    "outbox": chain(("outbox", f"{_DEBEZIUM}outbox.EventRouter", _OUTBOX)) | _STRING_KEYS | _WITHOUT_SCHEMAS,
    "unwrap, then tables dropped": chain(
        unwrap(),
        ("filter", f"{_KAFKA}Filter", {"predicate": "of-prices"}),
        predicates="of-prices",
        **{
            "predicates.of-prices.type": f"{_KAFKA}predicates.TopicNameMatches",
            "predicates.of-prices.pattern": ".*prices.*",
        },
    ),
}  # fmt: skip
"""By a name for what they do."""

AVRO: Final[Mapping[str, Properties]] = {
    "envelopes": {},
    "underscores": CHAINS["underscores"],
    "unwrap, then a prefix less": CHAINS["unwrap, then a prefix less"],
    "a field before unwrap": CHAINS["a field before unwrap"] | {
        "key.converter.enhanced.avro.schema.support": "true",
        "value.converter.enhanced.avro.schema.support": "true",
    },
}  # fmt: skip
"""Chains with Confluent's Avro converter behind them; the registry's address is missing."""
