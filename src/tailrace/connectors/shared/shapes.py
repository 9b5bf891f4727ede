"""The settings of the shape step, which are the same for every database."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.settings import Settings
from tailrace.events.shape import ShapeSettings


def shape_settings(
    settings: Settings, context_headers: Mapping[str, str], *, skips_records: bool = False
) -> ShapeSettings:
    """The shape settings of a configuration; `context_headers` are the headers of every record."""
    return ShapeSettings(
        tombstones=settings.tombstones_on_delete,
        skipped=settings.skipped_operations,
        skips_records=skips_records,
        context_headers=context_headers,
    )
