"""The table map event: a table's columns as the log describes them.

Types, lengths and nullability are always there. Signedness, character sets and geometry types come with
binlog_row_metadata=MINIMAL; names, labels, keys and visibility only with FULL; before MySQL 8.0 none of them
does.

Source: MySQL source documentation, `Table_map_event`, "Metadata in table map" and `Optional_metadata_fields`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from tailrace.connectors.mysql.log.wire import lenenc

DECIMAL, TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG, INT24 = range(10)
DATE, TIME, DATETIME, YEAR, NEWDATE, VARCHAR, BIT, TIMESTAMP2, DATETIME2, TIME2, TYPED_ARRAY = range(10, 21)
VECTOR, JSON, NEWDECIMAL, ENUM, SET = 242, 245, 246, 247, 248
TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB, VAR_STRING, STRING, GEOMETRY = 249, 250, 251, 252, 253, 254, 255

_T = TypeVar("_T")
_NUMERIC: Final = {TINY, SHORT, INT24, LONG, LONGLONG, FLOAT, DOUBLE, DECIMAL, NEWDECIMAL, YEAR}
_CHARACTER: Final = {VARCHAR, VAR_STRING, STRING, TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB}
_ONE_BYTE: Final = {
    FLOAT, DOUBLE, TIMESTAMP2, DATETIME2, TIME2, TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB, JSON, GEOMETRY,
    VECTOR,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MapColumn:
    """One column. What the log doesn't say is None.

    Attributes:
        type: MySQL's type number; ENUM, SET and STRING are distinguished, so VAR_STRING never occurs.
        meta: VARCHAR, STRING: longest length in bytes. DECIMAL: precision << 8 | scale. BIT: bits. ENUM, SET:
            bytes. Times: fractional digits. BLOB, JSON, GEOMETRY, VECTOR: bytes of the length. FLOAT, DOUBLE:
            bytes. Else 0.
        nullable: it may hold NULL.
        unsigned: of a number (a YEAR is one, and unsigned); False for any other.
        collation: number of the collation, of a character or ENUM or SET column; 63 is binary.
        name: its name.
        labels: of an ENUM or SET, in the column's character set.
        geometry: OGC type: 0 GEOMETRY, 1 POINT, ...
        visible: False for an invisible column.
        dimensions: of a VECTOR.
        array_type: type of the elements, of the hidden column of a multi-valued index.

    """

    type: int
    meta: int
    nullable: bool
    unsigned: bool | None = None
    collation: int | None = None
    name: str | None = None
    labels: tuple[bytes, ...] | None = None
    geometry: int | None = None
    visible: bool | None = None
    dimensions: int | None = None
    array_type: int | None = None


@dataclass(frozen=True, slots=True)
class TableMap:
    """A table as the log describes it.

    `primary_key`: column numbers and prefix lengths (0: whole); None if the log doesn't say.
    """

    table_id: int
    flags: int
    database: str
    table: str
    columns: tuple[MapColumn, ...]
    primary_key: tuple[tuple[int, int], ...] | None = None

    @property
    def has_names(self) -> bool:
        """True with binlog_row_metadata=FULL."""
        return bool(self.columns) and self.columns[0].name is not None


@dataclass(slots=True)
class _Metadata:
    """The optional metadata, by kind."""

    signs: list[bool] | None = None
    charsets: list[int] | Callable[[int], int] | None = None
    label_charsets: list[int] | Callable[[int], int] | None = None
    names: list[str] | None = None
    set_labels: list[tuple[bytes, ...]] = field(default_factory=list)
    enum_labels: list[tuple[bytes, ...]] = field(default_factory=list)
    geometries: list[int] = field(default_factory=list)
    visible: list[bool] | None = None
    dimensions: list[int] = field(default_factory=list)
    key: list[tuple[int, int]] | None = None


def parse_table_map(body: bytes) -> TableMap:
    """Parse the body (after the header, without checksum) of a table map event."""
    table_id, flags = int.from_bytes(body[:6], "little"), int.from_bytes(body[6:8], "little")
    database, o = _name(body, 8)
    table, o = _name(body, o)
    count, o = lenenc(body, o)
    types, o = body[o : o + count], o + count
    length, o = lenenc(body, o)
    kinds = list(_types(types, body[o : o + length]))
    o += length
    size = (count + 7) // 8
    nullable, o = _bits(body[o : o + size]), o + size
    metadata = _optional(body, o, count)
    key = tuple(metadata.key) if metadata.key else () if metadata.names else None
    return TableMap(table_id, flags, database, table, tuple(_columns(kinds, nullable, metadata)), key)


def _name(body: bytes, o: int) -> tuple[str, int]:
    length = body[o]
    return body[o + 1 : o + 1 + length].decode(), o + length + 2


def _bits(data: bytes) -> list[bool]:
    return [bool(byte >> k & 1) for byte in data for k in range(8)]


def _bits_from_top(data: bytes) -> list[bool]:
    return [bool(byte >> k & 1) for byte in data for k in range(7, -1, -1)]


def _types(types: bytes, meta: bytes) -> Iterator[tuple[int, int, int | None]]:
    """Type, parameter and type of the elements of each column."""
    o = 0
    for type_ in types:
        if type_ == TYPED_ARRAY:
            element = meta[o]
            o += 1
            size = 3 if element in (VARCHAR, VAR_STRING) else _meta_size(element)
            yield type_, 0, element
        else:
            size = _meta_size(type_)
            yield *_type(type_, meta[o : o + size]), None
        o += size


def _meta_size(type_: int) -> int:
    if type_ in _ONE_BYTE:
        return 1
    return 2 if type_ in (VARCHAR, VAR_STRING, NEWDECIMAL, STRING, BIT, ENUM, SET) else 0


def _type(type_: int, meta: bytes) -> tuple[int, int]:
    if type_ in (VARCHAR, VAR_STRING):
        return VARCHAR, meta[0] | meta[1] << 8
    if type_ == NEWDECIMAL:
        return type_, meta[0] << 8 | meta[1]
    if type_ == BIT:
        return type_, meta[1] * 8 + meta[0]
    if type_ in (STRING, ENUM, SET):
        if meta[0] in (ENUM, SET):
            return meta[0], meta[1]
        # two bits of a length above 255 are stored, inverted, in the type's byte
        return STRING, (meta[0] & 0x30 ^ 0x30) << 4 | meta[1]
    return type_, meta[0] if meta else 0


def _optional(body: bytes, o: int, count: int) -> _Metadata:
    found = _Metadata()
    while o < len(body):
        kind = body[o]
        length, o = lenenc(body, o + 1)
        _take(found, kind, body[o : o + length], count)
        o += length
    return found


def _take(found: _Metadata, kind: int, data: bytes, count: int) -> None:
    """Store one piece of optional metadata; decoding does not need unknown kinds."""
    match kind:
        case 1:
            found.signs = _bits_from_top(data)
        case 2:
            found.charsets = _default_charset(data)
        case 3:
            found.charsets = _numbers(data)
        case 4:
            found.names = [text.decode() for text in _strings(data)]
        case 5:
            found.set_labels = _labels(data)
        case 6:
            found.enum_labels = _labels(data)
        case 7:
            found.geometries = _numbers(data)
        case 8:
            found.key = [(column, 0) for column in _numbers(data)]
        case 9:
            numbers = _numbers(data)
            found.key = list(zip(numbers[::2], numbers[1::2], strict=True))
        case 10:
            found.label_charsets = _default_charset(data)
        case 11:
            found.label_charsets = _numbers(data)
        case 12:
            found.visible = _bits_from_top(data)[:count]
        case 13:
            found.dimensions = _numbers(data)


def _numbers(data: bytes) -> list[int]:
    numbers, o = [], 0
    while o < len(data):
        number, o = lenenc(data, o)
        numbers.append(number)
    return numbers


def _strings(data: bytes) -> Iterator[bytes]:
    o = 0
    while o < len(data):
        length, o = lenenc(data, o)
        yield data[o : o + length]
        o += length


def _labels(data: bytes) -> list[tuple[bytes, ...]]:
    lists, o = [], 0
    while o < len(data):
        count, o = lenenc(data, o)
        labels = []
        for _ in range(count):
            length, o = lenenc(data, o)
            labels.append(data[o : o + length])
            o += length
        lists.append(tuple(labels))
    return lists


def _default_charset(data: bytes) -> Callable[[int], int]:
    """The collation of the n-th character column: a default, and pairs of number and other collation."""
    default, *pairs = _numbers(data)
    others = dict(zip(pairs[::2], pairs[1::2], strict=True))
    return lambda n: others.get(n, default)


def _columns(
    kinds: list[tuple[int, int, int | None]], nullable: list[bool], found: _Metadata
) -> Iterator[MapColumn]:
    """Assign metadata that the log lists by kind of column (the n-th number, the n-th ENUM, ...) to the columns."""
    seen = {"number": 0, "text": 0, "labels": 0, ENUM: 0, SET: 0, GEOMETRY: 0, VECTOR: 0}

    def turn(kind: str | int) -> int:
        seen[kind] += 1
        return seen[kind] - 1

    for n, (type_, meta, element) in enumerate(kinds):
        unsigned: bool | None = False
        collation = labels = geometry = dimensions = None
        if type_ in _NUMERIC:
            unsigned = None if found.signs is None else found.signs[turn("number")]
        elif type_ in _CHARACTER:
            collation = _pick(found.charsets, turn("text"))
        elif type_ in (ENUM, SET):
            collation = _pick(found.label_charsets, turn("labels"))
            lists = found.enum_labels if type_ == ENUM else found.set_labels
            labels = _pick(lists, turn(type_))
        elif type_ == GEOMETRY:
            geometry = _pick(found.geometries, turn(type_))
        elif type_ == VECTOR:
            dimensions = _pick(found.dimensions, turn(type_))
        yield MapColumn(
            type_,
            meta,
            nullable[n],
            unsigned,
            collation,
            _pick(found.names, n),
            labels,
            geometry,
            _pick(found.visible, n),
            dimensions,
            element,
        )


def _pick(values: list[_T] | Callable[[int], _T] | None, n: int) -> _T | None:
    if values is None:
        return None
    if callable(values):
        return values(n)
    return values[n] if n < len(values) else None
