"""The lock manager: locks on tables, rows and transactions; waits with a timeout, deadlock detection, chosen victims.

A row that a transaction changed is locked by its version (see `visibility.py`); whoever must wait for it waits for the
transaction's resource. Only the locks of readers on rows are held here. The stand-in defines the lock modes and which are
compatible; SHARED and EXCLUSIVE always exist.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tailrace_standins.storage.sessions import Failures

Resource: TypeAlias = tuple[Hashable, ...]  # ("table", id), ("row", id, r), ("transaction", id)

SHARED: Final = "S"
EXCLUSIVE: Final = "X"


@dataclass(slots=True)
class _Waiter:
    session: int
    resource: Resource
    mode: str
    priority: int
    is_victim: bool = False


@dataclass(slots=True)
class Locks:
    """All locks of a server.

    Args:
        compatible: each mode with the modes of other sessions that it is compatible with.
        failures: makes the errors that clients get.

    """

    compatible: Mapping[str, frozenset[str]]
    failures: Failures
    _held: dict[Resource, dict[int, set[str]]] = field(default_factory=dict)
    _of_session: dict[int, set[Resource]] = field(default_factory=dict)
    _waiting: dict[int, _Waiter] = field(default_factory=dict)
    _victims: set[int] = field(default_factory=set)
    _cancelled: set[int] = field(default_factory=set)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def choose_victim(self, session: int) -> None:
        """Make the session a deadlock victim: its wait, or its next request for a lock, fails."""
        with self._changed:
            self._victims.add(session)
            self._changed.notify_all()

    def cancel(self, session: int) -> None:
        """End the session's wait, if it is waiting."""
        with self._changed:
            if session in self._waiting:
                self._cancelled.add(session)
                self._changed.notify_all()

    def waiting(self) -> dict[int, int]:
        """Waiting sessions, each with one that blocks it (`blocking_session_id`)."""
        with self._changed:
            return {s: next(iter(self._blockers(w.session, w.resource, w.mode)), 0) for s, w in self._waiting.items()}

    def holders(self, resource: Resource, session: int, mode: str) -> list[int]:
        """Other sessions whose locks are incompatible with the mode."""
        with self._changed:
            return self._blockers(session, resource, mode)

    def holds(self, session: int, resource: Resource, mode: str) -> bool:
        """Whether the session has the lock."""
        return mode in self._held.get(resource, {}).get(session, ())

    def held(self) -> list[tuple[int, Resource, str]]:
        """All locks, as (session, resource, mode)."""
        with self._changed:
            return [
                (s, resource, mode)
                for resource, owners in self._held.items()
                for s, modes in owners.items()
                for mode in modes
            ]

    def acquire(
        self, session: int, resource: Resource, mode: str, *, timeout: int = -1, priority: int = 0, keep: bool = True
    ) -> None:
        """Acquire a lock, or (not `keep`) only wait until it would be granted; `timeout` in ms, -1 for none.

        Raises an error of `failures` after the timeout, as a deadlock victim, and if the wait is cancelled.
        """
        with self._changed:
            if session in self._victims:
                self._victims.discard(session)
                raise self.failures.deadlock(session)
            if self._blockers(session, resource, mode):
                self._wait(_Waiter(session, resource, mode, priority), timeout)
            if keep:
                self._held.setdefault(resource, {}).setdefault(session, set()).add(mode)
                self._of_session.setdefault(session, set()).add(resource)

    def held_by(self, session: int) -> frozenset[Resource]:
        """The resources on which a session has a lock."""
        with self._changed:
            return frozenset(self._of_session.get(session, ()))

    def release_others(self, session: int, kept: frozenset[Resource]) -> None:
        """Release all locks but those on `kept`, which stay in their present modes."""
        with self._changed:
            for resource in self._of_session.get(session, set()) - kept:
                self._let_go(session, resource)
            self._changed.notify_all()

    def release_all(self, session: int) -> None:
        """Release all locks of the session."""
        with self._changed:
            for resource in set(self._of_session.get(session, ())):
                self._let_go(session, resource)
            self._of_session.pop(session, None)
            self._changed.notify_all()

    def _let_go(self, session: int, resource: Resource) -> None:
        owners = self._held.get(resource, {})
        owners.pop(session, None)
        if not owners:
            self._held.pop(resource, None)
        self._of_session.get(session, set()).discard(resource)

    def _blockers(self, session: int, resource: Resource, mode: str) -> list[int]:
        fits = self.compatible[mode]
        return [
            owner for owner, modes in self._held.get(resource, {}).items() if owner != session and not modes <= fits
        ]

    def _wait(self, waiter: _Waiter, timeout: int) -> None:
        if timeout == 0:
            raise self.failures.lock_timeout()
        end = None if timeout < 0 else time.monotonic() + timeout / 1000
        self._waiting[waiter.session] = waiter
        try:
            self._break_deadlock(waiter)
            while self._blockers(waiter.session, waiter.resource, waiter.mode):
                self._check(waiter)
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise self.failures.lock_timeout()
                self._changed.wait(left)
            self._check(waiter)  # it may have been chosen as a victim in the moment in which the lock became free
        finally:
            del self._waiting[waiter.session]

    def _check(self, waiter: _Waiter) -> None:
        if waiter.is_victim or waiter.session in self._victims:
            self._victims.discard(waiter.session)
            raise self.failures.deadlock(waiter.session)
        if waiter.session in self._cancelled:
            self._cancelled.discard(waiter.session)
            raise self.failures.cancelled()

    def _break_deadlock(self, waiter: _Waiter) -> None:
        """If the wait closes a cycle, choose its waiter of the lowest priority as the victim; among equals this one."""
        circle = self._circle(waiter.session, waiter.session, [])
        if circle:
            victim = min((self._waiting[s] for s in circle), key=lambda w: (w.priority, w is not waiter))
            victim.is_victim = True
            self._changed.notify_all()

    def _circle(self, start: int, session: int, path: list[int]) -> list[int]:
        waiter = self._waiting.get(session)
        if waiter is None or session in path:
            return []
        for blocker in self._blockers(session, waiter.resource, waiter.mode):
            if blocker == start:
                return [*path, session]
            if found := self._circle(start, blocker, [*path, session]):
                return found
        return []
