"""What shaping takes from the configuration, whatever the database."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.settings import Settings
from tailrace.encoding.json import JsonFormat
from tailrace.events.shape import ShapeSettings


def shape_settings(settings: Settings, context_headers: Mapping[str, bytes]) -> ShapeSettings:
    """The settings of shapes; `context_headers` are the headers that every record carries."""
    return ShapeSettings(
        tombstones=settings.tombstones_on_delete,
        skipped=settings.skipped_operations,
        key=JsonFormat(settings.key_converter_schemas_enable, settings.key_converter_replace_null_with_default),
        value=JsonFormat(settings.value_converter_schemas_enable, settings.value_converter_replace_null_with_default),
        header=JsonFormat(settings.header_converter_schemas_enable),
        context_headers=context_headers,
    )
