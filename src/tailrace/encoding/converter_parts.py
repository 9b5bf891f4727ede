"""Imports the parts of converters, each from the folder of its own: only what a configuration names is loaded."""

from __future__ import annotations

from tailrace.encoding.own_converter import Making, Reading


def reading_avro() -> Reading:
    """Of `avro/`."""
    from tailrace.encoding.avro.settings import avro_converter_settings, tables_of

    return Reading(tables_of, avro_converter_settings)


def making_avro() -> Making:
    """Of `avro/`."""
    from tailrace.encoding.avro.encoder import avro_encoder_for, schema_ids_for

    return Making(avro_encoder_for, schema_ids_for)


def reading_protobuf() -> Reading:
    """Of `protobuf/`."""
    from tailrace.encoding.protobuf.settings import protobuf_settings, tables_of

    return Reading(tables_of, protobuf_settings)


def making_protobuf() -> Making:
    """Of `protobuf/`."""
    from tailrace.encoding.protobuf.encoder import protobuf_messages
    from tailrace.encoding.registered_settings import schema_ids_of

    return Making(protobuf_messages, schema_ids_of)


def reading_json_schema() -> Reading:
    """Of `json_schema/`."""
    from tailrace.encoding.json_schema.settings import json_schema_settings, tables_of

    return Reading(tables_of, json_schema_settings)


def making_json_schema() -> Making:
    """Of `json_schema/`."""
    from tailrace.encoding.json_schema.encoder import json_schema_messages
    from tailrace.encoding.registered_settings import schema_ids_of

    return Making(json_schema_messages, schema_ids_of)


def reading_plain() -> Reading:
    """Of `plain/`."""
    from tailrace.encoding.plain.settings import plain_settings, tables_of

    return Reading(tables_of, plain_settings)


def making_plain() -> Making:
    """Of `plain/`."""
    from tailrace.encoding.plain.encoder import no_schema_ids, plain_messages

    return Making(plain_messages, no_schema_ids)


def reading_cloud_events() -> Reading:
    """Of `cloud_events/`."""
    from tailrace.encoding.cloud_events.settings import cloud_event_settings, tables_of

    return Reading(tables_of, cloud_event_settings)


def making_cloud_events() -> Making:
    """Of `cloud_events/`."""
    from tailrace.encoding.cloud_events.encoder import cloud_event_messages, cloud_event_schema_ids

    return Making(cloud_event_messages, cloud_event_schema_ids)


def reading_ext_json() -> Reading:
    """Of `ext_json/`."""
    from tailrace.encoding.ext_json.settings import ext_json_settings, tables_of

    return Reading(tables_of, ext_json_settings)


def making_ext_json() -> Making:
    """Of `ext_json/`."""
    from tailrace.encoding.ext_json.encoder import ext_json_messages, ext_json_schema_ids

    return Making(ext_json_messages, ext_json_schema_ids)


def reading_binary_data() -> Reading:
    """Of `binary_data/`."""
    from tailrace.encoding.binary_data.settings import binary_data_settings, tables_of

    return Reading(tables_of, binary_data_settings)


def making_binary_data() -> Making:
    """Of `binary_data/`."""
    from tailrace.encoding.binary_data.encoder import binary_data_messages, binary_data_schema_ids

    return Making(binary_data_messages, binary_data_schema_ids)
