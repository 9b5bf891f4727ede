"""Keys and values as JSON, as Kafka Connect's JSON converter writes them.

With schemas, a message is `{"schema":…,"payload":…}`: the schema part is the same for every message of a structure
version and is rendered once, as a constant of the template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import orjson

from tailrace.changes import expand
from tailrace.changes.expand import Expansion
from tailrace.changes.model import Changes
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.encoding.connect_json import SCHEMA_SUFFIX, null_text, schema_prefix
from tailrace.encoding.render import Op, Program, Template, leaves, op_for
from tailrace.schema.connect import Schema


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The settings of a JSON converter.

    Attributes:
        schemas: whether each message carries its schema (`schemas.enable`).
        defaults: whether a null in a field with a default is written as the default (`replace.null.with.default`).

    """

    schemas: bool = True
    defaults: bool = True

    def prefix(self, schema: Schema) -> bytes:
        """What stands before a message's payload."""
        return schema_prefix(schema) if self.schemas else b""

    @property
    def suffix(self) -> bytes:
        """What stands behind it."""
        return SCHEMA_SUFFIX if self.schemas else b""

    def null(self, schema: Schema) -> bytes:
        """What a null of a field is written as."""
        return null_text(schema, replace_with_default=self.defaults)


class StructEncoder:
    """A struct whose fields are columns: keys, and row images."""

    def __init__(self, schema: Schema, format_: JsonFormat) -> None:
        self._schema = schema
        self._format = format_
        self._programs: dict[int, Program] = {}

    def encode(self, columns: Sequence[Vector], expansion: Expansion, role: int) -> Binary:
        """One JSON text a record; null where the role has no row."""
        if role not in self._programs:
            self._programs[role] = self._compile(columns, role)
        live = expansion.roles[role] >= 0
        live = None if live.all() else live
        flat = [leaf for column in columns for leaf in leaves(column)]
        return self._programs[role].render(flat, expansion.roles, live)

    def _compile(self, columns: Sequence[Vector], role: int) -> Program:
        template = Template()
        template.const(self._format.prefix(self._schema))
        _write_struct(template, self._schema, columns, 0, role, self._format)
        template.const(self._format.suffix)
        return template.program()


def _write_struct(
    template: Template, schema: Schema, columns: Sequence[Vector], slot: int, role: int, format_: JsonFormat
) -> int:
    """Write the fields of a struct from as many columns; returns the next free slot."""
    template.const(b"{")
    for i, (field, column) in enumerate(zip(schema.fields, columns, strict=True)):
        template.const((b"," if i else b"") + orjson.dumps(field.name) + b":")
        slot = _write_value(template, field.schema, column, slot, role, format_)
    template.const(b"}")
    return slot


def _write_value(
    template: Template, schema: Schema, column: Vector, slot: int, role: int, format_: JsonFormat
) -> int:
    if column.kind is not Kind.STRUCT:
        template.value(op_for(column.kind), slot, role, format_.null(schema))
        return slot + 1
    by_name = dict(zip(column.names, column.children, strict=True))
    children = [by_name[field.name] for field in schema.fields]
    with template.block(role, slot):
        return _write_struct(template, schema, children, slot + 1, role, format_)


@dataclass(slots=True)
class Envelope:
    """What one batch brings for the envelope besides its images.

    Attributes:
        changes: the batch.
        expansion: its records.
        now_us: the processing time, microseconds since the epoch.
        total_order: rank of each record within its transaction, from 1; None without transaction metadata.
        data_collection_order: the same within its table.

    """

    changes: Changes
    expansion: Expansion
    now_us: int
    total_order: npt.NDArray[np.int64] | None = None
    data_collection_order: npt.NDArray[np.int64] | None = None


_OPERATIONS = np.zeros((256, 4), np.uint32)
for _code in b"cudtr":
    _OPERATIONS[_code] = (1, _code, 0, 0)


class EnvelopeEncoder:
    """The envelope: before, after, source, transaction, operation and times."""

    def __init__(self, schema: Schema, format_: JsonFormat) -> None:
        self._schema = schema
        self._format = format_
        self._program: Program | None = None

    def encode(self, columns: Sequence[Vector], envelope: Envelope) -> Binary:
        """One JSON text a record, null for a tombstone; `columns` are the value's columns over the images."""
        changes = envelope.changes
        varying = list(self._varying(envelope).values())
        if self._program is None:
            writer = _EnvelopeWriter(self._schema, self._format, columns, changes, self._varying(envelope))
            self._program = writer.program()
        flat = [leaf for column in columns for leaf in leaves(column)]
        flat += [fact.vector for fact in changes.source.values()]
        expansion = envelope.expansion
        live = None if expansion.live.all() else expansion.live
        return self._program.render(flat + varying, expansion.roles, live)

    def _varying(self, envelope: Envelope) -> dict[str, Vector]:
        """The envelope's own values, by the name of the field."""
        changes = envelope.changes
        ops = _OPERATIONS[envelope.expansion.op]
        values = {"op": Vector(Kind.TEXT, len(ops), ops)}
        for name, divisor, factor in (("ts_ms", 1000, 1), ("ts_us", 1, 1), ("ts_ns", 1, 1000)):
            now = np.array([envelope.now_us // divisor * factor], np.int64)
            values[name] = Vector(Kind.INT, 1, now)
        if changes.transaction_id is not None:
            values["id"] = changes.transaction_id.vector
            orders = {
                "total_order": envelope.total_order,
                "data_collection_order": envelope.data_collection_order,
            }
            values |= {name: integers(order) for name, order in orders.items() if order is not None}
        return values



class _EnvelopeWriter:
    """Writes the template of an envelope, field by field in the order of its schema."""

    def __init__(
        self,
        schema: Schema,
        format_: JsonFormat,
        columns: Sequence[Vector],
        changes: Changes,
        varying: Mapping[str, Vector],
    ) -> None:
        self._schema = schema
        self._format = format_
        self._columns = columns
        self._changes = changes
        first = sum(len(leaves(column)) for column in columns)
        self._source_slots = {name: first + i for i, name in enumerate(changes.source)}
        first += len(changes.source)
        self._slots = {name: first + i for i, name in enumerate(varying)}
        self._template = Template()

    def program(self) -> Program:
        template = self._template
        template.const(self._format.prefix(self._schema) + b"{")
        for i, field in enumerate(self._schema.fields):
            template.const((b"," if i else b"") + orjson.dumps(field.name) + b":")
            self._write(field.name, field.schema)
        template.const(b"}" + self._format.suffix)
        return template.program(expand.LASTING)

    def _write(self, name: str, schema: Schema) -> None:
        template = self._template
        if name in ("before", "after"):
            role = expand.BEFORE if name == "before" else expand.AFTER
            with template.block(role):
                _write_struct(template, schema, self._columns, 0, role, self._format)
        elif name == "source":
            self._write_source(schema)
        elif name == "transaction":
            self._write_transaction(schema)
        elif name == "op":
            template.value(Op.TEXT, self._slots[name], expand.RECORD)
        else:
            template.value(Op.INT, self._slots[name], expand.BATCH)

    def _write_source(self, schema: Schema) -> None:
        template = self._template
        template.const(b"{")
        for i, field in enumerate(schema.fields):
            template.const((b"," if i else b"") + orjson.dumps(field.name) + b":")
            fact = self._changes.source.get(field.name)
            if fact is not None:
                op = op_for(fact.vector.kind)
                template.value(op, self._source_slots[field.name], fact.level, self._format.null(field.schema))
            else:
                value = self._changes.constants[field.name]
                template.const(self._format.null(field.schema) if value is None else orjson.dumps(value))
        template.const(b"}")

    def _write_transaction(self, schema: Schema) -> None:
        template = self._template
        transaction_id = self._changes.transaction_id
        if transaction_id is None:
            template.const(b"null")
            return
        with template.block(transaction_id.level, self._slots["id"]):
            template.const(b"{")
            for i, field in enumerate(schema.fields):
                template.const((b"," if i else b"") + orjson.dumps(field.name) + b":")
                is_id = field.name == "id"
                op, role = (Op.TEXT, transaction_id.level) if is_id else (Op.INT, expand.RECORD)
                template.value(op, self._slots[field.name], role)
            template.const(b"}")
