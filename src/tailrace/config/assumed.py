"""What is taken for granted where a configuration names no converter, as it is the worker in Kafka Connect that names one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailrace.config.entries import Entry, is_given
from tailrace.config.values import Value


def assumed_converters(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """Sentences about the converters that are not named."""
    absent = [side for side in ("key", "value") if not is_given(entries, f"{side}.converter")]
    if not absent:
        return ()
    names = " and ".join(f"{side}.converter" for side in absent)
    verb = "is" if len(absent) == 1 else "are"
    worker = "in Kafka Connect the worker says which: --worker FILE takes it from there"
    assumed = f"{names} {verb} not set: {_formats(values, absent)}; {worker}"
    lonely = [name for side in absent if is_given(entries, name := f"{side}.converter.schemas.enable")]
    said = "counts here, and in Kafka Connect only where the converter is set beside it"
    return (assumed, *(f"{name} {said}" for name in lonely))


def _formats(values: Mapping[str, Value], sides: Sequence[str]) -> str:
    formats = {side: _schemas(values, side) for side in sides}
    if len(set(formats.values())) == 1:
        return f"{' and '.join(f'{side}s' for side in sides)} are JSON {formats[sides[0]]}"
    return " and ".join(f"{side}s are JSON {schemas}" for side, schemas in formats.items())


def _schemas(values: Mapping[str, Value], side: str) -> str:
    return "with schemas" if values[f"{side}.converter.schemas.enable"] else "without schemas"
