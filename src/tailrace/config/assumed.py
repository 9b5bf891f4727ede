"""What is taken for granted where a configuration names no converter, as it is the worker in Kafka Connect that names one."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.entries import Entry, is_given
from tailrace.config.values import Value


def assumed_converters(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """One sentence about the converters that are not named, or none."""
    absent = [side for side in ("key", "value") if not is_given(entries, f"{side}.converter")]
    if not absent:
        return ()
    names = " and ".join(f"{side}.converter" for side in absent)
    what = " and ".join(f"{side}s are JSON {_schemas(values, side)}" for side in absent)
    verb = "is" if len(absent) == 1 else "are"
    return (f"{names} {verb} not set: {what}; in Kafka Connect the worker says which: --worker FILE takes it from there",)


def _schemas(values: Mapping[str, Value], side: str) -> str:
    return "with schemas" if values[f"{side}.converter.schemas.enable"] else "without schemas"
