"""Bounds: positions in the order of a key, stored in the progress and written in statements.

A bound is a JSON list with one entry for each column: a number, a text of digits (DECIMAL, dates, times), or `{"hex":
...}` for the stored bytes of text in the column's own character set. Bytes, because stored text has no other exact
form: code page 932 has two codes for some characters, and text that a client receives is converted. In SQL each entry
denotes exactly the stored value, with the column's collation, so that a comparison with the column is a range of its
index.

A bound with fewer entries than the key has columns lies after all rows that begin with them: a row is beyond `[7]` if
its first column is greater than 7. In an interval (after, upto] None means no limit.

Source: MySQL Reference Manual, "Character Set Introducers", "Cast Functions and Operators".
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, Final

from tailrace.connectors.mysql.catalog import quoted
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.epoch import EPOCH, moment_of
from tailrace.errors import ProgressError, UnsupportedError
from tailrace.snapshot.segments import Bound as Bound  # noqa: PLC0414 -- for those who use this module

Entry = int | str | dict[str, str]
Raw = int | str | bytes | None

MICROS: Final = 1_000_000
LARGEST_BIGINT: Final = 2**63
NAME: Final = re.compile(r"[A-Za-z0-9_]+")
FORMS: Final = {
    Kind.DECIMAL: re.compile(r"-?\d{1,65}(\.\d{1,65})?"),
    Kind.DATE: re.compile(r"\d{4}-\d\d-\d\d"),
    Kind.DATETIME: re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?"),
    Kind.TIMESTAMP: re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?"),
    Kind.TIME: re.compile(r"-?\d{2,3}:\d\d:\d\d(\.\d{1,6})?"),
}
_CASTS: Final = {
    Kind.DATE: "DATE",
    Kind.DATETIME: "DATETIME(6)",
    Kind.TIMESTAMP: "DATETIME(6)",
    Kind.TIME: "TIME(6)",
}
_NUMBERS: Final = (Kind.INT, Kind.BITS, Kind.ENUM)


def literals(key: ChunkKey, bound: Bound) -> list[str]:
    """A bound's entries as SQL literals.

    Raises:
        ProgressError: it is not a bound of this key.

    """
    return key.literals(bound, _literal)


def expressions(key: ChunkKey, table: str = "") -> list[str]:
    """The SELECT list for `bound_of_row`, in key order; `table` is a quoted name that qualifies columns."""
    qualifier = f"{table}." if table else ""
    return [_expression(column.kind, qualifier + quoted(column.name)) for column in key.columns]


def bound_of_row(key: ChunkKey, row: Sequence[Any]) -> list[Entry]:
    """The bound at a row of `expressions`."""
    return [_entry_of_text(column.kind, value) for column, value in zip(key.columns, row, strict=True)]


def bound_of(key: ChunkKey, raw: Sequence[Raw]) -> list[Entry]:
    """The bound at a row whose key is in the log's raw form.

    Args:
        key: of the table.
        raw: a value for each column. Integers and YEAR: int (BIGINT UNSIGNED also as int64, or as unscaled bytes). BIT:
            int, or little-endian bytes. ENUM: the label's number, or the label in UTF-8. Text: the stored bytes.
            BINARY: bytes, with or without trailing zero bytes. DECIMAL: the unscaled value, as int or big-endian two's
            complement. DATE: days since 1970-01-01. DATETIME, TIMESTAMP: microseconds since then, in UTC. TIME:
            microseconds. DECIMAL, dates and times also as text.

    Raises:
        UnsupportedError: an invalid date, which has no number (`raw` has None for it).

    """
    return [_entry(column, value) for column, value in zip(key.columns, raw, strict=True)]


def decimal_text(value: int, scale: int) -> str:
    """The text of a DECIMAL, from its unscaled value."""
    digits = str(abs(value)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if value < 0 else text


def temporal_text(kind: Kind, value: int) -> str:
    """The text of a DATE, from days since 1970, or of a DATETIME, TIMESTAMP or TIME, from microseconds."""
    if kind is Kind.DATE:
        return (EPOCH + dt.timedelta(days=value)).date().isoformat()
    if kind is not Kind.TIME:
        return moment_of(value).isoformat(" ", "microseconds")
    seconds, micros = divmod(abs(value), MICROS)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{micros:06d}"
    return f"-{clock}" if value < 0 else clock


def _literal(column: KeyColumn, entry: Entry) -> str:
    kind = column.kind
    if kind in _NUMBERS and isinstance(entry, int):
        return str(entry)
    if kind in (Kind.TEXT, Kind.BYTES) and isinstance(entry, dict):
        return _bytes_literal(column, entry)
    if kind in FORMS and isinstance(entry, str) and FORMS[kind].fullmatch(entry):
        return entry if kind is Kind.DECIMAL else f"CAST('{entry}' AS {_CASTS[kind]})"
    raise ProgressError(f"{entry!r} is no value of the key column {column.name}, which is of kind {kind.value}")


def _bytes_literal(column: KeyColumn, entry: dict[str, str]) -> str:
    try:
        text = bytes.fromhex(entry["hex"]).hex()
    except (KeyError, TypeError, ValueError) as error:
        raise ProgressError(f"{entry!r} is no value of the key column {column.name}: {error}") from error
    if column.kind is Kind.BYTES:
        return f"_binary X'{text}'"
    charset, collation = str(column.charset), str(column.collation)
    if not (NAME.fullmatch(charset) and NAME.fullmatch(collation)):
        raise ProgressError(f"{charset!r} or {collation!r} is no name of a character set or collation")
    return f"_{charset} X'{text}' COLLATE {collation}"


def _expression(kind: Kind, name: str) -> str:
    if kind is Kind.INT:
        return name
    if kind in (Kind.BITS, Kind.ENUM):
        return f"CAST({name} AS UNSIGNED)"
    if kind in (Kind.TEXT, Kind.BYTES):
        return f"HEX({name})"
    return f"CAST({name} AS CHAR)"


def _entry_of_text(kind: Kind, value: Any) -> Entry:
    if kind in _NUMBERS:
        return int(value)
    if kind in (Kind.TEXT, Kind.BYTES):
        return {"hex": str(value).lower()}
    return str(value)


def _entry(column: KeyColumn, raw: Raw) -> Entry:
    kind = column.kind
    if raw is None:
        raise UnsupportedError(
            f"the key column {column.name} holds a date that is no day of the calendar: the row's place in a chunk is "
            "not known. Correct the row, or leave the table out of the snapshot (snapshot.include.collection.list)"
        )
    if kind is Kind.INT:
        return _integer(column, raw)
    if kind is Kind.BITS:
        return int.from_bytes(raw, "little") if isinstance(raw, bytes) else int(raw)
    if kind is Kind.ENUM:
        return _label_number(column, raw)
    if kind in (Kind.TEXT, Kind.BYTES):
        return {"hex": _stored(column, raw).hex()}
    if isinstance(raw, str):
        return raw
    if kind is Kind.DECIMAL:
        return decimal_text(_unscaled(raw), column.size)
    return temporal_text(kind, int(raw))


def _integer(column: KeyColumn, raw: Raw) -> int:
    value = _unscaled(raw) if isinstance(raw, bytes) else int(raw or 0)
    # The upper half of BIGINT UNSIGNED is negative as an int64.
    return value + 2 * LARGEST_BIGINT if value < 0 and column.unsigned else value


def _unscaled(raw: int | bytes) -> int:
    return int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else raw


def _label_number(column: KeyColumn, raw: Raw) -> int:
    """The number of a label, from 1; 0 for the empty text that MySQL stores for an invalid label."""
    if not isinstance(raw, bytes):
        return int(raw or 0)
    label = raw.decode()
    if label in column.labels:
        return column.labels.index(label) + 1
    if label:
        raise ProgressError(f"{label!r} is no label of the key column {column.name}")
    return 0


def _stored(column: KeyColumn, raw: Raw) -> bytes:
    if not isinstance(raw, bytes):
        raise TypeError(f"the key column {column.name} needs bytes, not {type(raw).__name__}")
    # The log may have a BINARY value without its trailing zero bytes, but the server compares it with them.
    return raw.ljust(column.size, b"\0")
