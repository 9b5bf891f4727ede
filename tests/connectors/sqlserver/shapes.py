"""Events of SQL Server in the shapes of Debezium 1.4 and 2.1: the fields that one has and the other has not.

Sources: for 1.4, the messages in Debezium's documentation of that version; for 2.1, its message of an incremental
snapshot, and the connector's source at v2.1.4.Final for what that leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Fields = list[dict[str, Any]]

_LEADING: Fields = [
    *({"type": "string", "optional": False, "field": name} for name in ("version", "connector", "name")),
    {"type": "int64", "optional": False, "field": "ts_ms"},
]
_FLAG = {"type": "boolean", "optional": True, "default": False, "field": "snapshot"}
_MARK = {
    "type": "string", "optional": True, "name": "io.debezium.data.Enum", "version": 1,
    "parameters": {"allowed": "true,last,false,incremental"}, "default": "false", "field": "snapshot",
}  # fmt: skip
_DATABASE = {"type": "string", "optional": False, "field": "db"}
_SEQUENCE = {"type": "string", "optional": True, "field": "sequence"}
_LOG: Fields = [
    *({"type": "string", "optional": False, "field": name} for name in ("schema", "table")),
    *({"type": "string", "optional": True, "field": name} for name in ("change_lsn", "commit_lsn")),
    {"type": "int64", "optional": True, "field": "event_serial_no"},
]


@dataclass(frozen=True)
class Shape:
    """One of them.

    Attributes:
        name: as `tailrace.event.shape` has it.
        release: that the source block names.
        topic_prefix: of the database testDB.
        source_fields: the schema's fields of the source block.
        source_more: fields of a source block that the other has not, or otherwise.
        times: what a notice of a transaction or of a structure has besides.
        schema_version: of the schemas of schema-change events.
        column_more: what such an event tells of a column besides.
        table_more: and of a table.

    """

    name: str
    release: str
    topic_prefix: str
    source_fields: Fields
    source_more: dict[str, Any]
    times: dict[str, Any] = field(default_factory=dict)
    schema_version: dict[str, Any] = field(default_factory=dict)
    column_more: dict[str, Any] = field(default_factory=dict)
    table_more: dict[str, Any] = field(default_factory=dict)

    def topic(self, table: str) -> str:
        return f"{self.topic_prefix}.dbo.{table}"


SHAPE_1_4 = Shape("1.4", "1.4.2.Final", "server1", [*_LEADING, _FLAG, _DATABASE, *_LOG], {"snapshot": False})
SHAPE_2_1 = Shape(
    "2.1",
    "2.1.4.Final",
    "server1.testDB",
    [*_LEADING, _MARK, _DATABASE, _SEQUENCE, *_LOG],
    {"snapshot": "false", "sequence": None},
    times={"ts_ms": "TIME"},
    schema_version={"version": 1},
    column_more={"comment": None, "defaultValueExpression": None, "enumValues": None},
    table_more={"comment": None},
)
