"""Checks before Spark starts, which takes seconds: the login to the database, the target, and its lease.

They run in parallel, in the background, while Spark's own modules are imported and Java, if it was started early, makes its
session. A permanent error stops the run here. A transient one does not: the run retries as `errors.max.retries` says. An
unknown host may belong to a container that is about to start, so that is reported here and left to the run as well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from tailrace.errors import NoSuchHostError, RetriableError, StoppedError
from tailrace.sinks.lease import BEAT_SECONDS, Lease, Notice
from tailrace.source.job import Job
from tailrace.source.retry import STEP_SECONDS, retrying

LOOK_SECONDS: Final = (
    BEAT_SECONDS + 1.0
)  # the longest delay of Spark's start: an active run is detected by then
_GLANCE_SECONDS: Final = 0.02
END_SECONDS: Final = 1.0
GIVE_BACK_SECONDS: Final = 3.0  # brokers that are down take far longer to fail, and a stop must end
TAKE_OVER: Final = "stop that one, or end it with --take-over"


class Preflight:
    """The login and the lease of one run."""

    def __init__(self, job: Job, notice: Notice, *, take_over: bool = False) -> None:
        self._job = job
        self._notice = notice
        self._take_over = take_over
        self._lease = Lease(job.new_lease(), job.target, job.run, remedy=TAKE_OVER)
        self._closed = self._gave_back = False
        self._giving_back = threading.Lock()
        self._began = time.monotonic()
        self._login = _Background(job.try_login)
        self._taking = _Background(self._take)

    def before_spark(self, is_there: Callable[[], bool] = lambda: False) -> None:
        """Raise permanent errors that show up soon, or until Spark is there anyway."""
        until = self._began + LOOK_SECONDS
        for each in (self._login, self._taking):
            while each.is_alive() and time.monotonic() < until and not is_there():
                each.join(_GLANCE_SECONDS)
        self._has_succeeded(self._login)
        self._has_succeeded(self._taking)

    def with_spark(self, stopping: Callable[[], bool]) -> None:
        """Wait until the lease is taken.

        Raises:
            TailraceError: an error that came up meanwhile, or the lease is not available.

        """
        while self._taking.is_alive():
            if stopping():
                raise StoppedError("stopped as asked, before anything was read")
            self._taking.join(STEP_SECONDS)
        self._has_succeeded(self._login)
        if not self._has_succeeded(self._taking):
            retrying(self._job.pace, self._take, self._notice, stopping)

    def watching(self, stop_requested: Callable[[], bool]) -> Callable[[], bool]:
        """`stop_requested`, which also raises `FencedError` once another run has taken over."""

        def asked() -> bool:
            self._lease.check()
            return stop_requested()

        return asked

    def confirm(self) -> None:
        """Raise `FencedError` if another run has the lease now."""
        self._lease.confirm()

    def close(self) -> None:
        """Release the lease; if that takes too long, the next run waits for it to expire."""
        self._closed = True
        self._taking.join(END_SECONDS)
        if not self._taking.is_alive():  # else it gives back what it gets: this process may live on
            giving_back = _Background(self._give_back)
            giving_back.join(GIVE_BACK_SECONDS)
            if giving_back.error is not None:
                raise giving_back.error

    def _take(self) -> None:
        if self._take_over:  # what can't read the database must not end the run that does
            self._login.join()
            if self._login.cause is not None and not self._may_pass(self._login.cause):
                raise self._login.cause
        try:
            self._lease.take(self._notice, lambda: self._closed, take_over=self._take_over)
        finally:
            if self._closed:
                self._give_back()

    def _give_back(self) -> None:
        """Release the lease, once."""
        with self._giving_back:
            if not self._gave_back:
                self._gave_back = True
                self._lease.close()

    def _has_succeeded(self, looking: _Background) -> bool:
        """Whether a check succeeded; raises permanent errors, and reports a transient one once."""
        error, looking.error = looking.error, None
        if error is None:
            return looking.cause is None and not looking.is_alive()
        if not self._may_pass(error):
            raise error
        self._notice(f"{error}; trying again")
        return False

    def _may_pass(self, error: Exception) -> bool:
        return (isinstance(error, RetriableError) and self._job.pace.max_retries != 0) or isinstance(error, NoSuchHostError)


@contextmanager
def preflight(job: Job, notice: Notice, *, take_over: bool = False) -> Iterator[Preflight]:
    """Run the checks, and release the lease at the end of the block."""
    look = Preflight(job, notice, take_over=take_over)
    try:
        yield look
    finally:
        look.close()


class _Background(threading.Thread):
    """A thread that keeps the error it ended with: in `cause`, and in `error` until that was looked at."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True, name="tailrace-first-look")
        self._work = work
        self.error: Exception | None = None
        self.cause: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 -- raised where it is waited for
            self.error = self.cause = error
