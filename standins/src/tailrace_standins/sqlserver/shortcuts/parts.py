"""Parts of columns that clients select because their own types lose information, or are slow.

A driver's Arrow columns have six fractional digits and no offset, so clients select the seventh digit and the offset as
numbers. A uniqueidentifier is a text in them, while `CAST(… AS binary(16))` gives bytes, of which the first three groups
are little-endian.

Sources: "DATEPART", https://learn.microsoft.com/sql/t-sql/functions/datepart-transact-sql;
"uniqueidentifier", https://learn.microsoft.com/sql/t-sql/data-types/uniqueidentifier-transact-sql
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.functions.dates import PARTS
from tailrace_standins.sqlserver.shortcuts.conditions import UnreadableError
from tailrace_standins.sqlserver.values import SqlType

NANOSECOND: Final = "nanosecond"
TZOFFSET: Final = "tzoffset"
GUID_BYTES: Final = "bytes"
ZONED: Final = "zoned"
_STORED_GUID: Final = (3, 2, 1, 0, 5, 4, 7, 6, *range(8, 16))
_FRACTION: Final = {"time": 9, "datetime": 20, "smalldatetime": 20, "datetime2": 20, "datetimeoffset": 20}
"""The index of the first fractional digit in a text of `values.py`."""
_OFFSET: Final = len("+00:00")


def requested_part(node: tree.Expression) -> tuple[str, tree.Column]:
    """The part and its column; raises `UnreadableError`."""
    match node:
        case tree.Cast(operand=tree.Column() as column, type=SqlType(name="binary", length=16)):
            return GUID_BYTES, column
        case tree.Call(names=names, arguments=[tree.Column(names=(given,)), tree.Column() as column]):
            part = PARTS.get(given.upper(), "")
            if names[-1].upper() == "DATEPART" and part in {NANOSECOND, TZOFFSET}:
                return part, column
    raise UnreadableError


def is_servers_offset(node: tree.Call) -> bool:
    """Whether it is `DATEPART(tzoffset, SYSDATETIMEOFFSET())`, which is 0 because the server's time zone is UTC."""
    match node:
        case tree.Call(names=names, arguments=[tree.Column(names=(given,)), tree.Call(names=now, arguments=[])]):
            called = (names[-1].upper(), PARTS.get(given.upper(), ""), now[-1].upper())
            return called == ("DATEPART", TZOFFSET, "SYSDATETIMEOFFSET")
    return False


def check(part: str, of: SqlType) -> None:
    """Raises `UnreadableError` if the type has no such part, or it is not in the type's text."""
    known = {NANOSECOND: _FRACTION, TZOFFSET: {"datetime2", "datetimeoffset"}, GUID_BYTES: {"uniqueidentifier"}}[part]
    if of.name not in known:
        raise UnreadableError


def part_of(part: str, of: SqlType, array: Any) -> Any:
    """The part of each value; NULL of NULL."""
    return {NANOSECOND: _nanoseconds, TZOFFSET: _offsets, GUID_BYTES: _guid_bytes, ZONED: _zoned}[part](of, array)


def _nanoseconds(of: SqlType, texts: Any) -> Any:
    digits = 3 if of.name == "datetime" else of.scale
    if not digits:
        return _zeros(texts)
    begin = _FRACTION[of.name]
    found = pc.cast(pc.utf8_slice_codeunits(texts, begin, begin + digits), pa.int32())
    return pc.multiply(found, pa.scalar(10 ** (9 - digits), pa.int32()))


def _offsets(of: SqlType, texts: Any) -> Any:
    if of.name != "datetimeoffset":
        return _zeros(texts)
    shown = pc.utf8_slice_codeunits(texts, -_OFFSET, None)
    hours, minutes = (pc.cast(pc.utf8_slice_codeunits(shown, at, at + 2), pa.int32()) for at in (1, 4))
    found = pc.add(pc.multiply(hours, pa.scalar(60, pa.int32())), minutes)
    return pc.if_else(pc.starts_with(shown, "-"), pc.negate(found), found)


def _zoned(_of: SqlType, texts: Any) -> Any:
    """Times with the offset of UTC."""
    return pc.binary_join_element_wise(texts, pa.scalar(" +00:00", texts.type), pa.scalar("", texts.type))


def _guid_bytes(_of: SqlType, array: Any) -> Any:
    """UUIDs in SQL Server's byte order, from the order of their text."""
    _, data = array.buffers()
    written = np.frombuffer(data, np.uint8).reshape(-1, 16)[array.offset : array.offset + len(array)]
    stored = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), len(array), [None, pa.py_buffer(np.ascontiguousarray(written[:, _STORED_GUID]))]
    )
    return pc.if_else(array.is_valid(), stored, pa.scalar(None, pa.binary(16))) if array.null_count else stored


def _zeros(texts: Any) -> Any:
    return pc.if_else(pc.is_valid(texts), pa.scalar(0, pa.int32()), pa.scalar(None, pa.int32()))
