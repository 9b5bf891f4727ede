"""A lane's progress as a Kafka record: JSON that a person can read, keyed by the lane's number.

The key is `{"lane": 0}`. A lane that was claimed and has delivered nothing yet has a record without progress.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attrs import evolve, frozen

from tailrace import epoch
from tailrace.connectors.base import Progress
from tailrace.errors import ProgressError
from tailrace.schema.routing import Routing
from tailrace.sinks.kafka.owner import Owner

FORMAT = 1


@frozen(kw_only=True)
class ProgressRecord:
    """A lane's record.

    Attributes:
        source: the connector, as `kind topic-prefix`.
        lanes: how many there are; the first lane's record counts.
        owner: who wrote it.
        number: of the commit, counted from 1; 0 before the first.
        progress: of the lane; None while nothing was committed.
        history: the number of the last record of the lane's schema history.
        history_start: the number before its first record: where the history of a replaced lane ended.
        committed_at_ms: by the writer's clock.
        routing: assigns tables to lanes; None: an earlier version wrote this.

    """

    source: str
    lanes: int
    owner: Owner
    number: int = 0
    progress: Progress | None = None
    history: int = 0
    history_start: int = 0
    committed_at_ms: int = 0
    routing: Routing | None = None

    def owned_by(self, owner: Owner) -> ProgressRecord:
        """The same with another owner."""
        return evolve(self, owner=owner)

    def with_lanes(self, lanes: int) -> ProgressRecord:
        """The same with another number of lanes."""
        return evolve(self, lanes=lanes)

    def with_routing(self, routing: Routing) -> ProgressRecord:
        """The same under another routing."""
        return evolve(self, routing=routing)

    def replaced(self, owner: Owner, progress: Progress, history: int) -> ProgressRecord:
        """A single lane that resumes from a progress, with a new history of `history` records after the old one."""
        return evolve(
            self,
            lanes=1,
            owner=owner,
            number=self.number + 1,
            progress=progress,
            history=self.history + history,
            history_start=self.history,
            committed_at_ms=epoch.now_ms(),
        )

    @property
    def signalled(self) -> Mapping[str, Any] | None:
        """The lane's requested work."""
        return self.progress.signalled if self.progress else None

    def with_signalled(self, signalled: Mapping[str, Any] | None) -> ProgressRecord:
        """The same with other requested work; without progress there is none."""
        return evolve(self, progress=self.progress and replace(self.progress, signalled=signalled))

    def is_at_same_position(self, other: ProgressRecord) -> bool:
        """Whether two lanes are at the same position; their requested work may differ."""
        if self.progress is None or other.progress is None:
            return self.progress is other.progress
        return self.progress.is_at_same_position(other.progress)

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
            "snapshot": self.progress.stored_snapshot if self.progress else None,
            "signalled": self.signalled,
            "history": self.history,
            "history_start": self.history_start,
            "committed_at_ms": self.committed_at_ms,
            "routing": self.routing.to_dict() if self.routing else None,
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def key_of(lane: int) -> bytes:
    """The key of a lane's records."""
    return json.dumps({"lane": lane}).encode()


def from_json(value: bytes, source: str, where: str) -> ProgressRecord:
    """Parse a record's value; it must be of this source."""
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


def _progress(fields: Mapping[str, Any], restart: Mapping[str, Any]) -> Progress:
    return Progress(str(fields["delivered"]), dict(restart), fields.get("snapshot"), fields.get("signalled"))


def _record(fields: Mapping[str, Any]) -> ProgressRecord:
    restart, routing = fields["restart"], fields.get("routing")
    return ProgressRecord(
        source=fields["source"],
        lanes=int(fields["lanes"]),
        owner=Owner(fields["run"], fields["host"], int(fields["pid"]), fields["task"]),
        number=int(fields["number"]),
        progress=None if restart is None else _progress(fields, restart),
        history=int(fields["history"]),
        history_start=int(fields.get("history_start", 0)),
        committed_at_ms=int(fields["committed_at_ms"]),
        routing=None if routing is None else Routing.from_dict(routing),
    )
