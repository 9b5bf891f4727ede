"""What is to be said of a configuration that is accepted, its own and its worker's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.config.worker import Worker


def notes_of(worker: Worker | None, settings: Settings) -> Iterator[str]:
    """What has no meaning here, and is not missed."""
    yield from worker.ignored() if worker else ()
    yield from settings.notes


def warnings_of(worker: Worker | None, settings: Settings) -> Iterator[str]:
    """What may not be as somebody expects it."""
    yield from worker.warnings() if worker else ()
    yield from settings.warnings
