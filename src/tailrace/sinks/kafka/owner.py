"""Who delivers: a task of a run, told in progress records so that another one can say who took its lane."""

from __future__ import annotations

import os
import socket
import uuid

from attrs import field, frozen


@frozen
class Owner:
    """A process that delivers, or claims lanes.

    Attributes:
        run: of one start of tailrace; its tasks may follow each other, another run may not.
        host, pid: to be found by a person.
        task: tells two that hold the same lane in the same process apart.

    """

    run: str
    host: str = field(factory=socket.gethostname)
    pid: int = field(factory=os.getpid)
    task: str = field(factory=lambda: uuid.uuid4().hex[:12])

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"
