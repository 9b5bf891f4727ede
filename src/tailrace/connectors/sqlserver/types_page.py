"""The reference page of data types: the result in each mode, rendered from the code that decides it."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.properties import TIME_MODES
from tailrace.connectors.change_tables.types_page import DECIMAL_MODES, TypeTables
from tailrace.connectors.sqlserver.structures import column_of
from tailrace.connectors.sqlserver.types import field_schema
from tailrace.schema.tables import Column

_INTRODUCTION: Final = """\
# Types of SQL Server in events

<!-- Rendered from src/tailrace/connectors/sqlserver: python -m tailrace.docs -->

What a column becomes in keys and values: the type of its field and, in brackets, the name of its schema. All is as Debezium
3.6.1 has it; where the values of old days differ, [differences](differences.md) says so.

- An alias type is shown as the type below it; it has no default, as in Debezium.
- `real` and `float` of up to 24 binary digits are `float`, the others `double`. `rowversion` is its 8 bytes.
- CLR types are the bytes that the server stores, `xml` and `uniqueidentifier` (in capitals) are text.
- The schema of `xml` has no name, in every `tailrace.event.shape`. Debezium's page calls it `io.debezium.data.Xml`; its events,
  of 1.4 and 2.1 as of 3.6, do not: the driver tells the connector of a long text, and its own tests expect that.
- `json` and `vector` of SQL Server 2025 are their text. That is a guess: Debezium does not tell of them.
- A `sql_variant` column has no field: it is left out of events, with a warning when the table is read first.
- Literals are told as defaults of fields, expressions are not (`getdate()`), nor are defaults of `uniqueidentifier` and `xml`.
- NULL of a column that may not be null, which change tables have for large values and computed columns, is the default of the
  column, else a zero or an empty text.
- A `datetime2(7)` before 1677-09-22 or after 2262-04-11 23:47:16 has no room in nanoseconds: it is null; where the column may
  not be null, reading stops and says so. `microseconds` and `isostring` have room for all.
"""
# name, type below it, user_type_id, size, precision, scale
_PLAIN: Final = (
    ("bit", "bit", 104, 1, 1, 0),
    ("tinyint", "tinyint", 48, 1, 3, 0),
    ("smallint", "smallint", 52, 2, 5, 0),
    ("int", "int", 56, 4, 10, 0),
    ("bigint", "bigint", 127, 8, 19, 0),
    ("real", "real", 59, 4, 24, 0),
    ("float", "float", 62, 8, 53, 0),
    ("char", "char", 175, 10, 0, 0),
    ("varchar", "varchar", 167, 10, 0, 0),
    ("varchar(max)", "varchar", 167, -1, 0, 0),
    ("text", "text", 35, 16, 0, 0),
    ("nchar", "nchar", 239, 20, 0, 0),
    ("nvarchar", "nvarchar", 231, 20, 0, 0),
    ("nvarchar(max)", "nvarchar", 231, -1, 0, 0),
    ("ntext", "ntext", 99, 16, 0, 0),
    ("sysname", "nvarchar", 256, 256, 0, 0),
    ("xml", "xml", 241, -1, 0, 0),
    ("json", "json", 244, -1, 0, 0),
    ("vector", "vector", 255, 20, 0, 0),
    ("uniqueidentifier", "uniqueidentifier", 36, 16, 0, 0),
    ("datetimeoffset", "datetimeoffset", 43, 10, 34, 7),
    ("sql_variant", "sql_variant", 98, 8016, 0, 0),
)
_BINARY: Final = (
    ("binary", "binary", 173, 10, 0, 0),
    ("varbinary", "varbinary", 165, 10, 0, 0),
    ("varbinary(max)", "varbinary", 165, -1, 0, 0),
    ("image", "image", 34, 16, 0, 0),
    ("rowversion", "timestamp", 189, 8, 0, 0),
    ("hierarchyid", None, 128, 892, 0, 0),
    ("geometry", None, 129, -1, 0, 0),
    ("geography", None, 130, -1, 0, 0),
)
_DECIMAL: Final = (
    ("decimal(9,2)", "decimal", 106, 5, 9, 2),
    ("numeric(38,10)", "numeric", 108, 17, 38, 10),
    ("money", "money", 60, 8, 19, 4),
    ("smallmoney", "smallmoney", 122, 4, 10, 4),
)
_TEMPORAL: Final = (
    ("date", "date", 40, 3, 10, 0),
    ("time(0)", "time", 41, 3, 8, 0),
    ("time(3)", "time", 41, 4, 12, 3),
    ("time(6)", "time", 41, 5, 15, 6),
    ("time(7)", "time", 41, 5, 16, 7),
    ("smalldatetime", "smalldatetime", 58, 4, 16, 0),
    ("datetime", "datetime", 61, 8, 23, 3),
    ("datetime2(0)", "datetime2", 42, 6, 19, 0),
    ("datetime2(3)", "datetime2", 42, 7, 23, 3),
    ("datetime2(6)", "datetime2", 42, 8, 26, 6),
    ("datetime2(7)", "datetime2", 42, 8, 27, 7),
)
_BINARY_MODES: Final = ("bytes", "base64", "base64-url-safe", "hex")
Row = tuple[str, str | None, int, int, int, int]
_PROPERTIES: Final = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "topic.prefix": "x",
    "database.hostname": "x",
    "database.user": "x",
    "database.password": "x",
    "database.names": "x",
}


def render() -> str:
    """The page."""
    tables = TypeTables[Row](_PROPERTIES, lambda row, settings: field_schema(_column(row), settings))
    parts = (
        _INTRODUCTION,
        tables.plain("Numbers, text and others", _PLAIN),
        tables.modes("Days and times", "time.precision.mode", TIME_MODES, _TEMPORAL),
        tables.modes("Decimals", "decimal.handling.mode", DECIMAL_MODES, _DECIMAL),
        tables.modes("Bytes", "binary.handling.mode", _BINARY_MODES, _BINARY),
    )
    return "\n".join(parts)


def _column(row: Row) -> Column:
    name, base, type_id, size, precision, scale = row
    return column_of(("x", name.partition("(")[0], base, type_id, size, precision, scale, True, False, False, None))
