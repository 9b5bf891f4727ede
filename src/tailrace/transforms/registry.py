"""Which Java classes of transforms and predicates there are, and in which module each one is.

A module is imported when a configuration names its class.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from tailrace.python_objects import is_python
from tailrace.transforms.spec import HEADER, KEY, VALUE, PredicateSpec, TransformSpec

KAFKA: Final = "org.apache.kafka.connect.transforms."
DEBEZIUM: Final = "io.debezium.transforms."
CONFLUENT: Final = "io.confluent.connect.transforms."
CUSTENBORDER: Final = "com.github.jcustenborder.kafka.connect.transform.common."
AIVEN: Final = "io.aiven.kafka.connect.transforms."

_MODULES: Final = {
    f"{DEBEZIUM}ContentBasedRouter": "content_based_router",
    f"{DEBEZIUM}ExtractNewRecordState": "new_record_state",
    f"{DEBEZIUM}outbox.EventRouter": "event_router",
    f"{DEBEZIUM}ByLogicalTableRouter": "logical_table_router",
    f"{DEBEZIUM}ExtractChangedRecordState": "changed_record_state",
    f"{DEBEZIUM}HeaderToValue": "header_to_value",
    f"{KAFKA}DropHeaders": "drop_headers",
    f"{KAFKA}ExtractField": "extract_field",
    f"{KAFKA}Filter": "kafka_filter",
    f"{KAFKA}Cast": "cast",
    f"{KAFKA}Flatten": "flatten",
    f"{KAFKA}HeaderFrom": "header_from",
    f"{KAFKA}HoistField": "hoist_field",
    f"{KAFKA}InsertField": "insert_field",
    f"{KAFKA}InsertHeader": "insert_header",
    f"{KAFKA}MaskField": "mask_field",
    f"{DEBEZIUM}SwapGeometryCoordinates": "swap_coordinates",
    f"{DEBEZIUM}GeometryFormatTransformer": "geometry_format",
    f"{DEBEZIUM}VectorToJsonConverter": "vector_to_json",
    f"{DEBEZIUM}TimezoneConverter": "timezone_converter",
    f"{DEBEZIUM}SchemaChangeEventFilter": "schema_change_filter",
    f"{DEBEZIUM}ExtractSchemaToNewRecord": "source_schema",
    f"{DEBEZIUM}partitions.PartitionRouting": "partition_routing",
    "io.debezium.connector.mysql.transforms.ReadToInsertEvent": "read_to_insert",
    f"{DEBEZIUM}Filter": "filter",
    f"{DEBEZIUM}EnforceRecordSize": "enforce_record_size",
    f"{DEBEZIUM}tracing.ActivateTracingSpan": "activate_tracing_span",
    f"{DEBEZIUM}openlineage.OpenLineage": "open_lineage",
    f"{KAFKA}RegexRouter": "regex_router",
    f"{KAFKA}ReplaceField": "replace_field",
    f"{KAFKA}SetSchemaMetadata": "set_schema_metadata",
    f"{KAFKA}TimestampConverter": "timestamp_converter",
    f"{KAFKA}TimestampRouter": "timestamp_router",
    f"{KAFKA}ValueToKey": "value_to_key",
    f"{CONFLUENT}Drop": "drop",
    f"{CONFLUENT}ExtractTopic": "extract_topic",
    f"{CONFLUENT}TombstoneHandler": "tombstone_handler",
    f"{CUSTENBORDER}ChangeTopicCase": "change_topic_case",
    f"{CUSTENBORDER}TimestampNowField": "timestamp_now_field",
    f"{AIVEN}ExtractTopic": "aiven_extract_topic",
    f"{AIVEN}KeyToValue": "key_to_value",
    f"{AIVEN}TombstoneHandler": "aiven_tombstone_handler",
}
_OTHER_NAMES: Final = {f"{DEBEZIUM}ToLogicalTopicRouter": f"{DEBEZIUM}ByLogicalTableRouter"}
"""Names that later versions of Debezium have for the same class."""
_PREDICATES: Final = f"{KAFKA}predicates."
_PREDICATE_NAMES: Final = ("TopicNameMatches", "HasHeaderKey", "RecordIsTombstone")

REFUSED: Final = {
    f"{DEBEZIUM}UnwrapFromEnvelope": "Debezium renamed it in 0.9 and has no such class any more: "
    f"write {DEBEZIUM}ExtractNewRecordState",
    f"{CONFLUENT}MessageTimestampRouter": "it takes values without a schema only, which change events never are: "
    f"write {KAFKA}TimestampRouter, which takes the time of the record",
}
"""Classes that are known and can't be run, with what to do."""

REFUSED_PACKAGES: Final = {
    "io.debezium.connector.": "it is for the events of another connector of Debezium's, or for a sink: leave it out",
    "io.debezium.ai.": "it asks a model about each record: read the records as a DataFrame, and ask there",
}
"""Packages of classes that can't be run, with what to do."""


def refusal(type_: str) -> str | None:
    """What to do in place of a class that is known and can't be run; None for another one."""
    of_package = (advice for package, advice in REFUSED_PACKAGES.items() if type_.startswith(package))
    return REFUSED.get(type_) or next(of_package, None)


def transform_names() -> tuple[str, ...]:
    """The names of all transforms, without `$Key` and `$Value`."""
    return tuple(_MODULES)


def predicate_names() -> tuple[str, ...]:
    """The names of all predicates."""
    return tuple(_PREDICATES + name for name in _PREDICATE_NAMES)


def transform_spec(type_: str) -> tuple[TransformSpec, str] | None:
    """The transform of a Java class and its part, `Key`, `Value` or ""; or one in Python; None if there is none.

    `Outer.Inner`, as some people write it, is not a class's name in Java.
    """
    if is_python(type_):
        from tailrace.transforms.python_transform import python_spec  # as much as a transform

        return python_spec(type_), ""
    name, _, part = type_.partition("$")
    module = _MODULES.get(_OTHER_NAMES.get(name, name))
    if module is None:
        return None
    spec = cast("TransformSpec", import_module(f"tailrace.transforms.{module}").SPEC)
    return (spec, part) if part in _parts_of(spec) else None


def _parts_of(spec: TransformSpec) -> tuple[str, ...]:
    if not spec.has_parts:
        return ("",)
    return (KEY, VALUE, HEADER) if spec.has_header_part else (KEY, VALUE)


def predicate_spec(type_: str) -> PredicateSpec | None:
    """The predicate of a Java class; None if there is none."""
    if type_ not in predicate_names():
        return None
    specs = import_module("tailrace.transforms.predicates").SPECS
    return cast("PredicateSpec", specs[type_])
