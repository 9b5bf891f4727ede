"""The reference page of data types: the result in each mode, rendered from the code that decides it."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.properties import TIME_MODES
from tailrace.connectors.change_tables.types_page import DECIMAL_MODES, TypeTables
from tailrace.connectors.db2.structures import column_of
from tailrace.connectors.db2.types import field_schema
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
Row = tuple[str, str, int, int, int]
_PROPERTIES: Final = {
    "connector.class": "io.debezium.connector.db2.Db2Connector",
    "topic.prefix": "x",
    "database.hostname": "localhost",
    "database.user": "x",
    "database.password": "x",
    "database.dbname": "X",
}


def render() -> str:
    """The page."""
    tables = TypeTables[Row](_PROPERTIES, lambda row, settings: field_schema(_column(row), settings))
    parts = (
        _INTRODUCTION,
        tables.plain("Numbers, text and others", _PLAIN),
        tables.modes("Days and times", "time.precision.mode", TIME_MODES, _TEMPORAL),
        tables.modes("Decimals", "decimal.handling.mode", DECIMAL_MODES, _DECIMAL),
    )
    return "\n".join(parts)


def _column(row: Row) -> Column:
    _, type_name, length, scale, code_page = row
    return column_of(("X", type_name, length, scale, code_page, "Y", "N", None))
