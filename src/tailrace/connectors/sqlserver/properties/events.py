"""Properties of SQL Server's events."""

from __future__ import annotations

import re

from tailrace.config.properties import events
from tailrace.config.property import Family, Kind, Property, Status, varied
from tailrace.connectors.change_tables import properties

PROPERTIES = (
    *properties.modes("date, time, datetime, smalldatetime and datetime2", "decimal, numeric, money and smallmoney"),
    Property(
        name="binary.handling.mode",
        kind=Kind.ENUM,
        default="bytes",
        allowed=("bytes", "base64", "base64-url-safe", "hex"),
        doc="How binary, varbinary, image and rowversion columns appear.",
    ),
    Property(
        name="unavailable.value.placeholder",
        default="__debezium_unavailable_value",
        doc="What stands in an update for a text, ntext, image or xml value that the change table does not have.",
    ),
    Property(
        name="sourceinfo.struct.maker",
        kind=Kind.CLASS,
        default="io.debezium.connector.sqlserver.SqlServerSourceInfoStructMaker",
        status=Status.REFUSED,
        doc="Java class that makes the source block.",
    ),
    events.naming_strategy("Schema"),
    *varied(
        events.properties("database, schema and table"),
        "include.schema.comments",
        status=Status.UNUSED,
        reason="comments are extended properties, which are not read",
    ),
)

FAMILIES = (
    Family(
        name="internal.change.column.filter.override",
        pattern=re.compile(r"internal\.change\.column\.filter\.override"),
        status=Status.REFUSED,
        reason="a snapshot reads the columns that are captured; enable the table with all that are wanted",
        doc="Whether a snapshot reads columns that are not captured.",
    ),
    Family(
        name="internal.capture.instance.include.list, internal.capture.instance.exclude.list",
        pattern=re.compile(r"internal\.capture\.instance\.(include|exclude)\.list"),
        status=Status.REFUSED,
        reason="each change is read from the capture instance that is right for its time; drop the instances that are not "
        "wanted",
        doc="Which capture instances are read, in Debezium 3.7.",
    ),
    *events.FAMILIES,
)
