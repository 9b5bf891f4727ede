"""What the source blocks of all connectors have in common: where each change came from.

Fields and their order are Debezium's, of version 3.6 or, on demand (`tailrace.event.shape`), of an older one. `version`
tells consumers which Debezium the events are compatible with, as some of them look at it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.changes.context import context_headers
from tailrace.config.settings import Settings
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4, SHAPE_2_1

COMPATIBLE: Final = {CURRENT: "3.6.1.Final", SHAPE_2_1: "2.1.4.Final", SHAPE_1_4: "1.4.2.Final"}
"""The version of Debezium whose events are made, by shape."""

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
"""What `source.snapshot` may say, by shape."""
SNAPSHOT_FLAG: Final = Schema(Type.BOOLEAN, optional=True, default=False)

LEADING: Final[Fields] = (("version", STRING), ("connector", STRING), ("name", STRING), ("ts_ms", LONG))
SEQUENCE: Final[Fields] = (("sequence", TEXT_OR_NULL),)
TIMES: Final[Fields] = (("ts_us", LONG_OR_NULL), ("ts_ns", LONG_OR_NULL))


def snapshot_mark(shape: str) -> Schema:
    """The field that tells what a change is in a snapshot, by name."""
    return Schema(
        Type.STRING,
        optional=True,
        name="io.debezium.data.Enum",
        version=1,
        parameters=(("allowed", ",".join(MARKS[shape])),),
        default="false",
    )


def where(snapshot: Schema) -> Fields:
    """What follows `LEADING`: the mark of a snapshot, and the database."""
    return (("snapshot", snapshot), ("db", STRING))


def block(connector: str, fields: Fields, *, version: int | None = None) -> Schema:
    """A source block."""
    name = f"io.debezium.connector.{connector}.Source"
    return Schema(Type.STRUCT, name=name, version=version, fields=tuple(Field(*field) for field in fields))


def version(settings: Settings) -> str:
    """The version of Debezium whose events these are like."""
    return COMPATIBLE[settings.tailrace_event_shape]


def constants(settings: Settings, connector: str, database: str) -> dict[str, str | None]:
    """The fields of any connector that are the same for all changes of a table; a null `snapshot` shows as its default."""
    return {
        "version": version(settings),
        "connector": connector,
        "name": settings.topic_prefix,
        "snapshot": None,
        "db": database,
        "sequence": None,
    }


def context(settings: Settings, connector: str) -> Mapping[str, str]:
    """The headers that tell of the task, where they are asked for."""
    if not settings.tailrace_context_headers:
        return {}
    return context_headers(connector, settings.topic_prefix)


def source_times(time_us: int) -> dict[str, int]:
    """The source block's times of one moment, microseconds since the epoch."""
    return {"ts_ms": time_us // 1000, "ts_us": time_us, "ts_ns": time_us * 1000}
