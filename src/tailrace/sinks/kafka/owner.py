"""The owner of a lane: a task of a run, named in progress records so that another task can say who took its lane."""

from __future__ import annotations

import os
import socket
import uuid

from attrs import field, frozen


@frozen
class Owner:
    """A process that delivers, or claims lanes.

    Attributes:
        run: one start of tailrace; its tasks may succeed each other, another run may not.
        host, pid: for people.
        task: distinguishes two owners of the same lane in the same process.

    """

    run: str
    host: str = field(factory=socket.gethostname)
    pid: int = field(factory=os.getpid)
    task: str = field(factory=lambda: uuid.uuid4().hex[:12])

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"
