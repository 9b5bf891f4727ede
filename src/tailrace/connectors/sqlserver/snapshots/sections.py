"""What the change tables of one database say of the tables of a snapshot, a section of the log at a time."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver.filled_tables import has_rows
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.touched_rows import touches
from tailrace.errors import SourceSetupError
from tailrace.snapshot.first_changes import TableTouches

SECTION_TRANSACTIONS: Final = 20_000

_CUT: Final = (
    "SELECT MAX(start_lsn) FROM (SELECT TOP ({0}) start_lsn FROM cdc.lsn_time_mapping WHERE start_lsn > ? AND start_lsn <= ? "
    "ORDER BY start_lsn) AS s"
)


def next_section(database: Database, head: Lsn) -> list[TableTouches]:
    """The next section up to a head, or a part of the way; the database is read up to its end then.

    Raises:
        PositionLostError: the changes of a table are not told from P on any more.

    """
    window = Window(database.reached, _end(database, head))
    try:
        found = _touched(database, window)
    except SourceSetupError:
        if not database.tables.have_changed():
            raise
        found = _touched(database, window)  # without those that went, of which `ReadTables.altered` tells
    database.tables.require_log()  # now that it was read: what was cleaned up meanwhile may lack
    database.reached = window.until
    return found


def _touched(database: Database, window: Window) -> list[TableTouches]:
    """What a window says of the tables."""
    read = [each for table in database.tables if (each := database.tables.of(table)) is not None]
    has = has_rows(database.asking, [each.instance for each in read], window)
    found = (
        touches(database.asking, each, window, database.unheard_of(each.table.id))
        for each, is_there in zip(read, has, strict=True)
        if is_there
    )
    return [each for each in found if each is not None]


def _end(database: Database, head: Lsn) -> Lsn:
    """Where the next section ends: at the head, or before it where that is far."""
    cut = database.asking.one(_CUT.format(SECTION_TRANSACTIONS), database.reached.raw, head.raw)
    if cut is None or database.asking.one(_CUT.format(1), cut, head.raw) is None:
        return head
    return Lsn(bytes(cut))
