"""A column's data type: its name as Debezium writes it, its `java.sql.Types` number, length, scale, labels.

The name is the statement's own spelling in upper case, with attributes behind it (`INTEGER UNSIGNED`), and
ZEROFILL implies UNSIGNED. Lengths that MySQL would add are left out, but for BIT, DECIMAL and NCHAR, as
Debezium has it.

Source: MySQL Reference Manual, "Data Types" and "CREATE TABLE Statement"; `java.sql.Types` (its
    documentation).
"""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.mysql.ddl.charsets import read_charset
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.tokens import Kind

BIT, SMALLINT, INTEGER, BIGINT, FLOAT, REAL, DOUBLE, NUMERIC, DECIMAL = -7, 5, 4, -5, 6, 7, 8, 2, 3
CHAR, VARCHAR, NCHAR, NVARCHAR, BINARY, VARBINARY, BLOB = 1, 12, -15, -9, -2, -3, 2004
DATE, TIME, TIMESTAMP, TIMESTAMP_WITH_TIMEZONE, BOOLEAN, OTHER = 91, 92, 93, 2014, 16, 1111

TEXTUAL = {CHAR, VARCHAR, NCHAR, NVARCHAR}
_NAMES = {
    SMALLINT: "TINYINT INT1 SMALLINT INT2",
    INTEGER: "MEDIUMINT MIDDLEINT INT3 INT INTEGER INT4 YEAR",
    BIGINT: "BIGINT INT8 SERIAL",
    FLOAT: "FLOAT FLOAT4",
    REAL: "REAL",
    DOUBLE: "DOUBLE FLOAT8",
    DECIMAL: "DECIMAL DEC FIXED",
    NUMERIC: "NUMERIC",
    BIT: "BIT",
    BOOLEAN: "BOOL BOOLEAN",
    DATE: "DATE",
    TIME: "TIME",
    TIMESTAMP: "DATETIME",
    TIMESTAMP_WITH_TIMEZONE: "TIMESTAMP",
    CHAR: "CHAR CHARACTER ENUM SET",
    VARCHAR: "VARCHAR VARCHARACTER TINYTEXT TEXT MEDIUMTEXT LONGTEXT LONG",
    NCHAR: "NCHAR",
    NVARCHAR: "NVARCHAR",
    BINARY: "BINARY",
    VARBINARY: "VARBINARY",
    BLOB: "TINYBLOB BLOB MEDIUMBLOB LONGBLOB",
    OTHER: "JSON VECTOR GEOMETRY GEOMETRYCOLLECTION GEOMCOLLECTION POINT MULTIPOINT LINESTRING"
    " MULTILINESTRING POLYGON MULTIPOLYGON",
}
_JDBC = {name: number for number, names in _NAMES.items() for name in names.split()}
# The words of types that have more than one, longest first.
_LONG_NAMES = (
    ("NATIONAL", "CHARACTER", "VARYING"), ("NATIONAL", "CHAR", "VARYING"), ("NATIONAL", "CHARACTER"),
    ("NATIONAL", "CHAR"), ("NATIONAL", "VARCHARACTER"), ("NATIONAL", "VARCHAR"), ("NCHAR", "VARCHARACTER"),
    ("NCHAR", "VARCHAR"), ("NCHAR", "VARYING"), ("LONG", "CHARACTER", "VARYING"), ("LONG", "CHAR", "VARYING"),
    ("LONG", "VARCHARACTER"), ("LONG", "VARCHAR"), ("LONG", "VARBINARY"), ("CHARACTER", "VARYING"),
    ("CHAR", "VARYING"), ("DOUBLE", "PRECISION"),
)  # fmt: skip
_NO_LENGTH = {BIT: 1, BINARY: 0, VARBINARY: 0}  # by the server; of all others Debezium takes a length of 0 for 10


@dataclass(slots=True)
class DataType:
    """A data type as it is written; `serial` for SERIAL, which is short for more than a type."""

    name: str
    jdbc: int
    length: int | None = None
    scale: int | None = None
    charset: str | None = None
    labels: tuple[str, ...] = ()
    serial: bool = False


def read_data_type(reader: Reader) -> DataType:
    """The data type that comes next, with its attributes (UNSIGNED, BINARY, CHARACTER SET, …)."""
    words = _words(reader)
    found = DataType(" ".join(words), _jdbc(words))
    if words[-1] in {"ENUM", "SET"}:
        _read_labels(reader, found)
    elif reader.is_("("):
        _read_size(reader, found)
    _add_defaults(found, words)
    if found.jdbc in TEXTUAL:
        _read_text_attributes(reader, found)
    else:
        _read_number_attributes(reader, found)
    if found.name == "SERIAL":
        return DataType("BIGINT UNSIGNED", BIGINT, serial=True)
    return found


def _words(reader: Reader) -> tuple[str, ...]:
    for words in _LONG_NAMES:
        if reader.accept(*words):
            return words
    word = reader.peek().upper
    if word not in _JDBC:
        reader.fail("a data type is expected")
    reader.next()
    return (word,)


def _jdbc(words: tuple[str, ...]) -> int:
    first, last = words[0], words[-1]
    if first in {"NATIONAL", "NCHAR", "NVARCHAR"}:
        return NCHAR if last in {"CHAR", "CHARACTER", "NCHAR"} else NVARCHAR
    if words == ("LONG", "VARBINARY"):
        return BLOB
    return VARCHAR if last == "VARYING" else _JDBC[first]


def _read_labels(reader: Reader, found: DataType) -> None:
    reader.expect("(")
    labels = []
    while True:
        labels.append(_label(reader))
        if not reader.accept(","):
            break
    reader.expect(")")
    found.labels = tuple(labels)
    found.length = 2 * len(labels) - 1 if found.name == "SET" else 1


def _label(reader: Reader) -> str:
    if reader.peek().kind is Kind.BITS:
        return _bytes_of(reader.next().raw).decode("utf-8", "replace")
    if reader.peek().raw.startswith("_"):  # a character set's introducer
        reader.next()
    return reader.string()


def _bytes_of(raw: str) -> bytes:
    """The bytes of a bit or hexadecimal literal: b'01', 0b01, x'4F', 0x4F."""
    digits, bits_each, base = raw[2:].rstrip("'"), 1, 2
    if "x" in raw[:2].lower():
        bits_each, base = 4, 16
    return int(digits or "0", base).to_bytes((len(digits) * bits_each + 7) // 8, "big")


def _read_size(reader: Reader, found: DataType) -> None:
    reader.expect("(")
    found.length = min(reader.number(), 2**31 - 1)
    if reader.accept(","):
        found.scale = reader.number()
    reader.expect(")")
    if found.length == 0 and found.jdbc not in {TIME, TIMESTAMP, TIMESTAMP_WITH_TIMEZONE}:
        found.length = _NO_LENGTH.get(found.jdbc, 10)


def _add_defaults(found: DataType, words: tuple[str, ...]) -> None:
    if found.jdbc in {DECIMAL, NUMERIC}:
        found.length = 10 if found.length is None else found.length
        found.scale = 0 if found.scale is None else found.scale
    if found.length is None and (words == ("BIT",) or found.jdbc == NCHAR):
        found.length = 1


def _read_number_attributes(reader: Reader, found: DataType) -> None:
    sign, zerofill = "", False
    while word := reader.accept_any("SIGNED", "UNSIGNED", "ZEROFILL"):
        zerofill = zerofill or word == "ZEROFILL"
        sign = sign if word == "ZEROFILL" else f" {word}"
    found.name += " UNSIGNED ZEROFILL" if zerofill else sign


def _read_text_attributes(reader: Reader, found: DataType) -> None:
    binary = False
    while True:
        if charset := read_charset(reader):
            found.charset = charset
        elif reader.accept("BINARY"):
            binary = True
        elif word := reader.accept_any("ASCII", "UNICODE", "BYTE"):
            found.charset = {"ASCII": "latin1", "UNICODE": "ucs2", "BYTE": "binary"}[word]
        else:
            break
    if found.jdbc in {NCHAR, NVARCHAR}:
        found.charset = "utf8"
    found.name += " BINARY" if binary else ""
