"""The answers to one chain of commands, in their order."""

from __future__ import annotations

from enum import IntEnum

from tailrace_standins.db2.drda.codepoints import Data, Parameter, Reply
from tailrace_standins.db2.drda.objects import made
from tailrace_standins.db2.drda.segments import Kind


class Severity(IntEnum):
    """SVRCOD: how bad it is."""

    INFORMATION = 0
    WARNING = 4
    ERROR = 8
    SEVERE = 16


class Answers:
    """Collects answers.

    Attributes:
        correlator: of the command that is being answered.
        failed: an error was among the messages; what else is in the chain is not carried out, unless the client wants it.

    """

    def __init__(self) -> None:
        self.failed = False
        self.sent: list[tuple[Kind, int, bytes]] = []
        self.correlator = 0

    def plain(self, point: Reply, *parameters: bytes) -> None:
        """A reply message without severity."""
        self.sent.append((Kind.REPLY, self.correlator, made(point, *parameters)))

    def message(self, point: Reply, severity: Severity, *parameters: bytes) -> None:
        """A reply message."""
        self.failed = self.failed or severity >= Severity.ERROR
        self.plain(point, made(Parameter.SVRCOD, severity.to_bytes(2, "big")), *parameters)

    def data(self, point: Data, *parts: bytes) -> None:
        """An object."""
        self.sent.append((Kind.OBJECT, self.correlator, made(point, *parts)))

    def taken(self) -> list[tuple[Kind, int, bytes]]:
        """All that was collected; the next ones start anew."""
        sent, self.sent = self.sent, []
        return sent
