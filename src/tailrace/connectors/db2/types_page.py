"""The reference page of data types: the result in each mode, rendered from the code that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.structures import column_of
from tailrace.connectors.db2.types import field_schema
from tailrace.connectors.load import from_mapping
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column

_INTRODUCTION: Final = """\
# Types of Db2 in events

<!-- Rendered from src/tailrace/connectors/db2: python -m tailrace.docs -->

What a column becomes in keys and values: the type of its field and, in brackets, the name of its schema. All is as Debezium
3.6.1 has it, as it was recorded on the [stand-in](db2-standin.md); no real Db2 was at hand. [Differences](differences.md) says
where tailrace differs.

- A snapshot has the content of CLOB, DBCLOB, BLOB and XML, of which Debezium 3.6 writes the driver's handle or nothing. SQL
  Replication does not capture them: a change has null, as in Debezium, or a text with `tailrace.large.objects`.
- SQL Replication does not capture BOOLEAN either; a snapshot has it.
- FOR BIT DATA makes bytes of CHAR, VARCHAR and LONG VARCHAR. Bytes are always bytes: `binary.handling.mode` has no effect, as
  in Debezium.
- GRAPHIC types are text. Blanks at the end of CHAR and GRAPHIC stay, also in defaults.
- DECFLOAT loses zeros at its end; its infinities and NaN have no number in Debezium's form.
- A TIMESTAMP ends with nanoseconds in every mode: the tenth to twelfth digit of a second are cut off, as in Debezium.
- A TIMESTAMP with more than six digits, before 1677-09-22 or after 2262-04-11 23:47:16, has no room in nanoseconds:
  `microseconds` and `isostring` have room for all.
- Literals are told as defaults of fields, but not those of bytes, large objects, LONG VARCHAR, and of DECFLOAT in `precise`;
  expressions are not. `CURRENT DATE` and the like are 0 where the column may not be null.
"""
# name, type of the catalogue, LENGTH, SCALE, code page
_UTF_8: Final = 1208
_UTF_16: Final = 1200
_PLAIN: Final = (
    ("BOOLEAN", "BOOLEAN", 1, 0, 0),
    ("SMALLINT", "SMALLINT", 2, 0, 0),
    ("INTEGER", "INTEGER", 4, 0, 0),
    ("BIGINT", "BIGINT", 8, 0, 0),
    ("REAL", "REAL", 4, 0, 0),
    ("DOUBLE, FLOAT", "DOUBLE", 8, 0, 0),
    ("CHAR(10)", "CHARACTER", 10, 0, _UTF_8),
    ("VARCHAR(10)", "VARCHAR", 10, 0, _UTF_8),
    ("LONG VARCHAR", "LONG VARCHAR", 32700, 0, _UTF_8),
    ("CLOB", "CLOB", 1048576, 0, _UTF_8),
    ("GRAPHIC(10)", "GRAPHIC", 10, 0, _UTF_16),
    ("VARGRAPHIC(10)", "VARGRAPHIC", 10, 0, _UTF_16),
    ("LONG VARGRAPHIC", "LONG VARGRAPHIC", 16350, 0, _UTF_16),
    ("DBCLOB", "DBCLOB", 1048576, 0, _UTF_16),
    ("XML", "XML", 0, 0, 0),
    ("CHAR(10) FOR BIT DATA", "CHARACTER", 10, 0, 0),
    ("VARCHAR(10) FOR BIT DATA", "VARCHAR", 10, 0, 0),
    ("LONG VARCHAR FOR BIT DATA", "LONG VARCHAR", 32700, 0, 0),
    ("BINARY(10)", "BINARY", 10, 0, 0),
    ("VARBINARY(10)", "VARBINARY", 10, 0, 0),
    ("BLOB", "BLOB", 1048576, 0, 0),
)
_DECIMAL: Final = (
    ("DECIMAL(9, 2)", "DECIMAL", 9, 2, 0),
    ("DECIMAL(31, 0)", "DECIMAL", 31, 0, 0),
    ("DECFLOAT(16)", "DECFLOAT", 8, 0, 0),
    ("DECFLOAT(34)", "DECFLOAT", 16, 0, 0),
)
_TEMPORAL: Final = (
    ("DATE", "DATE", 4, 0, 0),
    ("TIME", "TIME", 3, 0, 0),
    ("TIMESTAMP(0)", "TIMESTAMP", 7, 0, 0),
    ("TIMESTAMP(3)", "TIMESTAMP", 9, 3, 0),
    ("TIMESTAMP(6)", "TIMESTAMP", 10, 6, 0),
    ("TIMESTAMP(9)", "TIMESTAMP", 12, 9, 0),
    ("TIMESTAMP(12)", "TIMESTAMP", 13, 12, 0),
)
_TIME_MODES: Final = (
    "adaptive",
    "adaptive_time_microseconds",
    "connect",
    "isostring",
    "microseconds",
    "nanoseconds",
)
_DECIMAL_MODES: Final = ("precise", "double", "string")
Row = tuple[str, str, int, int, int]


def render() -> str:
    """The page."""
    parts = (
        _INTRODUCTION,
        _section("Numbers, text and others", _table(("Type", "Field"), _PLAIN, ({},))),
        _modes("Days and times", "time.precision.mode", _TIME_MODES, _TEMPORAL),
        _modes("Decimals", "decimal.handling.mode", _DECIMAL_MODES, _DECIMAL),
    )
    return "\n".join(parts)


def _section(title: str, *parts: str) -> str:
    return f"## {title}\n\n" + "\n".join(parts)


def _modes(title: str, name: str, modes: Sequence[str], rows: Sequence[Row]) -> str:
    """A table with a column for each mode; the first is the default."""
    table = _table(("Type", *(f"`{mode}`" for mode in modes)), rows, [{name: mode} for mode in modes])
    return _section(title, f"By `{name}`, of which `{modes[0]}` is the default:\n", table)


def _table(titles: Sequence[str], rows: Sequence[Row], modes: Sequence[dict[str, str]]) -> str:
    settings = [_settings(mode) for mode in modes]
    lines = [titles, ["---"] * len(titles)]
    lines += [[f"`{row[0]}`", *(_schema_text(field_schema(_column(row), each)) for each in settings)] for row in rows]
    return _lines(lines)


def _lines(rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _column(row: Row) -> Column:
    _, type_name, length, scale, code_page = row
    return column_of(("X", type_name, length, scale, code_page, "Y", "N", None))


def _schema_text(schema: Schema | None) -> str:
    if schema is None:
        return "none"
    kind = {Type.FLOAT32: "float", Type.FLOAT64: "double"}.get(schema.type, schema.type.value)
    return f"{kind} (`{schema.name}`)" if schema.name else kind


def _settings(modes: dict[str, str]) -> Db2Settings:
    properties = {
        "connector.class": "io.debezium.connector.db2.Db2Connector",
        "topic.prefix": "x",
        "database.hostname": "localhost",
        "database.user": "x",
        "database.password": "x",
        "database.dbname": "X",
    }
    found = from_mapping(properties | modes)
    assert isinstance(found, Db2Settings)  # noqa: S101 -- the connector's class says so
    return found
