"""The sockets of the driver's connections, found among this process's open files.

The driver has no way to end a statement that the server is busy with: cancelling it is of no effect, and closing the connection
waits for the statement's end. When its socket is shut down the call fails at once, and the server ends the statement, as it
does for any client that has gone (IBM Db2 documentation, "DB2CHECKCLIENTINTERVAL").
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_OPEN_FILES: Final = ("/proc/self/fd", "/dev/fd")


@dataclass(frozen=True, slots=True)
class OwnSocket:
    """A connected socket that something else in this process has opened.

    Attributes:
        number: its file descriptor.
        name: its own address, by which it is told from a later one with the same number.

    """

    number: int
    name: Any

    def shut_down(self) -> None:
        """End the connection, if it is still the one that it was: whoever reads from it is at the end."""
        with contextlib.suppress(OSError), _same(self.number) as same:
            if same.getsockname() == self.name:
                same.shutdown(socket.SHUT_RDWR)


def connected_to(port: int) -> set[OwnSocket]:
    """The open sockets of this process that are connected to a port."""
    return set(_connected_to(port))


def _connected_to(port: int) -> Iterator[OwnSocket]:
    for number in _open_files():
        with contextlib.suppress(OSError), _same(number) as found:
            if found.family in {socket.AF_INET, socket.AF_INET6} and found.getpeername()[1] == port:
                yield OwnSocket(number, found.getsockname())


def _same(number: int) -> socket.socket:
    """Another descriptor of an open socket; raises `OSError` for a file that is none."""
    copy = os.dup(number)
    try:
        return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise


def _open_files() -> list[int]:
    for folder in _OPEN_FILES:
        with contextlib.suppress(OSError):
            return [int(each.name) for each in Path(folder).iterdir() if each.name.isdigit()]
    return []
