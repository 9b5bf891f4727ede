"""Whether records are the same bytes with two Protobuf schemas: their messages have the same fields.

Options, comments, spaces and what is reserved don't count; names of fields do, as readers look fields up by name.
"""

from __future__ import annotations

import re
from typing import Final

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_OPTIONS: Final = re.compile(r"\[[^;]*\](?=\s*;)")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.]+|[^\s]')
_PASSED_OVER: Final = ("import", "option", "reserved", "extensions", "syntax", "edition")
_Fields = dict[str, tuple[str, ...]]


def difference(one: str, other: str) -> str | None:
    """Where the messages of two schemas differ, in words; None: they don't."""
    first, second = _messages(one), _messages(other)
    if list(first)[:1] != list(second)[:1]:
        return f"its first message is {_first(first)} and not {_first(second)}"
    for name, fields in second.items():
        if name not in first:
            return f"it has no message {name}"
        for field in dict.fromkeys((*fields, *first[name])):
            there, here = (" ".join(each.get(field, ("missing",))) for each in (first[name], fields))
            if there != here:
                return f"the field {field} of {name} is {there} and not {here}"
    return None


def _first(messages: dict[str, _Fields]) -> str:
    return next(iter(messages), "missing")


def _messages(text: str) -> dict[str, _Fields]:
    """The fields of each message, by their names; messages have the names of those around them before theirs."""
    tokens = _TOKEN.findall(_OPTIONS.sub("", _COMMENT.sub(" ", text)))
    found: dict[str, _Fields] = {}
    place: list[str] = []
    package = ""
    statement: list[str] = []
    for token in tokens:
        if token == "{":  # noqa: S105 -- a brace
            place.append(statement[-1] if statement else "")
            if statement[:1] == ["message"]:
                found[".".join((package, *place) if package else place)] = {}
        elif token == "}":  # noqa: S105 -- a brace
            place.pop()
        elif token != ";":  # noqa: S105 -- a semicolon
            statement.append(token)
            continue
        elif statement[:1] == ["package"]:
            package = statement[1]
        elif len(statement) > 3 and statement[0] not in _PASSED_OVER:
            owner = ".".join((package, *place) if package else place)
            found.setdefault(owner, {})[statement[-3]] = (*statement[:-3], *statement[-2:])
        statement = []
    return found
