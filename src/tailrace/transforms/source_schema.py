"""ExtractSchemaToNewRecord: the table's columns, as the database has them, in a field of each envelope (`sourceSchema`).

They are what `column.propagate.source.type` puts into the schemas of fields.

Source: Debezium's reference, "Extract schema to new record"; comparison with the real one
(tests/formats/test_schema_transforms.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from tailrace.changes.envelopes import AFTER, images_of, is_envelope
from tailrace.changes.field_paths import path_to, values_are_null
from tailrace.changes.layout_edits import Edits, filled, named_nodes, with_fields, with_schema
from tailrace.changes.layouts import Constant, Layout, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.names import Adjuster, schema_name_adjuster
from tailrace.transforms.spec import Making, TransformSpec

_SOURCE_SCHEMA: Final = "sourceSchema"
_NAMES: Final = "io.debezium.connector.source"
_PARAMETERS: Final = "__debezium.source.column."
_STRING: Final = Schema(Type.STRING)
_OPTIONAL_INT32: Final = Schema(Type.INT32, optional=True)
_OF_COLUMN: Final = (
    Field("name", _STRING),
    Field("typeName", _STRING),
    Field("length", _OPTIONAL_INT32),
    Field("scale", _OPTIONAL_INT32),
    Field("comment", Schema(Type.STRING, optional=True)),
)


class ExtractSchemaToNewRecord:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, schema_name_adjustment_mode: str) -> None:
        self._failures = making.failures
        self._schema = _block(schema_name_adjuster(schema_name_adjustment_mode))
        self._values = Edits(self._value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with the field; truncations, and what has no envelope, stay as they are."""
        if not is_envelope(records.value.schema) or not len(records):
            return (records,)
        images = images_of(records)
        rows = (images.before | images.after) & ~values_are_null(records)
        others, changes = records.where(~rows), records.where(rows)
        if not len(changes):
            return (others,)
        value = self._values.of(records.value)
        if value is None:
            wrong = "the types of its columns are not known; set column.propagate.source.type=.*"
            return (others, self._failures.all_of(changes, wrong))
        return tuple(each for each in (others, replace(changes, value=value)) if len(each))

    def _value(self, layout: Layout) -> Layout | None:
        """None if the schema does not tell the columns' types."""
        root = cast("Struct", layout.root)
        row, table = root.field(AFTER), path_to(root, ("source", "table"))
        if row is None or table is None:
            return None
        columns = [_column(field.schema) for field in row.schema.fields]
        if None in columns:
            return None
        block = Struct(
            self._schema,
            (with_schema(table.node, _STRING), Constant(self._schema.field("table").schema, {"columns": columns})),
        )
        pairs = [(name, filled(node)) for name, node in named_nodes(root)]
        return Layout(with_fields(root, [*pairs, (_SOURCE_SCHEMA, block)]), layout.lasting)


def _column(schema: Schema) -> dict[str, Any] | None:
    """What a field's schema says of its column; None if it does not tell name and type."""
    told = {name.removeprefix(_PARAMETERS): text for name, text in schema.parameters if name.startswith(_PARAMETERS)}
    if "name" not in told or "type" not in told:
        return None
    numbers: dict[str, Any] = {name: int(told[name]) for name in ("length", "scale") if name in told}
    return {"name": told["name"], "typeName": told["type"], **numbers, "comment": told.get("comment")}


def _block(adjust: Adjuster) -> Schema:
    column = Schema(Type.STRUCT, name=adjust(f"{_NAMES}.schema.Column"), version=1, fields=_OF_COLUMN)
    columns = Field("columns", Schema(Type.ARRAY, items=column))
    table = Schema(Type.STRUCT, name=f"{_NAMES}.schema.Table", version=1, fields=(columns,))
    return Schema(
        Type.STRUCT, name=adjust(f"{_NAMES}.Schema"), version=1, fields=(Field("id", _STRING), Field("table", table))
    )


SPEC = TransformSpec(
    name="io.debezium.transforms.ExtractSchemaToNewRecord",
    doc="The table's columns, as the database has them, in a field of each envelope.",
    properties=(
        Property(
            name="schema.name.adjustment.mode",
            kind=Kind.ENUM,
            default="none",
            allowed=("none", "avro", "avro_unicode"),
            doc="How the names of schemas are adjusted.",
        ),
    ),
    make=ExtractSchemaToNewRecord,
)
