"""What zero dates become: null, or a given value.

As in Debezium the value also replaces NULL, and a column's default. The type of the field is fixed, whatever
`time.precision.mode` says.

Source: Debezium's documentation of the class and its properties; comparison with Debezium 3.6.1 (tests/differential).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.config.property import Kind, Property
from tailrace.connectors.mysql.converters.options import Selector, selector_of, selector_property, typed
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.filling import filled
from tailrace.connectors.shared.column_types import MILLISECONDS, ZONED_TIMESTAMP, day_schema, timestamp_schema
from tailrace.connectors.shared.default_values import fraction_text, timestamp_value
from tailrace.custom_converters.spec import ColumnConversion, ConverterSpec, Converting, Texts
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Column, TableId

DATE, DATETIME, TIMESTAMP = "DATE", "DATETIME", "TIMESTAMP"
_ADAPTIVE: Final = "adaptive"
_OF_COLUMN: Final = re.compile(r"column\.(.+)\.fallback")
_FORMS: Final = {DATE: "2000-01-31", DATETIME: "2000-01-31 23:59:59", TIMESTAMP: "2000-01-31T23:59:59Z"}
_SHAPES: Final = {
    DATE: re.compile(r"\d{4}-\d\d-\d\d", re.ASCII),
    DATETIME: re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII),
    TIMESTAMP: re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)", re.ASCII),
}
_PROPERTIES: Final = (
    Property(
        name="target.types",
        kind=Kind.LIST,
        default=(DATE, DATETIME, TIMESTAMP),
        doc="Types that it is for: `DATE`, `DATETIME`, `TIMESTAMP`.",
    ),
    *(
        Property(name=f"fallback.{kind.lower()}", default="NULL", doc=f"What a zero {kind} becomes: `NULL`, or as `{form}`.")
        for kind, form in _FORMS.items()
    ),
    selector_property("selector", "Columns that it is for, if they have one of the types; all without it"),
)


@dataclass(frozen=True, slots=True)
class _ZeroDateFallback:
    selector: Selector
    types: frozenset[str]
    fallbacks: dict[str, datetime | None]
    of_columns: dict[str, str]

    def __call__(self, table: TableId, column: Column, _schema: Schema) -> ColumnConversion | None:
        kind = _kind(column)
        if kind is None or kind not in self.types or not self.selector(table, column.name):
            return None
        name = f"{table}.{column.name}"
        moment = _parsed(kind, self.of_columns[name]) if name in self.of_columns else self.fallbacks[kind]
        plain = _schema_of(kind, column)
        fallback = None if moment is None else _value(moment, plain)
        schema = plain.with_(optional=True) if fallback is None else plain
        return ColumnConversion(schema, _conversion(column, kind, fallback), read_as=plain, default=fallback)


def _kind(column: Column) -> str | None:
    name = column.type_name.upper()
    if column.jdbc_type == jdbc.DATE:
        return DATE
    if column.jdbc_type == jdbc.TIMESTAMP and name == DATETIME:
        return DATETIME
    return TIMESTAMP if column.jdbc_type == jdbc.TIMESTAMP_WITH_TIMEZONE or name == TIMESTAMP else None


def _schema_of(kind: str, column: Column) -> Schema:
    if kind == DATE:
        return day_schema(_ADAPTIVE)
    if kind == TIMESTAMP:
        return ZONED_TIMESTAMP
    is_micro = (column.length or 0) > MILLISECONDS
    return timestamp_schema("microseconds" if is_micro else _ADAPTIVE, MILLISECONDS)


def _value(moment: datetime, schema: Schema) -> int | str:
    if schema == day_schema(_ADAPTIVE):
        return (moment.date() - datetime.fromtimestamp(0, UTC).date()).days
    nanos = moment.microsecond * 1000
    if schema == ZONED_TIMESTAMP:
        return f"{moment.replace(tzinfo=None, microsecond=0).isoformat()}{fraction_text(nanos)}Z"
    return timestamp_value(moment.replace(tzinfo=None), nanos, schema)


def _conversion(column: Column, kind: str, fallback: int | str | None) -> Callable[[Vector], Vector]:
    def convert(vector: Vector) -> Vector:
        found = _without_zeros(vector) if kind == TIMESTAMP and column.length else vector
        return found if fallback is None else filled(found, fallback)

    return convert


def _without_zeros(vector: Vector) -> Vector:
    """Moments without the zeros at the end of a fraction."""
    texts = pc.replace_substring_regex(pc.cast(vector.to_arrow(), pa.string()), r"(\.\d*?)0+Z$", r"\1Z")
    return from_arrow(pc.replace_substring_regex(texts, r"\.Z$", "Z"))


def _parsed(kind: str, text: str) -> datetime | None:
    """The moment of a fallback; None for NULL."""
    text = text.strip()
    if not text or text.upper() == "NULL":
        return None
    if _SHAPES[kind].fullmatch(text) is None:
        raise ValueError(f"write NULL, or a {kind} as {_FORMS[kind]}")
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _make(texts: Texts) -> Converting:
    options = typed(_PROPERTIES, texts)
    fallbacks = {kind: _fallback(f"fallback.{kind.lower()}", kind, options[f"fallback_{kind.lower()}"]) for kind in _FORMS}
    of_columns = {found[1]: text for name, text in texts.items() if (found := _OF_COLUMN.fullmatch(name))}
    for name, text in of_columns.items():
        _check_column(name, text)
    return _ZeroDateFallback(
        selector_of(options["selector"], without=True),
        frozenset(each.upper() for each in options["target_types"]),
        fallbacks,
        of_columns,
    )


def _fallback(name: str, kind: str, text: str) -> datetime | None:
    try:
        return _parsed(kind, text)
    except ValueError as error:
        raise ValueError(f"{name} is {text!r}: {error}") from error


def _check_column(name: str, text: str) -> None:
    """A column's type is not known before its table is: the value has to be one of some type."""
    errors = []
    for kind in _FORMS:
        try:
            _parsed(kind, text)
        except ValueError as error:
            errors.append(str(error))
    if len(errors) == len(_FORMS):
        raise ValueError(f"column.{name}.fallback is {text!r}: {errors[0]}, or the form of another type")


SPEC: Final = ConverterSpec(
    names=(
        "io.debezium.connector.binlog.converters.ZeroDateFallbackConverter",
        "io.debezium.connector.mysql.converters.ZeroDateFallbackConverter",
    ),
    doc="Zero dates, which are null or the epoch otherwise, as null or as a given value, which replaces NULL and defaults too.",
    properties=_PROPERTIES,
    of_columns=_OF_COLUMN,
    of_columns_name="column.<database>.<table>.<column>.fallback",
    of_columns_doc="The same for one column, in the form of its type.",
    make=_make,
)
