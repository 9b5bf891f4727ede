"""Scalar functions over stored values, registered on each SQLite connection.

Source: "What are the SQL database functions?", https://learn.microsoft.com/sql/t-sql/functions/functions
"""

# ruff: noqa: E501  # tables stand in long lines
from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from uuid import uuid4

from tailrace.standin.sqlserver.engine import types
from tailrace.standin.sqlserver.engine.errors import error, unsupported
from tailrace.standin.sqlserver.engine.stored import Stored, guid_stored
from tailrace.standin.sqlserver.engine.types import BIGINT, FLOAT, INT
from tailrace.standin.sqlserver.values import MAX, SqlType

TEXT: Final = types.text("nvarchar", MAX)
BYTES: Final = types.binary("varbinary", MAX)
ResultRule: TypeAlias = SqlType | Callable[[list[SqlType]], SqlType]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Attributes:
        arguments: types to which arguments are converted; None leaves one as it is; the last stands for all that
            follow.
        result: a type, or what gives one for the arguments' types.
        least, most: how many arguments.
        takes_null: gets NULLs, instead of being NULL where an argument is.
        is_stable: the same arguments give the same result.

    """

    name: str
    call: Callable[..., Stored]
    arguments: tuple[SqlType | None, ...]
    result: ResultRule
    least: int
    most: int
    takes_null: bool = False
    is_stable: bool = True


FUNCTIONS: Final[dict[str, Function]] = {}


def function(
    name: str, arguments: tuple[SqlType | None, ...], result: ResultRule, *, least: int | None = None, most: int | None = None,
    takes_null: bool = False, is_stable: bool = True,
) -> Callable[[Callable[..., Stored]], Callable[..., Stored]]:  # fmt: skip
    """Register a function under T-SQL's name."""

    def register(call: Callable[..., Stored]) -> Callable[..., Stored]:
        fewest = len(arguments) if least is None else least
        FUNCTIONS[name] = Function(name, call, arguments, result, fewest, most or len(arguments), takes_null, is_stable)
        return call

    return register


def _first(of: list[SqlType]) -> SqlType:
    return of[0] if types.is_text(of[0]) or types.family(of[0]) == "binary" else types.text("varchar", 8000)


def _longest(of: list[SqlType]) -> SqlType:
    first = _first(of)
    return SqlType(
        first.name.replace("nchar", "nvarchar") if first.name == "nchar" else first.name,
        MAX if first.length == MAX else 4000 if first.name[0] == "n" else 8000,
        collation=first.collation,
    )


def _number(of: list[SqlType]) -> SqlType:
    return of[0] if types.is_number(of[0]) else FLOAT


@function("LEN", (TEXT,), INT)
def _len(value: str) -> int:
    return len(value.rstrip(" ").encode("utf-16-le", "surrogatepass")) // 2


@function("UPPER", (None,), _first)
def _upper(value: str) -> str:
    return str(value).upper()


@function("LOWER", (None,), _first)
def _lower(value: str) -> str:
    return str(value).lower()


@function("LTRIM", (None,), _first)
def _ltrim(value: str) -> str:
    return str(value).lstrip(" ")


@function("RTRIM", (None,), _first)
def _rtrim(value: str) -> str:
    return str(value).rstrip(" ")


@function("TRIM", (None,), _first)
def _trim(value: str) -> str:
    return str(value).strip(" ")


@function("REVERSE", (None,), _first)
def _reverse(value: str) -> str:
    return str(value)[::-1]


@function("SUBSTRING", (None, INT, INT), _first)
def _substring(value: Any, start: int, length: int) -> Stored:
    if length < 0:
        raise error(102, "SUBSTRING")
    text = value if isinstance(value, str | bytes) else str(value)
    return text[max(start - 1, 0) : max(start - 1 + length, 0)]


@function("LEFT", (None, INT), _first)
def _left(value: Any, length: int) -> Stored:
    return (value if isinstance(value, str | bytes) else str(value))[:length]


@function("RIGHT", (None, INT), _first)
def _right(value: Any, length: int) -> Stored:
    text = value if isinstance(value, str | bytes) else str(value)
    return text[len(text) - length :] if length < len(text) else text


@function("CHARINDEX", (TEXT, TEXT, INT), INT, least=2)
def _charindex(what: str, where: str, start: int = 1) -> int:
    return where.casefold().find(what.casefold(), max(start - 1, 0)) + 1


@function("REPLACE", (TEXT, TEXT, TEXT), _longest)
def _replace(value: str, old: str, new: str) -> str:
    return re.sub(re.escape(old), lambda _m: new, value, flags=re.IGNORECASE) if old else value


@function("STUFF", (TEXT, INT, INT, TEXT), _longest, takes_null=True)
def _stuff(value: str | None, start: int | None, length: int | None, new: str | None) -> str | None:
    if value is None or start is None or length is None or start < 1 or start > len(value) or length < 0:
        return None
    return value[: start - 1] + (new or "") + value[start - 1 + length :]


@function("REPLICATE", (None, INT), _longest)
def _replicate(value: str, count: int) -> str | None:
    return str(value) * count if count >= 0 else None


@function("SPACE", (INT,), types.text("varchar", 8000))
def _space(count: int) -> str | None:
    return " " * count if count >= 0 else None


@function("CHAR", (INT,), types.text("char", 1))
def _char(code: int) -> str | None:
    return bytes([code]).decode("cp1252", "replace") if 0 <= code <= 255 else None


@function("NCHAR", (INT,), types.text("nchar", 1))
def _nchar(code: int) -> str | None:
    return chr(code) if 0 <= code < 0x110000 else None


@function("ASCII", (TEXT,), INT)
def _ascii(value: str) -> int | None:
    return value[:1].encode("cp1252", "replace")[0] if value else None


@function("UNICODE", (TEXT,), INT)
def _unicode(value: str) -> int | None:
    return ord(value[0]) if value else None


@function("QUOTENAME", (TEXT, TEXT), types.text("nvarchar", 258), least=1)
def _quotename(value: str, mark: str = "[") -> str | None:
    if mark in {"[", "]"}:
        return f"[{value.replace(']', ']]')}]"
    return f"{mark}{value.replace(mark, mark * 2)}{mark}" if mark in {"'", '"'} else None


@function("PARSENAME", (TEXT, INT), types.SYSNAME)
def _parsename(value: str, part: int) -> str | None:
    parts = [a or b for a, b in re.findall(r"\[([^\]]*)\]|([^.\[\]]+)", value)]
    return parts[-part] if 0 < part <= len(parts) else None


@function("PATINDEX", (TEXT, TEXT), INT)
def _patindex(pattern: str, value: str) -> int:
    inner = pattern.strip("%")
    match = re.search(
        _expression(inner, "") if pattern.startswith("%") else "^" + _expression(inner, ""),
        value,
        re.IGNORECASE | re.DOTALL,
    )
    return match.start() + 1 if match else 0


@function("STR", (FLOAT, INT, INT), types.text("varchar", 8000), least=1)
def _str(value: float, length: int = 10, digits: int = 0) -> str:
    text = f"{value:.{digits}f}"
    return text.rjust(length) if len(text) <= length else "*" * length


@function("HASHBYTES", (TEXT, BYTES), types.binary("varbinary", 8000))
def _hashbytes(kind: str, data: Any) -> bytes:
    names = {"MD5": "md5", "SHA": "sha1", "SHA1": "sha1", "SHA2_256": "sha256", "SHA2_512": "sha512"}
    if kind.upper() not in names:
        raise unsupported(f"HASHBYTES with {kind}")
    return hashlib.new(names[kind.upper()], data).digest()


@function("NEWID", (), types.GUID, is_stable=False)
def _newid() -> bytes:
    return guid_stored(uuid4())


FUNCTIONS["NEWSEQUENTIALID"] = Function("NEWSEQUENTIALID", _newid, (), types.GUID, 0, 0, is_stable=False)


@function("ABS", (None,), _number)
def _abs(value: Any) -> Stored:
    return abs(value)


@function("SIGN", (FLOAT,), INT)
def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


@function("POWER", (FLOAT, FLOAT), FLOAT)
def _power(value: float, exponent: float) -> float:
    return float(value**exponent)


@function("SQUARE", (FLOAT,), FLOAT)
def _square(value: float) -> float:
    return value * value


@function("RAND", (INT,), FLOAT, least=0, is_stable=False)
def _rand(seed: int | None = None) -> float:
    import random

    return (random.Random(seed) if seed is not None else random).random()  # noqa: S311


for _name, _call in (("SQRT", math.sqrt), ("EXP", math.exp), ("LOG", math.log), ("LOG10", math.log10), ("SIN", math.sin), ("COS", math.cos), ("TAN", math.tan), ("PI", lambda: math.pi)):  # fmt: skip
    _arguments: tuple[SqlType | None, ...] = () if _name == "PI" else (FLOAT,)
    FUNCTIONS[_name] = Function(_name, _call, _arguments, FLOAT, len(_arguments), len(_arguments))


@function("ISNUMERIC", (TEXT,), INT, takes_null=True)
def _isnumeric(value: str | None) -> int:
    return int(bool(value and re.match(r"\s*[+-]?[$£€]?(\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$", value)))


def _expression(pattern: str, escape: str) -> str:
    """A LIKE pattern as a regular expression."""
    out, place = [], 0
    while place < len(pattern):
        c = pattern[place]
        place += 1
        if escape and c == escape and place < len(pattern):
            out.append(re.escape(pattern[place]))
            place += 1
        elif c == "%":
            out.append(".*")
        elif c == "_":
            out.append(".")
        elif c == "[" and (end := pattern.find("]", place + 1)) > 0:
            inner = pattern[place:end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[{inner}]")
            place = end + 1
        else:
            out.append(re.escape(c))
    return "".join(out)


def liker() -> Callable[[Any, Any, Any, int], int | None]:
    """LIKE: (value, pattern, escape or NULL, 1 where case counts); keeps the patterns it has read."""
    known: dict[tuple[str, str | None, int], re.Pattern[str]] = {}

    def like(value: Any, pattern: Any, escape: str | None, exact: int) -> int | None:
        if value is None or pattern is None:
            return None
        key = (pattern, escape, exact)
        compiled = known.get(key)
        if compiled is None:
            compiled = known[key] = re.compile(
                _expression(pattern, escape or "") + " *\\Z", re.DOTALL | (0 if exact else re.IGNORECASE)
            )
        return int(compiled.match(value) is not None)

    return like


@function("BIT_COUNT", (BIGINT,), BIGINT)
def _bit_count(value: int) -> int:
    return (value & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
