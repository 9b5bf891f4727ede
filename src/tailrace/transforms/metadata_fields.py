"""Fields of an envelope that ExtractNewRecordState adds to rows and headers: `add.fields`, `add.headers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from tailrace.changes.layout_edits import copied_basics, with_schema
from tailrace.changes.layouts import Constant, Node, Struct
from tailrace.schema.connect import Schema

_OF_ENVELOPE: Final = frozenset({"op", "ts_ms", "ts_us", "ts_ns"})
_OF_TRANSACTION: Final = frozenset({"id", "total_order", "data_collection_order"})


@dataclass(frozen=True, slots=True)
class MetadataField:
    """A field to add.

    Attributes:
        struct: the struct that has it, such as `source`; None: the envelope itself.
        field: its name there.
        name: its new name, with the prefix.

    """

    struct: str | None
    field: str
    name: str


def metadata_fields(texts: Sequence[str], prefix: str) -> tuple[MetadataField, ...]:
    """The fields that are named `field`, `struct.field` or `field:name`.

    Raises:
        ValueError: one has more than one colon.

    """
    return tuple(_metadata_field(text, prefix) for text in texts)


def _metadata_field(text: str, prefix: str) -> MetadataField:
    origin, *names = text.split(":")
    if len(names) > 1:
        raise ValueError(f"{text!r} has more than one colon: write field, struct.field or field:newname")
    parts = origin.split(".")
    struct = _struct_of(parts[0]) if len(parts) == 1 else parts[0]
    field = parts[0] if len(parts) == 1 else parts[1]
    plain = field if len(parts) == 1 else f"{struct}_{field}"
    return MetadataField(struct, field, prefix + (names[0] if names else plain))


def _struct_of(field: str) -> str | None:
    if field in _OF_ENVELOPE:
        return None
    return "transaction" if field in _OF_TRANSACTION else "source"


def node_of(wanted: MetadataField, envelope: Struct) -> Node | None:
    """The node of a field, under an optional schema without a default; None if the envelope has no such field.

    A field that is not in its struct is looked for in the envelope, where another transform may have added it.

    Raises:
        KeyError: the envelope has no such struct.

    """
    schema = envelope.schema
    holder: Node = envelope
    if wanted.struct is not None:
        schema = envelope.schema.field(wanted.struct).schema
        holder = cast("Node", envelope.field(wanted.struct))
    if _has(schema, wanted.field):
        found = _in(holder, schema, wanted.field)
    else:
        outer = envelope.field(wanted.field)
        if outer is None:
            return None
        found = outer
    return with_schema(found, copied_basics(found.schema).with_(optional=True))


def _has(schema: Schema, field: str) -> bool:
    return any(each.name == field for each in schema.fields)


def _in(holder: Node, schema: Schema, field: str) -> Node:
    """The field of a struct; null where the struct is null in all records."""
    found = holder.field(field) if isinstance(holder, Struct) else None
    return Constant(schema.field(field).schema, None) if found is None else found
