"""The stored form of values, in which SQLite compares and sorts them as SQL Server does.

| types | in SQLite |
| --- | --- |
| integers, bit | INTEGER |
| float, real | REAL |
| decimal, numeric, money | TEXT that sorts as the number does, whatever its scale (`packed`) |
| characters, xml | TEXT, compared under the collations of `collations.py` |
| binary | BLOB |
| uniqueidentifier | BLOB in the order in which SQL Server compares its bytes |
| date, time, datetime, datetime2 | TEXT with seven digits of seconds |
| datetimeoffset | TEXT: the instant in UTC with seven digits, then the offset; compared by the instant |
| sql_variant | TEXT: JSON of the type and the value |

Source: "Comparing GUID and uniqueidentifier values",
https://learn.microsoft.com/sql/connect/ado-net/sql/compare-guid-uniqueidentifier-values
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any, Final, TypeAlias
from uuid import UUID

from tailrace_standins.sqlserver.engine import temporal
from tailrace_standins.sqlserver.engine.types import family
from tailrace_standins.sqlserver.values import SqlType, Value, Variant

Stored: TypeAlias = Any  # int, float, str, bytes or None: the types of SQLite
Conversion: TypeAlias = Callable[[Any], Stored]  # of a value that is not NULL

EXACT: Final = Context(prec=120)
_COMPLEMENT: Final = str.maketrans("0123456789", "9876543210")
_GUID_ORDER: Final = (10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3)
_GUID_BACK: Final = tuple(_GUID_ORDER.index(i) for i in range(16))
_ZERO: Final = "p00"


def packed(number: Decimal) -> str:
    """A decimal as text in its order: sign, count of digits before the point, the digits.

    Where it is negative the complements of all of these.

    """
    text = format(number, "f")
    negative = text[0] == "-"
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = whole.lstrip("0")
    digits = (whole + fraction).rstrip("0")
    if not digits:
        return _ZERO
    digits = digits.ljust(len(whole), "0")
    if negative:
        return f"n{99 - len(whole):02}{digits.rstrip('0').translate(_COMPLEMENT)}~"
    return f"p{len(whole):02}{digits.rstrip('0')}"


def unpacked(text: str, scale: int) -> Decimal:
    """The decimal of `packed`, with `scale` fractional digits."""
    if text[0] == "p":
        sign, count, digits = "", int(text[1:3]), text[3:]
    else:
        sign, count, digits = "-", 99 - int(text[1:3]), text[3:-1].translate(_COMPLEMENT)
    if len(digits) < count + scale:
        digits = digits.ljust(count + scale, "0")
    return Decimal(f"{sign}{digits[:count] or '0'}.{digits[count:]}")


def exact(text: str) -> Decimal:
    """The decimal of `packed`, with the digits it has."""
    return unpacked(text, 0)


def guid_stored(value: UUID) -> bytes:
    """Bytes in SQL Server's order of comparison."""
    data = value.bytes_le
    return bytes(data[i] for i in _GUID_ORDER)


def guid_value(data: bytes) -> UUID:
    """Back from `guid_stored`."""
    return UUID(bytes_le=bytes(data[i] for i in _GUID_BACK))


def variant_stored(of: SqlType, stored: Stored) -> str:
    """A value with its type, for sql_variant."""
    payload = {"x": stored.hex()} if isinstance(stored, bytes) else stored
    return json.dumps([of.name, of.length, of.precision, of.scale, of.collation, payload])


def variant_parts(text: str) -> tuple[SqlType, Stored]:
    """Back from `variant_stored`."""
    name, length, precision, scale, collation, payload = json.loads(text)
    stored = bytes.fromhex(payload["x"]) if isinstance(payload, dict) else payload
    return SqlType(name, length, precision, scale, collation), stored


def encoded(value: Value, of: SqlType) -> Stored:
    """A value of the type `of`, as `values.py` has it, as SQLite holds it."""
    if value is None:
        return None
    encoder = _ENCODERS.get(family(of))
    return encoder(value, of) if encoder else value


def decoder(of: SqlType) -> Callable[[Stored], Value] | None:
    """What makes of a stored value (not NULL) one of `values.py`; None where both are the same."""
    maker = _DECODERS.get(family(of))
    return maker(of) if maker else None


def decoded(stored: Stored, of: SqlType) -> Value:
    """A stored value as `values.py` has it."""
    decode = decoder(of)
    return stored if stored is None or decode is None else decode(stored)


def _datetime_decoder(of: SqlType) -> Callable[[str], Value]:
    scale = 0 if of.name == "smalldatetime" else 3 if of.name == "datetime" else of.scale
    end = 20 + scale if scale else 19
    return lambda text: text[:end]


def _time_decoder(of: SqlType) -> Callable[[str], Value]:
    end = 9 + of.scale if of.scale else 8
    return lambda text: text[:end]


def _decimal_decoder(of: SqlType) -> Callable[[str], Value]:
    scale = of.scale
    return lambda text: unpacked(text, scale)


def _variant_value(text: str) -> Variant:
    of, stored = variant_parts(text)
    return Variant(of, decoded(stored, of))


def _variant_encoded(value: Value, _of: SqlType) -> str:
    assert isinstance(value, Variant)  # noqa: S101  # the type says so
    return variant_stored(value.type, encoded(value.value, value.type))


def _decimal_encoded(value: Value, of: SqlType) -> str:
    assert isinstance(value, Decimal | int)  # noqa: S101  # the type says so
    return packed(Decimal(value).quantize(Decimal(1).scaleb(-of.scale), context=EXACT))


_ENCODERS: Final[dict[str, Callable[[Any, SqlType], Stored]]] = {
    "int": lambda value, _of: int(value),
    "float": lambda value, _of: float(value),
    "decimal": _decimal_encoded,
    "guid": lambda value, _of: guid_stored(value),
    "binary": lambda value, _of: bytes(value),
    "time": lambda value, _of: temporal.seven_digits(value),
    "datetime": lambda value, _of: temporal.seven_digits(value),
    "offset": lambda value, _of: temporal.offset_stored(value),
    "variant": _variant_encoded,
}
_DECODERS: Final[dict[str, Callable[[SqlType], Callable[[Any], Value]]]] = {
    "decimal": _decimal_decoder,
    "guid": lambda _of: guid_value,
    "time": _time_decoder,
    "datetime": _datetime_decoder,
    "offset": lambda of: lambda text: temporal.offset_value(text, of.scale),
    "variant": lambda _of: _variant_value,
}
