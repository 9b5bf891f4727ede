"""LIKE and PATINDEX.

Source: "LIKE", https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql
"""

# tables have long lines
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tailrace_standins.sqlserver.engine.functions.registry import TEXT, function
from tailrace_standins.sqlserver.engine.types import INT


@function("PATINDEX", (TEXT, TEXT), INT)
def _patindex(pattern: str, value: str) -> int:
    inner = pattern.strip("%")
    match = re.search(
        _expression(inner, "") if pattern.startswith("%") else "^" + _expression(inner, ""),
        value,
        re.IGNORECASE | re.DOTALL,
    )
    return match.start() + 1 if match else 0


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
