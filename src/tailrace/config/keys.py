"""Parses `message.key.columns`: `table-regex:column,column;table-regex:column`."""

from __future__ import annotations

import re

from tailrace.config.entries import Entry
from tailrace.config.filters import MessageKeys, Naming
from tailrace.config.problems import Problems
from tailrace.java_patterns import PatternError, split_regexes

_PART = re.compile(r"\s*(?P<table>[^:]+):(?P<columns>[^:,]+(?:,[^:,]+)*)\s*")


def read_message_keys(entry: Entry | None, naming: Naming, problems: Problems) -> MessageKeys:
    """The key columns; malformed parts are added to `problems`."""
    if entry is None or not entry.text.strip():
        return MessageKeys()
    expressions: list[str] = []
    for part in entry.text.split(";"):
        match = _PART.fullmatch(part)
        if match is None:
            problems.add(entry.shown(f"message.key.columns: {part!r} is not of the form table:column,column"))
            continue
        expressions += (f"{match['table']}.{column.strip()}" for column in match["columns"].split(","))
    try:
        return MessageKeys([each for text in expressions for each in split_regexes(text)], naming)
    except PatternError as error:
        problems.add(f"message.key.columns: {entry.shown(str(error))}")
        return MessageKeys()
