"""IBMSNAP_REGISTER as the Capture program has read it, and what the program writes into it.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "ASN messages" (the texts are shorter here)
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.asn.numbers import Lsns
from tailrace_standins.db2.asn.rows import Registration
from tailrace_standins.storage.log import POSITIONS

if TYPE_CHECKING:
    from tailrace_standins.db2.asn.messages import Messages
    from tailrace_standins.db2.engine.log import Record
    from tailrace_standins.db2.engine.session import EngineSession
    from tailrace_standins.db2.values import Value

_READ: Final = (
    "SOURCE_OWNER, SOURCE_TABLE, CD_OWNER, CD_TABLE, CHG_UPD_TO_DEL_INS, CHGONLY, BEFORE_IMG_PREFIX, STOP_ON_ERROR, "
    "CD_NEW_SYNCHPOINT"
)


class Register:
    """The registrations.

    Args:
        session: of the program.
        schema: of the control tables.
        lsns: of the database.
        messages: where activations are told.

    """

    def __init__(self, session: EngineSession, schema: str, lsns: Lsns, messages: Messages) -> None:
        self._session = session
        self._table = f'"{schema}".IBMSNAP_REGISTER'
        self._lsns = lsns
        self._messages = messages
        self.active: dict[tuple[str, str], Registration] = {}
        self._ended: list[Registration] = []

    def of(self, record: Record) -> Registration | None:
        """The registration that captures a record."""
        source = (record.table.schema, record.table.name)
        found = self.active.get(source)
        if found is not None and found.covers(record.position):
            return found
        return next((each for each in self._ended if each.source == source and each.covers(record.position)), None)

    def targets(self) -> set[str]:
        """The change tables of active and of ended registrations, quoted, as far as they exist."""
        known = self._session.database.tables
        return {each.quoted_target for each in (*self.active.values(), *self._ended) if each.target in known}

    def read(self) -> None:
        """Read it anew: tables that became active are captured from here on, others up to here."""
        sql = f"SELECT {_READ} FROM {self._table} WHERE SOURCE_OWNER <> '' AND STATE = 'A'"
        found = self._session.run(sql)
        self._session.commit()
        known, self.active = self.active, {}
        for row in found:
            made = _registration(row)
            kept = known.get(made.source)
            if kept is not None and kept.target == made.target and row[-1] is not None:
                self.active[made.source] = known.pop(made.source)
            else:
                self._activate(made)
        for each in known.values():
            self._end(each)
        self._session.commit()

    def _activate(self, registration: Registration) -> None:
        self.active[registration.source] = registration
        number = self._lsns.at(registration.since)
        self._session.run(
            f"UPDATE {self._table} SET CD_NEW_SYNCHPOINT = ?, CD_OLD_SYNCHPOINT = NULL, SYNCHPOINT = NULL, STATE_INFO = NULL "
            "WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ?",
            *(number, *registration.source),
        )
        self._messages.info(
            f"ASN0104I change capture has started for the source table {_named(registration)} for changes found on the log "
            f"beginning with log sequence number {number.hex().upper()}"
        )

    def _end(self, registration: Registration) -> None:
        self._ended.append(registration.ended(next(POSITIONS)))
        self._messages.info(f"ASN0108I change capture has stopped for the source table {_named(registration)}")

    def forget_before(self, position: int) -> None:
        """Forget ended registrations that the log has passed."""
        self._ended = [each for each in self._ended if each.until is not None and each.until > position]

    def fail(self, registration: Registration) -> None:
        """Capturing of a table stops by an error: STATE 'S'."""
        self._session.run(
            f"UPDATE {self._table} SET STATE = 'S' WHERE SOURCE_OWNER = ? AND SOURCE_TABLE = ?", *registration.source
        )
        self.active.pop(registration.source, None)
        self._ended = [each for each in self._ended if each.source != registration.source]

    def advance(self, end: bytes, time: str, commits: dict[tuple[str, str], bytes]) -> None:
        """Move the synchpoints: the global one to the log's end, each table's to the newest commit in its change table."""
        update = f"UPDATE {self._table} SET SYNCHPOINT = ?, SYNCHTIME = ? WHERE GLOBAL_RECORD = 'Y'"
        self._session.run(update, end, time)
        for source, commit in commits.items():
            if source in self.active:
                self._session.run(
                    f"UPDATE {self._table} SET CD_NEW_SYNCHPOINT = ?, SYNCHTIME = ? WHERE SOURCE_OWNER = ? "
                    "AND SOURCE_TABLE = ?",
                    *(commit, time, *source),
                )

    def counts(self) -> dict[str, int]:
        """How many tables are active, inactive, stopped."""
        sql = f"SELECT STATE, COUNT(*) FROM {self._table} WHERE SOURCE_OWNER <> '' GROUP BY STATE"
        return {str(state): int(str(count)) for state, count in self._session.run(sql)}


def _registration(row: tuple[Value, ...]) -> Registration:
    owner, name, cd_owner, cd_table, splits, only, prefix, stops = (str(each or "") for each in row[:-1])
    return Registration(
        (owner, name),
        (cd_owner, cd_table),
        next(POSITIONS),
        splits != "N",
        only == "Y",
        prefix.rstrip(),
        stops != "N",
    )


def _named(registration: Registration) -> str:
    return ".".join(registration.source)
