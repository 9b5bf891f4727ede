"""Proof that the keys of tables were their keys at an LSN already.

A snapshot as of P tells the changes after P apart by a table's key. The key is looked up now, and capture lags: rows that
were deleted so that a unique index could be made, or a column not null, may be deleted after P. There the key was none yet.

- Mostly times prove it. The table was altered before capture of it was enabled (`Instance.create_date`): that waits for
  whoever alters the table, and the change table has only what was changed later. Or it was altered `LONG` before P: longer
  than a transaction lasts that alters it and changes its rows too, and than clocks are set back.
- Otherwise capture has to pass a time after the key was looked up (`capture.py`). From the LSN that it has reached then the
  key is proven, if the table has not been altered again.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Generic

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

LONG: Final = dt.timedelta(hours=2)

log = logging.getLogger(__name__)


class KeyProofs(Generic[Session, KeyT]):
    """What is proven of tables' keys, by one process."""

    def __init__(
        self, dialect: Dialect[Session], tables: PlannedTables[Session, KeyT], patience: float | None = None
    ) -> None:
        """`patience`: for how long `wait` waits, in seconds; None: as long as capture may take."""
        self._dialect = dialect
        self._tables = tables
        self._patience = patience
        self._seen: dict[TableId, tuple[KeyT | NoKey, dt.datetime | None]] = {}  # the key, and when the table was altered last
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

    def wait(self, session: Session, young: Collection[TableId]) -> None:
        """Wait until capture has passed a time after the keys of these tables of the session's database were looked up.

        The LSN up to which the log is captured then, and later ones, are proven for them.

        Raises:
            RetriableError: it does not pass it in time.

        """
        if self._behind.keys() >= set(young):
            return
        process, database = self._tables.capture(session), self._dialect.database(session)
        times, moment, begun = ReadTimes(process), process.now(), time.monotonic()
        log.info("tables of %s were altered lately: the snapshot waits until that is captured", database)
        for _ in times.wait_until_passed(times.note()):
            if self._patience is not None and time.monotonic() - begun >= self._patience:
                raise RetriableError(process.stuck(moment, round(self._patience)))
            time.sleep(capture.POLL_SECONDS)
        head = self._dialect.head(session)
        self._behind |= {table: head for table in self._seen if table.catalog == database}

    def _is_proven(self, table: TableId, lsn: Lsn, seen: tuple[KeyT | NoKey, dt.datetime | None]) -> bool:
        """Whether capture had passed what is seen of a table now at an LSN; else it is noted for the next `wait`."""
        if self._seen.get(table) == seen:
            return table in self._behind and self._behind[table] <= lsn
        self._seen[table] = seen
        self._behind.pop(table, None)
        return False


def _is_older(altered: dt.datetime | None, instance: Instance) -> bool:
    """Whether a table was altered last before capture of it was enabled."""
    return altered is not None and altered <= instance.create_date


def _is_long_ago(altered: dt.datetime | None, until: dt.datetime | None) -> bool:
    return altered is not None and until is not None and altered + LONG < until
