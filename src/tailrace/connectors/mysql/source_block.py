"""The source block of MySQL's events: where each change came from.

Its fields and their order are Debezium's, of version 3.6 or, on demand (`tailrace.event.shape=2.1`), of
version 2.1. `version` tells consumers which Debezium the events are compatible with, as some of them look at
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.changes.context import context_headers
from tailrace.config.settings import Settings
from tailrace.schema.connect import Field, Schema, Type

COMPATIBLE_VERSION: Final = "3.6.1.Final"
COMPATIBLE_VERSION_2_1: Final = "2.1.4.Final"
CONNECTOR: Final = "mysql"
SHAPE_2_1: Final = "2.1"

_SNAPSHOT_MARKS = "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"
_STRING, _TEXT_OR_NULL = Schema(Type.STRING), Schema(Type.STRING, optional=True)
_LONG, _LONG_OR_NULL = Schema(Type.INT64), Schema(Type.INT64, optional=True)
_SNAPSHOT = Schema(
    Type.STRING,
    optional=True,
    name="io.debezium.data.Enum",
    version=1,
    parameters=(("allowed", _SNAPSHOT_MARKS),),
    default="false",
)
_SNAPSHOT_2_1 = Schema(Type.BOOLEAN, optional=True, default=False)

_LEADING = (("version", _STRING), ("connector", _STRING), ("name", _STRING), ("ts_ms", _LONG))
_LOG = (
    ("table", _TEXT_OR_NULL),
    ("server_id", _LONG),
    ("gtid", _TEXT_OR_NULL),
    ("file", _STRING),
    ("pos", _LONG),
    ("row", Schema(Type.INT32)),
    ("thread", _LONG_OR_NULL),
    ("query", _TEXT_OR_NULL),
)
_MIDDLE = (
    ("snapshot", _SNAPSHOT),
    ("db", _STRING),
    ("sequence", _TEXT_OR_NULL),
    ("ts_us", _LONG_OR_NULL),
    ("ts_ns", _LONG_OR_NULL),
)
_MIDDLE_2_1 = (("snapshot", _SNAPSHOT_2_1), ("db", _STRING))
_NAME = "io.debezium.connector.mysql.Source"


def _block(fields: tuple[tuple[str, Schema], ...], version: int | None) -> Schema:
    return Schema(Type.STRUCT, name=_NAME, version=version, fields=tuple(Field(*field) for field in fields))


SOURCE: Final = _block(_LEADING + _MIDDLE + _LOG, version=1)
SOURCE_2_1: Final = _block(_LEADING + _MIDDLE_2_1 + _LOG, version=None)

VARYING: Final = ("ts_ms", "ts_us", "ts_ns", "server_id", "gtid", "file", "pos", "row", "thread", "query")
"""The fields that differ from change to change; the others are the same for a table."""


def schema(settings: Settings) -> Schema:
    """The schema of the source block in the shape that is asked for."""
    return SOURCE_2_1 if settings.tailrace_event_shape == SHAPE_2_1 else SOURCE


def version(settings: Settings) -> str:
    """The version of Debezium whose events these are like."""
    return COMPATIBLE_VERSION_2_1 if settings.tailrace_event_shape == SHAPE_2_1 else COMPATIBLE_VERSION


def constants(settings: Settings, database: str, table: str | None) -> dict[str, str | None]:
    """The fields that are the same for all changes of a table; a null `snapshot` shows as its default.

    `query` is among them unless it is asked for, in which case it varies; `thread` and `gtid` vary.
    """
    found: dict[str, str | None] = {
        "version": version(settings),
        "connector": CONNECTOR,
        "name": settings.topic_prefix,
        "snapshot": None,
        "db": database,
        "sequence": None,
        "table": table,
    }
    if not settings.include_query:
        found["query"] = None
    return found


def context(settings: Settings) -> Mapping[str, bytes]:
    """The headers that tell of the task, where they are asked for."""
    if not settings.tailrace_context_headers:
        return {}
    return context_headers(CONNECTOR, settings.topic_prefix, with_schema=settings.header_converter_schemas_enable)
