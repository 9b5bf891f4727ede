"""The attributes of a cloud event that follow from an event's source block, operation and transaction.

Source: Debezium's documentation of its CloudEventsConverter; comparison with the real one (tests/formats/test_cloud_events.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tailrace.changes.additions import Additions, CannotApplyError, standing_alone
from tailrace.changes.field_paths import Path
from tailrace.changes.layouts import Constant, Node, Struct
from tailrace.encoding.cloud_events.texts import joined, number_text, with_plain_schema
from tailrace.schema.connect import Schema, Type

_IDS: Final = {
    "mysql": ("file", "pos"),
    "mariadb": ("file", "pos"),
    "sqlserver": ("change_lsn", "commit_lsn", "event_serial_no"),
    "db2": ("change_lsn", "commit_lsn"),
    "oracle": ("scn", "commit_scn", "lcr_position"),
}
"""The fields of the source block that are in an event's id, by connector; the prefix's name is before them."""
_TRANSACTION: Final = {"id": Type.STRING, "total_order": Type.INT64, "data_collection_order": Type.INT64}
_AS_INT32: Final = {Type.INT8, Type.INT16, Type.INT32}
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
NamedNode = tuple[str, Node]


def extension_name(field: str) -> str:
    """The name of the attribute of a field: letters and digits alone."""
    return "iodebezium" + _OTHER.sub("", field)


class SourceBlock:
    """The source block of events, in the value or in a header."""

    def __init__(self, block: Struct, around: tuple[Struct, ...], added: Additions) -> None:
        """`around`: the structs that `block` is in."""
        self._block = block
        self._around = around
        self._added = added

    def field(self, name: str) -> Node:
        """A field, with its default for nulls. Raises `CannotApplyError` if there is none of that name."""
        found = self._block.field(name)
        if found is None:
            raise CannotApplyError(f"its source block has no field {name!r}")
        return self._alone(found)

    def id(self, connector: str) -> Node:
        """The generated id of an event."""
        fields = ("name", *_IDS[connector])
        labels = (f"{';' if place else ''}{name}:" for place, name in enumerate(fields))
        return joined([(label, self.field(name)) for label, name in zip(labels, fields, strict=True)], self._added)

    def extensions(self) -> Iterator[NamedNode]:
        """All fields as attributes."""
        for field, node in zip(self._block.schema.fields, self._block.fields, strict=True):
            optional = field.schema.optional
            yield extension_name(field.name), extension(self._alone(node), field.schema, optional, self._added)

    def _alone(self, node: Node) -> Node:
        return standing_alone(Path((*self._around, self._block, node)), self._added, fills=True)


def knows_connector(connector: str) -> bool:
    """Whether there are ids of events of a connector."""
    return connector in _IDS


def transaction_extensions(block: Path | None, added: Additions) -> Iterator[NamedNode]:
    """The attributes of the transaction, all of them null without one."""
    node = None if block is None else block.node
    for name, type_ in _TRANSACTION.items():
        found = node.field(name) if isinstance(node, Struct) else None
        schema = Schema(type_, optional=True)
        named = extension_name(f"tx{name}")
        if block is None or found is None:
            yield named, Constant(Schema(Type.STRING, optional=True), None)
        else:
            alone = standing_alone(Path((*block.nodes, found)), added, fills=True)
            yield named, extension(alone, schema, True, added)


def extension(node: Node, schema: Schema, optional: bool, added: Additions) -> Node:
    """A field as an attribute, whose types are few: 64 bits are text."""
    if schema.type is Type.INT64:
        return number_text(node, Schema(Type.STRING, optional=optional), added)
    if schema.type in _AS_INT32:
        return with_plain_schema(node, Schema(Type.INT32, optional=optional), added)
    if schema.type in (Type.STRING, Type.BOOLEAN):
        return with_plain_schema(node, Schema(schema.type, optional=optional), added)
    raise CannotApplyError(f"a field of its source block is a {schema.type}, which no attribute can be")
