"""A table as the server describes it, and as `Structures` does, in the same few words, so that they can be compared."""

import re
from collections.abc import Sequence
from typing import Any

from tailrace.schema.tables import Column, Table

INTEGERS = {"tinyint", "smallint", "mediumint", "int", "bigint"}
SYNONYMS = {
    "INTEGER": "int", "INT1": "tinyint", "INT2": "smallint", "INT3": "mediumint", "MIDDLEINT": "mediumint",
    "INT4": "int", "INT8": "bigint", "BOOL": "tinyint", "BOOLEAN": "tinyint", "DEC": "decimal", "FIXED": "decimal",
    "NUMERIC": "decimal", "REAL": "double", "DOUBLE PRECISION": "double", "FLOAT8": "double", "FLOAT4": "float",
    "CHARACTER": "char", "NCHAR": "char", "NATIONAL CHAR": "char", "NATIONAL CHARACTER": "char",
    "NVARCHAR": "varchar", "NATIONAL VARCHAR": "varchar", "CHARACTER VARYING": "varchar", "CHAR VARYING": "varchar",
    "VARCHARACTER": "varchar", "NCHAR VARCHAR": "varchar", "NATIONAL CHARACTER VARYING": "varchar",
    "LONG": "mediumtext", "LONG VARCHAR": "mediumtext", "LONG VARBINARY": "mediumblob",
    "GEOMETRYCOLLECTION": "geomcollection",
}  # fmt: skip
# CONVERT TO may make TINYTEXT a TEXT and so on, which only the log's own description of the table has to tell.
SIZES = re.compile("^(tiny|medium|long)(?=text|blob)")
BINARY_OF = {"char": "binary", "varchar": "varbinary", "text": "blob"}
FIXED_LENGTH = {"char", "varchar", "binary", "varbinary"}
COLUMNS = """
    SELECT column_name, data_type, column_type, is_nullable, character_maximum_length, numeric_precision,
           numeric_scale, datetime_precision, character_set_name, column_default, extra
    FROM information_schema.columns WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position"""
UNIQUE_KEYS = """
    SELECT index_name, column_name, nullable FROM information_schema.statistics
    WHERE table_schema = %s AND table_name = %s AND non_unique = 0 ORDER BY index_name, seq_in_index"""


def of_server(cursor: Any, database: str, table: str) -> list[dict[str, Any]]:
    """The columns in order, by the server's information schema."""
    cursor.execute(COLUMNS, (database, table))
    return [_of_row(row) for row in cursor.fetchall()]


def primary_key_of_server(cursor: Any, database: str, table: str) -> list[str]:
    """The columns of the primary key."""
    cursor.execute(UNIQUE_KEYS, (database, table))
    return [column for index, column, _ in cursor.fetchall() if index == "PRIMARY"]


def unique_keys_of_server(cursor: Any, database: str, table: str) -> list[list[str]]:
    """The columns of each unique key that has no nullable column, the primary key included."""
    cursor.execute(UNIQUE_KEYS, (database, table))
    keys: dict[str, list[tuple[str, str]]] = {}
    for index, column, nullable in cursor.fetchall():
        keys.setdefault(index, []).append((column, nullable))
    return [[c for c, _ in parts] for parts in keys.values() if all(c and n != "YES" for c, n in parts)]


def of_structures(table: Table) -> list[dict[str, Any]]:
    """The columns in order, by `Structures`."""
    return [_of_column(column) for column in table.columns]


def _of_row(row: Sequence[Any]) -> dict[str, Any]:
    name, kind, full, nullable, characters, precision, scale, fraction, charset, default, extra = row
    labels = kind in {"enum", "set"}
    found: dict[str, Any] = {
        "name": name,
        "type": SIZES.sub("", kind),
        "nullable": nullable == "YES",
        "charset": charset,
        "unsigned": "unsigned" in full,
        "labels": tuple(_labels(full)) if labels else (),
        "automatic": "auto_increment" in extra or "on update" in extra.lower(),
    }
    if kind in FIXED_LENGTH:
        found["length"] = characters
    elif kind == "decimal":
        found["length"], found["scale"] = precision, scale
    elif kind == "bit":
        found["length"] = precision
    elif fraction is not None:
        found["fraction"] = fraction
    literal = "DEFAULT_GENERATED" not in extra and "GENERATED" not in extra
    comparable = literal and (kind in {*INTEGERS, "varchar"} or (kind == "enum" and charset))
    found["default"] = default if comparable else None
    return found


def _of_column(column: Column) -> dict[str, Any]:
    words = re.sub(r" (UNSIGNED|ZEROFILL|SIGNED|BINARY)\b", "", column.type_name) or column.type_name
    kind = SYNONYMS.get(words, words.lower())
    charset = {"utf8": "utf8mb3"}.get(column.charset or "", column.charset)
    if charset == "binary":
        kind, charset = BINARY_OF.get(SIZES.sub("", kind), kind), None
    found: dict[str, Any] = {
        "name": column.name,
        "type": SIZES.sub("", kind),
        "nullable": column.optional,
        "charset": charset,
        "unsigned": "UNSIGNED" in column.type_name,
        "labels": column.enum_values,
        "automatic": column.auto_incremented,
    }
    if kind in FIXED_LENGTH or kind == "bit":
        found["length"] = 1 if column.length is None else column.length
    elif kind == "decimal":
        found["length"], found["scale"] = column.length, column.scale
    elif kind in {"time", "datetime", "timestamp"}:
        found["fraction"] = column.length or 0
    binary_enum = kind == "enum" and not charset
    found["default"] = None if binary_enum else _default(column.default, kind)
    return found


def _default(text: str | None, kind: str) -> str | None:
    if text is None or kind not in {*INTEGERS, "varchar", "enum"}:
        return None
    if kind in INTEGERS:
        return {"TRUE": "1", "FALSE": "0"}.get(text.upper(), text)
    return re.sub(r"\\(.)|''", lambda m: m.group(1) or "'", text)


def _labels(full: str) -> list[str]:
    return [m.replace("''", "'").replace("\\\\", "\\") for m in re.findall(r"'((?:[^']|'')*)'", full)]
