"""The source block of MySQL's events: where each change came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.settings import Settings
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared import source_blocks
from tailrace.connectors.shared.source_blocks import (
    LEADING,
    LONG,
    LONG_OR_NULL,
    SEQUENCE,
    SNAPSHOT_FLAG,
    STRING,
    TEXT_OR_NULL,
    TIMES,
    snapshot_mark,
    where,
)
from tailrace.schema.connect import Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_2_1

CONNECTOR: Final = "mysql"

_LOG = (
    ("table", TEXT_OR_NULL),
    ("server_id", LONG),
    ("gtid", TEXT_OR_NULL),
    ("file", STRING),
    ("pos", LONG),
    ("row", Schema(Type.INT32)),
    ("thread", LONG_OR_NULL),
    ("query", TEXT_OR_NULL),
)
SOURCE: Final = source_blocks.block(
    CONNECTOR, LEADING + where(snapshot_mark(CURRENT)) + SEQUENCE + TIMES + _LOG, version=1
)
SOURCE_2_1: Final = source_blocks.block(CONNECTOR, LEADING + where(SNAPSHOT_FLAG) + _LOG)

VARYING: Final = ("ts_ms", "ts_us", "ts_ns", "server_id", "gtid", "file", "pos", "row", "thread", "query")
"""The fields that differ from change to change; the others are the same for a table."""


def schema(settings: Settings) -> Schema:
    """The schema of the source block in the configured shape."""
    return SOURCE_2_1 if snapshot_is_flag(settings) else SOURCE


def snapshot_is_flag(settings: Settings) -> bool:
    """Whether `snapshot` is a boolean."""
    return settings.tailrace_event_shape == SHAPE_2_1


def constants(settings: MySqlSettings, database: str, table: str | None) -> dict[str, str | None]:
    """The fields that are the same for all changes of a table; a null `snapshot` becomes its default.

    `query` is among them unless `include.query` is on, in which case it varies; `thread` and `gtid` vary.
    """
    found = {**source_blocks.constants(settings, CONNECTOR, database), "table": table}
    if not settings.include_query:
        found["query"] = None
    return found


def context(settings: Settings) -> Mapping[str, str]:
    """The headers that tell of the task, where they are asked for."""
    return source_blocks.context(settings, CONNECTOR)
