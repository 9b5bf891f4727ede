"""`asncap`: reads the log and writes change tables.

Its work has two steps, each of them a commit: `capture` writes the rows of committed transactions, `advance` moves the
synchpoints that say so. A thread takes them again and again (COMMIT_INTERVAL, SLEEP_INTERVAL); tests take them one by one.

Source: IBM Db2 documentation, "Operating the Capture program", "IBMSNAP_REGISTER table"
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import threading
from collections import deque
from typing import Any, Final

from tailrace_standins.db2.asn.rows import Registration, change_rows, lsn
from tailrace_standins.db2.engine import changing
from tailrace_standins.db2.engine.catalog import Table
from tailrace_standins.db2.engine.log import LoggedTransaction
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.log import POSITIONS
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.transactions import write

_ROWS_AT_ONCE: Final = 100_000


class Capture:
    """The Capture program of a schema (`storage.log.CommitHook`).

    Args:
        engine: whose log it reads.
        schema: of its control tables.

    Attributes:
        is_suspended: it does nothing (`asnccmd suspend`).
        error: what stopped it.

    """

    def __init__(self, engine: Engine, schema: str) -> None:
        self.schema = schema
        self.is_suspended = False
        self.error: SqlError | None = None
        self._engine = engine
        self._session = engine.session()
        self._log: deque[tuple[int, LoggedTransaction]] = deque()
        self._registered: dict[tuple[str, str], Registration] = {}
        self._work = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._done = 0
        self._end = 0
        self._time = engine.now()
        self._rows = self._transactions = 0
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

    def start(self, interval: float = 0.05) -> None:
        """Start the thread, which works every `interval` seconds."""
        self.error = None
        self.reinit()
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, args=(interval,), name="asncap", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; what it has not captured stays in the log."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, interval: float) -> None:
        while not self._stopping.wait(interval):
            if not self.is_suspended:
                try:
                    self.step()
                except SqlError as error:
                    self._session.rollback()
                    self.error = error
                    return

    def step(self) -> int:
        """Capture what is committed, and say so; how many transactions."""
        with self._work:
            count = self.capture()
            self.advance()
            return count

    def reinit(self) -> None:
        """Read the register anew: tables that became active are captured from here on, others no more."""
        with self._work:
            found = self._session.run(
                "SELECT SOURCE_OWNER, SOURCE_TABLE, CD_OWNER, CD_TABLE, STATE, CHG_UPD_TO_DEL_INS, CHGONLY, BEFORE_IMG_PREFIX, "
                f"STOP_ON_ERROR, CD_NEW_SYNCHPOINT FROM {self._named('IBMSNAP_REGISTER')} WHERE SOURCE_OWNER <> ''"
            )
            self._session.commit()
            known, self._registered = self._registered, {}
            for owner, name, cd_owner, cd_table, state, splits, only, prefix, stops, synchpoint in found:
                source = (str(owner), str(name))
                if state != "A":
                    continue
                if source in known and known[source].target == (cd_owner, cd_table) and synchpoint is not None:
                    self._registered[source] = known[source]
                    continue
                position = next(POSITIONS)
                self._registered[source] = Registration(
                    source,
                    (str(cd_owner), str(cd_table)),
                    position,
                    splits != "N",
                    only == "Y",
                    str(prefix or ""),
                    stops != "N",
                )
                self._session.run(
                    f"UPDATE {self._named('IBMSNAP_REGISTER')} SET CD_NEW_SYNCHPOINT = ?, CD_OLD_SYNCHPOINT = NULL, "
                    "SYNCHPOINT = NULL, STATE_INFO = NULL WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ?",
                    *(lsn(position), owner, name),
                )
            self._session.commit()

    def capture(self) -> int:
        """Write the rows of transactions that are committed, in the order of their commits; how many transactions."""
        with self._work:
            with self._engine.store.writer:  # a commit takes its position and comes into the log under this lock
                end, end_time, waiting = next(POSITIONS), self._engine.now(), list(self._log)
            count = rows = 0
            filled: dict[tuple[str, str], list[list[Stored]]] = {}
            for position, transaction in waiting:
                if rows >= _ROWS_AT_ONCE:
                    break
                found = self._rows_of(position, transaction, filled)
                if found:
                    filled.setdefault((self.schema, "IBMSNAP_UOW"), []).append(self._unit_of_work(position, transaction))
                self._signals(transaction, lsn(position))
                rows += found
                count += 1
            for names, new in filled.items():
                self._insert(self._engine.database.find(*names), new)
            self._session.commit()
            for _ in range(count):
                self._done, self._time = self._log[0][0], self._log[0][1].committed
                self._log.popleft()
            if count == len(waiting):
                self._end, self._time = end, end_time
            else:
                self._end = self._done
            self._rows += rows
            self._transactions += count
            return count

    def _rows_of(
        self, position: int, transaction: LoggedTransaction, filled: dict[tuple[str, str], list[list[Stored]]]
    ) -> int:
        """Make the change tables' rows of a transaction; how many."""
        count = 0
        for record in transaction.records:
            registration = self._registered.get((record.table.schema, record.table.name))
            if registration is None or record.position <= registration.since or not record.table.captured:
                continue
            target = self._target(registration)
            if target is not None:
                new = list(change_rows(record, registration, target, lsn(position)))
                filled.setdefault(registration.target, []).extend(new)
                count += len(new)
        return count

    def _unit_of_work(self, position: int, transaction: LoggedTransaction) -> list[Stored]:
        """The row of IBMSNAP_UOW."""
        session = self._engine.sessions.get(transaction.session_id)
        user = session.login.user.upper() if session is not None else "DB2INST1"
        number = transaction.id.to_bytes(10, "big")
        return [number, lsn(position), transaction.committed, f"{transaction.session_id}", user, " ", " " * 18]

    def _target(self, registration: Registration) -> Table | None:
        """The change table; where it is gone the program stops, or capturing this table does."""
        found = self._engine.database.tables.get(registration.target)
        if found is None:
            told = f"ASN0069E CAPTURE : the change table {'.'.join(registration.target)} is missing"
            if registration.stops:
                self._session.rollback()
                self._trace("ERROR", told)
                self._session.commit()
                raise SqlError(-204, "42704", ".".join(registration.target))
            self._session.run(
                f"UPDATE {self._named('IBMSNAP_REGISTER')} SET STATE = 'S' WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ?",
                *registration.source,
            )
            self._trace("ERROR", told)
            del self._registered[registration.source]
        return found

    def _insert(self, table: Table, rows: list[list[Stored]]) -> None:
        session = self._session
        session.begin()
        write(session, lambda transaction: changing.insert_rows(session, transaction, table, rows))

    def _signals(self, transaction: LoggedTransaction, commit: bytes) -> None:
        """Rows of IBMSNAP_SIGNAL get the LSN of their commit, and are complete."""
        for record in transaction.records:
            if (record.table.schema, record.table.name) == (self.schema, "IBMSNAP_SIGNAL") and record.after is not None:
                given = dict(zip((column.name for column in record.table.columns), record.after, strict=True))
                if given["SIGNAL_STATE"] == "P" and given["SIGNAL_LSN"] is None:
                    self._session.run(
                        f"UPDATE {self._named('IBMSNAP_SIGNAL')} SET SIGNAL_STATE = 'C', SIGNAL_LSN = ? WHERE SIGNAL_TIME = ? "
                        "AND SIGNAL_TYPE = ?",
                        *(commit, given["SIGNAL_TIME"], given["SIGNAL_TYPE"]),
                    )

    def advance(self) -> None:
        """Move the synchpoints to the end of what was captured."""
        with self._work:
            if not self._end:
                return
            register = self._named("IBMSNAP_REGISTER")
            self._session.run(
                f"UPDATE {register} SET SYNCHPOINT = ?, SYNCHTIME = ? WHERE GLOBAL_RECORD = 'Y'", lsn(self._end), self._time
            )
            for each in self._registered.values():
                if each.target in self._engine.database.tables:
                    self._session.run(
                        f"UPDATE {register} SET CD_NEW_SYNCHPOINT = (SELECT MAX(IBMSNAP_COMMITSEQ) FROM {each.quoted_target}), "
                        "SYNCHTIME = ? WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ? AND EXISTS (SELECT 1 FROM "
                        f"{each.quoted_target} c WHERE c.IBMSNAP_COMMITSEQ > CD_NEW_SYNCHPOINT)",
                        *(self._time, *each.source),
                    )
            self._session.commit()

    def prune(self, before: str | None = None) -> None:
        """Delete rows of transactions that were committed before a time of the server; None: before all that is captured."""
        with self._work:
            uow = self._named("IBMSNAP_UOW")
            found = self._session.run(
                f"SELECT MAX(IBMSNAP_COMMITSEQ) FROM {uow} WHERE IBMSNAP_LOGMARKER < ?", before or self._engine.now()
            )
            limit = found[0][0]
            if limit is not None:
                for each in self._registered.values():
                    if each.target in self._engine.database.tables:
                        self._session.run(f"DELETE FROM {each.quoted_target} WHERE IBMSNAP_COMMITSEQ <= ?", limit)
                self._session.run(f"DELETE FROM {uow} WHERE IBMSNAP_COMMITSEQ <= ?", limit)
            self._session.commit()

    def monitor(self) -> None:
        """Write a row of IBMSNAP_CAPMON."""
        with self._work:
            now = self._engine.now()
            done = lsn(self._done)
            self._session.run(
                f"INSERT INTO {self._named('IBMSNAP_CAPMON')} VALUES (?, ?, 0, {self._rows}, 0, 0, 0, {self._transactions}, "
                "0, 0, 0, NULL, NULL, 0, 0, ?, ?, ?, ?, ?, ?)",
                *(now, now, self._time, now, now, done, done, done),
            )
            self._session.commit()

    def _trace(self, operation: str, text: str) -> None:
        """Add a message, which comes with the next commit."""
        self._session.run(
            f"INSERT INTO {self._named('IBMSNAP_CAPTRACE')} VALUES (?, ?, ?)", operation, self._engine.now(), text
        )

    def _named(self, table: str) -> str:
        """A control table's name in SQL."""
        return f'"{self.schema}".{table}'

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        self._engine.hooks.remove(self)
        self._session.close()
