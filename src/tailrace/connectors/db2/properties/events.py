"""Properties of Db2's events."""

from __future__ import annotations

from tailrace.config.properties import events
from tailrace.config.property import Kind, Property, Status, varied
from tailrace.connectors.change_tables import properties

NULL, PLACEHOLDER = "null", "placeholder"

PROPERTIES = (
    *properties.modes("DATE, TIME and TIMESTAMP", "DECIMAL, NUMERIC and DECFLOAT"),
    Property(
        name="binary.handling.mode",
        kind=Kind.ENUM,
        default="bytes",
        allowed=("bytes", "base64", "base64-url-safe", "hex"),
        status=Status.IGNORED,
        reason="Debezium's Db2 connector gives bytes with all its values, and so does this one",
        doc="How BINARY, VARBINARY, BLOB and FOR BIT DATA columns appear.",
    ),
    Property(
        name="tailrace.large.objects",
        kind=Kind.ENUM,
        default=NULL,
        allowed=(NULL, PLACEHOLDER),
        doc="What stands in a change for a CLOB, DBCLOB, BLOB or XML value, which change tables don't have: `null`, as in "
        "Debezium, or `unavailable.value.placeholder`. Snapshots have the values.",
    ),
    Property(
        name="unavailable.value.placeholder",
        default="__debezium_unavailable_value",
        doc="What stands in a change for a CLOB, DBCLOB, BLOB or XML value, with `tailrace.large.objects=placeholder`.",
    ),
    Property(
        name="sourceinfo.struct.maker",
        kind=Kind.CLASS,
        default="io.debezium.connector.db2.Db2SourceInfoStructMaker",
        status=Status.REFUSED,
        doc="Java class that makes the source block.",
    ),
    events.naming_strategy("Schema"),
    *varied(
        events.properties("schema and table"),
        "include.schema.comments",
        status=Status.UNUSED,
        reason="Debezium's Db2 connector reads no comments, and neither does this one",
    ),
)

FAMILIES = events.FAMILIES
