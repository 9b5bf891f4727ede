"""The point of a snapshot: P of each database, and the captured tables with their instances at P.

P is the LSN up to which the log is captured, queried before anything is read. So everything up to P is committed, and
visible to reads that wait for locks. The changes after P come from the newest instance of a table that began before P.
An instance that was just enabled begins where capture reads that, so the point waits for it.

Tables without an instance are left out: no one would ever deliver what changes in them while they are read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, identity, instances_at, of_instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.errors import RetriableError
from tailrace.schema.tables import Table, TableId

PATIENCE_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.2

LateInstances = Callable[[str, Sequence[str], float], RetriableError]
"""The error for tables of a database that capture has not begun with after so many seconds."""
WarnOfOthers = Callable[[str, Sequence[TableId]], None]
"""Reports the wanted tables of a database that are not captured."""


@dataclass(frozen=True, slots=True)
class Point:
    """P of one database.

    Attributes:
        lsn: P.
        tables: the captured tables there, by name: the captured structure, and the instance.
        as_of_us: as in `DatabasePosition`.
        landmark: likewise.

    """

    lsn: Lsn
    tables: Mapping[TableId, tuple[Table, Instance]]
    as_of_us: int | None = None
    landmark: Landmark | None = None

    @property
    def instances(self) -> list[Instance]:
        """The instances of the tables, in their order."""
        return [instance for _, instance in self.tables.values()]


def take(
    dialect: Dialect[Session], session: Session, late_instances: LateInstances, warn_of_others: WarnOfOthers
) -> Point:
    """Take P at the current end of the session's database log.

    Raises:
        RetriableError: an instance of a wanted table does not begin; capture may not be running.

    """
    database, matches = dialect.database(session), dialect.settings.tables.matches
    deadline, log = time.monotonic() + PATIENCE_SECONDS, dialect.log(database, None)
    wanted = _active(dialect, session)
    while True:
        # P comes first. An instance that is listed afterwards may start later, which `_behind_first` corrects if its start is
        # told. If it is not, the instance has begun before P only if it had before P was asked for.
        before, lsn = wanted, log.head(session)
        wanted = _active(dialect, session)
        waiting = sorted({str(each.table) for each in wanted} - {str(each.table) for each in wanted if each.start_lsn})
        if not waiting and _begun(wanted) <= _begun(before):
            break
        if time.monotonic() >= deadline:
            raise late_instances(database, waiting, PATIENCE_SECONDS)
        if waiting:
            time.sleep(POLL_SECONDS)
    head, lsn = lsn, _behind_first(lsn, wanted)
    # Up to a start that capture has not reached, transactions may still be listed.
    newest = dialect.landmark(session, lsn) if lsn == head else None
    found = dialect.structures(session, matches)
    chosen = instances_at(wanted, lsn)
    warn_of_others(database, [table for table in found if table not in chosen])
    tables = {
        table: (of_instance(found[table], chosen[table]), chosen[table])
        for table in sorted(chosen)
        if table in found
    }
    return Point(lsn, tables, log.as_of_us, newest)


def at(dialect: Dialect[Session], session: Session, tables: Sequence[TableId], lsn: Lsn) -> Point:
    """An earlier P of the session's database, with those of these tables whose changes after it an instance has."""
    dialect.wait_for(session, lsn)
    found = dialect.structures(session, frozenset(tables).__contains__)
    chosen = instances_at([each for each in dialect.instances(session) if each.table in found], lsn)
    return Point(
        lsn, {table: (of_instance(found[table], instance), instance) for table, instance in chosen.items()}
    )


def _active(dialect: Dialect[Session], session: Session) -> list[Instance]:
    """The instances of wanted tables that capture writes to, or is to begin with."""
    matches = dialect.settings.tables.matches
    return [each for each in dialect.instances(session) if matches(each.table) and not each.inactive]


def _begun(instances: Sequence[Instance]) -> set[str]:
    """The identities of those that have begun, at an LSN that is not told."""
    return {identity(each) for each in instances if each.start_lsn is not None and each.start_lsn.is_zero}


def _behind_first(lsn: Lsn, instances: Sequence[Instance]) -> Lsn:
    """P, or the start of a table's first instance if that is later."""
    first: dict[TableId, Lsn] = {}
    for each in instances:
        if each.start_lsn is not None:
            first.setdefault(each.table, each.start_lsn)
    return max([lsn, *first.values()])
