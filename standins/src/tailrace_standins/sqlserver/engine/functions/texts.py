"""Functions of strings and bytes.

Source: "String functions", https://learn.microsoft.com/sql/t-sql/functions/string-functions-transact-sql
"""

# tables have long lines
from __future__ import annotations

import hashlib
import re
from typing import Any

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.functions.registry import BYTES, TEXT, function
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.engine.types import FLOAT, INT
from tailrace_standins.sqlserver.values import MAX, SqlType


def _first(of: list[SqlType]) -> SqlType:
    return of[0] if types.is_text(of[0]) or types.family(of[0]) == "binary" else types.text("varchar", 8000)


def _longest(of: list[SqlType]) -> SqlType:
    first = _first(of)
    return SqlType(
        first.name.replace("nchar", "nvarchar") if first.name == "nchar" else first.name,
        MAX if first.length == MAX else 4000 if first.name[0] == "n" else 8000,
        collation=first.collation,
    )


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
