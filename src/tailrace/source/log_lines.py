"""Where tailrace's log lines go.

A task's lines go over the link to the driver, which shows them; without a link (on another machine) to standard error,
which Spark keeps with the executor's log. The driver's own lines are shown without the link.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

LINE: Final = "log"
_LOGGER: Final = logging.getLogger("tailrace")
_FORMAT: Final = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")


class _Sending(logging.Handler):
    """Hands lines over as messages of the link: `[level, text]`."""

    def __init__(self, send: Callable[[str, Any], None]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line; what goes wrong with it is nothing to whoever has logged it, as with logging's own handlers."""
        try:
            self._send(LINE, [record.levelno, record.getMessage()])
        except Exception:  # noqa: BLE001 -- as logging's own do
            self.handleError(record)


@contextmanager
def lines_to(send: Callable[[str, Any], None] | None) -> Iterator[None]:
    """Until the end of the block, lines of INFO and above go to `send`; None: to standard error."""
    handler: logging.Handler = logging.StreamHandler() if send is None else _Sending(send)
    handler.setFormatter(_FORMAT)
    level = _LOGGER.level
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(min(level or logging.INFO, logging.INFO))
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
