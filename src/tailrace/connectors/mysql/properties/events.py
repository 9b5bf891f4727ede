"""What events of MySQL look like."""

from __future__ import annotations

from tailrace.config.properties import events
from tailrace.config.property import Kind, Property, Status

PROPERTIES = (
    Property(
        name="time.precision.mode",
        kind=Kind.ENUM,
        default="adaptive_time_microseconds",
        allowed=("adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"),
        doc="How DATE, TIME, DATETIME and TIMESTAMP columns appear; Debezium dropped `adaptive` for MySQL.",
    ),
    Property(
        name="decimal.handling.mode",
        kind=Kind.ENUM,
        default="precise",
        allowed=("precise", "string", "double"),
        doc="How DECIMAL and NUMERIC columns appear.",
    ),
    Property(
        name="bigint.unsigned.handling.mode",
        kind=Kind.ENUM,
        default="long",
        allowed=("long", "precise"),
        doc="How BIGINT UNSIGNED columns appear; `long` wraps values above 2^63-1.",
    ),
    Property(
        name="binary.handling.mode",
        kind=Kind.ENUM,
        default="bytes",
        allowed=("bytes", "base64", "base64-url-safe", "hex"),
        doc="How BINARY, VARBINARY and BLOB columns appear.",
    ),
    Property(
        name="enable.time.adjuster",
        kind=Kind.BOOL,
        default=True,
        doc="Whether years of two digits are moved to 1970-2069.",
    ),
    Property(
        name="include.query",
        kind=Kind.BOOL,
        default=False,
        doc="Whether `source.query` holds the SQL statement (needs `binlog_rows_query_log_events`).",
    ),
    Property(
        name="sourceinfo.struct.maker",
        kind=Kind.CLASS,
        default="io.debezium.connector.mysql.MySqlSourceInfoStructMaker",
        status=Status.REFUSED,
        doc="Java class that makes the source block.",
    ),
    Property(
        name="unavailable.value.placeholder",
        default="__debezium_unavailable_value",
        doc="What stands for a BLOB, TEXT or JSON value that a row in the log lacks (`binlog_row_image`).",
    ),
    events.naming_strategy("Default"),
    *events.properties("database and table"),
)
