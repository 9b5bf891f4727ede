"""Proof that the keys of tables were their keys at an LSN already.

A snapshot as of P tells the changes after P apart by a table's key. The key is looked up now, and capture lags: rows that
were deleted so that a unique index could be made, or a column not null, may be deleted after P. There the key was none yet.

- Mostly times prove it. The table was altered before capture of it was enabled (`Instance.create_date`): that waits for
  whoever alters the table, and the change table has only what was changed later. Or it was altered `LONG` before P: longer
  than a transaction lasts that alters it and changes its rows too, and than clocks are set back.
- Otherwise capture has to pass a time after the key was looked up (`capture.py`). From the LSN that it has reached then the
  key is proven, if the table has not been altered again. Who does not want to wait for that looks again later.

One case is left open. The times are local ones: a clock that is set back between the enabling and a change of the key, as in
autumn, may make the change look older by up to an hour. Nothing in the catalogue tells that.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.change_tables.snapshots.capture import Capture
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.change_tables.snapshots.read_times import TOLD
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.schema.tables import TableId

LONG: Final = dt.timedelta(hours=2)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Noted:
    """A time of a database that capture has to pass.

    Attributes:
        moment: that, in the form of `Capture`.
        tables: whose keys were looked up before it, and have not changed since.
        since: when it was noted, by `time.monotonic`.
        told_at: when it was last told that one waits for it.

    """

    moment: Any
    tables: set[TableId]
    since: float = field(default_factory=time.monotonic)
    told_at: float = field(default_factory=time.monotonic)


class KeyProofs(Generic[Session, KeyT]):
    """What is proven of tables' keys, by one process. Sessions may be others from call to call."""

    def __init__(self, dialect: Dialect[Session], tables: PlannedTables[Session, KeyT]) -> None:
        self._dialect = dialect
        self._tables = tables
        self._seen: dict[TableId, tuple[KeyT | NoKey, dt.datetime | None]] = {}  # the key, and when the table was altered last
        self._noted: dict[str, list[_Noted]] = {}  # of each database
        self._behind: dict[TableId, Lsn] = {}  # from where on that is proven

    def young(
        self, session: Session, lsn: Lsn, instances: Sequence[Instance], keys: Mapping[TableId, KeyT | NoKey]
    ) -> list[TableId]:
        """The tables whose keys may be younger than an LSN; `keys`: those of the instances' tables, just looked up."""
        its = [each for each in instances if not isinstance(keys[each.table], NoKey)]
        altered = self._tables.altered_at(session, its) if its else {}
        doubtful = [each.table for each in its if not _is_older(altered.get(each.table), each)]
        until = self._tables.captured_until(session, lsn) if doubtful else None
        found = [table for table in doubtful if not _is_long_ago(altered.get(table), until)]
        return [table for table in found if not self._is_proven(table, lsn, (keys[table], altered.get(table)))]

    def have_passed(self, session: Session, young: Collection[TableId], seconds: float = 0.0) -> bool:
        """Whether capture has passed a time after the keys of these tables of the session's database were looked up.

        Then the LSN up to which the log is captured, and later ones, are proven for them.

        Args:
            session: of the database.
            young: the tables, from `young`.
            seconds: how long to wait for that at most, from the time on that was noted when it was first asked.

        """
        if self._behind.keys() >= set(young):
            return True
        process = self._tables.capture(session)
        while not self._pass(session, process, young):
            waits = self._waiting(session, process, young)
            if time.monotonic() >= max(noted.since for noted in waits) + seconds:
                return False
            time.sleep(capture.POLL_SECONDS)
        return True

    def wait(self, session: Session, young: Collection[TableId]) -> None:
        """Wait until `have_passed` is true, as long as capture may take.

        Raises:
            RetriableError: capture does not pass that time by then.

        """
        if self._behind.keys() >= set(young):
            return
        process = self._tables.capture(session)
        for noted in self._waiting(session, process, young):
            for _ in process.wait_until_passed(noted.moment):
                self._tell(process, noted)
                time.sleep(capture.POLL_SECONDS)
            self._forget(session, noted)

    def _pass(self, session: Session, process: Capture[Any], young: Collection[TableId]) -> bool:
        """Whether capture has passed all times noted for these tables now."""
        for noted in self._waiting(session, process, young):
            if not process.has_passed(noted.moment):
                self._tell(process, noted)
                return False
            self._forget(session, noted)
        return True

    def _forget(self, session: Session, passed: _Noted) -> None:
        """Note that capture has passed a time: the keys are proven from here on."""
        self._behind |= dict.fromkeys(passed.tables, self._dialect.head(session))
        self._noted[self._dialect.database(session)].remove(passed)

    def _waiting(self, session: Session, process: Capture[Any], young: Collection[TableId]) -> list[_Noted]:
        """The times that capture has to pass for these tables; for those that have none it is now."""
        database = self._dialect.database(session)
        noted = self._noted[database] = [each for each in self._noted.get(database, ()) if each.tables]
        missing = set(young) - self._behind.keys() - {table for each in noted for table in each.tables}
        if missing:
            log.info("tables of %s were altered lately: the snapshot waits until that is captured", database)
            noted.append(_Noted(process.now(), missing))
        return [each for each in noted if not each.tables.isdisjoint(young)]

    def _tell(self, process: Capture[Any], noted: _Noted) -> None:
        """Warn that capture has not passed a time for long, once in a while."""
        now = time.monotonic()
        if now - noted.told_at > TOLD * process.patience:
            noted.told_at = now
            log.warning("the snapshot waits: %s", process.stuck(noted.moment, round(now - noted.since)))

    def _is_proven(self, table: TableId, lsn: Lsn, seen: tuple[KeyT | NoKey, dt.datetime | None]) -> bool:
        """Whether capture had passed what is seen of a table now at an LSN; else it is noted as not proven."""
        if self._seen.get(table) == seen:
            return table in self._behind and self._behind[table] <= lsn
        self._seen[table] = seen
        self._behind.pop(table, None)
        for noted in self._noted.get(table.catalog, ()):
            noted.tables.discard(table)
        return False


def _is_older(altered: dt.datetime | None, instance: Instance) -> bool:
    """Whether a table was altered last before capture of it was enabled."""
    return altered is not None and altered <= instance.create_date


def _is_long_ago(altered: dt.datetime | None, until: dt.datetime | None) -> bool:
    return altered is not None and until is not None and altered + LONG < until
