"""A running stream, as its user holds it."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from tailrace.errors import RetriableError, TailraceError
from tailrace.link import Link
from tailrace.source.job import Job
from tailrace.source.preflight import Preflight
from tailrace.source.stop_time import COMMIT_SECONDS
from tailrace.streaming.failures import cause_of
from tailrace.streaming.messages import Messages
from tailrace.streaming.running import run_on
from tailrace.streaming.status import State, StreamStatus
from tailrace.streaming.targets import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MORE_SECONDS: Final = 30.0  # beyond its time: Spark ends the query, and the lease is released


class Stream:
    """A stream that `tailrace.stream` has started.

    It is a context manager, whose end stops the stream. A process that ends without that is as safe as one that is killed: the
    next stream goes on from the last commit.
    """

    def __init__(
        self,
        spark: SparkSession,
        job: Job,
        target: Target,
        link: Link,
        look: Preflight,
        messages: Messages,
        *,
        available_now: bool,
        stop_seconds: float,
    ) -> None:
        self._spark = spark
        self._job = job
        self._target = target
        self._link = link
        self._look = look
        self._messages = messages
        self._available_now = available_now
        self._stop_seconds = stop_seconds
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._error: Exception | None = None

    @property
    def is_active(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ended.is_set()

    @property
    def status(self) -> StreamStatus:
        """What it is doing, and its figures so far."""
        return self._messages.status()

    @property
    def exception(self) -> Exception | None:
        """The error that ended it; None while it runs, and after an end without one."""
        return self._error

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait for the end, or for so many seconds; return whether it has ended.

        Args:
            timeout: seconds; None waits for the end.

        Raises:
            TailraceError: the stream has failed; also errors that are not tailrace's, as they are. Or one of the stream's own
                functions waits, for which the stream waits.

        """
        if self._messages.is_calling():
            raise TailraceError("on_notice, on_progress and on_event can't wait for the stream that calls them: use stop()")
        ended = self._ended.wait(timeout)
        if self._error is not None:
            raise self._error
        return ended

    def stop(self, timeout: float | None = None) -> None:
        """Let it make its last commits, and wait for the end; does nothing where it has ended.

        Within `on_notice`, `on_progress` or `on_event` it only asks for the end: the stream waits for that function.

        Args:
            timeout: how many seconds the stop may take, in place of `stop_timeout` of `tailrace.stream`. The last commits have
                5 s at least.

        Raises:
            TailraceError: the stream has failed; also errors that are not tailrace's, as they are.

        """
        if timeout is not None:
            self._stop_seconds = timeout
        if self.is_active and not self._stop.is_set():
            self._messages.become(State.STOPPING)
            self._stop.set()
        if self._messages.is_calling():
            return
        if not self.await_termination(max(self._stop_seconds, COMMIT_SECONDS) + MORE_SECONDS):
            raise RetriableError(
                "the stream does not end, because Spark does not end its query; what is not committed is delivered by the next"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.stop()
            return
        self._stop.set()  # the error of the block is the one to be raised
        self._ended.wait(max(self._stop_seconds, COMMIT_SECONDS) + MORE_SECONDS)

    def _start(self) -> None:
        """Begin, on a thread that has the local properties of the caller's, such as the scheduler's pool."""
        from pyspark import InheritableThread

        thread: Any = InheritableThread(target=self._run, daemon=True, name="tailrace-stream")
        thread.start()

    def _run(self) -> None:
        try:
            stopped = self._deliver()
        except Exception as error:  # noqa: BLE001 -- raised where it is waited for
            self._fail(error)
        else:
            self._messages.become(State.STOPPED if stopped else State.DONE)
        finally:
            self._ended.set()

    def _fail(self, error: Exception) -> None:
        cause = cause_of(error)
        self._error = cause if isinstance(cause, Exception) else error
        if self._error is not error:
            self._error.__cause__ = error
        self._messages.become(State.FAILED)
        self._messages.notice(f"the stream has failed: {self._error}")

    def _deliver(self) -> bool:
        try:
            return run_on(
                self._spark,
                self._job,
                self._target,
                self._link,
                self._look,
                available_now=self._available_now,
                stop_requested=self._stop_requested,
                notice=self._messages.notice,
                say=self._say,
                stop_seconds=lambda: self._stop_seconds,
            )
        finally:
            self._link.close()
            self._target.discard()
            self._look.close()

    def _stop_requested(self) -> bool:
        return self._stop.is_set()

    def _say(self, text: str) -> None:
        self._messages.become(State.RUNNING)
        self._messages.say(text)
