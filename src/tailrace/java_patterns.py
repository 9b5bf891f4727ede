r"""Debezium's lists of regular expressions, which are in Java's dialect.

A list is split at commas; `\,` is a comma within an expression. An expression must match a whole name. Case is ignored, for
ASCII letters only, as in Java (`CASE_INSENSITIVE` without `UNICODE_CASE`). Most of Java's syntax means the same in Python.
Syntax that Python spells differently is rewritten here. Syntax without a counterpart is refused, so that an expression never
silently matches something else than in Debezium.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

_PROPERTIES = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "A-Za-z",
    "Digit": "0-9",
    "Alnum": "A-Za-z0-9",
    "XDigit": "0-9A-Fa-f",
    "Blank": r" \t",
    "Space": r" \t\n\x0b\f\r",
}
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|$)"
    r"|\\p\{(?P<property>\w+)\}"
    r"|\\k<(?P<backref>\w+)>"
    r"|\(\?<(?P<group>[A-Za-z]\w*)>"
    r"|\\x\{(?P<hex>[0-9A-Fa-f]{1,6})\}"
    r"|(?P<end>\\z)"
    r"|(?P<last_line>\\Z)"
    r"|(?P<escape>\\e)"
    r"|\\(?P<unknown>[GhHRXNVPpcEkvU])"
    r"|(?P<pair>\\.)"
    r"|(?P<open>\[\^?\]?)"
    r"|(?P<close>\])"
    r"|(?P<both>&&)"
    r"|(?P<other>.)",
    re.DOTALL,
)


class PatternError(ValueError):
    """An expression that is invalid, or that Python can't express; the text says why."""


def split_regexes(text: str) -> tuple[str, ...]:
    r"""Split a list of expressions at its commas and strip them; `\,` becomes a comma, empty expressions are left out."""
    if re.fullmatch(r"(?:\\.|[^\\])*", text, re.DOTALL) is None:
        raise PatternError("it ends with a lone backslash")
    parts = re.findall(r"(?:\\.|[^\\,])+", text, re.DOTALL)
    stripped = (part.strip().replace("\\,", ",") for part in parts)
    return tuple(part for part in stripped if part)


def split_list(text: str) -> tuple[str, ...]:
    """Split a plain list at its commas and strip the items; empty ones are left out."""
    return tuple(item for part in text.split(",") if (item := part.strip()))


@functools.lru_cache(maxsize=4096)
def compile_java(expression: str, *, ignore_case: bool = True) -> re.Pattern[str]:
    """Compile a Java expression, to be used with `fullmatch`.

    Raises:
        PatternError: it is invalid, or Python can't express it.

    """
    python = _to_python(expression)
    try:
        return re.compile(python, re.ASCII | (re.IGNORECASE if ignore_case else 0))
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise PatternError(f"{expression!r} is not a regular expression: {error}") from error


def matches_any(patterns: Sequence[re.Pattern[str]], name: str) -> bool:
    """Whether one of the patterns matches the whole name."""
    return any(pattern.fullmatch(name) for pattern in patterns)


def _to_python(expression: str) -> str:
    out: list[str] = []
    in_class = False
    for token in _TOKEN.finditer(expression):
        kind, text = token.lastgroup or "", token.group()
        # Java nests `[a-z[^b]]` and intersects `[a-z&&[^b]]`; Python would read both as single characters
        if in_class and kind in {"open", "both"}:
            raise PatternError(f"{expression!r} nests or intersects character classes, which only Java knows")
        if kind == "open":
            in_class = True
        elif kind == "close":
            in_class = False
        out.append(_rewrite(expression, kind, text, token, in_class=in_class))
    return "".join(out)


def _rewrite(expression: str, kind: str, text: str, token: re.Match[str], *, in_class: bool) -> str:
    value = token.group(kind) if kind else ""
    if kind == "quoted":
        return re.escape(value)
    if kind == "property":
        return _property(expression, value, in_class=in_class)
    if kind == "hex":
        return re.escape(chr(int(value, 16)))
    if kind == "unknown":
        raise PatternError(f"{expression!r} uses {text}, which only Java knows")
    spelt = {
        "backref": f"(?P={value})",
        "group": f"(?P<{value}>",
        "end": r"\Z",
        "last_line": r"(?=\n?\Z)",
        "escape": r"\x1b",
    }
    return spelt.get(kind, text)


def _property(expression: str, name: str, *, in_class: bool) -> str:
    characters = _PROPERTIES.get(name)
    if characters is None:
        raise PatternError(f"{expression!r} uses \\p{{{name}}}, which only Java knows")
    return characters if in_class else f"[{characters}]"
