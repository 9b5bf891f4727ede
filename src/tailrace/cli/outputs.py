"""Standard output and standard error that may take no more: a pipe that nobody reads any longer, a file on a full disk."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import Any

from rich.console import Console


class Output(Console):
    """A console that says when nobody reads any more: its base would end the thread, and lead the output to nowhere."""

    def on_broken_pipe(self) -> None:
        """Say so."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class StandardError(Output):
    """Lines for people: where they can't be written, what is being done goes on without."""

    def __init__(self) -> None:
        super().__init__(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def print(self, *objects: Any, **how: Any) -> None:
        """Print, if that can be had."""
        with suppress(OSError):
            super().print(*objects, **how)


def why_not_flushed() -> str:
    """Why standard output did not take the last of what was written to it; "" if it did.

    What it, or standard error, did not take is dropped: Python itself would try again at the process's end, and change the exit
    code.
    """
    why = ""
    for stream in (sys.stdout, sys.stderr):
        if stream is None or stream.closed:
            continue
        try:
            stream.flush()
        except OSError as error:
            why = why or (str(error.strerror) if stream is sys.stdout else "")
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
    return why
