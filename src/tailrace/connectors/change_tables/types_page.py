"""What the reference pages of data types are rendered of: tables of the fields that types have in each mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from tailrace.connectors.load import from_mapping
from tailrace.schema.connect import Schema, Type

DECIMAL_MODES: Final = ("precise", "double", "string")
RowT = TypeVar("RowT", bound=tuple[object, ...])


class TypeTables(Generic[RowT]):
    """Renders the tables of a connector's page; a row begins with the type's name."""

    def __init__(self, properties: Mapping[str, str], field_schema: Callable[[RowT, Any], Schema | None]) -> None:
        """Tables of one connector.

        Args:
            properties: a configuration of it, without modes.
            field_schema: the schema of a row's field with such settings; None: it has no field.

        """
        self._properties = properties
        self._field_schema = field_schema

    def plain(self, title: str, rows: Sequence[RowT]) -> str:
        """The section of types that depend on no mode."""
        return _section(title, self._table(("Type", "Field"), rows, ({},)))

    def modes(self, title: str, name: str, modes: Sequence[str], rows: Sequence[RowT]) -> str:
        """The section of types that depend on a property, a column for each mode; the first is the default."""
        table = self._table(("Type", *(f"`{mode}`" for mode in modes)), rows, [{name: mode} for mode in modes])
        return _section(title, f"By `{name}`, of which `{modes[0]}` is the default:\n", table)

    def _table(self, titles: Sequence[str], rows: Sequence[RowT], modes: Sequence[Mapping[str, str]]) -> str:
        settings = [from_mapping({**self._properties, **mode}) for mode in modes]
        lines = [titles, ["---"] * len(titles)]
        lines += [[f"`{row[0]}`", *(_text(self._field_schema(row, each)) for each in settings)] for row in rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _section(title: str, *parts: str) -> str:
    return f"## {title}\n\n" + "\n".join(parts)


def _text(schema: Schema | None) -> str:
    if schema is None:
        return "none"
    kind = {Type.FLOAT32: "float", Type.FLOAT64: "double"}.get(schema.type, schema.type.value)
    return f"{kind} (`{schema.name}`)" if schema.name else kind
