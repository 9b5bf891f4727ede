"""Ports on the loopback for servers that are started and killed repeatedly.

They are below the kernel's range for outgoing connections. Within that range a client that keeps reconnecting to a killed
server may get the server's port as its own; it would then occupy the port, or even connect to itself.
"""

from __future__ import annotations

import random
import socket

HOST = "127.0.0.1"
FIRST, LAST = 15_000, 32_000
ATTEMPTS = 1000

_given: set[int] = set()


def free_port() -> int:
    """A port on which nothing listens now; each once in a process, as a server takes several before it listens."""
    for _ in range(ATTEMPTS):
        port = random.randrange(FIRST, LAST)  # noqa: S311
        if port not in _given and is_free(port):
            _given.add(port)
            return port
    raise OSError(f"no free port of {HOST} between {FIRST} and {LAST}")


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int, host: str = HOST) -> bool:
    """Whether something accepts connections on the port."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
