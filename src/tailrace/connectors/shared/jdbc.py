"""Numbers of column types in `java.sql.Types`: Debezium's schema history has them.

Source: the documentation of `java.sql.Types`.
"""

from __future__ import annotations

from typing import Final

from tailrace.schema.connect import Type

BIT, TINYINT, SMALLINT, INTEGER, BIGINT = -7, -6, 5, 4, -5
FLOAT, REAL, DOUBLE, NUMERIC, DECIMAL = 6, 7, 8, 2, 3
CHAR, VARCHAR, LONGVARCHAR, CLOB = 1, 12, -1, 2005
NCHAR, NVARCHAR, LONGNVARCHAR, NCLOB = -15, -9, -16, 2011
BINARY, VARBINARY, LONGVARBINARY, BLOB = -2, -3, -4, 2004
DATE, TIME, TIMESTAMP, TIMESTAMP_WITH_TIMEZONE, BOOLEAN, OTHER = 91, 92, 93, 2014, 16, 1111

TEXT_TYPES: Final = frozenset({CHAR, VARCHAR, LONGVARCHAR, CLOB, NCHAR, NVARCHAR, LONGNVARCHAR, NCLOB})
BINARY_TYPES: Final = frozenset({BINARY, VARBINARY, LONGVARBINARY, BLOB})
DECIMAL_TYPES: Final = frozenset({NUMERIC, DECIMAL})
NUMBER_TYPES: Final = (
    frozenset({BIT, TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT, REAL, DOUBLE}) | DECIMAL_TYPES
)

SCHEMA_TYPES: Final = {
    BIT: Type.BOOLEAN,
    BOOLEAN: Type.BOOLEAN,
    TINYINT: Type.INT8,
    SMALLINT: Type.INT16,
    INTEGER: Type.INT32,
    BIGINT: Type.INT64,
    REAL: Type.FLOAT32,
    FLOAT: Type.FLOAT64,
    DOUBLE: Type.FLOAT64,
    **dict.fromkeys(TEXT_TYPES, Type.STRING),
}
"""The schema type of a column, if the JDBC type alone determines it."""
