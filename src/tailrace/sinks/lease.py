"""The lease of a target: a run says that it is at work, so that a second one does not take over from it by mistake.

It is a courtesy. What makes delivery right is fencing: whoever takes a lane over, the one before can commit nothing any more.
But a second run that is started by mistake would end the first one, and a supervisor would start that again.

The driver of a run writes a record every `BEAT_SECONDS`, also while nothing is to be delivered. Another run that finds a
record takes over at once where it was given back, or where its process is known to be dead (`holder`). Otherwise it looks at
the record for `LEASE_SECONDS`: one that changes is alive, and the run refuses; one that does not is taken over. No clocks are
compared. Where the record is kept writes are conditional (`LeaseRecord.write`), so of two runs that start at once one goes on.

A run whose lease was taken over notices with its next record, and ends. One that can't write its record goes on: the target
itself will say who has it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from attrs import evolve, field, frozen

from tailrace.errors import ConfigError, FencedError, StoppedError, TailraceError
from tailrace.sinks.holder import Holder

LEASE_SECONDS: Final = 10.0
BEAT_SECONDS: Final = 3.0
LOOK_SECONDS: Final = 0.2
TRY_STOPPING: Final = "stop that one first"

Notice = Callable[[str], None]
_log = logging.getLogger(__name__)


class NoLeaseError(ConfigError):
    """There can't be a lease here: runs go on without."""


@frozen(kw_only=True)
class Record:
    """What is recorded of a lease.

    Attributes:
        holder: who has it, or had it last.
        beat: counts how often the holder has written.
        released: it was given back.
        version: of the record, where it is kept: another one for each that is written.

    """

    holder: Holder
    beat: int = 0
    released: bool = False
    version: Any = field(default=None)


class LeaseRecord(Protocol):
    """Where one target's lease is kept; each method may raise a `TailraceError`."""

    def read(self) -> Record | None:
        """What is recorded now."""

    def write(self, record: Record, *, after: Record | None) -> Record | None:
        """Write, unless something else than `after` is recorded: then None. The answer is what is recorded now."""

    def close(self) -> None:
        """Let go of the place."""


class Lease:
    """One run's lease of a target: `take` it, then `close`."""

    def __init__(self, place: LeaseRecord, target: str, run: str, *, remedy: str = TRY_STOPPING) -> None:
        self._place = place
        self._target = target
        self._own = Record(holder=Holder(run=run))
        self._remedy = remedy
        self._held: Record | None = None
        self._lost: FencedError | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._beats = threading.Thread(target=self._beat, daemon=True, name="tailrace-lease")

    def take(self, notice: Notice, stopping: Callable[[], bool], *, take_over: bool = False) -> None:
        """Have the lease when this returns, and keep it until `close`; `take_over`: whoever has it.

        Where there can't be one that is told, and the run goes on without.

        Raises:
            FencedError: another run has it, and is alive.
            StoppedError: it was asked to stop while it waited.

        """
        try:
            self._take(notice, stopping, take_over=take_over)
        except NoLeaseError as error:
            notice(f"warning: {error}")

    def _take(self, notice: Notice, stopping: Callable[[], bool], *, take_over: bool) -> None:
        outwaited = None
        while True:
            found = self._place.read()
            if found is None or take_over or found.version == outwaited or self._is_free(found):
                if self._write(found):
                    return
            else:
                outwaited = self._wait_out(found, notice, stopping)

    def check(self) -> None:
        """Raise `FencedError` once another run has taken it over."""
        if self._lost is not None:
            raise self._lost

    def close(self) -> None:
        """Give it back, if it is still held, and let go of its place."""
        self._ended.set()
        if self._beats.is_alive():
            self._beats.join()
        with self._lock:
            if self._held is not None and self._lost is None:
                with suppress(TailraceError):  # another run has to wait a moment then
                    self._place.write(evolve(self._held, released=True), after=self._held)
                self._held = None
        self._place.close()

    def _is_free(self, found: Record) -> bool:
        return found.released or found.holder.run == self._own.holder.run or found.holder.is_gone()

    def _write(self, found: Record | None) -> bool:
        """Take what is free; whether nobody was faster."""
        with self._lock:
            self._held = self._place.write(self._own, after=found)
        if self._held is None:
            return False
        self._beats.start()
        return True

    def _wait_out(self, found: Record, notice: Notice, stopping: Callable[[], bool]) -> Any:
        """Wait until the record has not changed for long enough; gives its version."""
        notice(
            f"{self._target} was last delivered to by {found.holder}; waiting up to {LEASE_SECONDS:g} s to see whether it is "
            "still at work"
        )
        until = time.monotonic() + LEASE_SECONDS
        while time.monotonic() < until:
            if stopping():
                raise StoppedError("stopped as asked, while waiting for another run's lease")
            time.sleep(LOOK_SECONDS)
            now = self._place.read()
            if now is None or now.released:
                break
            if now.version != found.version:
                raise FencedError(
                    f"{self._target} is being delivered to by {now.holder}: only one run may do that; {self._remedy}"
                )
        return found.version

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS) and self._lost is None:
            try:
                with self._lock:
                    self._renew()
            except TailraceError as error:
                _log.debug("the lease of %s could not be renewed: %s", self._target, error)

    def _renew(self) -> None:
        held = self._held
        if held is None:
            return
        mine = evolve(self._own, beat=held.beat + 1)
        written = self._place.write(mine, after=held)
        if written is not None:
            self._held = written
            return
        found = self._place.read()
        if found is not None and found.holder.run != self._own.holder.run:
            self._lost = FencedError(f"{self._target} was taken over by {found.holder}, another run")
        else:
            self._held = self._place.write(mine, after=found) or held
