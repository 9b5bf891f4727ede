r"""Java's replacement texts: `$1` and `${name}` are groups of the expression, `\` takes away a character's meaning.

Source: documentation of `java.util.regex.Matcher.appendReplacement`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from tailrace.java_patterns import PatternError, compile_java

_NAME: Final = re.compile(r"\{([A-Za-z][A-Za-z0-9]*)\}")
_Part = str | int


@lru_cache(maxsize=1024)
def whole_replaced(expression: str, replacement: str, text: str) -> str | None:
    """A text that the whole expression matches, with its first match replaced; None if it does not match.

    Case counts. The first match may be shorter than the text, as in Java's `matches()` with `replaceFirst()`.

    Raises:
        PatternError: the expression or the replacement is invalid, or can't be expressed in Python.

    """
    pattern, replace = compile_java(expression, ignore_case=False), replacing(expression, replacement)
    return pattern.sub(replace, text, count=1) if pattern.fullmatch(text) else None


def replacing(expression: str, replacement: str) -> Callable[[re.Match[str]], str]:
    """The function that makes a match of the expression into the replacement's text.

    Raises:
        PatternError: as `whole_replaced`.

    """
    parts = _parts(replacement, compile_java(expression, ignore_case=False))
    return lambda found: "".join(each if isinstance(each, str) else found[each] or "" for each in parts)


def _parts(replacement: str, pattern: re.Pattern[str]) -> list[_Part]:
    """Literal texts and numbers of groups, in order."""
    parts: list[_Part] = []
    i = 0
    while i < len(replacement):
        sign = replacement[i]
        if sign == "\\":
            if i + 1 == len(replacement):
                raise PatternError(f"{replacement!r} ends with a lone backslash")
            parts.append(replacement[i + 1])
            i += 2
        elif sign == "$":
            group, i = _group(replacement, i + 1, pattern)
            parts.append(group)
        else:
            parts.append(sign)
            i += 1
    return parts


def _group(replacement: str, start: int, pattern: re.Pattern[str]) -> tuple[int, int]:
    """The group's number, and where its name ends."""
    if named := _NAME.match(replacement, start):
        number = pattern.groupindex.get(named[1])
        if number is None:
            raise PatternError(f"{replacement!r} names the group {named[1]}, which {pattern.pattern!r} does not have")
        return number, named.end()
    digits = re.match(r"[0-9]+", replacement[start:])
    if digits is None:
        raise PatternError(f"{replacement!r} has a $ without the number or {{name}} of a group; a dollar sign itself is \\$")
    return _longest(replacement, digits[0], start, pattern)


def _longest(replacement: str, digits: str, start: int, pattern: re.Pattern[str]) -> tuple[int, int]:
    """As many digits as are the number of a group; at least the first one."""
    for length in range(len(digits), 0, -1):
        if int(digits[:length]) <= pattern.groups and (length == 1 or digits[0] != "0"):
            return int(digits[:length]), start + length
    raise PatternError(f"{replacement!r} refers to the group {digits[0]}, and {pattern.pattern!r} has {pattern.groups}")
