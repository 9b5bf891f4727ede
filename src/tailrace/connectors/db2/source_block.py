"""The source block of Db2's events, which says where each change comes from.

The shape 1.4 is that of the messages in Debezium's documentation of that version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.settings import Settings
from tailrace.connectors.shared import source_blocks
from tailrace.connectors.shared.source_blocks import LEADING, SEQUENCE, STRING, TEXT_OR_NULL, TIMES
from tailrace.schema.connect import Schema
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4, SHAPE_2_1
from tailrace.schema.tables import TableId

CONNECTOR: Final = "db2"

_LOG = (("schema", STRING), ("table", STRING), ("change_lsn", TEXT_OR_NULL), ("commit_lsn", TEXT_OR_NULL))


def _marked(shape: str) -> source_blocks.Fields:
    return source_blocks.where(source_blocks.snapshot_mark(shape))


SOURCE: Final = source_blocks.block(CONNECTOR, LEADING + _marked(CURRENT) + SEQUENCE + TIMES + _LOG, version=1)
SOURCE_2_1: Final = source_blocks.block(CONNECTOR, LEADING + _marked(SHAPE_2_1) + SEQUENCE + _LOG)
SOURCE_1_4: Final = source_blocks.block(CONNECTOR, LEADING + source_blocks.where(source_blocks.SNAPSHOT_FLAG) + _LOG)
CHANGE_SOURCE_1_4: Final = source_blocks.block(CONNECTOR, LEADING + _marked(SHAPE_1_4) + _LOG)

_BY_SHAPE = {CURRENT: SOURCE, SHAPE_2_1: SOURCE_2_1, SHAPE_1_4: SOURCE_1_4}


def schema(settings: Settings) -> Schema:
    """The schema of the source block of row events, in the configured shape."""
    return _BY_SHAPE[settings.tailrace_event_shape]


def change_schema(settings: Settings) -> Schema:
    """The schema of the source block of schema-change events."""
    return CHANGE_SOURCE_1_4 if settings.tailrace_event_shape == SHAPE_1_4 else schema(settings)


def constants(settings: Settings, table: TableId) -> dict[str, str | None]:
    """The fields that are constant for a table; if `snapshot` is null, consumers see its default."""
    found = source_blocks.constants(settings, CONNECTOR, table.catalog)
    return {**found, "schema": table.schema, "table": table.name}


def context(settings: Settings) -> Mapping[str, str]:
    """The context headers; empty if they are not requested."""
    return source_blocks.context(settings, CONNECTOR)
