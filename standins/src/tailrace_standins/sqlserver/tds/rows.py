"""Encodes rows as ROW tokens, a column at a time, so that Python's C loops (`map`, `zip`, `join`) do most of the work.

A plan has a function for each column, which takes the column's values and returns the parts of their bytes: one iterable of
bytes, or two if the lengths are separate from the data. Plans are cached for each list of types.

Source: [MS-TDS] 2.2.7.19 ROW
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

from tailrace_standins.sqlserver.session import EncodedRows, ResultColumn
from tailrace_standins.sqlserver.tds.collations import collation
from tailrace_standins.sqlserver.tds.encoding import Encode
from tailrace_standins.sqlserver.tds.frames import framed, null
from tailrace_standins.sqlserver.tds.types import Framing, framing
from tailrace_standins.sqlserver.values import SqlType, Value

Parts: TypeAlias = tuple[Iterable[bytes], ...]
Plan: TypeAlias = Callable[[Sequence[Any]], Parts]

ROW: Final = b"\xd1"
_INTEGERS: Final = {"smallint": ("<Bh", 2), "int": ("<Bi", 4), "bigint": ("<Bq", 8)}
_FLOATS: Final = {"real": ("<Bf", 4), "float": ("<Bd", 8)}
_BYTES: Final = [bytes((1, number)) for number in range(256)]
_UTF16: Final = frozenset({"nchar", "nvarchar", "sysname"})
_LENGTH: Final = struct.Struct("<H").pack
_KEPT: Final = 8192
_MANY: Final = 500


def encoded(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Value]]) -> bytes:
    """Rows as consecutive ROW tokens; every row has a value for every column."""
    if not rows:
        return b""
    plans = _plans(tuple(column.type for column in columns))
    parts = [part for plan, values in zip(plans, zip(*rows, strict=True), strict=True) for part in plan(values)]
    return b"".join(chain.from_iterable(zip(repeat(ROW, len(rows)), *parts, strict=True)))


def encoded_piece(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Value]]) -> EncodedRows:
    """The same as a piece of a result, which can be sent repeatedly; many rows are encoded through Arrow."""
    if len(rows) >= _MANY:
        from tailrace_standins.sqlserver.tds.bulk import encoded_columns

        return encoded_columns(columns, rows)
    return EncodedRows(len(rows), encoded(columns, rows))


@cache
def _plans(types: tuple[SqlType, ...]) -> tuple[Plan, ...]:
    return tuple(map(_plan, types))


@cache
def _plan(type_: SqlType) -> Plan:
    name = type_.name
    if name in _INTEGERS or name in _FLOATS:
        return _packed(*(_INTEGERS.get(name) or _FLOATS[name]))
    if name in {"bit", "tinyint"}:
        return _one_by_one(_BYTES.__getitem__, b"\0")
    if framing(type_) is Framing.SHORT:
        return _short(type_)
    encode = framed(type_)
    if name in {"date", "smalldatetime"}:
        encode = lru_cache(_KEPT)(encode)
    return _one_by_one(encode, null(type_))


def _packed(layout: str, size: int) -> Plan:
    pack = struct.Struct(layout).pack

    def plan(values: Sequence[Any]) -> Parts:
        if None in values:
            return ([b"\0" if value is None else pack(size, value) for value in values],)
        return (map(pack, repeat(size, len(values)), values),)

    return plan


def _one_by_one(encode: Encode, nothing: bytes) -> Plan:
    def plan(values: Sequence[Any]) -> Parts:
        if None in values:
            return ([nothing if value is None else encode(value) for value in values],)
        return (map(encode, values),)

    return plan


def _short(type_: SqlType) -> Plan:
    """The plan of bytes and texts of up to 8000 bytes: lengths and data are separate parts, so that nothing is copied twice."""
    payloads = _payloads(type_)
    encode, nothing = framed(type_), null(type_)

    def plan(values: Sequence[Any]) -> Parts:
        if None in values:
            return ([nothing if value is None else encode(value) for value in values],)
        data = payloads(values)
        return map(_LENGTH, map(len, data)), data

    return plan


def _payloads(type_: SqlType) -> Callable[[Sequence[Any]], Sequence[bytes]]:
    if type_.name in _UTF16:
        return lambda values: [text.encode("utf-16-le", "surrogatepass") for text in values]
    if type_.name in {"char", "varchar"}:
        encoding = collation(type_.collation).encoding
        return lambda values: [text.encode(encoding, "replace") for text in values]
    return lambda values: values
