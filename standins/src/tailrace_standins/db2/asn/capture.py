"""`asncap`: reads the log and writes change tables.

Its work has two steps, each of them a commit: `capture` writes the rows of committed transactions, `advance` moves the
synchpoints that say so. A thread takes them again and again; tests take them one by one.

Source: IBM Db2 documentation, "Operating the Capture program", "IBMSNAP_REGISTER table"
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import threading
from collections import deque
from typing import Any, Final

from tailrace_standins.db2.asn.housekeeping import Counts, Housekeeping
from tailrace_standins.db2.asn.messages import Messages
from tailrace_standins.db2.asn.numbers import Lsns
from tailrace_standins.db2.asn.register import Register
from tailrace_standins.db2.asn.rows import Filled, Registration, Shapes, change_rows
from tailrace_standins.db2.engine import changing
from tailrace_standins.db2.engine.catalog import Table
from tailrace_standins.db2.engine.log import LoggedTransaction, Record
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.log import POSITIONS
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.transactions import write

_ROWS_AT_ONCE: Final = 100_000
_UOW: Final = "IBMSNAP_UOW"


class Capture:
    """The Capture program of a schema (`storage.log.CommitHook`).

    Args:
        engine: whose log it reads.
        schema: of its control tables.
        lsns: the form of its log sequence numbers.

    Attributes:
        is_suspended: the thread does nothing (`asnccmd suspend`).
        advances: `step` also moves the synchpoints; with False rows are there before what says so.
        error: what stopped it.

    """

    def __init__(self, engine: Engine, schema: str, lsns: Lsns) -> None:
        self.schema = schema
        self.lsns = lsns
        self.is_suspended = False
        self.advances = True
        self.error: SqlError | None = None
        self._engine = engine
        self._session = engine.session()
        self._session.is_clients = False
        self._messages = Messages(self._session, schema)
        self.register = Register(self._session, schema, lsns, self._messages)
        self._house = Housekeeping(self._session, schema, self.register)
        self._log: deque[tuple[int, LoggedTransaction]] = deque()
        self.work = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._done = self._end = 0
        self._time = engine.now()
        self._counts = Counts()
        self._shapes = Shapes()
        self._commits: dict[tuple[str, str], bytes] = {}
        engine.hooks.append(self)

    def committing(self, connection: Any, transaction: LoggedTransaction) -> None:
        """Not needed: the database's file is not kept."""

    def committed(self, transaction: LoggedTransaction) -> None:
        """The log goes on: the position of the commit follows those of its changes."""
        position = next(POSITIONS)
        if transaction.session_id != self._session.id:
            self._log.append((position, transaction))

    @property
    def is_running(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, interval: float | None = 0.05, keeps_house: bool | None = None) -> None:
        """Start the thread.

        Args:
            interval: seconds between its steps; None: COMMIT_INTERVAL, looked at every SLEEP_INTERVAL.
            keeps_house: whether it also prunes and monitors when it is time; None: if there is no interval.

        """
        self.error = None
        self.reinit()
        with self.work:
            self._messages.started(self.register.counts())
            self._session.commit()
            given = self._house.parameters()
        waits = max(given["COMMIT_INTERVAL"], given["SLEEP_INTERVAL"], 0.001) if interval is None else interval
        house = interval is None if keeps_house is None else keeps_house
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, args=(waits, house), name="asncap", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; what it has not captured stays in the log."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            if self.error is None:
                with self.work:
                    self._messages.stopped(self.lsns.at(self._done))
                    self._session.commit()

    def _run(self, interval: float, keeps_house: bool) -> None:
        while not self._stopping.wait(interval):
            if not self.is_suspended:
                try:
                    self.step()
                    if keeps_house:
                        self.keep_house()
                except SqlError as error:
                    self._session.rollback()
                    self.error = error
                    return

    def step(self) -> int:
        """Capture what is committed, and say so; how many transactions."""
        with self.work:
            count = self.capture()
            if self.advances:
                self.advance()
            return count

    def reinit(self) -> None:
        """Read the register anew: tables that became active are captured from here on, others up to here."""
        with self.work:
            self.register.read()

    def capture(self) -> int:
        """Write the rows of transactions that are committed, in the order of their commits; how many transactions."""
        with self.work:
            with self._engine.store.writer:  # a commit takes its position and comes into the log under this lock
                end, end_time, waiting = next(POSITIONS), self._engine.now(), list(self._log)
            count, filled = self._filled(waiting)
            for names, new in filled.rows.items():
                self._insert(self._engine.database.find(*names), new)
            self._session.commit()
            self._commits |= filled.commits
            for _ in range(count):
                self._done, self._time = self._log[0][0], self._log[0][1].committed
                self._log.popleft()
            if count == len(waiting):
                self._end, self._time = end, end_time
            else:
                self._end = self._done
            self.register.forget_before(self._end)
            self._counts.rows += filled.count
            self._counts.transactions += count
            return count

    def _filled(self, waiting: list[tuple[int, LoggedTransaction]]) -> tuple[int, Filled]:
        """The rows of transactions, but not more at once than memory should have; of how many."""
        filled, units = Filled(), []
        self._shapes = Shapes()
        count = 0
        for position, transaction in waiting:
            if filled.count >= _ROWS_AT_ONCE:
                break
            before = filled.count
            commit = self.lsns.at(position)
            for record in transaction.records:
                self._take(record, commit, filled)
            if filled.count > before:
                units.append(self._unit_of_work(commit, transaction))
            self._signals(transaction, commit)
            count += 1
        if units:
            filled.rows[self.schema, _UOW] = units
        return count, filled

    def _take(self, record: Record, commit: bytes, filled: Filled) -> None:
        """Make the change table's rows of a record; an error stops the program, or capturing of its table."""
        registration = self.register.of(record)
        if registration is None or not record.table.captured:
            return
        target = self._engine.database.tables.get(registration.target)
        if target is None:
            if registration.until is None:
                told = f"ASN0069E the change table {'.'.join(registration.target)} is missing"
                self._fail(registration, told, SqlError(-204, "42704", ".".join(registration.target)))
            return
        try:
            shapes = self._shapes.of(record.table, target, registration.prefix)
            rows = list(change_rows(record, registration, shapes, commit, self.lsns))
        except SqlError as error:
            self._fail(registration, f"ASN0552E the row does not fit into {'.'.join(registration.target)}: {error}", error)
        else:
            filled.add(registration, rows, commit)

    def _fail(self, registration: Registration, told: str, error: SqlError) -> None:
        """Stop the program by raising the error, or capture this table no more."""
        if registration.stops:
            self._session.rollback()
            self._messages.error(told)
            self._session.commit()
            raise error
        self.register.fail(registration)
        self._messages.error(told)

    def _unit_of_work(self, commit: bytes, transaction: LoggedTransaction) -> list[Stored]:
        """The row of IBMSNAP_UOW."""
        session = self._engine.sessions.get(transaction.session_id)
        user = session.user if session is not None else "DB2INST1"
        number = transaction.id.to_bytes(10, "big")
        return [number, commit, transaction.committed, f"{transaction.session_id}", user, " ", " " * 18]

    def _insert(self, table: Table, rows: list[list[Stored]]) -> None:
        session = self._session
        session.begin()
        write(session, lambda transaction: changing.insert_rows(session, transaction, table, rows))

    def _signals(self, transaction: LoggedTransaction, commit: bytes) -> None:
        """Rows of IBMSNAP_SIGNAL get the LSN of their commit, and are complete."""
        for record in transaction.records:
            if record.table.name != "IBMSNAP_SIGNAL" or record.table.schema != self.schema or record.after is None:
                continue
            given = dict(zip((column.name for column in record.table.columns), record.after, strict=True))
            if given["SIGNAL_STATE"] == "P" and given["SIGNAL_LSN"] is None:
                self._session.run(
                    f'UPDATE "{self.schema}".IBMSNAP_SIGNAL SET SIGNAL_STATE = \'C\', SIGNAL_LSN = ? WHERE SIGNAL_TIME = ? '
                    "AND SIGNAL_TYPE = ?",
                    *(commit, given["SIGNAL_TIME"], given["SIGNAL_TYPE"]),
                )

    def advance(self) -> None:
        """Move the synchpoints to the end of what was captured."""
        with self.work:
            if not self._end:
                return
            self.register.advance(self.lsns.at(self._end), self._time, self._commits)
            self._commits = {}
            self._session.commit()

    def wrote(self, source: tuple[str, str], commit: bytes | None, rows: int, transactions: int) -> None:
        """Change tables were written past the log (`db2.bulk`), up to now: tell it."""
        with self.work:
            if commit is not None:
                self._commits[source] = commit
            self._done = self._end = next(POSITIONS)
            self._time = self._engine.now()
            self._counts.rows += rows
            self._counts.transactions += transactions
            self.advance()

    def prune(self, before: str | None = None) -> None:
        """Delete rows of transactions committed before a time of the server; None: RETENTION_LIMIT before now."""
        with self.work:
            self._house.prune(before)

    def monitor(self) -> None:
        """Write a row of IBMSNAP_CAPMON about what was done since the last one."""
        with self.work:
            self._house.monitor(self._counts, self._time, self.lsns.at(self._done))
            self._counts = Counts()

    def keep_house(self) -> None:
        """Prune and monitor, if it is time for it by the server's clock."""
        with self.work:
            prunes, monitors = self._house.due()
            if prunes:
                self.prune()
            if monitors:
                self.monitor()

    def forget_log(self) -> None:
        """Forget what is in the log and not captured: the database was restored."""
        with self.work:
            self._log.clear()
            self._end = 0
            self._commits = {}
            self.register.active.clear()

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        self._engine.hooks.remove(self)
        self._session.close()
