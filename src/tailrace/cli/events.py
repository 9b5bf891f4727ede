"""One line for an event: what happened, where, to which key, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from rich.text import Text

STYLES = {"c": "green", "r": "cyan", "u": "yellow", "d": "red", "t": "magenta", "m": "blue"}
WORDS = {"c": "create", "r": "read", "u": "update", "d": "delete", "t": "truncate", "m": "message"}
LONGEST_VALUE = 40
LONGEST_DDL = 120
ARROW = " → "


def event_line(line: str) -> Text:
    """A line for people from a record's JSON line."""
    record = orjson.loads(line)
    key, value = _payload(record["key"]), _payload(record["value"])
    text = Text(no_wrap=False)
    word, style = _what(value)
    text.append(f"{word:<10}", f"bold {style}")
    text.append(f"{record['topic']} ", "bold")
    if isinstance(key, Mapping):
        text.append(" ".join(f"{name}={_short(part)}" for name, part in key.items()), "blue")
    for piece, piece_style in _details(value, key):
        text.append(" ")
        text.append(piece, piece_style)
    return text


def _payload(value: Any) -> Any:
    """Without the schema, where there is one."""
    if isinstance(value, Mapping) and value.keys() == {"schema", "payload"}:
        return value["payload"]
    return value


def _what(value: Any) -> tuple[str, str]:
    if value is None:
        return "tombstone", "dim"
    if not isinstance(value, Mapping):
        return "record", "white"
    if "ddl" in value:
        return "schema", "magenta"
    if value.get("status") in {"BEGIN", "END"}:
        return str(value["status"]).lower(), "dim"
    op = str(value.get("op", ""))
    return WORDS.get(op, op or "record"), STYLES.get(op, "white")


def _details(value: Any, key: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        return
    if "ddl" in value:
        yield _shorten(_statement(value), LONGEST_DDL), ""
    elif "status" in value:
        yield f"{value.get('id')} events={_short(value.get('event_count'))}", "dim"
    else:
        yield from _fields(value, key if isinstance(key, Mapping) else {})


def _statement(value: Mapping[str, Any]) -> str:
    """The DDL; SQL Server's events have none, so the kind of change and the table's name."""
    if value["ddl"] in {None, "N/A"}:
        return ", ".join(f"{change['type']} {change['id']}" for change in value.get("tableChanges") or ())
    return " ".join(str(value["ddl"]).split())


def _fields(value: Mapping[str, Any], key: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    before, after = value.get("before") or {}, value.get("after")
    if after is None:
        return
    for name, new in after.items():
        if before and name in before and before[name] != new:
            yield f"{name}={_short(before[name])}{ARROW}{_short(new)}", "yellow"
        elif not before and name not in key:
            yield f"{name}={_short(new)}", ""


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return _shorten(text, LONGEST_VALUE)


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
