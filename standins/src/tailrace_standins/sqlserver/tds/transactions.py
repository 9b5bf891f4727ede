"""Executes transaction manager requests.

Source: [MS-TDS] 2.2.6.9 Transaction Manager Request
"""

from __future__ import annotations

from collections.abc import Iterator

from tailrace_standins.sqlserver.session import Outcome, Session
from tailrace_standins.sqlserver.tds.requests import Transactional, read_transaction


def carried_out(session: Session, data: bytes) -> Iterator[Outcome]:
    """Begin, commit, roll back or save; then begin the next transaction if the client requests it."""
    request = read_transaction(data)
    if request.what is Transactional.BEGIN:
        yield from session.begin(request.name, request.isolation)
    elif request.what is Transactional.SAVE:
        yield from session.save(request.name)
    else:
        end = session.commit if request.what is Transactional.COMMIT else session.rollback
        yield from end(request.name)
    if request.next_isolation is not None:
        yield from session.begin(request.next_name, request.next_isolation)
