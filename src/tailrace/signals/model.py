"""Typed signals: the request, its id and its channel.

An invalid signal is a value, too: a connector logs it and continues, as Debezium's do.

Source: Debezium documentation, "Sending signals to a Debezium connector".
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class Channel(enum.StrEnum):
    """Where a signal came from, under the names of `signal.enabled.channels`."""

    SOURCE = "source"
    KAFKA = "kafka"
    FILE = "file"


class SnapshotKind(enum.StrEnum):
    """Beside the stream, or instead of it for a while."""

    INCREMENTAL = "incremental"
    BLOCKING = "blocking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Any signal.

    Attributes:
        id: the sender's name for it; None if it has none (Kafka's signals need none).
        channel: where it came from.

    """

    id: str | None
    channel: Channel


@dataclass(frozen=True, slots=True)
class Condition:
    """Which rows of a table a snapshot reads.

    Attributes:
        collection: the table's name, or an expression for names.
        filter: a condition for WHERE; for a blocking snapshot the whole SELECT.

    """

    collection: str
    filter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteSnapshot(Signal):
    """Read tables again.

    Attributes:
        kind: incremental or blocking.
        collections: names and expressions, at least one; `matching.collections_of` finds their tables.
        conditions: for some of the tables.
        surrogate_key: the column by which chunks are split instead of the primary key.

    """

    kind: SnapshotKind
    collections: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    surrogate_key: str | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSnapshot(Signal):
    """Stop reading some tables; empty `collections` mean all. Only incremental snapshots can be stopped."""

    kind: SnapshotKind
    collections: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseSnapshot(Signal):
    """Pause the incremental snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSnapshot(Signal):
    """Resume the incremental snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Signal):
    """Write a line to the log; the first `{}` in `message` becomes the position."""

    message: str

    def text(self, position: str) -> str:
        r"""The line. As in Debezium's logger a backslash escapes `{}`, and a second backslash escapes the first."""
        done, start = "", 0
        while (at := self.message.find("{}", start)) >= 0:
            slashes = _slashes_before(self.message, at)
            if slashes == 1:
                done, start = done + self.message[start : at - 1] + "{", at + 1
            else:
                end = at - 1 if slashes else at
                return done + self.message[start:end] + position + self.message[at + 2 :]
        return done + self.message[start:]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChanges(Signal):
    """Use the given structures of tables.

    Attributes:
        database: of the tables.
        schema: of the tables, for databases that have schemas.
        changes: as in `tableChanges` of schema change events, at least one.

    """

    database: str
    schema: str | None
    changes: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotWindow(Signal):
    """A watermark of Debezium's own incremental snapshots; tailrace writes none and needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable(Signal):
    """A signal that can't be executed; its `str` is the log line."""

    reason: str

    def __str__(self) -> str:
        name = "a signal without an id" if self.id is None else f"the signal {self.id!r}"
        return f"{name} from the channel {self.channel} is left out: {self.reason}"


def _slashes_before(text: str, at: int) -> int:
    """0, 1 or (two or more) 2."""
    before = text[max(at - 2, 0) : at]
    return len(before) - len(before.rstrip("\\"))
