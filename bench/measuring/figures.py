"""Statistics: percentiles, medians over rounds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` % of the values do not exceed (nearest rank)."""
    if not values:
        raise ValueError("there is no percentile of nothing")
    rank = max(1, math.ceil(percent / 100 * len(values)))
    return sorted(values)[rank - 1]


def spread(values: Sequence[float]) -> dict[str, float]:
    """The percentiles for the table, and the number of values."""
    found = {f"p{percent}": round(percentile(values, percent), 2) for percent in (50, 95, 99)}
    return {"n": len(values), **found, "max": round(max(values), 2)}


def over_rounds(readings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each figure's median; of peaks the maximum, of what is no number the first round's."""
    merged: dict[str, Any] = {}
    for name, first in readings[0].items():
        numbers = [reading[name] for reading in readings if isinstance(reading.get(name), int | float)]
        if not numbers or isinstance(first, bool):
            merged[name] = first
        elif name.endswith("peak_mb"):
            merged[name] = max(numbers)
        else:
            merged[name] = statistics.median(numbers)
    return merged
