"""When a task gives memory back that only loading its code has used: after its first changes, and when none come."""

from __future__ import annotations

import time
from typing import Final

from tailrace.connectors.base import LogBatch
from tailrace.starting import library_pages

QUIET_SECONDS: Final = 5.0


class LoadedCode:
    """Of one turn. Each is done once: what was used only to load compiled code is not used again."""

    def __init__(self) -> None:
        self._has_met_changes = False
        self._was_quiet = False
        self._quiet_since: float | None = None

    def saw(self, batch: LogBatch) -> None:
        """After a batch was delivered, or written to be; also after those without changes."""
        if batch.changes:  # a server's own signs of life are none
            self._quiet_since = None
            if not self._has_met_changes:
                self._has_met_changes = True
                library_pages.give_back()
        elif self._quiet_since is None:
            self._quiet_since = time.monotonic()
        elif not self._was_quiet and time.monotonic() - self._quiet_since >= QUIET_SECONDS:
            self._was_quiet = True
            library_pages.give_back()
