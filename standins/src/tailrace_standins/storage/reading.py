"""Reading: which versions a reader sees, which transactions it waits for, which rows it locks."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tailrace_standins.storage.visibility import LATEST, VISIBLE
from tailrace_standins.storage.waiting import lock, others_wrote, wait_for

if TYPE_CHECKING:
    from tailrace_standins.storage.sessions import R, Session, Stored, Table

_FOREIGN: Final = "((b<0 AND b<>:t) OR (e<0 AND e<>:t))"


def view_of(session: Session[R]) -> tuple[int, int]:
    """The parameters `:s` and `:t` of `visibility`: the last commit that the reader sees, and its transaction's mark."""
    transaction = session.transaction
    seen = LATEST
    if transaction is not None and transaction.snapshot is not None:
        seen = transaction.snapshot
    return seen, transaction.mark if transaction is not None else 0


def begin_snapshot(session: Session[R]) -> None:
    """Fix what the session's transaction sees, if it has one, to the commits up to its first call."""
    transaction = session.transaction
    if transaction is not None and transaction.snapshot is None:
        transaction.snapshot = session.store.take_snapshot(session)


def wait_for_rows(session: Session[R], storage: str, where: str, values: Mapping[str, Stored]) -> None:
    """Wait for other transactions that changed rows of a table; `where` (` AND …`, with `values`) limits the rows."""
    mark = view_of(session)[1]
    while others_wrote(session, storage):
        found = session.connection.rows(
            f"SELECT b, e FROM {storage} WHERE {_FOREIGN}{where} LIMIT 1", {**values, "t": mark}
        )
        if not found:
            return
        owner = next(number for number in found[0] if number < 0 and number != mark)
        wait_for(session, ("transaction", -owner))


def lock_rows(session: Session[R], table: Table, where: str, values: Mapping[str, Stored], mode: str) -> int:
    """Lock the rows that a reader sees, until its transaction ends; returns how many. `values` include its `view_of`."""
    found = session.connection.rows(f"SELECT DISTINCT r FROM {table.storage} WHERE {VISIBLE}{where}", values)
    for (row,) in found:
        lock(session, ("row", table.id, row), mode, keep=True)
    return len(found)
