"""What a connector offers besides where signals may ask for tables on the way: in the DataFrame way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tailrace.connectors.base import RangeConnector, StartPoint

Signalled = Mapping[str, Any]  # as `Progress.signalled`


@dataclass(frozen=True, slots=True)
class AskedStep:
    """What comes next of that which signals asked for.

    Attributes:
        signalled: what is left to do when this is read.
        point: a position of now, up to which the log is read first, with the structures of the tables there. `snapshot` is
            what `next_parts` is to be given, where tables are to be read while the log waits. None: nothing is to be read.
        parts: to be read as of there.
        reached: what `next_parts` goes on from; None: with `parts` all is read that is to be read at this position.

    """

    signalled: Signalled | None
    point: StartPoint | None = None
    parts: Sequence[Mapping[str, Any]] = ()
    reached: Mapping[str, Any] | None = None


class Listener(Protocol):
    """Looks into the channels that signals come through, now and then; one at a time for a stream."""

    def begun(self) -> Signalled | None:
        """What a new stream begins with: what the database's own tables of signals have by now is not for it."""

    def heard(self, signalled: Signalled | None, position: Mapping[str, Any]) -> Signalled | None:
        """What is to be done with what has come in since; `position`: up to where the stream is planned."""

    def close(self) -> None:
        """Let go of the channels."""


class SignalledConnector(RangeConnector, Protocol):
    """A `RangeConnector` of which tables can be asked for."""

    def listener(self, signalled: Signalled | None) -> Listener:
        """What goes on behind the signals that were handled by then."""

    def asked_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> AskedStep | None:
        """The next parts that were asked for, at most `wanted`; None where none can be read now, or none are wanted.

        Args:
            start: up to where the log is planned.
            signalled: what was asked for.
            wanted: how many parts.
            max_bytes: about so many of tables; and nothing is read while more of the log than this is waiting.

        """
