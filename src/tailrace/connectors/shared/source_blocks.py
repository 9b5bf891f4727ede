"""The common parts of all connectors' source blocks, which say where a change comes from.

Fields and their order are those of Debezium 3.6 or, on request (`tailrace.event.shape`), of an older version. `version`
names the Debezium version that the events are compatible with, because some consumers evaluate it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.changes.context import context_headers
from tailrace.config.settings import Settings
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4, SHAPE_2_1

COMPATIBLE: Final = {CURRENT: "3.6.1.Final", SHAPE_2_1: "2.1.4.Final", SHAPE_1_4: "1.4.2.Final"}
"""The Debezium version that each shape is compatible with."""

Fields = tuple[tuple[str, Schema], ...]

STRING: Final = Schema(Type.STRING)
TEXT_OR_NULL: Final = Schema(Type.STRING, optional=True)
LONG: Final = Schema(Type.INT64)
LONG_OR_NULL: Final = Schema(Type.INT64, optional=True)

MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    CURRENT: ("true", "first", "first_in_data_collection", "last_in_data_collection", "last", "false", "incremental"),
    SHAPE_2_1: ("true", "last", "false", "incremental"),
    SHAPE_1_4: ("true", "last", "false"),
}
"""The allowed values of `source.snapshot`, by shape."""
SNAPSHOT_FLAG: Final = Schema(Type.BOOLEAN, optional=True, default=False)

LEADING: Final[Fields] = (("version", STRING), ("connector", STRING), ("name", STRING), ("ts_ms", LONG))
SEQUENCE: Final[Fields] = (("sequence", TEXT_OR_NULL),)
TIMES: Final[Fields] = (("ts_us", LONG_OR_NULL), ("ts_ns", LONG_OR_NULL))


def snapshot_mark(shape: str) -> Schema:
    """The schema of `source.snapshot`, an enumeration of marks."""
    return Schema(
        Type.STRING,
        optional=True,
        name="io.debezium.data.Enum",
        version=1,
        parameters=(("allowed", ",".join(MARKS[shape])),),
        default="false",
    )


def where(snapshot: Schema) -> Fields:
    """The fields after `LEADING`: the snapshot's mark, and the database."""
    return (("snapshot", snapshot), ("db", STRING))


def block(connector: str, fields: Fields, *, version: int | None = None) -> Schema:
    """The schema of a source block."""
    name = f"io.debezium.connector.{connector}.Source"
    return Schema(Type.STRUCT, name=name, version=version, fields=tuple(Field(*field) for field in fields))


def version(settings: Settings) -> str:
    """The Debezium version in the events."""
    return COMPATIBLE[settings.tailrace_event_shape]


def constants(settings: Settings, connector: str, database: str) -> dict[str, str | None]:
    """The fields that are constant for all changes of a table; if `snapshot` is null, consumers see its default."""
    return {
        "version": version(settings),
        "connector": connector,
        "name": settings.topic_prefix,
        "snapshot": None,
        "db": database,
        "sequence": None,
    }


def context(settings: Settings, connector: str) -> Mapping[str, str]:
    """The context headers, which name the task; empty if they are not requested."""
    if not settings.tailrace_context_headers:
        return {}
    return context_headers(connector, settings.topic_prefix)


def source_times(time_us: int) -> dict[str, int]:
    """The three time fields of a source block, from microseconds since the epoch."""
    return {"ts_ms": time_us // 1000, "ts_us": time_us, "ts_ns": time_us * 1000}
