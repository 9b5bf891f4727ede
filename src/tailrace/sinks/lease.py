"""The lease of a target: a run says that it is active, so that a second one does not take over from it by mistake.

It is a courtesy. Fencing makes delivery right: after a take-over the lane's previous owner can no longer commit.
But a second run that is started by mistake would end the first one, and a supervisor would restart that.

The driver of a run writes a record every `BEAT_SECONDS`, even while idle. Another run that finds a
record takes over immediately if it was released, or if its process is known to be dead (`holder`). Otherwise it watches
the record for `LEASE_SECONDS`: if it changes, its writer is alive, and the run refuses to start; if not, it takes over.
No clocks are compared. Writes are conditional (`LeaseRecord.write`), so only one of two runs that start at the same
time goes on.

A run whose lease was taken over notices with its next record, and ends. Before it claims lanes it writes one (`confirm`), since
it may have stood still, and would fence the run that delivers now. One that can't write its record continues: the target
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

from tailrace.errors import ConfigError, FencedError, RetriableError, StoppedError, TailraceError
from tailrace.sinks.holder import Holder

LEASE_SECONDS: Final = 10.0
BEAT_SECONDS: Final = 3.0
LOOK_SECONDS: Final = 0.2
TRY_STOPPING: Final = "stop that one first"

Notice = Callable[[str], None]
_log = logging.getLogger(__name__)


class NoLeaseError(ConfigError):
    """A lease is not possible here: runs continue without one."""


@frozen(kw_only=True)
class Record:
    """A lease's record.

    Attributes:
        holder: who has it, or had it last.
        beat: how often the holder has written.
        released: whether it was given back.
        version: of the stored record; each write changes it.

    """

    holder: Holder
    beat: int = 0
    released: bool = False
    version: Any = field(default=None)


class LeaseRecord(Protocol):
    """The storage of one target's lease; each method may raise a `TailraceError`."""

    def read(self) -> Record | None:
        """The current record."""

    def write(self, record: Record, *, after: Record | None) -> Record | None:
        """Write, and return the stored record; None if the current record is not `after`."""

    def close(self) -> None:
        """Release its resources."""


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
        """Take the lease, and keep it until `close`; `take_over`: from any holder.

        If a lease is not possible, give notice of that, and continue without one.

        Raises:
            FencedError: another run has it, and is alive.
            StoppedError: a stop was requested meanwhile.

        """
        try:
            self._take(notice, stopping, take_over=take_over)
        except NoLeaseError as error:
            notice(f"warning: {error}")

    def _take(self, notice: Notice, stopping: Callable[[], bool], *, take_over: bool) -> None:
        outwaited = None
        while True:
            found = self._place.read()
            if stopping():
                raise StoppedError("stopped as asked, before the target's lease was taken")
            # a record that did not change for so long (`outwaited`): its writer is dead, or can't reach the target any more
            if found is None or take_over or found.version == outwaited or self._is_free(found):
                if self._write(found):
                    return
            else:
                outwaited = self._wait_out(found, notice, stopping)

    def check(self) -> None:
        """Raise `FencedError` once another run has taken over."""
        if self._lost is not None:
            raise self._lost

    def confirm(self) -> None:
        """Renew it now, and raise `FencedError` if another run has it: a process that stood still has not beaten meanwhile.

        Raises:
            RetriableError: the record can't be reached.
            StoppedError: it was given back: this is what a stop has left behind.

        """
        if self._ended.is_set():
            raise StoppedError("the run has ended, and has given its lease back")
        self.check()
        self._renew()
        self.check()

    def close(self) -> None:
        """Release the lease, if it is still held, and its storage."""
        self._ended.set()
        if self._beats.is_alive():  # first: a beat that is being written would take back what is released below
            self._beats.join()
        with self._lock:
            if self._held is not None and self._lost is None:
                with suppress(TailraceError):  # another run then waits for LEASE_SECONDS
                    self._place.write(evolve(self._held, released=True), after=self._held)
                self._held = None
        self._place.close()

    def _is_free(self, found: Record) -> bool:
        return found.released or found.holder.run == self._own.holder.run or found.holder.is_gone()

    def _write(self, found: Record | None) -> bool:
        """Take a free lease; False if somebody was faster."""
        with self._lock:
            self._held = self._place.write(self._own, after=found)
        if self._held is None:
            return False
        self._beats.start()
        return True

    def _wait_out(self, found: Record, notice: Notice, stopping: Callable[[], bool]) -> Any:
        """Wait until the record has not changed for long enough; returns its version."""
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
            with suppress(RetriableError):
                self._renew()

    def _renew(self) -> None:
        try:
            with self._lock:
                self._write_next()
        except TailraceError as error:
            _log.debug("the lease of %s could not be renewed: %s", self._target, error)
            if isinstance(error, RetriableError):
                raise

    def _write_next(self) -> None:
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
        else:  # our own record, from a write whose answer was lost, or none, because retention removed it: write again
            self._held = self._place.write(mine, after=found) or held
