"""A lane's progress as a record of Kafka: JSON that a person can read, under the lane's number.

The key is `{"lane": 0}`. A lane that was claimed and has delivered nothing yet has a record without progress.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from tailrace.connectors.base import Progress
from tailrace.errors import ProgressError
from tailrace.sinks.kafka.owner import Owner

FORMAT = 1


@frozen(kw_only=True)
class ProgressRecord:
    """What is recorded of a lane.

    Attributes:
        source: whose changes these are, as `kind topic-prefix`.
        lanes: how many there are; what the first lane's record says counts.
        owner: who wrote it.
        number: of the commit, counted from 1; 0 while there was none.
        progress: how far the lane has come; None while nothing was committed.
        history: how many records the lane's schema history has.
        committed_at_ms: by the clock of who wrote it.

    """

    source: str
    lanes: int
    owner: Owner
    number: int = 0
    progress: Progress | None = None
    history: int = 0
    committed_at_ms: int = 0

    def owned_by(self, owner: Owner) -> ProgressRecord:
        """The same with another owner."""
        return evolve(self, owner=owner)

    def with_lanes(self, lanes: int) -> ProgressRecord:
        """The same with another number of lanes."""
        return evolve(self, lanes=lanes)

    def stands_with(self, other: ProgressRecord) -> bool:
        """Whether two lanes have delivered the same, and go on at the same place."""
        return self.progress == other.progress

    def to_json(self) -> bytes:
        """The record's value."""
        fields = {
            "format": FORMAT,
            "source": self.source,
            "lanes": self.lanes,
            "run": self.owner.run,
            "host": self.owner.host,
            "pid": self.owner.pid,
            "task": self.owner.task,
            "number": self.number,
            "delivered": self.progress.delivered if self.progress else None,
            "restart": self.progress.restart if self.progress else None,
            "snapshot": self.progress.snapshot if self.progress else None,
            "history": self.history,
            "committed_at_ms": self.committed_at_ms,
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def key_of(lane: int) -> bytes:
    """The key of a lane's records."""
    return json.dumps({"lane": lane}).encode()


def from_json(value: bytes, source: str, where: str) -> ProgressRecord:
    """A record's value read, if it is one of this source."""
    fields = _object(value, where)
    if fields.get("format") != FORMAT:
        raise ProgressError(f"{where} has format {fields.get('format')!r}; this tailrace reads {FORMAT}")
    if fields.get("source") != source:
        raise ProgressError(
            f"{where} is the progress of {fields.get('source')!r}, not of {source!r}: two connectors can't share it; "
            "give this one a topic.prefix or a tailrace.progress.topic of its own"
        )
    try:
        return _record(fields)
    except (KeyError, TypeError, ValueError) as error:
        raise ProgressError(f"{where} is damaged: {error!r}") from error


def _object(value: bytes, where: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(value)
    except ValueError as error:
        raise ProgressError(f"{where} is damaged: it is no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise ProgressError(f"{where} is damaged: it is no JSON object")
    return fields


def _record(fields: Mapping[str, Any]) -> ProgressRecord:
    restart = fields["restart"]
    return ProgressRecord(
        source=fields["source"],
        lanes=int(fields["lanes"]),
        owner=Owner(fields["run"], fields["host"], int(fields["pid"]), fields["task"]),
        number=int(fields["number"]),
        progress=None if restart is None else Progress(str(fields["delivered"]), dict(restart), fields.get("snapshot")),
        history=int(fields["history"]),
        committed_at_ms=int(fields["committed_at_ms"]),
    )
