"""Ports of the loopback for servers that are started and killed again and again.

They lie below the range from which the kernel takes ports for outgoing connections: in that range a client that
keeps calling a killed server may be given the server's own port, and then holds it or even talks to itself.
"""

from __future__ import annotations

import random
import socket

HOST = "127.0.0.1"
FIRST, LAST = 15_000, 32_000
ATTEMPTS = 1000


def free_port() -> int:
    """A port on which nothing listens at the moment."""
    for _ in range(ATTEMPTS):
        port = random.randrange(FIRST, LAST)  # noqa: S311
        if is_free(port):
            return port
    raise OSError(f"no free port of {HOST} between {FIRST} and {LAST}")


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    """Whether something takes connections there."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
