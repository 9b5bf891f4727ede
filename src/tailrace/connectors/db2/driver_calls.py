"""Calls of the driver of one connection: in a thread where they have a limit of time, or begin before they are needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from tailrace.connectors.db2.errors_of_driver import QueryTimeoutError
from tailrace.errors import RetriableError

T = TypeVar("T")


class DriverCalls:
    """Calls of the driver, one after the other.

    They run in a thread if they have a limit of time, which the driver does not have itself, and from the first one on that
    begins before its result is needed.
    """

    def __init__(self, seconds: float | None, cut: Callable[[], None] = lambda: None) -> None:
        """Calls that take so many seconds at most; None: without limit. `cut` ends the connection that one hangs in."""
        self._seconds = seconds
        self._cut = cut
        self._thread: _Thread | None = None
        self._hangs = False
        self._is_closed = False

    def run(self, cursor: Any, call: Callable[[], T]) -> T:
        """The result of a call; the connection is of no more use after one that took too long."""
        if self._seconds is None and self._thread is None:
            return call()
        return self.result(cursor, self.start(call))

    def start(self, call: Callable[[], T]) -> Future[T]:
        """Begin with a call, behind those before it."""
        if self._hangs:
            raise RetriableError("the connection was given up, as a statement took too long on it")
        if self._is_closed:
            raise RetriableError("the connection is closed")
        if self._thread is None:
            self._thread = _Thread("a session on Db2")
        return self._thread.submit(call)

    def result(self, cursor: Any, begun: Future[T]) -> T:
        """The result of a call that has begun."""
        if not self._is_done(cursor, begun):
            raise QueryTimeoutError(
                f"no answer within database.query.timeout.ms={(self._seconds or 0) * 1000:g}: is another session's lock in the "
                "way?"
            )
        return begun.result()

    def settle(self, cursor: Any, begun: Future[Any]) -> None:
        """Wait for a call whose result is of no use any more, unless the garbage collector asks within that very call."""
        if self._thread is None or not self._thread.is_current:
            self._is_done(cursor, begun)

    def _is_done(self, cursor: Any, begun: Future[Any]) -> bool:
        """Wait for a call; False: it took too long, and is cancelled."""
        done, _ = wait([begun], self._seconds)
        if not done:
            self._hangs = True
            if cursor is not None:
                cursor.adbc_cancel()
            self._cut()  # or the server goes on with the statement, and this process has its connection until that ends
        return bool(done)

    def close(self, cursor: Any) -> None:
        """Close a cursor; behind a call that hangs, for which the driver would wait here."""
        if self._is_closed:
            return  # the connection has closed it
        if self._thread is not None and (self._hangs or self._thread.is_current):
            self._thread.submit(cursor.close)
        else:
            cursor.close()

    def end(self, close: Callable[[], None]) -> None:
        """Close the connection, behind a call that hangs; once."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._thread is None:
            close()
            return
        closing = self._thread.submit(close)
        self._thread.end()
        if not self._hangs and not self._thread.is_current:
            closing.result()


class _Thread:
    """Runs calls one after the other; the process may end while one hangs, for which an executor would wait."""

    def __init__(self, name: str) -> None:
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether this is it."""
        return threading.current_thread() is self._thread

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have a call run behind those before it."""
        result = Future[T]()
        self._waiting.put(partial(_run_into, result, call))
        return result

    def end(self) -> None:
        """End behind the last call."""
        self._waiting.put(None)

    def _run(self) -> None:
        while (call := self._waiting.get()) is not None:
            call()
            del call  # which has its result: nobody may be left who wants that


def _run_into(result: Future[T], call: Callable[[], T]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # noqa: BLE001 -- it is raised by the thread that waits
        result.set_exception(error)
        del result  # the error has this frame
