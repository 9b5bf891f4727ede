"""Signals to a DataFrame's stream, handled while its batches are planned.

An offset then has a member `signalled`: the remaining requested work, and the channels' positions, as in the
progress of `tailrace run`. So a signal's effect and its mark are stored together, in Spark's offset log:
no signal is lost or handled twice, whenever a process dies. A batch of requested tables ends at its own position
and has in `snapshot`, as at the beginning of a stream, what its tasks need (`stream_start.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import orjson

from tailrace.connectors.base import RequestedStep, Signalled
from tailrace.connectors.interface import Connector, SignalPoller
from tailrace.errors import ConfigError
from tailrace.source.options import ReadJob
from tailrace.source.plans import packed
from tailrace.source.stream_start import offset_at
from tailrace.source.structures import Offset

_NOT_GIVEN: Final[Signalled] = {"planned": "and not given"}

log = logging.getLogger(__name__)


class Signals:
    """The signals of one stream, in its planner's process.

    Attributes:
        looked: whether an offset was planned for which the channels were polled.

    """

    def __init__(self, job: ReadJob) -> None:
        self._job = job
        self.looked = self._looks = False
        self._poller: SignalPoller | None = None
        self._given: Signalled | None = None
        self._planning: Connector | None = None

    def close(self) -> None:
        """Close the channels."""
        if self._poller is not None:
            self._poller.close()
        self._poller = None

    def initial_offset(self, connector: Connector, end: Offset) -> Offset:
        """The end of a stream's first batch, with the initial positions of the channels."""
        if not self._job.takes_signals:
            return end
        poller = connector.signal_poller(None)
        try:
            signalled = poller.initial_state()
        finally:
            poller.close()
        return end if signalled is None else {**end, "signalled": signalled}

    def poll(self, connector: Connector, start: Offset) -> Signalled | None:
        """The requested work after an offset, with newly polled signals; they count once `note_planned` gets their offset."""
        before = start.get("signalled")
        self._looks = True
        if not self._job.takes_signals and before is None:
            return None
        # Spark goes on from another offset than the one planned last, or planning failed: what was polled is polled again
        if self._poller is None or self._given != before:
            self.close()
            self._poller = connector.signal_poller(before)
        poller, self._poller = self._poller, None
        try:
            signalled = poller.poll(before, start["position"])
        except BaseException:
            poller.close()
            raise
        self._poller, self._given = poller, _NOT_GIVEN
        return signalled

    @staticmethod
    def is_at_work(offset: Offset) -> bool:
        """Whether tables are to be read after an offset, and not paused."""
        signalled = offset.get("signalled") or {}
        return bool(signalled.get("blocking") or (signalled.get("tables") and not signalled.get("paused")))

    def note_planned(self, end: Offset) -> None:
        """Note that an offset was planned; after an error instead, the channels are read again from the last one."""
        # in the form in which Spark hands it back (lists instead of tuples), with which `poll` compares it
        given: Any = orjson.loads(orjson.dumps(end.get("signalled")))
        self._given, self.looked = given, self._looks

    def next_batch(
        self, connector: Connector, start: Offset, signalled: Signalled | None, max_bytes: int | None
    ) -> tuple[Signalled | None, Offset | None]:
        """The remaining work, and the end of a batch with requested tables, if there is one.

        A connector that can't plan a step knows what it waits for, so it is asked again, unless a placeholder has a new value.
        """
        asked, self._planning = self._planning, None
        if not signalled:
            return signalled, None
        if asked is None or asked.settings != connector.settings:
            asked = connector
        step = asked.requested_step(start["position"], signalled, self._job.parts, max_bytes)
        if step is None:
            self._planning = asked
            return signalled, None
        return step.signalled, None if step.point is None else _offset_of(step)


def with_requested_work(offset: Offset, signalled: Signalled | None) -> Offset:
    """An offset with the requested work after it; a plain one, if there is none."""
    return {**offset, "signalled": signalled} if signalled else offset


def _offset_of(step: RequestedStep) -> Offset | None:
    """The step's offset; None, and a warning, if the structures do not fit into it."""
    point = step.point
    if point is None:
        return None
    try:
        plan = packed(point.snapshot, point.history)
    except ConfigError as error:
        log.warning("what a signal asked for is left out, and the log goes on: %s", error)
        return None
    snapshot: Mapping[str, Any] = {"plan": plan, "parts": list(step.parts), "reached": step.reached}
    return with_requested_work({**offset_at(point.restart), "snapshot": snapshot}, step.signalled)
