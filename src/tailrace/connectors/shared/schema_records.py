"""The source block's times of schema-change events."""

from __future__ import annotations


def source_times(time_us: int) -> dict[str, int]:
    """The source block's times of one moment, microseconds since the epoch."""
    return {"ts_ms": time_us // 1000, "ts_us": time_us, "ts_ns": time_us * 1000}
