"""Notes about converters that the configuration does not set.

In Kafka Connect the worker sets them. A connector's file alone does not say which format its topics have today, so the user
is told which one is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailrace.config.entries import Entry, is_given
from tailrace.config.values import Value


def assumed_converters(values: Mapping[str, Value], entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """One sentence for each assumption; none if both converters are set."""
    absent = [side for side in ("key", "value") if not is_given(entries, f"{side}.converter")]
    if not absent:
        return ()
    names = " and ".join(f"{side}.converter" for side in absent)
    verb = "is" if len(absent) == 1 else "are"
    worker = "in Kafka Connect the worker says which: --worker FILE takes it from there"
    assumed = f"{names} {verb} not set: {_formats(values, absent)}; {worker}"
    # Connect ignores a converter's properties in the connector's configuration unless the converter itself is set there
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
