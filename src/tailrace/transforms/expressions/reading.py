"""Variables and fields of records as values: the columns of a layout, gathered once for each expression.

A null in a field with a default is the default, as Connect's `Struct.get` gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, cast

import numpy as np
import polars as pl

from tailrace.changes.field_paths import Path, gathered, keys_are_null, nulls_of, path_to, series, values_are_null
from tailrace.changes.layout_edits import filled
from tailrace.changes.layouts import Constant, Layout, Struct, Values
from tailrace.changes.source_records import Mask, Objects, SourceHeader, SourceRecords
from tailrace.changes.vectors import Kind
from tailrace.changes.views import vector_of
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import DECIMAL, decimal_bytes
from tailrace.transforms.expressions.decimals import decoded
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import (
    NULL,
    Booleans,
    Cases,
    Floats,
    HeaderOf,
    Instants,
    Integers,
    Opaque,
    PythonStructs,
    SchemaOf,
    Structs,
    Value,
)

_LOGICAL: Final = "org.apache.kafka.connect.data."
_MILLISECONDS: Final = {f"{_LOGICAL}Date": 86_400_000, f"{_LOGICAL}Time": 1, f"{_LOGICAL}Timestamp": 1}
_BITS: Final = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32, Type.INT64: 64}
_WHATS: Final = {Type.BYTES: "bytes", Type.ARRAY: "an array", Type.MAP: "a map"}
Names = tuple[str, ...]


class Reading:
    """Reads the variables of one `SourceRecords`."""

    def __init__(self, records: SourceRecords) -> None:
        self.records = records
        self._n = len(records)
        self._every = np.ones(self._n, np.bool_)
        self._known: dict[Names, Cases] = {}

    def variable(self, name: str) -> Cases:
        """`value`, `key`, `topic`, `valueSchema` or `keySchema`."""
        return self._once((name,), lambda: self._variable(name))

    def field(self, struct: Structs | PythonStructs, name: str) -> Cases | None:
        """A field of structs; None if they have none of that name."""
        if all(each.name != name for each in struct.schema.fields):
            return None
        return self._once((*struct.name, name), lambda: self._field(struct, name))

    def headers(self, name: str) -> Cases:
        """The header of that name; the last one where there are several."""
        left, cases = self._every.copy(), []
        for header in reversed(self.records.headers):
            if header.name == name:
                there = left if header.present is None else left & header.present
                cases.append((there, cast("Value", HeaderOf(header))))
                left = left & ~there
        return Cases([*cases, (left, NULL)])

    def has_headers(self) -> Mask:
        """Which records have any header, shape (n,)."""
        found = np.zeros(self._n, np.bool_)
        for header in self.records.headers:
            found |= True if header.present is None else header.present
        return found

    def header_value(self, header: SourceHeader) -> Cases:
        """The value of a header."""
        place = next(i for i, each in enumerate(self.records.headers) if each is header)
        return self._once(
            ("header", str(place)), lambda: self._read(_whole(header.layout), ("header", str(place)), None)
        )

    def _once(self, name: Names, read: Callable[[], Cases]) -> Cases:
        if name not in self._known:
            self._known[name] = read()
        return self._known[name]

    def _variable(self, name: str) -> Cases:
        records = self.records
        if name == "topic":
            return Cases([(self._every, Texts.constant(records.topic, self._n))])
        if name in {"valueSchema", "keySchema"}:
            layout, there = (
                (records.value, records.has_value) if name == "valueSchema" else (records.key, records.has_key)
            )
            return self._schema(layout, there)
        if name == "value":
            return self._read(_whole(records.value), (name,), values_are_null(records))
        if records.key is None:
            return Cases([(self._every, NULL)])
        return self._read(_whole(records.key), (name,), keys_are_null(records))

    def _schema(self, layout: Layout | None, there: Mask | None) -> Cases:
        if layout is None:
            return Cases([(self._every, NULL)])
        present = self._every if there is None else there
        return Cases([(present, SchemaOf(layout.schema)), (~present, NULL)])

    def _field(self, struct: Structs | PythonStructs, name: str) -> Cases:
        names = (*struct.name, name)
        if isinstance(struct, PythonStructs):
            schema = struct.schema.field(name).schema
            return self._python(schema, [None if each is None else each.get(name) for each in struct.values], names)
        path, node = struct.path, struct.path.node
        if isinstance(node, Struct):
            found = path_to(node, (name,))
            return self._read(Path((*path.nodes, *cast("Path", found).nodes[1:])), names, None)
        value = None if not isinstance(node, Constant) or node.value is None else node.value.get(name)
        child = Constant(path.schema.field(name).schema, value)
        return self._read(Path((*path.nodes, child)), names, None)

    def _read(self, path: Path, name: Names, null: Mask | None) -> Cases:
        """The values of a path, and where they are null."""
        path = Path((*path.nodes[:-1], filled(path.node)))
        if isinstance(path.node, Values):
            return self._python(path.schema, self.objects(path), name)
        missing = nulls_of(self.records, path) if null is None else null
        if missing.all():
            return Cases([(missing, NULL)])
        if path.schema.type is Type.STRUCT:
            return Cases([(~missing, Structs(path, name)), (missing, NULL)])
        return Cases([(~missing, _column(self.records, path)), (missing, NULL)])

    def objects(self, path: Path) -> Sequence[Any]:
        """The Python values of a path, one for each record."""
        node = cast("Values", path.node)
        values, rows = cast("Objects", self.records.columns[node.slot]).values, self.records.roles[node.role]
        null = nulls_of(self.records, path)
        return [None if missing else values[row] for row, missing in zip(rows.tolist(), null.tolist(), strict=True)]

    def _python(self, schema: Schema, values: Sequence[Any], name: Names) -> Cases:
        """Python's values, of records that are too rare to be columnar."""
        if schema.default is not NO_DEFAULT:
            values = [schema.default if each is None else each for each in values]
        missing = np.array([each is None for each in values], np.bool_)
        value: Value = PythonStructs(schema, values, name) if schema.type is Type.STRUCT else _of_python(schema, values)
        return Cases([(~missing, value), (missing, NULL)])


def _whole(layout: Layout) -> Path:
    return Path((layout.root,))


def _column(records: SourceRecords, path: Path) -> Value:
    """The values of a field that is no struct."""
    schema = path.schema
    if schema.type is Type.BYTES and schema.name == DECIMAL:
        return decoded(gathered(records, path), _scale(schema))
    if schema.type in _WHATS:
        return Opaque(_WHATS[schema.type], series(records, path) if schema.type is Type.BYTES else None)
    if schema.type is Type.STRING:
        constant = path.node.value if isinstance(path.node, Constant) else None
        return Texts(series(records, path)) if constant is None else Texts.constant(constant, len(records))
    return _numbers(schema, gathered(records, path).data)


def _numbers(schema: Schema, data: Any) -> Value:
    if schema.type is Type.BOOLEAN:
        return Booleans(data != 0)
    if schema.type in _BITS:
        whole = data.astype(np.int64, copy=False)
        unit = _MILLISECONDS.get(schema.name or "")
        return Integers(whole, _BITS[schema.type]) if unit is None else Instants(whole * unit)
    return Floats(data.astype(np.float64), 32 if schema.type is Type.FLOAT32 else 64)


def _of_python(schema: Schema, values: Sequence[Any]) -> Value:
    if schema.type is Type.BYTES and schema.name == DECIMAL:
        scale = _scale(schema)
        digits = [decimal_bytes(each, scale) if isinstance(each, Decimal) else each for each in values]
        return decoded(vector_of(digits, Kind.BYTES), scale)
    if schema.type in _WHATS:
        return Opaque(_WHATS[schema.type])
    if schema.type is Type.STRING:
        return Texts(pl.Series(values, dtype=pl.String))
    return _numbers(schema, np.array([each or 0 for each in values]))


def _scale(schema: Schema) -> int:
    parameters: Mapping[str, str] = dict(schema.parameters)
    return int(parameters.get("scale", "0"))
