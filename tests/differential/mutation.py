"""Records with one thing changed: what a comparison must notice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.differential.records import Record


def mutants(record: Record) -> Iterator[tuple[str, Record]]:
    """The record with each of its leaves changed in turn, and with each member taken away or added."""
    parts = record.parts()
    for path, changed in _changed(parts, ""):
        yield path, replace(record, **changed)


def another_value(value: Any) -> Any:
    """A value of the same kind that differs as little as it can."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return _next_double(value)
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else " "
    return "not null any more" if value is None else None


def _changed(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            below = f"{path}.{name}" if path else name
            for changed_path, changed in _changed(inner, below):
                yield changed_path, {**value, name: changed}
        if path:
            yield from _reshaped(value, path)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            for changed_path, changed in _changed(inner, f"{path}[{index}]"):
                yield changed_path, [*value[:index], changed, *value[index + 1 :]]
        yield f"{path}[added]", [*value, None]
        if value:
            yield f"{path}[removed]", value[:-1]
    else:
        yield path, another_value(value)


def _reshaped(value: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    yield f"{path}.added", {**value, "added": None}
    for name in value:
        yield f"{path}.{name}<removed>", {k: v for k, v in value.items() if k != name}
    if len(value) > 1:
        yield f"{path}<order>", dict(reversed(value.items()))


def _next_double(value: float) -> float:
    return math.nextafter(value, math.inf) if value else -value
