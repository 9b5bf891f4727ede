"""Custom converters that users write in Python: what they say is checked, and their errors name the column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailrace.changes.arrow_columns import array_of, vector_of_array
from tailrace.changes.vectors import Vector
from tailrace.custom_converters.interface import Conversion, CustomConverter, RelationalColumn
from tailrace.custom_converters.spec import ColumnConversion, Converting
from tailrace.errors import ConfigError, ConversionError
from tailrace.python_objects import kind_and_place, load_callable, refusal
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, TableId


def python_converter(alias: str, type_: str, options: Mapping[str, str]) -> Converting:
    """The converter that a user wrote.

    Raises:
        ValueError: it can't be made; the text says why.

    """
    made = load_callable(type_, 1)
    try:
        converter: CustomConverter = made(dict(options))
    except Exception as error:  # noqa: BLE001 -- the class is the user's, and the text may have an option's value
        raise ValueError(f"it can't be made of its options: {refusal(error, options)}") from None
    if not callable(getattr(converter, "converter_for", None)):
        raise ValueError("what it makes has no method converter_for(column)")  # noqa: TRY004 -- one error for all
    return _Asked(f"converters: {alias} ({type_})", converter)


class _Asked:
    """A `Converting` that asks a user's converter."""

    def __init__(self, name: str, converter: CustomConverter) -> None:
        self._name = name
        self._converter = converter

    def __call__(self, table: TableId, column: Column, schema: Schema) -> ColumnConversion | None:
        where = f"{self._name}, column {table}.{column.name}"
        try:
            answer: Any = self._converter.converter_for(_described(table, column, schema))
        except Exception as error:  # noqa: BLE001 -- as above
            raise ConfigError(f"{where}: converter_for failed: {kind_and_place(error)}") from None
        if answer is None:
            return None
        if not isinstance(answer, Conversion) or not isinstance(answer.schema, Schema) or not callable(answer.convert):
            raise ConfigError(f"{where}: converter_for must return a Conversion of a schema and a function, or None")
        _check_type(answer.schema, where)
        optional = answer.schema.with_(optional=answer.schema.optional or schema.optional)
        return ColumnConversion(answer.schema, _Function(where, answer, schema, optional))


class _Function:
    """A user's function from arrays to arrays, as one from columns to columns."""

    def __init__(self, where: str, conversion: Conversion, before: Schema, after: Schema) -> None:
        self._where = where
        self._convert = conversion.convert
        self._before = before
        self._after = after

    def __call__(self, vector: Vector) -> Vector:
        try:
            result = self._convert(array_of(vector, self._before))
        except Exception as error:  # noqa: BLE001 -- as above; a text of Python's may have a value of the column
            raise ConversionError(f"{self._where}: its function failed: {kind_and_place(error)}") from None
        try:
            return vector_of_array(result, self._after, vector.length)
        except (ValueError, TypeError) as error:
            raise ConversionError(f"{self._where}: {error}") from error


def _check_type(schema: Schema, where: str) -> None:
    items = schema.items.type if schema.type is Type.ARRAY and schema.items is not None else None
    if schema.type is Type.MAP or (schema.type is Type.ARRAY and items not in (Type.FLOAT32, Type.FLOAT64)):
        raise ConfigError(f"{where}: a field can be no {schema.type} here, but for arrays of float32 or float64")
    for field in schema.fields:
        _check_type(field.schema, where)


def _described(table: TableId, column: Column, schema: Schema) -> RelationalColumn:
    return RelationalColumn(
        data_collection=str(table),
        name=column.name,
        type_name=column.type_name,
        type_expression=column.type_expression,
        jdbc_type=column.jdbc_type,
        length=column.length,
        scale=column.scale,
        optional=column.optional,
        has_default=column.has_default,
        default=None if schema.default is NO_DEFAULT else schema.default,
        charset=column.charset,
        schema=schema,
    )
