"""How each column of a table is read from a row image, and its output form.

This is the seam between the types (`types.py`, which knows MySQL's types and Debezium's modes) and the row decoder
(`rows.py`, which knows bytes and nothing else). Formats: MySQL source documentation, "Rows_event" and
"Table_map_event"; MySQL Internals Manual, "Date and Time Data Type Representation".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailrace.changes.vectors import Kind


class Storage(enum.IntEnum):
    """How a value is stored in the row image, with the meaning of the plan's `meta` for each."""

    INT = 0  # meta: bytes (1, 2, 3, 4, 8)
    FLOAT = 1  # IEEE single
    DOUBLE = 2  # IEEE double
    DECIMAL = 3  # meta: precision << 8 | scale
    STRING = 4  # meta: bytes of the length prefix (1 or 2; 3 and 4 for BLOB and TEXT kinds)
    DATE = 5  # three bytes
    TIME2 = 6  # meta: fractional digits
    DATETIME2 = 7  # meta: fractional digits
    TIMESTAMP2 = 8  # meta: fractional digits
    OLD_TIME = 9  # before MySQL 5.6.4: three bytes
    OLD_DATETIME = 10  # eight bytes
    OLD_TIMESTAMP = 11  # four bytes
    YEAR = 12  # one byte
    ENUM = 13  # meta: bytes (1 or 2)
    SET = 14  # meta: bytes (1 to 8)
    BIT = 15  # meta: number of bits
    JSON = 16  # meta: bytes of the length prefix
    GEOMETRY = 17  # meta: bytes of the length prefix
    VECTOR = 18  # meta: bytes of the length prefix


class Out(enum.IntEnum):
    """The output form of a value; it decides the kind of the vector."""

    INT = 0  # INT. Integers, YEAR
    FLOAT32 = 1
    FLOAT64 = 2  # DOUBLE, or FLOAT widened, or DECIMAL as a double
    UNSCALED = 3  # BYTES. DECIMAL, or BIGINT UNSIGNED, as shortest big-endian two's complement of the unscaled value
    DECIMAL_TEXT = 4  # TEXT. DECIMAL (or an integer) in plain notation, all digits of the scale
    TEXT = 5  # TEXT. Strings in UTF-8 (from the plan's charset), ENUM and SET labels, JSON
    BYTES = 6  # BYTES
    BASE64 = 7  # TEXT
    BASE64_URL = 8  # TEXT, RFC 4648 section 5, with padding
    HEX = 9  # TEXT, lower case
    DAYS = 10  # INT. DATE as days since 1970-01-01
    MILLIS = 11  # INT. DATETIME or TIMESTAMP since 1970-01-01T00:00:00 UTC; TIME since midnight, may be negative
    MICROS = 12
    NANOS = 13
    ISO = 14  # TEXT. DATE 2024-02-29Z; TIME 12:34:56.5Z; DATETIME 2024-02-29T12:34:56.5Z (see `types.py`)
    ZONED = 15  # TEXT. TIMESTAMP 2018-06-20T13:37:03.123Z: exactly as many fractional digits as `types.py` asks for
    BIT_BOOL = 16  # BOOL. BIT(1)
    BIT_BYTES = 17  # BYTES, little-endian, ceil(bits / 8)
    GEOMETRY = 18  # STRUCT {wkb BYTES, srid INT}
    POINT = 19  # STRUCT {x FLOAT64, y FLOAT64, wkb BYTES, srid INT}
    FLOATS = 20  # LIST of FLOAT32


KIND_OF_OUT = {
    Out.INT: Kind.INT,
    Out.FLOAT32: Kind.FLOAT32,
    Out.FLOAT64: Kind.FLOAT64,
    Out.UNSCALED: Kind.BYTES,
    Out.DECIMAL_TEXT: Kind.TEXT,
    Out.TEXT: Kind.TEXT,
    Out.BYTES: Kind.BYTES,
    Out.BASE64: Kind.TEXT,
    Out.BASE64_URL: Kind.TEXT,
    Out.HEX: Kind.TEXT,
    Out.DAYS: Kind.INT,
    Out.MILLIS: Kind.INT,
    Out.MICROS: Kind.INT,
    Out.NANOS: Kind.INT,
    Out.ISO: Kind.TEXT,
    Out.ZONED: Kind.TEXT,
    Out.BIT_BOOL: Kind.BOOL,
    Out.BIT_BYTES: Kind.BYTES,
    Out.GEOMETRY: Kind.STRUCT,
    Out.POINT: Kind.STRUCT,
    Out.FLOATS: Kind.LIST,
}


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How one column is read.

    Attributes:
        storage: how the value is stored in the row image.
        meta: the parameter of `storage`.
        out: its output form.
        emit: False for a column that is not wanted: it is skipped.
        unsigned: of an integer.
        charset: MySQL's name of a string's character set (`utf8mb4`, `latin1`, `binary`, ...).
        labels: the labels of an ENUM or SET, in order, in UTF-8.
        pad: the log drops trailing zero bytes of BINARY(n); they are restored up to this length. 0: none.
        zero: the replacement of a zero or impossible date, and of an empty JSON value: None for null, else a text or
            number.
        adjust_years: years before 100 of a DATE or DATETIME become 1970 to 2069 (`enable.time.adjuster`).

    """

    storage: Storage
    meta: int = 0
    out: Out = Out.INT
    emit: bool = True
    unsigned: bool = False
    charset: str | None = None
    labels: tuple[bytes, ...] = ()
    pad: int = 0
    zero: int | str | None = None
    adjust_years: bool = True
