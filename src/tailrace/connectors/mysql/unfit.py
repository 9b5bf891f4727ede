"""Moments that `time.precision.mode` has no room for: a TIME that is no time of a day, a DATETIME that nanoseconds can't reach.

The decoder makes them null and counts them. Here that is told, or refused: where the column may not be null there is no
event that could show the row, and `event.converting.failure.handling.mode=fail` asks for an error in any case.
"""

from __future__ import annotations

import logging
from typing import Final

from tailrace.connectors.mysql.rows.images import RowImages
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.schema.tables import Column, Table

_ADVICE: Final = "set it to microseconds or adaptive_time_microseconds"

log = logging.getLogger(__name__)


class UnfitError(ValueError):
    """A row can't be shown; the message names the column, where it is known."""


def refuse_unfit(table: Table, images: RowImages, settings: MySqlSettings) -> None:
    """Raise `UnfitError` where a value without room can't be null, or is not to be."""
    if not images.unfit:
        return
    room = f"that time.precision.mode={settings.time_precision_mode} has no room for: {_ADVICE}"
    for index, column in enumerate(table.columns):
        if _needs_value(column) and _lacks_some(images, index):
            raise UnfitError(f"column {column.name} may not be null and has a value {room}")
    if settings.event_converting_failure_handling_mode == "fail":
        raise UnfitError(f"it has a value {room}; or set event.converting.failure.handling.mode=warn to have null instead")


def tell_unfit(table: Table, images: RowImages, settings: MySqlSettings) -> None:
    """Say that values are null in events, as `event.converting.failure.handling.mode` wants it."""
    if images.unfit:
        level = logging.WARNING if settings.event_converting_failure_handling_mode == "warn" else logging.DEBUG
        words = "%s: %d values are null in events: time.precision.mode=%s has no room for them; %s"
        log.log(level, words, table.id, images.unfit, settings.time_precision_mode, _ADVICE)


def _needs_value(column: Column) -> bool:
    """Whether null is no value of its field; a default takes the place of null."""
    return not column.optional and not (column.has_default and column.default is not None)


def _lacks_some(images: RowImages, index: int) -> bool:
    vector = images.vectors[index] if index < len(images.vectors) else None
    return vector is not None and index not in images.missing and not vector.is_valid().all()
