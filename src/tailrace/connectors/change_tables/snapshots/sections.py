"""What the change tables of one database say of the tables of a snapshot, a section of the log at a time."""

from __future__ import annotations

from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.databases import SourceDatabase
from tailrace.connectors.change_tables.snapshots.touched_rows import touches
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import SourceSetupError
from tailrace.snapshot.first_changes import TableTouches

SECTION_TRANSACTIONS: Final = 20_000


def next_section(database: SourceDatabase[Any], head: Lsn) -> list[TableTouches]:
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


def _touched(database: SourceDatabase[Any], window: Window) -> list[TableTouches]:
    """What a window says of the tables."""
    read = [each for table in database.tables if (each := database.tables.of(table)) is not None]
    has = database.has_rows([each.instance for each in read], window)
    found = (
        touches(each, database.changes(each, window)) for each, is_there in zip(read, has, strict=True) if is_there
    )
    return [each for each in found if each is not None]


def _end(database: SourceDatabase[Any], head: Lsn) -> Lsn:
    """Where the next section ends: at the head, or before it where that is far."""
    cut = database.nth_entry(Window(database.reached, head), SECTION_TRANSACTIONS)
    return head if cut is None or database.nth_entry(Window(cut, head), 1) is None else cut
