"""Values out of the range of `time.precision.mode`: a TIME outside a day, a DATETIME that nanoseconds can't represent.

The decoder makes them null and counts them. This module warns, or raises: if the column is not nullable no
event can represent the row, and `event.converting.failure.handling.mode=fail` requires an error in any case.
"""

from __future__ import annotations

import logging
from typing import Final

from tailrace.connectors.mysql.rows.images import RowImages
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.schema.tables import Column, Table

_ADVICE: Final = "set it to microseconds or adaptive_time_microseconds"

log = logging.getLogger(__name__)


class OutOfRangeError(ValueError):
    """No event can represent a row; the message names the column, if it is known."""


def refuse_out_of_range(table: Table, images: RowImages, settings: MySqlSettings) -> None:
    """Raise `OutOfRangeError` if an out-of-range value can't be null, or must not be."""
    if not images.unfit:
        return
    room = f"that time.precision.mode={settings.time_precision_mode} has no room for: {_ADVICE}"
    for index, column in enumerate(table.columns):
        if _needs_value(column) and _lacks_some(images, index):
            raise OutOfRangeError(f"column {column.name} may not be null and has a value {room}")
    if settings.event_converting_failure_handling_mode == "fail":
        raise OutOfRangeError(
            f"it has a value {room}; or set event.converting.failure.handling.mode=warn to have null instead"
        )


def warn_out_of_range(table: Table, images: RowImages, settings: MySqlSettings) -> None:
    """Log that values are null in events, as `event.converting.failure.handling.mode` says."""
    if images.unfit:
        level = logging.WARNING if settings.event_converting_failure_handling_mode == "warn" else logging.DEBUG
        words = "%s: %d values are null in events: time.precision.mode=%s has no room for them; %s"
        log.log(level, words, table.id, images.unfit, settings.time_precision_mode, _ADVICE)


def _needs_value(column: Column) -> bool:
    """Whether null is not allowed in its field; a default replaces null."""
    return not column.optional and not (column.has_default and column.default is not None)


def _lacks_some(images: RowImages, index: int) -> bool:
    vector = images.vectors[index] if index < len(images.vectors) else None
    return vector is not None and index not in images.missing and not vector.is_valid().all()
