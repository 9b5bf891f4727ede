"""What a task needs that its machine may lack: on an executor of a cluster nobody ran `tailrace compile`.

The first task makes it, and says so in the log; those of other processes wait. On the machine of `tailrace run` it is there.
"""

from __future__ import annotations

import logging
import time

from tailrace.errors import TailraceError
from tailrace.preparation.steps import PREPARATIONS, Preparation

log = logging.getLogger(__name__)


def prepare_executor() -> None:
    """Make what is not there. What can't be made is made when it is needed."""
    for preparation in PREPARATIONS:
        try:
            if not preparation.is_done():
                _make(preparation)
        except (TailraceError, OSError) as error:
            log.warning("%s; this task makes %s when it needs them", error, preparation.name)


def _make(preparation: Preparation) -> None:
    began = time.monotonic()
    preparation.make(_Lines(preparation))
    log.info("%s: ready after %.0f s, once for this machine", preparation.name, time.monotonic() - began)


class _Lines:
    """Progress as lines of the log."""

    def __init__(self, preparation: Preparation) -> None:
        self._what = f"{preparation.verb} {preparation.name}"

    def total(self, count: int) -> None:
        """How many parts there are."""
        log.info("%s: %d of them, once for this machine; `tailrace compile` does it when an image is built", self._what, count)

    def done(self, what: str) -> None:
        """One of them is done."""
        log.debug("%s: %s", self._what, what)

    def waiting(self) -> None:
        """Another process does the same, and is waited for."""
        log.info("another process is %s: waiting for it", self._what)
